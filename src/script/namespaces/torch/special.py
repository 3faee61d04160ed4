# torch.special
import math as _math

import _torch as _w
from torch._math import (erf, erfc, erfinv, exp2, expm1, log1p, logit, logsumexp, round, sigmoid as expit, sinc,
                         softmax, log_softmax, xlogy, lgamma as gammaln, digamma, digamma as psi, polygamma, mvlgamma as multigammaln)
import _special


def xlog1py(input, other):
    return _w.where(_w.eq(input, 0), 0.0, input * _w.log1p(other))


def entr(input):
    safe = _w.where(_w.le(input, 0), 1.0, input)
    y = _w.where(_w.eq(input, 0), 0.0, _w.neg(safe * _w.log(safe)))
    return _w.where(_w.lt(input, 0), float("-inf"), y)


def ndtr(input):
    return 0.5 * (1 + _w.erf(input / _math.sqrt(2.0)))


def ndtri(input):
    return _math.sqrt(2.0) * _w.erf_inv(2 * input - 1)


def log_ndtr(input):
    return _w.log(ndtr(input))


def zeta(input, other):
    return _w.where(_w.lt(input, 1), float("nan"), _special.zeta(_w, input, other))


def gammainc(input, other):
    y = _special.gammainc(_w, input, other)
    return _w.where(_w.logical_and(_w.eq(input, 0), _w.gt(other, 0)), 1.0, y)


def gammaincc(input, other):
    y = _special.gammaincs(_w, input, other)[1]
    return _w.where(_w.logical_and(_w.eq(input, 0), _w.gt(other, 0)), 0.0, y)
