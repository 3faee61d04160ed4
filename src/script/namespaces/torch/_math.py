# torch._math -- elementwise functions and reductions. A function whose first argument is
# the tensor is its method too (torch._tensor binds them).
import math as _math

import _special
import _torch as _w
from torch._cast import full as _full
from torch._core import core
from torch._types import pair, placed, is_float, bool as _bool, int64, float32, float64, uint8, int32
from torch._creation import get_default_dtype

# Other names that PyTorch takes keywords of its functions by (call.c asks for them).
__keywords__ = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other",
                "mat1": "left", "mat": "left", "batch1": "left", "vec1": "left", "mat2": "other", "batch2": "other", "vec2": "other",
                "vec": "other", "tensor": "other", "axis0": "dim0", "axis1": "dim1", "split_size": "split_size_or_sections",
                "size": "sizes", "repeats": "sizes"}

# ---- functions that are natives as they are

neg = negative = _w.neg
reciprocal = _w.reciprocal
exp = _w.exp
exp2 = _w.exp2
expm1 = _w.expm1
log = _w.log
log2 = _w.log2
log10 = _w.log10
log1p = _w.log1p
sin = _w.sin
cos = _w.cos
tan = _w.tan
asin = arcsin = _w.asin
acos = arccos = _w.acos
atan = arctan = _w.atan
sinh = _w.sinh
cosh = _w.cosh
tanh = _w.tanh
asinh = arcsinh = _w.asinh
acosh = arccosh = _w.acosh
atanh = arctanh = _w.atanh
erf = _w.erf
erfinv = _w.erf_inv
sqrt = _w.sqrt
rsqrt = _w.rsqrt
sigmoid = _w.sigmoid
isfinite = _w.is_finite
isnan = _w.is_nan
isinf = _w.is_inf
logical_not = _w.logical_not
bitwise_not = _w.bitwise_not
deg2rad = _w.deg2rad
rad2deg = _w.rad2deg
relu = _w.relu

mul = multiply = _w.mul


def pow(input, exponent, *, out=None):
    if type(exponent) is int and exponent < 0 and isinstance(input, _w.Tensor) and not input.dtype.is_inexact:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return _w.pow(input, exponent, out=out)


remainder = _w.remainder
fmod = _w.fmod
eq = _w.eq
ne = not_equal = _w.ne
lt = less = _w.lt
le = less_equal = _w.le
gt = greater = _w.gt
ge = greater_equal = _w.ge
bitwise_and = _w.bitwise_and
bitwise_or = _w.bitwise_or
bitwise_xor = _w.bitwise_xor
bitwise_left_shift = _w.shift_left
bitwise_right_shift = _w.shift_right
floor_divide = _w.floor_div


def put(out, value):
    # The result, written into `out` if there is one.
    return value if out is None else _w.put(out, value)


def _check_alpha(input, other, alpha):
    whole = [not x.dtype.is_floating_point if isinstance(x, _w.Tensor) else not isinstance(x, float)
             for x in (input, other)]
    if isinstance(alpha, float) and False not in whole:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


def _times(other, alpha, input):
    # other times alpha, in the dtype of its sum with input: a uint8 times -1 is -1 in a sum of floats
    if alpha is True:
        d = __import__("torch._misc").result_type(input, other)
        if d != _w.bool_:
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if alpha == 1:
        return other
    _check_alpha(input, other, alpha)
    if not isinstance(other, _w.Tensor):
        return other * alpha
    d = __import__("torch._misc").result_type(input, other)
    return _w.cast(_w.mul(_w.cast(other, d) if other.dtype != d else other, alpha), d)


def add(input, other, *, alpha=1, out=None):
    return _w.add(input, _times(other, alpha, input), out=out)


_NO_BOOLS = ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
             "`~` or `logical_not()` operator instead.")


def _is_bool(x):
    return isinstance(x, bool) or (isinstance(x, _w.Tensor) and x.dtype == _bool)


def sub(input, other, *, alpha=1, out=None):
    if _is_bool(input) or _is_bool(other):
        raise NotImplementedError(_NO_BOOLS)
    return _w.sub(input, _times(other, alpha, input), out=out)


subtract = sub


def rsub(input, other, *, alpha=1):
    if _is_bool(input) or _is_bool(other):
        raise NotImplementedError(_NO_BOOLS)
    return _w.sub(other, _times(input, alpha, other))


def div(input, other, *, rounding_mode=None, out=None):
    if rounding_mode is None:
        return _w.div(input, other, out=out)
    if rounding_mode == "floor":
        return put(out, _w.floor_div(input, other))
    if rounding_mode != "trunc":
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' "
                           f"but found '{rounding_mode}'")
    kinds = [x for x in (input, other) if isinstance(x, _w.Tensor)]
    if True not in [x.dtype.is_floating_point for x in kinds] and not isinstance(other, float):
        return put(out, _w.floor_div(_w.sub(input, _w.fmod(input, other)), other))
    return put(out, _w.trunc(_w.div(input, other)))


divide = true_divide = div


def float_power(input, exponent):
    def wide(x):
        return _w.cast(x, float64) if isinstance(x, _w.Tensor) else float(x)
    return _w.pow(wide(input), wide(exponent))


def round(input, *, decimals=0, out=None):
    if decimals == 0:
        return _w.round(input, out=out)
    scale = 10.0 ** decimals
    return put(out, _w.div(_w.round(_w.mul(input, scale)), scale))


def clamp(input, min=None, max=None, *, out=None):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if (isinstance(min, float) or isinstance(max, float)) and not input.dtype.is_inexact:
        input = _w.cast(input, get_default_dtype())
    elif input.dtype.kind in "iu":      # bounds that the dtype does not hold are none
        bits = 8 * input.dtype.itemsize
        low = 0 if input.dtype.kind == "u" else -2 ** (bits - 1)
        min = None if isinstance(min, int) and min < low else min
        max = None if isinstance(max, int) and max >= low + 2 ** bits else max
        if min is None and max is None:
            return put(out, _w.copy(input))
    return put(out, _w.clip(input, min, max))


clip = clamp


def clamp_min(input, min):
    return clamp(input, min)


def clamp_max(input, max):
    return clamp(input, None, max)


def where(condition, input=None, other=None, *, out=None):
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if not isinstance(condition, _w.Tensor):
        raise TypeError(f"where(): argument 'condition' (position 1) must be Tensor, not {type(condition).__name__}")
    if condition.dtype not in (_bool, uint8):
        from torch._errors import named
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {named(condition.dtype)}")
    return put(out, _w.where(condition, input, other))


def nonzero(input, *, as_tuple=False, out=None):
    ix = put(out, _w.nonzero(input))
    return tuple([ix[:, k] for k in range(max_int(input.ndim, 1))]) if as_tuple else ix


def max_int(a, b):
    return a if a > b else b


def _in_full(fn):
    # fn of tensors of halves: computed in float32 and rounded once, as one kernel does.
    def call(*xs):
        d = xs[0].dtype
        if d.itemsize > 2 or not d.is_floating_point:
            return fn(*xs)
        return _w.cast(fn(*[_w.cast(x, float32) if isinstance(x, _w.Tensor) else x for x in xs]), d)
    return call


def lerp(input, end, weight, *, out=None):
    if end.dtype != input.dtype:
        from torch._errors import c_named
        raise RuntimeError(f"expected dtype {c_named(input.dtype)} for `end` but got dtype {c_named(end.dtype)}")
    # From the nearer end.
    def between(a, b, w):
        if isinstance(w, _w.Tensor):
            return _w.where(_w.lt(_w.abs(w), 0.5), a + w * (b - a), b - (b - a) * (1 - w))
        return a + w * (b - a) if -0.5 < w < 0.5 else b - (b - a) * (1 - w)
    return put(out, _in_full(between)(input, end, weight))


def _three(input, tensor1, tensor2, value):
    # The three in the dtype of their result, and value as it counts there.
    result_type = __import__("torch._misc").result_type
    whole, numbers = [[x for x in (input, tensor1, tensor2) if (x.ndim > 0) == sized] for sized in (True, False)]
    parts = []
    for group, shape in ((whole, (0,)), (numbers, ())):
        if group:
            d = group[0].dtype
            for x in group[1:]:
                d = __import__("torch._misc").promote_types(d, x.dtype)
            parts.append(_w.full(shape, 0, d))
    d = result_type(parts[0], parts[-1])
    return [_w.cast(x, d) if x.dtype != d else x for x in (input, tensor1, tensor2)], \
        value if d.is_inexact else int(value)


def addcmul(input, tensor1, tensor2, *, value=1, out=None):
    xs, value = _three(input, tensor1, tensor2, value)
    return put(out, _in_full(lambda x, a, b: x + value * (a * b))(*xs))


def addcdiv(input, tensor1, tensor2, *, value=1, out=None):
    if not tensor1.dtype.is_inexact and not tensor2.dtype.is_inexact:
        raise RuntimeError("Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
                           "perform a true division of tensor1 and tensor2.")
    xs, value = _three(input, tensor1, tensor2, value)
    return put(out, _in_full(lambda x, a, b: x + value * (a / b))(*xs))


def heaviside(input, values):
    if input.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    one = _w.cast(_w.gt(input, 0), input.dtype)
    return _w.where(_w.eq(input, 0), values, one)


def copysign(input, other):
    size = _w.abs(_floating(input) if not (isinstance(other, _w.Tensor) and other.dtype.is_floating_point) else
                  input.to(__import__("torch._misc").result_type(input, other)))
    return _w.where(signbit(other) if isinstance(other, _w.Tensor) else _math.copysign(1, other) < 0, _w.neg(size), size)


def real(input):
    return core.part(input, 0) if input.dtype.is_complex else input


def imag(input):
    if not input.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return core.part(input, 1)


conj = conj_physical = _w.conj
resolve_conj = resolve_neg = _w.positive
angle = _w.angle


def sgn(input, *, out=None):
    return put(out, _w.sign(input)) if input.dtype.is_complex else sign(input, out=out)


def sign(input, *, out=None):
    if input.dtype.is_complex:
        raise RuntimeError("Unlike NumPy, torch.sign doesn't support complex tensors; use torch.sgn.")
    # 0 for NaN and -0
    y = _w.sign(input)
    plain = _w.logical_or(_w.gt(input, 0), _w.lt(input, 0))
    return put(out, _w.where(plain, y, 0.0) if input.dtype.is_floating_point else y)


def signbit(input):
    if not input.dtype.is_floating_point:
        return _w.lt(input, 0)
    return _w.logical_or(_w.lt(input, 0), _w.logical_and(_w.eq(input, 0), _w.lt(1 / input, 0)))


def lgamma(input, *, out=None):
    return put(out, _special.gammaln(_w, _floating(input)))


def digamma(input, *, out=None):
    return put(out, _special.digamma(_w, _floating(input)))


def polygamma(n, input, *, out=None):
    if n == 0:
        return digamma(input)
    x = _floating(input)
    if x.dtype.itemsize == 2:
        return put(out, _w.cast(polygamma(n, _w.cast(x, float32)), x.dtype))
    y = (-1.0) ** (n + 1) * float(_math.factorial(n)) * _special.zeta(_w, _w.full_like(x, n + 1.0), x)
    return put(out, _w.where(_w.is_nan(x), x, y))


def mvlgamma(input, p):
    y = p * (p - 1) / 4 * _math.log(_math.pi)
    for j in range(p):
        y = y + lgamma(input - j / 2)
    return y


def _floating(x):
    return x if x.dtype.is_floating_point else _w.cast(x, _w.float32)


def gradient(input, *, spacing=1, dim=None, edge_order=1):
    dims = core.axes(dim, input.ndim)
    if [d for d in dims if input.shape[d] < edge_order + 1]:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    steps = spacing if isinstance(spacing, (list, tuple)) else [spacing]
    out = core.gradient(input, *steps, axis=dims, edge_order=edge_order)
    return (out,) if len(dims) == 1 else out


def sinc(input):
    if input.dtype.itemsize == 2 and input.dtype.is_floating_point:
        return _w.cast(sinc(_w.cast(input, float32)), input.dtype)
    y = _w.mul(input, _math.pi)
    safe = _w.where(_w.eq(y, 0), 1.0, y)
    return _w.where(_w.eq(y, 0), 1.0, _w.sin(safe) / safe)


def logit(input, eps=None):
    input = _floating(input)
    if eps is not None:
        input = _w.where(_w.is_nan(input), input, _w.clip(input, eps, 1 - eps))
    y = _w.log(input / (1 - input))
    if eps is None and followed(input):     # outside of [0, 1] there is no slope
        outside = _w.logical_or(_w.lt(_w.detach(input), 0), _w.gt(_w.detach(input), 1))
        y = _w.where(outside, _w.sqrt(_w.where(outside, -1 - _w.abs(input), 1.0)), y)
    return y


def _logaddexp2(input, other, out=None):
    ln2 = _math.log(2.0)
    return put(out, _in_full(lambda a, b: _w.logaddexp(a * ln2, b * ln2) / ln2)(input, other))


def _one_dtype(input, other):
    # Both as floats of the dtype their result has.
    d = __import__("torch._misc").result_type(input, other)
    d = d if d.is_floating_point else get_default_dtype()
    return [_w.cast(x, d) if isinstance(x, _w.Tensor) else _w.full((), x, d) for x in (input, other)]


def xlogy(input, other):
    input, other = _one_dtype(input, other)
    zero = _w.eq(input, 0)
    y = _w.where(zero, 1.0, other)
    return _w.where(zero, 0.0 * y, input * _w.log(y))


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    from torch._types import finfo
    if not input.dtype.is_floating_point:
        return input.clone()
    return core.nan_to_num(input, nan, posinf, neginf, finfo(input.dtype).max)


def isposinf(input):
    return _w.eq(input, _math.inf)


def isneginf(input):
    return _w.eq(input, -_math.inf)


def isreal(input):
    return _w.eq(_w.imag(input), 0)


def _fmax(input, other):
    return _w.where(_w.is_nan(other), input, _w.where(_w.is_nan(input), other, _w.maximum(input, other)))


def _fmin(input, other):
    return _w.where(_w.is_nan(other), input, _w.where(_w.is_nan(input), other, _w.minimum(input, other)))


def _of_tensors(native, name):
    # PyTorch takes no numbers here.
    def both(input, other, *, out=None):
        if not isinstance(other, _w.Tensor) or not isinstance(input, _w.Tensor):
            raise TypeError(f"{name}(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
        return native(input, other, out=out)
    both.__name__ = both.__qualname__ = name
    return both


def _of_floats(native, name):
    def fn(input, *other, out=None):
        if input.dtype.kind != "f":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{_scalar(input.dtype)}'")
        return native(input, *other, out=out)
    fn.__name__ = fn.__qualname__ = name
    return fn


def positive(input):
    return +input


def _of_numbers(native, name):
    def fn(input, *, out=None):
        _no_bool(input, name)
        return native(input, out=out)
    fn.__name__ = fn.__qualname__ = name.split("_")[0]
    return fn


abs = absolute = _of_numbers(_w.abs, "abs_cpu")
floor = _of_numbers(_w.floor, "floor_vml_cpu")
ceil = _of_numbers(_w.ceil, "ceil_vml_cpu")
trunc = fix = _of_numbers(_w.trunc, "trunc_vml_cpu")
frac = _of_floats(_w.frac, "frac")
def _of_one_dtype(native, name):
    # Floats alone, in the dtype that both have together.
    def fn(input, other, *, out=None):
        d = __import__("torch._misc").result_type(input, other)
        if d.kind != "f":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{_scalar(d)}'")
        return native(*_one_dtype(input, other), out=out)
    return fn


hypot = _of_tensors(_of_one_dtype(_w.hypot, "hypot"), "hypot")
logaddexp = _of_tensors(_of_one_dtype(_w.logaddexp, "logaddexp"), "logaddexp")
logaddexp2 = _of_tensors(_of_one_dtype(_logaddexp2, "logaddexp2"), "logaddexp2")
logical_and = _of_tensors(_w.logical_and, "logical_and")
logical_or = _of_tensors(_w.logical_or, "logical_or")
logical_xor = _of_tensors(_w.logical_xor, "logical_xor")
fmax = _of_tensors(lambda a, b, out=None: put(out, _fmax(a, b)), "fmax")
fmin = _of_tensors(lambda a, b, out=None: put(out, _fmin(a, b)), "fmin")
maximum = _of_tensors(_w.maximum, "maximum")
minimum = _of_tensors(_w.minimum, "minimum")


def _atan2(a, b, out=None):
    a, b = _one_dtype(a, b)
    if followed(a) or followed(b):          # the slopes at the origin are 0
        origin = _w.logical_and(_w.eq(a, 0), _w.eq(b, 0))
        return put(out, _w.label(_w.where(origin, _w.detach(_w.atan2(a, b)), _w.atan2(a, _w.where(origin, 1.0, b))), "atan2"))
    return _w.atan2(a, b, out=out)


atan2 = arctan2 = _of_tensors(_atan2, "atan2")


def gcd(input, other):
    d = __import__("torch._misc").result_type(input, other)
    if d.kind not in ("i", "u"):
        raise NotImplementedError(f"\"gcd_cpu\" not implemented for '{_scalar(d)}'")
    a, b = [_w.abs(_w.cast(x, d)) for x in (input, other)]
    while bool(_w.any(_w.ne(b, 0))):
        more = _w.ne(b, 0)
        a, b = _w.where(more, b, a), _w.where(more, _w.remainder(a, _w.where(more, b, 1)), b)
    return a


def lcm(input, other):
    g = gcd(input, other)
    return _w.abs(_w.floor_div(input, _w.where(_w.eq(g, 0), 1, g)) * other)


def square(input, *, out=None):
    return _w.square(_w.cast(input, int64) if input.dtype == _bool else input, out=out)


def _no_bool(input, name):
    if input.dtype == _bool:
        raise NotImplementedError(f'"{name}" not implemented for \'Bool\'')


# ---- comparing whole tensors

def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not isinstance(other, _w.Tensor):
        raise TypeError(f"isclose(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    _check_same(input, other)
    if input.dtype.name == "bool":
        return _w.eq(input, other)
    near = _w.is_close(input, other, rtol, atol)
    return _w.logical_or(near, _w.logical_and(_w.is_nan(input), _w.is_nan(other))) if equal_nan else near


def _check_same(input, other):
    if input.dtype != other.dtype:
        raise RuntimeError(f"{_scalar(input.dtype)} did not match {_scalar(other.dtype)}")


def _scalar(d):
    names = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
             "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}
    return names.get(d.name, d.name)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    _check_same(input, other)
    return bool(_w.all(isclose(input, other, rtol, atol, equal_nan)))


def equal(input, other):
    return input.shape == other.shape and bool(_w.all(_w.eq(input, other)))


def is_same_size(input, other):
    return input.shape == other.shape


# ---- reductions

def _dims(dim):
    return None if dim is None or (isinstance(dim, (tuple, list)) and len(dim) == 0) else dim


def _as_asked(y, dtype):
    # Small integers are added as int64, and are what was asked for at the end.
    return y if dtype is None or y.dtype == dtype else _w.cast(y, dtype)


def sum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    if dtype is not None:
        input = _w.cast(input, dtype)
    return put(out, _as_asked(_w.sum(input, _dims(dim), keepdim), dtype))


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    if input.dtype.is_floating_point:
        input = _w.where(_w.is_nan(input), 0.0, input)
    return sum(input, dim, keepdim, dtype=dtype)


def _no_whole_mean(input, name):
    if not input.dtype.is_inexact:
        raise NotImplementedError(f"{name}(): could not infer output dtype. Input dtype must be either a floating point "
                           f"or complex dtype. Got: {_scalar(input.dtype)}")


def mean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    if dtype is not None:
        input = _w.cast(input, dtype)
    _no_whole_mean(input, "mean")
    return put(out, _w.mean(input, _dims(dim), keepdim))


def nanmean(input, dim=None, keepdim=False):
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"nanmean(): expected input to have floating point or complex dtype but got {_scalar(input.dtype)}")
    bad = _w.is_nan(input)
    count = _w.sum(_w.cast(_w.logical_not(bad), input.dtype), dim, keepdim)
    return _w.sum(_w.where(bad, 0.0, input), dim, keepdim) / count


def prod(input, dim=None, keepdim=False, *, dtype=None, out=None):
    if dtype is not None:
        input = _w.cast(input, dtype)
    return put(out, _as_asked(_w.prod(input, dim, keepdim), dtype))


def _spread(native, name):
    def spread(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
        if isinstance(dim, bool):  # x.var(False)
            dim, unbiased = None, dim
        if correction is None:
            correction = 0 if unbiased is False else 1
        if not input.dtype.is_inexact:
            raise NotImplementedError("std and var only support floating point and complex dtypes")
        if name == "std" and followed(input):       # the slope is 0 where there is no spread
            v = _w.var(input, _dims(dim), correction, keepdim)
            none = _w.eq(_w.detach(v), 0)
            return put(out, _w.label(_w.where(none, 0.0, _w.sqrt(_w.where(none, 1.0, v))), "std"))
        return put(out, native(input, _dims(dim), correction, keepdim))
    spread.__name__ = spread.__qualname__ = name
    return spread


var = _spread(_w.var, "var")
std = _spread(_w.std, "std")


def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return var(input, dim, unbiased, keepdim, correction=correction), _w.mean(input, _dims(dim), keepdim)


def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return std(input, dim, unbiased, keepdim, correction=correction), _w.mean(input, _dims(dim), keepdim)


def followed(x):
    # May a derivative by x be taken, by backward, by a function of functions, or of the program that is being made?
    return _w.about(x, "symbolic") or _w.about(x, "need") != 0


def _shared(native, x, name):
    # The extreme of all elements: equal ones share the derivative, and so do the NaN if there are any.
    bad = _w.is_nan(_w.detach(x))
    count = _w.cast(_w.sum(_w.cast(bad, int64)), x.dtype)
    nan = _w.sum(_w.where(bad, x, _w.zeros_like(x))) / _w.maximum(count, 1.0)
    worst = -_math.inf if native is _w.max else _math.inf
    return _w.label(_w.where(_w.gt(count, 0), nan, native(_w.where(bad, worst, x))), name)


def _put_both(out, values):
    return values if out is None else tuple([put(o, v) for o, v in zip(out, values)])


def _extreme(native, where_native, both, name):
    # max(x), max(x, dim) -> values and indices, max(x, y)
    def extreme(input, dim=None, keepdim=False, *, out=None, other=None):
        if other is None and isinstance(dim, _w.Tensor):
            other = dim
        if other is not None:
            return both(input, other, out=out)
        if dim is None:
            if input.numel() == 0:
                raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                                   "Specify the reduction dim with the 'dim' argument.")
            y = _shared(native, input, name) if input.dtype.is_floating_point and followed(input) else native(input)
            return put(out, y)
        if input.ndim == 0:
            return pair(name, _put_both(out, (_w.copy(input), _w.tensor(0))))
        index = where_native(input, dim, True)
        values = _w.label(_w.take_along(input, index, dim), name + "_at")
        if not keepdim:
            values, index = _w.label(_w.squeeze(values, dim), name + "_at"), _w.squeeze(index, dim)
        return pair(name, _put_both(out, (values, index)))
    extreme.__name__ = extreme.__qualname__ = name
    return extreme


max = _extreme(_w.max, _w.argmax, maximum, "max")
min = _extreme(_w.min, _w.argmin, minimum, "min")


def amax(input, dim=(), keepdim=False, *, out=None):
    return put(out, _w.label(_w.max(input, _dims(dim), keepdim), "amax"))


def amin(input, dim=(), keepdim=False, *, out=None):
    return put(out, _w.label(_w.min(input, _dims(dim), keepdim), "amin"))


def aminmax(input, *, dim=None, keepdim=False):
    from torch._types import result
    return result("aminmax", ("min", "max"))((_w.min(input, dim, keepdim), _w.max(input, dim, keepdim)))


def _place(native, name):
    def place(input, dim=None, keepdim=False):
        _no_bool(input, name + "_cpu")
        if input.ndim == 0:
            _w.sum(input, dim)  # is there such an axis?
            return _w.tensor(0)
        return native(input, dim, keepdim)
    place.__name__ = place.__qualname__ = name
    return place


argmax = _place(_w.argmax, "argmax")
argmin = _place(_w.argmin, "argmin")


def all(input, dim=None, keepdim=False, *, out=None):
    return put(out, _truth(input, _w.all(input, _dims(dim), keepdim)))


def any(input, dim=None, keepdim=False, *, out=None):
    return put(out, _truth(input, _w.any(input, _dims(dim), keepdim)))


def _truth(input, y):
    return _w.cast(y, uint8) if input.dtype == uint8 else y


def logsumexp(input, dim, keepdim=False, *, out=None):
    return put(out, _w.logsumexp(input, dim, keepdim))


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if dtype is not None:
        input = _w.cast(input, dtype)
    if not input.dtype.is_inexact:
        raise NotImplementedError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                                  f"{_scalar(input.dtype)}")
    if p is None or p == "fro":
        p = 2.0
    elif p == "nuc":
        return put(out, __import__("torch.linalg").matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim))
    if p == 2 and followed(input):
        return put(out, _norm2(input, _dims(dim), keepdim))
    return put(out, _w.norm(input, p, _dims(dim), keepdim))


def _norm2(x, dims, keepdim):
    # The slope at 0 is taken as 0.
    if x.dtype.itemsize == 2:
        return _w.cast(_norm2(_w.cast(x, float32), dims, keepdim), x.dtype)
    if x.dtype.is_complex:
        re, im = _w.real(x), _w.imag(x)
        square = _w.sum(re * re + im * im, dims, keepdim)
    else:
        square = _w.sum(x * x, dims, keepdim)
    zero = _w.eq(square, 0)
    return _w.label(_w.where(zero, 0.0 * square, _w.sqrt(_w.where(zero, 1.0, square))), "norm")


def dist(input, other, p=2):
    if not isinstance(other, _w.Tensor):
        raise TypeError(f"dist(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return _w.label(_w.norm(input - other, p), "dist")


def renorm(input, p, dim, maxnorm):
    dims = [k for k in range(input.ndim) if k != dim % input.ndim]
    size = _norm2(input, dims, True) if p == 2 else _w.norm(input, p, dims, True)
    return input * _w.where(_w.gt(size, maxnorm), maxnorm / (size + 1e-7), 1.0)


def count_nonzero(input, dim=None):
    return _w.count_nonzero(input, dim)


def cumsum(input, dim, *, dtype=None, out=None):
    if input.ndim == 0:
        return put(out, cumsum(_w.reshape(input, (1,)), dim, dtype=dtype)[0].clone())
    if dtype is not None:
        input = _w.cast(input, dtype)
    elif not input.dtype.is_inexact and input.dtype != int64:
        input = _w.cast(input, int64)
    return put(out, _as_asked(_w.cumsum(input, dim), dtype))


def cumprod(input, dim, *, dtype=None, out=None):
    if input.ndim == 0:
        return put(out, cumprod(_w.reshape(input, (1,)), dim, dtype=dtype)[0].clone())
    if dtype is not None:
        input = _w.cast(input, dtype)
    elif not input.dtype.is_inexact and input.dtype != int64:
        input = _w.cast(input, int64)
    return put(out, _as_asked(_w.cumprod(input, dim), dtype))


def _axis(input, dim):
    __import__("torch._shape")._size_of(input, dim)  # is there such an axis?
    return dim % input.ndim


def _running(name):
    # The extreme so far and where it is: the last place that equals it.
    def running(input, dim, *, out=None):
        if input.ndim == 0:
            _w.sum(input, dim)  # is there such an axis?
            both = (_w.copy(input), _w.tensor(0))
        else:
            both = _w.op(name, [input], {"axis": _axis(input, dim)})
        if out is None:
            return pair(name, both)
        for to, x in zip(out, both):
            put(to.resize_(*x.shape) if to.shape != x.shape else to, x)
        return pair(name + "_out", tuple(out))
    running.__name__ = running.__qualname__ = name
    return running


cummax = _running("cummax")
cummin = _running("cummin")


def logcumsumexp(input, dim):
    if not input.dtype.is_inexact:
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{_scalar(input.dtype)}'")
    if input.ndim == 0:
        return logcumsumexp(_w.reshape(input, (1,)), dim)[0].clone()
    return _w.op("cumlogsumexp", [_floating(input)], {"axis": _axis(input, dim)})[0]


def diff(input, n=1, dim=-1, prepend=None, append=None):
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    return core.diff(input, n, dim, prepend, append) if n else _w.copy(input)


def trapezoid(y, x=None, *, dx=1.0, dim=-1):
    size = y.shape[dim]
    if size == 0:
        return _w.sum(y, dim)
    if x is None:
        return (_w.sum(y, dim) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * dx
    pair = _w.narrow(y, dim, 1, size - 1) + _w.narrow(y, dim, 0, size - 1)
    return _w.sum(pair * diff(x, dim=-1 if x.ndim == 1 else dim), dim) / 2


trapz = trapezoid


def _of_floats(input, dtype, name):
    if dtype is not None:
        return _w.cast(input, dtype)
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f'"{name}_lastdim_kernel_impl" not implemented for \'{_scalar(input.dtype)}\'')
    return input


def _over_axis(native, name):
    def over(input, dim=None, *, dtype=None):
        x = _of_floats(input, dtype, name)
        return native(x, dim) if x.ndim else native(_w.reshape(x, (1,)), dim)[0].clone()
    over.__name__ = over.__qualname__ = name
    return over


softmax = _over_axis(_w.softmax, "softmax")
log_softmax = _over_axis(_w.log_softmax, "log_softmax")


# ---- order statistics

def median(input, dim=None, keepdim=False):
    _no_bool(input, "median_out")
    if dim is None:
        if input.numel() == 0:
            return _w.full((), _math.nan if input.dtype.is_floating_point else -2 ** (8 * input.dtype.itemsize - 1), input.dtype)
        m = median(_w.reshape(_w.detach(input), (-1,)), 0).values
        if not followed(input):
            return m
        same = _w.logical_or(_w.eq(input, m), _w.logical_and(_w.is_nan(input), _w.is_nan(m)))
        return _shared(_w.max, _w.where(same, input, -_math.inf), "median")  # equal ones share the derivative
    if input.ndim == 0:
        v, i = median(_w.reshape(input, (1,)), dim)
        return pair("median", (_w.reshape(v, ()), _w.reshape(i, ())))
    values, index = _w.sort(input, dim)  # NaN last
    k = (input.shape[dim] - 1) // 2
    v, i = _w.narrow(values, dim, k, 1), _w.narrow(index, dim, k, 1)
    if input.dtype.is_floating_point:
        bad = _w.is_nan(input)
        some, first = _w.any(bad, dim, True), _w.argmax(bad, dim, True)
        v = _w.where(some, _w.take_along(input, first, dim), v)
        i = _w.where(some, first, i)
    return pair("median", (v, i) if keepdim else (_w.squeeze(v, dim), _w.squeeze(i, dim)))


def nanmedian(input, dim=None, keepdim=False):
    if not input.dtype.is_floating_point:
        return median(input, dim, keepdim)
    if dim is None:
        return median(input[_w.logical_not(_w.is_nan(input))])
    if input.ndim == 0:
        return median(input, dim, keepdim)
    values, index = _w.sort(input, dim)  # NaN last
    count = _w.sum(_w.cast(_w.logical_not(_w.is_nan(input)), int64), dim, True)
    k = _w.clip(_w.floor_div(count - 1, 2), 0, None)
    v, i = _w.take_along(values, k, dim), _w.take_along(index, k, dim)
    return pair("nanmedian", (v, i) if keepdim else (_w.squeeze(v, dim), _w.squeeze(i, dim)))


@_full
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    return put(out, _quantile(input, q, dim, keepdim, interpolation, False))


@_full
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    return put(out, _quantile(input, q, dim, keepdim, interpolation, True))


def _quantile(input, q, dim, keepdim, interpolation, skip):
    # Numbers along dim in order, the NaN last; skip: without these.
    if input.dtype not in (float32, float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                           f"{interpolation}")
    _w.sum(input, dim)  # is there such an axis?
    dim = None if input.ndim == 0 else dim
    if (input.numel() if dim is None else input.shape[dim]) == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    q = _w.cast(_w.detach(q), input.dtype) if isinstance(q, _w.Tensor) else placed(_w.tensor(float(q), input.dtype), input.device)
    if q.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    for k in _w.reshape(q, (-1,)).tolist():
        if not 0 <= k <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {k}")
    # a number of the dtype, its place in 64 bits
    return core.quantile(input, _w.cast(q, float64), dim, interpolation, keepdim, skip)


def mode(input, dim=-1, keepdim=False):
    if input.ndim == 0:
        _w.sum(input, dim)  # is there such an axis?
        return pair("mode", (_w.copy(input), _w.tensor(0)))
    values, index = _w.sort(input, dim)
    ordered = values.movedim(dim, -1)
    places = index.movedim(dim, -1)
    n = ordered.shape[-1]
    count = _w.sum(_w.cast(_w.eq(ordered.unsqueeze(-1), ordered.unsqueeze(-2)), int64), -1)
    best = _w.argmax(count, -1, True)  # the first of the most frequent: the smallest
    v = _w.take_along(ordered, best, -1)
    last = _w.argmax(_w.where(_w.eq(input.movedim(dim, -1), v), _w.arange(0, n, 1, int64), -1), -1, True)
    v, last = v.movedim(-1, dim), last.movedim(-1, dim)
    return pair("mode", (v, last) if keepdim else (_w.squeeze(v, dim), _w.squeeze(last, dim)))


def bincount(input, weights=None, minlength=0):
    n = input.numel()
    size = max_int(int(_w.max(input)) + 1 if n else 0, minlength)
    if n and int(_w.min(input)) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    start = _w.full((size,), 0, int64 if weights is None else weights.dtype)
    if n == 0:
        return start
    return _w.add_along(start, _w.cast(input, int64), _w.ones_like(input).to(start.dtype) if weights is None
                        else weights, 0)


def histc(input, bins=100, min=0, max=0):
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    lo, hi = float(min), float(max)
    if lo == 0 and hi == 0:
        lo, hi = float(_w.min(input)), float(_w.max(input))
        if lo == hi:
            lo, hi = lo - 1, hi + 1
    flat = _w.reshape(input, (-1,))
    flat = flat[_w.logical_and(_w.ge(flat, lo), _w.le(flat, hi))]
    place = _w.cast(_w.floor((flat - lo) * bins / (hi - lo)), int64)
    counts = bincount(_w.minimum(place, bins - 1), minlength=bins)
    return _w.cast(counts, input.dtype)


def erfc(input):
    return _w.erfc(input) if hasattr(_w, "erfc") else 1 - _w.erf(input)
