# theano.sandbox.rng_mrg -- see aesara.sandbox.rng_mrg.
from aesara.sandbox.rng_mrg import *
