# jax.scipy.stats: distributions of one real number. z is (x - loc) / scale.
import _jax as _w
from jax.scipy import special as _sp
from jax.scipy.special import gammaln as _gammaln, xlogy as _xlogy, xlog1py as _xlog1py
from jax.scipy.stats._base import centred, floats, within, above, below, both, exp_of, log_of, log_root, pi, inf, nan


class norm:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return -0.5 * z * z - log_root - s

    def cdf(x, loc=0, scale=1):
        return _sp.ndtr(centred(x, loc, scale)[0])

    def logcdf(x, loc=0, scale=1):
        return _sp.log_ndtr(centred(x, loc, scale)[0])

    def sf(x, loc=0, scale=1):
        return _sp.ndtr(-centred(x, loc, scale)[0])

    def logsf(x, loc=0, scale=1):
        return _sp.log_ndtr(-centred(x, loc, scale)[0])

    def ppf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return _sp.ndtri(q) * scale + loc

    def isf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return loc - _sp.ndtri(q) * scale

    pdf = exp_of(logpdf)


class uniform:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return within(both(above(z, 0), below(z, 1)), -s)

    def cdf(x, loc=0, scale=1):
        return _w.clip(centred(x, loc, scale)[0], 0.0, 1.0)

    def ppf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return within(both(_w.ge(q, 0), _w.le(q, 1)), q * scale + loc, nan)

    pdf = exp_of(logpdf)


class expon:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return within(above(z, 0), -z - s)

    def cdf(x, loc=0, scale=1):
        return -_w.expm1(-_w.maximum(centred(x, loc, scale)[0], 0.0))

    def logcdf(x, loc=0, scale=1):
        z = centred(x, loc, scale)[0]
        return within(above(z, 0), _w.log1p(-_w.exp(-z)))

    def logsf(x, loc=0, scale=1):
        return -_w.maximum(centred(x, loc, scale)[0], 0.0)

    def ppf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return within(both(_w.ge(q, 0), _w.le(q, 1)), loc - scale * _w.log1p(-q), nan)

    pdf, sf = exp_of(logpdf), exp_of(logsf)


class laplace:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return -_w.abs(z) - s - 0.6931471805599453

    def cdf(x, loc=0, scale=1):
        z = centred(x, loc, scale)[0]
        tail = 0.5 * _w.exp(-_w.abs(z))
        return _w.where(_w.le(z, 0), tail, 1 - tail)

    pdf = exp_of(logpdf)


class logistic:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return -z - s - 2 * _w.logaddexp(0.0, -z)

    def cdf(x, loc=0, scale=1):
        return _w.sigmoid(centred(x, loc, scale)[0])

    def sf(x, loc=0, scale=1):
        return _w.sigmoid(-centred(x, loc, scale)[0])

    def ppf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return _sp.logit(q) * scale + loc

    def isf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return loc - _sp.logit(q) * scale

    pdf = exp_of(logpdf)


class cauchy:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return -1.1447298858494002 - s - _w.log1p(z * z)

    def cdf(x, loc=0, scale=1):
        return 0.5 + _w.atan(centred(x, loc, scale)[0]) / pi

    def sf(x, loc=0, scale=1):
        return 0.5 - _w.atan(centred(x, loc, scale)[0]) / pi

    def ppf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return loc + scale * _w.tan(pi * q - pi / 2)

    def isf(q, loc=0, scale=1):
        q, loc, scale = floats(q, loc, scale)
        return loc + scale * _w.tan(pi / 2 - pi * q)

    pdf, logcdf, logsf = exp_of(logpdf), log_of(cdf), log_of(sf)


class gamma:
    def logpdf(x, a, loc=0, scale=1):
        z, s, a = centred(x, loc, scale, a)
        inside = _w.ge(z, 0)
        z = within(inside, z, 1.0)   # no NaN, not even one that is not taken
        return within(inside, _xlogy(a - 1, z) - z - _gammaln(a) - s)

    def cdf(x, a, loc=0, scale=1):
        z, _, a = centred(x, loc, scale, a)
        return _sp.gammainc(a, _w.maximum(z, 0.0))

    def sf(x, a, loc=0, scale=1):
        z, _, a = centred(x, loc, scale, a)
        return _sp.gammaincc(a, _w.maximum(z, 0.0))

    pdf, logcdf, logsf = exp_of(logpdf), log_of(cdf), log_of(sf)


class chi2:
    def logpdf(x, df, loc=0, scale=1):
        z, s, df = centred(x, loc, scale, df)
        y = _xlogy(df / 2 - 1, z) - z / 2 - _gammaln(df / 2) - df / 2 * 0.6931471805599453 - s
        return within(above(z, 0), y)

    def cdf(x, df, loc=0, scale=1):
        z, _, df = centred(x, loc, scale, df)
        return _sp.gammainc(df / 2, _w.maximum(z, 0.0) / 2)

    def sf(x, df, loc=0, scale=1):
        z, _, df = centred(x, loc, scale, df)
        return _sp.gammaincc(df / 2, _w.maximum(z, 0.0) / 2)

    pdf, logcdf, logsf = exp_of(logpdf), log_of(cdf), log_of(sf)


class beta:
    def logpdf(x, a, b, loc=0, scale=1):
        z, s, a, b = centred(x, loc, scale, a, b)
        y = _xlogy(a - 1, z) + _xlog1py(b - 1, -z) - _sp.betaln(a, b) - s
        y = within(both(above(z, 0), below(z, 1)), y)
        return within(both(both(_w.gt(a, 0), _w.gt(b, 0)), _w.logical_not(_w.is_nan(s))), y, nan)

    def cdf(x, a, b, loc=0, scale=1):
        z, _, a, b = centred(x, loc, scale, a, b)
        return _sp.betainc(a, b, _w.clip(z, 0.0, 1.0))

    def sf(x, a, b, loc=0, scale=1):
        z, _, a, b = centred(x, loc, scale, a, b)
        return _sp.betainc(b, a, 1 - _w.clip(z, 0.0, 1.0))

    pdf, logcdf, logsf = exp_of(logpdf), log_of(cdf), log_of(sf)


class t:
    def logpdf(x, df, loc=0, scale=1):
        z, s, df = centred(x, loc, scale, df)
        return _gammaln((df + 1) / 2) - _gammaln(df / 2) - 0.5 * _w.log(pi * df) - s - (df + 1) / 2 * _w.log1p(z * z / df)

    pdf = exp_of(logpdf)


class gennorm:
    def logpdf(x, beta):
        x, beta = floats(x, beta)
        return _w.log(0.5 * beta) - _gammaln(1 / beta) - _w.pow(_w.abs(x), beta)

    def cdf(x, beta):
        x, beta = floats(x, beta)
        return 0.5 * (1 + _w.sign(x) * _sp.gammainc(1 / beta, _w.pow(_w.abs(x), beta)))

    pdf = exp_of(logpdf)


class gumbel_r:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return -s - z - _w.exp(-z)

    def logcdf(x, loc=0, scale=1):
        return -_w.exp(-centred(x, loc, scale)[0])

    def sf(x, loc=0, scale=1):
        return -_w.expm1(-_w.exp(-centred(x, loc, scale)[0]))

    def ppf(p, loc=0, scale=1):
        p, loc, scale = floats(p, loc, scale)
        return within(both(_w.gt(p, 0), _w.lt(p, 1)), loc - scale * _w.log(-_w.log(p)), nan)

    pdf, cdf, logsf = exp_of(logpdf), exp_of(logcdf), log_of(sf)


class gumbel_l:
    def logpdf(x, loc=0, scale=1):
        z, s = centred(x, loc, scale)
        return z - s - _w.exp(z)

    def logsf(x, loc=0, scale=1):
        return -_w.exp(centred(x, loc, scale)[0])

    def cdf(x, loc=0, scale=1):
        return -_w.expm1(-_w.exp(centred(x, loc, scale)[0]))

    def ppf(p, loc=0, scale=1):
        p, loc, scale = floats(p, loc, scale)
        return within(both(_w.gt(p, 0), _w.lt(p, 1)), loc + scale * _w.log(-_w.log1p(-p)), nan)

    pdf, sf, logcdf = exp_of(logpdf), exp_of(logsf), log_of(cdf)


class pareto:
    def logpdf(x, b, loc=0, scale=1):
        z, s, b = centred(x, loc, scale, b)
        return within(above(z, 1), _w.log(b) - s - (b + 1) * _w.log(z))

    def logsf(x, b, loc=0, scale=1):
        z, _, b = centred(x, loc, scale, b)
        return within(above(z, 1), -b * _w.log(z), 0.0)

    def cdf(x, b, loc=0, scale=1):
        z, _, b = centred(x, loc, scale, b)
        return within(above(z, 1), 1 - _w.pow(z, -b), 0.0)

    def logcdf(x, b, loc=0, scale=1):
        z, _, b = centred(x, loc, scale, b)
        return within(above(z, 1), _w.log1p(-_w.pow(z, -b)))

    def ppf(q, b, loc=0, scale=1):
        q, b, loc, scale = floats(q, b, loc, scale)
        return within(both(_w.ge(q, 0), _w.le(q, 1)), loc + scale * _w.pow(1 - q, -1 / b), nan)

    pdf, sf = exp_of(logpdf), exp_of(logsf)


def _log_less(x, y):
    # log(e^x - e^y)
    return x + _w.log1p(-_w.exp(y - x))


def _log_mass(a, b):
    # log of the normal's mass between a and b, from the tail that is the smaller.
    left, right = _w.le(b, 0), _w.gt(a, 0)
    middle = _w.log1p(-_sp.ndtr(a) - _sp.ndtr(-b))
    low = _log_less(_sp.log_ndtr(_w.where(left, b, -0.0)), _sp.log_ndtr(_w.where(left, a, -1.0)))
    high = _log_less(_sp.log_ndtr(_w.where(right, -a, 0.0)), _sp.log_ndtr(_w.where(right, -b, -1.0)))
    return _w.where(left, low, _w.where(right, high, middle))


class truncnorm:
    def logpdf(x, a, b, loc=0, scale=1):
        z, s, a, b = centred(x, loc, scale, a, b)
        y = -0.5 * z * z - log_root - s - _log_mass(a, b)
        return within(_w.lt(a, b), within(both(above(z, a), below(z, b)), y), nan)

    def logcdf(x, a, b, loc=0, scale=1):
        z, _, a, b = centred(x, loc, scale, a, b)
        y = _log_mass(a, _w.clip(z, a, b)) - _log_mass(a, b)
        return within(_w.lt(a, b), _w.where(above(z, b), 0.0, within(_w.gt(z, a), y)), nan)

    def logsf(x, a, b, loc=0, scale=1):
        z, _, a, b = centred(x, loc, scale, a, b)
        y = _log_mass(_w.clip(z, a, b), b) - _log_mass(a, b)
        return within(_w.lt(a, b), _w.where(_w.le(z, a), 0.0, within(_w.lt(z, b), y)), nan)

    pdf, cdf, sf = exp_of(logpdf), exp_of(logcdf), exp_of(logsf)


class vonmises:
    def logpdf(x, kappa):
        x, kappa = floats(x, kappa)
        return kappa * (_w.cos(x) - 1) - _w.log(2 * pi * _sp.i0e(kappa))

    pdf = exp_of(logpdf)


class wrapcauchy:
    def logpdf(x, c):
        x, c = floats(x, c)
        y = _w.log((1 - c * c) / (2 * pi)) - _w.log(1 + c * c - 2 * c * _w.cos(x))
        good = both(both(_w.gt(c, 0), _w.lt(c, 1)), both(_w.ge(x, 0), _w.le(x, 2 * pi)))
        return within(good, y)

    pdf = exp_of(logpdf)
