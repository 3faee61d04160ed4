# _special -- special functions the libraries share, of floats x in the engine w of a library.

# Lanczos' series (g = 7, nine terms): gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t sum, t = z + 7.5
_lanczos = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
            -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-06,
            1.5056327351493116e-07]
_TURNS = 120  # of series and continued fractions: enough for float64 near their worst arguments


def gammaln(w, x):
    # log |gamma(x)|; below 1/2 by reflection: gamma(x) gamma(1 - x) = pi / sin(pi x)
    low = w.lt(x, 0.5)
    z = w.where(low, -x, x - 1)
    s = _lanczos[0]
    for i in range(1, 9):
        s = s + _lanczos[i] / (z + i)
    t = z + 7.5
    # (z + 1/2) log t - t, arranged so that little is lost in float32
    y = 0.9189385332046727 + (z + 0.5) * w.log(t) - t + w.log(s)
    sine = w.abs(w.sin(3.141592653589793 * (x - w.floor(x))))
    safe = w.where(w.eq(sine, 0), w.ones_like(sine), sine)
    reflected = 1.1447298858494002 - w.log(safe) - y
    reflected = w.where(w.eq(sine, 0), float("inf"), reflected)
    y = w.where(low, reflected, y)
    zero = w.logical_or(w.eq(x, 1), w.eq(x, 2))  # exactly, with the slope as it is
    return y - w.stop_gradient(w.where(zero, y, w.zeros_like(y)))


def gamma(w, x):
    odd = w.logical_and(w.lt(x, 0), w.eq(w.remainder(w.floor(x), 2.0), 1.0))
    size = w.exp(gammaln(w, x))
    return w.where(odd, -size, size)


def digamma(w, x):
    # Moved up by recurrence, then the asymptotic series; below 1/2 by reflection.
    low = w.lt(x, 0.5)
    z = w.where(low, 1 - x, x)
    total = w.zeros_like(z)
    for _ in range(6):
        total = total - 1 / z
        z = z + 1
    r = 1 / (z * z)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132)))))
    y = total + w.log(z) - 0.5 / z - series
    t = 3.141592653589793 * (x - w.floor(x))
    tan = w.tan(t)
    safe = w.where(w.eq(tan, 0), w.ones_like(tan), tan)
    return w.where(low, y - 3.141592653589793 / safe, y)


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
    return w.where(w.le(x, 0), w.zeros_like(y), y)


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
    return w.where(flip, 1 - y, y)
