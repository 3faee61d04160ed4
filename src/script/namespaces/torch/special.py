# torch.special
import math as _math

import _torch as _w
from torch._math import (erf, erfc, erfinv, exp2, expm1, log1p, logit, logsumexp, round, sigmoid as expit, sinc,
                         softmax, log_softmax, xlogy, lgamma as gammaln, digamma, digamma as psi, polygamma, mvlgamma as multigammaln)
import _bessel
import _special
from torch._creation import get_default_dtype as _default
from torch._misc import result_type as _result_type
from torch._types import float64


def _float(x):
    # a tensor of floats: integers count as the default dtype
    if not isinstance(x, _w.Tensor):
        raise TypeError(f"argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    return x if x.dtype.is_floating_point else _w.cast(x, _default())


def _both(a, b):
    # Numbers and tensors of which one is a tensor, as floats of one dtype.
    like = a if isinstance(a, _w.Tensor) else b
    if isinstance(a, _w.Tensor) and isinstance(b, _w.Tensor):
        d = _result_type(a, b)
    else:
        d = like.dtype
    d = d if d.is_floating_point else _default()
    return [_w.cast(x, d) if isinstance(x, _w.Tensor) else _w.full((), float(x), d) for x in (a, b)]


def xlog1py(input, other):
    x, y = _both(input, other)
    return _w.where(_w.is_nan(y), y, _w.where(_w.eq(x, 0), 0.0, x * _w.log1p(_w.where(_w.eq(x, 0), 0.0, y))))


def entr(input):
    input = _float(input)
    safe = _w.where(_w.le(input, 0), 1.0, input)
    y = _w.where(_w.eq(input, 0), 0.0, _w.neg(safe * _w.log(safe)))
    return _w.where(_w.lt(input, 0), float("-inf"), y)


_HALF = _math.sqrt(0.5)


def ndtr(input):
    return 0.5 * (1 + _w.erf(_float(input) * _HALF))


def log_ndtr(input):
    # far below 0 by erfc times the exponential that it falls with
    x = _float(input)
    below = _w.lt(x, -1.0)
    low = _w.where(below, x, -1.0)
    high = _w.where(below, -1.0, x)
    return _w.where(below, _w.log(erfcx(-low * _HALF) / 2) - low * low / 2, _w.log1p(-_w.erfc(high * _HALF) / 2))


def ndtri(input):
    # Newton's steps on the logarithm of the smaller tail, in float64, from a rational guess
    p = _float(input)
    wide = _w.cast(_w.detach(p), float64)
    upper = _w.gt(wide, 0.5)
    tail = _w.where(upper, 1 - wide, wide)
    inside = _w.logical_and(_w.gt(tail, 0), _w.lt(tail, 1))
    log = _w.log(_w.where(inside, tail, 0.5))
    t = _w.sqrt(-2 * log)
    x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
    for _ in range(4):
        level = log_ndtr(x)
        x = x - (level - log) * _w.exp(level + x * x / 2) * _math.sqrt(2 * _math.pi)
    x = _w.where(upper, -x, x)
    x = _w.where(_w.eq(wide, 0.5), 0.0, x)
    x = _w.where(_w.eq(wide, 0), float("-inf"), _w.where(_w.eq(wide, 1), float("inf"), _w.where(inside, x, float("nan"))))
    x = _w.cast(x, p.dtype)
    if not _w.about(p, "need"):
        return x
    return x + _math.sqrt(2 * _math.pi) * _w.exp(x * x / 2) * (p - _w.detach(p))


def erfcx(input):
    return _special.erfcx(_w, _float(input))


def i0e(input):
    return _special.bessel_e(_w, _float(input), 0)


def i1e(input):
    return _special.bessel_e(_w, _float(input), 1)


def i0(input):
    x = _float(input)
    return _special.bessel_e(_w, x, 0) * _w.exp(_w.abs(x))


def i1(input):
    x = _float(input)
    return _special.bessel_e(_w, x, 1) * _w.exp(_w.abs(x))


modified_bessel_i0, modified_bessel_i1 = i0, i1


def bessel_j0(input):
    return _bessel.bessel_j(_w, _float(input), 0)


def bessel_j1(input):
    return _bessel.bessel_j(_w, _float(input), 1)


def bessel_y0(input):
    return _bessel.bessel_y(_w, _float(input), 0)


def bessel_y1(input):
    return _bessel.bessel_y(_w, _float(input), 1)


def modified_bessel_k0(input):
    return _bessel.bessel_k(_w, _float(input), 0)


def modified_bessel_k1(input):
    return _bessel.bessel_k(_w, _float(input), 1)


def scaled_modified_bessel_k0(input):
    return _bessel.bessel_k(_w, _float(input), 0, True)


def scaled_modified_bessel_k1(input):
    return _bessel.bessel_k(_w, _float(input), 1, True)


def spherical_bessel_j0(x):
    return _bessel.spherical_j0(_w, _float(x))


def airy_ai(x):
    return _bessel.airy_ai(_w, _float(x))


def _polynomial(second, step, shifted=False):
    def value(input, n):
        x, n = _both(input, n)
        return _bessel.polynomial(_w, 2 * x - 1 if shifted else x, n, second, step)
    return value


def _twice(_k, x, now, before):
    return 2 * x * now - before


_SECOND = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}
chebyshev_polynomial_t = _polynomial(_SECOND["t"], _twice)
chebyshev_polynomial_u = _polynomial(_SECOND["u"], _twice)
chebyshev_polynomial_v = _polynomial(_SECOND["v"], _twice)
chebyshev_polynomial_w = _polynomial(_SECOND["w"], _twice)
shifted_chebyshev_polynomial_t = _polynomial(_SECOND["t"], _twice, True)
shifted_chebyshev_polynomial_u = _polynomial(_SECOND["u"], _twice, True)
shifted_chebyshev_polynomial_v = _polynomial(_SECOND["v"], _twice, True)
shifted_chebyshev_polynomial_w = _polynomial(_SECOND["w"], _twice, True)
hermite_polynomial_h = _polynomial(lambda x: 2 * x, lambda k, x, now, before: 2 * x * now - 2 * k * before)
hermite_polynomial_he = _polynomial(lambda x: x, lambda k, x, now, before: x * now - k * before)
laguerre_polynomial_l = _polynomial(lambda x: 1 - x, lambda k, x, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1))
legendre_polynomial_p = _polynomial(lambda x: x, lambda k, x, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1))


def zeta(input, other):
    return _w.where(_w.lt(input, 1), float("nan"), _special.zeta(_w, input, other))


def _gammaincs(input, other, part):
    # the lower part and the upper one, each by what does not round away; all of it lies at 0 where a is 0, and beyond where it is inf
    a, x = _both(input, other)
    y = _special.gammaincs(_w, a, x)[part]
    y = _w.where(_w.eq(a, 0), _w.where(_w.gt(x, 0), 1.0 - part, float("nan")), y)
    far = _w.logical_and(_w.eq(a, float("inf")), _w.logical_and(_w.ge(x, 0), _w.lt(x, float("inf"))))
    return _w.where(far, float(part), y)


def gammainc(input, other):
    return _gammaincs(input, other, 0)


def gammaincc(input, other):
    return _gammaincs(input, other, 1)


__import__("_host").own_names(globals(), "special_")
