# aesara.tensor.random.utils -- streams of random numbers.
from aesara._random import RandomStream
