# matplotlib._polar -- axes whose scales are an angle and a radius.
import math as _math

import numpy as _np
from matplotlib import _font, points, rcParams
from matplotlib.artists import dashes_of, Line2D, Text
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

_NORTH = {"N": 90, "NW": 135, "W": 180, "SW": 225, "S": 270, "SE": 315, "E": 0, "NE": 45}


class PolarAxes(Axes):
    name = "polar"

    def cla(self):
        Axes.cla(self)
        self._zero, self._turn, self._at_degrees, self._from, self._to = 0.0, 1, 22.5, 0.0, 2 * _math.pi
        self.xaxis.grid_on = self.yaxis.grid_on = True

    clear = cla

    # ---- limits

    def _limits(self, axis):
        if axis is self.xaxis:
            return self._from, self._to
        low, high = Axes._limits(self, axis)
        if axis.low is None:
            data = [float(v) for a in self._artists if a.visible for v in a.extent()[1]]
            low = low if data and min(data) < 0 else 0.0
        return low, high

    def set_rlim(self, bottom=None, top=None, *, rmin=None, rmax=None):
        return self.set_ylim(bottom if rmin is None else rmin, top if rmax is None else rmax)

    def set_rmax(self, rmax):
        self.set_ylim(None, rmax)

    def set_rmin(self, rmin):
        self.set_ylim(rmin, None)

    def get_rmax(self):
        return self.get_ylim()[1]

    def get_rmin(self):
        return self.get_ylim()[0]

    def set_rticks(self, *args, **kwargs):
        self.yaxis.set_ticks(*args, **kwargs)

    def set_rlabel_position(self, value):
        self._at_degrees = float(value)

    def get_rlabel_position(self):
        return self._at_degrees

    def set_theta_offset(self, offset):
        self._zero = float(offset)

    def set_theta_zero_location(self, loc, offset=0.0):
        self._zero = _math.radians(_NORTH[loc] + offset)

    def set_theta_direction(self, direction):
        self._turn = {"clockwise": -1, "counterclockwise": 1, "anticlockwise": 1}.get(direction, direction)

    def set_thetamin(self, thetamin):
        self._from = _math.radians(thetamin)

    def set_thetamax(self, thetamax):
        self._to = _math.radians(thetamax)

    def set_thetalim(self, *args, thetamin=None, thetamax=None):
        a, b = (args[0] if len(args) == 1 else args) if args else (self._from, self._to)
        self._from, self._to = a if thetamin is None else _math.radians(thetamin), b if thetamax is None else _math.radians(thetamax)

    def set_thetagrids(self, angles, labels=None, **kwargs):
        self.xaxis.set_ticks([_math.radians(a) for a in angles], labels)

    def set_rgrids(self, radii, labels=None, angle=None, **kwargs):
        self.yaxis.set_ticks(radii, labels)
        self._at_degrees = self._at_degrees if angle is None else float(angle)

    def _set_scale(self, axis, value):
        if value != "linear":
            raise NotImplementedError(f"the {axis.which} scale of polar axes is linear, not {value!r}")

    def get_xticks(self):
        return _np.array([t for t, _ in self._angles()])

    # ---- lines that are round

    def _bars(self, upright, at, length, thick, base, align, kwargs):
        made = Axes._bars(self, upright, at, length, thick, base, align, kwargs)
        for p in made:
            # sides along the circle are many short ones
            xs, ys, x, y = [], [], p.x + p.x[:1], p.y + p.y[:1]
            for i in range(4):
                n = max(1, int(abs(x[i + 1] - x[i]) * 40))
                xs += [x[i] + (x[i + 1] - x[i]) * j / n for j in range(n)]
                ys += [y[i] + (y[i + 1] - y[i]) * j / n for j in range(n)]
            p.x, p.y = xs, ys
        return made

    def _across(self, horizontal, value, low, high, kwargs):
        from matplotlib._plots import _long
        k = {n: v for n, v in _long(kwargs).items() if n in ("color", "linewidth", "linestyle", "alpha", "label")}
        if horizontal:
            line = Line2D(_np.linspace(2 * _math.pi * low, 2 * _math.pi * high, 181), _np.full(181, float(value)), **k)
        else:
            a, b = self.get_ylim()
            line = Line2D([value, value], [a + (b - a) * low, a + (b - a) * high], **k)
        return self._add(line, self.lines)

    def axhspan(self, *args, **kwargs):
        raise NotImplementedError("axhspan of polar axes; bar and fill_between are here")

    axvspan = axhspan

    # ---- drawing

    def _box(self, width, height):
        l, b, w, h = self.rect
        x0, y0, x1, y1 = l * width, (1 - b - h) * height, (l + w) * width, (1 - b) * height
        n, cx, cy = min(x1 - x0, y1 - y0) / 2, (x0 + x1) / 2, (y0 + y1) / 2
        return cx - n, cy - n, cx + n, cy + n

    def _mapping(self, box):
        x0, y0, x1, y1 = box
        cx, cy, size = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2
        low, high = self._limits(self.yaxis)

        def at(ts, rs):
            out = []
            for t, r in zip(ts, rs):
                t, k = self._zero + self._turn * float(t), (float(r) - low) / ((high - low) or 1)
                if k != k or k > 1 + 1e-9:
                    out.append((None, None))  # outside the circle
                else:
                    k = max(k, 0.0) * size
                    out.append((cx + k * _math.cos(t), cy - k * _math.sin(t)))
            return out
        return at

    def _angles(self):
        if self.xaxis.ticks is not None:
            texts = self.xaxis.labels if self.xaxis.labels is not None else [f"{round(_math.degrees(t), 6):g}\u00b0" for t in self.xaxis.ticks]
            return list(zip(self.xaxis.ticks, texts))
        whole = self._to - self._from > 2 * _math.pi - 1e-9
        step = 45 if whole or self._to - self._from > _math.pi else 30 if self._to - self._from > 1.6 else 15
        first, last = _math.degrees(self._from), _math.degrees(self._to)
        marks = [d for d in range(-360, 721, step) if first - 1e-6 <= d <= last + 1e-6 - (step if whole else 0) + (step - 1e-3 if whole else 0)]
        texts = self.xaxis.labels
        return [(_math.radians(d), f"{d}\u00b0" if texts is None else texts[i] if i < len(texts) else "") for i, d in enumerate(marks)]

    def draw(self, canvas, width, height):
        box = self._box(width, height)
        at = self._mapping(box)
        low, high = self._limits(self.yaxis)
        around = [self._from + (self._to - self._from) * i / 180 for i in range(181)]
        whole = self._to - self._from > 2 * _math.pi - 1e-9

        def arc(r):
            return [v for xy in at(around, [r] * 181) if xy[0] is not None for v in xy]
        edge = arc(high) if whole else list(at([0.0], [low])[0]) + arc(high) + list(at([0.0], [low])[0])
        rings = self.yaxis.shown(low, high, (box[2] - box[0]) / 2)[0]
        if self._on:
            canvas.polygon(edge, to_rgba(self._face))
            for axis, lines in ((self.yaxis, [arc(r) for r, _ in rings if r > low]),
                                (self.xaxis, [list(at([t], [low])[0]) + list(at([t], [high])[0]) for t, _ in self._angles()])):
                st = axis.grid_style
                for p in lines if axis.grid_on else []:
                    canvas.line(p, to_rgba(st["color"], st.get("alpha")), st["linewidth"], dashes_of(st["linestyle"], st["linewidth"]))
        for a in sorted(self._artists, key=lambda a: a.zorder):
            if a.visible:
                if isinstance(a, Text):
                    a.place = lambda x, y: (box[0] + x * (box[2] - box[0]), box[3] - y * (box[3] - box[1]))
                a.draw(canvas, at, None)
        if self._on:
            if self.spines["right"].visible and self.spines["left"].visible:
                canvas.line(edge + edge[:2], (0.0, 0.0, 0.0, 1.0), 0.8)
            self._draw_texts(canvas, at, low, high, rings)
        x0, y0, x1, y1 = box
        self._draw_titles(canvas, (x0, y0 - 16, x1, y1))
        if self._legend is not None:
            self._draw_legend(canvas, at, box)

    def _draw_texts(self, canvas, at, low, high, rings):
        size = points(self.xaxis.tick_size or rcParams["xtick.labelsize"])
        for t, text in self._angles() if self.xaxis.show_labels else []:
            (x, y), a = at([t], [high])[0], self._zero + self._turn * t
            w = _font.width(text, size)
            canvas.text(x + (7 + w / 2) * _math.cos(a), y - (7 + size / 2) * _math.sin(a), text, size, to_rgba(self.xaxis.text_color), "center", "center")
        size = points(self.yaxis.tick_size or rcParams["ytick.labelsize"])
        for r, text in rings if self.yaxis.show_labels else []:
            if r > low:
                x, y = at([_math.radians(self._at_degrees)], [r])[0]
                canvas.text(x, y, text if isinstance(text, str) else text[0] + text[1], size, to_rgba(self.yaxis.text_color), "left", "bottom")
