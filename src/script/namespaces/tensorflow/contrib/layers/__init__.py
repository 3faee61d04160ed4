# tensorflow.contrib.layers -- see tensorflow.compat.v1.layers.
from tensorflow import nn
from tensorflow.compat import v1_layers as _layers
from tensorflow.compat.v1_layers import flatten


def fully_connected(inputs, num_outputs, activation_fn=nn.relu, weights_initializer=None, biases_initializer=None, reuse=None, scope=None):
    return _layers.dense(inputs, num_outputs, activation_fn, True, weights_initializer, biases_initializer, name=scope or
                         _layers._unique("fully_connected"), reuse=reuse)


def xavier_initializer(uniform=True, seed=None, dtype=None):
    from tensorflow.compat import v1
    return v1.glorot_uniform_initializer(seed, dtype) if uniform else v1.glorot_normal_initializer(seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=None):
    from tensorflow.compat import v1
    return v1.variance_scaling_initializer(factor, mode.lower(), "uniform" if uniform else "truncated_normal", seed, dtype)


def l2_regularizer(scale, scope=None):
    return lambda w: nn.l2_loss(w) * scale


def l1_regularizer(scale, scope=None):
    from tensorflow import _ops
    return lambda w: _ops.reduce_sum(_ops.abs(w)) * scale
