# _special -- special functions the libraries share, of floats x in the engine w of a library.

_TURNS = 120  # of series and continued fractions: enough for float64 near their worst arguments


def gammaln(w, x):
    return w.op("lgamma", [x])[0]


def gamma(w, x):
    return gammasgn(w, x) * w.exp(gammaln(w, x))


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


def gammaincs(w, a, x):
    # The regularised gamma functions, lower and upper: one by its series below a + 1, the other by its fraction above, neither
    # as a small difference.
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
    bad = w.logical_or(w.lt(x, 0), w.lt(a, 0))
    zero, end = w.eq(x, 0), w.eq(x, float("inf"))

    def ends(y, at_zero, at_end):
        y = w.where(zero, w.full_like(y, at_zero), w.where(end, w.full_like(y, at_end), y))
        return w.where(bad, float("nan"), y)

    low, high = front * total, front * h
    return ends(w.where(below, low, 1 - high), 0.0, 1.0), ends(w.where(below, 1 - low, high), 1.0, 0.0)


def gammainc(w, a, x):
    return gammaincs(w, a, x)[0]


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
    good = w.logical_and(w.logical_and(w.gt(a, 0), w.gt(b, 0)), w.logical_and(w.ge(x, 0), w.le(x, 1)))
    return w.where(good, y, float("nan"))


def betaln(w, a, b):
    # Where one of them is large, the difference of its two gammaln by Stirling's series: it is small against both.
    small, big = w.minimum(a, b), w.maximum(a, b)
    far = w.logical_and(w.ge(big, 8.0), w.gt(small, 0))
    y = w.where(far, big, 8.0)
    low = w.where(far, small, 1.0)
    total = low + y
    rest = -(y - 0.5) * w.log1p(low / y) - small * w.log(total) + small + _stirling(y) - _stirling(total)
    near = w.where(far, 8.0, big)
    return gammaln(w, small) + w.where(far, rest, gammaln(w, near) - gammaln(w, small + near))


def _stirling(x):
    q = 1 / (x * x)
    return (1 / 12 + q * (-1 / 360 + q * (1 / 1260 + q * (-1 / 1680 + q / 1188)))) / x


def bessel_e(w, x, order):
    # exp(-|x|) I_order(x), order 0 or 1: the power series, and the one in 1 / |x| far away.
    size = w.abs(x)
    near = w.minimum(size, 15.0)
    q = near * near / 4
    term = w.ones_like(q) if order == 0 else near / 2
    total = term
    for k in range(1, 60):
        term = term * q / (k * (k + order))
        total = total + term
    far = w.maximum(size, 15.0)
    part = w.ones_like(far)
    series = part
    for k in range(1, 25):
        part = part * ((2 * k - 1) ** 2 - 4 * order) / (8 * k) / far
        series = series + part
    y = w.where(w.le(size, 15.0), total * w.exp(-near), series / w.sqrt(6.283185307179586 * far))
    return y if order == 0 else y * w.sign(x)


def _exponential_fraction(w, n, x, turns=_TURNS):
    # exp(x) E_n(x) by its continued fraction; x not small, of any phase but that of -1
    b = x + n
    c, d = w.full_like(b, 1e15), 1 / b
    h = d
    for k in range(1, turns):
        a = -k * (n - 1 + k)
        b = b + 2
        d = 1 / (a * d + b)
        c = b + a / c
        h = h * c * d
    return h


_EULER = 0.5772156649015329


def expn(w, n, x):
    # E_n(x) for n = 0, 1 .. and x >= 0: the series up to 1, the fraction beyond.
    near = w.le(x, 1.0)
    s = w.where(w.logical_and(near, w.gt(x, 0)), x, 1.0)
    m = n - 1
    sign = 1 - 2 * w.remainder(m, 2.0)
    total = sign * w.exp(m * w.log(s) - gammaln(w, m + 1)) * (digamma(w, n) - w.log(s))
    term = w.ones_like(s)
    for k in range(0, 25):
        term = term * (-s / k) if k else term
        gap = k - m
        total = total - w.where(w.eq(gap, 0), 0.0, term / w.where(w.eq(gap, 0), 1.0, gap))
    far = w.where(near, 2.0, x)
    y = w.where(near, total, w.exp(-far) * _exponential_fraction(w, n, far))
    y = w.where(w.eq(n, 0), w.exp(-x) / x, y)
    y = w.where(w.eq(x, 0), w.where(w.gt(n, 1), 1 / w.where(w.gt(n, 1), m, 1.0), float("inf")), y)
    y = w.where(w.eq(x, float("inf")), 0.0, y)
    return w.where(w.logical_or(w.lt(x, 0), w.lt(n, 0)), float("nan"), y)


def expi(w, x):
    # The exponential integral Ei: -E_1(-x) below 0, above by its series, far above by that in 1 / x.
    below = -expn(w, w.ones_like(x), w.where(w.lt(x, 0), -x, 1.0))
    s = w.clip(x, 1e-300 if x.dtype.itemsize == 8 else 1e-37, 40.0)
    term, total = w.ones_like(s), w.zeros_like(s)
    for k in range(1, 130):
        term = term * s / k
        total = total + term / k
    near = _EULER + w.log(s) + total
    far = w.maximum(x, 40.0)
    term = w.ones_like(far)
    total = term
    for k in range(1, 38):
        term = term * k / far
        total = total + term
    y = w.where(w.lt(x, 0), below, w.where(w.lt(x, 40.0), near, w.exp(far) / far * total))
    return w.where(w.eq(x, 0), float("-inf"), y)


def sici(w, x):
    # The sine and cosine integrals of |x|: their series up to 4, E_1(i x) beyond.
    size = w.abs(x)
    s = w.where(w.gt(size, 0), w.minimum(size, 4.0), 1.0)
    q = -s * s
    odd, even = s, w.ones_like(s)
    si, ci = odd, w.zeros_like(s)
    for k in range(1, 16):
        odd = odd * q / ((2 * k) * (2 * k + 1))
        even = even * q / ((2 * k - 1) * (2 * k))
        si = si + odd / (2 * k + 1)
        ci = ci + even / (2 * k)
    ci = ci + _EULER + w.log(s)
    far = w.where(w.is_finite(size), w.maximum(size, 4.0), 4.0)
    z = w.complex(w.zeros_like(far), far)
    e = _exponential_fraction(w, w.ones_like(z), z) * w.complex(w.cos(far), -w.sin(far))
    near = w.le(size, 4.0)
    si = w.where(near, si, 1.5707963267948966 + w.imag(e))
    ci = w.where(near, ci, -w.real(e))
    infinite = w.eq(size, float("inf"))
    si = w.where(infinite, 1.5707963267948966, w.where(w.eq(size, 0), 0.0, si)) * w.sign(x)
    ci = w.where(infinite, w.where(w.gt(x, 0), 0.0, float("nan")), w.where(w.eq(size, 0), float("-inf"), ci))
    nan = w.is_nan(x)
    return w.where(nan, x, si), w.where(nan, x, ci)


_weideman = []


def _coefficients(n=40):
    # Of the rational expansion of w(z) in (L + i z) / (L - i z).
    import math
    if not _weideman:
        m = 2 * n
        size = math.sqrt(n / math.sqrt(2))
        nodes = [size * math.tan(k * math.pi / m / 2) for k in range(-m + 1, m)]
        values = [math.exp(-t * t) * (size * size + t * t) for t in nodes]
        for j in range(n, 0, -1):
            _weideman.append(sum(f * math.cos(j * k * math.pi / m) for k, f in zip(range(-m + 1, m), values)) / (2 * m))
        _weideman.append(size)
    return _weideman[:-1], _weideman[-1]


def wofz(w, z):
    # The Faddeeva function exp(-z^2) erfc(-i z), by Weideman's expansion above the real axis.
    coefficients, size = _coefficients()
    x, y = w.real(z), w.imag(z)
    below = w.lt(y, 0)
    up = w.complex(w.where(below, -x, x), w.abs(y))
    iz = w.complex(-w.imag(up), w.real(up))
    under = size - iz
    ratio = (size + iz) / under
    p = w.zeros_like(ratio)
    for a in coefficients:
        p = p * ratio + a
    out = 2 * p / (under * under) + 0.5641895835477563 / under
    return w.where(below, 2 * w.exp(-z * z) - out, out)


def _with_zero(w, x, real):
    zero = w.zeros_like(x)
    return w.complex(x, zero) if real else w.complex(zero, x)


def erfcx(w, x):
    size = w.abs(x)
    finite = w.is_finite(size)
    up = w.real(wofz(w, _with_zero(w, w.where(finite, size, 1.0), False)))
    up = w.where(finite, up, w.where(w.is_nan(x), x, 0.0))
    return w.where(w.lt(x, 0), 2 * w.exp(x * x) - up, up)


def dawsn(w, x):
    # Near 0 by its series: the other is small against what it is the difference of.
    q = w.minimum(x * x, 0.04)
    term = total = w.ones_like(q)
    for k in range(1, 9):
        term = term * (-2 * q) / (2 * k + 1)
        total = total + term
    far = 0.886226925452758 * w.imag(wofz(w, _with_zero(w, x, True)))
    return w.where(w.lt(x * x, 0.04), x * total, far)


def fresnel(w, x):
    # (S, C): C + i S = (1 + i) / 2 erf(sqrt(pi) / 2 (1 - i) x)
    size = w.abs(x)
    finite = w.is_finite(size)
    s = w.where(finite, size, 1.0)
    turn = 1.5707963267948966 * w.remainder(s * s, 4.0)
    z = 0.886226925452758 * s
    e = 1 - w.complex(w.cos(turn), w.sin(turn)) * wofz(w, w.complex(z, z))
    a, b = w.real(e), w.imag(e)
    sign = w.sign(x)
    end = lambda v: w.where(finite, v, w.where(w.is_nan(x), x, 0.5)) * sign
    return end((a + b) / 2), end((a - b) / 2)


def spence(w, x):
    # The dilogarithm of 1 - x, by its series for 0.5 <= x <= 1.5.
    big = w.gt(x, 1.5)
    y = w.where(big, 1 / w.where(big, x, 2.0), x)
    small = w.lt(y, 0.5)
    inner = w.where(w.logical_and(small, w.gt(y, 0)), y, 0.5)
    z = w.where(small, y, 1 - y)
    term, total = w.ones_like(z), w.zeros_like(z)
    for k in range(1, 45):
        term = term * z
        total = total + term / (k * k)
    cross = w.where(w.eq(y, 0), 0.0, w.log(inner) * w.log1p(-inner))
    out = w.where(small, 1.6449340668482264 - cross - total, total)
    l = w.log(w.where(big, x, 1.0))
    out = w.where(big, -0.5 * l * l - out, out)
    return w.where(w.lt(x, 0), float("nan"), out)


def gammasgn(w, x):
    floor = w.floor(x)
    odd = w.logical_and(w.lt(x, 0), w.eq(w.remainder(floor, 2.0), 1.0))
    y = w.where(odd, -w.ones_like(x), 1.0)
    pole = w.logical_and(w.lt(x, 0), w.eq(floor, x))
    y = w.where(w.logical_or(pole, w.is_nan(x)), float("nan"), y)
    return w.where(w.eq(x, 0), w.where(w.lt(1 / x, 0), -1.0, 1.0), y)


def hyp1f1(w, a, b, x):
    # Kummer's function by its series, of the argument that is not negative.
    flip = w.lt(x, 0)
    p, z = w.where(flip, b - a, a), w.abs(x)
    near = w.minimum(z, 60.0)
    term = total = w.ones_like(z)
    for k in range(200):
        term = term * (p + k) / (b + k) * near / (k + 1)
        total = total + term
    far = w.maximum(z, 60.0)
    term = series = w.ones_like(z)
    for k in range(30):
        term = term * (b - p + k) * (1 - p + k) / ((k + 1) * far)
        series = series + term
    scale = gamma(w, b) / gamma(w, p)
    beyond = w.pow(far, p - b) * scale * series          # times exp(z)
    y = w.where(w.le(z, 60.0), total * w.exp(w.where(flip, -near, 0.0)),
                beyond * w.exp(w.where(flip, 0.0, far)))
    return w.where(w.eq(a, 0), 1.0, y)


def owens_t(w, h, a):
    # 1 / 2 pi of the integral of exp(-h^2 (1 + x^2) / 2) / (1 + x^2) up to a, by Gauss's rule; a > 1 by its reflection.
    half = 0.7071067811865476
    tail = lambda v: 0.5 * w.erfc(v * half)
    size, h = w.abs(a), w.abs(h)
    big = w.gt(size, 1.0)
    finite = w.where(w.is_finite(size), size, 1.0)
    b = w.where(big, 1 / w.where(big, finite, 1.0), size)
    k = w.where(big, finite * h, h)
    total = w.zeros_like(k)
    for t, weight in _gauss(24):
        x = b * t
        total = total + weight * w.exp(-0.5 * k * k * (1 + x * x)) / (1 + x * x)
    total = total * b / 6.283185307179586
    p, q = tail(h), tail(k)                # T(h, a) + T(a h, 1 / a) = (Q(h) + Q(a h)) / 2 - Q(h) Q(a h)
    y = w.where(big, 0.5 * (p + q) - p * q - total, total)
    y = w.where(w.is_finite(size), y, 0.5 * p)
    return w.where(w.is_nan(a), a, y * w.sign(a))


_rules = {}


def _gauss(n):
    # Nodes and weights of Gauss and Legendre on [0, 1].
    import math
    if n not in _rules:
        out = []
        for i in range(n):
            x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
            for _ in range(20):
                p, q = 1.0, x
                for k in range(2, n + 1):
                    p, q = q, ((2 * k - 1) * x * q - (k - 1) * p) / k
                slope = n * (x * q - p) / (x * x - 1)
                x -= q / slope
            out.append(((1 - x) / 2, 1 / ((1 - x * x) * slope * slope)))
        _rules[n] = out
    return _rules[n]


def _wide(w, fn, *xs):
    # fn of xs in float64, in the dtype of the first.
    return w.cast(fn(*[w.cast(x, w.float64) for x in xs]), xs[0].dtype)


def gamma_slope(w, a, z):
    # dz / da of z that is distributed as Gamma(a), at a fixed value of its distribution function:
    # with the series of that function, -sum over k of z^(k+1) gamma(a) / gamma(a+k+1) (log z - digamma(a+k+1)); where z is
    # far above a the integral of (1 + s/z)^(a-1) exp(-s) (log(z+s) - digamma(a)) over s > 0, by Laguerre's rule.
    import math
    if not z.size:
        return z

    def slope(a, z):
        edge = a + 6 * w.sqrt(a) + 8
        far = w.gt(z, edge)
        near = w.where(far, a, z)
        most = float(w.max(w.maximum(near, a)))
        turns = int(min(float(w.max(near - a)), most) + 9 * math.sqrt(most) + 45)
        term = near / a
        rate = w.log(near) - digamma(w, a + 1)
        total = term * rate
        for k in range(1, max(turns, 45)):
            rate = rate - 1 / (a + k)
            term = term * near / (a + k)
            total = total + term * rate
        beyond = w.where(far, z, edge)
        ends = w.zeros_like(beyond)
        level = digamma(w, a)
        for s, weight in _laguerre(32):
            ends = ends + weight * w.pow(1 + s / beyond, a - 1) * (w.log(beyond + s) - level)
        return w.where(far, ends, -total)
    return _wide(w, slope, a, z)


def dirichlet_slope(w, x, a):
    # The derivative by a_i of x_i, which is distributed as Beta(a_i, total - a_i), over 1 - x_i; by differences of the
    # distribution function of fourth order.
    def slope(x, a):
        rest = w.sum(a, -1, True) - a
        h = a * 1e-3
        total = 8 * (betainc(w, a + h, rest, x) - betainc(w, a - h, rest, x)) - (betainc(w, a + 2 * h, rest, x)
                                                                               - betainc(w, a - 2 * h, rest, x))
        log_density = (gammaln(w, a + rest) - gammaln(w, a) - gammaln(w, rest) + (a - 1) * w.log(x) + rest * w.log1p(-x))
        return -total / (12 * h) * w.exp(-log_density)
    return _wide(w, slope, x, a)


def _laguerre(n):
    # Nodes and weights of Gauss and Laguerre on [0, inf), by bisection between sign changes of the polynomial.
    import math
    key = ("laguerre", n)
    if key not in _rules:
        def value(x):
            p, q = 1.0, 1.0 - x
            for k in range(1, n):
                p, q = q, ((2 * k + 1 - x) * q - k * p) / (k + 1)
            return q, p
        out, step, x = [], 0.01, 0.0
        last = value(x)[0]
        while len(out) < n:
            new = value(x + step)[0]
            if (new < 0) != (last < 0):
                low, high = x, x + step
                for _ in range(60):
                    middle = (low + high) / 2
                    low, high = (middle, high) if (value(middle)[0] < 0) == (last < 0) else (low, middle)
                root = (low + high) / 2
                after = ((2 * n + 1 - root) * 0.0 - n * value(root)[1]) / (n + 1)
                out.append((root, root / ((n + 1) ** 2 * after * after)))
            x += step
            last = new
            step = 0.01 + 0.01 * x
        _rules[key] = out
    return _rules[key]
