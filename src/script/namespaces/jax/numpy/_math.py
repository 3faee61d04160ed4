# jax.numpy: elementwise functions and products.
import _jax as _w
from jax._api import refuse as _refuse
from jax._dtypes import default_float as _default_float
from jax.numpy._core import core as _core
from jax.numpy._create import arraylike as _asarray, asarray as _any_array
from jax._dtypes import default_int as _default_int, float_of as _float_of
from jax._precision import precisely as _precisely
from jax._sharding import said as _said
from jax.numpy._ufunc import (
    ufunc, frompyfunc, native as _native, add, subtract, multiply, negative, maximum, minimum, logaddexp, logical_and, logical_or, logical_xor,
    bitwise_and, bitwise_or, bitwise_xor)

__all__ = """add subtract multiply divide true_divide floor_divide mod remainder fmod divmod power float_power pow
    negative positive absolute abs fabs sign signbit copysign sqrt cbrt square reciprocal exp exp2
    expm1 log log2 log10 log1p logaddexp logaddexp2 sin cos tan arcsin arccos arctan asin acos atan
    arctan2 atan2 sinh cosh tanh arcsinh arccosh arctanh asinh acosh atanh hypot degrees radians
    deg2rad rad2deg sinc floor ceil trunc fix rint round around maximum minimum fmax fmin clip
    equal not_equal less less_equal greater greater_equal isclose allclose array_equal array_equiv
    isnan isinf isfinite isposinf isneginf logical_and logical_or logical_not logical_xor
    bitwise_and bitwise_or bitwise_xor bitwise_not invert bitwise_invert left_shift right_shift
    bitwise_left_shift bitwise_right_shift bitwise_count gcd lcm heaviside nan_to_num real imag conj conjugate angle
    isreal iscomplex isrealobj iscomplexobj iscomplex isscalar
    dot vdot vecdot matvec vecmat matmul inner outer tensordot einsum kron cross convolve correlate polyval polyadd
    polysub polymul polydiv poly roots polyder polyint polyfit interp modf frexp ldexp nextafter spacing unwrap ediff1d
    vectorize ufunc_outer exp10 frompyfunc ufunc i0""".split()

unwrap, ediff1d, kron, cross = _core.unwrap, _core.ediff1d, _core.kron, _core.cross
polyadd, polysub = _core.polyadd, _core.polysub
divide = true_divide = _w.div
floor_divide = _w.floor_div
mod = remainder = _w.remainder


def fmod(x1, x2):
    # of integers by 0 it is 0
    x1, x2 = _asarray(x1), _asarray(x2)
    if x1.dtype.is_inexact or x2.dtype.is_inexact:
        return _w.fmod(x1, x2)
    return _w.fmod(x1, _w.where(_w.eq(x2, 0), _w.ones_like(x2), x2))


positive = _w.positive
absolute = abs = _w.abs
sign = _w.sign
sqrt, reciprocal = _w.sqrt, _w.reciprocal
exp, exp2, expm1 = _w.exp, _w.exp2, _w.expm1
log, log2, log10, log1p = _w.log, _w.log2, _w.log10, _w.log1p
sin, cos, tan = _w.sin, _w.cos, _w.tan
arcsin, arccos, arctan = asin, acos, atan = _w.asin, _w.acos, _w.atan
arctan2 = atan2 = _w.atan2
sinh, cosh, tanh = _w.sinh, _w.cosh, _w.tanh
arcsinh, arccosh, arctanh = asinh, acosh, atanh = _w.asinh, _w.acosh, _w.atanh


def hypot(x1, x2):
    x1, x2 = _asarray(x1), _asarray(x2)
    if x1.dtype.is_complex or x2.dtype.is_complex:
        raise ValueError("jnp.hypot is not well defined for complex-valued inputs. Please convert to real values first, such as by "
                         "using abs(x)")
    return _w.hypot(x1, x2)


degrees = rad2deg = _w.rad2deg
radians = deg2rad = _w.deg2rad
equal, not_equal = _w.eq, _w.ne
less, less_equal, greater, greater_equal = _w.lt, _w.le, _w.gt, _w.ge
isnan, isinf, isfinite = _w.is_nan, _w.is_inf, _w.is_finite
logical_not = _w.logical_not
bitwise_not = invert = bitwise_invert = _w.bitwise_not
left_shift = bitwise_left_shift = _w.shift_left
right_shift = bitwise_right_shift = _w.shift_right


def _float(x):
    # As floats; a number that is weak stays so.
    x = _asarray(x)
    if x.dtype.is_inexact:
        return x
    return _w.set_weak(_w.cast(x, _float_of(x.dtype)), _w.about(x, "weak"))


def _wide(x):
    # As floats, of which integers become the default ones.
    x = _asarray(x)
    return x if x.dtype.is_inexact else _w.set_weak(_w.cast(x, _default_float()), _w.about(x, "weak"))


def _whole(name, *xs):
    for x in xs:
        if _asarray(x).dtype.kind not in "iu":
            raise ValueError(f"Arguments to jax.numpy.{name} must be integers.")


def _keeps(fn):
    # floor and its like leave integers alone
    def call(x):
        x = _asarray(x)
        return fn(x) if x.dtype.is_inexact else x
    return call


floor, ceil, trunc = _keeps(_w.floor), _keeps(_w.ceil), _keeps(_w.trunc)
fix = trunc


def square(x):
    x = _asarray(x)
    return _w.square(_w.cast(x, _default_int()) if x.dtype == _w.bool_ else x)


def rint(x):
    return _w.round(_wide(x))


def round(a, decimals=0, out=None):
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.round is not supported.")
    a = _asarray(a)
    if not a.dtype.is_inexact:
        if decimals >= 0:
            return a
        f = 10 ** -decimals
        return _w.cast(_w.round(a / f) * f, a.dtype)
    if decimals == 0:
        return _w.round(a)
    f = 10.0 ** decimals
    if a.dtype == _w.float16:       # 10 a has too few bits to be rounded in
        return _w.cast(_w.round(_w.cast(a, _w.float32) * f) / f, a.dtype)
    if a.dtype in (_w.float32, _w.float64):    # what XLA makes of a quotient by one number
        return _w.round(a * f) * (_w.full((), 1, a.dtype) / f)
    return _w.round(a * f) / f


around = round


def divmod(x1, x2):
    return _w.floor_div(x1, x2), _w.remainder(x1, x2)


def power(x1, x2):
    # Whole exponents are multiplied out, as JAX does, so that 0 ** 2 has a derivative.
    if isinstance(x2, int) and not isinstance(x2, bool) and isinstance(x1, _w.Tensor):
        if x2 < 0 and x1.dtype.kind in "iu":
            from jax._array import shape_text
            raise TypeError("Integers cannot be raised to negative powers, got "
                            f"integer_pow({shape_text(_w.wrap(x1))}, {x2})")
        return _w.wrap(x1) ** x2
    return _w.pow(x1, x2)


pow = power


def float_power(x, y):
    d = _float(_w.add(x, y)).dtype
    return _w.pow(*[v if v.dtype == d else _w.cast(v, d) for v in (_float(x), _float(y))])


def fabs(x):
    return _w.abs(_float(x))


def exp10(x):
    return _w.pow(10.0, x)


def signbit(x):
    x = _asarray(x)
    if not x.dtype.is_floating_point:
        return _w.lt(x, 0)
    ints = {2: _w.int16, 4: _w.int32, 8: _w.int64}
    return _w.lt(_w.bitcast(x, ints[x.dtype.itemsize]), 0)


def copysign(x1, x2):
    from jax.numpy._shape import _same
    x, y = _same([_float(x1), _float(x2)])
    return _w.where(signbit(y), -_w.abs(x), _w.abs(x))


def cbrt(x):
    return _w.op("cbrt", [_float(x)])[0]


def sinc(x):
    # Near 0 by its series, whose derivatives of every order are right.
    x = _float(x)
    zero = _w.eq(x, 0)
    t = 3.141592653589793 * x
    far = _w.where(zero, _w.ones_like(x), t)
    t2 = t * t
    series = 1.0
    for n in (18, 16, 14, 12, 10, 8, 6, 4, 2):
        series = 1 - t2 / (n * (n + 1)) * series
    return _w.where(zero, series, _w.sin(far) / far)


def _logaddexp2(a, b):
    from jax.numpy._shape import _same
    ln2 = 0.6931471805599453
    a, b = [_float(x) for x in _same([a, b])]
    return logaddexp(a * ln2, b * ln2) / ln2


logaddexp2 = _native("logaddexp2", _logaddexp2, identity=float("-inf"))


def _before(a, b):
    # a < b; complex numbers by real parts, then imaginary ones
    if not (a.dtype.is_complex or b.dtype.is_complex):
        return _w.lt(a, b)
    p, q = _w.real(a), _w.real(b)
    return _w.logical_or(_w.lt(p, q), _w.logical_and(_w.eq(p, q), _w.lt(_w.imag(a), _w.imag(b))))


def fmax(a, b):
    a, b = _asarray(a), _asarray(b)
    return _w.where(_w.logical_or(_before(b, a), _w.is_nan(b)), a, b)


def fmin(a, b):
    a, b = _asarray(a), _asarray(b)
    return _w.where(_w.logical_or(_before(a, b), _w.is_nan(b)), a, b)


def clip(arr=None, min=None, max=None, a=None, a_min=None, a_max=None):
    x = _asarray(a if arr is None else arr)
    lo = a_min if min is None else min
    hi = a_max if max is None else max
    if any([v is not None and (isinstance(v, complex) or _asarray(v).dtype.is_complex) for v in (x, lo, hi)]):
        raise ValueError("Clip received a complex value either through the input or the min/max keywords. Complex values have no "
                         "ordering and cannot be clipped. Please convert to a real value or array by taking the real or imaginary "
                         "components via jax.numpy.real/imag respectively.")
    if lo is not None:
        x = _w.maximum(lo, x)
    if hi is not None:
        x = _w.minimum(hi, x)
    return x


def isposinf(x):
    return _w.eq(x, float("inf"))


def isneginf(x):
    return _w.eq(x, float("-inf"))


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = _float(a), _float(b)
    near = _w.is_close(a, b, rtol, atol)
    return _w.logical_or(near, _w.logical_and(_w.is_nan(a), _w.is_nan(b))) if equal_nan else near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return _w.all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1, a2, equal_nan=False):
    return _asarray(_core.equal(a1, a2, equal_nan))


def array_equiv(a1, a2):
    from jax.numpy._shape import broadcast_shapes
    a, b = _any_array(a1), _any_array(a2)
    try:
        broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return _asarray(False)
    return _w.all(_w.eq(a, b))


def isscalar(element):
    return isinstance(element, (int, float, complex, bool, str)) or (isinstance(element, _w.Tensor) and len(element.shape) == 0)


def real(val):
    return _w.real(_asarray(val))


def conj(x):
    return _w.conj(_asarray(x))


conjugate = conj


def imag(val):
    return _w.imag(_asarray(val))


def angle(z, deg=False):
    z = _w.angle(_wide(z))
    return z * (180 / 3.141592653589793) if deg else z


def isreal(x):
    return _w.eq(_w.imag(_asarray(x)), 0)


def iscomplex(x):
    return _w.ne(_w.imag(_asarray(x)), 0)


def iscomplexobj(x):
    if x is None:
        return False
    d = x.dtype if hasattr(x, "shape") and hasattr(x, "dtype") else _any_array(x).dtype
    return getattr(d, "is_complex", False)


def isrealobj(x):
    return not iscomplexobj(x)


bitwise_count = _core.bitwise_count


def _gcd_steps(a, b):
    from jax.lax import while_loop
    a, b = _w.abs(a), _w.abs(b)

    def step(s):
        x, y = s
        safe = _w.where(_w.eq(y, 0), _w.ones_like(y), y)
        return _w.where(_w.eq(y, 0), x, y), _w.where(_w.eq(y, 0), y, _w.remainder(x, safe))

    return while_loop(lambda s: _w.any(_w.ne(s[1], 0)), step, (a, b))[0]


def gcd(x1, x2):
    from jax.numpy._shape import broadcast_arrays, _same
    _whole("gcd", x1, x2)
    return _gcd_steps(*_same(broadcast_arrays(x1, x2)))


def lcm(x1, x2):
    _whole("lcm", x1, x2)
    g = gcd(x1, x2)
    y = _w.mul(_w.abs(x1), _w.floor_div(_w.abs(x2), _w.where(_w.eq(g, 0), _w.ones_like(g), g)))
    return _w.where(_w.eq(g, 0), _w.zeros_like(g), y)


def heaviside(x1, x2):
    from jax.numpy._shape import _same
    x, y = [_float(v) for v in _same([x1, x2])]
    return _w.where(_w.is_nan(x), x, _w.where(_w.eq(x, 0), y, _w.where(_w.gt(x, 0), _w.ones_like(x), _w.zeros_like(x))))


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    from jax._dtypes import finfo
    x = _asarray(x)
    if not x.dtype.is_floating_point:
        return x
    x = _w.where(_w.is_nan(x), nan, x)      # which may be infinite itself
    return _core.nan_to_num(x, nan, posinf, neginf, finfo(x.dtype).max)


def modf(x):
    x = _float(x)
    whole = _w.trunc(x)
    return x - whole, whole


def frexp(x):
    return _core.frexp(_float(x))


def ldexp(x1, x2):
    # In two steps, so that no power of 2 on the way is infinite or 0.
    x, n = _asarray(x1), _asarray(x2)
    if n.dtype.kind not in "iu":
        raise ValueError(f"ldexp not supported for input types ({x.dtype!r}, {n.dtype!r})")
    x = _float(x)
    d = x.dtype
    wide = x if d.itemsize == 8 else _w.cast(x, _w.float32)
    n = _w.clip(_w.cast(n, _w.int32), -2400, 2400)
    part = _w.cast(_w.floor_div(n, 4), wide.dtype)
    last = _w.cast(n, wide.dtype) - 3 * part
    y = wide
    for k in (part, part, part, last):
        y = y * _w.exp2(k)
    safe = _w.logical_and(_w.is_finite(wide), _w.ne(wide, 0))
    return _w.cast(_w.where(safe, y, wide), d)


def nextafter(x, y):
    from jax.numpy._shape import _same
    x, y = [_float(v) for v in _same([x, y])]     # of equal dtypes both stay as weak as they are
    return _w.set_weak(_core.nextafter(x, y), _w.about(x, "weak") and _w.about(y, "weak"))


def spacing(x):
    return _core.spacing(_float(x))


def i0(x):
    from jax.scipy.special import i0 as f
    return f(x)


# ---- products


def _to(y, dtype):
    return y if dtype is None else _w.cast(y, dtype)


def matmul(a, b, precision=None, preferred_element_type=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: matmul(a, b, precision, preferred_element_type), out_sharding)
    if precision is not None:
        return _precisely(precision, matmul, a, b, None, preferred_element_type)
    a, b = _asarray(a), _asarray(b)
    if len(a.shape) == 0 or len(b.shape) == 0:
        raise ValueError(f"matmul input operand {0 if len(a.shape) == 0 else 1} must have ndim at least 1, but it has ndim 0")
    return _to(_w.matmul(a, b), preferred_element_type)


def dot(a, b, precision=None, preferred_element_type=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: dot(a, b, precision, preferred_element_type), out_sharding)
    if precision is not None:
        return _precisely(precision, dot, a, b, None, preferred_element_type)
    a, b = _asarray(a), _asarray(b)
    if len(a.shape) == 0 or len(b.shape) == 0:
        return _w.mul(a, b)
    if len(b.shape) <= 2:
        return _to(_w.matmul(a, b), preferred_element_type)
    return _to(_w.tensordot(a, b, [len(a.shape) - 1], [len(b.shape) - 2]), preferred_element_type)


def vdot(a, b, precision=None, preferred_element_type=None):
    if precision is not None:
        return _precisely(precision, vdot, a, b, None, preferred_element_type)
    a, b = _w.reshape(_asarray(a), (-1,)), _w.reshape(_asarray(b), (-1,))
    return _to(_w.matmul(_w.conj(a), b), preferred_element_type)


def vecdot(x1, x2, axis=-1, precision=None, preferred_element_type=None):
    if precision is not None:
        return _precisely(precision, vecdot, x1, x2, axis, None, preferred_element_type)
    if preferred_element_type is not None:
        x1, x2 = _w.cast(_asarray(x1), preferred_element_type), _w.cast(_asarray(x2), preferred_element_type)
    return _w.sum(_w.mul(_w.conj(_w.move_axis(x1, axis, -1)), _w.move_axis(x2, axis, -1)), -1)


matvec, vecmat = _core.matvec, _core.vecmat


def inner(a, b, precision=None, preferred_element_type=None):
    if precision is not None:
        return _precisely(precision, inner, a, b, None, preferred_element_type)
    a, b = _asarray(a), _asarray(b)
    if len(a.shape) == 0 or len(b.shape) == 0:
        return _w.mul(a, b)
    return _w.tensordot(a, b, [len(a.shape) - 1], [len(b.shape) - 1])


def outer(a, b, out=None):
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.outer is not supported.")
    return _w.outer(_w.reshape(_asarray(a), (-1,)), _w.reshape(_asarray(b), (-1,)))


ufunc_outer = outer


def tensordot(a, b, axes=2, precision=None, preferred_element_type=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: tensordot(a, b, axes, precision, preferred_element_type), out_sharding)
    if precision is not None:
        return _precisely(precision, tensordot, a, b, axes, None, preferred_element_type)
    a, b = _asarray(a), _asarray(b)
    return _to(_core.tensordot(a, b, axes), preferred_element_type)


def einsum(subscripts, *operands, out=None, optimize="optimal", precision=None,
           preferred_element_type=None, _dot_general=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: einsum(subscripts, *operands, out=out, precision=precision, preferred_element_type=preferred_element_type), out_sharding)
    if precision is not None:
        return _precisely(precision, einsum, subscripts, *operands, preferred_element_type=preferred_element_type)
    if not isinstance(subscripts, str):
        subscripts, operands = _spelled(subscripts, operands)
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.einsum is not supported.")
    from jax.numpy._shape import _same
    operands = _same(list(operands))
    text = subscripts.replace(" ", "")
    if operands[0].dtype.kind == "b":        # sums of products are "any" of "all"
        return _to(_w.ne(_w.einsum(text, [_w.cast(x, _w.int32) for x in operands]), 0), preferred_element_type)
    return _to(_w.einsum(text, operands), preferred_element_type)


def _spelled(first, rest):
    # einsum(x, [0, 1], y, [1, 2], [0, 2]) as letters
    args = [first] + list(rest)
    letters = "abcdefghijklmnopqrstuvwxyz"
    result = None
    if len(args) % 2:
        result = args.pop()
    text = lambda axes: "".join(["..." if i is Ellipsis else letters[i] for i in axes])
    spec = ",".join([text(a) for a in args[1::2]])
    return (spec if result is None else spec + "->" + text(result)), args[0::2]


def _signals(name, a, v, mode):
    from jax.numpy._shape import _same
    if mode not in ("full", "same", "valid"):
        raise ValueError("mode must be one of ['full', 'same', 'valid']")
    a, v = _same([_float(a), _float(v)])
    if len(a.shape) != 1 or len(v.shape) != 1:
        raise ValueError(f"{name}() only support 1-dimensional inputs.")
    if a.shape[0] == 0 or v.shape[0] == 0:
        raise ValueError(f"{name}: inputs cannot be empty, got shapes {tuple(a.shape)} and {tuple(v.shape)}.")
    return a, v


def convolve(a, v, mode="full", precision=None, preferred_element_type=None):
    if precision is not None:
        return _precisely(precision, convolve, a, v, mode, None, preferred_element_type)
    return _to(_core.convolve(*_signals("convolve", a, v, mode), mode), preferred_element_type)


def correlate(a, v, mode="valid", precision=None, preferred_element_type=None):
    if precision is not None:
        return _precisely(precision, correlate, a, v, mode, None, preferred_element_type)
    return _to(_core.correlate(*_signals("correlate", a, v, mode), mode), preferred_element_type)


# ---- polynomials, the highest power first


def polyval(p, x, unroll=16):
    return _core.polyval(p, x)


def polymul(a1, a2, trim_leading_zeros=False):
    if trim_leading_zeros:
        from jax.numpy import trim_zeros
        a1, a2 = [trim_zeros(_asarray(a), "f") for a in (a1, a2)]
        a1, a2 = [a if a.shape[0] else _w.full((1,), 0, a.dtype) for a in (a1, a2)]
    return convolve(a1, a2)


def polydiv(u, v, *, trim_leading_zeros=False):
    u, v = _same_floats(u, v)
    q, r = _core.polydiv(u, v)
    if trim_leading_zeros:
        from jax.numpy import trim_zeros
        r = trim_zeros(r, "f")
    return q, r


def _same_floats(*xs):
    from jax.numpy._shape import _same
    return _same([_float(x) for x in xs])


def poly(seq_of_zeros):
    z = _asarray(seq_of_zeros)
    if len(z.shape) == 2:
        from jax.numpy.linalg import eigvals
        z = eigvals(z)
    if len(z.shape) != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    return _core.poly(z)


def polyder(p, m=1):
    return _core.polyder(_float(p), m)


def roots(p, *, strip_zeros=True):
    from jax.numpy.linalg import eigvals
    p = _float(p)
    if len(p.shape) != 1 or p.shape[0] < 1:
        raise ValueError("p must be one-dimensional")
    if not strip_zeros:
        raise NotImplementedError("roots: strip_zeros=False")
    return _core.roots(p, eigvals, _w.complex128 if p.dtype in (_w.float64, _w.complex128) else _w.complex64)


polyint = _core.polyint


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    from jax.numpy.linalg import lstsq
    from jax._dtypes import finfo
    x = _float(x)
    rcond = x.shape[0] * finfo(x.dtype).eps if rcond is None and len(x.shape) else rcond
    c, more, v = _core.polyfit(x, _float(y), deg, rcond, None if w is None else _float(w), False if full else cov, lstsq)
    return (c, *more, _asarray(rcond)) if full else (c, v) if cov else c


def interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = _float(x), _float(xp), _float(fp)
    if len(xp.shape) != 1 or tuple(xp.shape) != tuple(fp.shape):
        raise ValueError("xp and fp must be one-dimensional arrays of equal size")
    if xp.dtype.is_complex or x.dtype.is_complex:
        raise ValueError("jnp.interp: complex x values not supported.")
    if period is not None and (getattr(period, "shape", ()) or isinstance(period, complex)):
        raise ValueError(f"period must be a scalar; got {period}")
    for side, name in ((left, "left"), (right, "right")):
        if isinstance(side, str) and side != "extrapolate":
            raise ValueError(f"the only valid string value of `{name}` is 'extrapolate', but got: {side!r}")

    def line(x, x0, x1, y0, y1):
        dx = x1 - x0
        t = _w.where(_w.eq(dx, 0), _w.zeros_like(dx), (x - x0) / _w.where(_w.eq(dx, 0), _w.ones_like(dx), dx))
        return y0 + t * (y1 - y0)

    return _core.interp(x, xp, fp, left, right, period, line)


def vectorize(pyfunc, *, excluded=(), signature=None):
    from jax._api import vmap
    cores = None
    if signature is not None:
        left = signature.replace(" ", "").split("->")[0]
        cores = [0 if p == "" else p.count(",") + 1 for p in left[1:-1].split("),(")]

    def call(*args):
        from jax.numpy._shape import broadcast_shapes
        args = [a if i in excluded else _asarray(a) for i, a in enumerate(args)]
        core = cores if cores is not None else [0] * len(args)
        used = [i for i in range(len(args)) if i not in excluded]
        lead = [tuple(args[i].shape)[:len(args[i].shape) - core[i]] for i in used]
        loop = broadcast_shapes(*lead)
        for i, s in zip(used, lead):
            tail = tuple(args[i].shape)[len(s):]
            args[i] = _w.reshape(_w.broadcast_to(args[i], tuple(loop) + tail), (-1,) + tail) if loop else args[i]
        if not loop:
            return pyfunc(*args)
        axes = tuple([None if i in excluded else 0 for i in range(len(args))])
        out = vmap(pyfunc, in_axes=axes)(*args)
        back = lambda y: _w.reshape(y, tuple(loop) + tuple(y.shape)[1:])
        import jax._pytree as tree
        return tree.tree_map(back, out)

    return call
