# jax.example_libraries.stax -- layers as pairs: init(key, input_shape) -> (output_shape, params), apply(params, inputs, **kwargs).
import functools
import operator as op
import jax.numpy as jnp
from jax import lax, random
from jax.nn import relu, log_softmax, softmax, softplus, sigmoid, elu, leaky_relu, selu, gelu, standardize
from jax.nn.initializers import glorot_normal, normal, ones, zeros

randn, glorot = normal, glorot_normal
logsoftmax = log_softmax


def Dense(out_dim, W_init=glorot_normal(), b_init=normal()):
    def init(key, input_shape):
        k1, k2 = random.split(key)
        return tuple(input_shape[:-1]) + (out_dim,), (W_init(k1, (input_shape[-1], out_dim)), b_init(k2, (out_dim,)))

    def apply(params, inputs, **kwargs):
        del kwargs
        W, b = params
        return jnp.dot(inputs, W) + b
    return init, apply


def _kernel_shape(spec, input_shape, lhs_spec, out_chan, filter_shape):
    sizes = iter(filter_shape)
    return [out_chan if c == "O" else input_shape[lhs_spec.index("C")] if c == "I" else next(sizes) for c in spec]


def _convolving(call, shape_of, dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init):
    lhs_spec, rhs_spec, out_spec = dimension_numbers
    strides = strides or (1,) * len(filter_shape)
    W_init = W_init or glorot_normal(rhs_spec.index("I"), rhs_spec.index("O"))

    def init(key, input_shape):
        kernel = _kernel_shape(rhs_spec, input_shape, lhs_spec, out_chan, filter_shape)
        k1, k2 = random.split(key)
        shape = shape_of(input_shape, kernel, strides, padding, dimension_numbers)
        return shape, (W_init(k1, kernel), b_init(k2, tuple([out_chan if c == "C" else 1 for c in out_spec])))

    def apply(params, inputs, **kwargs):
        del kwargs
        W, b = params
        return call(inputs, W, strides, padding, dimension_numbers=dimension_numbers) + b
    return init, apply


def GeneralConv(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None, b_init=normal(1e-6)):
    return _convolving(lax.conv_general_dilated, lax.conv_general_shape_tuple, dimension_numbers, out_chan, filter_shape, strides,
                       padding, W_init, b_init)


def GeneralConvTranspose(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None, b_init=normal(1e-6)):
    return _convolving(lax.conv_transpose, lax.conv_transpose_shape_tuple, dimension_numbers, out_chan, filter_shape, strides, padding,
                       W_init, b_init)


Conv = functools.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = functools.partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))
ConvTranspose = functools.partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))


def BatchNorm(axis=(0, 1, 2), epsilon=1e-5, center=True, scale=True, beta_init=zeros, gamma_init=ones):
    axis = (axis,) if isinstance(axis, int) else tuple(axis)

    def init(key, input_shape):
        shape = tuple([d for i, d in enumerate(input_shape) if i not in axis])
        k1, k2 = random.split(key)
        return input_shape, (beta_init(k1, shape) if center else (), gamma_init(k2, shape) if scale else ())

    def apply(params, x, **kwargs):
        del kwargs
        beta, gamma = params
        at = tuple([None if i in axis else slice(None) for i in range(jnp.ndim(x))])
        z = standardize(x, axis, epsilon=epsilon)
        if scale:
            z = gamma[at] * z
        return z + beta[at] if center else z
    return init, apply


def elementwise(fun, **fun_kwargs):
    return (lambda key, input_shape: (input_shape, ())), (lambda params, inputs, **kwargs: fun(inputs, **fun_kwargs))


Tanh, Relu, Exp = elementwise(jnp.tanh), elementwise(relu), elementwise(jnp.exp)
LogSoftmax, Softmax = elementwise(log_softmax, axis=-1), elementwise(softmax, axis=-1)
Softplus, Sigmoid, Elu = elementwise(softplus), elementwise(sigmoid), elementwise(elu)
LeakyRelu, Selu, Gelu = elementwise(leaky_relu), elementwise(selu), elementwise(gelu)


def _pooling(reducer, start, rescaler=None):
    def layer(window_shape, strides=None, padding="VALID", spec=None):
        strides = strides or (1,) * len(window_shape)
        rescale = rescaler(window_shape, strides, padding) if rescaler else None
        at = (0, len(window_shape) + 1) if spec is None else (spec.index("N"), spec.index("C"))
        window, steps = list(window_shape), list(strides)
        for i in sorted(at):
            window.insert(i, 1)
            steps.insert(i, 1)

        def init(key, input_shape):
            del key
            pads = lax.padtype_to_pads(input_shape, window, steps, padding)
            return lax.reduce_window_shape_tuple(input_shape, window, steps, pads), ()

        def apply(params, inputs, **kwargs):
            del params, kwargs
            out = lax.reduce_window(inputs, start, reducer, window, steps, padding)
            return rescale(out, inputs, spec) if rescale else out
        return init, apply
    return layer


def _by_window_size(dims, strides, padding):
    # A mean counts what is inside alone.
    def rescale(outputs, inputs, spec):
        shape = list(inputs.shape)
        batch, channel = (0, len(shape) - 1) if spec is None else (spec.index("N"), spec.index("C"))
        for i in sorted((batch, channel), reverse=True):
            shape.pop(i)
        sizes = lax.reduce_window(jnp.ones(shape, inputs.dtype), 0.0, lax.add, dims, strides, padding)
        for i in sorted((batch, channel)):
            sizes = jnp.expand_dims(sizes, i)
        return outputs / sizes
    return rescale


MaxPool, SumPool, AvgPool = _pooling(lax.max, -jnp.inf), _pooling(lax.add, 0.0), _pooling(lax.add, 0.0, _by_window_size)


def _flat_shape(key, input_shape):
    del key
    return (input_shape[0], functools.reduce(op.mul, input_shape[1:], 1)), ()


Flatten = _flat_shape, lambda params, inputs, **kwargs: jnp.reshape(inputs, (inputs.shape[0], -1))
Identity = (lambda key, input_shape: (input_shape, ())), (lambda params, inputs, **kwargs: inputs)


def FanOut(num):
    return (lambda key, input_shape: ([input_shape] * num, ())), (lambda params, inputs, **kwargs: [inputs] * num)


FanInSum = (lambda key, input_shape: (input_shape[0], ())), (lambda params, inputs, **kwargs: functools.reduce(op.add, inputs))


def FanInConcat(axis=-1):
    def init(key, input_shape):
        del key
        shape = list(input_shape[0])
        shape[axis] = sum([s[axis] for s in input_shape])
        return tuple(shape), ()
    return init, lambda params, inputs, **kwargs: jnp.concatenate(inputs, axis)


def Dropout(rate, mode="train"):
    def apply(params, inputs, **kwargs):
        del params
        if kwargs.get("rng", None) is None:
            raise ValueError("Dropout layer requires apply_fun to be called with a PRNG key argument. That is, instead of `apply_fun("
                             "params, inputs)`, call it like `apply_fun(params, inputs, rng)` where `rng` is a PRNG key (e.g. from "
                             "`jax.random.key`).")
        if mode != "train":
            return inputs
        keep = random.bernoulli(kwargs["rng"], rate, inputs.shape)
        return jnp.where(keep, inputs / rate, 0)
    return (lambda key, input_shape: (input_shape, ())), apply


def serial(*layers):
    inits, applies = zip(*layers)

    def init(key, input_shape):
        params = []
        for f in inits:
            key, k = random.split(key)
            input_shape, p = f(k, input_shape)
            params.append(p)
        return input_shape, params

    def apply(params, inputs, **kwargs):
        key = kwargs.pop("rng", None)
        keys = random.split(key, len(applies)) if key is not None else (None,) * len(applies)
        for f, p, k in zip(applies, params, keys):
            inputs = f(p, inputs, rng=k, **kwargs)
        return inputs
    return init, apply


def parallel(*layers):
    inits, applies = zip(*layers)

    def init(key, input_shape):
        keys = random.split(key, len(inits))
        return tuple(zip(*[f(k, shape) for f, k, shape in zip(inits, keys, input_shape)]))

    def apply(params, inputs, **kwargs):
        key = kwargs.pop("rng", None)
        keys = random.split(key, len(applies)) if key is not None else (None,) * len(applies)
        return [f(p, x, rng=k, **kwargs) for f, p, x, k in zip(applies, params, inputs, keys)]
    return init, apply


def shape_dependent(make_layer):
    init = lambda key, input_shape: make_layer(input_shape)[0](key, input_shape)
    return init, lambda params, inputs, **kwargs: make_layer(inputs.shape)[1](params, inputs, **kwargs)
