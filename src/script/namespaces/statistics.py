# statistics -- means and spreads.
import math as _math


class StatisticsError(ValueError):
    pass


def _need(data, n, what):
    data = list(data)
    if len(data) < n:
        raise StatisticsError(f"{what} requires at least {'one data point' if n == 1 else 'two data points'}")
    return data


def _sum(data):
    return _math.fsum(data) if any(isinstance(x, float) for x in data) else sum(data)


def mean(data):
    data = _need(data, 1, "mean")
    s = _sum(data)
    return s // len(data) if isinstance(s, int) and s % len(data) == 0 else s / len(data)


def fmean(data, weights=None):
    data = [float(x) for x in _need(data, 1, "fmean")]
    if weights is None:
        return _math.fsum(data) / len(data)
    weights = list(weights)
    return _math.fsum(x * w for x, w in zip(data, weights)) / _math.fsum(weights)


def geometric_mean(data):
    return _math.exp(fmean([_math.log(x) for x in data]))


def harmonic_mean(data):
    data = _need(data, 1, "harmonic_mean")
    return len(data) / _math.fsum(1 / x for x in data)


def median(data):
    data = sorted(_need(data, 1, "no median for empty data; median"))
    n = len(data)
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = sorted(data)
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = sorted(data)
    return data[len(data) // 2]


def multimode(data):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    top = max(counts.values(), default=0)
    return [x for x, n in counts.items() if n == top]


def mode(data):
    m = multimode(data)
    if not m:
        raise StatisticsError("no mode for empty data")
    return m[0]


def _squares(data, c):
    if c is None and all(isinstance(x, int) for x in data):
        n, s = len(data), sum(data)
        t = n * sum(x * x for x in data) - s * s
        return t // n if t % n == 0 else t / n
    c = mean(data) if c is None else c
    return _math.fsum((x - c) ** 2 for x in data)


def _ratio(s, n):
    return s // n if isinstance(s, int) and s % n == 0 else s / n


def variance(data, xbar=None):
    data = _need(data, 2, "variance")
    return _ratio(_squares(data, xbar), len(data) - 1)


def pvariance(data, mu=None):
    data = _need(data, 1, "pvariance")
    return _ratio(_squares(data, mu), len(data))


def stdev(data, xbar=None):
    return _math.sqrt(variance(_need(data, 2, "stdev"), xbar))


def pstdev(data, mu=None):
    return _math.sqrt(pvariance(_need(data, 1, "pstdev"), mu))


def quantiles(data, *, n=4, method="exclusive"):
    data = sorted(_need(data, 2, "must have at least two data points; quantiles"))
    m, out = len(data) + (1 if method == "exclusive" else -1), []
    for i in range(1, n):
        if method == "exclusive":
            j = min(max(i * m // n, 1), len(data) - 1)
            d = i * m - j * n
            out.append((data[j - 1] * (n - d) + data[j] * d) / n)
        else:
            j, d = divmod(i * m, n)
            out.append((data[j] * (n - d) + data[j + 1] * d) / n)
    return out


def correlation(x, y):
    a, b = fmean(x), fmean(y)
    xy = _math.fsum((u - a) * (v - b) for u, v in zip(x, y))
    return xy / _math.sqrt(_math.fsum((u - a) ** 2 for u in x) * _math.fsum((v - b) ** 2 for v in y))


def covariance(x, y, /):
    if len(x) != len(y):
        raise StatisticsError("covariance requires that both inputs have same number of data points")
    if len(x) < 2:
        raise StatisticsError("covariance requires at least two data points")
    a, b = _math.fsum(x) / len(x), _math.fsum(y) / len(y)
    return _math.fsum((u - a) * (v - b) for u, v in zip(x, y)) / (len(x) - 1)


class LinearRegression(tuple):
    slope, intercept = property(lambda self: self[0]), property(lambda self: self[1])

    def __repr__(self):
        return f"LinearRegression(slope={self[0]!r}, intercept={self[1]!r})"


def linear_regression(x, y, /, *, proportional=False):
    if len(x) != len(y):
        raise StatisticsError("linear regression requires that both inputs have same number of data points")
    if len(x) < 2:
        raise StatisticsError("linear regression requires at least two data points")
    a = b = 0.0
    if not proportional:
        a, b = _math.fsum(x) / len(x), _math.fsum(y) / len(y)
    sxx = _math.fsum((u - a) * (u - a) for u in x)
    if not sxx:
        raise StatisticsError("x is constant")
    slope = _math.fsum((u - a) * (v - b) for u, v in zip(x, y)) / sxx
    return LinearRegression((slope, 0.0 if proportional else b - slope * a))


def median_grouped(data, interval=1):
    data = sorted(_need(data, 1, "no median for empty data; median_grouped"))
    n = len(data)
    x = data[n // 2]
    below = sum(v < x for v in data)
    low, interval = float(x) - float(interval) / 2.0, float(interval)
    return low + interval * (n / 2 - below) / sum(v == x for v in data)


class NormalDist:
    def __init__(self, mu=0.0, sigma=1.0):
        if sigma < 0.0:
            raise StatisticsError("sigma must be non-negative")
        self._mu, self._sigma = float(mu), float(sigma)

    mean = median = mode = property(lambda self: self._mu)
    stdev = property(lambda self: self._sigma)
    variance = property(lambda self: self._sigma * self._sigma)

    @classmethod
    def from_samples(cls, data):
        data = list(data)
        return cls(fmean(data), stdev(data))

    def samples(self, n, *, seed=None):
        import random
        g = random.gauss if seed is None else random.Random(seed).gauss
        return [g(self._mu, self._sigma) for _ in range(n)]

    def _spread(self, what):
        if not self._sigma:
            raise StatisticsError(f"{what} not defined when sigma is zero")

    def pdf(self, x):
        self._spread("pdf()")
        d = x - self._mu
        return _math.exp(d * d / (-2.0 * self._sigma * self._sigma)) / _math.sqrt(_math.tau * self._sigma * self._sigma)

    def cdf(self, x):
        self._spread("cdf()")
        return 0.5 * (1.0 + _math.erf((x - self._mu) / (self._sigma * _math.sqrt(2.0))))

    def zscore(self, x):
        self._spread("zscore()")
        return (x - self._mu) / self._sigma

    def inv_cdf(self, p):
        if p <= 0.0 or p >= 1.0:
            raise StatisticsError("p must be in the range 0.0 < p < 1.0")
        self._spread("cdf()")
        # bisection, then Newton's steps on the distribution function
        low, high = -40.0, 40.0
        for _ in range(60):
            x = (low + high) / 2
            if 0.5 * _math.erfc(-x / _math.sqrt(2.0)) < p:
                low = x
            else:
                high = x
        for _ in range(3):
            x -= (0.5 * _math.erfc(-x / _math.sqrt(2.0)) - p) * _math.sqrt(_math.tau) * _math.exp(x * x / 2)
        return self._mu + x * self._sigma

    def quantiles(self, n=4):
        return [self.inv_cdf(i / n) for i in range(1, n)]

    def __add__(self, o):
        if isinstance(o, NormalDist):
            return NormalDist(self._mu + o._mu, _math.hypot(self._sigma, o._sigma))
        return NormalDist(self._mu + o, self._sigma)

    __radd__ = __add__

    def __sub__(self, o):
        if isinstance(o, NormalDist):
            return NormalDist(self._mu - o._mu, _math.hypot(self._sigma, o._sigma))
        return NormalDist(self._mu - o, self._sigma)

    def __mul__(self, k):
        return NormalDist(self._mu * k, self._sigma * abs(k))

    __rmul__ = __mul__

    def __truediv__(self, k):
        return NormalDist(self._mu / k, self._sigma / abs(k))

    def __eq__(self, o):
        return self._mu == o._mu and self._sigma == o._sigma if isinstance(o, NormalDist) else NotImplemented

    def __hash__(self):
        return hash((self._mu, self._sigma))

    def __repr__(self):
        return f"NormalDist(mu={self._mu!r}, sigma={self._sigma!r})"
