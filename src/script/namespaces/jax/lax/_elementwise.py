# jax.lax: operations element by element. They take exact types: nothing is promoted, and a dtype that an operation
# has not is an error (the tables below say which).
import enum as _enum
import _jax as _w
from jax._dtypes import as_dtype as _as_dtype

__all__ = """neg abs sign exp exp2 expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    sqrt rsqrt cbrt square logistic erf erfc erf_inv floor ceil round is_finite population_count clz
    lgamma digamma add sub mul div rem pow integer_pow atan2 max min nextafter bitwise_and bitwise_or bitwise_xor bitwise_not
    shift_left shift_right_logical shift_right_arithmetic mulhi eq ne lt le gt ge select select_n clamp
    real imag conj complex reciprocal bessel_i0e bessel_i1e igamma igammac igamma_grad_a betainc regularized_incomplete_beta zeta
    polygamma RoundingMethod AccuracyMode Tolerance""".split()

# Kinds of dtypes: f floating, c complex, i signed, u unsigned, b bool.
_words = {"iu": "integer", "i": "signedinteger", "f": "floating", "c": "complexfloating", "b": "bool"}
_float, _inexact, _number, _ordered, _bits, _any = "f", "fc", "iufc", "iufb", "iub", "iufcb"


def _kind(d):
    return "f" if d.is_floating_point else "c" if d.is_complex else "b" if d == _w.bool_ else d.kind


def _accepted(kinds):
    order = ("iu", "i", "f", "c", "b")
    return ", ".join([_words[k] for k in order if k in kinds and not (k == "i" and "iu" in kinds)])


def _value(x, name):
    # As an array; True is of no weak type.
    if isinstance(x, (str, list, tuple, dict)) or x is None:
        raise TypeError(f"lax.{name} requires ndarray or scalar arguments, got {type(x)}.")
    x = _w.wrap(x)
    return _w.set_weak(x, False) if x.dtype == _w.bool_ and _w.about(x, "weak") else x


def _check(x, name, kinds, place=None):
    if _kind(x.dtype) not in kinds:
        where = "" if place is None else f" at position {place}"
        raise TypeError(f"{name} does not accept dtype {x.dtype.name}{where}. Accepted dtypes{where} are subtypes of "
                        f"{_accepted(kinds)}.")


class AccuracyMode(_enum.Enum):
    HIGHEST = 1
    DEFAULT = 2


class Tolerance:
    # How far a result may be off; every function here is closer than what may be asked for.
    def __init__(self, atol=0.0, rtol=0.0, ulps=0):
        if atol < 0.0 or rtol < 0.0 or ulps < 0.0:
            raise ValueError("Tolerances must be non-negative.")
        if atol == rtol == ulps == 0:
            raise ValueError("At least one of atol, rtol, or ulps must be set.")
        self.atol, self.rtol, self.ulps = atol, rtol, ulps

    def __eq__(self, other):
        return isinstance(other, Tolerance) and (self.atol, self.rtol, self.ulps) == (other.atol, other.rtol, other.ulps)

    def __hash__(self):
        return hash((self.atol, self.rtol, self.ulps))


# ---- of one array


def _one(name, fn, kinds):
    def call(x):
        x = _value(x, name)
        _check(x, name, kinds)
        y = fn(x)
        return _w.set_weak(y, True) if _w.about(x, "weak") else y
    call.__name__ = call.__qualname__ = name
    return call


def _accurate(name, fn, kinds=_inexact):
    plain = _one(name, fn, kinds)

    def call(x, accuracy=None):
        if accuracy is not None and not isinstance(accuracy, (AccuracyMode, Tolerance)):
            raise ValueError(f"lax.{name}: accuracy must be an AccuracyMode or a Tolerance, got {accuracy!r}.")
        return plain(x)
    call.__name__ = call.__qualname__ = name
    return call


exp, exp2, expm1 = _accurate("exp", _w.exp), _accurate("exp2", _w.exp2), _accurate("expm1", _w.expm1)
log, log1p = _accurate("log", _w.log), _accurate("log1p", _w.log1p)
sin, cos, tan, tanh = _accurate("sin", _w.sin), _accurate("cos", _w.cos), _accurate("tan", _w.tan), _accurate("tanh", _w.tanh)
sqrt, rsqrt, logistic = _accurate("sqrt", _w.sqrt), _accurate("rsqrt", _w.rsqrt), _accurate("logistic", _w.sigmoid)
asin, acos, atan = _one("asin", _w.asin, _inexact), _one("acos", _w.acos, _inexact), _one("atan", _w.atan, _inexact)
sinh, cosh = _one("sinh", _w.sinh, _inexact), _one("cosh", _w.cosh, _inexact)
asinh, acosh, atanh = _one("asinh", _w.asinh, _inexact), _one("acosh", _w.acosh, _inexact), _one("atanh", _w.atanh, _inexact)
reciprocal = _one("reciprocal", _w.reciprocal, _inexact)
erf, erfc, erf_inv = _one("erf", _w.erf, _float), _one("erfc", _w.erfc, _float), _one("erf_inv", _w.erf_inv, _float)
floor, ceil, is_finite = _one("floor", _w.floor, _float), _one("ceil", _w.ceil, _float), _one("is_finite", _w.is_finite, _float)
neg, sign, square = _one("neg", _w.neg, _number), _one("sign", _w.sign, _number), _one("square", _w.square, _number)
abs = _one("abs", _w.abs, "ifc")
bitwise_not = _one("not", _w.bitwise_not, _bits)
real, imag = _one("real", _w.real, "c"), _one("imag", _w.imag, "c")


def _cbrt(x):
    from jax.numpy import cbrt as f
    return f(x)


def _special(name):
    return lambda *xs: getattr(__import__("jax.scipy.special"), name)(*xs)


cbrt = _accurate("cbrt", _cbrt, _float)
lgamma, digamma = _one("lgamma", _special("gammaln"), _float), _one("digamma", _special("digamma"), _float)
bessel_i0e, bessel_i1e = _one("bessel_i0e", _special("i0e"), _float), _one("bessel_i1e", _special("i1e"), _float)


class RoundingMethod(_enum.IntEnum):
    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def _away(x):
    cut = _w.trunc(x)   # x + 0.5 would be rounded itself
    return _w.where(_w.ge(_w.abs(x - cut), 0.5), cut + _w.sign(x), cut)


_to_even, _from_zero = _one("round", _w.round, _float), _one("round", _away, _float)


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    return (_to_even if RoundingMethod(rounding_method) == RoundingMethod.TO_NEAREST_EVEN else _from_zero)(x)


def _conj(x):
    if x.dtype.is_complex:
        return _w.conj(x)
    if x.dtype.itemsize < 4:
        raise TypeError(f"conj does not accept dtype {x.dtype.name}. Accepted dtypes are subtypes of float32, float64, "
                        "complexfloating.")
    return _w.cast(x, _w.complex128 if x.dtype == _w.float64 else _w.complex64)


conj = _one("conj", _conj, _inexact)


def _unsigned(x):
    return {1: _w.uint8, 2: _w.uint16, 4: _w.uint32, 8: _w.uint64}[x.dtype.itemsize]


def _population_count(x):
    unsigned = _unsigned(x)
    u = _w.bitcast(x, unsigned)
    total = _w.zeros_like(u)
    for i in range(8 * x.dtype.itemsize):
        shift = _w.full(u.shape, i, unsigned)
        total = total + _w.bitwise_and(_w.op("shr_logical", [u, shift])[0], _w.full(u.shape, 1, unsigned))
    return _w.cast(total, x.dtype)


def _clz(x):
    bits = 8 * x.dtype.itemsize
    unsigned = _unsigned(x)
    u = _w.bitcast(x, unsigned)
    i = 1
    while i < bits:
        u = _w.bitwise_or(u, _w.op("shr_logical", [u, _w.full(u.shape, i, unsigned)])[0])
        i *= 2
    return _w.cast(bits, x.dtype) - _population_count(_w.bitcast(u, x.dtype))


population_count, clz = _one("population_count", _population_count, "iu"), _one("clz", _clz, "iu")


# ---- of several


def _same_types(xs, name, tip=None):
    if any([x.dtype != xs[0].dtype for x in xs]):
        more = f" (Tip: jnp.{tip} is a similar function that does automatic type promotion on inputs)." if tip else ""
        raise TypeError(f"lax.{name} requires arguments to have the same dtypes, got {', '.join([x.dtype.name for x in xs])}.{more}")


def _same_shapes(x, y, name):
    if len(x.shape) != len(y.shape) and len(x.shape) and len(y.shape) or \
            any([a != b and a != 1 and b != 1 for a, b in zip(x.shape, y.shape)]):
        raise TypeError(f"{name} got incompatible shapes for broadcasting: {tuple(x.shape)}, {tuple(y.shape)}.")


def _two(name, fn, kinds, tip=None):
    def call(x, y):
        x, y = _value(x, name), _value(y, name)
        _check(x, name, kinds, 0)
        _check(y, name, kinds, 1)
        _same_types((x, y), name, tip or name)
        _same_shapes(x, y, name)
        z = fn(x, y)
        return _w.set_weak(z, True) if _w.about(x, "weak") and _w.about(y, "weak") else z
    call.__name__ = call.__qualname__ = name
    return call


def _into(name, fn):
    # add, sub, mul: with a type for the result
    plain = _two(name, fn, _number)

    def call(x, y, *, out_dtype=None):
        if out_dtype is None:
            return plain(x, y)
        out = _as_dtype(out_dtype)
        x, y = _value(x, name), _value(y, name)
        return plain(_w.cast(x, out), _w.cast(y, out))
    call.__name__ = call.__qualname__ = name
    return call


def _divided(x, y):
    # Integers are divided towards zero.
    if x.dtype.is_inexact:
        return _w.div(x, y)
    q = _w.floor_div(x, y)
    inexact = _w.ne(_w.mul(q, y), x)
    if x.dtype.kind == "i":
        q = _w.where(_w.eq(y, 0), _w.set_weak(_w.full((), -1, x.dtype), True), q)
        inexact = _w.logical_and(inexact, _w.ne(y, 0))
    return _w.where(_w.logical_and(inexact, _w.ne(_w.lt(x, 0), _w.lt(y, 0))), q + 1, q)


def _chosen(fn, before):
    # The larger or smaller; of complex numbers by real parts, then imaginary ones.
    def call(x, y):
        if not x.dtype.is_complex:
            return fn(x, y)
        a, b = _w.real(x), _w.real(y)
        first = _w.logical_or(before(a, b), _w.logical_and(_w.eq(a, b), before(_w.imag(x), _w.imag(y))))
        first = _w.logical_or(first, _w.is_nan(x))
        return _w.where(first, x, y)
    return call


def _spread(x, y):
    shape = x.shape if len(x.shape) else y.shape
    return _w.broadcast_to(x, shape), _w.broadcast_to(y, shape)


def _shift(op):
    return lambda x, y: _w.op(op, _spread(x, y))[0]


def _high_word(x, y):
    # The upper half of a product of twice the width, by halves of the words.
    x, y = _spread(x, y)
    word, bits = _unsigned(x), 4 * x.dtype.itemsize
    half, low = _w.full(x.shape, bits, word), _w.full(x.shape, (1 << bits) - 1, word)
    right = lambda v: _w.op("shr_logical", [v, half])[0]
    a, b = _w.bitcast(x, word), _w.bitcast(y, word)
    a1, a0, b1, b0 = right(a), _w.bitwise_and(a, low), right(b), _w.bitwise_and(b, low)
    middle = right(a0 * b0) + _w.bitwise_and(a1 * b0, low) + _w.bitwise_and(a0 * b1, low)
    top = a1 * b1 + right(a1 * b0) + right(a0 * b1) + right(middle)
    if x.dtype.kind == "u":
        return top
    zero = _w.full(x.shape, 0, word)
    top = top - _w.where(_w.lt(x, 0), b, zero) - _w.where(_w.lt(y, 0), a, zero)
    return _w.bitcast(top, x.dtype)


add, sub, mul = _into("add", _w.add), _into("sub", _w.sub), _into("mul", _w.mul)
div, rem = _two("div", _divided, _number), _two("rem", _w.fmod, "iuf")
max, min = _two("max", _chosen(_w.maximum, _w.gt), _any), _two("min", _chosen(_w.minimum, _w.lt), _any)
eq, ne = _two("eq", _w.eq, _any), _two("ne", _w.ne, _any)
lt, le, gt, ge = [_two(_n, getattr(_w, _n), _ordered) for _n in ("lt", "le", "gt", "ge")]
bitwise_and, bitwise_or = _two("and", _w.bitwise_and, _bits), _two("or", _w.bitwise_or, _bits)
bitwise_xor = _two("xor", _w.bitwise_xor, _bits)
shift_left = _two("shift_left", _w.shift_left, "iu")
shift_right_logical = _two("shift_right_logical", _shift("shr_logical"), "iu")
shift_right_arithmetic = _two("shift_right_arithmetic", _shift("shr_arith"), "iu")
mulhi = _two("mulhi", _high_word, "iu")


def _angle(y, x):
    # of complex numbers: -i log((x + i y) / sqrt(x² + y²))
    if not x.dtype.is_complex:
        return _w.atan2(y, x)
    i = _w.cast(1j, x.dtype)
    return -i * _w.log((x + i * y) / _w.sqrt(x * x + y * y))


atan2 = _two("atan2", _angle, _inexact)


def _next(x, y):
    from jax.numpy import nextafter as f
    return f(x, y)


nextafter = _two("nextafter", _next, _float)
igamma, igammac = _two("igamma", _special("gammainc"), _float), _two("igammac", _special("gammaincc"), _float)
zeta, polygamma = _two("zeta", _special("zeta"), _float), _two("polygamma", _special("_polygamma"), _float)


def igamma_grad_a(a, x):
    from jax._api import jvp
    slope = jvp(lambda v: igamma(v, x), (a,), (_w.ones_like(_w.wrap(a)),))[1]
    return _w.where(_w.logical_or(_w.le(a, 0), _w.lt(x, 0)), float("nan"), slope)


def betainc(a, b, x):
    xs = [_value(v, "betainc") for v in (a, b, x)]
    for i, v in enumerate(xs):
        _check(v, "regularized_incomplete_beta", _float, i)
    _same_types(xs, "regularized_incomplete_beta")
    return _special("betainc")(*xs)


regularized_incomplete_beta = betainc


def complex(x, y):
    x, y = _value(x, "complex"), _value(y, "complex")
    for i, v in enumerate((x, y)):
        if v.dtype not in (_w.float32, _w.float64):
            raise TypeError(f"complex does not accept dtype {v.dtype.name} at position {i}. Accepted dtypes at position {i} "
                            "are subtypes of float32, float64.")
    _same_types((x, y), "complex", "complex")
    return _w.complex(x, y)


def pow(x, y):
    x, y = _value(x, "pow"), _value(y, "pow")
    _check(x, "pow", _inexact, 0)
    _check(y, "pow", _number, 1)
    if _kind(y.dtype) not in "iu":
        _same_types((x, y), "pow", "pow")
    _same_shapes(x, y, "pow")
    z = _w.pow(x, y)
    return _w.cast(z, x.dtype) if z.dtype != x.dtype else z


def integer_pow(x, y):
    return _w.wrap(x) ** y


# ---- choice


def select(pred, on_true, on_false):
    return select_n(pred, on_false, on_true)


def select_n(which, *cases):
    if not cases:
        raise ValueError("select() must have at least one case")
    which, cases = _value(which, "select"), [_value(c, "select") for c in cases]
    if _kind(which.dtype) not in "bi":
        raise TypeError(f"select `which` must be boolean or integer type, got {which.dtype.name}.")
    if which.dtype == _w.bool_ and len(cases) > 2:
        raise TypeError(f"select with boolean `which` cannot have more than two cases; got {len(cases)}.")
    _same_types(cases, "select", "where")
    shapes = [tuple(c.shape) for c in cases]
    if any([s != shapes[0] for s in shapes]):
        raise TypeError(f"select cases must have the same shapes, got [{', '.join([str(s) for s in shapes])}].")
    if len(which.shape) and tuple(which.shape) != shapes[0]:
        raise TypeError("select `which` must be scalar or have the same shape as cases, got `which` shape "
                        f"{tuple(which.shape)} but case shape {shapes[0]}.")
    if len(cases) == 1:
        return cases[0]
    if which.dtype == _w.bool_:
        return _w.where(which, cases[1], cases[0])
    y = cases[0]
    for i in range(1, len(cases)):
        y = _w.where(_w.ge(which, i), cases[i], y)
    return y


def clamp(min, x, max):
    lo, x, hi = [_value(v, "clamp") for v in (min, x, max)]
    for i, v in enumerate((lo, x, hi)):
        _check(v, "clamp", _any, i)
    _same_types((lo, x, hi), "clamp")
    for name, v in (("min", lo), ("max", hi)):
        if len(v.shape) and tuple(v.shape) != tuple(x.shape):
            raise TypeError(f"clamp requires {name}.shape == operand.shape or {name}.shape == (), got {name}.shape="
                            f"{tuple(v.shape)}, operand.shape={tuple(x.shape)}.")
    if x.dtype.is_complex:
        _max, _min = globals()["max"], globals()["min"]
        return _min(_max(_w.broadcast_to(lo, x.shape), x), _w.broadcast_to(hi, x.shape))
    return _w.op("clamp", [_w.broadcast_to(lo, x.shape), x, _w.broadcast_to(hi, x.shape)])[0]
