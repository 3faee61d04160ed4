# theano.tensor -- see aesara.tensor.
from aesara.tensor import *
from aesara.tensor import linalg, special, nnet, nlinalg, signal, slinalg, xlogx
