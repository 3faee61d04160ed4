# aesara.tensor.random -- random numbers in expressions.
from aesara._random import RandomStream
from aesara.tensor.random import utils
