# tensorflow.keras.layers -- layers that make their variables when they first see an input.
import _tf as _w
from tensorflow._base import as_tensor, as_operand, state
from tensorflow._variable import Variable
from tensorflow._module import Module
from tensorflow import nn, initializers, _ops
from tensorflow.keras import activations


class Layer(Module):
    def __init__(self, name=None, trainable=True, dtype=None, **kw):
        super().__init__(name=name)
        self._self_built = False
        self._self_trainable = trainable
        self._self_input = kw.get("input_shape")

    @property
    def trainable(self):
        return self._self_trainable

    @trainable.setter
    def trainable(self, value):
        self._self_trainable = value

    @property
    def built(self):
        return self._self_built

    @built.setter
    def built(self, value):
        self._self_built = value

    def add_weight(self, name=None, shape=(), initializer="glorot_uniform", trainable=True, dtype=None, constraint=None, regularizer=None):
        if regularizer is not None:
            raise NotImplementedError("add_weight: regularizer")
        init = initializers.get(initializer)
        x = init(shape if not isinstance(shape, int) else (shape,))
        return Variable(x if dtype is None else _w.cast(x, dtype), trainable=trainable, name=name or "weight", constraint=constraint)

    def build(self, input_shape):
        return None

    def call(self, x):
        return x

    def __call__(self, x, *args, **kw):
        if not self._self_built:
            self.build(as_tensor(x).shape if not isinstance(x, (list, tuple)) else [as_tensor(y).shape for y in x])
            self._self_built = True
        if isinstance(self, (Dropout, BatchNormalization)) is False:
            kw = {k: v for k, v in kw.items() if k != "training" or _takes_training(self)}
        return self.call(x, *args, **kw)

    @property
    def weights(self):
        return list(self.variables)

    @property
    def trainable_variables(self):
        return [v for v in self.variables if v.trainable] if self._self_trainable else []

    trainable_weights = trainable_variables

    def get_weights(self):
        return [v.numpy() for v in self.variables]

    def set_weights(self, weights):
        for v, w in zip(self.variables, weights):
            v.assign(w)

    def count_params(self):
        return sum([int(_w.about(v._value, "count")) for v in self.variables])


def _takes_training(layer):
    return getattr(type(layer), "_self_training", False)


class Dense(Layer):
    def __init__(self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **kw):
        super().__init__(**kw)
        self._self_units = units
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self._self_inits = (initializers.get(kernel_initializer), initializers.get(bias_initializer))

    def build(self, input_shape):
        k, b = self._self_inits
        self.kernel = Variable(k([input_shape[-1], self.units]), name="kernel")
        self.bias = Variable(b([self.units]), name="bias") if self.use_bias else None

    def call(self, x):
        x = as_tensor(x)
        y = _w.matmul(x, self.kernel)
        if self.use_bias:
            y = y + self.bias
        return self.activation(y)

    @property
    def variables(self):
        return ([self.kernel] + ([self.bias] if self.use_bias else [])) if self._self_built else []


class Flatten(Layer):
    def call(self, x):
        x = as_tensor(x)
        return _w.reshape(x, [x.shape[0], -1])


class Reshape(Layer):
    def __init__(self, target_shape, **kw):
        super().__init__(**kw)
        self.target_shape = tuple(target_shape)

    def call(self, x):
        x = as_tensor(x)
        return _w.reshape(x, [x.shape[0]] + list(self.target_shape))


class Activation(Layer):
    def __init__(self, activation, **kw):
        super().__init__(**kw)
        self.activation = activations.get(activation)

    def call(self, x):
        return self.activation(x)


class ReLU(Layer):
    def call(self, x):
        return nn.relu(x)


class Softmax(Layer):
    def call(self, x):
        return nn.softmax(x)


class Dropout(Layer):
    def __init__(self, rate, **kw):
        super().__init__(**kw)
        self.rate = rate

    def call(self, x, training=False):
        return nn.dropout(x, self.rate) if training else as_tensor(x)


class Conv2D(Layer):
    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", activation=None, use_bias=True,
                 kernel_initializer="glorot_uniform", bias_initializer="zeros", dilation_rate=(1, 1), **kw):
        super().__init__(**kw)
        self.filters = filters
        self.size = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
        self.strides, self.padding, self.dilation = strides, padding.upper(), dilation_rate
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self._self_inits = (initializers.get(kernel_initializer), initializers.get(bias_initializer))

    def build(self, input_shape):
        k, b = self._self_inits
        self.kernel = Variable(k(self.size + [input_shape[-1], self.filters]), name="kernel")
        self.bias = Variable(b([self.filters]), name="bias") if self.use_bias else None

    def call(self, x):
        y = nn.conv2d(x, self.kernel, self.strides if isinstance(self.strides, int) else list(self.strides), self.padding, dilations=list(self.dilation) if not isinstance(self.dilation, int) else self.dilation)
        if self.use_bias:
            y = y + self.bias
        return self.activation(y)

    @property
    def variables(self):
        return ([self.kernel] + ([self.bias] if self.use_bias else [])) if self._self_built else []


class _Pool(Layer):
    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", **kw):
        super().__init__(**kw)
        self.pool = [pool_size] * 2 if isinstance(pool_size, int) else list(pool_size)
        self.strides = self.pool if strides is None else strides
        self.padding = padding.upper()


class MaxPooling2D(_Pool):
    def call(self, x):
        return nn.max_pool2d(x, self.pool, self.strides, self.padding)


class AveragePooling2D(_Pool):
    def call(self, x):
        return nn.avg_pool2d(x, self.pool, self.strides, self.padding)


MaxPool2D, AvgPool2D = MaxPooling2D, AveragePooling2D


class GlobalAveragePooling2D(Layer):
    def call(self, x):
        return _w.mean(as_tensor(x), [1, 2])


class Embedding(Layer):
    def __init__(self, input_dim, output_dim, embeddings_initializer="random_uniform", **kw):
        super().__init__(**kw)
        self.input_dim, self.output_dim = input_dim, output_dim
        self._self_init = initializers.get(embeddings_initializer)

    def build(self, input_shape):
        self.embeddings = Variable(self._self_init([self.input_dim, self.output_dim]), name="embeddings")

    def call(self, x):
        return _ops.gather(self.embeddings, x)


class LayerNormalization(Layer):
    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, **kw):
        super().__init__(**kw)
        self.epsilon = epsilon

    def build(self, input_shape):
        self.gamma = Variable(_w.full([input_shape[-1]], 1.0), name="gamma")
        self.beta = Variable(_w.full([input_shape[-1]], 0.0), name="beta")

    def call(self, x):
        x = as_tensor(x)
        m, v = _w.mean(x, -1, True), _w.var(x, -1, 0, True)
        return (x - m) * _w.rsqrt(v + self.epsilon) * self.gamma + self.beta

    @property
    def variables(self):
        return [self.gamma, self.beta] if self._self_built else []


class BatchNormalization(Layer):
    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, **kw):
        super().__init__(**kw)
        self.momentum, self.epsilon = momentum, epsilon

    def build(self, input_shape):
        n = [input_shape[-1]]
        self.gamma, self.beta = Variable(_w.full(n, 1.0), name="gamma"), Variable(_w.full(n, 0.0), name="beta")
        self.moving_mean = Variable(_w.full(n, 0.0), trainable=False, name="moving_mean", aggregation="MEAN")
        self.moving_variance = Variable(_w.full(n, 1.0), trainable=False, name="moving_variance", aggregation="MEAN")

    def call(self, x, training=False):
        x = as_tensor(x)
        if training:
            axes = list(range(x.ndim - 1))
            m, v = _w.mean(x, axes), _w.var(x, axes, 0)
            self.moving_mean.assign(self.moving_mean._current() * self.momentum + _w.detach(m) * (1 - self.momentum))
            self.moving_variance.assign(self.moving_variance._current() * self.momentum + _w.detach(v) * (1 - self.momentum))
        else:
            m, v = self.moving_mean.__tensor__(), self.moving_variance.__tensor__()
        return (x - m) * _w.rsqrt(v + self.epsilon) * self.gamma + self.beta

    @property
    def variables(self):
        return [self.gamma, self.beta, self.moving_mean, self.moving_variance] if self._self_built else []


class Add(Layer):
    def call(self, xs):
        y = as_tensor(xs[0])
        for x in xs[1:]:        # sizes are broadcast
            y = y + as_tensor(x)
        return y


class Concatenate(Layer):
    def __init__(self, axis=-1, **kw):
        super().__init__(**kw)
        self.axis = axis

    def call(self, xs):
        return _ops.concat(xs, self.axis)


class Lambda(Layer):
    def __init__(self, function, **kw):
        super().__init__(**kw)
        self.function = function

    def call(self, x):
        return self.function(x)


class InputLayer(Layer):
    def __init__(self, input_shape=None, shape=None, **kw):
        super().__init__(**kw)
        self.shape = shape if shape is not None else input_shape


def Input(shape=None, batch_size=None, dtype=None, name=None, batch_shape=None):
    if batch_shape is not None:
        shape = tuple(batch_shape)[1:]
    return InputLayer(shape=shape)
