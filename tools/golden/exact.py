"""Functions on single numbers, exact or correctly rounded, for every dtype.

Floats: special values as IEEE 754 and C's annex F have them, everything else by mpmath or
Fractions, so that the result is the correctly rounded one. NumPy is asked the same
questions and must come within a few units (see check_numpy): two oracles, one answer.

Integers: Python integers, then wrapped. Where NumPy or JAX mean something else, this file
is what Weft documents: x / 0 is all bits set and x rem 0 is x (XLA's choice; NumPy warns
and gives 0), the lowest integer / -1 wraps, shifts by the width or more give 0 or the sign.
"""

import math
from fractions import Fraction

import mpmath

from core import FLOATS, FORMAT, int_range, round_to, width, wrap

mpmath.mp.prec = 300
INF = math.inf
NAN = math.nan


def to_fraction(m):
    sign, man, exp, _ = m._mpf_
    f = Fraction(int(man)) * (Fraction(2) ** exp)
    return -f if sign else f


def real(t, f, x):
    return round_to(t, to_fraction(f(mpmath.mpf(x))))


def exp(t, x):
    if math.isinf(x):
        return INF if x > 0 else 0.0
    if abs(x) > 2000:
        return INF if x > 0 else 0.0
    return real(t, mpmath.exp, x)


def expm1(t, x):
    if x == 0 or x == INF:
        return x
    if x < -2000:
        return -1.0
    return INF if x > 2000 else real(t, mpmath.expm1, x)


def log(t, x):
    if x == 0:
        return -INF
    return NAN if x < 0 else x if x == INF else real(t, mpmath.log, x)


def log1p(t, x):
    if x == 0 or x == INF:
        return x
    if x <= -1:
        return -INF if x == -1 else NAN
    return real(t, mpmath.log1p, x)


def trig(f, keeps_zero):
    def g(t, x):
        if math.isinf(x):
            return NAN
        if x == 0 and keeps_zero:
            return x
        with mpmath.workprec(2500):  # x may have 1024 bits before the point
            return real(t, f, x)

    return g


def tanh(t, x):
    if x == 0:
        return x
    return math.copysign(1.0, x) if abs(x) > 100 else real(t, mpmath.tanh, x)


def inverse_trig(f):
    def g(t, x):
        if x == 0 and f is not mpmath.acos:
            return x
        return NAN if abs(x) > 1 else real(t, f, x)

    return g


def atan(t, x):
    if x == 0:
        return x
    if math.isinf(x):
        return real(t, lambda v: mpmath.pi * v / 2, math.copysign(1.0, x))
    with mpmath.workprec(2500):
        return real(t, mpmath.atan, x)


def sinh(t, x):
    if x == 0:
        return x
    return math.copysign(INF, x) if abs(x) > 2000 else real(t, mpmath.sinh, x)


def cosh(t, x):
    return INF if abs(x) > 2000 else real(t, mpmath.cosh, x)


def asinh(t, x):
    if x == 0 or math.isinf(x):
        return x
    with mpmath.workprec(2500):
        return real(t, mpmath.asinh, x)


def acosh(t, x):
    if x < 1:
        return NAN
    if x == 1 or x == INF:
        return 0.0 if x == 1 else x
    with mpmath.workprec(2500):
        return real(t, mpmath.acosh, x)


def atanh(t, x):
    if x == 0:
        return x
    if abs(x) >= 1:
        return math.copysign(INF, x) if abs(x) == 1 else NAN
    with mpmath.workprec(2500):
        return real(t, mpmath.atanh, x)


def exp2(t, x):
    if abs(x) > 2000:
        return INF if x > 0 else 0.0
    return real(t, lambda v: mpmath.power(2, v), x)


def cbrt(t, x):
    if x == 0 or math.isinf(x):
        return x
    return math.copysign(real(t, lambda v: mpmath.cbrt(abs(v)), x), x)


def lgamma(t, x):
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return INF
    if x in (1, 2):
        return 0.0
    with mpmath.workprec(2500 if abs(x) < 1 else 400):
        return real(t, lambda v: mpmath.log(abs(mpmath.gamma(v))) if abs(v) < 100 else mpmath.re(mpmath.loggamma(v)), x)


def digamma(t, x):
    if x == 0:
        return -math.copysign(INF, x)
    if math.isinf(x) or (x < 0 and x == math.floor(x)):
        return INF if x > 0 else NAN
    with mpmath.workprec(2500 if abs(x) < 1 else 400):
        return real(t, lambda v: mpmath.digamma(v), x)


def erf(t, x):
    if x == 0:
        return x
    return math.copysign(1.0, x) if abs(x) > 30 else real(t, mpmath.erf, x)


def erfc(t, x):
    if abs(x) > 30:
        return 0.0 if x > 0 else 2.0
    return real(t, mpmath.erfc, x)


def erf_inv(t, x):
    if x == 0:
        return x
    if abs(x) >= 1:
        return x * INF if abs(x) == 1 else NAN
    if abs(x) < 1e-30:  # the next term is x*x*pi/12 times smaller
        return real(t, lambda v: v * mpmath.sqrt(mpmath.pi) / 2, x)
    return real(t, mpmath.erfinv, x)


def sqrt(t, x):
    if x == 0 or x == INF:
        return x
    return NAN if x < 0 else real(t, mpmath.sqrt, x)


def rsqrt(t, x):
    if x == 0:
        return math.copysign(INF, x)
    return NAN if x < 0 else 0.0 if x == INF else real(t, lambda v: 1 / mpmath.sqrt(v), x)


def logistic(t, x):
    if abs(x) > 2000:
        return 1.0 if x > 0 else 0.0
    return real(t, lambda v: 1 / (1 + mpmath.exp(-v)), x)


def whole(f):
    def g(t, x):
        if math.isinf(x) or x == 0:
            return x
        return math.copysign(float(f(Fraction(x))), x)

    return g


UNARY = {
    "neg": lambda t, x: -x,
    "abs": lambda t, x: abs(x),
    "sign": lambda t, x: x if x == 0 else math.copysign(1.0, x),
    "exp": exp,
    "expm1": expm1,
    "log": log,
    "log1p": log1p,
    "sin": trig(mpmath.sin, True),
    "cos": trig(mpmath.cos, False),
    "tan": trig(mpmath.tan, True),
    "tanh": tanh,
    "asin": inverse_trig(mpmath.asin),
    "acos": inverse_trig(mpmath.acos),
    "atan": atan,
    "sinh": sinh,
    "cosh": cosh,
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "exp2": exp2,
    "cbrt": cbrt,
    "lgamma": lgamma,
    "digamma": digamma,
    "erf": erf,
    "erfc": erfc,
    "erf_inv": erf_inv,
    "sqrt": sqrt,
    "rsqrt": rsqrt,
    "logistic": logistic,
    "floor": whole(math.floor),
    "ceil": whole(math.ceil),
    "round": whole(round),
}


def unary(op, t, x):
    return NAN if math.isnan(x) else UNARY[op](t, x)


# ---- two floats ----


def div(x, y):
    if y == 0:
        return NAN if x == 0 else math.copysign(INF, math.copysign(1, x) * math.copysign(1, y))
    if math.isinf(x) or math.isinf(y):
        return x / y
    q = Fraction(x) / Fraction(y)
    return q if q else math.copysign(0.0, math.copysign(1, x) * math.copysign(1, y))


def product(x, y):
    if math.isinf(x) or math.isinf(y) or x == 0 or y == 0:
        return x * y
    return Fraction(x) * Fraction(y)


def total(x, y):
    if math.isinf(x) or math.isinf(y) or x == 0 or y == 0:
        return x + y
    return Fraction(x) + Fraction(y)  # x + -x is +0


def rem(x, y):
    return NAN if math.isinf(x) or y == 0 else math.fmod(x, y)


def maximum(x, y):
    return x if x > y or (x == y and math.copysign(1, x) > 0) else y


def minimum(x, y):
    return x if x < y or (x == y and math.copysign(1, x) < 0) else y


def power(t, x, y):
    """C's pow."""
    if y == 0 or x == 1:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return NAN
    y_whole = math.isinf(y) or y == math.floor(y)
    y_odd = not math.isinf(y) and y_whole and abs(y) < 2.0**53 and int(y) % 2 == 1
    sign = -1.0 if y_odd and math.copysign(1, x) < 0 else 1.0
    if x == 0:
        return sign * (INF if y < 0 else 0.0)
    if math.isinf(x):
        return sign * (0.0 if y < 0 else INF)
    if math.isinf(y):
        return 1.0 if abs(x) == 1 else INF if (abs(x) > 1) == (y > 0) else 0.0
    if x < 0 and not y_whole:
        return NAN
    size = mpmath.log(abs(x), 2) * y
    if abs(size) > 5000:
        return sign * (INF if size > 0 else 0.0)
    return sign * real(t, lambda v: mpmath.power(abs(v), mpmath.mpf(y)), x)


def atan2(t, x, y):
    if x == 0 or y == 0 or math.isinf(x) or math.isinf(y):
        exact = math.atan2(x, y)  # a multiple of pi/4: say which, then round
        k = round(exact * 4 / math.pi)
        return real(t, lambda v: mpmath.pi * v / 4, k) if k else math.copysign(0.0, x)
    return real(t, lambda v: mpmath.atan2(v, mpmath.mpf(y)), x)


def nextafter(t, x, y):
    """By the spacing of t: its significand has `bits`, its least number is 2^least."""
    bits, least, top = FORMAT[t]
    if x == y:
        return y
    if x == 0:
        return math.copysign(math.ldexp(1.0, least), y)
    large = math.ldexp(2.0 - 2.0 ** (1 - bits), top - 1)
    up = (x < y) == (x > 0)  # away from 0
    if math.isinf(x):
        return math.copysign(large, x)
    e = math.frexp(x)[1] - bits
    if not up and abs(math.frexp(x)[0]) == 0.5:
        e -= 1  # below a power of two numbers are twice as dense
    step = math.ldexp(1.0, max(e, least))
    r = abs(x) + step if up else abs(x) - step
    return math.copysign(INF if r > large else r, x)


def binary_float(op, t, x, y):
    if op == "pow":
        return power(t, x, y)
    if math.isnan(x) or math.isnan(y):
        return NAN
    if op == "atan2":
        return atan2(t, x, y)
    if op == "nextafter":
        return nextafter(t, x, y)
    f = {
        "add": total,
        "sub": lambda a, b: total(a, -b),
        "mul": product,
        "div": div,
        "rem": rem,
        "max": maximum,
        "min": minimum,
    }[op]
    r = f(x, y)
    if isinstance(r, Fraction) and r != 0:
        return round_to(t, r)
    return float(r)


# ---- integers ----


def quotient(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def int_power(t, x, y):
    if y < 0:
        return 1 if x == 1 else (-1) ** (y % 2) if x == -1 else 0
    return pow(x, y, 2 ** width(t))


def shift(op, t, x, y):
    bits = x % 2 ** width(t)
    n = y % 2 ** width(t)  # read as unsigned
    top = bits >> (width(t) - 1)
    if op == "shl":
        return bits << n if n < width(t) else 0
    if op == "shr_logical" or not top:
        return bits >> min(n, width(t))
    return (bits - 2 ** width(t)) >> min(n, width(t))


def unary_int(op, t, x):
    if t == "bool":
        return not x
    if op in ("popcount", "clz"):
        bits = bin(x % 2 ** width(t))[2:]
        return bits.count("1") if op == "popcount" else width(t) - len(bits.lstrip("0"))
    return wrap({"neg": -x, "abs": abs(x), "sign": (x > 0) - (x < 0), "not": ~x}[op], t)


def binary_int(op, t, x, y):
    if op in ("shl", "shr_logical", "shr_arith"):
        return wrap(shift(op, t, x, y), t)
    if op == "div":
        return wrap(quotient(x, y) if y else -1, t)
    if op == "rem":
        return wrap(x - y * quotient(x, y) if y else x, t)
    if op == "pow":
        return wrap(int_power(t, x, y), t)
    f = {
        "add": x + y,
        "sub": x - y,
        "mul": x * y,
        "max": max(x, y),
        "min": min(x, y),
        "and": x & y,
        "or": x | y,
        "xor": x ^ y,
    }[op]
    return f if t == "bool" else wrap(f, t)


COMPARE = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}


def cast(src, dst, x):
    """src, dst: dtype names; x a Python number."""
    if dst == "bool":
        return bool(x != 0)
    if dst in FLOATS:
        return round_to(dst, float(x) if src in FLOATS else int(x))
    if src in FLOATS:
        lo, hi = int_range(dst)
        return 0 if math.isnan(x) else hi if x >= hi else lo if x <= lo else int(x)
    return wrap(x, dst)


def edge_floats(t):
    """What is special in dtype t, and some ordinary numbers."""
    bits, least, top = FORMAT[t]
    eps = 2.0 ** (1 - bits)
    small = math.ldexp(1.0, least)
    normal = math.ldexp(1.0, least + bits - 1)
    large = math.ldexp(2.0 - eps, top - 1)
    plain = [1.0, 0.5, 2.0, 1.5, 2.5, 0.1, 3.7, 10.0, 88.5]
    special = [0.0, small, normal - small, normal, eps, 1 + eps, 1 - eps / 2, large]
    both = [s * v for v in special + plain for s in (1.0, -1.0)]
    return [round_to(t, v) for v in both] + [INF, -INF, NAN]
