# jax.scipy.special -- special functions.
import _jax as _w
import _special
from jax.numpy import asarray as _asarray
from jax.nn import logsumexp, softmax, log_softmax
from jax._dtypes import float_of as _float_of


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


def zeta(x, q):
    x, q = _same(x, q)
    return _w.where(_w.lt(x, 1), float("nan"), _special.zeta(_w, x, q))


def polygamma(n, x):
    n, x = _same(n, x)
    sign = 1 - 2 * _w.remainder(n + 1, 2.0)
    return _w.where(_w.eq(n, 0), digamma(x), sign * gamma(n + 1) * _special.zeta(_w, _w.where(_w.eq(n, 0), 1.0, n) + 1, x))


def gammainc(a, x):
    return _special.gammainc(_w, *_same(a, x))


def gammaincc(a, x):
    return 1 - gammainc(a, x)


def betainc(a, b, x):
    return _special.betainc(_w, *_same(a, b, x))


def _same(*xs):
    # Of one dtype and shape.
    from jax.numpy import broadcast_arrays
    return broadcast_arrays(*[_float(x) for x in xs])


def factorial(n, exact=False):
    if exact:
        raise NotImplementedError("factorial with exact=True")
    return _w.exp(gammaln(_float(n) + 1))


def beta(a, b):
    return _w.exp(betaln(a, b))


def betaln(a, b):
    a, b = _float(a), _float(b)
    return gammaln(a) + gammaln(b) - gammaln(a + b)


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


def entr(x):
    x = _float(x)
    y = -xlogy(x, _w.where(_w.gt(x, 0), x, _w.ones_like(x)))
    return _w.where(_w.lt(x, 0), float("-inf"), y)


def rel_entr(p, q):
    p, q = _float(p), _float(q)
    good = _w.logical_and(_w.gt(p, 0), _w.gt(q, 0))
    ratio = _w.where(good, p, _w.ones_like(p)) / _w.where(good, q, _w.ones_like(q))
    y = p * _w.log(ratio)
    zero = _w.logical_and(_w.eq(p, 0), _w.ge(q, 0))
    return _w.where(good, y, _w.where(zero, _w.zeros_like(y), float("inf")))


def kl_div(p, q):
    return rel_entr(p, q) - p + q


def multigammaln(a, d):
    a = _float(a)
    y = d * (d - 1) / 4 * 1.1447298858494002
    for j in range(d):
        y = y + gammaln(a - j / 2)
    return y


def i0(x):
    # The series sum (x/2)^2k / (k!)^2, in so many terms as float32 needs for |x| < 20.
    q = _float(x) ** 2 / 4
    term = _w.ones_like(q)
    total = term
    for k in range(1, 40):
        term = term * q / (k * k)
        total = total + term
    return total


def i0e(x):
    return i0(x) * _w.exp(-_w.abs(_float(x)))


def i1(x):
    x = _float(x)
    q = x ** 2 / 4
    term = x / 2
    total = term
    for k in range(1, 40):
        term = term * q / (k * (k + 1))
        total = total + term
    return total


def i1e(x):
    return i1(x) * _w.exp(-_w.abs(_float(x)))
