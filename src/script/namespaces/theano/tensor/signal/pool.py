# theano.tensor.signal.pool -- see aesara.tensor.signal.pool.
from aesara.tensor.signal.pool import *
