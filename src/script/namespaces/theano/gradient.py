# theano.gradient -- see aesara.gradient.
from aesara.gradient import *
