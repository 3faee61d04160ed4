# tensorflow.compat.v1.layers -- layers as functions that make variables in the graph.
from tensorflow import _ops, nn, initializers
from tensorflow._graph import default_graph


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, name=None, reuse=None, **kw):
    from tensorflow.compat import v1
    with v1.variable_scope(name or default_graph().unique_name("dense"), reuse=reuse):
        w = v1.get_variable("kernel", [inputs.shape[-1], units], initializer=kernel_initializer)
        y = _ops.matmul(inputs, w)
        if use_bias:
            y = nn.bias_add(y, v1.get_variable("bias", [units], initializer=bias_initializer or initializers.Zeros()))
    return y if activation is None else activation(y)


def flatten(inputs, name=None, data_format="channels_last"):
    n = 1
    for d in inputs.shape[1:]:
        n *= d
    return _ops.reshape(inputs, [-1, n])


def dropout(inputs, rate=0.5, training=False, **kw):
    return nn.dropout(inputs, rate) if training else _ops.identity(inputs)
