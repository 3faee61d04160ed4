# _special -- special functions the libraries share, of floats x in the engine w of a library.

_TURNS = 120  # of series and continued fractions: enough for float64 near their worst arguments


def gammaln(w, x):
    return w.op("lgamma", [x])[0]


def gamma(w, x):
    odd = w.logical_and(w.lt(x, 0), w.eq(w.remainder(w.floor(x), 2.0), 1.0))
    size = w.exp(gammaln(w, x))
    return w.where(odd, -size, size)


def digamma(w, x):
    return w.op("digamma", [x])[0]


def zeta(w, s, q):
    # sum over k >= 0 of (q + k)^-s, s > 1, by Euler and Maclaurin after ten terms.
    total = w.zeros_like(s + q)
    for k in range(10):
        total = total + w.pow(q + k, -s)
    a = q + 10
    total = total + w.pow(a, 1 - s) / (s - 1) + 0.5 * w.pow(a, -s)
    factor, term = s, w.pow(a, -s - 1)
    for i, b in enumerate([1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160]):
        total = total + b * factor * term
        factor = factor * (s + 2 * i + 1) * (s + 2 * i + 2)
        term = term / (a * a)
    return total


def gammainc(w, a, x):
    # The regularised lower gamma function: its series below a + 1, 1 - the fraction of the rest above.
    below = w.lt(x, a + 1)
    s = w.where(below, x, w.zeros_like(x))
    term = total = 1 / a
    for k in range(1, _TURNS):
        term = term * s / (a + k)
        total = total + term
    big = w.where(below, a + 2, x)
    c = w.full_like(big, 1e30)
    d = 1 / (big + 1 - a)
    h = d
    for k in range(1, _TURNS):
        b = big + 2 * k + 1 - a
        n = -k * (k - a)
        d = 1 / (n * d + b)
        c = b + n / c
        h = h * d * c
    positive = w.where(w.gt(x, 0), x, w.ones_like(x))
    front = w.exp(a * w.log(positive) - positive - gammaln(w, a))
    y = w.where(below, front * total, 1 - front * h)
    y = w.where(w.le(x, 0), w.zeros_like(y), y)
    return w.where(w.logical_or(w.lt(x, 0), w.le(a, 0)), w.full_like(y, float("nan")), y)


def _beta_fraction(w, a, b, x):
    c = w.ones_like(x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, _TURNS):
        n = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + n * d)
        c = 1 + n / c
        h = h * d * c
        n = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + n * d)
        c = 1 + n / c
        h = h * d * c
    return h


def betainc(w, a, b, x):
    # The regularised beta function, by its continued fraction, from the side where that is short.
    flip = w.gt(x, (a + 1) / (a + b + 2))
    p, q = w.where(flip, b, a), w.where(flip, a, b)
    z = w.where(flip, 1 - x, x)
    inside = w.logical_and(w.gt(z, 0), w.lt(z, 1))
    safe = w.where(inside, z, w.full_like(z, 0.5))
    front = w.exp(gammaln(w, a + b) - gammaln(w, a) - gammaln(w, b) + p * w.log(safe) + q * w.log1p(-safe)) / p
    y = w.where(inside, front * _beta_fraction(w, p, q, safe), w.zeros_like(safe))
    y = w.where(flip, 1 - y, y)
    outside = w.logical_or(w.logical_or(w.lt(x, 0), w.gt(x, 1)), w.logical_or(w.le(a, 0), w.le(b, 0)))
    return w.where(outside, w.full_like(y, float("nan")), y)
