# tensorflow.contrib.layers -- see tensorflow.compat.v1.layers.
from tensorflow import nn
from tensorflow.compat import v1_layers as _layers
from tensorflow.compat.v1_layers import flatten


def fully_connected(inputs, num_outputs, activation_fn=nn.relu, weights_initializer=None, biases_initializer=None, reuse=None, scope=None):
    return _layers.dense(inputs, num_outputs, activation_fn, True, weights_initializer, biases_initializer, name=scope or
                         _layers._unique("fully_connected"), reuse=reuse)


def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, is_training=True, updates_collections="update_ops",
               reuse=None, scope=None, trainable=True, fused=None):
    if updates_collections not in ("update_ops", None):
        raise NotImplementedError("contrib.layers.batch_norm: updates_collections other than tf.GraphKeys.UPDATE_OPS and None")
    from tensorflow import control_dependencies, identity
    from tensorflow._graph import default_graph
    ops = default_graph().collections.setdefault("update_ops", [])
    before = len(ops)
    y = _layers.batch_normalization(inputs, momentum=decay, epsilon=epsilon, center=center, scale=scale, training=is_training,
                                    name=scope or _layers._unique("BatchNorm"), reuse=reuse, trainable=trainable)
    if updates_collections is None:     # they happen when the result is asked for
        mine = ops[before:]
        del ops[before:]
        with control_dependencies(mine):
            y = identity(y)
    return y if activation_fn is None else activation_fn(y)


def conv2d(inputs, num_outputs, kernel_size, stride=1, padding="SAME", activation_fn=nn.relu, weights_initializer=None, biases_initializer=None,
           reuse=None, scope=None):
    return _layers.conv2d(inputs, num_outputs, kernel_size, stride, padding, activation=activation_fn, kernel_initializer=weights_initializer,
                          bias_initializer=biases_initializer, name=scope or _layers._unique("Conv"), reuse=reuse)


def max_pool2d(inputs, kernel_size, stride=2, padding="VALID", scope=None):
    return _layers.max_pooling2d(inputs, kernel_size, stride, padding)


def dropout(inputs, keep_prob=0.5, is_training=True, scope=None):
    return _layers.dropout(inputs, 1 - keep_prob, training=is_training)


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
