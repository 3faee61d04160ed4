# theano.tensor.linalg -- see aesara.tensor.linalg.
from aesara.tensor.linalg import *
