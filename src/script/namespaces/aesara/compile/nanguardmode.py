# aesara.compile.nanguardmode -- programs that check what they compute.
from aesara.compile import NanGuardMode
