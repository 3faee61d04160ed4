# aesara.scan.utils -- what ends a scan early.
from aesara.scan import until
