# theano.ifelse -- see aesara.ifelse.
from aesara.ifelse import *
