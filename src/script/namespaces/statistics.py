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
    return sum(data) if all(isinstance(x, int) for x in data) else _math.fsum(data)


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
    return _math.sqrt(variance(data, xbar))


def pstdev(data, mu=None):
    return _math.sqrt(pvariance(data, mu))


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
