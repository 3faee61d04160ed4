# jax.scipy.stats: distributions of whole numbers.
import _jax as _w
from jax.scipy import special as _sp
from jax.scipy.special import gammaln as _gammaln, xlogy as _xlogy, xlog1py as _xlog1py
from jax.scipy.stats._base import floats, within, above, below, both, exp_of, inf, nan


class bernoulli:
    def logpmf(k, p, loc=0):
        k, p, loc = floats(k, p, loc)
        k = k - loc
        return within(both(above(k, 0), below(k, 1)), _xlogy(k, p) + _xlog1py(1 - k, -p))

    def cdf(k, p):
        k, p = floats(k, p)
        y = _w.where(_w.lt(k, 0), 0.0, _w.where(_w.lt(k, 1), 1 - p, 1.0))
        return within(both(_w.ge(p, 0), _w.le(p, 1)), y, nan)

    def ppf(q, p):
        q, p = floats(q, p)
        good = both(both(_w.ge(q, 0), _w.le(q, 1)), both(_w.ge(p, 0), _w.le(p, 1)))
        return within(good, _w.where(_w.le(q, 1 - p), _w.zeros_like(q), 1.0), nan)

    pmf = exp_of(logpmf)


class poisson:
    def logpmf(k, mu, loc=0):
        k, mu, loc = floats(k, mu, loc)
        k = k - loc
        return within(both(above(k, 0), _w.eq(k, _w.round(k))), _xlogy(k, mu) - _gammaln(k + 1) - mu)

    def cdf(k, mu, loc=0):
        k, mu, loc = floats(k, mu, loc)
        k = _w.floor(k - loc)
        return within(above(k, 0), _sp.gammaincc(_w.maximum(k, 0.0) + 1, mu), 0.0)

    def entropy(mu, loc=0):
        # The sum up to where nothing is left for mu < 50, and the series in 1 / mu above.
        mu, loc = floats(mu, loc)
        mu = mu + 0 * loc
        small = _w.minimum(mu, 50.0)
        k = _w.arange(0.0, 150.0, 1.0)
        logs = _xlogy(k, _w.expand_dims(small, -1)) - _gammaln(k + 1) - _w.expand_dims(small, -1)
        near = _w.sum(_sp.entr(_w.exp(logs)), -1)
        big = _w.maximum(mu, 50.0)
        far = 0.5 * _w.log(17.079468445347132 * big) - (1 / 12 + (1 / 24 + 19 / 360 / big) / big) / big
        y = _w.where(_w.lt(mu, 50.0), _w.cast(near, mu.dtype), far)
        return within(both(_w.ge(mu, 0), _w.lt(mu, inf)), y, nan)

    pmf = exp_of(logpmf)


class binom:
    def logpmf(k, n, p, loc=0):
        k, n, p, loc = floats(k, n, p, loc)
        k = k - loc
        choose = _gammaln(n + 1) - _gammaln(k + 1) - _gammaln(n - k + 1)
        return within(both(_w.ge(k, 0), _w.le(k, n)), choose + _xlogy(k, p) + _xlog1py(n - k, -p))

    pmf = exp_of(logpmf)


class betabinom:
    def logpmf(k, n, a, b, loc=0):
        k, n, a, b, loc = floats(k, n, a, b, loc)
        k = k - loc
        y = _sp.betaln(k + a, n - k + b) - _sp.betaln(a, b) - _w.log1p(n) - _sp.betaln(n - k + 1, k + 1)
        y = within(both(above(k, 0), below(k, n)), y)
        good = both(_w.ge(n, 0), both(_w.gt(a, 0), _w.gt(b, 0)))
        return within(good, y, nan)

    pmf = exp_of(logpmf)


class geom:
    def logpmf(k, p, loc=0):
        k, p, loc = floats(k, p, loc)
        k = k - loc
        return within(_w.logical_not(_w.le(k, 0)), _xlog1py(k - 1, -p) + _w.log(p))

    pmf = exp_of(logpmf)


class nbinom:
    def logpmf(k, n, p, loc=0):
        k, n, p, loc = floats(k, n, p, loc)
        k = k - loc
        choose = _gammaln(k + n) - _gammaln(k + 1) - _gammaln(n)
        return within(above(k, 0), choose + n * _w.log(p) + _xlog1py(k, -p))

    pmf = exp_of(logpmf)


class multinomial:
    def logpmf(x, n, p):
        x, p = floats(x, p)
        n = _w.cast(n, x.dtype)
        y = _gammaln(n + 1) + _w.sum(_xlogy(x, p) - _gammaln(x + 1), -1)
        return within(_w.eq(n, _w.sum(x, -1)), y)

    pmf = exp_of(logpmf)
