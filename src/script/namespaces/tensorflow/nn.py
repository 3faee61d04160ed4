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
    if isinstance(alpha, float):
        alpha = float(_np.float32(alpha))       # an attribute of 32 bits, whatever x has
    return _w.where(x > 0, x, x * alpha)


@op("Crelu")
def crelu(features, axis=-1):
    x = as_tensor(features)
    return _w.relu(_w.concat([x, -x], axis))


def _floating(x):
    x = as_tensor(x)
    if not x.dtype.is_floating:
        raise InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: bfloat16, half, float, double")
    return x


@op("Softmax")
def softmax(logits, axis=None, dim=None):
    return _w.softmax(_floating(logits), -1 if axis is None and dim is None else dim if axis is None else axis)


@op("LogSoftmax")
def log_softmax(logits, axis=None, dim=None):
    return _w.log_softmax(_floating(logits), -1 if axis is None and dim is None else dim if axis is None else axis)


# ---- losses ----

@op("softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels=None, logits=None, axis=-1, dim=None, _sentinel=None):
    x = as_tensor(logits)
    t = _w.cast(as_tensor(labels), x.dtype)     # labels take the type of logits
    axis = axis if dim is None else dim
    if t.shape[-1] != x.shape[-1]:
        raise InvalidArgumentError(f"logits and labels must be broadcastable: logits_size={list(x.shape)} labels_size={list(t.shape)}")
    loss = -_w.sum(t * _w.log_softmax(x, axis), axis)
    # The slope along logits is softmax less labels, whatever these sum to.
    total = _w.logsumexp(x, axis)
    return loss + _w.stop_gradient(1 - _w.sum(t, axis)) * (total - _w.stop_gradient(total))


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
    y = _w.exp(x) - x * t
    if not compute_full_loss:
        return y
    # Stirling's approximation of log(t!), for targets greater than 1
    stirling = t * _w.log(t) - t + 0.5 * _w.log(6.283185307179586 * t)
    return y + _w.where(_w.logical_and(t >= 0, t <= 1), _w.zeros_like(t), stirling)


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
def embedding_lookup(params, ids, max_norm=None):
    if isinstance(params, (list, tuple)) and len(params) > 1:
        raise NotImplementedError(f"embedding_lookup: params in {len(params)} parts")
    y = gather(params[0] if isinstance(params, (list, tuple)) else params, ids)
    if max_norm is None:
        return y
    rows = list(range(as_tensor(ids).ndim, y.ndim))
    norm = _w.sqrt(_w.sum(y * y, rows, True)) if rows else _w.abs(y)
    return y * max_norm / _w.maximum(norm, as_operand(max_norm, y.dtype))


def embedding_lookup_v1(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    # Strategies differ where params are in parts, which are refused; indices are always looked at.
    return embedding_lookup(params, ids, max_norm, name=name)


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
    form = data_format or ["NWC", "NHWC", "NDHWC"][n - 1]
    return [conv1d, conv2d, conv3d][n - 1](input, filters, 1 if strides is None else strides, padding, data_format=form, dilations=dilations)


@op("depthwise")
def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None):
    x, w = like(input, filter)
    h, k, c, m = w.shape
    return _conv(x, _w.reshape(w, [h, k, 1, c * m]), 2, strides, padding, dilations, c, data_format)


@op("separable_conv2d")
def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None):
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return _conv(y, as_tensor(pointwise_filter), 2, 1, "VALID", None, 1, data_format)


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
    if data_format not in (None, "NWC"):
        raise NotImplementedError(f"conv1d_transpose: data_format={data_format!r}")
    if dilations is not None and max(_spatial(dilations, 1)) > 1:
        raise NotImplementedError("conv1d_transpose: dilations")
    return _transposed(input, filters, output_shape, strides, padding, 1)


def _max_pool(input, n, ksize, strides, padding, data_format=None):
    x = as_tensor(input)
    cf = data_format in ("NCHW", "NCW", "NCDHW")
    k, s = _spatial(ksize, n, cf), _spatial(strides, n, cf)
    x = x if cf else _first(x)
    pads = _pads(padding, list(x.shape)[2:], k, s, [1] * n)
    y = _w.max_pool(_padded(x, pads, -3.0e38 if x.dtype == float32 else -1e300), n, k, s)
    return y if cf else _last(y)


def _avg_pool(input, n, ksize, strides, padding, data_format=None):
    x = as_tensor(input)
    cf = data_format in ("NCHW", "NCW", "NCDHW")
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


@op("MaxPool3D")
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC"):
    return _max_pool(input, 3, ksize, strides, padding, data_format)


@op("AvgPool3D")
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC"):
    return _avg_pool(input, 3, ksize, strides, padding, data_format)


@op("pool")
def pool(input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None, dilations=None):
    n = len(window_shape)
    if dilations is not None and max(dilations) > 1:
        raise NotImplementedError("pool: dilations")
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"Unsupported pooling_type: {pooling_type}. Must be either 'MAX' or 'AVG'")
    return (_max_pool if pooling_type == "MAX" else _avg_pool)(input, n, list(window_shape), [1] * n if strides is None else list(strides), padding, data_format)


def _corners(sizes, window, stride, rate, pads):
    # where windows begin, one list an axis
    return [list(range(-p[0], n + p[1] - (k - 1) * r, s)) for n, k, s, r, p in zip(sizes, window, stride, rate, pads)]


def _windows(x, window, stride, rate, padding, empty):
    # [n, h, w, c] as [n, rows, columns, places of the window, c]
    pads = _pads(padding, list(x.shape)[1:3], window, stride, rate)
    x = _w.pad(x, [0] + [p[0] for p in pads] + [0], [0] + [p[1] for p in pads] + [0], empty)
    rows, columns = [len(c) for c in _corners([n - p[0] - p[1] for n, p in zip(list(x.shape)[1:3], pads)], window, stride, rate, pads)]
    parts = []
    for i in range(window[0]):
        for j in range(window[1]):
            a, b = i * rate[0], j * rate[1]
            parts.append(x[:, a:a + (rows - 1) * stride[0] + 1:stride[0], b:b + (columns - 1) * stride[1] + 1:stride[1]])
    return _w.stack(parts, 3), pads


@op("dilation2d")
def dilation2d(input, filters, strides, padding, data_format, dilations):
    return _morph(input, filters, strides, padding, data_format, dilations, False)


@op("erosion2d")
def erosion2d(value, filters, strides, padding, data_format, dilations):
    return _morph(value, filters, strides, padding, data_format, dilations, True)


def _morph(x, filters, strides, padding, data_format, dilations, erode):
    x, w = like(x, filters)
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported. Received: data_format={data_format}")
    h, k, c = w.shape
    if erode:
        x, w = -x, _w.flip(w, [0, 1])
    at, _ = _windows(x, [h, k], _spatial(strides, 2), _spatial(dilations, 2), padding, x.dtype.min)
    at = at + _w.reshape(w, [h * k, c])
    y = _w.max(_w.where(_w.is_nan(at), x.dtype.min, at) if x.dtype.is_floating else at, 3)       # NaN is never the largest
    return -y if erode else y


@op("MaxPoolWithArgmax")
def max_pool_with_argmax(input, ksize, strides, padding, data_format="NHWC", output_dtype="int64", include_batch_in_index=False):
    x = as_tensor(input)
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported. Received: data_format={data_format}")
    window, stride = _spatial(ksize, 2), _spatial(strides, 2)
    at, _ = _windows(x, window, stride, [1, 1], padding, x.dtype.min)
    n, h, w, c = x.shape
    place = _w.reshape(_w.arange(0, h * w * c, 1, "int64"), [1, h, w, c])
    if include_batch_in_index:
        place = place + _w.reshape(_w.arange(0, n, 1, "int64"), [n, 1, 1, 1]) * (h * w * c)
    places, _ = _windows(_w.broadcast_to(place, [n, h, w, c]), window, stride, [1, 1], padding, 0)
    best = _w.expand_dims(_w.argmax(at, 3), 3)
    return (_w.squeeze(_w.take_along(at, best, 3), 3), _w.cast(_w.squeeze(_w.take_along(places, best, 3), 3), output_dtype))


def _blocks(x, data_format):
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format={data_format!r}")
    return x if data_format == "NHWC" else _last(x)


@op("SpaceToDepth")
def space_to_depth(input, block_size, data_format="NHWC"):
    x, b = _blocks(as_tensor(input), data_format), block_size
    n, h, w, c = x.shape
    if h % b or w % b:
        raise InvalidArgumentError(f"Image width {w} and height {h} should be divisible by block_size: {b}")
    y = _w.reshape(_w.permute(_w.reshape(x, [n, h // b, b, w // b, b, c]), [0, 1, 3, 2, 4, 5]), [n, h // b, w // b, b * b * c])
    return y if data_format == "NHWC" else _first(y)


@op("DepthToSpace")
def depth_to_space(input, block_size, data_format="NHWC"):
    x, b = _blocks(as_tensor(input), data_format), block_size
    n, h, w, c = x.shape
    if c % (b * b):
        raise InvalidArgumentError(f"Input depth dimension {c} should be divisible by: {b * b}")
    c = c // (b * b)
    y = _w.reshape(_w.permute(_w.reshape(x, [n, h, w, b, b, c]), [0, 1, 3, 2, 4, 5]), [n, h * b, w * b, c])
    return y if data_format == "NHWC" else _first(y)


@op("SpaceToBatchND")
def space_to_batch(input, block_shape, paddings):
    x, blocks = as_tensor(input), ints(block_shape)
    pads = as_tensor(paddings).tolist()
    m, rest = len(blocks), x.ndim - len(blocks) - 1
    x = _w.pad(x, [0] + [p[0] for p in pads] + [0] * rest, [0] + [p[1] for p in pads] + [0] * rest)
    sizes, order, inner = [x.shape[0]], [], []
    for i, b in enumerate(blocks):
        if x.shape[i + 1] % b:
            raise InvalidArgumentError(f"padded_shape[{i}]={x.shape[i + 1]} is not divisible by block_shape[{i}]={b}")
        sizes += [x.shape[i + 1] // b, b]
        order, inner = order + [2 * i + 2], inner + [2 * i + 1]
    tail = list(x.shape)[m + 1:]
    y = _w.permute(_w.reshape(x, sizes + tail), order + [0] + inner + list(range(2 * m + 1, 2 * m + 1 + rest)))
    n = x.shape[0]
    for b in blocks:
        n *= b
    return _w.reshape(y, [n] + [sizes[2 * i + 1] for i in range(m)] + tail)


@op("BatchToSpaceND")
def batch_to_space(input, block_shape, crops):
    x, blocks = as_tensor(input), ints(block_shape)
    cuts = as_tensor(crops).tolist()
    m, sizes = len(blocks), list(x.shape)
    n = sizes[0]
    for b in blocks:
        if n % b:
            raise InvalidArgumentError(f"Input batch dimension ({sizes[0]}) is not divisible by product of block sizes")
        n //= b
    tail = sizes[m + 1:]
    y = _w.reshape(x, blocks + [n] + sizes[1:])
    order = [m] + [a for i in range(m) for a in (m + 1 + i, i)] + list(range(2 * m + 1, 2 * m + 1 + len(tail)))
    y = _w.reshape(_w.permute(y, order), [n] + [s * b for s, b in zip(sizes[1:], blocks)] + tail)
    for i, (lo, hi) in enumerate(cuts):
        y = _w.narrow(y, i + 1, lo, y.shape[i + 1] - lo - hi)
    return y


@op("xw_plus_b")
def xw_plus_b(x, weights, biases):
    return _w.matmul(as_tensor(x), as_tensor(weights)) + as_tensor(biases)


@op("zero_fraction")
def zero_fraction(value):
    x = as_tensor(value)
    return _w.mean(_w.cast(x == 0, float32))


local_response_normalization = lrn


def scale_regularization_loss(loss):
    return loss


_MORE = ("atrous_conv2d weighted_moments sufficient_statistics normalize_moments batch_norm_with_global_normalization fused_batch_norm "
         "embedding_lookup_sparse compute_average_loss ctc_greedy_decoder collapse_repeated").split()


def __getattr__(name):
    if name in _MORE:
        return getattr(__import__("tensorflow._nn_more"), name)
    raise AttributeError(f"module 'tensorflow.nn' has no attribute '{name}'")
