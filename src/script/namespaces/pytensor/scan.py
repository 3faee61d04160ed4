# pytensor.scan -- see aesara.scan.
from aesara.scan import *
