# torch.nn.functional -- layers, losses and pools as functions.
import math as _math

import _torch as _w
from torch._math import followed as _followed
from torch._cast import stay as _stay
from torch._math import log_softmax as _log_softmax, norm as _norm, softmax as _softmax
from torch._products import cosine_similarity, pairwise_distance, pdist
from torch._types import default_generator, int64 as _int64, bool as _bool
from torch.nn._activations import (
    relu, relu_, relu6, hardtanh, leaky_relu, elu, selu, celu, gelu, silu, mish, softplus, logsigmoid, softsign,
    tanhshrink, softshrink, hardshrink, threshold, hardsigmoid, hardswish, prelu, rrelu, glu)
from torch.nn._activations import SELU_ALPHA as _SELU_ALPHA, SELU_SCALE as _SELU_SCALE, known_sizes as _known_sizes, write as _write
from torch.nn._losses import (
    mse_loss, l1_loss, smooth_l1_loss, huber_loss, cross_entropy, nll_loss, binary_cross_entropy,
    binary_cross_entropy_with_logits, kl_div, poisson_nll_loss, gaussian_nll_loss, hinge_embedding_loss,
    margin_ranking_loss, soft_margin_loss, cosine_embedding_loss, triplet_margin_loss,
    triplet_margin_with_distance_loss, multi_margin_loss, multilabel_margin_loss, multilabel_soft_margin_loss,
    ctc_loss)
from torch.nn._sampling import affine_grid, grid_sample

linear = _w.linear
tanh = _w.tanh
sigmoid = _w.sigmoid


def _dim_of(input, dim):
    return dim if dim is not None else 0 if input.ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _softmax(input, _dim_of(input, dim), dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return _log_softmax(input, _dim_of(input, dim), dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return _softmax(_w.neg(input), _dim_of(input, dim), dtype=dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    if eps != 1e-10:
        import warnings
        warnings.warn("`eps` parameter is deprecated and has no effect.")
    noise = _w.neg(_w.log(_w.draw("exponential", logits.shape, logits.dtype, 1.0, 0.0, default_generator)))
    soft = _w.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = _w.argmax(soft, dim, True)
    one = _w.put_along(_w.full(logits.shape, 0, logits.dtype), index, _w.full(index.shape, 1, logits.dtype), dim)
    return one - _w.detach(soft) + soft


# ---- dropping

def _kept(shape, dtype, p):
    return _w.draw("bernoulli", shape, dtype, 1 - p, 0.0, default_generator)


def _kept_like(input, p):
    # Numbers are drawn in the order of memory, which of a permuted tensor is not that of its axes.
    if _w.about(input, "packed"):
        return _kept(input.shape, input.dtype, p)
    strides = _w.strides(input)
    order = sorted(range(input.ndim), key=lambda k: -strides[k])
    back = sorted(range(input.ndim), key=lambda k: order[k])
    return _w.permute(_kept([input.shape[k] for k in order], input.dtype, p), back)


def _check_p(p):
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    _check_p(p)
    if not training or p == 0:
        return input
    if p == 1:
        return _write(input, input * 0.0, inplace)
    return _write(input, input * (_kept_like(input, p) / (1 - p)), inplace)


def _feature_mask(input, p, batched):
    # One number for each channel of each sample; without a batch axis the first axis are channels.
    lead = 2 if batched else 1
    return _kept(tuple(input.shape[:lead]) + (1,) * (input.ndim - lead), input.dtype, p)


def _feature_dropout(input, p, training, inplace, batched=True):
    _check_p(p)
    if not training or p == 0:
        return input
    if p == 1:
        return _write(input, input * 0.0, inplace)
    return _write(input, input * (_feature_mask(input, p, batched) / (1 - p)), inplace)


def feature_dropout(input, p=0.5, training=True, inplace=False):
    return _feature_dropout(input, p, training, inplace)


def dropout1d(input, p=0.5, training=True, inplace=False):
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
                           "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
                           "batch dimension (i.e. 2D or 3D inputs).")
    return _feature_dropout(input, p, training, inplace, input.ndim == 3)


def dropout2d(input, p=0.5, training=True, inplace=False):
    return _feature_dropout(input, p, training, inplace)


def dropout3d(input, p=0.5, training=True, inplace=False):
    return _feature_dropout(input, p, training, inplace, input.ndim != 4)


def _alpha_dropout(input, p, inplace, mask):
    _check_p(p)
    if p == 0:
        return input
    if p == 1:
        return _write(input, input * 0.0, inplace)
    alpha = _SELU_ALPHA * _SELU_SCALE
    a = (1.0 / _math.sqrt((alpha * alpha * p + 1) * (1 - p)))
    noise = mask()
    b = (noise - 1) * (alpha * a) + (alpha * a * p)
    return _write(input, input * (noise * a) + b, inplace)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    _check_p(p)
    return _alpha_dropout(input, p, inplace, lambda: _kept(input.shape, input.dtype, p)) if training else input


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    _check_p(p)
    return _alpha_dropout(input, p, inplace, lambda: _feature_mask(input, p, True)) if training else input


# ---- windows


def _tuple(v, n):
    return (v,) * n if isinstance(v, int) else tuple(v)


def _batched(input, n, fn):
    # Images without a batch axis get one for the call.
    if input.ndim == n + 1:
        return _w.squeeze(fn(_w.expand_dims(input, 0)), 0)
    return fn(input)


def _conv(n):
    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if padding == "same" or padding == "valid":
            if padding == "same":
                if any([i != 1 for i in _tuple(stride, n)]):
                    raise RuntimeError("padding='same' is not supported for strided convolutions")
                d, k = _tuple(dilation, n), weight.shape[2:]
                total = [d[i] * (k[i] - 1) for i in range(n)]
                if all([t % 2 == 0 for t in total]):
                    padding = [t // 2 for t in total]
                else:
                    amounts = []
                    for t in reversed(total):
                        amounts += [t // 2, t - t // 2]
                    input, padding = pad(input, amounts), 0
            else:
                padding = 0
        _check_conv(input, weight, groups, n)
        return _batched(input, n, lambda x: _w.conv(x, weight, bias, n, stride, padding, dilation, groups))
    conv.__name__ = conv.__qualname__ = f"conv{n}d"
    return conv


def _check_conv(input, weight, groups, n):
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to conv{n}d, but got input of "
                           f"size: {list(input.shape)}")
    channels = input.shape[input.ndim - n - 1]
    if channels != weight.shape[1] * groups:
        raise RuntimeError(f"Given groups={groups}, weight of size {list(weight.shape)}, expected "
                           f"input{list(input.shape)} to have {weight.shape[1] * groups} channels, but got "
                           f"{channels} channels instead")


conv1d, conv2d, conv3d = _conv(1), _conv(2), _conv(3)


def _conv_transpose(n):
    def conv_transpose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        more, by, wide = [_tuple(v, n) for v in (output_padding, stride, dilation)]
        if any([m >= max(s, d) for m, s, d in zip(more, by, wide)]):
            names = ("depth", "height", "width")[3 - n:]
            raise RuntimeError("output padding must be smaller than either stride or dilation, but got " + " ".join(
                [f"{what}_{k}: {v}" for what, vs in (("output_padding", more), ("stride", by), ("dilation", wide)) for k, v in zip(names, vs)]))
        return _batched(input, n, lambda x: _w.conv_transpose(x, weight, bias, n, stride, padding, output_padding,
                                                              dilation, groups))
    conv_transpose.__name__ = conv_transpose.__qualname__ = f"conv_transpose{n}d"
    return conv_transpose


conv_transpose1d, conv_transpose2d, conv_transpose3d = _conv_transpose(1), _conv_transpose(2), _conv_transpose(3)


def _ceil_size(size, span, stride, padding):
    # Windows that begin inside or before, the last one cut off.
    count = -(-(size + 2 * padding - span) // stride) + 1
    return count - 1 if (count - 1) * stride >= size + padding else count


def _ceil_pad(input, n, kernel, stride, padding, dilation, value):
    # Padding at the end, so that windows that are only begun count too.
    lo, hi = [0] * input.ndim, [0] * input.ndim
    more = False
    for i in range(n):
        size, span = input.shape[input.ndim - n + i], dilation[i] * (kernel[i] - 1) + 1
        extra = (_ceil_size(size, span, stride[i], padding[i]) - 1) * stride[i] + span - size - 2 * padding[i]
        if extra > 0:
            hi[input.ndim - n + i] = extra
            more = True
    return _w.pad(input, lo, hi, value) if more else input


def _max_pool(n):
    def max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        k, p, d = _tuple(kernel_size, n), _tuple(padding, n), _tuple(dilation, n)
        s = k if stride is None or stride == () else _tuple(stride, n)

        def pool(x):
            if ceil_mode:
                x = _ceil_pad(x, n, k, s, p, d, float("-inf"))
            return _w.max_pool(x, n, k, s, p, d)

        out = _batched(input, n, pool)
        if not return_indices:
            return out
        return out, _batched(input, n, lambda x: _max_places(x, n, k, s, p, d, ceil_mode))
    max_pool.__name__ = max_pool.__qualname__ = f"max_pool{n}d"
    return max_pool


def _max_places(x, n, k, s, p, d, ceil_mode):
    # Where in its plane the largest element of each window is.
    x = _w.detach(x)
    space = x.shape[2:]
    flat = 1
    for size in space:
        flat *= size
    place = _w.broadcast_to(_w.reshape(_w.arange(0, flat, 1, _int64), (1, 1) + tuple(space)), x.shape)
    span = [d[i] * (k[i] - 1) + 1 for i in range(n)]
    count = _ceil_size if ceil_mode else lambda size, span, stride, padding: (size + 2 * padding - span) // stride + 1
    out = [count(space[i], span[i], s[i], p[i]) for i in range(n)]
    lo = [0, 0] + list(p)
    hi = [0, 0] + [max(p[i], (out[i] - 1) * s[i] + span[i] - space[i] - p[i]) for i in range(n)]
    padded, where = _w.pad(x, lo, hi, float("-inf")), _w.pad(place, lo, hi, -1)
    at = [()]
    for i in range(n):
        at = [done + (j,) for done in at for j in range(k[i])]
    values, places = [], []
    for offsets in at:
        window = (slice(None), slice(None)) + tuple([slice(j * d[i], j * d[i] + s[i] * (out[i] - 1) + 1, s[i])
                                                     for i, j in enumerate(offsets)])
        values.append(padded[window])
        places.append(where[window])
    best = _w.argmax(_w.stack(values, 0), 0, True)
    return _w.squeeze(_w.take_along(_w.stack(places, 0), best, 0), 0)


max_pool1d, max_pool2d, max_pool3d = _max_pool(1), _max_pool(2), _max_pool(3)


def _avg_pool(n):
    def avg_pool(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        k, p = _tuple(kernel_size, n), _tuple(padding, n)
        s = k if stride is None or stride == () else _tuple(stride, n)
        if input.dtype.is_floating_point and input.dtype.itemsize == 2:     # sums of halves are taken in full
            return _w.cast(avg_pool(_w.cast(input, _w.float32), k, s, p, ceil_mode, count_include_pad, divisor_override), input.dtype)

        def pool(x):
            for i in range(n):
                if 2 * p[i] > k[i]:
                    raise RuntimeError("pad should be at most half of effective kernel size, but got "
                                       f"pad={p[i]}, kernel_size={k[i]} and dilation=1")
            if ceil_mode:
                border = [0, 0] + list(p)
                ones = _w.pad(_w.full((1, 1) + tuple(x.shape[2:]), 1.0, x.dtype), border, border, int(count_include_pad))
                sizes = [_ceil_size(x.shape[2 + i], k[i], s[i], p[i]) for i in range(n)]
                more = [0, 0] + [max(0, (o - 1) * s[i] + k[i] - x.shape[2 + i] - 2 * p[i]) for i, o in enumerate(sizes)]
                x, ones = _w.pad(_w.pad(x, border, border, 0), [0] * (n + 2), more, 0), _w.pad(ones, [0] * (n + 2), more, 0)
                y, share = [_w.avg_pool(v, n, k, s, (0,) * n, True) for v in (x, ones)]
                for i, o in enumerate(sizes):
                    y, share = _w.narrow(y, 2 + i, 0, o), _w.narrow(share, 2 + i, 0, o)
                if divisor_override is None:
                    return y / share
            else:
                y = _w.avg_pool(x, n, k, s, p, count_include_pad or divisor_override is not None)
            if divisor_override is not None:
                count = 1
                for i in k:
                    count *= i
                y = y * (count / divisor_override)
            return y

        return _batched(input, n, pool)
    avg_pool.__name__ = avg_pool.__qualname__ = f"avg_pool{n}d"
    return avg_pool


avg_pool1d, avg_pool2d, avg_pool3d = _avg_pool(1), _avg_pool(2), _avg_pool(3)


def _known(x, n):
    # The last n sizes, where a trace has symbols for them, become those of the example.
    if _w.about(x, "symbolic"):
        for size in x.shape[x.ndim - n:]:
            int(size)


def _adaptive(native, n):
    def pool(input, output_size, return_indices=False):
        if return_indices and native is _w.adaptive_avg_pool:
            raise TypeError(f"adaptive_avg_pool{n}d() got an unexpected keyword argument 'return_indices'")
        sizes = list(_tuple(output_size, n))
        _known(input, n)
        for i in range(n):
            if sizes[i] is None:
                sizes[i] = input.shape[input.ndim - n + i]
        if native is _w.adaptive_max_pool and _followed(input) and not _w.about(input, "symbolic"):
            y = _batched(input, n, lambda x: _at_places(x, _adaptive_places(x, n, sizes)))  # equal ones do not share the slope
        else:
            half = native is _w.adaptive_avg_pool and input.dtype.is_floating_point and input.dtype.itemsize == 2
            y = _batched(_w.cast(input, _w.float32) if half else input, n, lambda x: native(x, n, sizes))
            y = _w.cast(y, input.dtype) if half else y      # sums of halves are taken in full
        return (y, _batched(input, n, lambda x: _adaptive_places(x, n, sizes))) if return_indices else y
    return pool


def _at_places(x, places):
    lead = tuple(x.shape[:2])
    return _w.reshape(_w.take_along(_w.reshape(x, lead + (-1,)), _w.reshape(places, lead + (-1,)), 2), places.shape)


def _adaptive_places(x, n, sizes):
    # Where each window has its largest element, in the flat plane.
    space = list(x.shape)[2:]
    plane = _w.reshape(_w.arange(0, _w.about(x[:1, :1], "count")), tuple(space))
    found = [[]]
    for i in range(n):
        spans = [(o * space[i] // sizes[i], -(-(o + 1) * space[i] // sizes[i])) for o in range(sizes[i])]
        found = [at + [slice(a, b)] for at in found for a, b in spans]
    places = []
    for at in found:
        at = tuple(at)
        rows = _w.reshape(_w.stop_gradient(x)[(slice(None), slice(None)) + at], tuple(x.shape[:2]) + (-1,))
        places.append(_w.take(_w.reshape(plane[at], (-1,)), _w.argmax(rows, 2), 0))
    return _w.reshape(_w.stack(places, 2), tuple(x.shape[:2]) + tuple(sizes))


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = [_adaptive(_w.adaptive_avg_pool, n) for n in (1, 2, 3)]
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = [_adaptive(_w.adaptive_max_pool, n) for n in (1, 2, 3)]


def _lp_pool(n):
    def lp_pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        k = _tuple(kernel_size, n)
        count = 1
        for i in k:
            count *= i
        mean = _avg_pool(n)(_w.pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
        return _w.pow(_w.sign(mean) * _w.relu(_w.abs(mean)) * count, 1.0 / norm_type)
    return lp_pool


lp_pool1d, lp_pool2d, lp_pool3d = _lp_pool(1), _lp_pool(2), _lp_pool(3)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    k, d, p, s = [_tuple(v, 2) for v in (kernel_size, dilation, padding, stride)]
    if input.ndim == 3:
        return _w.squeeze(unfold(_w.expand_dims(input, 0), k, d, p, s), 0)
    if _known_sizes(input):
        space = tuple(input.shape[2:])
        blocks = tuple([(space[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)])
        if min(blocks) < 1:
            raise RuntimeError(f"Given input with spatial size {space}, kernel_size={k}, dilation={d}, padding={p}, calculated shape of the "
                               f"array of sliding blocks as {blocks}, but its components must be at least one.")
    x = _w.pad(input, [0, 0, p[0], p[1]], [0, 0, p[0], p[1]], 0)
    b, c, h, w = x.shape
    oh, ow = (h - d[0] * (k[0] - 1) - 1) // s[0] + 1, (w - d[1] * (k[1] - 1) - 1) // s[1] + 1
    parts = []
    for i in range(k[0]):
        for j in range(k[1]):
            piece = x[:, :, i * d[0]:i * d[0] + s[0] * (oh - 1) + 1:s[0], j * d[1]:j * d[1] + s[1] * (ow - 1) + 1:s[1]]
            parts.append(_w.reshape(piece, (b, c, 1, oh * ow)))
    return _w.reshape(_w.concat(parts, 2), (b, c * k[0] * k[1], oh * ow))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    k, d, p, s = [_tuple(v, 2) for v in (kernel_size, dilation, padding, stride)]
    h, w = _tuple(output_size, 2)
    if input.ndim == 2:
        return _w.squeeze(fold(_w.expand_dims(input, 0), (h, w), k, d, p, s), 0)
    ph, pw = h + 2 * p[0], w + 2 * p[1]
    oh, ow = (ph - d[0] * (k[0] - 1) - 1) // s[0] + 1, (pw - d[1] * (k[1] - 1) - 1) // s[1] + 1
    if _known_sizes(input):
        if input.shape[1] % (k[0] * k[1]):
            raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                               f"input.size(1)={input.shape[1]} and kernel_size={k}.")
        if input.shape[2] != oh * ow:
            raise RuntimeError(f"Given output_size={(h, w)}, kernel_size={k}, dilation={d}, padding={p}, stride={s}, expected size of "
                               f"input's dimension 2 to match the calculated number of sliding blocks {oh} * {ow} = {oh * ow}, but got "
                               f"input.size(2)={input.shape[2]}.")
    b, c = input.shape[0], input.shape[1] // (k[0] * k[1])
    x = _w.reshape(input, (b, c, k[0], k[1], oh, ow))
    out = _w.full((b, c, ph, pw), 0, input.dtype)
    for i in range(k[0]):
        for j in range(k[1]):
            at = (slice(None), slice(None), slice(i * d[0], i * d[0] + s[0] * (oh - 1) + 1, s[0]),
                  slice(j * d[1], j * d[1] + s[1] * (ow - 1) + 1, s[1]))
            out = _w.index_add(out, at, x[:, :, i, j])
    return out[:, :, p[0]:p[0] + h, p[1]:p[1] + w]


def pad(input, pad, mode="constant", value=None):
    pad = list(pad)
    n = len(pad) // 2
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if n > input.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {len(pad)} and input of dimension {input.ndim}")
    if mode != "constant":
        for i in range(n):
            input = _pad_axis(input, input.ndim - 1 - i, pad[2 * i], pad[2 * i + 1], mode)
        return input
    lo, hi = [0] * input.ndim, [0] * input.ndim
    for i in range(n):
        lo[input.ndim - 1 - i], hi[input.ndim - 1 - i] = pad[2 * i], pad[2 * i + 1]
    for k in [k for k in range(input.ndim) if lo[k] < 0 or hi[k] < 0]:  # what is less than 0 is cut off
        cut = max(-lo[k], 0)
        if input.shape[k] + min(lo[k], 0) + min(hi[k], 0) < 0:
            raise RuntimeError(f"The input size {input.shape[k]}, plus negative padding {lo[k]} and {hi[k]}, resulted "
                               f"in a negative output size, which is invalid. Check dimension {k} of your input.")
        input = _w.narrow(input, k, cut, input.shape[k] - cut - max(-hi[k], 0))
        lo[k], hi[k] = max(lo[k], 0), max(hi[k], 0)
    return _w.pad(input, lo, hi, 0 if value is None else value)


def _pad_axis(x, axis, lo, hi, mode):
    n = x.shape[axis]
    if mode == "reflect":
        if lo >= n or hi >= n:
            raise RuntimeError("Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                               f"({lo}, {hi}) at dimension {axis} of input {list(x.shape)}")
        index = [abs(i) if i < n else 2 * (n - 1) - i for i in range(-lo, n + hi)]
    elif mode == "replicate":
        index = [min(max(i, 0), n - 1) for i in range(-lo, n + hi)]
    elif mode == "circular":
        if lo > n or hi > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        first, n = max(-lo, 0), n - max(-lo, 0) - max(-hi, 0)  # what is cut off is cut off first
        index = [first + i % n for i in range(min(-lo, 0), n + max(hi, 0))]
    else:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return _w.take(x, _w.tensor(index, _int64), axis)


# ---- changing the size of images

def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    n = input.ndim - 2
    ranks = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
    if 1 <= n <= 3 and ranks.get(mode, n) != n:
        raise NotImplementedError(f"Got {n + 2}D input, but {mode} mode needs {ranks[mode] + 2}D input")
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined" if size is not None
                         else "either size or scale_factor should be defined")
    scales = [None] * n
    if size is None:
        scales = [float(s) for s in ((scale_factor,) * n if isinstance(scale_factor, (int, float)) else scale_factor)]
        size = [int(_math.floor(input.shape[2 + i] * scales[i])) for i in range(n)]
    size = _tuple(size, n)
    if recompute_scale_factor:
        scales = [None] * n
    if antialias and (mode not in ("bilinear", "bicubic") or n != 2):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input")
    x = input
    for i in reversed(range(n)):
        if antialias:
            x = _smooth(x, 2 + i, size[i], scales[i], mode, bool(align_corners))
        elif mode in ("nearest", "nearest-exact"):
            x = _nearest(x, 2 + i, size[i], scales[i], mode)
        elif mode in ("linear", "bilinear", "trilinear"):
            x = _blend(x, 2 + i, size[i], scales[i], bool(align_corners))
        elif mode == "bicubic":
            x = _cubic(x, 2 + i, size[i], scales[i], bool(align_corners))
        elif mode == "area":
            return _adaptive(_w.adaptive_avg_pool, n)(input, size)
        else:
            raise NotImplementedError(f"interpolate: the mode {mode} is outside this version")
    return x


def _nearest(x, axis, size, scale, mode):
    n = x.shape[axis]
    step = 1.0 / scale if scale else n / size
    half = 0.5 if mode == "nearest-exact" else 0.0
    index = [min(int(_math.floor((i + half) * step)), n - 1) for i in range(size)]
    return _w.take(x, _w.tensor(index, _int64), axis)


def _places(n, size, scale, corners):
    if corners:
        step = (n - 1) / (size - 1) if size > 1 else 0.0
        return [i * step for i in range(size)]
    step = 1.0 / scale if scale else n / size
    return [(i + 0.5) * step - 0.5 for i in range(size)]


def _blend(x, axis, size, scale, corners):
    n = x.shape[axis]
    at = [max(p, 0.0) for p in _places(n, size, scale, corners)]
    low = [min(int(p), n - 1) for p in at]
    high = [min(k + 1, n - 1) for k in low]
    shape = [1] * x.ndim
    shape[axis] = size
    share = _w.reshape(_w.tensor([p - k for p, k in zip(at, low)], x.dtype), shape)
    a, b = _w.take(x, _w.tensor(low, _int64), axis), _w.take(x, _w.tensor(high, _int64), axis)
    return a * (1 - share) + b * share


def _cubic(x, axis, size, scale, corners):
    n, a = x.shape[axis], -0.75

    def weight(t):
        t = abs(t)
        if t <= 1:
            return (a + 2) * t ** 3 - (a + 3) * t ** 2 + 1
        return a * t ** 3 - 5 * a * t ** 2 + 8 * a * t - 4 * a if t < 2 else 0.0

    at = _places(n, size, scale, corners)
    base = [int(_math.floor(p)) for p in at]
    shape = [1] * x.ndim
    shape[axis] = size
    out = None
    for k in (-1, 0, 1, 2):
        index = [min(max(b + k, 0), n - 1) for b in base]
        share = _w.reshape(_w.tensor([weight(p - b - k) for p, b in zip(at, base)], x.dtype), shape)
        part = _w.take(x, _w.tensor(index, _int64), axis) * share
        out = part if out is None else out + part
    return out


def _smooth(x, axis, size, scale, mode, corners):
    # filters as wide as the new pixels are: every old one counts
    n = x.shape[axis]
    step = ((n - 1) / (size - 1) if size > 1 else 0.0) if corners else 1.0 / scale if scale else n / size
    wide = max(step, 1.0)
    reach = (2.0 if mode == "bicubic" else 1.0) * wide

    def weight(t):
        t = abs(t)
        if mode == "bilinear":
            return 1.0 - t if t < 1.0 else 0.0
        if t < 1.0:
            return (1.5 * t - 2.5) * t * t + 1.0
        return ((-0.5 * t + 2.5) * t - 4.0) * t + 2.0 if t < 2.0 else 0.0

    rows = []
    for i in range(size):
        center = step * (i + 0.5)
        low, high = max(int(center - reach + 0.5), 0), min(int(center + reach + 0.5), n)
        w = [weight((k + low - center + 0.5) / wide) for k in range(high - low)]
        total = sum(w)
        rows.append([0.0] * low + [v / total for v in w] + [0.0] * (n - high))
    m = _w.tensor(rows, x.dtype)
    return _w.matmul(x, _w.permute(m)) if axis == x.ndim - 1 else _w.matmul(m, x)


upsample = interpolate


def pixel_shuffle(input, upscale_factor):
    r = upscale_factor
    lead = tuple(input.shape[:-3])
    c, h, w = input.shape[-3:]
    n = len(lead)
    if _known_sizes(input) and c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
                           f"input.size(-3)={c} is not divisible by {r * r}")
    x = _w.reshape(input, lead + (c // (r * r), r, r, h, w))
    x = _w.permute(x, list(range(n)) + [n, n + 3, n + 1, n + 4, n + 2])
    return _w.own(input, _w.reshape(x, lead + (c // (r * r), h * r, w * r)))


def pixel_unshuffle(input, downscale_factor):
    r = downscale_factor
    lead = tuple(input.shape[:-3])
    c, h, w = input.shape[-3:]
    n = len(lead)
    x = _w.reshape(input, lead + (c, h // r, r, w // r, r))
    x = _w.permute(x, list(range(n)) + [n, n + 2, n + 4, n + 1, n + 3])
    return _w.own(input, _w.reshape(x, lead + (c * r * r, h // r, w // r)))


def channel_shuffle(input, groups):
    b, c = input.shape[:2]
    rest = tuple(input.shape[2:])
    y = _w.reshape(_w.swap_axes(_w.reshape(input, (b, groups, c // groups) + rest), 1, 2), input.shape)
    return _w.own(input, y)


# ---- normalisation

def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    n = len(normalized_shape)
    if tuple(input.shape[-n:]) != tuple(normalized_shape):
        raise RuntimeError(f"Given normalized_shape={list(normalized_shape)}, expected input with shape [*, "
                           + ", ".join([str(k) for k in normalized_shape])
                           + f"], but got input of size{list(input.shape)}")
    return _w.layer_norm(input, n, weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    from torch._types import finfo
    return _w.rms_norm(input, len(normalized_shape), weight, finfo(input.dtype).eps if eps is None else eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    if input.shape[1] % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of "
                           f"shape {list(input.shape)} and num_groups={num_groups}")
    return _w.group_norm(input, num_groups, weight, bias, eps)


def _check_channels(input, **stored):
    if _known_sizes(input) and input.ndim > 1:
        for name, x in stored.items():
            if x is not None and x.numel() != input.shape[1]:
                raise RuntimeError(f"{name} should contain {input.shape[1]} elements not {x.numel()}")


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    _check_channels(input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not training:
        return _as(_w.batch_norm(input, running_mean, running_var, weight, bias, False, eps)[0], input)
    n = input.numel() // input.shape[1] if not _w.about(input, "symbolic") else 2
    if n == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    y, mean, var = _w.batch_norm(input, None, None, weight, bias, True, eps)
    if running_mean is not None:
        count = 1
        for k in (input.shape[:1] + input.shape[2:]):
            count *= k
        was = _w.recording(False)
        try:
            mean, var = _w.detach(mean), _w.detach(var)
            _w.write(running_mean, running_mean * (1 - momentum) + mean * momentum)
            _w.write(running_var, running_var * (1 - momentum) + var * (momentum * count / (count - 1)))
        finally:
            _w.recording(was)
    return _as(y, input)


def _as(y, x):
    # Statistics and weights may be of a higher precision than what is normalised.
    return y if y.dtype == x.dtype else _w.cast(y, x.dtype)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-05):
    if use_input_stats and _known_sizes(input) and input.ndim > 2 and _math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if not use_input_stats:
        return _as(_w.batch_norm(input, running_mean, running_var, weight, bias, False, eps)[0], input)
    if running_mean is not None:
        space = list(range(2, input.ndim))
        was = _w.recording(False)
        mean = _w.mean(_w.mean(input, space), 0)
        var = _w.mean(_w.var(input, space, 1), 0)
        _w.write(running_mean, running_mean * (1 - momentum) + mean * momentum)
        _w.write(running_var, running_var * (1 - momentum) + var * momentum)
        _w.recording(was)
    return _w.group_norm(input, input.shape[1], weight, bias, eps)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    y = input / _w.maximum(_norm(input, p, dim, True), eps)
    return y if out is None else _w.write(out, y)


def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    square = _w.expand_dims(input * input, 1)
    shape = tuple(input.shape)
    flat = _w.reshape(square, (shape[0], 1, shape[1], -1))
    padded = _w.pad(flat, [0, 0, size // 2, 0], [0, 0, (size - 1) // 2, 0], 0)
    mean = _w.avg_pool(padded, 2, (size, 1), (1, 1), (0, 0), True)
    return input / _w.pow(_w.reshape(mean, shape) * alpha + k, beta)


# ---- embedding

def _within_norm(weight, input, max_norm, norm_type):
    # The rows that are looked up get norms of at most max_norm, where they are.
    if max_norm is None:
        return
    if not _known_sizes(input) or not _known_sizes(weight):
        raise NotImplementedError("embedding: max_norm inside a trace")
    was = _w.recording(False)
    try:
        at = _w.reshape(input, (-1,)).unique()
        rows = _w.embedding(weight, at)
        norm = _w.norm(rows, norm_type, 1, True)
        _w.detach(weight)[at] = _w.where(_w.gt(norm, max_norm), rows * (max_norm / (norm + 1e-7)), rows)
    finally:
        _w.recording(was)


def _shared_gradient(rows, input):
    # The values, with gradients divided by how often each index stands in the input.
    flat = _w.reshape(input, (-1,))
    count = _w.sum(_w.eq(_w.expand_dims(flat, 0), _w.expand_dims(flat, 1)), 1)
    plain = _w.detach(rows)
    return plain + (rows - plain) / _w.reshape(count, tuple(input.shape) + (1,))


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if padding_idx is not None and _followed(weight):
        k = padding_idx % weight.shape[0]
        row = _w.ne(_w.arange(0, weight.shape[0], 1, _int64), k)
        weight = _w.where(_w.expand_dims(row, 1), weight, _w.detach(weight))  # no gradient to the padding
    if input.dtype != _int64 and input.dtype != _w.int32:
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
                           f"got {input.type()} instead (while checking arguments for embedding)")
    if _w.check_index(input, 0, weight.shape[0]) is not None:
        raise IndexError("index out of range in self")
    _within_norm(weight, input, max_norm, norm_type)
    rows = _w.embedding(weight, input)
    return _w.label(_shared_gradient(rows, input) if scale_grad_by_freq and _followed(weight) else rows, "embedding")


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
                  sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    if scale_grad_by_freq:
        raise NotImplementedError("embedding_bag: scale_grad_by_freq")
    _within_norm(weight, input, max_norm, norm_type)
    if input.ndim == 2:
        bags = [input[i] for i in range(input.shape[0])]
        weights = [None if per_sample_weights is None else per_sample_weights[i] for i in range(input.shape[0])]
    else:
        at = offsets.tolist() + ([] if include_last_offset else [input.shape[0]])
        bags = [input[a:b] for a, b in zip(at, at[1:])]
        weights = [None if per_sample_weights is None else per_sample_weights[a:b] for a, b in zip(at, at[1:])]
    out = []
    for bag, w in zip(bags, weights):
        if padding_idx is not None:
            bag = bag[_w.ne(bag, padding_idx)]
        if bag.shape[0] == 0:
            out.append(_w.full((weight.shape[1],), 0, weight.dtype))
            continue
        rows = _w.embedding(weight, bag)
        if w is not None:
            rows = rows * _w.expand_dims(w, 1)
        out.append(_w.sum(rows, 0) if mode == "sum" else _w.mean(rows, 0) if mode == "mean" else _w.max(rows, 0))
    return _w.stack(out, 0)


def one_hot(tensor, num_classes=-1):
    if tensor.dtype != _int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if num_classes == -1:
        num_classes = int(_w.max(tensor)) + 1
    bad = _w.check_index(tensor, 0, num_classes)
    if bad is not None:
        raise RuntimeError("Class values must be non-negative." if bad < 0 else
                           "Class values must be smaller than num_classes.")
    return _w.one_hot(tensor, num_classes, _int64)


# ---- attention

def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    if not (query.dtype == key.dtype == value.dtype or _w.casting()):
        from torch._errors import c_named
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got query.dtype: "
                           f"{c_named(query.dtype)} key.dtype: {c_named(key.dtype)} and value.dtype: {c_named(value.dtype)} "
                           "instead.")
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if enable_gqa:
        n = query.shape[-3] // key.shape[-3]
        key, value = _w.repeat(key, n, -3), _w.repeat(value, n, -3)
    _known(query, 1)
    if dropout_p == 0.0:
        if scale == 0.0:  # which asks the native for its own
            query, scale = query * 0.0, 1.0
        return _w.attention(query, key, value, attn_mask, is_causal, 0.0 if scale is None else scale)
    s = 1.0 / _math.sqrt(query.shape[-1]) if scale is None else scale
    scores = _w.matmul(query, _w.swap_axes(key, -2, -1)) * s
    if is_causal:
        keep = _w.tri(scores.shape[-2], scores.shape[-1], 0, _bool)
        scores = _w.where(keep, scores, float("-inf"))
    if attn_mask is not None:
        scores = _w.where(attn_mask, scores, float("-inf")) if attn_mask.dtype == _bool else scores + attn_mask
    return _w.matmul(dropout(_w.softmax(scores, -1), dropout_p), value)


@_stay
def bilinear(input1, input2, weight, bias=None):
    if not (input1.dtype == input2.dtype == weight.dtype):
        from torch._errors import c_named
        raise RuntimeError(f"All tensors must have the same dtype, got input1: {c_named(input1.dtype)}, input2: "
                           f"{c_named(input2.dtype)}, weight: {c_named(weight.dtype)}")
    for k, (name, x) in enumerate((("input1", input1), ("input2", input2))):
        if _known_sizes(x) and x.shape[-1] != weight.shape[k + 1]:
            raise RuntimeError(f"bilinear(): {name} size does not match weight size: got {x.shape[-1]} but expected {weight.shape[k + 1]}")
    y = _w.einsum("...i,oij,...j->...o", [input1, weight, input2])
    return y if bias is None else y + bias


_MORE = ("max_unpool1d max_unpool2d max_unpool3d fractional_max_pool2d fractional_max_pool3d fractional_max_pool2d_with_indices "
         "fractional_max_pool3d_with_indices max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices "
         "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices adaptive_max_pool3d_with_indices upsample_nearest "
         "upsample_bilinear native_channel_shuffle celu_ elu_ hardtanh_ leaky_relu_ rrelu_ selu_ threshold_ conv_tbc "
         "multi_head_attention_forward").split()


def __getattr__(name):
    if name in _MORE:
        return getattr(__import__("torch.nn._more"), name)
    raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")


__import__("_host").own_names(globals(), "")
