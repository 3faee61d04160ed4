# jax.scipy.special -- special functions.
import _jax as _w
import _special
from jax.numpy import asarray as _asarray
from jax.nn import logsumexp, softmax as _softmax, log_softmax as _log_softmax
from jax._dtypes import float_of as _float_of
from jax._custom import custom_jvp as _custom_jvp


def softmax(x, /, *, axis=None):
    return _softmax(x, axis)


def log_softmax(x, /, *, axis=None):
    return _log_softmax(x, axis)


def _float(x):
    # As floats; a number that is weak stays so.
    x = _asarray(x)
    if x.dtype.is_floating_point:
        return x
    return _w.set_weak(_w.cast(x, _float_of(x.dtype)), _w.about(x, "weak"))


def expit(x):
    return _w.sigmoid(_float(x))


def logit(x):
    x = _float(x)
    return _w.log(x / (1 - x))


def log_expit(x):
    return _w.log_sigmoid(_float(x))


def erf(x):
    return _w.erf(_float(x))


def erfc(x):
    return _w.erfc(_float(x))


def erfinv(x):
    return _w.erf_inv(_float(x))


def ndtr(x):
    # The distribution function of the normal, by erf of what is small.
    return 0.5 * _w.erfc(_float(x) * -0.7071067811865476)


def ndtri(p):
    return 1.4142135623730951 * _w.erf_inv(2 * _float(p) - 1)


def log_ndtr(x, series_order=3):
    # Far below zero by the first terms of the asymptotic series.
    x = _float(x)
    far = _w.lt(x, -10.0)
    near = _w.where(far, _w.zeros_like(x), x)
    t = _w.where(far, x, -10.0 * _w.ones_like(x))
    t2 = t * t
    series = -0.5 * t2 - _w.log(-t) - 0.9189385332046727 + _w.log1p(-1 / t2 + 3 / t2 ** 2 - 15 / t2 ** 3)
    return _w.where(far, series, _w.log(ndtr(near)))


def gammaln(x):
    return _special.gammaln(_w, _float(x))


def loggamma(x):
    return gammaln(x)


def gamma(x):
    return _special.gamma(_w, _float(x))


def digamma(x):
    x = _float(x)
    return _w.where(_w.eq(x, 0), float("nan"), _special.digamma(_w, x))  # NaN at all poles


psi = digamma


@_custom_jvp
def _zeta(x, q):
    return _w.where(_w.lt(x, 1), float("nan"), _special.zeta(_w, x, q))


@_zeta.defjvp
def _(primals, tangents):
    # JAX's: the sum's own below 1, too, where zeta alone is NaN
    from jax import jvp
    return jvp(lambda x, q: _special.zeta(_w, x, q), primals, tangents)


def zeta(x, q):
    return _zeta(*_same(x, q))


def polygamma(n, x):
    n = _asarray(n)
    if n.dtype.kind not in "iu":
        raise ValueError(f"Argument `n` to polygamma must be of integer type. Got dtype {n.dtype.name}.")
    return _polygamma(n, x)


def _polygamma(n, x):
    n, x = _same(n, x)
    whole = _w.logical_and(_w.ge(n, 0), _w.eq(_w.floor(n), n))
    n = _w.where(whole, n, float("nan"))
    sign = 1 - 2 * _w.remainder(n + 1, 2.0)
    return _w.where(_w.eq(n, 0), digamma(x), sign * gamma(n + 1) * _special.zeta(_w, _w.where(_w.eq(n, 0), 1.0, n) + 1, x))


def gammainc(a, x):
    return _gammaincs(a, x)[0]


def gammaincc(a, x):
    return _gammaincs(a, x)[1]


def _gammaincs(a, x):
    # all of it lies at 0 where a is 0, of which JAX says nothing at 0 itself
    a, x = _same(a, x)
    none = _w.eq(a, 0)
    ends = _w.where(_w.gt(x, 0), 1.0, float("nan"))
    low, high = _special.gammaincs(_w, a, x)
    return _w.where(none, ends, low), _w.where(none, 1 - ends, high)


def betainc(a, b, x):
    return _special.betainc(_w, *_same(a, b, x))


def _same(*xs):
    # Of one dtype and shape.
    from jax.numpy import broadcast_arrays
    return broadcast_arrays(*[_float(x) for x in xs])


def factorial(n, exact=False):
    if exact:
        raise NotImplementedError("factorial with exact=True")
    n = _float(n)
    return _w.where(_w.lt(n, 0), 0.0, _w.exp(gammaln(n + 1)))


def beta(a, b):
    a, b = _same(a, b)
    return gammasgn(a) * gammasgn(b) * gammasgn(a + b) * _w.exp(betaln(a, b))


def betaln(a, b):
    return _special.betaln(_w, *_same(a, b))


def _times_log(x, y, log):
    # x log(y), and 0 where x is 0 and y is a number. The slope by x is log(y) there too.
    x, y = _same(x, y)
    zero = _w.logical_and(_w.eq(x, 0), _w.logical_not(_w.is_nan(y)))
    l = log(y)
    finite = _w.where(_w.is_finite(l), l, _w.zeros_like(l))
    return _w.where(zero, x * finite, x * l)


def xlogy(x, y):
    return _times_log(x, y, _w.log)


def xlog1py(x, y):
    return _times_log(x, y, _w.log1p)


@_custom_jvp
def _entropy(x):
    y = -xlogy(x, _w.where(_w.gt(x, 0), x, _w.ones_like(x)))
    return _w.where(_w.lt(x, 0), float("-inf"), y)


_entropy.defjvp(lambda x, t: (_entropy(x[0]), t[0] * (-1 - _w.log(x[0]))))   # infinite at 0


def entr(x):
    return _entropy(_float(x))


def rel_entr(p, q):
    p, q = _float(p), _float(q)
    good = _w.logical_and(_w.gt(p, 0), _w.gt(q, 0))
    a, b = _w.where(good, p, _w.ones_like(p)), _w.where(good, q, _w.ones_like(q))
    y = a * _w.log(a) - a * _w.log(b)
    zero = _w.logical_and(_w.eq(p, 0), _w.ge(q, 0))
    return _w.where(good, y, _w.where(zero, _w.zeros_like(y), float("inf")))


def kl_div(p, q):
    return rel_entr(p, q) - p + q


def multigammaln(a, d):
    a, d = _float(a), int(d)
    y = d * (d - 1) / 4 * 1.1447298858494002
    for j in range(d):
        y = y + gammaln(a - j / 2)
    return y


def i0e(x):
    return _special.bessel_e(_w, _float(x), 0)


def i0(x):
    x = _float(x)
    return i0e(x) * _w.exp(_w.abs(x))


def i1e(x):
    return _special.bessel_e(_w, _float(x), 1)


def i1(x):
    x = _float(x)
    return i1e(x) * _w.exp(_w.abs(x))


# ---- exponential integrals and their kin


def exp1(x):
    x = _float(x)
    return _special.expn(_w, _w.ones_like(x), x)


def expn(n, x):
    return _special.expn(_w, *_same(n, x))


def expi(x):
    return _special.expi(_w, _float(x))


def sici(x):
    if _asarray(x).dtype.is_complex:
        raise ValueError("Argument `x` to sici must be real-valued.")
    return _special.sici(_w, _float(x))


def wofz(z):
    z = _asarray(z)
    if not z.dtype.is_complex:
        z = _w.complex(_float(z), _w.zeros_like(_float(z)))
    return _special.wofz(_w, z)


def erfcx(x):
    return _special.erfcx(_w, _float(x))


def dawsn(x):
    x = _float(x)
    return _w.cast(_special.dawsn(_w, x), x.dtype)


def fresnel(x):
    x = _float(x)
    return tuple([_w.cast(y, x.dtype) for y in _special.fresnel(_w, x)])


def spence(x):
    return _special.spence(_w, _float(x))


def owens_t(h, a):
    h, a = _same(h, a)
    return _special.owens_t(_w, *[_w.cast(v, _w.float32) if v.dtype.itemsize < 4 else v for v in (h, a)])


# ---- products and powers


def gammasgn(x):
    return _special.gammasgn(_w, _float(x))


def poch(z, m):
    z, m = _same(z, m)
    y = gammasgn(z + m) * gammasgn(z) * _w.exp(gammaln(z + m) - gammaln(z))
    return _w.where(_w.eq(m, 0), 1.0, y)


def comb(N, k, *, repetition=False):
    n, k = _same(N, k)
    n = n + k - 1 if repetition else n
    y = _w.exp(-_w.log1p(n) - betaln(n - k + 1, k + 1))
    good = _w.logical_and(_w.ge(k, 0), _w.logical_and(_w.ge(n, 0), _w.le(k, n)))
    y = _w.where(good, y, 0.0)
    return _w.where(_w.eq(k, 0), 1.0, y) if repetition else y


def _power_transform(log, lmbda):
    zero = _w.eq(lmbda, 0)
    safe = _w.where(zero, 1.0, lmbda)
    return _w.where(zero, log, _w.expm1(safe * log) / safe)


def boxcox(x, lmbda):
    x, lmbda = _same(x, lmbda)
    return _power_transform(_w.log(x), lmbda)


def boxcox1p(x, lmbda):
    x, lmbda = _same(x, lmbda)
    return _power_transform(_w.log1p(x), lmbda)


def hyp1f1(a, b, x):
    return _special.hyp1f1(_w, *_same(a, b, x))


def bernoulli(n):
    # B_0 .. B_n, exactly until the end
    from fractions import Fraction
    import math
    if not isinstance(n, int) or n < 0:
        raise ValueError("n must be a non-negative integer.")
    b = [Fraction(1)]
    for m in range(1, n + 1):
        odd = m > 1 and m % 2
        b.append(Fraction(0) if odd else -sum(math.comb(m + 1, k) * b[k] for k in range(m)) / (m + 1))
    return _w.tensor([float(x) for x in b])


def bessel_jn(z, *, v, n_iter=50):
    # J_0 .. J_v by the recurrence downwards from n_iter, scaled by J_0 + 2 J_2 + 2 J_4 .. = 1.
    z = _asarray(z)
    if not z.dtype.is_inexact:
        z = _float(z)
    if not isinstance(v, int) or v < 0:
        raise ValueError(f"bessel_jn: v must be a nonnegative integer, got {v}")
    zero = _w.eq(z, 0)
    at = _w.where(zero, 1.0, z)
    above, here = _w.zeros_like(at), _w.full_like(at, 1e-30)
    kept, total = {}, _w.zeros_like(at)
    for k in range(n_iter, -1, -1):      # here is J_k, up to the scale
        if k <= v:
            kept[k] = here
        if k % 2 == 0:
            total = total + (here if k == 0 else 2 * here)
        above, here = here, 2 * k / at * here - above
        big = _w.gt(_w.abs(here), 1e15)
        shrink = _w.where(big, 1e-15, 1.0)
        above, here, total = above * shrink, here * shrink, total * shrink
        kept = {i: x * shrink for i, x in kept.items()}
    out = [_w.where(zero, 1.0 if i == 0 else 0.0, kept[i] / total) for i in range(v + 1)]
    return _w.stack(out, 0)
