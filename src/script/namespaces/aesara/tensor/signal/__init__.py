# aesara.tensor.signal -- see aesara.tensor.signal.pool.
from aesara.tensor.signal import pool
