# theano.tensor.signal.downsample -- the old name of pool.
from aesara.tensor.signal.pool import *
from aesara.tensor.signal.pool import pool_2d as max_pool_2d
