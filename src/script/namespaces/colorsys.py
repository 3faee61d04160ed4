# colorsys -- colours as RGB, YIQ, HLS and HSV, each part from 0 to 1.


def rgb_to_yiq(r, g, b):
    y = 0.30 * r + 0.59 * g + 0.11 * b
    return y, 0.74 * (r - y) - 0.27 * (b - y), 0.48 * (r - y) + 0.41 * (b - y)


def yiq_to_rgb(y, i, q):
    rgb = (y + 0.9468822170900693 * i + 0.6235565819861433 * q, y - 0.27478764629897834 * i - 0.6356910791873801 * q,
           y - 1.1085450346420322 * i + 1.7090069284064666 * q)
    return tuple([min(max(c, 0.0), 1.0) for c in rgb])


def _hue(r, g, b, high, low):
    rc, gc, bc = [(high - c) / (high - low) for c in (r, g, b)]
    h = bc - gc if r == high else 2.0 + rc - bc if g == high else 4.0 + gc - rc
    return (h / 6.0) % 1.0


def rgb_to_hls(r, g, b):
    high, low = max(r, g, b), min(r, g, b)
    total, span = high + low, high - low
    if low == high:
        return 0.0, total / 2.0, 0.0
    s = span / total if total / 2.0 <= 0.5 else span / (2.0 - high - low)
    return _hue(r, g, b, high, low), total / 2.0, s


def hls_to_rgb(h, l, s):
    if s == 0.0:
        return l, l, l
    m2 = l * (1.0 + s) if l <= 0.5 else l + s - l * s
    m1 = 2.0 * l - m2

    def part(hue):
        hue %= 1.0
        if hue < 1.0 / 6.0:
            return m1 + (m2 - m1) * hue * 6.0
        if hue < 0.5:
            return m2
        return m1 + (m2 - m1) * (2.0 / 3.0 - hue) * 6.0 if hue < 2.0 / 3.0 else m1
    return part(h + 1.0 / 3.0), part(h), part(h - 1.0 / 3.0)


def rgb_to_hsv(r, g, b):
    high, low = max(r, g, b), min(r, g, b)
    if low == high:
        return 0.0, 0.0, high
    return _hue(r, g, b, high, low), (high - low) / high, high


def hsv_to_rgb(h, s, v):
    if s == 0.0:
        return v, v, v
    i = int(h * 6.0)
    f = h * 6.0 - i
    p, q, t = v * (1.0 - s), v * (1.0 - s * f), v * (1.0 - s * (1.0 - f))
    return [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][i % 6]
