# aesara.tensor.math -- see aesara.tensor.
from aesara.tensor import *
