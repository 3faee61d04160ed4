# scipy.special -- special functions of arrays: those the libraries share, of NumPy's arrays; integers in 64 bits.
import math as _math

import numpy as _np
import _numpy as _w
import _special


def _in(x):
    a = _w.wrap(x)
    return a if a.dtype.kind in "fc" else _w.cast(a, _w.float64)


def _pair(*xs):
    # of one shape and dtype
    xs = _np.broadcast_arrays(*[_in(x) for x in xs])
    d = _np.result_type(*xs)
    return [_w.cast(x, d) for x in xs]


def _of(f, n=1):
    def call(*args):
        if len(args) != n:
            raise TypeError(f"this function takes {n} arguments, {len(args)} were given")
        out = f(*([_in(args[0])] if n == 1 else _pair(*args)))
        return tuple([y[()] for y in out]) if isinstance(out, tuple) else out[()]
    return call


def _shared(name, n=1):
    return _of(lambda *xs: getattr(_special, name)(_w, *xs), n)


erf, erfc = _of(lambda x: _w.erf(x)), _of(lambda x: _w.erfc(x))
erfinv, erfcinv = _of(lambda x: _w.op("erf_inv", [x])[0]), _of(lambda x: _erfcinv(x))
expm1, log1p, exp2, cbrt = _of(lambda x: _w.expm1(x)), _of(lambda x: _w.log1p(x)), _of(lambda x: _w.exp2(x)), _of(lambda x: _np.cbrt(x))
exp10 = _of(lambda x: _w.pow(_w.full_like(x, 10.0), x))
gammaln, digamma = _shared("gammaln"), _of(lambda x: _digamma(x))
psi = digamma
gamma, gammasgn, rgamma = _of(lambda x: _gamma(x)), _shared("gammasgn"), _of(lambda x: _rgamma(x))
loggamma = _of(lambda x: _w.where(_w.lt(x, 0), _math.nan, _special.gammaln(_w, x)))     # of what is real
erfcx, dawsn, sici, fresnel, spence, expi = [_shared(n) for n in "erfcx dawsn sici fresnel spence expi".split()]
i0e, i1e = _of(lambda x: _special.bessel_e(_w, x, 0)), _of(lambda x: _special.bessel_e(_w, x, 1))
i0 = _of(lambda x: _special.bessel_e(_w, x, 0) * _w.exp(_w.abs(x)))
i1 = _of(lambda x: _special.bessel_e(_w, x, 1) * _w.exp(_w.abs(x)))
exp1 = _of(lambda x: _special.expn(_w, _w.ones_like(x), x))
betainc, hyp1f1 = _shared("betainc", 3), _shared("hyp1f1", 3)
zeta, owens_t, expn = _of(lambda s, q: _zeta(s, q), 2), _shared("owens_t", 2), _shared("expn", 2)
gammainc = _of(lambda a, x: _incomplete(a, x, 0), 2)
gammaincc = _of(lambda a, x: _incomplete(a, x, 1), 2)
expit = _of(lambda x: _w.sigmoid(x))
logit = _of(lambda x: _w.log(x / (1 - x)))
ndtr = _of(lambda x: 0.5 * _w.erfc(-x * 0.7071067811865476))
ndtri = _of(lambda p: 1.4142135623730951 * _w.op("erf_inv", [2 * p - 1])[0])
log_expit = _of(lambda x: -_w.where(_w.gt(x, 0), _w.log1p(_w.exp(-x)), _w.log1p(_w.exp(_w.minimum(x, 0.0))) - _w.minimum(x, 0.0)))
softplus = _of(lambda x: _w.where(_w.gt(x, 0), x + _w.log1p(_w.exp(-_w.abs(x))), _w.log1p(_w.exp(_w.minimum(x, 0.0)))))
exprel = _of(lambda x: _w.where(_w.eq(x, 0), 1.0, _w.expm1(x) / _w.where(_w.eq(x, 0), _w.ones_like(x), x)))
sinc = _np.sinc


def _erfcinv(x):
    # where erf_inv(1 - x) has lost the digits of x, two steps of Newton from the large argument
    y = _w.op("erf_inv", [1 - x])[0]
    for _ in range(2):
        y = _w.where(_w.is_finite(y), y + (_w.erfc(y) - x) * _w.exp(y * y) * 0.886226925452758, y)
    return y


def _digamma(x):
    pole = _w.logical_and(_w.lt(x, 0), _w.eq(x, _w.floor(x)))
    y = _special.digamma(_w, x)
    return _w.where(_w.eq(x, 0), -1 / x, _w.where(pole, _math.nan, y))


def _gamma(x):
    # exact for small whole numbers, by reflection below one half
    low = _w.lt(x, 0.5)
    g = _w.exp(_special.gammaln(_w, _w.where(low, 1 - x, x)))
    y = _w.where(low, _math.pi / (_w.sin(_math.pi * x) * g), g)
    whole = _w.eq(x, _w.round(x))
    y = _w.where(_w.logical_and(whole, _w.logical_and(_w.gt(x, 0), _w.lt(x, 24))), _w.round(y), y)
    y = _w.where(_w.logical_and(whole, _w.lt(x, 0)), _math.nan, y)
    return _w.where(_w.eq(x, 0), 1 / x, y)


def _rgamma(x):
    pole = _w.logical_and(_w.le(x, 0), _w.eq(x, _w.floor(x)))
    return _w.where(pole, 0.0, 1 / _gamma(_w.where(pole, 1.0, x)))


def _zeta(s, q):
    y = _w.where(_w.lt(s, 1), _math.nan, _special.zeta(_w, s, q))
    pole = _w.logical_and(_w.gt(s, 1), _w.logical_and(_w.le(q, 0), _w.eq(q, _w.floor(q))))
    return _w.where(_w.logical_or(_w.eq(s, 1), pole), _math.inf, y)


def _incomplete(a, x, part):
    # all lies at 0 where a is 0, and beyond everything where it is inf
    y = _special.gammaincs(_w, a, x)[part]
    y = _w.where(_w.eq(a, 0), _w.where(_w.gt(x, 0), 1.0 - part, _math.nan), y)
    far = _w.logical_and(_w.ge(x, 0), _w.lt(x, _math.inf))
    return _w.where(_w.eq(a, _math.inf), _w.where(far, 0.0 + part, _math.nan), y)


def wofz(z):
    z = _in(z)
    return _special.wofz(_w, z if z.dtype.kind == "c" else _w.complex(z, _w.zeros_like(z)))[()]


def log_ndtr(x):
    # far below by the scaled complement, far above by the tail itself: neither rounds to the logarithm of 0 or of 1
    x = _in(x)
    low = _w.lt(x, -1.0)
    far = _w.log(0.5 * _special.erfcx(_w, -_w.where(low, x, -1.0) * 0.7071067811865476)) - 0.5 * x * x
    return _w.where(low, far, _w.log1p(-0.5 * _w.erfc(x * 0.7071067811865476)))[()]


def _times(x, log, y):
    return _w.where(_w.logical_and(_w.eq(x, 0), _w.logical_not(_w.is_nan(y))), 0.0, x * log)


xlogy = _of(lambda x, y: _times(x, _w.log(y), y), 2)
xlog1py = _of(lambda x, y: _times(x, _w.log1p(y), y), 2)


@_of
def entr(x):
    y = -x * _w.log(_w.where(_w.gt(x, 0), x, _w.ones_like(x)))
    return _w.where(_w.lt(x, 0), -_math.inf, _w.where(_w.eq(x, 0), 0.0, y))


def _rel_entr(x, y):
    good = _w.logical_and(_w.gt(x, 0), _w.gt(y, 0))
    a, b = _w.where(good, x, 1.0), _w.where(good, y, 1.0)
    zero = _w.logical_and(_w.eq(x, 0), _w.ge(y, 0))
    out = _w.where(good, a * _w.log(a / b), _w.where(zero, 0.0, _math.inf))
    return _w.where(_w.logical_or(_w.is_nan(x), _w.is_nan(y)), _math.nan, out)


rel_entr = _of(_rel_entr, 2)
kl_div = _of(lambda x, y: _rel_entr(x, y) - x + y, 2)
huber = _of(lambda d, r: _w.where(_w.lt(d, 0), _math.inf, _w.where(_w.le(_w.abs(r), d), 0.5 * r * r, d * (_w.abs(r) - 0.5 * d))), 2)
pseudo_huber = _of(lambda d, r: d * d * (_w.sqrt(1 + (r / d) * (r / d)) - 1), 2)


def _boxcox(log, lmbda):
    zero = _w.eq(lmbda, 0)
    safe = _w.where(zero, 1.0, lmbda)
    return _w.where(zero, log, _w.expm1(safe * log) / safe)


boxcox = _of(lambda x, lmbda: _boxcox(_w.log(x), lmbda), 2)
boxcox1p = _of(lambda x, lmbda: _boxcox(_w.log1p(x), lmbda), 2)


def polygamma(n, x):
    n, x = _pair(n, x)
    sign = 1 - 2 * _w.remainder(n + 1, 2.0)
    y = sign * _gamma(n + 1) * _special.zeta(_w, _w.where(_w.eq(n, 0), 1.0, n) + 1, x)
    return _w.where(_w.eq(n, 0), _digamma(x), y)[()]


def multigammaln(a, d):
    if d != _math.floor(d):
        raise ValueError("d should be a positive integer (dimension)")
    a = _in(a)
    y = _w.full_like(a, d * (d - 1) * 0.25 * 1.1447298858494002)
    for j in range(int(d)):
        y = y + _special.gammaln(_w, a - j / 2)
    return y[()]


betaln = _shared("betaln", 2)


def _beta(a, b):
    sign = _special.gammasgn(_w, a) * _special.gammasgn(_w, b) * _special.gammasgn(_w, a + b)
    return _w.where(_w.is_nan(sign), _math.inf, sign * _w.exp(_special.betaln(_w, a, b)))


beta = _of(_beta, 2)


def _binom(n, k):
    # by multiplication where k is a small whole number, else by the beta function
    whole = _w.logical_and(_w.eq(k, _w.floor(k)), _w.logical_and(_w.ge(k, 0), _w.lt(k, 60)))
    other = _w.logical_and(_w.eq(n, _w.floor(n)), _w.logical_and(_w.ge(n - k, 0), _w.lt(n - k, 60)))
    m = _w.where(whole, k, _w.where(other, n - k, 0.0))     # C(n, k) = C(n, n - k) for whole n
    y = _w.ones_like(n)
    for i in range(1, int(_w.max(m)) + 1 if m.size else 1):
        y = _w.where(_w.le(float(i), m), y * (n - m + i) / i, y)
    both = _w.logical_and(_w.eq(n, _w.floor(n)), _w.logical_or(whole, other))
    y = _w.where(both, _w.round(y), y)
    y = _w.where(_w.logical_or(whole, other), y, 1 / ((n + 1) * _beta(1 + n - k, 1 + k)))
    return _w.where(_w.logical_and(_w.lt(n, 0), _w.eq(n, _w.floor(n))), _w.where(whole, y, _math.nan), y)


binom = _of(_binom, 2)


def comb(N, k, *, exact=False, repetition=False):
    if repetition and exact:
        return 1 if k == 0 else comb(N + k - 1, k, exact=True)
    if repetition:      # nothing is taken in one way
        n, k = _pair(N, k)
        return _w.where(_w.eq(k, 0), 1.0, comb(n + k - 1, k))[()]
    if exact:
        return _math.comb(int(N), int(k)) if 0 <= k <= N else 0
    n, k = _pair(N, k)
    good = _w.logical_and(_w.le(k, n), _w.logical_and(_w.ge(n, 0), _w.ge(k, 0)))
    return _w.where(good, _binom(_w.where(good, n, 1.0), _w.where(good, k, 0.0)), 0.0)[()]


def _poch(z, m):
    whole = _w.logical_and(_w.eq(m, _w.floor(m)), _w.logical_and(_w.ge(m, 0), _w.lt(m, 60)))
    y = _w.ones_like(z)
    steps = _w.where(whole, m, 0.0)
    for i in range(int(_w.max(steps)) if m.size else 0):
        y = _w.where(_w.lt(float(i), steps), y * (z + i), y)
    g = _special.gammasgn(_w, z + m) * _special.gammasgn(_w, z) * _w.exp(_special.gammaln(_w, z + m) - _special.gammaln(_w, z))
    pole = lambda v: _w.logical_and(_w.le(v, 0), _w.eq(v, _w.floor(v)))
    g = _w.where(_w.logical_and(pole(z), _w.logical_not(pole(z + m))), 0.0, g)
    return _w.where(whole, y, g)


poch = _of(_poch, 2)


def perm(N, k, exact=False):
    if exact:
        return _math.perm(int(N), int(k)) if 0 <= k <= N else 0
    n, k = _pair(N, k)
    good = _w.logical_and(_w.le(k, n), _w.logical_and(_w.ge(n, 0), _w.ge(k, 0)))
    return _w.where(good, _poch(_w.where(good, n - k + 1, 1.0), _w.where(good, k, 0.0)), 0.0)[()]


def factorial(n, exact=False):
    if exact:
        return _math.factorial(int(n)) if n >= 0 else 0
    n = _in(n)
    return _w.where(_w.lt(n, 0), 0.0, _gamma(n + 1))[()]


def softmax(x, axis=None):
    e = _np.exp(_in(x) - _np.max(_in(x), axis=axis, keepdims=True))
    return e / _np.sum(e, axis=axis, keepdims=True)


def log_softmax(x, axis=None):
    x = _in(x) - _np.max(_in(x), axis=axis, keepdims=True)
    return x - _np.log(_np.sum(_np.exp(x), axis=axis, keepdims=True))


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    a = _in(a)
    if b is not None:
        a, b = _pair(a, b)
        a = _w.where(_w.eq(b, 0), -_math.inf, a)
    top = _np.max(a.real if a.dtype.kind == "c" else a, axis=axis, keepdims=True)
    top = _w.where(_w.is_finite(top), top, 0.0)
    e = _w.exp(a - top)
    s = _np.sum(e if b is None else e * b, axis=axis, keepdims=True)
    sign = _np.sign(s) if return_sign else None
    if return_sign and s.dtype.kind != "c":
        s = _w.abs(s)
    out = _np.log(_np.abs(s) if return_sign else s) + top
    if not keepdims:
        out = _np.squeeze(out, axis=axis)
        sign = _np.squeeze(sign, axis=axis) if return_sign else None
    return (out[()], sign[()]) if return_sign else out[()]


def bernoulli(n):
    from fractions import Fraction
    b = [Fraction(1)]
    for m in range(1, int(n) + 1):
        b.append(Fraction(0) if m > 1 and m % 2 else -sum(_math.comb(m + 1, k) * b[k] for k in range(m)) / (m + 1))
    return _np.array([float(x) for x in b])


def __getattr__(name):
    if name in ("jv", "jn", "j0", "j1"):
        return getattr(__import__("scipy._bessel"), name)
    raise AttributeError(f"module 'scipy.special' has no attribute '{name}'")
