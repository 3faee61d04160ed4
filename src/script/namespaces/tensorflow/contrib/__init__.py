# tensorflow.contrib -- of version 1's contributed parts, eager, rnn and layers.
from tensorflow.contrib import eager, layers, rnn
