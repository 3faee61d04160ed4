# tensorflow._specials -- special functions, and quotients that go to zero.
import _special
import _tf as _w
import numpy as _np
from tensorflow._base import op, as_tensor, as_operand, like, InvalidArgumentError
from tensorflow._ops import _binary, _unary, _no_nan, _divided


def _real(x):
    if not x.dtype.is_floating or x.dtype.size < 4:
        raise InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: float, double")
    return x


def _xtimes(fn):
    # x * fn(y), 0 where x is 0
    return lambda x, y: _w.where(x == 0, _w.zeros_like(x * y), x * fn(_w.where(x == 0, _w.ones_like(x * y), y)))


def _gamma_parts(upper):
    def call(a, x):
        y = _special.gammaincs(_w, _real(a), x)[1 if upper else 0]
        return _w.where(_w.logical_and(a == float("inf"), _w.is_finite(x)), 1.0 if upper else 0.0, y)
    return call


def _truncated(x, y):
    if x.dtype.is_floating:
        return _w.trunc(x / y)
    return _w.floor_div(x, y) + _w.cast(_w.logical_and(_w.remainder(x, y) != 0, (x < 0) != (y < 0)), x.dtype)


def _polygamma(n, x):
    sign = _w.where(_w.remainder(n, 2.0) == 0, _w.full((), -1, x.dtype), _w.full((), 1, x.dtype))
    rest = sign * _w.exp(_special.gammaln(_w, n + 1)) * _special.zeta(_w, n + 1, x)
    rest = _w.where(_w.logical_and(n > 0, n == _w.floor(n)), rest, float("nan"))    # of whole orders alone
    return _w.where(n == 0, _special.digamma(_w, x), rest)


def _zeta(x, q):
    pole = _w.logical_and(q <= 0, q == _w.floor(q))     # infinite where the order is even, as its sign is known
    no = _w.logical_or(_w.logical_or(x < 1, _w.logical_and(q <= 0, x != _w.floor(x))), _w.logical_and(pole, _w.remainder(x, 2.0) != 0))
    return _w.where(no, float("nan"), _w.where(_w.logical_and(pole, _w.logical_not(no)), float("inf"), _special.zeta(_w, x, q)))


reciprocal_no_nan = _unary("reciprocal_no_nan", lambda x: _no_nan(_w.ones_like(x), x))
erfcinv = _unary("erfcinv", lambda x: _w.erf_inv(1 - x))
ndtri = _unary("Ndtri", lambda x: 1.4142135623730951 * _w.erf_inv(2 * _real(x) - 1))
truncatediv, truncatemod = _binary("TruncateDiv", _divided(_truncated)), _binary("TruncateMod", _divided(_w.fmod))
xdivy, xlog1py = _binary("Xdivy", _xtimes(_w.reciprocal)), _binary("Xlog1py", _xtimes(_w.log1p))
igamma, igammac = _binary("Igamma", _gamma_parts(False)), _binary("Igammac", _gamma_parts(True))
zeta, polygamma = _binary("Zeta", lambda x, q: _zeta(_real(x), q)), _binary("Polygamma", lambda n, x: _polygamma(_real(n), x))

bessel_i0e, bessel_i1e = [_unary(f"BesselI{k}e", lambda x, k=k: _special.bessel_e(_w, _real(x), k)) for k in (0, 1)]
bessel_i0, bessel_i1 = [_unary(f"BesselI{k}", lambda x, k=k: _special.bessel_e(_w, _real(x), k) * _w.exp(_w.abs(x))) for k in (0, 1)]


def polyval(coeffs, x, name=None):
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    from tensorflow import _ops
    x = _ops.convert_to_tensor(x)
    if not coeffs:
        return _ops.zeros_like(x)
    y = _ops.convert_to_tensor(coeffs[0], dtype_hint=x.dtype)
    for c in coeffs[1:]:
        y = _ops.convert_to_tensor(c, dtype_hint=x.dtype) + y * x
    return y


@op("NextAfter")
def nextafter(x1, x2):
    # its derivatives are 1 and 0
    x, y = like(x1, x2)
    z = _w.stop_gradient(as_tensor(_np.nextafter(_np._w.wrap(_real(x)), _np._w.wrap(y))))
    along = _w.where(_w.is_finite(x), x, _w.zeros_like(x))
    return z + (along - _w.stop_gradient(along)) + 0.0 * _w.where(_w.is_finite(y), y, _w.zeros_like(y))


@op("Betainc")
def betainc(a, b, x):
    a, b = like(a, b)
    a, b = _w.stop_gradient(_real(a)), _w.stop_gradient(b)      # it has a derivative by x alone
    return _special.betainc(_w, a, b, as_operand(x, a.dtype))


@op("lbeta")
def lbeta(x):
    x = as_tensor(x)
    return _w.sum(_special.gammaln(_w, x), -1) - _special.gammaln(_w, _w.sum(x, -1))


@op("CumulativeLogsumexp")
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False):
    x = as_tensor(x)
    if reverse:
        x = _w.flip(x, axis)
    n, parts, total = x.shape[axis], [], _w.full_like(_w.narrow(x, axis, 0, 1), float("-inf")) if x.shape[axis] else None
    for i in range(n):
        row = _w.narrow(x, axis, i, 1)
        if exclusive:
            parts.append(total)
        total = row if i == 0 else _w.logaddexp(total, row)
        if not exclusive:
            parts.append(total)
    y = _w.concat(parts, axis) if parts else x
    return _w.flip(y, axis) if reverse else y
