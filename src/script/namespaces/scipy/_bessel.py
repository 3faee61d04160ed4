# scipy._bessel -- Bessel functions of the first kind, of any real order. Loaded when one is asked for.
#
#   J_v(x) = 1/pi int_0^pi cos(v t - x sin t) dt - sin(v pi)/pi int_0^inf exp(-x sinh t - v t) dt       (Schlaefli, x > 0)
#
# The first integral is that of a periodic function for whole orders, for which equal steps are exact; for others it is summed by parts of
# ten nodes each. Where x is large beside the order, by Hankel's expansion (Abramowitz and Stegun 9.2.5).
import math

import _numpy as _w

_NODES = (0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717)
_WEIGHTS = (0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806, 0.0666713443086881)


def _sum(f, low, high, parts):
    # The integral of f by Gauss and Legendre, ten nodes in each part.
    h = (high - low) / parts
    middle = low + h * (_w.cast(_w.arange(0, parts), _w.float64) + 0.5)
    total = 0.0
    for node, weight in zip(_NODES, _WEIGHTS):
        total += weight * float(_w.sum(f(middle + node * h / 2) + f(middle - node * h / 2)))
    return total * h / 2


def _far(v, x):
    # Hankel's expansion, as long as its terms become smaller.
    mu, p, q, term, k = 4 * v * v, 1.0, 0.0, 1.0, 0
    while k < 60:
        k += 1
        new = term * (mu - (2 * k - 1) ** 2) / (k * 8 * x)
        if abs(new) >= abs(term) or abs(new) < 1e-18:
            break
        term = new
        if k % 2:
            q += term if k % 4 == 1 else -term
        else:
            p += term if k % 4 == 0 else -term
    chi = x - (v / 2 + 0.25) * math.pi
    return math.sqrt(2 / (math.pi * x)) * (p * math.cos(chi) - q * math.sin(chi))


def _near(v, x):
    # By powers of x, where they all help.
    if v < 0 and v == math.floor(v):
        return (-1) ** int(-v) * _near(-v, x)
    sign = 1.0
    if v + 1 <= 0 and math.floor(v + 1) % 2:
        sign = -1.0
    term = sign * math.exp(v * math.log(x / 2) - math.lgamma(v + 1))
    total, k = term, 0
    while abs(term) > 1e-18 * abs(total) and k < 200:
        k += 1
        term *= -(x / 2) ** 2 / (k * (v + k))
        total += term
    return total


def _one(v, x):
    if v != v or x != x:
        return math.nan
    whole = v == math.floor(v)
    if x < 0:
        return (-1 if int(v) % 2 else 1) * _one(v, -x) if whole else math.nan
    if x == 0:
        return 1.0 if v == 0 else 0.0 if v > 0 or whole else math.copysign(math.inf, math.gamma(v + 1))
    if x == math.inf:
        return math.nan
    if x > 25 + v * v / 2:
        return _far(v, x)
    if x * x < 12 * (abs(v) + 1):
        return _near(v, x)
    if whole:
        n = 2 * int(abs(v) + x) + 64
        t = _w.cast(_w.arange(0, n), _w.float64) * (2 * math.pi / n)
        return float(_w.sum(_w.cos(v * t - x * _w.sin(t)))) / n
    parts = int(abs(v) + x) + 8
    first = _sum(lambda t: _w.cos(v * t - x * _w.sin(t)), 0.0, math.pi, parts)
    end = 1.0       # where what is left is nothing
    while x * math.sinh(end) + v * end < 60:
        end += 0.5
    rest = _sum(lambda t: _w.exp(-x * _w.sinh(t) - v * t), 0.0, end, 40)
    return (first - math.sin(v * math.pi) * rest) / math.pi


def jv(v, z):
    from numpy import broadcast_arrays
    if _w.wrap(z).dtype.is_complex:
        raise NotImplementedError("scipy.special.jv of complex numbers")
    known = [a.dtype for a in (v, z) if isinstance(a, _w.Tensor)]
    small = bool(known) and all([d.itemsize < 8 and d.kind == "f" for d in known]) and not isinstance(z, (list, tuple)) and not isinstance(v, (list, tuple))
    v, z = broadcast_arrays(*[_w.cast(_w.wrap(a), _w.float64) for a in (v, z)])
    found = [_one(a, b) for a, b in zip(_w.reshape(v, -1).tolist(), _w.reshape(z, -1).tolist())]
    y = _w.reshape(_w.tensor(found, _w.float32 if small else _w.float64), z.shape)
    return _w.array(y) if z.ndim else y[()]


def j0(x):
    return jv(0, x)


def j1(x):
    return jv(1, x)


jn = jv
