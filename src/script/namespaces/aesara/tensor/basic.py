# aesara.tensor.basic -- see aesara.tensor.
from aesara.tensor import *
