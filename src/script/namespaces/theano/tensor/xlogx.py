# theano.tensor.xlogx -- see aesara.tensor.xlogx.
from aesara.tensor.xlogx import *
