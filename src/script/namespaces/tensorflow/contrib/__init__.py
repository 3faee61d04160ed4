# tensorflow.contrib -- of version 1's contributed parts, eager, rnn and layers.
from tensorflow.contrib import eager, layers, rnn


def __getattr__(name):
    raise AttributeError(f"module 'tensorflow.contrib' has no attribute '{name}': of tf.contrib, eager, layers and rnn are here")
