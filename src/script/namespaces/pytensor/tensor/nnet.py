# pytensor.tensor.nnet -- see aesara.tensor.nnet.
from aesara.tensor.nnet import *
