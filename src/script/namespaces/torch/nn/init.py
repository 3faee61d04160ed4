# torch.nn.init -- first values of parameters, with PyTorch's numbers for a seed.
import math as _math
import warnings as _warnings

import _factors
import _torch as _w
from torch._grad import no_grad
from torch._types import default_generator


def _fans(tensor):
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = 1
    for n in tensor.shape[2:]:
        field *= n
    return tensor.shape[1] * field, tensor.shape[0] * field


_calculate_fan_in_and_fan_out = _fans


def calculate_gain(nonlinearity, param=None):
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                        "conv_transpose3d", "sigmoid"):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return _math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return _math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _fill(tensor, value):
    with no_grad():
        return _w.write(tensor, value)


def _draw(tensor, kind, a, b, generator):
    return _fill(tensor, _w.draw(kind, tensor.shape, tensor.dtype, a, b, generator or default_generator))


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    return _draw(tensor, "uniform", a, b, generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    return _draw(tensor, "normal", mean, std, generator)


def constant_(tensor, val):
    return _fill(tensor, _w.full((), val, tensor.dtype))


def ones_(tensor):
    return constant_(tensor, 1)


def zeros_(tensor):
    return constant_(tensor, 0)


def eye_(tensor):
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _fill(tensor, _w.eye(tensor.shape[0], tensor.shape[1], 0, tensor.dtype))


def dirac_(tensor, groups=1):
    t = _w.full(tensor.shape, 0, tensor.dtype)
    per = tensor.shape[0] // groups
    middle = tuple([n // 2 for n in tensor.shape[2:]])
    for g in range(groups):
        for d in range(min(per, tensor.shape[1])):
            t[(g * per + d, d) + middle] = 1
    return _fill(tensor, t)


def xavier_uniform_(tensor, gain=1.0, generator=None):
    fan_in, fan_out = _fans(tensor)
    a = _math.sqrt(3.0) * (gain * _math.sqrt(2.0 / (fan_in + fan_out)))
    return uniform_(tensor, -a, a, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    fan_in, fan_out = _fans(tensor)
    return normal_(tensor, 0.0, gain * _math.sqrt(2.0 / (fan_in + fan_out)), generator)


def _fan(tensor, mode):
    fan_in, fan_out = _fans(tensor)
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return fan_in if mode == "fan_in" else fan_out


_calculate_correct_fan = _fan


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if 0 in tensor.shape:
        return tensor
    std = calculate_gain(nonlinearity, a) / _math.sqrt(_fan(tensor, mode))
    bound = _math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if 0 in tensor.shape:
        return tensor
    std = calculate_gain(nonlinearity, a) / _math.sqrt(_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def _cdf(x):
    return (1.0 + _math.erf(x / _math.sqrt(2.0))) / 2.0


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    # Draws until all are inside: normal ones where enough of them are, else uniform ones, taken by their density.
    if mean < a - 2 * std or mean > b + 2 * std:
        _warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
                       "incorrect.")
    if not tensor.numel():
        return tensor
    generator = generator or default_generator
    if _cdf((b - mean) / std) - _cdf((a - mean) / std) > 0.3:
        low, high = _w.full((), a, tensor.dtype), _w.full((), b, tensor.dtype)
        x = _w.draw("normal", tensor.shape, tensor.dtype, mean, std, generator)
        while True:
            out = _w.logical_or(_w.lt(x, low), _w.gt(x, high))
            if not bool(_w.any(out)):
                return _fill(tensor, x)
            x = _w.where(out, _w.draw("normal", tensor.shape, tensor.dtype, mean, std, generator), x)
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    x, out = None, None
    while True:
        new = _w.draw("uniform", tensor.shape, tensor.dtype, a, b, generator)
        density = ((new - mean) / std) ** 2 * -0.5 - peak
        rejected = _w.gt(_w.log(_w.draw("uniform", tensor.shape, tensor.dtype, 0.0, 1.0, generator)), density)
        x = new if x is None else _w.where(out, new, x)
        out = rejected if out is None else _w.logical_and(out, rejected)
        if not bool(_w.any(out)):
            return _fill(tensor, x)


def orthogonal_(tensor, gain=1, generator=None):
    # q of a matrix of normal numbers, with the signs of a qr whose r has a positive diagonal
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows = tensor.shape[0]
    cols = tensor.numel() // rows
    flat = _w.draw("normal", (rows, cols), tensor.dtype, 0.0, 1.0, generator or default_generator)
    wide = rows < cols
    q, r = _factors.qr(_w, _w.cast(_w.swap_axes(flat, 0, 1) if wide else flat, _w.float64), False)
    q = q * _w.sign(_w.diagonal(r))
    q = _w.swap_axes(q, 0, 1) if wide else q
    return _fill(tensor, _w.cast(_w.reshape(q, tensor.shape), tensor.dtype) * gain)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    from torch._creation import randperm
    rows, cols = tensor.shape
    zeros = int(_math.ceil(sparsity * rows))
    normal_(tensor, 0, std, generator)
    with no_grad():
        for c in range(cols):
            tensor[randperm(rows, generator=generator)[:zeros], c] = 0
    return tensor


kaiming_uniform, kaiming_normal = kaiming_uniform_, kaiming_normal_
xavier_uniform, xavier_normal = xavier_uniform_, xavier_normal_
uniform, normal, constant, eye, orthogonal, dirac, sparse = uniform_, normal_, constant_, eye_, orthogonal_, dirac_, sparse_


__import__("_host").own_names(globals(), "")
