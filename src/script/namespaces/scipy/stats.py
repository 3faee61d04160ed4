# scipy.stats -- distributions and tests, over arrays of NumPy.
import collections

import numpy as np
from scipy import special as _sp


def _unwrapped(x):
    return x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x


class _Distribution:
    # shapes: names of its own parameters. Subclasses give what is of loc 0 and scale 1.
    shapes, discrete = (), False

    def __init__(self, name):
        self.name = name

    def _parsed(self, args, kw):
        # (shapes, loc, scale); a discrete one has no scale
        names = [*self.shapes, "loc"] + ([] if self.discrete else ["scale"])
        if len(args) > len(names):
            raise TypeError(f"{self.name}: too many positional arguments")
        given = dict(zip(names, args))
        for k, v in kw.items():
            if k not in names or k in given:
                raise TypeError(f"{self.name}: got an unexpected keyword argument '{k}'")
            given[k] = v
        for k in self.shapes:
            if k not in given:
                raise TypeError(f"{self.name}: missing a required argument: '{k}'")
        return [np.asarray(given[k]) * 1.0 for k in self.shapes], np.asarray(given.get("loc", 0)) * 1.0, np.asarray(given.get("scale", 1)) * 1.0

    def _standard(self, x, args, kw):
        shapes, loc, scale = self._parsed(args, kw)
        x, loc, scale, *shapes = np.broadcast_arrays(np.asarray(x) * 1.0, loc, scale, *shapes)
        bad = ~((scale > 0) & self._valid(*shapes))
        return (x - loc) / np.where(scale > 0, scale, 1), scale, shapes, bad | np.isnan(x)

    def _valid(self, *shapes):
        ok = np.asarray(True)
        for s in shapes:
            ok = ok & (s > 0)
        return ok

    def _support(self, *_):
        return -np.inf, np.inf

    def _within(self, y, shapes):
        low, high = self._support(*shapes)
        return (y >= low) & (y <= high) & (np.isfinite(y)) & (~np.asarray(self.discrete) | (y == np.floor(y)))

    def _log(self, x, args, kw):
        y, scale, shapes, bad = self._standard(x, args, kw)
        ok = self._within(y, shapes)
        inside = np.where(ok, y, self._inside(*shapes))
        with np.errstate(all="ignore"):
            value = self._logp(inside, *shapes) - np.log(np.where(bad, 1, scale))
        return np.where(bad, np.nan, np.where(ok, value, -np.inf))

    def _inside(self, *_):
        return 1.0

    def _cumulative(self, x, args, kw, upper):
        y, _, shapes, bad = self._standard(x, args, kw)
        y = np.floor(y) if self.discrete else y
        low, high = self._support(*shapes)
        with np.errstate(all="ignore"):
            ok = (y >= low) & (y < high)
            inside = np.where(ok, y, self._inside(*shapes))
            value = self._sf(inside, *shapes) if upper else self._cdf(inside, *shapes)
        return _unwrapped(np.where(bad, np.nan, np.where(ok, value, np.where(y < low, 1.0 * upper, 1.0 - upper))))

    def _sf(self, y, *shapes):
        return 1 - self._cdf(y, *shapes)

    def cdf(self, x, *args, **kw):
        return self._cumulative(x, args, kw, False)

    def sf(self, x, *args, **kw):
        return self._cumulative(x, args, kw, True)

    def logcdf(self, x, *args, **kw):
        return np.log(self.cdf(x, *args, **kw))

    def logsf(self, x, *args, **kw):
        return np.log(self.sf(x, *args, **kw))

    def rvs(self, *args, size=None, random_state=None, **kw):
        shapes, loc, scale = self._parsed(args, kw)
        if size is None and any([v.ndim for v in (loc, scale, *shapes)]):
            size = np.broadcast_shapes(*[v.shape for v in (loc, scale, *shapes)])
        source = np.random if random_state is None else np.random.RandomState(random_state) if isinstance(random_state, (int, np.integer)) else random_state
        got = self._draw(source, size, *[_unwrapped(s) for s in shapes])
        return got + int(loc) if self.discrete and not loc.ndim else _unwrapped(np.asarray(got * scale + loc)) if size is not None else got * float(scale) + float(loc)

    def mean(self, *args, **kw):
        shapes, loc, scale = self._parsed(args, kw)
        return _unwrapped(self._moments(*shapes)[0] * scale + loc)

    def var(self, *args, **kw):
        shapes, _, scale = self._parsed(args, kw)
        return _unwrapped(self._moments(*shapes)[1] * scale * scale)

    def std(self, *args, **kw):
        return np.sqrt(self.var(*args, **kw))

    def median(self, *args, **kw):
        return self.ppf(0.5, *args, **kw)

    def interval(self, confidence, *args, **kw):
        return self.ppf((1 - confidence) / 2, *args, **kw), self.ppf((1 + confidence) / 2, *args, **kw)

    def isf(self, q, *args, **kw):
        return self.ppf(1 - np.asarray(q), *args, **kw)

    def __call__(self, *args, **kw):
        return rv_frozen(self, args, kw)


class _Continuous(_Distribution):
    def logpdf(self, x, *args, **kw):
        return _unwrapped(self._log(x, args, kw))

    def pdf(self, x, *args, **kw):
        return _unwrapped(np.exp(self._log(x, args, kw)))

    def ppf(self, q, *args, **kw):
        shapes, loc, scale = self._parsed(args, kw)
        q, loc, scale, *shapes = np.broadcast_arrays(np.asarray(q) * 1.0, loc, scale, *shapes)
        low, high = self._support(*shapes)
        ok = (q > 0) & (q < 1) & (scale > 0) & self._valid(*shapes)
        value = self._quantile(np.where(ok, q, 0.5), *shapes)
        value = np.where(ok, value, np.where(q == 0, low, np.where(q == 1, high, np.nan)))
        return _unwrapped(np.where((scale > 0) & self._valid(*shapes), value * scale + loc, np.nan))

    def _quantile(self, q, *shapes):
        # where the distribution function is q: between bounds, halved until no float lies between them
        low, high = self._support(*shapes)
        a = np.where(np.isfinite(low), low, -1.0) + 0 * q
        b = np.where(np.isfinite(high), high, 1.0) + 0 * q
        for _ in range(1100):
            short, far = ~np.isfinite(low) & (self.cdf(a, *shapes) > q), ~np.isfinite(high) & (self.cdf(b, *shapes) < q)
            if not (np.any(short) or np.any(far)):
                break
            a, b = np.where(short, a * 2, a), np.where(far, b * 2, b)
        for _ in range(200):
            middle = (a + b) / 2
            under = self.cdf(middle, *shapes) < q
            if np.all((middle == a) | (middle == b)):
                break
            a, b = np.where(under, middle, a), np.where(under, b, middle)
        return b


class _Discrete(_Distribution):
    discrete = True

    def logpmf(self, k, *args, **kw):
        return _unwrapped(self._log(k, args, kw))

    def pmf(self, k, *args, **kw):
        return _unwrapped(np.exp(self._log(k, args, kw)))

    def ppf(self, q, *args, **kw):
        shapes, loc, _ = self._parsed(args, kw)
        q, loc, *shapes = np.broadcast_arrays(np.asarray(q) * 1.0, loc, *shapes)
        low, high = self._support(*shapes)
        low, high = low + 0 * q, high + 0 * q
        a, b = low - 1, np.where(np.isfinite(high), high, low + 1)
        while np.any(far := self.cdf(b, *shapes) < q * (1 - 1e-15)):
            b = np.where(far, 2 * b + 1, b)
        while np.any(b - a > 1):
            middle = np.floor((a + b) / 2)
            under = self.cdf(middle, *shapes) < q * (1 - 1e-15)
            a, b = np.where((b - a > 1) & under, middle, a), np.where((b - a > 1) & ~under, middle, b)
        ok = (q >= 0) & (q <= 1) & self._valid(*shapes)
        return _unwrapped(np.where(ok, np.where(q == 1, high, np.where(q == 0, low - 1, b)) + loc, np.nan))


class rv_frozen:
    # A distribution with its parameters
    def __init__(self, dist, args, kw):
        dist._parsed(args, kw)
        self.dist, self.args, self.kwds = dist, args, kw

    def __getattr__(self, name):
        if name in ("rvs", "mean", "var", "std", "median"):
            return lambda *size, **kw: getattr(self.dist, name)(*self.args, **self.kwds, **(dict(zip(("size", "random_state"), size)) | kw))
        if name in ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "interval"):
            return lambda x: getattr(self.dist, name)(x, *self.args, **self.kwds)
        raise AttributeError(f"'rv_frozen' object has no attribute '{name}'")


class _Norm(_Continuous):
    _logp = lambda self, y: -y * y / 2 - 0.9189385332046727
    _cdf = lambda self, y: _sp.ndtr(y)
    _sf = lambda self, y: _sp.ndtr(-y)
    _moments = lambda self: (np.asarray(0.0), 1.0)
    _draw = lambda self, source, size: source.standard_normal(size)

    def _quantile(self, q):
        return _sp.ndtri(q)


class _Uniform(_Continuous):
    _support = lambda self: (0.0, 1.0)
    _inside = lambda self: 0.5
    _logp = lambda self, y: 0 * y
    _cdf = lambda self, y: y
    _quantile = lambda self, q: q
    _moments = lambda self: (np.asarray(0.5), 1 / 12)
    _draw = lambda self, source, size: source.uniform(0.0, 1.0, size)


class _Expon(_Continuous):
    _support = lambda self: (0.0, np.inf)
    _logp = lambda self, y: -y
    _cdf = lambda self, y: -np.expm1(-y)
    _sf = lambda self, y: np.exp(-y)
    _quantile = lambda self, q: -np.log1p(-q)
    _moments = lambda self: (np.asarray(1.0), 1.0)
    _draw = lambda self, source, size: source.standard_exponential(size)


class _T(_Continuous):
    shapes = ("df",)
    _logp = lambda self, y, v: _sp.gammaln((v + 1) / 2) - _sp.gammaln(v / 2) - 0.5 * np.log(v * np.pi) - (v + 1) / 2 * np.log1p(y * y / v)
    _moments = lambda self, v: (np.where(v > 1, 0.0, np.inf), np.where(v > 2, v / np.where(v > 2, v - 2, 1), np.where(v > 1, np.inf, np.nan)))
    _draw = lambda self, source, size, v: source.standard_t(v, size)

    def _cdf(self, y, v):
        tail = 0.5 * _sp.betainc(v / 2, 0.5 + 0 * v, v / (v + y * y))
        near = 0.5 * _sp.betainc(0.5 + 0 * v, v / 2, y * y / (v + y * y))
        return np.where(y * y < v, 0.5 + np.sign(y) * near, np.where(y > 0, 1 - tail, tail))

    def _sf(self, y, v):
        return self._cdf(-y, v)

    def _quantile(self, q, v):      # as exact on one side as on the other
        y = _Continuous._quantile(self, np.minimum(q, 1 - q), v)
        return np.where(q == 0.5, 0.0, np.where(q < 0.5, y, -y))


class _Gamma(_Continuous):
    shapes = ("a",)
    _support = lambda self, a: (0.0, np.inf)
    _logp = lambda self, y, a: _sp.xlogy(a - 1, y) - y - _sp.gammaln(a)
    _cdf = lambda self, y, a: _sp.gammainc(a, y)
    _sf = lambda self, y, a: _sp.gammaincc(a, y)
    _moments = lambda self, a: (a, a)
    _draw = lambda self, source, size, a: source.standard_gamma(a, size)


class _Chi2(_Continuous):
    shapes = ("df",)
    _support = lambda self, v: (0.0, np.inf)
    _logp = lambda self, y, v: _sp.xlogy(v / 2 - 1, y) - y / 2 - _sp.gammaln(v / 2) - v * np.log(2) / 2
    _cdf = lambda self, y, v: _sp.gammainc(v / 2, y / 2)
    _sf = lambda self, y, v: _sp.gammaincc(v / 2, y / 2)
    _moments = lambda self, v: (v, 2 * v)
    _draw = lambda self, source, size, v: source.chisquare(v, size)


class _Beta(_Continuous):
    shapes = ("a", "b")
    _support = lambda self, a, b: (0.0, 1.0)
    _inside = lambda self, a, b: 0.5
    _logp = lambda self, y, a, b: _sp.xlog1py(b - 1, -y) + _sp.xlogy(a - 1, y) - _sp.gammaln(a) - _sp.gammaln(b) + _sp.gammaln(a + b)
    _cdf = lambda self, y, a, b: _sp.betainc(a, b, y)
    _moments = lambda self, a, b: (a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1)))
    _draw = lambda self, source, size, a, b: source.beta(a, b, size)


class _F(_Continuous):
    shapes = ("dfn", "dfd")
    _support = lambda self, n, m: (0.0, np.inf)
    _cdf = lambda self, y, n, m: _sp.betainc(n / 2, m / 2, n * y / (n * y + m))
    _sf = lambda self, y, n, m: _sp.betainc(m / 2, n / 2, m / (n * y + m))
    _draw = lambda self, source, size, n, m: source.f(n, m, size)

    def _logp(self, y, n, m):
        return m / 2 * np.log(m) + n / 2 * np.log(n) + _sp.xlogy(n / 2 - 1, y) - (n + m) / 2 * np.log(m + n * y) - _sp.gammaln(n / 2) - _sp.gammaln(m / 2) \
            + _sp.gammaln((n + m) / 2)

    def _moments(self, n, m):
        return np.where(m > 2, m / np.where(m > 2, m - 2, 1), np.inf), \
            np.where(m > 4, 2 * m * m * (n + m - 2) / (n * np.where(m > 4, (m - 2) ** 2 * (m - 4), 1)), np.inf)


class _Binom(_Discrete):
    shapes = ("n", "p")
    _valid = lambda self, n, p: (n >= 0) & (n == np.floor(n)) & (p >= 0) & (p <= 1)
    _support = lambda self, n, p: (0.0, n)
    _inside = lambda self, n, p: 0.0
    _moments = lambda self, n, p: (n * p, n * p * (1 - p))
    _draw = lambda self, source, size, n, p: source.binomial(int(n), p, size)

    def _logp(self, k, n, p):
        return _sp.gammaln(n + 1) - _sp.gammaln(k + 1) - _sp.gammaln(n - k + 1) + _sp.xlogy(k, p) + _sp.xlog1py(n - k, -p)

    def _cdf(self, k, n, p):
        return _sp.betainc(n - k, k + 1, 1 - p)


class _Poisson(_Discrete):
    shapes = ("mu",)
    _valid = lambda self, mu: mu >= 0
    _support = lambda self, mu: (0.0, np.inf)
    _inside = lambda self, mu: 0.0
    _logp = lambda self, k, mu: _sp.xlogy(k, mu) - _sp.gammaln(k + 1) - mu
    _cdf = lambda self, k, mu: _sp.gammaincc(k + 1, mu)
    _moments = lambda self, mu: (mu, mu)
    _draw = lambda self, source, size, mu: source.poisson(mu, size)


norm, uniform, expon, t, gamma, chi2, beta, f = _Norm("norm"), _Uniform("uniform"), _Expon("expon"), _T("t"), _Gamma("gamma"), _Chi2("chi2"), _Beta("beta"), _F("f")
binom, poisson = _Binom("binom"), _Poisson("poisson")

# ---- of samples ----

TtestResult = collections.namedtuple("TtestResult", ["statistic", "pvalue", "df"])
LinregressResult = collections.namedtuple("LinregressResult", ["slope", "intercept", "rvalue", "pvalue", "stderr"])


def zscore(a, axis=0, ddof=0):
    a = np.asarray(a) * 1.0
    return (a - a.mean(axis, keepdims=True)) / a.std(axis, ddof=ddof, keepdims=True)


def sem(a, axis=0, ddof=1):
    a = np.asarray(a)
    return a.std(axis, ddof=ddof) / np.sqrt(a.shape[axis])


def gmean(a, axis=0):
    return np.exp(np.mean(np.log(np.asarray(a)), axis))


def hmean(a, axis=0):
    return 1 / np.mean(1 / np.asarray(a), axis)


def skew(a, axis=0, bias=True):
    a = np.asarray(a) * 1.0
    d, n = a - a.mean(axis, keepdims=True), a.shape[axis]
    s = (d ** 3).mean(axis) / (d ** 2).mean(axis) ** 1.5
    return s if bias else s * np.sqrt(n * (n - 1.0)) / (n - 2.0)


def kurtosis(a, axis=0, fisher=True, bias=True):
    a = np.asarray(a) * 1.0
    d, n = a - a.mean(axis, keepdims=True), a.shape[axis]
    k = (d ** 4).mean(axis) / (d ** 2).mean(axis) ** 2
    k = k if bias else ((n * n - 1.0) * k - 3 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return k - 3 if fisher else k


def entropy(pk, qk=None, base=None, axis=0):
    p = np.asarray(pk) * 1.0
    p = p / p.sum(axis, keepdims=True)
    if qk is None:
        s = _sp.entr(p).sum(axis)
    else:
        q = np.asarray(qk) * 1.0
        s = _sp.rel_entr(p, q / q.sum(axis, keepdims=True)).sum(axis)
    return s if base is None else s / np.log(base)


def _tested(statistic, df, alternative):
    if alternative not in ("two-sided", "less", "greater"):
        raise ValueError("`alternative` must be 'less', 'greater', or 'two-sided'.")
    p = 2 * t.sf(abs(statistic), df) if alternative == "two-sided" else t.cdf(statistic, df) if alternative == "less" else t.sf(statistic, df)
    return TtestResult(statistic, p, df)


def ttest_1samp(a, popmean, axis=0, alternative="two-sided"):
    a = np.asarray(a)
    return _tested((a.mean(axis) - popmean) / sem(a, axis), np.float64(a.shape[axis] - 1), alternative)


def ttest_rel(a, b, axis=0, alternative="two-sided"):
    return ttest_1samp(np.asarray(a) - np.asarray(b), 0, axis, alternative)


def ttest_ind(a, b, axis=0, equal_var=True, alternative="two-sided"):
    a, b = np.asarray(a), np.asarray(b)
    n, m, u, v = a.shape[axis], b.shape[axis], a.var(axis, ddof=1), b.var(axis, ddof=1)
    if equal_var:
        df = np.float64(n + m - 2)
        of = np.sqrt(((n - 1) * u + (m - 1) * v) / df * (1 / n + 1 / m))
    else:
        df = (u / n + v / m) ** 2 / ((u / n) ** 2 / (n - 1) + (v / m) ** 2 / (m - 1))
        of = np.sqrt(u / n + v / m)
    return _tested((a.mean(axis) - b.mean(axis)) / of, df, alternative)


def linregress(x, y):
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    n = len(x)
    (sxx, sxy), (_, syy) = np.cov(x, y, bias=True)
    r = min(max(sxy / np.sqrt(sxx * syy), -1.0), 1.0)
    slope = sxy / sxx
    of = r * np.sqrt((n - 2) / ((1 - r) * (1 + r))) if abs(r) < 1 else np.inf
    return LinregressResult(slope, y.mean() - slope * x.mean(), r, 2 * t.sf(abs(of), n - 2), np.sqrt((1 - r ** 2) * syy / sxx / (n - 2)))
