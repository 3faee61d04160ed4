# theano.graph -- see aesara.graph.
from aesara.graph import *
