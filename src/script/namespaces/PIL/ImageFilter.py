# PIL.ImageFilter -- windows of 3 x 3 and 5 x 5, ranks, blurs.
import math as _math

import numpy as _np


class Filter:
    pass


class Kernel(Filter):
    name = "Kernel"

    def __init__(self, size, kernel, scale=None, offset=0):
        self.filterargs = tuple(size), sum(kernel) if scale is None else scale, offset, tuple(kernel)

    def filter(self, image):
        (n, _), scale, offset, kernel = self.filterargs
        a = image._a.astype("float32")
        r = n // 2
        h, w = a.shape[:2]
        if h < n or w < n:
            return image.copy()
        total = _np.zeros((h - 2 * r, w - 2 * r) + a.shape[2:], "float32") + _np.float32(offset + 0.5)
        for i in range(n):           # the kernel's first row is the lowest of the picture's
            for j in range(n):
                y = n - 1 - i
                total = total + a[y:y + h - 2 * r, j:j + w - 2 * r] * _np.float32(kernel[i * n + j] / scale)
        out = image._a.copy()
        out[r:h - r, r:w - r] = _np.clip(_np.floor(total), 0, 255).astype("uint8")
        return image._new(out)


def _fixed(label, args):
    class Fixed(Kernel):
        name = label

        def __init__(self):
            self.filterargs = args
    return Fixed


_SMALL, _LARGE = (3, 3), (5, 5)
BLUR = _fixed("Blur", (_LARGE, 16, 0, (1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1)))
CONTOUR = _fixed("Contour", (_SMALL, 1, 255, (-1, -1, -1, -1, 8, -1, -1, -1, -1)))
DETAIL = _fixed("Detail", (_SMALL, 6, 0, (0, -1, 0, -1, 10, -1, 0, -1, 0)))
EDGE_ENHANCE = _fixed("Edge-enhance", (_SMALL, 2, 0, (-1, -1, -1, -1, 10, -1, -1, -1, -1)))
EDGE_ENHANCE_MORE = _fixed("Edge-enhance More", (_SMALL, 1, 0, (-1, -1, -1, -1, 9, -1, -1, -1, -1)))
EMBOSS = _fixed("Emboss", (_SMALL, 1, 128, (-1, 0, 0, 0, 1, 0, 0, 0, 0)))
FIND_EDGES = _fixed("Find Edges", (_SMALL, 1, 0, (-1, -1, -1, -1, 8, -1, -1, -1, -1)))
SHARPEN = _fixed("Sharpen", (_SMALL, 16, 0, (-2, -2, -2, -2, 32, -2, -2, -2, -2)))
SMOOTH = _fixed("Smooth", (_SMALL, 13, 0, (1, 1, 1, 1, 5, 1, 1, 1, 1)))
SMOOTH_MORE = _fixed("Smooth More", (_LARGE, 100, 0, (1, 1, 1, 1, 1, 1, 5, 5, 5, 1, 1, 5, 44, 5, 1, 1, 5, 5, 5, 1, 1, 1, 1,
                                                      1, 1)))


class _Rank(Filter):
    def __init__(self, size=3):
        self.size = size

    def filter(self, image):
        r = self.size // 2
        pad = [(r, r), (r, r)] + [(0, 0)] * (image._a.ndim - 2)
        a = _np.pad(image._a, pad, mode="edge")
        h, w = image._a.shape[:2]
        parts = [a[i:i + h, j:j + w] for i in range(self.size) for j in range(self.size)]
        return image._new(_np.sort(_np.stack(parts), axis=0)[self._at(len(parts))])


class MinFilter(_Rank):
    def _at(self, n):
        return 0 * n


class MedianFilter(_Rank):
    def _at(self, n):
        return n // 2


class MaxFilter(_Rank):
    def _at(self, n):
        return n - 1


def _box_along(a, radius, axis):
    # a mean of 2 radius + 1 pixels, the outermost by their part of one, edges repeated; sums in 2**-24
    a = _np.moveaxis(a.astype("int64"), axis, 0)
    r = int(radius)
    whole = int((1 << 24) / (radius * 2 + 1))
    part = ((1 << 24) - (r * 2 + 1) * whole) // 2
    p = _np.pad(a, [(r + 1, r + 1)] + [(0, 0)] * (a.ndim - 1), mode="edge")
    n = a.shape[0]
    total = p[1:1 + n] * 0
    for k in range(1, 2 * r + 2):
        total = total + p[k:k + n]
    out = (total * whole + (p[0:n] + p[2 * r + 2:2 * r + 2 + n]) * part + (1 << 23)) >> 24
    return _np.moveaxis(out, 0, axis)


def _boxes(image, rx, ry, n):
    a = image._a
    for _ in range(n if rx else 0):
        a = _box_along(a, rx, 1)
    for _ in range(n if ry else 0):
        a = _box_along(a, ry, 0)
    return image._new(a.astype("uint8"))


class BoxBlur(Filter):
    def __init__(self, radius):
        self.radius = radius

    def filter(self, image):
        rx, ry = self.radius if isinstance(self.radius, (tuple, list)) else (self.radius, self.radius)
        return _boxes(image, rx, ry, 1)


def _gaussian_radius(radius):
    # of three box blurs with that deviation together (Gwosdek and others, 2011)
    sigma2 = radius * radius / 3
    whole = _math.sqrt(12.0 * sigma2 + 1.0)
    l = _math.floor((whole - 1.0) / 2.0)
    a = (2 * l + 1) * (l * (l + 1) - 3.0 * sigma2)
    return l + a / (6.0 * (sigma2 - (l + 1) * (l + 1)))


class GaussianBlur(Filter):
    def __init__(self, radius=2):
        self.radius = radius

    def filter(self, image):
        rx, ry = self.radius if isinstance(self.radius, (tuple, list)) else (self.radius, self.radius)
        return _boxes(image, _gaussian_radius(rx) if rx else 0, _gaussian_radius(ry) if ry else 0, 3)
