# jax.scipy.stats -- densities and distribution functions of the usual distributions, each a
# name such as norm with logpdf, pdf, cdf ..
import _jax as _w
from jax.scipy import special as _sp
from jax.scipy.special import _float, gammaln as _gammaln, xlogy as _xlogy, xlog1py as _xlog1py

_log_root = 0.9189385332046727   # log sqrt(2 pi)


def _outside(x, most, y):
    # y, but that nothing is below 0 and above most
    return _w.where(_w.logical_or(x < 0, x > most), -float("inf"), y)


class norm:
    @staticmethod
    def logpdf(x, loc=0, scale=1):
        z = (_float(x) - loc) / scale
        return -0.5 * z * z - _log_root - _w.log(_float(scale))

    @staticmethod
    def pdf(x, loc=0, scale=1):
        return _w.exp(norm.logpdf(x, loc, scale))

    @staticmethod
    def cdf(x, loc=0, scale=1):
        return _sp.ndtr((_float(x) - loc) / scale)

    @staticmethod
    def logcdf(x, loc=0, scale=1):
        return _sp.log_ndtr((_float(x) - loc) / scale)

    @staticmethod
    def ppf(q, loc=0, scale=1):
        return _sp.ndtri(q) * scale + loc

    @staticmethod
    def sf(x, loc=0, scale=1):
        return norm.cdf(-_float(x), -loc, scale)


class multivariate_normal:
    @staticmethod
    def logpdf(x, mean, cov, allow_singular=None):
        if allow_singular is not None:
            raise NotImplementedError("allow_singular argument of multivariate_normal.logpdf")
        x, mean, cov = _float(x), _float(mean), _float(cov)
        if len(cov.shape) == 0:
            n = x.shape[-1] if len(x.shape) else 1
            d = x - mean
            q = _w.sum(d * d, -1) if len(x.shape) else d * d
            return -0.5 * q / cov - n * (_log_root + 0.5 * _w.log(cov))
        low = _w.cholesky(cov)
        d = x - mean
        n = d.shape[-1]
        y = _w.solve_triangular(_w.broadcast_to(low, tuple(d.shape)[:-1] + (n, n)), _w.expand_dims(d, -1), True, False, False)
        return -0.5 * _w.sum(y * y, (-2, -1)) - n * _log_root - _w.sum(_w.log(_w.diagonal(low, 0)), -1)

    @staticmethod
    def pdf(x, mean, cov):
        return _w.exp(multivariate_normal.logpdf(x, mean, cov))


class uniform:
    @staticmethod
    def logpdf(x, loc=0, scale=1):
        x = _float(x)
        beyond = _w.logical_or(_w.lt(x, loc), _w.gt(x, loc + scale))
        return _w.where(beyond, float("-inf"), _w.full_like(x, 0.0) - _w.log(_float(scale)))

    @staticmethod
    def pdf(x, loc=0, scale=1):
        return _w.exp(uniform.logpdf(x, loc, scale))

    @staticmethod
    def cdf(x, loc=0, scale=1):
        z = (_float(x) - loc) / scale
        return _w.where(_w.is_nan(z), 0.0, _w.clip(z, 0.0, 1.0))


class expon:
    @staticmethod
    def logpdf(x, loc=0, scale=1):
        z = (_float(x) - loc) / scale
        return _w.where(_w.lt(z, 0), float("-inf"), -z - _w.log(_float(scale)))

    @staticmethod
    def pdf(x, loc=0, scale=1):
        return _w.exp(expon.logpdf(x, loc, scale))

    @staticmethod
    def cdf(x, loc=0, scale=1):
        return -_w.expm1(-_w.maximum((_float(x) - loc) / scale, 0.0))


class laplace:
    @staticmethod
    def logpdf(x, loc=0, scale=1):
        return -_w.abs(_float(x) - loc) / scale - _w.log(2.0 * _float(scale))

    @staticmethod
    def pdf(x, loc=0, scale=1):
        return _w.exp(laplace.logpdf(x, loc, scale))


class logistic:
    @staticmethod
    def logpdf(x, loc=0, scale=1):
        z = (_float(x) - loc) / scale
        return -z - _w.log(_float(scale)) - 2 * _w.logaddexp(0.0, -z)

    @staticmethod
    def pdf(x, loc=0, scale=1):
        return _w.exp(logistic.logpdf(x, loc, scale))

    @staticmethod
    def cdf(x, loc=0, scale=1):
        return _w.sigmoid((_float(x) - loc) / scale)


class cauchy:
    @staticmethod
    def logpdf(x, loc=0, scale=1):
        z = (_float(x) - loc) / scale
        return -_w.log(3.141592653589793 * _float(scale)) - _w.log1p(z * z)

    @staticmethod
    def pdf(x, loc=0, scale=1):
        return _w.exp(cauchy.logpdf(x, loc, scale))


class gamma:
    @staticmethod
    def logpdf(x, a, loc=0, scale=1):
        z = (_float(x) - loc) / scale
        y = _xlogy(a - 1, z) - z - _gammaln(a) - _w.log(_float(scale))
        return _w.where(z >= 0, y, -float("inf"))

    @staticmethod
    def pdf(x, a, loc=0, scale=1):
        return _w.exp(gamma.logpdf(x, a, loc, scale))


class beta:
    @staticmethod
    def logpdf(x, a, b, loc=0, scale=1):
        z = (_float(x) - loc) / scale
        y = _xlogy(a - 1, z) + _xlog1py(b - 1, -z) - _sp.betaln(a, b) - _w.log(_float(scale))
        return _outside(z, 1, y)

    @staticmethod
    def pdf(x, a, b, loc=0, scale=1):
        return _w.exp(beta.logpdf(x, a, b, loc, scale))


class t:
    @staticmethod
    def logpdf(x, df, loc=0, scale=1):
        z, df = (_float(x) - loc) / scale, _float(df)
        return _gammaln((df + 1) / 2) - _gammaln(df / 2) - 0.5 * _w.log(3.141592653589793 * df) \
            - _w.log(_float(scale)) - (df + 1) / 2 * _w.log1p(z * z / df)

    @staticmethod
    def pdf(x, df, loc=0, scale=1):
        return _w.exp(t.logpdf(x, df, loc, scale))


class bernoulli:
    @staticmethod
    def logpmf(k, p, loc=0):
        k = _float(k) - loc
        return _outside(k, 1, _xlogy(k, p) + _xlog1py(1 - k, -_float(p)))

    @staticmethod
    def pmf(k, p, loc=0):
        return _w.exp(bernoulli.logpmf(k, p, loc))


class poisson:
    @staticmethod
    def logpmf(k, mu, loc=0):
        k = _float(k) - loc
        y = _xlogy(k, mu) - _gammaln(k + 1) - mu
        return _w.where(_w.logical_and(k >= 0, k == _w.floor(k)), y, -float("inf"))

    @staticmethod
    def pmf(k, mu, loc=0):
        return _w.exp(poisson.logpmf(k, mu, loc))


class binom:
    @staticmethod
    def logpmf(k, n, p, loc=0):
        k, n = _float(k) - loc, _float(n)
        choose = _gammaln(n + 1) - _gammaln(k + 1) - _gammaln(n - k + 1)
        y = choose + _xlogy(k, p) + _xlog1py(n - k, -_float(p))
        return _w.where(_w.logical_and(k >= 0, k <= n), y, -float("inf"))

    @staticmethod
    def pmf(k, n, p, loc=0):
        return _w.exp(binom.logpmf(k, n, p, loc))
