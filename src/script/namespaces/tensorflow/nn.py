# tensorflow.nn -- functions of neural networks. Images are NHWC, kernels HWIO.
import _tf as _w
import numpy as _np
from tensorflow._base import op, as_tensor, like, axes_of, ints, as_operand, state, InvalidArgumentError, float32, int32
from tensorflow.random import _uniform, source
from tensorflow._ops import l2_normalize, top_k, in_top_k, sigmoid, tanh, log_sigmoid, gather

relu = op("Relu")(lambda features: _w.relu(as_tensor(features)))
relu6 = op("Relu6")(lambda features: _w.clip(as_tensor(features), 0, 6))
elu = op("Elu")(lambda features: _w.elu(as_tensor(features)))
softplus = op("Softplus")(lambda features: _w.softplus(as_tensor(features)))
softsign = op("Softsign")(lambda features: as_tensor(features) / (_w.abs(as_tensor(features)) + 1.0))
selu = op("Selu")(lambda features: 1.0507009873554805 * _w.elu(as_tensor(features), 1.6732632423543772))


@op("swish")
def silu(features, beta=1.0):
    x = as_tensor(features)
    return _w.silu(x) if isinstance(beta, float) and beta == 1.0 else x * _w.sigmoid(x * beta)


swish = silu


@op("Gelu")
def gelu(features, approximate=False):
    return _w.gelu(as_tensor(features), approximate)


@op("LeakyRelu")
def leaky_relu(features, alpha=0.2):
    x = as_tensor(features)
    return _w.where(x > 0, x, x * alpha)


@op("Crelu")
def crelu(features, axis=-1):
    x = as_tensor(features)
    return _w.relu(_w.concat([x, -x], axis))


@op("Softmax")
def softmax(logits, axis=None, dim=None):
    return _w.softmax(as_tensor(logits), -1 if axis is None and dim is None else dim if axis is None else axis)


@op("LogSoftmax")
def log_softmax(logits, axis=None, dim=None):
    return _w.log_softmax(as_tensor(logits), -1 if axis is None and dim is None else dim if axis is None else axis)


# ---- losses ----

@op("softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels=None, logits=None, axis=-1, dim=None, _sentinel=None):
    x = as_tensor(logits)
    t = _w.cast(as_tensor(labels), x.dtype)     # labels take the type of logits
    axis = axis if dim is None else dim
    if t.shape[-1] != x.shape[-1]:
        raise InvalidArgumentError(f"logits and labels must be broadcastable: logits_size={list(x.shape)} labels_size={list(t.shape)}")
    return -_w.sum(t * _w.log_softmax(x, axis), axis)


softmax_cross_entropy_with_logits_v2 = softmax_cross_entropy_with_logits


@op("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, _sentinel=None):
    t, x = as_tensor(labels), as_tensor(logits)
    logp = _w.log_softmax(x, -1)
    return -_w.squeeze(_w.take_along(logp, _w.expand_dims(t, -1), x.ndim - 1), -1)


@op("logistic_loss")
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, _sentinel=None):
    t, x = like(labels, logits)
    return _w.relu(x) - x * t + _w.log1p(_w.exp(-_w.abs(x)))


@op("weighted_cross_entropy")
def weighted_cross_entropy_with_logits(labels, logits, pos_weight):
    t, x = like(labels, logits)
    k = 1.0 + (pos_weight - 1.0) * t
    return (1.0 - t) * x + k * (_w.log1p(_w.exp(-_w.abs(x))) + _w.relu(-x))


@op("L2Loss")
def l2_loss(t):
    x = as_tensor(t)
    return _w.sum(x * x) / 2.0


@op("log_poisson_loss")
def log_poisson_loss(targets, log_input, compute_full_loss=False):
    t, x = like(targets, log_input)
    return _w.exp(x) - x * t


# ---- layers ----

@op("BiasAdd")
def bias_add(value, bias, data_format=None):
    x, b = like(value, bias)
    if data_format in ("NCHW", "NC") and x.ndim > 2:
        b = _w.reshape(b, [-1] + [1] * (x.ndim - 2))
    return x + b


@op("moments")
def moments(x, axes=None, shift=None, keepdims=False, keep_dims=False):
    x, axes = as_tensor(x), axes_of(axes)
    keep = keepdims or keep_dims
    return _w.mean(x, axes, keep), _w.var(x, axes, 0, keep)


@op("batchnorm")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon):
    x = as_tensor(x)
    k = _w.rsqrt(as_operand(variance, x.dtype) + variance_epsilon)
    if scale is not None:
        k = k * as_operand(scale, x.dtype)
    y = x * k - as_operand(mean, x.dtype) * k
    return y if offset is None else y + as_operand(offset, x.dtype)


@op("embedding_lookup")
def embedding_lookup(params, ids, max_norm=None, partition_strategy=None):
    return gather(params, ids)


@op("dropout")
def _dropout(x, rate, noise_shape, source):
    x = as_tensor(x)
    sizes = list(x.shape)
    if noise_shape is not None:
        sizes = [s if n is None else n for s, n in zip(sizes, ints(noise_shape) if isinstance(noise_shape, _w.Tensor) else noise_shape)]
    keep = _w.cast(_uniform(sizes, 0, None, x.dtype, source), x.dtype) >= rate
    return _w.where(_w.broadcast_to(keep, x.shape), x / (1.0 - rate), _w.zeros_like(x))


def dropout(x, rate=None, noise_shape=None, seed=None, name=None):
    if isinstance(rate, (int, float)):
        if not 0 <= rate < 1:
            raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        if rate == 0:
            return x if state.graph is not None else as_tensor(x)
    return _dropout(x, rate, noise_shape, source("RandomUniform", seed), name=name)


def dropout_v1(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    # Version 1: the second argument is what is kept.
    if (keep_prob is None) == (rate is None):
        raise ValueError("Exactly one of `keep_prob` and `rate` must be given.")
    return dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed)


@op("local_response_normalization")
def lrn(input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    x = as_tensor(input)
    n = x.shape[-1]
    sq = _w.pad(x * x, [0] * (x.ndim - 1) + [depth_radius], [0] * (x.ndim - 1) + [depth_radius])
    total = _w.narrow(sq, x.ndim - 1, 0, n)
    for i in range(1, 2 * depth_radius + 1):
        total = total + _w.narrow(sq, x.ndim - 1, i, n)
    return x / _w.pow(bias + alpha * total, beta)


# ---- convolutions and pools ----

def _spatial(v, n, channels_first=False):
    # one number, n numbers, or a list with batch and channels around
    if isinstance(v, int):
        return [v] * n
    v = ints(v)
    if len(v) == n + 2:
        return v[2:] if channels_first else v[1:-1]
    return v * n if len(v) == 1 else v


def _pads(padding, sizes, window, stride, dilation):
    if not isinstance(padding, str):
        pairs = [list(p) for p in padding]
        return pairs[1:-1] if len(pairs) == len(sizes) + 2 else pairs
    if padding.upper() == "VALID":
        return [[0, 0] for _ in sizes]
    if padding.upper() != "SAME":
        raise ValueError(f"padding must be 'SAME' or 'VALID', got {padding!r}")
    out = []
    for n, k, s, d in zip(sizes, window, stride, dilation):
        total = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        out.append([total // 2, total - total // 2])
    return out


def _first(x):
    return _w.move_axis(x, -1, 1)


def _last(x):
    return _w.move_axis(x, 1, -1)


def _padded(x, pads, value=0.0):
    if not [p for p in pads if p != [0, 0]]:
        return x
    return _w.pad(x, [0, 0] + [p[0] for p in pads], [0, 0] + [p[1] for p in pads], value)


def _conv(x, w, n, strides, padding, dilations, groups=1, data_format=None):
    x, w = like(x, w)
    cf = data_format in ("NCHW", "NCW", "NCDHW")
    stride, dilation = _spatial(strides, n, cf), _spatial(1 if dilations is None else dilations, n, cf)
    if not cf:
        x = _first(x)
    k = list(w.shape)[:n]
    if x.shape[1] != w.shape[n] * groups:
        raise InvalidArgumentError(f"input depth must be evenly divisible by filter depth: {x.shape[1]} vs {w.shape[n]}")
    kernel = _w.permute(w, [n + 1, n] + list(range(n)))
    pads = _pads(padding, list(x.shape)[2:], k, stride, dilation)
    even = [min(p) for p in pads]   # what both sides get is the convolution's own
    x = _padded(x, [[p[0] - e, p[1] - e] for p, e in zip(pads, even)])
    y = _w.conv(x, kernel, None, n, stride, even, dilation, groups)
    return y if cf else _last(y)


@op("Conv2D")
def conv2d(input, filters=None, strides=1, padding="VALID", data_format="NHWC", dilations=None, filter=None, use_cudnn_on_gpu=True):
    return _conv(input, filter if filters is None else filters, 2, strides, padding, dilations, 1, data_format)


@op("conv1d")
def conv1d(input, filters, stride=1, padding="VALID", data_format="NWC", dilations=None):
    return _conv(input, filters, 1, stride, padding, dilations, 1, data_format)


@op("Conv3D")
def conv3d(input, filters, strides=1, padding="VALID", data_format="NDHWC", dilations=None):
    return _conv(input, filters, 3, strides, padding, dilations, 1, data_format)


def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None):
    n = len(filters.shape) - 2
    return [conv1d, conv2d, conv3d][n - 1](input, filters, 1 if strides is None else strides, padding, dilations=dilations)


@op("depthwise")
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None):
    x, w = like(input, filter)
    h, k, c, m = w.shape
    return _conv(x, _w.reshape(w, [h, k, 1, c * m]), 2, strides, padding, dilations, c)


@op("separable_conv2d")
def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None):
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, None, dilations)
    return _conv(y, as_tensor(pointwise_filter), 2, 1, "VALID", None)


def _transposed(input, filters, output_shape, strides, padding, n):
    # the gradient of the convolution that goes the other way
    x, w = like(input, filters)
    stride = _spatial(strides, n)
    out = ints(output_shape)
    sizes = out[1:-1] if len(out) == n + 2 else out
    k = list(w.shape)[:n]
    pads = _pads(padding, sizes, k, stride, [1] * n)
    y = _w.conv_transpose(_first(x), _w.permute(w, [n + 1, n] + list(range(n))), None, n, stride)
    for a in range(n):
        lo, need = pads[a][0], sizes[a]
        short = lo + need - y.shape[2 + a]
        if short > 0:
            grow = [0] * (n + 2)
            grow[2 + a] = short
            y = _w.pad(y, [0] * (n + 2), grow)
        y = _w.narrow(y, 2 + a, lo, need)
    return _last(y)


@op("conv2d_transpose")
def conv2d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NHWC", dilations=None):
    if dilations is not None and max(_spatial(dilations, 2)) > 1:
        raise NotImplementedError("conv2d_transpose: dilations")
    if data_format == "NCHW":
        out, stride = ints(output_shape), strides if isinstance(strides, int) or len(strides) < 4 else list(strides)[2:]
        x = _w.permute(as_tensor(input), [0, 2, 3, 1])
        return _w.permute(_transposed(x, filters, [out[0], out[2], out[3], out[1]], stride, padding, 2), [0, 3, 1, 2])
    return _transposed(input, filters, output_shape, strides, padding, 2)


@op("conv1d_transpose")
def conv1d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None):
    return _transposed(input, filters, output_shape, strides, padding, 1)


def _max_pool(input, n, ksize, strides, padding, data_format=None):
    x = as_tensor(input)
    cf = data_format in ("NCHW", "NCW")
    k, s = _spatial(ksize, n, cf), _spatial(strides, n, cf)
    x = x if cf else _first(x)
    pads = _pads(padding, list(x.shape)[2:], k, s, [1] * n)
    y = _w.max_pool(_padded(x, pads, -3.0e38 if x.dtype == float32 else -1e300), n, k, s)
    return y if cf else _last(y)


def _avg_pool(input, n, ksize, strides, padding, data_format=None):
    x = as_tensor(input)
    cf = data_format in ("NCHW", "NCW")
    k, s = _spatial(ksize, n, cf), _spatial(strides, n, cf)
    x = x if cf else _first(x)
    pads = _pads(padding, list(x.shape)[2:], k, s, [1] * n)
    y = _w.avg_pool(_padded(x, pads), n, k, s)
    if [p for p in pads if p != [0, 0]]:
        # padding does not count
        one = _w.full([1, 1] + list(x.shape)[2:], 1, x.dtype)
        y = y / _w.avg_pool(_padded(one, pads), n, k, s)
    return y if cf else _last(y)


@op("MaxPool2d")
def max_pool2d(input, ksize, strides, padding="VALID", data_format="NHWC"):
    return _max_pool(input, 2, ksize, strides, padding, data_format)


@op("MaxPool")
def max_pool(value=None, ksize=None, strides=None, padding="VALID", data_format="NHWC", input=None):
    x = value if input is None else input
    return _max_pool(x, as_tensor(x).ndim - 2, ksize, strides, padding, data_format)


@op("AvgPool2d")
def avg_pool2d(input, ksize, strides, padding="VALID", data_format="NHWC"):
    return _avg_pool(input, 2, ksize, strides, padding, data_format)


@op("AvgPool")
def avg_pool(value=None, ksize=None, strides=None, padding="VALID", data_format="NHWC", input=None):
    x = value if input is None else input
    return _avg_pool(x, as_tensor(x).ndim - 2, ksize, strides, padding, data_format)


@op("max_pool1d")
def max_pool1d(input, ksize, strides, padding="VALID", data_format="NWC"):
    return _max_pool(input, 1, ksize, strides, padding, data_format)


@op("avg_pool1d")
def avg_pool1d(input, ksize, strides, padding="VALID", data_format="NWC"):
    return _avg_pool(input, 1, ksize, strides, padding, data_format)


@op("xw_plus_b")
def xw_plus_b(x, weights, biases):
    return _w.matmul(as_tensor(x), as_tensor(weights)) + as_tensor(biases)


@op("zero_fraction")
def zero_fraction(value):
    x = as_tensor(value)
    return _w.mean(_w.cast(x == 0, float32))


def scale_regularization_loss(loss):
    return loss
