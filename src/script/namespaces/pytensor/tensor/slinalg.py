# pytensor.tensor.slinalg -- see aesara.tensor.slinalg.
from aesara.tensor.slinalg import *
