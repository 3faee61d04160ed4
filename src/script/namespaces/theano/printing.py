# theano.printing -- see aesara.printing.
from aesara.printing import *
