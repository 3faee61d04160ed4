# numpy._ufunc -- elementwise functions: callable with out=, where= and dtype=, and with
# reduce, accumulate, outer and at where there are two operands.
import _numpy as _w
from numpy._array import beside, written, ndarray
from numpy._floating import watching

_int, _sum = int, sum


def _masked(result, out, where, ufunc=None):
    if where is True:
        return written(result, out, ufunc)
    if out is None:
        return _w.where(where, result, 0)
    out[...] = _w.where(where, result, out)
    return out


_sums = {"add", "subtract", "multiply", "floor_divide", "remainder", "mod", "fmod", "power", "maximum", "minimum", "fmax", "fmin",
         "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm"}
_orders = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def _fitted(name, x, y):
    # An int beside an array: what the dtype does not hold is refused, or compared as what lies beyond it.
    how = 0 if name in _sums else 1 if name in _orders else 2
    return beside(x, y, how), beside(y, x, how)


class ufunc:
    # One operand or two: fn(x), fn(x, y).
    def __init__(self, name, fn, nin, reduce=None, accumulate=None, identity=None):
        self.__name__ = name
        self._fn = fn
        self.nin = nin
        self.nout = 1
        self._reduce = reduce
        self._accumulate = accumulate
        self.identity = identity

    def __call__(self, *args, out=None, where=True, dtype=None, casting=None):
        if len(args) == self.nin + 1:
            args, out = args[:-1], args[-1]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes from {self.nin} to {self.nin + 1} positional arguments but {len(args)} were given")
        if dtype is not None:
            args = [_w.cast(a, dtype) for a in args]
        elif self.nin == 2:
            args = _fitted(self.__name__, *args)
        r = self._fn(*args)
        if watching[0] is not None and where is True:
            watching[0](self.__name__, args, r)
        if out is None and where is True:
            return r
        return _masked(r, out, where, self.__name__)

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        x = _w.wrap(array)
        if dtype is not None:
            x = _w.cast(x, dtype)
        if where is not True:
            x = _w.where(where, x, self.identity if initial is None else initial)
        if self._reduce is not None:
            r = self._reduce(x, axis, keepdims=keepdims)
        else:
            n = x.shape[axis]
            if n == 0 and self.identity is None:
                raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
            parts = [_w.take(x, i, axis) for i in range(n)]
            r = parts[0]
            for p in parts[1:]:
                r = self._fn(r, p)
            if keepdims:
                r = _w.expand_dims(r, axis)
        if initial is not None:
            r = self._fn(initial, r)
        return written(r, out)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        x = _w.wrap(array)
        if dtype is not None:
            x = _w.cast(x, dtype)
        if self._accumulate is not None:
            return written(self._accumulate(x, axis), out)
        rows = [_w.take(x, 0, axis)]
        for i in range(1, x.shape[axis]):
            rows.append(self._fn(rows[-1], _w.take(x, i, axis)))
        return written(_w.stack(rows, axis), out)

    def outer(self, a, b, **kw):
        a, b = _w.wrap(a), _w.wrap(b)
        return self(_w.reshape(a, tuple(a.shape) + (1,) * b.ndim), b, **kw)

    def at(self, a, indices, b=None):
        # unbuffered: a place named twice counts twice. Places are numbers in the flat array, whatever the index is.
        shape = a.shape
        places = _w.array(_w.reshape(_w.arange(0, a.size), shape))[indices]
        at = _w.reshape(places, -1)
        values = [] if self.nin == 1 else [_w.reshape(_w.broadcast_to(_w.wrap(b), places.shape), -1)]
        flat = _w.array(_w.copy(_w.reshape(a, -1)))
        if self.__name__ in ("add", "subtract") and a.dtype.kind != "b":
            v = _w.cast(values[0], a.dtype)
            flat = _w.index_add(flat, at, v if self.__name__ == "add" else -v)
        elif len(set(at.tolist())) == at.size:
            flat[at] = self._fn(flat[at], *values)
        else:
            for k, i in enumerate(at.tolist()):
                flat[i] = self._fn(flat[i], *[v[k] for v in values])
        a[...] = _w.reshape(flat, shape)

    def reduceat(self, array, indices, axis=0):
        x = _w.wrap(array)
        ix = list(_w.wrap(indices).tolist()) + [x.shape[axis]]
        rows = []
        for i in range(len(ix) - 1):
            if ix[i] < ix[i + 1]:
                rows.append(self.reduce(_w.narrow(x, axis, ix[i], ix[i + 1] - ix[i]), axis))
            else:
                rows.append(self.reduce(_w.narrow(x, axis, ix[i], 1), axis))
        return _w.stack(rows, axis)


def _float_of(dtype):
    # The float in which NumPy computes with numbers of a dtype.
    if dtype.kind in "fc":
        return dtype
    return _w.float16 if dtype.itemsize == 1 else _w.float32 if dtype.itemsize == 2 else _w.float64


def _of_float(fn):
    # fn of numbers as floats that hold them
    def call(x):
        x = _w.wrap(x)
        return fn(x if x.dtype.is_inexact else _w.cast(x, _float_of(x.dtype)))
    return call


def _of_floats(fn):
    def call(x, y):
        x, y = _w.wrap(x), _w.wrap(y)
        if x.dtype != y.dtype or not x.dtype.is_inexact:
            d = _w.add(*[_w.full((0,), 0, _float_of(v.dtype)) for v in (x, y)]).dtype
            x, y = _w.cast(x, d), _w.cast(y, d)
        return fn(x, y)
    return call


def _in_single(fn):
    # Of halves, rounded once at the end.
    def call(x, y):
        if x.dtype.itemsize > 2:
            return fn(x, y)
        return _w.cast(fn(*[_w.cast(v, _w.float32) for v in (x, y)]), x.dtype)
    return call


def _reciprocal(x):
    x = _w.wrap(x)
    if x.dtype.kind == "f" or x.dtype.kind == "c":
        return _w.reciprocal(x)
    x = _w.cast(x, _w.int8) if x.dtype.kind == "b" else x
    least = -2 ** (8 * x.dtype.itemsize - 1) if x.dtype.kind == "i" and x.dtype.itemsize > 2 else 0
    return _w.where(x == 1, _w.cast(1, x.dtype), _w.where(x == -1, _w.cast(-1, x.dtype), _w.where(x == 0, _w.cast(least, x.dtype), _w.zeros_like(x))))


def _sign(x):
    x = _w.wrap(x)
    return _w.sign(x) + 0.0 if x.dtype.kind == "f" else _w.sign(x) # no zero of NumPy's has a sign here


def _heaviside(x, h):
    return _w.where(_w.is_nan(x), x, _w.where(x > 0, _w.ones_like(x), _w.where(x == 0, h, _w.zeros_like(x))))


def _cbrt(x):
    x = _w.div(x, 1)
    r = _w.sign(x) * _w.pow(_w.abs(x), 1 / 3)
    near = _w.round(r)
    return _w.where(near * near * near == x, near, r)


def _copysign(x, y):
    negative = _w.logical_or(y < 0, _w.logical_and(y == 0, _w.div(1, y) < 0))
    x = _w.abs(x)
    return _w.where(negative, -x, x)


def _gcd(x, y):
    x, y = _w.wrap(x), _w.wrap(y)
    if x.dtype.kind not in "iu" or y.dtype.kind not in "iu":
        raise TypeError("ufunc 'gcd' is not supported for these input types: integers are needed")
    x, y = _w.abs(x), _w.abs(y)
    x, y = x + y * 0, y + x * 0
    while _w.any(y != 0):
        x, y = _w.where(y != 0, y, x), _w.where(y != 0, _w.remainder(x, _w.where(y != 0, y, 1)), 0)
    return x


def _lcm(x, y):
    g = _gcd(x, y)
    return _w.where(g == 0, 0, _w.mul(_w.floor_div(_w.abs(x), _w.where(g == 0, 1, g)), _w.abs(y)))


def _signbit(x):
    x = _w.div(x, 1)
    return _w.logical_or(x < 0, _w.logical_and(x == 0, _w.div(1, x) < 0))


def _power(x, y):
    a, b = _w.wrap(x), _w.wrap(y)
    if a.dtype.kind != "f" and b.dtype.kind == "i" and b.size and _w.any(b < 0):
        raise ValueError("Integers to negative integer powers are not allowed.")
    if a.dtype.kind == b.dtype.kind == "b":
        return _w.pow(_w.cast(a, _w.int8), _w.cast(b, _w.int8))
    return _w.pow(x, y)


def _fmod(x, y):
    # Integers by 0 are 0.
    a, b = _w.wrap(x), _w.wrap(y)
    if a.dtype.kind in "fc" or b.dtype.kind in "fc":
        return _w.fmod(x, y)
    if a.dtype.kind == "b" and b.dtype.kind == "b":
        a = _w.cast(a, _w.int8)
    b = _w.cast(b, a.dtype) if b.dtype.kind == "b" else b
    return _w.where(b == 0, 0, _w.fmod(a, _w.where(b == 0, 1, b)))


def _logaddexp2(x, y):
    return _w.logaddexp(_w.mul(x, 0.6931471805599453), _w.mul(y, 0.6931471805599453)) / 0.6931471805599453


def _log10(x):
    # log(x) / log(10) lies an ulp beside the logarithms of powers of ten: doubles take a step of Newton's from there
    q = _w.log10(x)
    if q.dtype != _w.float64:
        return q
    x = _w.cast(x, _w.float64)
    near = _w.sub(q, _w.div(_w.sub(_w.div(_w.pow(10.0, q), x), 1.0), 2.302585092994046))
    far = _w.logical_and(_w.gt(_w.abs(q), 0.5), _w.gt(x, 1e-305))
    return _w.where(_w.logical_and(far, _w.is_finite(near)), near, q)


def _fmax(x, y):
    return _w.where(_w.is_nan(_w.wrap(x)), y, _w.where(_w.is_nan(_w.wrap(y)), x, _w.maximum(x, y)))


def _fmin(x, y):
    return _w.where(_w.is_nan(_w.wrap(x)), y, _w.where(_w.is_nan(_w.wrap(y)), x, _w.minimum(x, y)))


def _float_power(x, y):
    return _w.pow(_w.cast(x, _w.float64), y)


def _ldexp(x, n):
    x = _w.wrap(x)
    d = _float_of(x.dtype)
    return _w.cast(_w.mul(_w.cast(x, _w.float64), _w.exp2(_w.cast(n, _w.float64))), d)


def _nothing_below(fn, kind):
    # floor, ceil .. of integers are those integers
    def call(x):
        x = _w.wrap(x)
        return x if x.dtype.kind in "iu" else fn(x)
    return call


_unary = {
    "negative": _w.neg, "positive": _w.positive, "absolute": _w.abs, "fabs": _w.abs,
    "sign": _sign, "square": lambda x: _w.square(_w.cast(x, _w.int8) if _w.wrap(x).dtype.kind == "b" else x), "reciprocal": _reciprocal,
    "exp": _w.exp, "exp2": _w.exp2,
    "expm1": _w.expm1, "log": _w.log, "log2": _w.log2, "log10": _log10, "log1p": _w.log1p, "sin": _w.sin,
    "cos": _w.cos, "tan": _w.tan, "arcsin": _w.asin, "arccos": _w.acos, "arctan": _w.atan, "sinh": _w.sinh,
    "cosh": _w.cosh, "tanh": _w.tanh, "arcsinh": _w.asinh, "arccosh": _w.acosh, "arctanh": _w.atanh,
    "sqrt": _w.sqrt, "cbrt": _cbrt, "floor": _nothing_below(_w.floor, 0), "ceil": _nothing_below(_w.ceil, 0),
    "rint": _w.round, "trunc": _nothing_below(_w.trunc, 0), "isfinite": _w.is_finite,
    "isnan": _w.is_nan, "isinf": _w.is_inf, "signbit": _signbit, "logical_not": _w.logical_not,
    "invert": _w.bitwise_not, "deg2rad": _w.deg2rad, "rad2deg": _w.rad2deg, "radians": _w.deg2rad,
    "degrees": _w.rad2deg, "conjugate": lambda x: _w.conj(_w.cast(x, _w.int8) if _w.wrap(x).dtype.kind == "b" else x),
}
_binary = {
    "divide": _w.div, "floor_divide": _w.floor_div, "remainder": _w.remainder, "fmod": _fmod,
    "power": _power, "float_power": _float_power, "arctan2": _w.atan2, "hypot": _w.hypot,
    "logaddexp": _w.logaddexp, "logaddexp2": _logaddexp2, "equal": _w.eq, "not_equal": _w.ne, "less": _w.lt,
    "less_equal": _w.le, "greater": _w.gt, "greater_equal": _w.ge, "logical_xor": _w.logical_xor,
    "bitwise_and": _w.bitwise_and, "bitwise_or": _w.bitwise_or, "bitwise_xor": _w.bitwise_xor,
    "left_shift": _w.shift_left, "right_shift": _w.shift_right, "copysign": _copysign, "heaviside": _heaviside,
    "gcd": _gcd, "lcm": _lcm, "fmax": _fmax, "fmin": _fmin, "subtract": _w.sub, "matmul": _w.matmul,
    "ldexp": _ldexp,
}
for _name in ("fabs", "rint", "cbrt"):
    _unary[_name] = _of_float(_unary[_name])
for _name in ("logaddexp2", "copysign", "heaviside"):
    _binary[_name] = _of_floats(_in_single(_binary[_name]))
for _name, _fn in _unary.items():
    globals()[_name] = ufunc(_name, _fn, 1)
for _name, _fn in _binary.items():
    globals()[_name] = ufunc(_name, _fn, 2)

add = ufunc("add", _w.add, 2, lambda x, axis, keepdims: x.sum(axis, None, None, keepdims), lambda x, axis: x.cumsum(axis), 0)
multiply = ufunc("multiply", _w.mul, 2, lambda x, axis, keepdims: x.prod(axis, None, None, keepdims), lambda x, axis: x.cumprod(axis), 1)
maximum = ufunc("maximum", _w.maximum, 2, lambda x, axis, keepdims: x.max(axis, None, keepdims), _w.cummax)
minimum = ufunc("minimum", _w.minimum, 2, lambda x, axis, keepdims: x.min(axis, None, keepdims), _w.cummin)
logical_and = ufunc("logical_and", _w.logical_and, 2, lambda x, axis, keepdims: x.all(axis, None, keepdims), None, True)
logical_or = ufunc("logical_or", _w.logical_or, 2, lambda x, axis, keepdims: x.any(axis, None, keepdims), None, False)
true_divide = divide
mod = remainder
abs = absolute
conj = conjugate
bitwise_not = invert
pow = power
asin, acos, atan, atan2 = arcsin, arccos, arctan, arctan2
asinh, acosh, atanh = arcsinh, arccosh, arctanh
bitwise_left_shift, bitwise_right_shift, bitwise_invert = left_shift, right_shift, invert


def divmod(x, y):
    return floor_divide(x, y), remainder(x, y)


def modf(x):
    x = _w.div(x, 1)
    whole = _w.trunc(x)
    part = _w.where(_w.is_inf(x), 0.0, x - whole)
    return _w.where(part == 0, 0.0 * _w.sign(x), part), whole


def frexp(x):
    from numpy._shape import _core
    return _core.frexp(_w.div(x, 1))
