# theano.scalar -- as aesara has it.
from aesara.scalar import *
