# aesara.tensor.slinalg -- see linalg.
from aesara.tensor.linalg import *
