# tensorflow._ops -- functions of tensors: elementwise, reductions, shapes, slices, products.
import _array
import _special
import _tf as _w
import numpy as _np
from collections import namedtuple as _namedtuple
from tensorflow._base import (state, op, as_tensor, like, axes_of, ints, dtype_of, InvalidArgumentError, UnimplementedError, TensorShape, TensorSpec, float32,
                              float64, int32, int64, uint8, uint32, uint64, bool_, as_operand, signed, int8, int16, uint16)
from tensorflow._strings import string as _string, is_text as _is_text

_core = _array.Core(_array.Semantics(_w, as_tensor, as_tensor, many=list))
_abs, _min, _max, _sum, _round, _range, _pow, _all, _any, _bool, _sorted = abs, min, max, sum, round, range, pow, all, any, bool, sorted


# ---- creation ----

@op("Const")
def constant(value, dtype=None, shape=None):
    if dtype is _string or _is_text(value) or getattr(value, "dtype", None) is _string:
        if dtype not in (None, _string) or shape is not None:
            raise TypeError(f"Cannot convert {value!r} to a tensor of another type or shape than its own")
        return as_tensor(value)
    if dtype is not None:
        x = _w.cast(as_tensor(value), dtype) if isinstance(value, _w.Tensor) else as_operand(value, dtype_of(dtype))
    else:
        x = as_tensor(value)
    if isinstance(value, _w.Tensor) and not _w.about(x, "symbolic"):
        x = _w.copy(_w.detach(x))
    if shape is not None:
        shape = ints(shape)
        n = 1
        for s in shape:
            n *= s
        if _w.about(x, "count") == n:
            return _w.reshape(x, shape)
        if _w.about(x, "count") != 1:
            raise TypeError(f"Eager execution of tf.constant with unsupported shape. Tensor {x} (converted from {value}) has {_w.about(x, 'count')} elements, but got `shape` {TensorShape(shape)} with {n} elements).")
        return _w.copy(_w.broadcast_to(x, shape))
    return x


@op("Identity")
def convert_to_tensor(value, dtype=None, dtype_hint=None):
    if isinstance(value, _w.Tensor) or hasattr(value, "__tensor__") or _is_text(value):
        return as_tensor(value, dtype)
    if dtype is not None:
        return as_operand(value, dtype_of(dtype))
    if dtype_hint is not None:
        try:
            return as_operand(value, dtype_of(dtype_hint))
        except (TypeError, ValueError):
            pass
    return as_tensor(value)


@op("Identity")
def identity(input):
    return _w.positive(as_tensor(input)) if as_tensor(input).dtype != bool_ else _w.copy(as_tensor(input))


@op("zeros")
def zeros(shape, dtype=float32):
    return _w.full(ints(shape), 0, dtype)


@op("ones")
def ones(shape, dtype=float32):
    return _w.full(ints(shape), 1, dtype)


@op("Fill")
def fill(dims, value):
    return _w.copy(_w.broadcast_to(as_tensor(value), ints(dims)))


@op("zeros_like")
def zeros_like(input, dtype=None):
    x = as_tensor(input)
    return _w.full(x.shape, 0, x.dtype if dtype is None else dtype)


@op("ones_like")
def ones_like(input, dtype=None):
    x = as_tensor(input)
    return _w.full(x.shape, 1, x.dtype if dtype is None else dtype)


@op("eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype=float32):
    x = _w.eye(num_rows, num_rows if num_columns is None else num_columns, 0, dtype)
    return x if batch_shape is None else _w.copy(_w.broadcast_to(x, list(batch_shape) + list(x.shape)))


def _number(x):
    return x.item() if isinstance(x, _w.Tensor) else x.__tensor__().item() if hasattr(x, "__tensor__") else x


class SymbolicRange:
    # A range whose bounds are not known while tracing: a loop of a tf.function can go over it.
    def __init__(self, start, limit, delta, dtype):
        self.start, self.limit, self.delta, self.dtype = start, limit, delta, dtype

    def staged_rows(self, stage):
        import _stage
        a, b, d = [_w.cast(as_tensor(v), int64) for v in (self.start, self.limit, self.delta)]
        one = _w.sign(d)
        n = _w.maximum(_w.floor_div(b - a + d - one, d), 0)
        return _stage.Sym(stage, "int", n), lambda i: _w.cast(a + _w.cast(as_tensor(i), int64) * d, self.dtype)

    def __tensor__(self):
        import _stage
        raise _stage.Refuse("the size of a range is not known while tracing")


@op("range")
def range(start, limit=None, delta=1, dtype=None):
    if limit is None:
        start, limit = 0, start
    given = [v.dtype for v in (start, limit, delta) if isinstance(v, _w.Tensor)]
    if [v for v in (start, limit, delta) if isinstance(v, _w.Tensor) and _w.about(v, "symbolic")]:
        if not state.funcs:
            a, b, d = [_w.cast(as_tensor(v), dtype if dtype is not None else given[0]) for v in (start, limit, delta)]
            if a.dtype.is_floating:
                n = _w.cast(_w.ceil((b - a) / d), int64)
            else:
                n = _w.floor_div(_w.cast(b - a + d - _w.sign(d), int64), _w.cast(d, int64))
            return a + d * _w.cast(_w.iota("int64", (_w.size_of(_w.maximum(n, 0)),)), a.dtype)
        return SymbolicRange(start, limit, delta, dtype if dtype is not None else given[0])
    start, limit, delta = _number(start), _number(limit), _number(delta)
    if dtype is None:
        dtype = given[0] if given else float32 if _any([isinstance(v, float) for v in (start, limit, delta)]) else int32
    return _w.arange(start, limit, delta, dtype)


@op("linspace")
def linspace(start, stop, num, axis=0):
    a, b = like(start, stop)
    if axis not in (0, -1) or axis == -1 and a.ndim:
        return _w.move_axis(linspace(a, b, num), 0, axis)
    if a.ndim == 0 and b.ndim == 0 and not _w.about(a, "symbolic"):
        return _w.linspace(a.item(), b.item(), int(_number(num)), True, a.dtype if a.dtype.is_floating else float64)
    t = _w.linspace(0.0, 1.0, int(_number(num)), True, a.dtype)
    t = _w.reshape(t, [-1] + [1] * a.ndim)
    return a + (b - a) * t


# ---- elementwise ----

def _unary(name, fn):
    def call(x):
        return fn(as_tensor(x))
    return op(name)(call)


def _binary(name, fn):
    def call(x, y):
        x, y = like(x, y)
        return fn(x, y)
    return op(name)(call)


def _floats(fn):
    def call(x):
        if not x.dtype.is_floating:
            raise InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: bfloat16, half, float, double")
        return fn(x)
    return call


def _abs_of(x):
    # its derivative at 0 is 0
    return x * _w.stop_gradient(_w.sign(x)) if x.dtype.is_floating else _w.abs(signed(x))


def _sign_of(x):
    # its derivative is 0, not nothing
    y = _w.sign(signed(x))
    return _w.where(False, x, y) if x.dtype.is_floating else y


_math = {
    "abs": _abs_of, "negative": lambda x: _w.neg(signed(x)), "exp": _w.exp, "expm1": _w.expm1, "log": _w.log, "log1p": _w.log1p, "sin": _w.sin, "cos": _w.cos,
    "tan": _w.tan, "asin": _w.asin, "acos": _w.acos, "atan": _w.atan, "sinh": _w.sinh, "cosh": _w.cosh, "tanh": _w.tanh,
    "asinh": _w.asinh, "acosh": _w.acosh, "atanh": _w.atanh, "sqrt": _w.sqrt, "rsqrt": _w.rsqrt, "square": _w.square,
    "sign": _sign_of, "floor": _floats(_w.floor), "ceil": _floats(_w.ceil), "round": _w.round, "rint": _floats(_w.round), "sigmoid": _w.sigmoid, "erf": _w.erf, "erfinv": _w.erf_inv,
    "reciprocal": _w.reciprocal, "is_finite": _w.is_finite, "is_nan": _w.is_nan, "is_inf": _w.is_inf, "log_sigmoid": _w.log_sigmoid,
    "erfc": _w.erfc, "lgamma": lambda x: _special.gammaln(_w, x), "digamma": lambda x: _special.digamma(_w, x),
}
_kernel_names = {"abs": "Abs", "negative": "Neg", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "square": "Square", "tanh": "Tanh",
                 "sigmoid": "Sigmoid", "sin": "Sin", "cos": "Cos", "is_nan": "IsNan", "floor": "Floor", "round": "Round", "sign": "Sign",
                 "ceil": "Ceil", "rsqrt": "Rsqrt", "reciprocal": "Reciprocal", "log1p": "Log1p", "expm1": "Expm1", "erf": "Erf"}
for _n, _f in _math.items():
    globals()[_n] = _unary(_kernel_names.get(_n, _n), _f)


def _part(name, fn, kinds):
    def call(input):
        x = as_tensor(input)
        if x.dtype.is_complex or x.dtype in kinds:
            return fn(x)
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {x.dtype.name}")
    return op(name)(call)


_wide = (float32, float64)
real = _part("Real", _w.real, (dtype_of("float16"), dtype_of("bfloat16"), int32, int64, dtype_of("int8"), dtype_of("int16"), uint8) + _wide)
imag, angle = _part("Imag", _w.imag, _wide), _part("Angle", _w.angle, _wide)
conj = op("Conj")(lambda x: _w.conj(as_tensor(x)))


@op("Complex")
def complex(real, imag):
    real, imag = like(real, imag)
    if real.dtype not in (float32, float64) or real.dtype != imag.dtype:
        raise TypeError(f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. They must be consistent, and one of [tf.float32, tf.float64]")
    return _w.complex(real, imag)


logical_not = op("LogicalNot")(lambda x: _w.logical_not(as_tensor(x)))
stop_gradient = op("StopGradient")(lambda input: _w.stop_gradient(as_tensor(input)))


def _divide(x, y):
    if x.dtype != y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype == bool_:
        raise TypeError(f"Invalid dtype {x.dtype!r} in __truediv__.")
    if not x.dtype.is_inexact:
        wide = float64 if x.dtype in (int32, int64, uint32, uint64) else float32
        x, y = _w.cast(x, wide), _w.cast(y, wide)
    return _w.div(x, y)


def _power(x, y):
    if x.dtype in (uint8, bool_):
        raise InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128")
    if not x.dtype.is_inexact and not _w.about(y, "symbolic") and _w.any(y < 0).item():
        raise InvalidArgumentError("Integers to negative integer powers are not allowed")
    if x.dtype.is_floating:     # the slope of x^y at 0 to the 0 is 0 times the infinite one of x^-1
        both = _w.logical_and(x == 0, y == 0)
        x = _w.where(both, _w.sqrt(_w.where(both, x, 1.0)), x)
    return _w.pow(x, y)


def _quotient(x, y):
    return _w.floor(x / y) if x.dtype.is_floating else _w.floor_div(x, y)


def _divided(fn):
    # integers are not divided by 0
    def call(x, y):
        if not y.dtype.is_floating and not _w.about(y, "symbolic") and _w.about(y, "count") and not _w.all(y).item():
            raise InvalidArgumentError("Integer division by zero")
        return fn(x, y)
    return call


def _numbers(fn):
    # functions that have no kernels for bools
    def call(x, y):
        if x.dtype == bool_:
            raise InvalidArgumentError("Value for attr 'T' of bool is not in the list of allowed values")
        return fn(x, y)
    return call


def _no_nan(x, y):
    zero = y == _w.zeros_like(y)
    return _w.where(zero, _w.zeros_like(x * y), _w.div(x, _w.where(zero, _w.ones_like(y), y)))


def _maximum(x, y):
    # where both are equal the gradient is x's; NaN of either is the result
    return _w.where(_w.logical_or(x >= y, x != x), x, y) if x.dtype.is_floating else _w.where(x >= y, x, y)


def _minimum(x, y):
    return _w.where(_w.logical_or(x <= y, x != x), x, y) if x.dtype.is_floating else _w.where(x <= y, x, y)


for _n, _k, _f in (("subtract", "Sub", _w.sub), ("multiply", "Mul", _w.mul), ("divide", "truediv", _divide),
                   ("truediv", "truediv", _divide), ("floordiv", "floordiv", _divided(_quotient)), ("mod", "FloorMod", _divided(_w.remainder)),
                   ("floormod", "FloorMod", _divided(_w.remainder)), ("pow", "Pow", _power), ("maximum", "Maximum", _maximum), ("minimum", "Minimum", _minimum),
                   ("equal", "Equal", _w.eq), ("not_equal", "NotEqual", _w.ne), ("less", "Less", _w.lt), ("less_equal", "LessEqual", _w.le),
                   ("greater", "Greater", _w.gt), ("greater_equal", "GreaterEqual", _w.ge), ("logical_and", "LogicalAnd", _w.logical_and),
                   ("logical_or", "LogicalOr", _w.logical_or), ("logical_xor", "LogicalXor", _w.logical_xor), ("atan2", "Atan2", _w.atan2),
                   ("divide_no_nan", "DivNoNan", _no_nan), ("multiply_no_nan", "MulNoNan", lambda x, y: _w.where(y == 0, _w.zeros_like(x * y), x * y)),
                   ("squared_difference", "SquaredDifference", lambda x, y: _w.square(x - y)), ("floor_div", "FloorDiv", _quotient),
                   ("xlogy", "Xlogy", lambda x, y: _w.where(x == 0, _w.zeros_like(x * y), x * _w.log(_w.where(x == 0, _w.ones_like(x * y), y + x * 0)))),
                   ("bitwise_and", "BitwiseAnd", _w.bitwise_and), ("bitwise_or", "BitwiseOr", _w.bitwise_or)):
    globals()[_n] = _binary(_k, _f if _n in ("equal", "not_equal", "logical_and", "logical_or", "logical_xor", "divide", "truediv") else _numbers(_f))
realdiv = divide


def scalar_mul(scalar, x, name=None):
    if hasattr(scalar, "shape") and scalar.shape.rank:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return multiply(scalar, x)



@op("Add")
def add(x, y):
    # The first operand has a dtype of its own; the second takes it if it can.
    x = as_tensor(x)
    if isinstance(y, _bool) and x.dtype not in (int32, int64, bool_) and not x.dtype.is_inexact:
        y = as_tensor(y)
    try:
        x, y = like(x, y)
    except TypeError as e:
        raise InvalidArgumentError(str(e)) from None
    return _numbers(_w.add)(x, y)


# operators have names of their own in a graph
operators = {"add": _binary("add", _w.add), "sub": _binary("sub", _w.sub), "mul": _binary("mul", _w.mul), "truediv": _binary("truediv", _divide),
             "floordiv": _binary("floordiv", _divided(_quotient)), "mod": _binary("mod", _divided(_w.remainder)), "pow": _binary("pow", _power),
             "and": _binary("and", _w.bitwise_and), "or": _binary("or", _w.bitwise_or), "xor": _binary("xor", _w.bitwise_xor),
             "lt": less, "le": less_equal, "gt": greater, "ge": greater_equal, "eq": equal, "ne": not_equal}


@op("Cast")
def cast(x, dtype):
    x = as_tensor(x)
    if x.dtype is _string and dtype is not _string:
        raise UnimplementedError(f"Cast string to {dtype_of(dtype).name} is not supported")
    if x.dtype.is_floating and dtype_of(dtype) in (int8, uint8, int16, uint16):
        x = _w.cast(x, int64)       # too large ones wrap
    return x if dtype is _string and x.dtype is _string else _w.cast(x, dtype)


def to_float(x):
    return cast(x, float32)


def to_int32(x):
    return cast(x, int32)


@op("saturate_cast")
def saturate_cast(value, dtype):
    x, to = as_tensor(value), dtype_of(dtype)
    if not to.is_floating and (x.dtype.is_floating or x.dtype.size > to.size or x.dtype.is_unsigned != to.is_unsigned):
        lo, hi = _max(x.dtype.min, to.min), _min(x.dtype.max, to.max)
        x = _w.where(x < lo, _w.full((), lo, x.dtype), _w.where(x > hi, _w.full((), hi, x.dtype), x))
    return _w.cast(x, to)


@op("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max):
    x = as_tensor(t)
    lo, hi = as_operand(clip_value_min, x.dtype), as_operand(clip_value_max, x.dtype)
    kept = _w.where(x == x, x, _w.stop_gradient(x)) if x.dtype.is_floating else x       # NaN stays and has no gradient
    return _w.where(x < lo, lo, _w.where(x > hi, hi, kept))


@op("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None):
    x = as_tensor(t)
    n = _w.sqrt(_w.sum(x * x, axes_of(axes), True))
    return x * clip_norm / _w.maximum(n, clip_norm)


@op("global_norm")
def global_norm(t_list):
    total = None
    for t in t_list:
        if t is not None:
            s = _w.sum(_w.square(as_tensor(t)))
            total = s if total is None else total + s
    return _w.sqrt(total)


def _clip_scale(norm, clip):
    # NaN where the norm is not finite, so that all become NaN
    n = as_tensor(norm)
    return _w.where(_w.is_finite(n), clip / _w.maximum(n, as_operand(clip, n.dtype)), float("nan"))


def clip_by_global_norm(t_list, clip_norm, use_norm=None):
    norm = global_norm(t_list) if use_norm is None else use_norm
    scale = op("clip_scale")(_clip_scale)(norm, clip_norm)
    return [None if t is None else multiply(t, scale) for t in t_list], norm


@op("AddN")
def add_n(inputs):
    xs = [as_tensor(x) for x in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
    if not xs:
        raise ValueError("Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.")
    r = xs[0]
    for x in xs[1:]:
        if x.ndim != r.ndim or [1 for p, q in zip(x.shape, r.shape) if isinstance(p, int) and isinstance(q, int) and p != q]:
            raise InvalidArgumentError(f"Inputs to operation AddN must have the same size and shape: {_sizes(r)} and {_sizes(x)}")
        r = r + x
    return identity(r) if len(xs) == 1 else r


accumulate_n = add_n


def _select(fitted):
    # where, by what makes the condition fit x and y, or refuses it
    @op("Select")
    def where(condition, x=None, y=None):
        c = as_tensor(condition)
        if x is None and y is None:
            return _w.nonzero(c)
        if x is None or y is None:
            raise ValueError("x and y must both be non-None or both be None.")
        x, y = like(x, y)
        return _w.where(fitted(c, x, y), x, y)
    return where


where = _select(lambda c, x, y: c)


where_v2 = where


# ---- reductions ----

def _reduction(name, fn):
    def call(input_tensor, axis=None, keepdims=False, reduction_indices=None, keep_dims=False):
        x = as_tensor(input_tensor)
        axis = reduction_indices if axis is None else axis
        return fn(x, axes_of(axis), keepdims or keep_dims)
    return op(name)(call)


def _mean(x, axis, keep):
    if x.dtype.is_floating:
        return _w.mean(x, axis, keep)
    n = _w.about(x, "count") // _max(_w.about(_w.sum(x, axis, True), "count"), 1)
    total = _w.sum(x, axis, keep)
    return _w.cast(_w.sign(total) * _w.floor_div(_w.abs(total), n), x.dtype)      # towards 0


def _of(fits, fn, error=InvalidArgumentError):
    # a reduction that has kernels for some dtypes alone
    def reduce(x, axis, keep):
        if not fits(x):
            raise error(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values")
        return fn(x, axis, keep)
    return reduce


def _extreme(fn, empty):
    # of nothing: the least, or the greatest, that the dtype has
    def reduce(x, axis, keep):
        if _w.about(x, "count") == 0 and x.dtype != bool_:
            least = float(empty + "inf") if x.dtype.is_floating else x.dtype.min if empty else x.dtype.max
            return _w.full(list(_w.sum(x, axis, keep).shape), least, x.dtype)
        return fn(x, axis, keep)
    return reduce


def _same(fn):
    return lambda x, axis, keep: _w.cast(fn(x, axis, keep), x.dtype)


reduce_sum = _reduction("Sum", _same(_w.sum))
reduce_prod = _reduction("Prod", _same(_w.prod))
reduce_mean = _reduction("Mean", _mean)
reduce_max = _reduction("Max", _extreme(_w.max, "-"))
reduce_min = _reduction("Min", _extreme(_w.min, ""))
reduce_all = _reduction("All", _of(lambda x: x.dtype == bool_, _w.all))
reduce_any = _reduction("Any", _of(lambda x: x.dtype == bool_, _w.any))
reduce_logsumexp = _reduction("ReduceLogSumExp", _of(lambda x: x.dtype.is_inexact, _w.logsumexp))
reduce_variance = _reduction("reduce_variance", _of(lambda x: x.dtype.is_inexact, lambda x, axis, keep: _w.var(x, axis, 0, keep), TypeError))
reduce_std = _reduction("reduce_std", _of(lambda x: x.dtype.is_inexact, lambda x, axis, keep: _w.std(x, axis, 0, keep), TypeError))
reduce_euclidean_norm = _reduction("EuclideanNorm", _same(lambda x, axis, keep: _w.sqrt(_w.sum(x * x, axis, keep))))
_nonzeros = _reduction("count_nonzero", lambda x, axis, keep: _w.sum(_w.cast(x if x.dtype == bool_ else x != 0, int64), axis, keep))


def count_nonzero(input=None, axis=None, keepdims=None, dtype=int64, name=None, input_tensor=None, keep_dims=None, reduction_indices=None):
    x = _nonzeros(input_tensor if input is None else input, reduction_indices if axis is None else axis, _bool(keepdims or keep_dims), name=name)
    return x if dtype is int64 else cast(x, dtype)


def _but_nan(x, least):
    # NaN is never the extreme element
    x = as_tensor(x)
    return _w.where(_w.is_nan(x), _w.full((), least, x.dtype), x) if x.dtype.is_floating else x


@op("ArgMax")
def argmax(input, axis=None, output_type=int64, dimension=None):
    return _w.cast(_w.argmax(_but_nan(input, -float("inf")), (dimension or 0) if axis is None else int(axis)), output_type)


@op("ArgMin")
def argmin(input, axis=None, output_type=int64, dimension=None):
    return _w.cast(_w.argmin(_but_nan(input, float("inf")), (dimension or 0) if axis is None else int(axis)), output_type)


def _running(fn):
    def call(x, axis=0, exclusive=False, reverse=False):
        x = as_tensor(x)
        if reverse:
            x = _w.flip(x, axis)
        y = _w.cast(fn(x, axis), x.dtype)
        if exclusive and x.shape[axis]:
            n = x.shape[axis]
            first = _w.full([1 if i == axis % x.ndim else d for i, d in enumerate(x.shape)], 0 if fn is _w.cumsum else 1, x.dtype)
            y = _w.concat([first, _w.narrow(y, axis, 0, n - 1)], axis)
        return _w.flip(y, axis) if reverse else y
    return call


cumsum = op("Cumsum")(_running(_w.cumsum))
cumprod = op("Cumprod")(_running(_w.cumprod))


@op("bincount")
def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=int32):
    x = as_tensor(arr)
    if _w.about(x, "count") and _w.min(x).item() < 0:
        raise InvalidArgumentError("Input arr must be non-negative!")
    n = _max(int(_w.max(x).item()) + 1 if _w.about(x, "count") else 0, minlength or 0)
    if maxlength is not None:
        n = _min(n, maxlength)
    w = _w.full(x.shape, 1, dtype) if weights is None else as_tensor(weights)
    return _w.index_add(_w.full([n], 0, w.dtype), x, w)


# ---- shapes ----

@op("Shape")
def shape(input, out_type=int32):
    return _w.tensor(list(as_tensor(input).shape), out_type)


@op("Rank")
def rank(input):
    return _w.tensor(as_tensor(input).ndim, int32)


@op("Size")
def size(input, out_type=int32):
    return _w.tensor(_w.about(as_tensor(input), "count"), out_type)


@op("Reshape")
def reshape(tensor, shape):
    x, dims = as_tensor(tensor), ints(shape)
    if -1 not in dims:
        n = 1
        for d in dims:
            n *= d
        if n != _w.about(x, "count"):
            text = f"Input to reshape is a tensor with {_w.about(x, 'count')} values, but the requested shape has {n}"
            raise ValueError(text) if _w.in_trace() else InvalidArgumentError(text)
    return _w.reshape(x, dims)


@op("transpose")
def transpose(a, perm=None, conjugate=False):
    x, perm = as_tensor(a), axes_of(perm)
    if perm is not None and len(perm) != x.ndim:
        raise InvalidArgumentError(f"transpose expects a vector of size {x.ndim}. But input(1) is a vector of size {len(perm)}")
    y = _w.permute(x, perm)
    return _w.conj(y) if conjugate and y.dtype.is_complex else y


@op("ExpandDims")
def expand_dims(input, axis=None, dim=None):
    return _w.expand_dims(as_tensor(input), int(dim if axis is None else axis))


@op("Squeeze")
def squeeze(input, axis=None, squeeze_dims=None):
    x = as_tensor(input)
    axis = axes_of(squeeze_dims if axis is None else axis)
    for a in [] if axis is None else [axis] if isinstance(axis, int) else axis:
        if x.shape[a] != 1:
            raise InvalidArgumentError(f"Can not squeeze dim[{a}], expected a dimension of 1, got {x.shape[a]}")
    return _w.squeeze(x, axis)


@op("BroadcastTo")
def broadcast_to(input, shape):
    return _w.broadcast_to(as_tensor(input), ints(shape))


def broadcast_static_shape(a, b):
    return TensorShape(_np.broadcast_shapes(tuple(a), tuple(b)))


def _uniform(values):
    xs = [v if isinstance(v, _w.Tensor) or hasattr(v, "__tensor__") else None for v in values]
    known = [as_tensor(x).dtype for x in xs if x is not None]
    if not known:
        return [as_tensor(v) for v in values]
    return [as_operand(v, known[0]) if x is None else as_tensor(x) for v, x in zip(values, xs)]


@op("concat")
def concat(values, axis=0):
    xs = _uniform(values)
    return _w.concat(xs, int(axis))


@op("stack")
def stack(values, axis=0):
    return _w.stack(_uniform(values), int(axis))


pack = stack


@op("unstack")
def unstack(value, num=None, axis=0):
    x = as_tensor(value)
    if num is not None and num != x.shape[axis]:
        raise InvalidArgumentError(f"Input shape axis {axis} must equal {num}, got shape {_sizes(x)}")
    return [_w.take(x, i, axis) for i in _range(x.shape[axis])]


@op("split")
def split(value, num_or_size_splits, axis=0, num=None):
    x = as_tensor(value)
    n = x.shape[axis]
    if isinstance(num_or_size_splits, int):
        if isinstance(n, int) and n % num_or_size_splits:
            raise InvalidArgumentError(f"Dimension size, {n}, must be evenly divisible by number of splits, {num_or_size_splits}")
        sizes = [n // num_or_size_splits] * num_or_size_splits
    else:
        sizes = ints(num_or_size_splits)
        if num is not None and num != len(sizes):
            raise ValueError(f"Dimension 0 in both shapes must be equal, but are {len(sizes)} and {num}.")
        if -1 in sizes:
            at = sizes.index(-1)
            sizes[at] = n - _sum(sizes) - 1
    return list(_w.split(x, sizes, axis))


@op("Tile")
def tile(input, multiples):
    return _w.tile(as_tensor(input), ints(multiples))


@op("repeat")
def repeat(input, repeats, axis=None):
    x = as_tensor(input)
    if axis is None:
        x, axis = _w.reshape(x, [-1]), 0
    counts = repeats if isinstance(repeats, int) else as_tensor(repeats).tolist()
    if isinstance(counts, int):
        return _w.repeat(x, counts, axis)
    places = []
    for i, k in enumerate(counts * x.shape[axis] if len(counts) == 1 else counts):
        places += [i] * k
    return _w.take(x, _w.tensor(places, int64), axis)


@op("Pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0):
    x = as_tensor(tensor)
    pairs = paddings.tolist() if isinstance(paddings, _w.Tensor) else [[int(a), int(b)] for a, b in paddings]
    if mode.upper() not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(f"Value of argument `mode` expected to be one of 'CONSTANT', 'REFLECT', or 'SYMMETRIC'. Received `mode` = '{mode}'")
    options = {"constant_values": constant_values} if mode.upper() == "CONSTANT" else {}
    return _core.pad(x, pairs, mode.lower(), **options)


@op("ReverseV2")
def reverse(tensor, axis):
    x = as_tensor(tensor)
    return _w.flip(x, axes_of(axis)) if x.ndim else x


@op("Roll")
def roll(input, shift, axis):
    return _core.roll(input, shift, axis)


@op("meshgrid")
def meshgrid(*args, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    return [_w.copy(x) for x in _core.meshgrid(*args, indexing=indexing)]


# ---- picking ----

def _key(k):
    if isinstance(k, tuple):
        return tuple([_key(x) for x in k])
    if isinstance(k, slice):
        return slice(*[None if b is None else int(_number(b)) for b in (k.start, k.stop, k.step)])
    if hasattr(k, "__tensor__"):
        return k.__tensor__()
    return k


@op("strided_slice")
def getitem(x, key):
    return as_tensor(x)[_key(key)]


@op("Slice")
def slice_(input_, begin, size):
    x = as_tensor(input_)
    for a, (b, n) in enumerate(zip(ints(begin), ints(size))):
        x = _w.narrow(x, a, b, x.shape[a] - b if n == -1 else n)
    return x


@op("StridedSlice")
def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0, var=None):
    if var is not None:
        raise NotImplementedError("strided_slice: var")
    begin, end = ints(begin), ints(end)
    strides = [1] * len(begin) if strides is None else ints(strides)
    key = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(...)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(b)
        else:
            key.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    return as_tensor(input_)[tuple(key)]


def _checked(ix, n, x):
    # x, whose elements are picked, and the places. While a function is traced, places that it has not are an error of the call, and only if what is
    # picked is needed: x is marked with the message.
    if _w.about(ix, "symbolic") or _w.about(ix, "count") == 0 or not isinstance(n, int):
        return x, ix
    lo, hi = _w.min(ix).item(), _w.max(ix).item()
    if 0 <= lo and hi < n:
        return x, ix
    text = f"indices[0] = {lo if lo < 0 else hi} is not in [0, {n})"
    if not state.funcs or not _w.about(x, "symbolic"):
        raise InvalidArgumentError(text)
    return _w.op("name", [x], {"as": state.funcs[-1].mistaken(text)})[0], _w.clip(ix, 0, _max(n - 1, 0))


@op("GatherV2")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0):
    if validate_indices is False:
        raise NotImplementedError("gather: validate_indices=False")
    x, ix = as_tensor(params), as_tensor(indices)
    if batch_dims:
        axis = batch_dims if axis is None else axis
        parts = [gather(x[i], ix[i], None, axis - 1, batch_dims - 1) for i in _range(x.shape[0])]
        return _w.stack(parts, 0)
    axis = 0 if axis is None else int(axis)
    x, ix = _checked(ix, x.shape[axis], x)
    y = _w.take(x, ix, axis)
    if axis == 0:
        for tape in state.tapes:
            tape.gathered(x, ix, y)
    return y


def _nd_key(ix):
    return tuple([ix[..., k] for k in _range(ix.shape[-1])])


@op("GatherNd")
def gather_nd(params, indices, batch_dims=0):
    x, ix = as_tensor(params), as_tensor(indices)
    batch_dims = int(_number(batch_dims))
    if batch_dims:
        return _w.stack([gather_nd(x[i], ix[i], batch_dims - 1) for i in _range(x.shape[0])], 0)
    key = []
    for k in _range(ix.shape[-1]):
        x, at = _checked(ix[..., k], x.shape[k], x)
        key.append(at)
    return x[tuple(key)]


@op("boolean_mask")
def boolean_mask(tensor, mask, axis=None):
    x, m = as_tensor(tensor), as_tensor(mask)
    if axis:
        return _w.take(x, _w.reshape(_w.nonzero(m), [-1]), axis)
    return x[m]


@op("TensorScatterUpdate")
def tensor_scatter_nd_update(tensor, indices, updates):
    x, updates = like(tensor, updates)
    return _w.index_set(x, _nd_key(as_tensor(indices)), updates)


@op("TensorScatterAdd")
def tensor_scatter_nd_add(tensor, indices, updates):
    x, updates = like(tensor, updates)
    return _w.index_add(x, _nd_key(as_tensor(indices)), updates)


@op("TensorScatterSub")
def tensor_scatter_nd_sub(tensor, indices, updates):
    x, updates = like(tensor, updates)
    return _w.index_add(x, _nd_key(as_tensor(indices)), -updates)


@op("ScatterNd")
def scatter_nd(indices, updates, shape):
    u = as_tensor(updates)
    return _w.index_add(_w.full(ints(shape), 0, u.dtype), _nd_key(as_tensor(indices)), u)


@op("one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=-1, dtype=None):
    ix, n = as_tensor(indices), int(_number(depth))
    if ix.dtype.is_floating or n < 0:
        raise InvalidArgumentError(f"depth must be non-negative, got: {n}" if n < 0 else f"Value for attr 'TI' of {ix.dtype.name} is not in the list of allowed "
                                   "values: uint8, int8, int32, int64")
    d = dtype if dtype is not None else float32
    hot = ix[..., None] == _w.arange(0, n, 1, ix.dtype)
    y = _w.cast(hot, d) if on_value is None and off_value is None else _w.where(hot, _w.cast(as_tensor(1 if on_value is None else on_value), d), _w.cast(as_tensor(off_value or 0), d))
    return y if axis == -1 else _w.move_axis(y, -1, axis)


@op("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype=bool_):
    n = as_tensor(lengths)
    m = int(_w.max(n).item()) if maxlen is None else int(_number(maxlen))
    return _w.cast(_w.arange(0, m, 1, n.dtype) < n[..., None], dtype)


@op("sort")
def sort(values, axis=-1, direction="ASCENDING"):
    return _w.sort(as_tensor(values), axis, direction == "DESCENDING")[0]


@op("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False):
    return _w.cast(_w.sort(as_tensor(values), axis, direction == "DESCENDING")[1], int32)


TopK = _namedtuple("TopKV2", ["values", "indices"])
Unique = _namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = _namedtuple("UniqueWithCounts", ["y", "idx", "count"])


@op("TopKV2")
def top_k(input, k=1, sorted=True, index_type=int32):
    v, i = _w.top_k(as_tensor(input), int(_number(k)))
    return TopK(v, _w.cast(i, index_type))


@op("in_top_k")
def in_top_k(targets, predictions, k):
    p, t = as_tensor(predictions), as_tensor(targets)
    mine = _w.take_along(p, _w.expand_dims(t, 1), 1)
    found = _w.sum(_w.cast(p > mine, int32), 1) < k
    return _w.logical_and(found, _w.all(_w.is_finite(p), 1))


@op("searchsorted")
def searchsorted(sorted_sequence, values, side="left", out_type=int32):
    x, v = like(sorted_sequence, values)
    at = _w.searchsorted(x, v, side == "right")
    if v.dtype.is_floating:     # nothing is less than NaN
        at = _w.where(_w.is_nan(v), _w.full((), x.shape[-1] if side == "right" else 0, at.dtype), at)
    return _w.cast(at, out_type)


@op("Unique")
def unique(x, out_idx=int32):
    x = as_tensor(x)
    seen, order, places = {}, [], []
    for v in x.tolist():
        if v not in seen:
            seen[v] = len(order)
            order.append(v)
        places.append(seen[v])
    return Unique(_w.tensor(order, x.dtype), _w.tensor(places, out_idx))


@op("unique_with_counts")
def unique_with_counts(x, out_idx=int32):
    y, i = unique(x, out_idx)
    return UniqueWithCounts(y, i, bincount(i, dtype=out_idx))


# ---- products ----

@op("MatMul")
def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, b_is_sparse=False, output_type=None):
    x, y = like(a, b)
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("Only one of `transpose_a` and `adjoint_a`, or `transpose_b` and `adjoint_b`, can be True.")
    if a_is_sparse or b_is_sparse:      # a promise about zeros; of matrices of these types alone
        if x.dtype.name not in ("float32", "bfloat16") or x.ndim != 2:
            raise InvalidArgumentError("a_is_sparse, b_is_sparse: of matrices of float32 or bfloat16")
    if transpose_a or adjoint_a:
        x = _w.swap_axes(_w.conj(x) if adjoint_a and x.dtype.is_complex else x, -1, -2)
    if transpose_b or adjoint_b:
        y = _w.swap_axes(_w.conj(y) if adjoint_b and y.dtype.is_complex else y, -1, -2)
    if x.ndim >= 2 and y.ndim >= 2 and x.shape[-1] != y.shape[-2]:
        text = f"Matrix size-incompatible: In[0]: {_sizes(x)}, In[1]: {_sizes(y)}"
        raise ValueError(text) if _w.in_trace() else InvalidArgumentError(text)
    if x.ndim < 2 or y.ndim < 2:
        raise InvalidArgumentError(f"In[0] and In[1] has different ndims: {_sizes(x)} vs. {_sizes(y)}")
    if output_type is not None and dtype_of(output_type) != x.dtype:
        if x.dtype.name != "int8" or dtype_of(output_type) != int32:
            raise InvalidArgumentError(f"matmul: output_type {dtype_of(output_type).name} of {x.dtype.name}")
        x, y = _w.cast(x, int32), _w.cast(y, int32)
    return _w.matmul(x, y)


def _sizes(x):
    return "[" + ",".join([str(d) for d in x.shape]) + "]"


@op("MatVec")
def matvec(a, b, transpose_a=False):
    x, y = like(a, b)
    return _w.squeeze(_w.matmul(_w.swap_axes(x, -1, -2) if transpose_a else x, _w.expand_dims(y, -1)), -1)


@op("Tensordot")
def tensordot(a, b, axes):
    x, y = like(a, b)
    if isinstance(axes, _w.Tensor):
        axes = axes.tolist()
    return _core.tensordot(x, y, axes)


@op("einsum")
def einsum(equation, *inputs, optimize="greedy"):
    if optimize not in (None, False, True, "greedy", "optimal", "branch-2", "branch-all", "auto"):
        raise ValueError(f"einsum: optimize={optimize!r}")
    return _w.einsum(equation, _uniform(inputs))


@op("trace")
def trace(x):
    return _w.sum(_w.diagonal(as_tensor(x), 0), -1)


@op("MatrixBandPart")
def band_part(input, num_lower, num_upper):
    x = as_tensor(input)
    n, m = x.shape[-2], x.shape[-1]
    d = _w.expand_dims(_w.arange(0, n, 1, int32), 1) - _w.arange(0, m, 1, int32)
    low, up = int(_number(num_lower)), int(_number(num_upper))
    keep = _w.logical_and((d <= low) if low >= 0 else d == d, (-d <= up) if up >= 0 else d == d)
    return _w.where(keep, x, _w.zeros_like(x))


def solid(x, what):
    if not _w.about(x, "symbolic") and not _w.all(_w.is_finite(x)).item():
        raise InvalidArgumentError(what)
    return x


@op("MatrixInverse")
def inv(input, adjoint=False):
    x = as_tensor(input)
    return solid(_w.inv(_w.swap_axes(_w.conj(x) if x.dtype.is_complex else x, -1, -2) if adjoint else x), "Input is not invertible.")


det = op("MatrixDeterminant")(lambda input: _w.det(as_tensor(input)))


@op("MatrixSolve")
def solve(matrix, rhs, adjoint=False):
    a, b = like(matrix, rhs)
    return _w.solve(_w.swap_axes(_w.conj(a) if a.dtype.is_complex else a, -1, -2) if adjoint else a, b)


@op("MatrixTriangularSolve")
def triangular_solve(matrix, rhs, lower=True, adjoint=False):
    a, b = like(matrix, rhs)
    return _w.solve_triangular(a, b, lower, adjoint, False)


@op("l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, dim=None):
    x = as_tensor(x)
    s = _w.sum(x * x, axes_of(dim if axis is None else axis), True)
    return x * _w.rsqrt(_w.maximum(s, epsilon))


@op("ensure_shape")
def ensure_shape(x, shape):
    x = as_tensor(x)
    if not TensorShape(shape).is_compatible_with(x.shape):
        raise InvalidArgumentError(f"Shape of tensor {x.shape} is not compatible with expected shape {TensorShape(shape)}.")
    return x


def is_tensor(x):
    from tensorflow._base import TensorLike
    return isinstance(x, TensorLike) or hasattr(x, "__tensor__")


is_symbolic_tensor = is_tensor
