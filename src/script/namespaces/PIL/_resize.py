# PIL._resize -- other sizes and other places, with the sums that Pillow makes: weights of 22 bits, one axis after the other.
import math as _math

import numpy as _np

_BITS = 22


def _sinc(x):
    return 1.0 if x == 0 else _math.sin(x * _math.pi) / (x * _math.pi)


def _bicubic(x):
    x, a = abs(x), -0.5
    if x < 1:
        return ((a + 2.0) * x - (a + 3.0)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


_FILTERS = {  # by Resampling: support, weight
    1: (3.0, lambda x: _sinc(x) * _sinc(x / 3) if -3.0 <= x < 3.0 else 0.0),
    2: (1.0, lambda x: 1.0 - abs(x) if abs(x) < 1.0 else 0.0),
    3: (2.0, _bicubic),
    4: (0.5, lambda x: 1.0 if -0.5 < x <= 0.5 else 0.0),
    5: (1.0, lambda x: 0.0 if abs(x) >= 1 else 1.0 if x == 0 else _sinc(x) * (0.54 + 0.46 * _math.cos(abs(x) * _math.pi))),
}


def _weights(n_in, lo, hi, n_out, kind, whole):
    # [n_out, n_in]
    support, weight = _FILTERS[kind]
    scale = (hi - lo) / n_out
    wide = max(scale, 1.0)
    support, ss = support * wide, 1.0 / wide
    rows = []
    for i in range(n_out):
        center = lo + (i + 0.5) * scale
        first, last = max(int(center - support + 0.5), 0), min(int(center + support + 0.5), n_in)
        k = [weight((x + first - center + 0.5) * ss) for x in range(last - first)]
        total = sum(k)
        if total != 0.0:
            k = [v * (1.0 / total) for v in k]
        if whole:
            k = [float(int(v * (1 << _BITS) + (0.5 if v >= 0 else -0.5))) for v in k]
        rows.append([0.0] * first + k + [0.0] * (n_in - last))
    return _np.array(rows)


def _along(a, axis, w, whole):
    # the product along one axis; a is float64, sums of whole numbers below 2**53 are exact
    a = _np.moveaxis(_np.tensordot(w, a, axes=([1], [axis])), 0, axis)
    return _np.clip(_np.floor((a + (1 << (_BITS - 1))) / (1 << _BITS)), 0, 255) if whole else a


def _nearest(n_in, lo, hi, n_out):
    scale = (hi - lo) / n_out
    return _np.clip(_np.floor(lo + (_np.arange(n_out) + 0.5) * scale), 0, n_in - 1).astype("int64")


def resized(a, size, kind, box):
    w, h = size
    x0, y0, x1, y1 = box
    if w < 1 or h < 1:
        raise ValueError("height and width must be > 0")
    if x0 < 0 or y0 < 0 or x1 > a.shape[1] or y1 > a.shape[0]:
        raise ValueError("Box can't exceed original image size" if x1 > a.shape[1] or y1 > a.shape[0] else
                         "Box offset can't be negative")
    if kind == 0:
        return a[_nearest(a.shape[0], y0, y1, h)][:, _nearest(a.shape[1], x0, x1, w)]
    whole = a.dtype == _np.uint8
    out = a.astype("float64")
    if w != a.shape[1] or x0 or x1 != a.shape[1]:
        out = _along(out, 1, _weights(a.shape[1], x0, x1, w, kind, whole), whole)
        if not whole:
            out = out.astype("float32").astype("float64") if a.dtype == _np.float32 else _np.round(out)
    if h != a.shape[0] or y0 or y1 != a.shape[0]:
        out = _along(out, 0, _weights(a.shape[0], y0, y1, h, kind, whole), whole)
    return out.astype(a.dtype) if whole or a.dtype == _np.float32 else _np.round(out).astype(a.dtype)


def with_alpha(a, size, kind, box):
    # colors weigh as much as they are seen
    n = a.shape[2] - 1
    alpha = a[..., n:].astype("int64")
    t = a[..., :n].astype("int64") * alpha + 128
    pre = _np.concatenate([((t >> 8) + t) >> 8, alpha], -1).astype("uint8")
    out = resized(pre, size, kind, box).astype("int64")
    alpha = out[..., n:]
    color = _np.where((alpha == 255) | (alpha == 0), out[..., :n], _np.minimum(255 * out[..., :n] // _np.maximum(alpha, 1), 255))
    return _np.concatenate([color, alpha], -1).astype("uint8")


def reduced(a, factor):
    fx, fy = factor
    h, w = a.shape[:2]
    ys, xs = _np.arange(0, h, fy), _np.arange(0, w, fx)
    total = _np.add.reduceat(_np.add.reduceat(a.astype("int64"), ys, axis=0), xs, axis=1)
    ny = _np.minimum(h - ys, fy)[:, None]
    nx = _np.minimum(w - xs, fx)[None, :]
    n = (ny * nx).astype("int64")
    n = n[..., None] if a.ndim == 3 else n
    return ((total + n // 2) * ((1 << 24) // n) >> 24).astype("uint8")


def warped(a, size, m, kind, fill, perspective):
    # for each new pixel the place it comes from
    w, h = size
    rows, columns = a.shape[:2]
    m = [float(v) for v in m]
    if kind == 0 and not perspective:
        a0, a1, a3, a4 = [_math.floor(v * 65536.0 + 0.5) for v in (m[0], m[1], m[3], m[4])]
        x0 = _math.floor((m[2] + m[0] * 0.5 + m[1] * 0.5) * 65536.0 + 0.5)
        y0 = _math.floor((m[5] + m[3] * 0.5 + m[4] * 0.5) * 65536.0 + 0.5)
        x, y = _np.arange(w)[None, :], _np.arange(h)[:, None]
        xi, yi = (x0 + a0 * x + a1 * y) >> 16, (y0 + a3 * x + a4 * y) >> 16
        inside = (xi >= 0) & (xi < columns) & (yi >= 0) & (yi < rows)
        return _chosen(a, _pixels(a, yi, xi), inside, fill)
    x, y = _np.arange(w)[None, :] + 0.5, _np.arange(h)[:, None] + 0.5
    xs, ys = m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5]
    if perspective:
        under = m[6] * x + m[7] * y + 1
        xs, ys = xs / under, ys / under
    inside = (xs >= 0) & (xs < columns) & (ys >= 0) & (ys < rows)
    if kind == 0:
        return _chosen(a, _pixels(a, _np.floor(ys).astype("int64"), _np.floor(xs).astype("int64")), inside, fill)
    xs, ys = xs - 0.5, ys - 0.5
    xi, yi = _np.floor(xs), _np.floor(ys)
    dx, dy = xs - xi, ys - yi
    if a.ndim == 3:
        dx, dy = dx[..., None], dy[..., None]
    xi, yi = xi.astype("int64"), yi.astype("int64")
    if kind == 2:
        def row(y):
            p, q = _pixels(a, y, xi).astype("float64"), _pixels(a, y, xi + 1).astype("float64")
            return p + (q - p) * dx
        top, low = row(yi), row(yi + 1)
        out = top + (low - top) * dy
    elif kind == 3:
        def cubic(p, d):
            b, c = p[1], -p[0] + p[2]
            e = 2 * (p[0] - p[1]) + p[2] - p[3]
            return b + d * (c + d * (e + d * (-p[0] + p[1] - p[2] + p[3])))
        rows_ = [cubic([_pixels(a, yi + j, xi + i).astype("float64") for i in range(-1, 3)], dx) for j in range(-1, 3)]
        out = cubic(rows_, dy)
    else:
        raise ValueError("Unknown resampling filter: transforms take NEAREST, BILINEAR and BICUBIC")
    if a.dtype == _np.uint8:
        out = _np.clip(out, 0, 255)
    return _chosen(a, _np.floor(out).astype(a.dtype) if a.dtype != _np.float32 else out.astype("float32"), inside, fill)


def _pixels(a, y, x):
    return a[_np.clip(y, 0, a.shape[0] - 1), _np.clip(x, 0, a.shape[1] - 1)]


def _chosen(a, new, inside, fill):
    return _np.where(inside[..., None] if a.ndim == 3 else inside, new, _np.array(fill)).astype(a.dtype)
