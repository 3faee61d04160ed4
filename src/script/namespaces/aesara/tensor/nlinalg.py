# aesara.tensor.nlinalg -- see linalg.
from aesara.tensor.linalg import *
