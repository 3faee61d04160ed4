# tensorflow.compat.v1.layers -- layers of version 1: functions, and classes that keep what they made. Their variables are
# those of get_variable, in a scope of the layer's name.
from tensorflow import _ops, nn, initializers
from tensorflow._base import state
from tensorflow._graph import default_graph


class Layer:
    base = "layer"

    def __init__(self, name=None, trainable=True, reuse=None):
        self.given, self.trainable, self.reuse, self.scope = name, trainable, reuse, None
        self.variables = []

    def __call__(self, inputs, *args, **kw):
        from tensorflow.compat import v1
        if state.graph is None:
            raise RuntimeError("tf.layers: without a graph, the layers are those of tf.keras.layers")
        again = self.scope is not None
        if not again:
            self.scope = self.given or _unique(self.base)
        self.dtype = getattr(inputs, "dtype", None)
        with v1.variable_scope(self.scope, reuse=True if again else self.reuse):
            return self.call(inputs, *args, **kw)

    apply = __call__

    def add(self, name, shape, initializer=None, trainable=True):
        from tensorflow.compat import v1
        dtype = self.dtype if self.dtype is not None and self.dtype.is_floating else v1.float32
        v = v1.get_variable(name, shape, dtype, initializer=initializer, trainable=self.trainable and trainable)
        if v not in self.variables:
            self.variables.append(v)
        return v

    @property
    def trainable_variables(self):
        return [v for v in self.variables if v.trainable]


def _unique(base):
    # dense, dense_1 ..: counted anew each time the scope around it is entered
    g = default_graph()
    key = (g.variable_scopes[-1].name + "/" if g.variable_scopes else "") + base
    n = g.layer_counts.get(key, 0)
    g.layer_counts[key] = n + 1
    return f"{base}_{n}" if n else base


def _pair(x):
    return [x, x] if isinstance(x, int) else list(x)


def _layout(data_format):
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"The `data_format` argument must be one of \"channels_first\", \"channels_last\". Received: {data_format}")
    return "NHWC" if data_format == "channels_last" else "NCHW"


class Dense(Layer):
    base = "dense"

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None,
                 bias_regularizer=None, trainable=True, name=None, reuse=None, _reuse=None):
        super().__init__(name, trainable, reuse or _reuse)
        _none("tf.layers.dense", bias_regularizer=bias_regularizer)
        self.units, self.activation, self.use_bias, self.regularizer = units, activation, use_bias, kernel_regularizer
        self.first, self.bias = kernel_initializer, bias_initializer or initializers.Zeros()

    def call(self, inputs):
        self.kernel = self.add("kernel", [inputs.shape[-1], self.units], self.first)
        _regularized(self.regularizer, self.kernel)
        if inputs.shape.rank > 2:
            y = _ops.tensordot(inputs, self.kernel, [[inputs.shape.rank - 1], [0]])
        else:
            y = _ops.matmul(inputs, self.kernel)
        if self.use_bias:
            y = nn.bias_add(y, self.add("bias", [self.units], self.bias))
        return y if self.activation is None else self.activation(y)


class Conv2D(Layer):
    base = "conv2d"

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), activation=None,
                 use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, trainable=True, name=None, reuse=None):
        super().__init__(name, trainable, reuse)
        self.filters, self.size, self.strides, self.padding = filters, _pair(kernel_size), _pair(strides), padding.upper()
        self.format, self.dilation, self.activation, self.use_bias = _layout(data_format), _pair(dilation_rate), activation, use_bias
        self.first, self.bias, self.regularizer = kernel_initializer, bias_initializer or initializers.Zeros(), kernel_regularizer

    def spread(self, pair):
        return [1] + pair + [1] if self.format == "NHWC" else [1, 1] + pair

    def call(self, inputs):
        n = inputs.shape[-1 if self.format == "NHWC" else 1]
        w = self.add("kernel", self.size + [n, self.filters], self.first)
        _regularized(self.regularizer, w)
        y = nn.conv2d(inputs, w, self.spread(self.strides), self.padding, data_format=self.format, dilations=self.spread(self.dilation))
        return self.finished(y)

    def finished(self, y):
        if self.use_bias:
            y = nn.bias_add(y, self.add("bias", [self.filters], self.bias), data_format=self.format)
        return y if self.activation is None else self.activation(y)


class Conv2DTranspose(Conv2D):
    base = "conv2d_transpose"

    def call(self, inputs):
        n = inputs.shape[-1 if self.format == "NHWC" else 1]
        w = self.add("kernel", self.size + [self.filters, n], self.first)
        at = 1 if self.format == "NHWC" else 2
        sizes = []
        for i in range(2):
            s, k = self.strides[i], self.size[i]
            sizes.append(inputs.shape[at + i] * s + (max(k - s, 0) if self.padding == "VALID" else 0))
        batch = inputs.shape[0] if inputs.shape[0] is not None else _ops.shape(inputs)[0]
        shape = [batch] + (sizes + [self.filters] if self.format == "NHWC" else [self.filters] + sizes)
        y = nn.conv2d_transpose(inputs, w, shape, self.spread(self.strides), self.padding, data_format=self.format)
        y.set_shape([inputs.shape[0]] + shape[1:])
        return self.finished(y)


class BatchNormalization(Layer):
    base = "batch_normalization"

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=None, gamma_initializer=None,
                 moving_mean_initializer=None, moving_variance_initializer=None, trainable=True, name=None, reuse=None):
        super().__init__(name, trainable, reuse)
        self.axis, self.momentum, self.epsilon, self.center, self.scale = axis, momentum, epsilon, center, scale
        self.first = (gamma_initializer or initializers.Ones(), beta_initializer or initializers.Zeros(),
                      moving_mean_initializer or initializers.Zeros(), moving_variance_initializer or initializers.Ones())

    def call(self, inputs, training=False):
        from tensorflow import cond
        rank = inputs.shape.rank
        axis = self.axis % rank
        n = inputs.shape[axis]
        gamma = self.add("gamma", [n], self.first[0]) if self.scale else None
        beta = self.add("beta", [n], self.first[1]) if self.center else None
        kept = self.add("moving_mean", [n], self.first[2], False), self.add("moving_variance", [n], self.first[3], False)
        others = [a for a in range(rank) if a != axis]
        if isinstance(training, bool) and not training:
            mean, var = kept[0].read_value(), kept[1].read_value()
        else:
            mean, var = nn.moments(inputs, others)
            if not isinstance(training, bool):
                now = mean, var
                mean = cond(training, lambda: now[0], lambda: kept[0].read_value())
                var = cond(training, lambda: now[1], lambda: kept[1].read_value())
            self._keep(kept, mean, var, inputs, axis)
        if axis != rank - 1:
            shape = [n if a == axis else 1 for a in range(rank)]
            mean, var, gamma, beta = [None if x is None else _ops.reshape(x, shape) for x in (mean, var, gamma, beta)]
        return nn.batch_normalization(inputs, mean, var, beta, gamma, self.epsilon)

    def _keep(self, kept, mean, var, inputs, axis):
        # where the ranks are four and the channels last, the library's kernel keeps the variance of a sample
        g = default_graph()
        if inputs.shape.rank == 4 and axis in (1, 3):
            count = _ops.cast(_ops.size(inputs), mean.dtype) / float(inputs.shape[axis])
            var = var * (count / (count - 1.0))
        for v, x in zip(kept, (mean, var)):
            g.add_to_collection("update_ops", v.assign_sub((v - x) * (1.0 - self.momentum)).op)


def _none(what, **args):
    for name, x in args.items():
        if x is not None:
            raise NotImplementedError(f"{what}: {name}")


def _regularized(regularizer, v):
    if regularizer is not None:
        default_graph().add_to_collection("regularization_losses", regularizer(v))


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None,
          bias_regularizer=None, trainable=True, name=None, reuse=None):
    return Dense(units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, trainable, name, reuse)(inputs)


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), activation=None,
           use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, trainable=True, name=None, reuse=None):
    return Conv2D(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer, bias_initializer,
                  kernel_regularizer, trainable, name, reuse)(inputs)


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, trainable=True, name=None, reuse=None):
    return Conv2DTranspose(filters, kernel_size, strides, padding, data_format, (1, 1), activation, use_bias, kernel_initializer,
                           bias_initializer, kernel_regularizer, trainable, name, reuse)(inputs)


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=None, gamma_initializer=None,
                        moving_mean_initializer=None, moving_variance_initializer=None, training=False, trainable=True, name=None, reuse=None):
    return BatchNormalization(axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
                              moving_variance_initializer, trainable, name, reuse)(inputs, training)


def _pooled(pool):
    def call(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        layout = _layout(data_format)
        spread = lambda p: [1] + _pair(p) + [1] if layout == "NHWC" else [1, 1] + _pair(p)
        return pool(inputs, spread(pool_size), spread(strides), padding.upper(), data_format=layout)
    return call


max_pooling2d, average_pooling2d = _pooled(nn.max_pool2d), _pooled(nn.avg_pool2d)


def flatten(inputs, name=None, data_format="channels_last"):
    if data_format == "channels_first" and len(inputs.shape) > 2:
        inputs = _ops.transpose(inputs, [0] + list(range(2, len(inputs.shape))) + [1])
    n = 1
    for d in inputs.shape[1:]:
        n *= d
    return _ops.reshape(inputs, [-1, n])


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    from tensorflow import cond
    if isinstance(training, bool):
        return nn.dropout(inputs, rate, noise_shape, seed) if training else _ops.identity(inputs)
    return cond(training, lambda: nn.dropout(inputs, rate, noise_shape, seed), lambda: _ops.identity(inputs))
