# theano.tensor.special -- see aesara.tensor.special.
from aesara.tensor.special import *
