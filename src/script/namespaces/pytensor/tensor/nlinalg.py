# pytensor.tensor.nlinalg -- see aesara.tensor.nlinalg.
from aesara.tensor.nlinalg import *
