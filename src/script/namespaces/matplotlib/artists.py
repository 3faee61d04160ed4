# matplotlib.artists -- what stands in axes: each knows the data it covers and draws itself. `at(x, y)` is data as points of the
# canvas.
import math as _math

import numpy as _np
from matplotlib import cm as _cm
from matplotlib.colors import to_rgba

DASHES = {"-": None, "solid": None, "--": (3.7, 1.6), "dashed": (3.7, 1.6), ":": (1.0, 1.65), "dotted": (1.0, 1.65),
          "-.": (6.4, 1.6, 1.0, 1.6), "dashdot": (6.4, 1.6, 1.0, 1.6)}
HIDDEN = ("None", "none", " ", "", None)
MARKERS = "o . , s ^ v < > D d x + * p h P X | _ 1 2 3 4 H 8".split(" ")


def dashes_of(style, width):
    if isinstance(style, tuple):
        return [d * max(width, 1) for d in style[1]] if style[1] else None
    d = DASHES[style]
    return None if d is None else [v * max(width, 1) for v in d]


def _star(n, inner, turn=0.0):
    out = []
    for k in range(2 * n):
        r = 1.0 if k % 2 == 0 else inner
        a = _math.pi * k / n - _math.pi / 2 + turn
        out += [r * _math.cos(a), r * _math.sin(a)]
    return out


def _regular(n, turn=0.0):
    return [v for k in range(n) for v in (_math.cos(2 * _math.pi * k / n - _math.pi / 2 + turn),
                                          _math.sin(2 * _math.pi * k / n - _math.pi / 2 + turn))]


_SHAPES = {"o": _regular(16), ".": _regular(12), "s": [-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9], "^": [0, -1, 1, 1, -1, 1],
           "v": [0, 1, 1, -1, -1, -1], "<": [-1, 0, 1, -1, 1, 1], ">": [1, 0, -1, -1, -1, 1], "D": [0, -1.27, 1.27, 0, 0, 1.27, -1.27, 0],
           "d": [0, -1.27, 0.8, 0, 0, 1.27, -0.8, 0], "*": _star(5, 0.382), "p": _regular(5), "h": _regular(6), "H": _regular(6, 0.5236),
           "8": _regular(8), "P": [-.33, -1, .33, -1, .33, -.33, 1, -.33, 1, .33, .33, .33, .33, 1, -.33, 1, -.33, .33, -1, .33, -1, -.33, -.33, -.33],
           "X": [-1, -.6, -.6, -1, 0, -.4, .6, -1, 1, -.6, .4, 0, 1, .6, .6, 1, 0, .4, -.6, 1, -1, .6, -.4, 0]}
_STROKES = {"x": [[-1, -1, 1, 1], [-1, 1, 1, -1]], "+": [[-1, 0, 1, 0], [0, -1, 0, 1]], "|": [[0, -1, 0, 1]], "_": [[-1, 0, 1, 0]],
            "1": [[0, 0, 0, 1], [0, 0, .8, -.5], [0, 0, -.8, -.5]], "2": [[0, 0, 0, -1], [0, 0, .8, .5], [0, 0, -.8, .5]],
            "3": [[0, 0, -1, 0], [0, 0, .5, .8], [0, 0, .5, -.8]], "4": [[0, 0, 1, 0], [0, 0, -.5, .8], [0, 0, -.5, -.8]]}


def draw_marker(canvas, kind, x, y, size, face, edge, width, clip):
    r = size / 2 * (0.5 if kind == "." else 1)
    if kind not in _STROKES and face == edge:
        r += width / 2  # its edge is of the same color
    if kind in _STROKES:
        for s in _STROKES[kind]:
            canvas.line([x + s[0] * r, y + s[1] * r, x + s[2] * r, y + s[3] * r], edge, width, None, clip)
        return
    shape = [0.4, -0.4, 0.4, 0.4, -0.4, 0.4, -0.4, -0.4] if kind == "," else _SHAPES[kind]
    p = [(x if i % 2 == 0 else y) + v * r for i, v in enumerate(shape)]
    if face[3] > 0:
        canvas.polygon(p, face, clip)
    if edge[3] > 0 and (edge != face or face[3] == 0):
        canvas.line(p + p[:4], edge, width, None, clip)


class Artist:
    zorder, label, visible = 1, "", True

    def set_label(self, s):
        self.label = s

    def get_label(self):
        return self.label

    def set_visible(self, b):
        self.visible = b

    def get_visible(self):
        return self.visible

    def set_zorder(self, level):
        self.zorder = level

    def set_alpha(self, alpha):
        self.alpha = alpha

    def remove(self):
        self.axes._artists.remove(self)

    def set(self, **kwargs):
        for k, v in kwargs.items():
            getattr(self, "set_" + k)(v)
        return self

    def extent(self):
        return [], []

    def key(self, canvas, x, y, w, h):
        pass


class Line2D(Artist):
    zorder = 2

    def __init__(self, xdata, ydata, color="C0", linewidth=None, linestyle="-", marker=None, markersize=None, alpha=None,
                 label="", markerfacecolor=None, markeredgecolor=None, markeredgewidth=1.0, zorder=None, drawstyle="default",
                 markevery=None):
        from matplotlib import rcParams
        self.set_data(xdata, ydata)
        self.color, self.linestyle, self.marker, self.alpha, self.label = color, linestyle, marker, alpha, label
        self.linewidth = rcParams["lines.linewidth"] if linewidth is None else linewidth
        self.markersize = rcParams["lines.markersize"] if markersize is None else markersize
        self.markerfacecolor, self.markeredgecolor, self.markeredgewidth = markerfacecolor, markeredgecolor, markeredgewidth
        self.drawstyle, self.markevery = drawstyle, markevery
        if zorder is not None:
            self.zorder = zorder

    def set_data(self, *args):
        x, y = args if len(args) == 2 else args[0]
        self.x, self.y = _np.asarray(x, dtype=float).reshape(-1), _np.asarray(y, dtype=float).reshape(-1)

    def set_xdata(self, x):
        self.x = _np.asarray(x, dtype=float).reshape(-1)

    def set_ydata(self, y):
        self.y = _np.asarray(y, dtype=float).reshape(-1)

    def get_xdata(self, orig=True):
        return self.x

    def get_ydata(self, orig=True):
        return self.y

    def get_data(self, orig=True):
        return self.x, self.y

    def get_color(self):
        return self.color

    def set_color(self, color):
        self.color = color

    def set_linewidth(self, w):
        self.linewidth = w

    def set_linestyle(self, ls):
        self.linestyle = ls

    def set_marker(self, marker):
        self.marker = marker

    def set_markersize(self, sz):
        self.markersize = sz

    def get_linewidth(self):
        return self.linewidth

    def get_linestyle(self):
        return self.linestyle

    def get_marker(self):
        return self.marker

    def extent(self):
        return self.x, self.y

    def _points(self, at):
        xs, ys = self.x.tolist(), self.y.tolist()
        if self.drawstyle.startswith("steps"):
            px, py = [], []
            where = self.drawstyle[6:] or "pre"
            for i in range(len(xs)):
                if i:
                    mid = (xs[i - 1] + xs[i]) / 2
                    px += {"pre": [xs[i - 1]], "post": [xs[i]], "mid": [mid, mid]}[where]
                    py += {"pre": [ys[i]], "post": [ys[i - 1]], "mid": [ys[i - 1], ys[i]]}[where]
                px.append(xs[i])
                py.append(ys[i])
            xs, ys = px, py
        return at(xs, ys)

    def draw(self, canvas, at, clip):
        c = to_rgba(self.color, self.alpha)
        if self.linestyle not in HIDDEN:
            dash, part = dashes_of(self.linestyle, self.linewidth), []
            for x, y in self._points(at):
                if x is None:
                    if len(part) >= 4:
                        canvas.line(part, c, self.linewidth, dash, clip)
                    part = []
                else:
                    part += [x, y]
            if len(part) >= 4:
                canvas.line(part, c, self.linewidth, dash, clip)
        if self.marker not in HIDDEN:
            every = self.markevery or 1
            for x, y in at(self.x.tolist(), self.y.tolist())[::every]:
                if x is not None:
                    self._mark(canvas, x, y, c, clip)

    def _mark(self, canvas, x, y, c, clip):
        face = c if self.markerfacecolor is None else to_rgba(self.markerfacecolor, self.alpha if self.markerfacecolor not in HIDDEN else None)
        edge = c if self.markeredgecolor is None else to_rgba(self.markeredgecolor, self.alpha)
        draw_marker(canvas, self.marker, x, y, self.markersize, face, edge, self.markeredgewidth, clip)

    def key(self, canvas, x, y, w, h):
        c = to_rgba(self.color, self.alpha)
        if self.linestyle not in HIDDEN:
            canvas.line([x, y, x + w, y], c, self.linewidth, dashes_of(self.linestyle, self.linewidth))
        if self.marker not in HIDDEN:
            self._mark(canvas, x + w / 2, y, c, None)


class PathCollection(Artist, _cm.ScalarMappable):
    def __init__(self, x, y, sizes, colors, marker, alpha, label, norm, cmap, array, edgecolors, linewidths):
        _cm.ScalarMappable.__init__(self, norm, cmap)
        self.x, self.y, self.sizes, self.marker, self.alpha, self.label = x, y, sizes, marker, alpha, label
        self.colors, self._array, self.edgecolors, self.linewidths = colors, array, edgecolors, linewidths

    def extent(self):
        return self.x, self.y

    def set_offsets(self, xy):
        a = _np.asarray(xy, dtype=float)
        self.x, self.y = a[:, 0], a[:, 1]

    def get_offsets(self):
        return _np.stack([self.x, self.y], -1)

    def set_sizes(self, sizes):
        self.sizes = sizes

    def _faces(self):
        if self._array is not None:
            return [tuple(c) for c in self.to_rgba(_np.asarray(self._array, dtype=float).reshape(-1), self.alpha).tolist()]
        return [to_rgba(c, self.alpha) for c in self.colors]

    def draw(self, canvas, at, clip):
        faces = self._faces()
        empty = self.colors == ["none"]
        for i, (x, y) in enumerate(at(self.x.tolist(), self.y.tolist())):
            if x is None:
                continue
            face = faces[i % len(faces)]
            edge = face if self.edgecolors in (None, "face") else to_rgba(self.edgecolors if isinstance(self.edgecolors, str)
                                                                          or not hasattr(self.edgecolors[0], "__len__")
                                                                          else self.edgecolors[i % len(self.edgecolors)])
            size = _math.sqrt(self.sizes[i % len(self.sizes)])
            draw_marker(canvas, self.marker, x, y, size, (0, 0, 0, 0) if empty else face, edge, self.linewidths, clip)

    def key(self, canvas, x, y, w, h):
        face = self._faces()[0]
        edge = face if self.edgecolors in (None, "face") or not isinstance(self.edgecolors, str) else to_rgba(self.edgecolors)
        draw_marker(canvas, self.marker, x + w / 2, y, _math.sqrt(self.sizes[0]), face, edge, self.linewidths, None)


class Polygon(Artist):
    # a closed line; with data coordinates
    hatch = ""

    def set_hatch(self, hatch):
        self.hatch = hatch or ""

    def __init__(self, xs, ys, color="C0", alpha=None, label="", edgecolor=None, linewidth=0.0, sticky=(), linestyle="-", fill=True):
        self.x, self.y, self.color, self.alpha, self.label = list(xs), list(ys), color, alpha, label
        self.edgecolor, self.linewidth, self.sticky, self.linestyle, self.fill = edgecolor, linewidth, sticky, linestyle, fill

    def extent(self):
        return self.x, self.y

    def set_facecolor(self, color):
        self.color = color

    set_color = set_facecolor

    def set_edgecolor(self, color):
        self.edgecolor = color

    def get_facecolor(self):
        return to_rgba(self.color, self.alpha)

    def get_height(self):
        return max(self.y) - min(self.y)

    def get_width(self):
        return max(self.x) - min(self.x)

    def get_x(self):
        return min(self.x)

    def get_y(self):
        return min(self.y)

    def set_height(self, h):
        y = min(self.y)
        self.y = [y, y, y + h, y + h]

    def _draw_hatch(self, canvas, p, clip):
        # lines across what is a rectangle on the page
        xs, ys = p[::2], p[1::2]
        a, b, c, d = min(xs), min(ys), max(xs), max(ys)
        if abs(abs(sum([xs[i - 1] * ys[i] - xs[i] * ys[i - 1] for i in range(len(xs))])) / 2 - (c - a) * (d - b)) > 1e-3 * (c - a) * (d - b):
            raise NotImplementedError("hatch: of rectangles")
        inside = (a, b, c, d) if clip is None else (max(a, clip[0]), max(b, clip[1]), min(c, clip[2]), min(d, clip[3]))
        color = to_rgba(self.edgecolor if self.edgecolor not in HIDDEN else "black", self.alpha)
        for mark in set(self.hatch):
            gap, far = 12.0 / self.hatch.count(mark), (c - a) + (d - b)
            if mark not in "/\\|-+x.oO*":
                raise ValueError(f"Unknown hatch symbol {mark!r}")
            for k in range(int(far / gap) + 1):
                t = k * gap
                lines = {"/": [[a, b + t, a + t, b]], "\\": [[c, b + t, c - t, b]], "|": [[a + t, b, a + t, d]], "-": [[a, b + t, c, b + t]]}
                lines["+"], lines["x"] = lines["|"] + lines["-"], lines["/"] + lines["\\"]
                for line in lines.get(mark, []):
                    canvas.line(line, color, 1.0, None, inside)
                for j in range(int((d - b) / gap) + 1) if mark in ".oO*" and a + t <= c else []:
                    draw_marker(canvas, "*" if mark == "*" else "o", a + t, b + j * gap, {".": 1.5, "o": 4, "O": 7, "*": 6}[mark], color if mark in ".*" else (0, 0, 0, 0),
                                color, 1.0, inside)

    def draw(self, canvas, at, clip):
        p = [v for xy in at(self.x, self.y) if xy[0] is not None for v in xy]
        if len(p) < 4:
            return
        if self.fill and self.color not in HIDDEN:
            canvas.polygon(p, to_rgba(self.color, self.alpha), clip)
        if self.hatch:
            self._draw_hatch(canvas, p, clip)
        if self.edgecolor not in HIDDEN:
            canvas.line(p + p[:2], to_rgba(self.edgecolor, self.alpha), self.linewidth or 1.0,
                        dashes_of(self.linestyle, self.linewidth or 1.0), clip)

    def key(self, canvas, x, y, w, h):
        p = [x, y - h / 2, x + w, y - h / 2, x + w, y + h / 2, x, y + h / 2]
        if self.fill and self.color not in HIDDEN:
            canvas.polygon(p, to_rgba(self.color, self.alpha))
        if self.edgecolor not in HIDDEN:
            canvas.line(p + p[:2], to_rgba(self.edgecolor), self.linewidth or 1.0)


class Segments(Artist):
    # many short lines
    zorder = 2

    def get_segments(self):
        return [_np.stack([_np.asarray(xs, dtype=float), _np.asarray(ys, dtype=float)], -1) for xs, ys in self.segments]

    def __init__(self, segments, color="C0", linewidth=1.5, linestyle="-", alpha=None, label=""):
        self.segments, self.color, self.linewidth, self.linestyle, self.alpha, self.label = segments, color, linewidth, linestyle, alpha, label

    def extent(self):
        return [x for s in self.segments for x in s[0]], [y for s in self.segments for y in s[1]]

    def draw(self, canvas, at, clip):
        colors = self.color if isinstance(self.color, list) else [self.color]
        for i, (xs, ys) in enumerate(self.segments):
            p = [v for xy in at(xs, ys) if xy[0] is not None for v in xy]
            if len(p) >= 4:
                w = self.linewidth[i % len(self.linewidth)] if hasattr(self.linewidth, "__len__") else self.linewidth
                canvas.line(p, to_rgba(colors[i % len(colors)], self.alpha), w, dashes_of(self.linestyle, w), clip)

    def key(self, canvas, x, y, w, h):
        color = self.color[0] if isinstance(self.color, list) else self.color
        canvas.line([x, y, x + w, y], to_rgba(color, self.alpha), self.linewidth, dashes_of(self.linestyle, self.linewidth))


class AxesImage(Artist, _cm.ScalarMappable):
    zorder = 0

    def __init__(self, data, extent, origin, norm, cmap, alpha):
        _cm.ScalarMappable.__init__(self, norm, cmap)
        self.origin, self.alpha, self._extent = origin, alpha, extent
        self.set_data(data)

    def set_data(self, A):
        a = _np.asarray(A)
        a = a[..., 0] if a.ndim == 3 and a.shape[2] == 1 else a
        if a.ndim not in (2, 3) or (a.ndim == 3 and a.shape[2] not in (3, 4)):
            raise TypeError(f"Invalid shape {a.shape} for image data")
        self._array = a
        if a.ndim == 2:
            self.norm.autoscale_None(a)

    def get_extent(self):
        return self._extent

    def set_extent(self, extent):
        self._extent = extent

    def extent(self):
        x0, x1, y0, y1 = self._extent
        return [x0, x1], [y0, y1]

    smooth = False

    def _finer(self, a):
        # between the middles of cells, by straight lines
        for axis in (0, 1):
            n = a.shape[axis]
            m = max(n, min(n * 16, 400))
            at = _np.clip((_np.arange(m) + 0.5) * n / m - 0.5, 0, n - 1)
            i = _np.minimum(at.astype("int64"), max(n - 2, 0))
            t = (at - i).reshape([-1 if k == axis else 1 for k in range(a.ndim)])
            a = a.astype("float64")
            a = (a[i] * (1 - t) + a[_np.minimum(i + 1, n - 1)] * t) if axis == 0 else (a[:, i] * (1 - t) + a[:, _np.minimum(i + 1, n - 1)] * t)
        return a

    def pixels(self):
        a = self._array
        if self.smooth:
            a = self._finer(a) if a.dtype.kind == "f" or a.ndim == 2 else _np.rint(self._finer(a)).astype(a.dtype)
        if a.ndim == 2:
            a = self.cmap(self.norm(a), bytes=True)
        elif a.dtype.kind == "f":
            a = (_np.clip(a, 0, 1) * 255 + 0.5).astype("uint8")
        a = a.astype("uint8")
        alpha = a[..., 3:].astype("float64") / 255 if a.shape[2] == 4 else _np.ones(a.shape[:2] + (1,))
        alpha = alpha * (1.0 if self.alpha is None else self.alpha)
        if float(alpha.min()) < 1:
            return (a[..., :3] * alpha + 255 * (1 - alpha) + 0.5).astype("uint8")
        return a[..., :3]

    def draw(self, canvas, at, clip):
        x0, x1, y0, y1 = self._extent
        (ax, ay), (bx, by) = at([x0, x1], [y0, y1])
        rgb = self.pixels()
        up = self.origin == "upper"        # the first row is at y1
        top_first = (ay > by) == up
        if not top_first:
            rgb = rgb[::-1]
        if bx < ax:
            rgb = rgb[:, ::-1]
        canvas.image(rgb, min(ax, bx), min(ay, by), abs(bx - ax), abs(by - ay), clip)


class Text(Artist):
    zorder, shift = 3, (0, 0)  # shift: in points, upwards

    def __init__(self, x, y, text, size, color, ha, va, rotation, coords="data", arrow=None, box=None):
        self.x, self.y, self.text, self.size, self.color, self.ha, self.va, self.rotation = x, y, text, size, color, ha, va, rotation
        self.coords, self.arrow, self.box = coords, arrow, box

    def get_text(self):
        return self.text

    def set_text(self, s):
        self.text = str(s)

    def set_position(self, xy):
        self.x, self.y = xy

    def set_fontsize(self, size):
        from matplotlib import points
        self.size = points(size)

    def set_color(self, color):
        self.color = color

    def draw(self, canvas, at, clip):
        (x, y), = at([self.x], [self.y]) if self.coords == "data" else [self.place(self.x, self.y)]
        if x is None:
            return
        x, y = x + self.shift[0], y - self.shift[1]
        if self.arrow is not None:
            self._draw_arrow(canvas, at, x, y)
        lines = plain(self.text).split("\n")
        if self.box is not None:
            from matplotlib import _font
            w, h = max([_font.width(t, self.size) for t in lines]), self.size * 1.25 * len(lines)
            bx, by = x - {"left": 0, "center": w / 2, "right": w}[self.ha], y - {"top": 0, "center": h / 2}.get(self.va, h)
            p = [bx - 3, by - 3, bx + w + 3, by - 3, bx + w + 3, by + h + 3, bx - 3, by + h + 3]
            face = self.box.get("facecolor", self.box.get("fc", "white"))
            canvas.polygon(p, to_rgba(face, self.box.get("alpha")))
            canvas.line(p + p[:2], to_rgba(self.box.get("edgecolor", self.box.get("ec", "black"))), 0.8)
        for i, line in enumerate(lines):
            canvas.text(x, y + (i if self.va == "top" else i - len(lines) + 1 if self.va in ("bottom", "baseline") else
                                i - (len(lines) - 1) / 2) * self.size * 1.2, line, self.size, to_rgba(self.color), self.ha, self.va, self.rotation)


    def _draw_arrow(self, canvas, at, x, y):
        # from the text to a place: a line with a head, or a broad one
        from matplotlib import _font
        (tx, ty), = at([self.arrow[0]], [self.arrow[1]]) if self.arrow[3] == "data" else [self.place(self.arrow[0], self.arrow[1])]
        look, c = self.arrow[4], to_rgba(self.arrow[2])
        wide, high = _font.width(plain(self.text), self.size), self.size
        x += {"left": wide / 2, "center": 0, "right": -wide / 2}[self.ha]
        y += {"baseline": -high / 3, "bottom": -high / 2, "top": high / 2}.get(self.va, 0)
        n = _math.hypot(tx - x, ty - y)
        if n < 1:
            return
        dx, dy = (tx - x) / n, (ty - y) / n
        away = min(wide / 2 / abs(dx) if abs(dx) * high > abs(dy) * wide else (high / 2 + 2) / (abs(dy) or 1), n / 2)  # out of the text

        def outline(shaft, head, deep, tip, start):
            return [v for p, q in ((start, shaft / 2), (tip - deep, shaft / 2), (tip - deep, head / 2), (tip, 0), (tip - deep, -head / 2), (tip - deep, -shaft / 2),
                                   (start, -shaft / 2)) for v in (x + p * dx - q * dy, y + p * dy + q * dx)]
        if "arrowstyle" not in look:
            shrink = look.get("shrink", 0.0) * (n - away)
            p = outline(look.get("width", 4), look.get("headwidth", 12), look.get("headlength", 12), n - shrink, away + shrink)
            canvas.polygon(p, c)
            canvas.line(p + p[:2], to_rgba(look.get("edgecolor", look.get("ec", look.get("color", "black")))), 1.0)
            return
        style, w = look["arrowstyle"].split(",")[0], look.get("lw", look.get("linewidth", 1.0))
        start, end = away + 2, n - 2
        canvas.line([x + start * dx, y + start * dy, x + end * dx, y + end * dy], c, w)
        for mark, at_, sign in ((style[-1:], end, 1), (style[:1], start, -1)):
            if mark in (">", "<") and style not in ("-",):
                ex, ey = x + at_ * dx, y + at_ * dy
                sides = [(ex - sign * 4 * dx - 2 * dy, ey - sign * 4 * dy + 2 * dx), (ex - sign * 4 * dx + 2 * dy, ey - sign * 4 * dy - 2 * dx)]
                p = [sides[0][0], sides[0][1], ex, ey, sides[1][0], sides[1][1]]
                if "|" in style or style in ("fancy", "simple"):
                    canvas.polygon(p, c)
                canvas.line(p, c, w)


_LETTERS = dict(zip("alpha beta gamma delta epsilon eta theta kappa lambda mu nu pi rho sigma tau phi chi psi omega Gamma Delta Theta Lambda Pi Sigma "
                   "Omega nabla partial infty times pm cdot leq geq le ge to rightarrow approx neq ell".split(" "),
                   "αβγδεηθκλμνπρστφχψωΓΔΘΛΠΣΩ∇∂∞×±·≤≥≤≥→→≈≠l"))
_LETTERS.update(sum="∑", prod="∏", int="∫", ldots="..", dots="..", in_="∈", sim="~", propto="∝", log="log", exp="exp", Vert="||", degree="°")
_LETTERS["in"] = _LETTERS.pop("in_")
_LETTERS.update({k: "" for k in ("mathbf", "mathrm", "mathcal", "mathit", "text", "hat", "bar", "left", "right", "rm", "bf", "it")}, quad="  ", varepsilon="ε", varphi="φ")


def plain(text):
    # mathematics between dollars: letters by their names, fractions on the line; \x01 raises, \x02 lowers, what is up to \x03 (_font.runs)
    if text.count("$") < 2:
        return text
    import re
    parts = text.split("$")
    for i in range(1, len(parts), 2):
        p = re.sub(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", parts[i])
        p = re.sub(r"\\sqrt\{([^{}]*)\}", "√\\1", p)
        p = re.sub(r"\\([A-Za-z]+) ?", lambda m: _LETTERS.get(m.group(1), m.group(1)), p)
        p = re.sub(r"\\[ ,;:!]", " ", p)
        p = re.sub(r"([\^_])(?:\{([^{}]*)\}|([^\\{}]))", lambda m: ("\x01" if m.group(1) == "^" else "\x02") + (m.group(2) or m.group(3) or "") + "\x03", p)
        parts[i] = p.replace("{", "").replace("}", "").replace("\\", "").replace("-", "\u2212")
    return "".join(parts)
