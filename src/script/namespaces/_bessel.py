# _bessel -- functions of Bessel, Airy and orthogonal polynomials, of floats x in the engine w of a library.
#
# Integrals of smooth periodic or quickly falling functions by the trapezoid rule, which is as exact as the numbers there:
#   J_n(x) = mean over t of cos(n t - x sin t)       K_n(x) = integral over t > 0 of exp(-x cosh t) cosh(n t)
# and the series in 1 / x (Hankel's) far away. J, Y and Ai are NaN at infinity, as PyTorch has it.
import math

_FAR = 25.0
_HALF_PI = math.pi / 2
_EULER = 0.5772156649015329


def _wide(w, fn, x):
    # fn of x in float64, in the dtype of x.
    return w.cast(fn(w.cast(x, w.float64)), x.dtype)


def _quarter(n=32):
    # Angles of the first quarter of a circle of 4 n equal steps, each with how often its like stands in the circle.
    return [(math.pi * k / (2 * n), (2 if k in (0, n) else 4) / (4 * n)) for k in range(n + 1)]


def _hankel(w, x, order):
    # P and Q of the series in 1 / x: J = sqrt(2 / (pi x)) (P cos a - Q sin a), a = x - (order / 2 + 1 / 4) pi
    mu, term = 4 * order * order, w.ones_like(x)
    p, q = term, w.zeros_like(x)
    for k in range(1, 30):
        term = term * (mu - (2 * k - 1) ** 2) / (8 * k) / x
        sign = -1 if k % 4 in (2, 3) else 1
        if k % 2:
            q = q + sign * term
        else:
            p = p + sign * term
    angle = x - (order / 2 + 0.25) * math.pi
    root = w.sqrt(2 / (math.pi * x))
    return root * p, root * q, w.cos(angle), w.sin(angle)


def bessel_j(w, x, order):
    def value(x):
        size = w.abs(x)
        near = w.minimum(size, _FAR)
        total = w.zeros_like(x)
        for t, weight in _quarter():
            s = math.sin(t)
            total = total + weight * (w.cos(near * s) if order == 0 else s * w.sin(near * s))
        p, q, c, s = _hankel(w, w.where(w.is_finite(size), w.maximum(size, _FAR), _FAR), order)
        y = w.where(w.le(size, _FAR), total, p * c - q * s)
        y = y if order == 0 else y * w.sign(x)
        return w.where(w.is_finite(x), y, float("nan"))
    return _wide(w, value, x)


def bessel_y(w, x, order):
    # Near 0 by Neumann's series of J, whose sum over the orders is taken first; -inf at 0, NaN below.
    def value(x):
        near = w.clip(x, 1e-300, _FAR)
        total = w.zeros_like(x)
        for t, weight in _quarter(48):
            s = math.sin(t)
            sums = sum([(-1) ** k * math.cos(2 * k * t) / k for k in range(1, 45)])
            total = total + weight * sums * (w.cos(near * s) if order == 0 else s * w.sin(near * s))
        log = w.log(near / 2) + _EULER
        if order == 0:
            y = (2 * log * bessel_j(w, near, 0) - 4 * total) / math.pi
        else:
            y = (2 * log * bessel_j(w, near, 1) - 2 * bessel_j(w, near, 0) / near - 4 * total) / math.pi
        p, q, c, s = _hankel(w, w.where(w.is_finite(x), w.maximum(x, _FAR), _FAR), order)
        y = w.where(w.le(x, _FAR), y, p * s + q * c)
        y = w.where(w.eq(x, 0), float("-inf"), y)
        return w.where(w.logical_and(w.ge(x, 0), w.is_finite(x)), y, float("nan"))
    return _wide(w, value, x)


def _bessel_k(w, x, order):
    # exp(x) K_order(x) of x > 0, any order
    end = w.acosh(1 + 45 / x)
    n = 64
    total = w.zeros_like(x)
    for k in range(n + 1):
        t = end * (k / n)
        rise = 2 * w.sinh(t / 2) ** 2                 # cosh t - 1
        total = total + (0.5 if k in (0, n) else 1.0) * w.exp(-x * rise) * w.cosh(order * t)
    return total * end / n


def bessel_k(w, x, order, scaled=False):
    def value(x):
        safe = w.where(w.logical_and(w.gt(x, 0), w.is_finite(x)), x, 1.0)
        y = _bessel_k(w, safe, order)
        y = y if scaled else y * w.exp(-safe)
        y = w.where(w.eq(x, float("inf")), 0.0, w.where(w.eq(x, 0), float("inf"), y))
        return w.where(w.logical_or(w.lt(x, 0), w.is_nan(x)), float("nan"), y)
    return _wide(w, value, x)


def airy_ai(w, x):
    def value(x):
        s = w.clip(x, -8.0, 2.0)
        cube = s * s * s
        one = term = w.ones_like(s)
        two = other = s
        for k in range(1, 45):
            term = term * cube / ((3 * k - 1) * (3 * k))
            other = other * cube / ((3 * k) * (3 * k + 1))
            one, two = one + term, two + other
        near = 0.3550280538878172 * one - 0.2588194037928068 * two
        up = w.clip(x, 2.0, 1e5)
        zeta = 2 / 3 * up * w.sqrt(up)
        above = w.sqrt(up / 3) / math.pi * _bessel_k(w, zeta, 1 / 3) * w.exp(-zeta)
        down = -w.clip(x, -1e10, -8.0)
        zeta = 2 / 3 * down * w.sqrt(down)
        term = w.ones_like(zeta)
        p, q = term, w.zeros_like(zeta)
        for k in range(1, 24):                    # u_k = (6k-5)(6k-3)(6k-1) / (216 k (2k-1)) u_(k-1)
            term = term * ((6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1))) / zeta
            sign = -1 if k % 4 in (2, 3) else 1
            if k % 2:
                q = q + sign * term
            else:
                p = p + sign * term
        angle = zeta - math.pi / 4
        below = (w.cos(angle) * p + w.sin(angle) * q) / (math.sqrt(math.pi) * w.sqrt(w.sqrt(down)))
        y = w.where(w.gt(x, 2.0), above, w.where(w.lt(x, -8.0), below, near))
        return w.where(w.is_finite(x), y, float("nan"))
    return _wide(w, value, x)


def spherical_j0(w, x):
    near = w.lt(w.abs(x), 0.5)
    q = w.where(near, x * x, 0.0)
    series = 1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110 * (1 - q / 156)))))
    safe = w.where(w.logical_or(near, w.is_inf(x)), 1.0, x)
    y = w.where(near, series, w.sin(safe) / safe)
    return w.where(w.is_inf(x), 0.0, y)


def polynomial(w, x, n, second, step):
    # The n-th of polynomials p_0 = 1, p_1 = second(x), p_(k+1) = step(k, x, p_k, p_(k-1)); 0 below 0. n: whole numbers.
    n = w.trunc(n)
    most = int(w.max(n)) if n.size else 0
    before, now = w.ones_like(x + n), second(x) + w.zeros_like(n)
    y = w.where(w.lt(n, 0), 0.0, w.where(w.eq(n, 0), before, now))
    for k in range(1, most):
        before, now = now, step(k, x, now, before)
        y = w.where(w.eq(n, k + 1), now, y)
    return y
