# pytensor.compile -- see aesara.compile.
from aesara.compile import *
