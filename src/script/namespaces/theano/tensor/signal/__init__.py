# theano.tensor.signal -- see aesara.tensor.signal.
from theano.tensor.signal import pool, downsample
