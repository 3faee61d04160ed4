# matplotlib.axes -- a rectangle with two scales: artists, ticks, labels, a legend. Plotting functions are in _plots.
import math as _math

import numpy as _np
from matplotlib import _fields, _font, _plots, _statistics, _ticks, points, rcParams
from matplotlib.artists import AxesImage, dashes_of, plain, Segments, Text
from matplotlib.colors import CYCLE, to_rgba

_BLACK = (0.0, 0.0, 0.0, 1.0)


class _Spine:
    def __init__(self):
        self.visible, self.color, self.linewidth, self.position = True, rcParams["axes.edgecolor"], rcParams["axes.linewidth"], ("outward", 0.0)

    def set_visible(self, b):
        self.visible = b

    def set_color(self, c):
        self.color = c

    def set_linewidth(self, w):
        self.linewidth = w

    def set_position(self, position):
        position = {"zero": ("data", 0.0), "center": ("axes", 0.5)}.get(position, position) if isinstance(position, str) else position
        if not isinstance(position, (tuple, list)) or position[0] not in ("outward", "axes", "data"):
            raise ValueError("position[0] should be one of 'outward', 'axes', or 'data'")
        self.position = position

    def place(self, at, low, high, sign):
        # where it stands between two sides, of which it is the first; `at` is data as points, outwards is sign
        kind, v = self.position
        return low + sign * v if kind == "outward" else low + (high - low) * v if kind == "axes" else at(v)


class _Spines(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __getitem__(self, key):
        if isinstance(key, list):
            return _Several([dict.__getitem__(self, k) for k in key])
        return dict.__getitem__(self, key)


class _Several:
    def __init__(self, items):
        self.items = items

    def __getattr__(self, name):
        def call(*args):
            for i in self.items:
                getattr(i, name)(*args)
        return call


class _Box:
    # a rectangle in parts of the figure, y upwards
    def __init__(self, x0, y0, width, height):
        self.x0, self.y0, self.width, self.height = x0, y0, width, height
        self.x1, self.y1, self.bounds = x0 + width, y0 + height, (x0, y0, width, height)


class Axis:
    # one of the two scales
    def __init__(self, axes, which):
        self.axes, self.which = axes, which
        self.scale, self.low, self.high, self.label, self.ticks, self.labels = "linear", None, None, "", None, None
        self.inverted, self.grid_on, self.visible, self.label_size, self.tick_size, self.rotation = False, False, True, None, None, 0
        self.locator, self.formatter, self.names, self.right, self.show_labels = None, None, None, False, True
        tick = rcParams["ytick.color" if which == "y" else "xtick.color"]
        self.grid_style, self.grid_which = {k: rcParams["grid." + k] for k in ("color", "linewidth", "linestyle")}, "major"
        self.label_color, self.tick_color, self.text_color = rcParams["axes.labelcolor"], tick, tick
        self.top, self.threshold, self.times, self.follows = False, 2.0, False, None  # threshold: of symlog; times: numbers are days since 1970

    def set_major_locator(self, locator):
        self.locator = locator

    def set_major_formatter(self, formatter):
        self.formatter = formatter

    def set_minor_locator(self, locator):
        pass

    def set_visible(self, b):
        self.visible = b

    def set_ticks(self, ticks, labels=None, **kwargs):
        self.ticks = [float(t) for t in ticks]
        self.labels = None if labels is None else [str(t) for t in labels]
        self.rotation = kwargs.get("rotation", self.rotation)

    def set_ticklabels(self, labels, **kwargs):
        self.labels, self.rotation = [str(t) for t in labels], kwargs.get("rotation", self.rotation)

    def grid(self, visible=True, which="major", **style):
        short = {"c": "color", "lw": "linewidth", "ls": "linestyle"}
        self.grid_on, self.grid_which = visible, which
        self.grid_style = dict(self.grid_style, **{short.get(k, k): v for k, v in style.items()})

    def tick_right(self):
        self.right = True

    def tick_left(self):
        self.right = False

    def tick_top(self):
        self.top = True

    def tick_bottom(self):
        self.top = False

    def set_label_position(self, position):
        self.right, self.top = position == "right" or self.right and position != "left", position == "top" or self.top and position != "bottom"

    set_ticks_position = set_label_position

    def to(self, v):
        # a value on the scale; None where it has no place
        if self.scale == "linear":
            return v
        if self.scale == "log":
            return _math.log10(v) if v > 0 else None
        if self.scale == "logit":
            return _math.log10(v / (1 - v)) if 0 < v < 1 else None
        n, t = abs(v), self.threshold
        return v * (10 / 9) / t if n <= t else _math.copysign(10 / 9 + _math.log10(n / t), v)

    def back(self, s):
        if self.scale == "linear":
            return s
        if self.scale == "log":
            return 10.0 ** s
        if self.scale == "logit":
            return 1 / (1 + 10.0 ** -s)
        n, t = abs(s), self.threshold
        return s * t * 0.9 if n <= 10 / 9 else _math.copysign(t * 10.0 ** (n - 10 / 9), s)

    def categories(self, values):
        # texts stand at 0, 1, 2 ..
        if self.names is None:
            self.names = []
        for v in values:
            if v not in self.names:
                self.names.append(v)
        return [float(self.names.index(v)) for v in values]

    def limits(self, values, sticky):
        # what is shown: as set, or all data and a twentieth more, but not past edges that stick
        low, high = self.low, self.high
        if low is None or high is None:
            good = [v for v in values if v is not None and _math.isfinite(v) and self.to(v) is not None]
            a, b = (min(good), max(good)) if good else {"log": (1.0, 10.0), "logit": (0.1, 0.9)}.get(self.scale, (0.0, 1.0))
            if self.scale != "linear":
                la, lb = self.to(a), self.to(b)
                pad = (lb - la) * self.axes._margin[self.which] or 0.5
                a2, b2 = (a if a in sticky else self.back(la - pad)), (b if b in sticky else self.back(lb + pad))
            elif a == b:
                pad = abs(a) * 0.05 or 0.055
                a2, b2 = a - pad, b + pad
            else:
                pad = (b - a) * self.axes._margin[self.which]
                a2, b2 = (a if a in sticky else a - pad), (b if b in sticky else b + pad)
            low, high = a2 if low is None else low, b2 if high is None else high
        return (high, low) if self.inverted and low < high else (low, high)

    def shown(self, low, high, length):
        # [(value, text or (base, power))], the common factor
        low, high = min(low, high), max(low, high)
        if self.scale == "log":
            ticks = self.ticks if self.ticks is not None else _ticks.logarithmic(low, high)
            if len(ticks) < 2 and self.ticks is None:
                ticks = [t for t in sorted(ticks + _ticks.small_logarithmic(low, high))][:9]
            texts, factor = (self.labels if self.labels is not None else _ticks.log_texts(ticks)), ""
        elif self.scale in ("symlog", "logit"):
            ticks = self.ticks if self.ticks is not None else (_ticks.symmetric(low, high, self.threshold) if self.scale == "symlog" else _ticks.logit(low, high))
            texts, factor = (self.labels if self.labels is not None else (_ticks.symmetric_texts if self.scale == "symlog" else _ticks.logit_texts)(ticks)), ""
        elif self.times and self.ticks is None:
            ticks, texts = _ticks.dates(low, high)
            texts, factor = texts if self.formatter is None else [self.formatter(t, i) for i, t in enumerate(ticks)], ""
        else:
            size = points(self.tick_size or rcParams["xtick.labelsize"])
            most = min(9, max(1, int(length / (size * (3 if self.which == "x" else 2)))))
            if self.ticks is not None:
                ticks = self.ticks
            elif self.names is not None:
                ticks = [float(i) for i in range(len(self.names))]
            elif self.locator is not None:
                ticks = self.locator.tick_values(low, high)
            else:
                ticks = _ticks.linear(low, high, most)
            texts, factor = _ticks.texts(ticks)
            if self.names is not None and self.ticks is None:
                texts = self.names
            if self.labels is not None:
                texts = (self.labels + [""] * len(ticks))[:len(ticks)]
            elif self.formatter is not None:
                texts = [self.formatter(t, i) for i, t in enumerate(ticks)]
        span = (high - low) * 1e-9
        return [(t, s) for t, s in zip(ticks, texts) if low - span <= t <= high + span], factor


class Axes(_plots.Plots, _fields.Fields, _statistics.Statistics):
    def __init__(self, fig, rect, frameon=True, facecolor=None):
        self.figure, self.rect, self._frame, self._face = fig, rect, frameon, facecolor or rcParams["axes.facecolor"]
        self._cells, self._bar, self._inside, self.label = None, None, None, ""  # _bar: of a colorbar (owner, fraction, pad, shrink, side, length to width)
        self.cla()

    @property
    def axes(self):
        return self

    def cla(self):
        self._artists, self._titles, self._legend = [], {"center": ("", None), "left": ("", None), "right": ("", None)}, None
        self._colors, self._cycle = {"lines": 0, "fills": 0}, rcParams["axes.prop_cycle"].by_key().get("color", CYCLE)
        self.xaxis, self.yaxis = Axis(self, "x"), Axis(self, "y")
        if rcParams["axes.grid"]:
            self.xaxis.grid_on = self.yaxis.grid_on = True
        self._margin, self._on, self._aspect = {"x": 0.05, "y": 0.05}, True, None
        self.spines = _Spines({k: _Spine() for k in ("left", "right", "top", "bottom")})
        self._shared, self._twin, self._tight = {}, None, False
        self.lines, self.images, self.patches, self.texts, self.collections, self.containers = [], [], [], [], [], []

    clear = cla

    def _add(self, artist, group):
        artist.axes = self
        self._artists.append(artist)
        group.append(artist)
        return artist

    def _next_color(self, kind="lines"):
        # lines and areas go through the colors each for themselves
        self._colors[kind] += 1
        return self._cycle[(self._colors[kind] - 1) % len(self._cycle)]

    def set_prop_cycle(self, *args, **kwargs):
        from cycler import cycler
        self._cycle = CYCLE if args and args[0] is None else cycler(*args, **kwargs).by_key()["color"]
        self._colors = {"lines": 0, "fills": 0}

    # ---- names of things

    def set_title(self, label, fontdict=None, loc=None, pad=None, *, fontsize=None, size=None, color=None, **kwargs):
        fontsize = fontsize or size or (fontdict or {}).get("fontsize")
        self._titles[loc or "center"] = (str(label), points(fontsize or rcParams["axes.titlesize"]), color or (fontdict or {}).get("color") or rcParams["text.color"])

    def get_title(self, loc="center"):
        return self._titles[loc][0]

    def set_xlabel(self, xlabel, fontdict=None, labelpad=None, *, fontsize=None, **kwargs):
        self._set_label(self.xaxis, xlabel, fontsize, {**(fontdict or {}), **kwargs})

    def set_ylabel(self, ylabel, fontdict=None, labelpad=None, *, fontsize=None, **kwargs):
        self._set_label(self.yaxis, ylabel, fontsize, {**(fontdict or {}), **kwargs})

    def _set_label(self, axis, text, size, style):
        axis.label, axis.label_size = str(text), points(size or style.get("size") or style.get("fontsize") or rcParams["axes.labelsize"])
        axis.label_color = style.get("color", style.get("c", rcParams["axes.labelcolor"]))

    def get_xlabel(self):
        return self.xaxis.label

    def get_ylabel(self):
        return self.yaxis.label

    def set(self, **kwargs):
        for k, v in kwargs.items():
            getattr(self, "set_" + k)(v)
        return self

    def legend(self, *args, loc="best", fontsize=None, frameon=True, title=None, ncol=1, ncols=None, bbox_to_anchor=None,
               handles=None, labels=None, **kwargs):
        if len(args) == 2:
            handles, labels = args
        elif len(args) == 1:
            labels = args[0]
        self._legend = {"loc": loc, "size": fontsize, "frame": frameon, "title": title, "columns": ncols or ncol,
                        "anchor": bbox_to_anchor, "handles": handles, "labels": labels, "ink": rcParams["text.color"]}
        return self._legend

    def get_legend_handles_labels(self):
        found = [(a, a.label) for a in self._artists if a.label and not str(a.label).startswith("_")]
        return [a for a, _ in found], [t for _, t in found]

    # ---- limits and scales

    def _limits(self, axis):
        if axis.follows is not None:
            owner, which, there = axis.follows
            return tuple([float(there(v)) for v in (owner.get_xlim() if which == "x" else owner.get_ylim())])
        group = [self] + [a for a in self._shared.get(axis.which, [])]
        for a in group:
            other = a.xaxis if axis.which == "x" else a.yaxis
            if other.low is not None and other.high is not None:
                return other.limits([], ())
        values, sticky = [], set()
        for a in group:
            for art in a._artists:
                if art.visible:
                    values += [float(v) for v in art.extent()[0 if axis.which == "x" else 1]]
                    if isinstance(art, AxesImage):
                        sticky.update(art.extent()[0 if axis.which == "x" else 1])
                    elif axis.which == getattr(art, "sticky_axis", None):
                        sticky.update(art.sticky)
                    elif hasattr(art, "sticky_sides"):
                        sticky.update(art.sticky_sides[0 if axis.which == "x" else 1])
        return axis.limits(values, sticky)

    def get_xlim(self):
        return self._limits(self.xaxis)

    def get_ylim(self):
        return self._limits(self.yaxis)

    def _set_limits(self, axis, low, high):
        if isinstance(low, (tuple, list)) or hasattr(low, "shape") and getattr(low, "shape", ()) != ():
            low, high = low
        if low is not None:
            axis.low = float(low)
        if high is not None:
            axis.high = float(high)
        return self._limits(axis)

    def set_xlim(self, left=None, right=None, *, xmin=None, xmax=None):
        return self._set_limits(self.xaxis, left if xmin is None else xmin, right if xmax is None else xmax)

    def set_ylim(self, bottom=None, top=None, *, ymin=None, ymax=None):
        return self._set_limits(self.yaxis, bottom if ymin is None else ymin, top if ymax is None else ymax)

    set_xbound, set_ybound = set_xlim, set_ylim

    def invert_xaxis(self):
        self.xaxis.inverted = not self.xaxis.inverted

    def invert_yaxis(self):
        self.yaxis.inverted = not self.yaxis.inverted

    def _set_scale(self, axis, value):
        if value not in ("linear", "log", "symlog", "logit"):
            raise ValueError(f"{value!r} is not a valid value for scale; supported values are 'linear', 'log', 'logit', 'symlog'")
        axis.scale = value

    def set_xscale(self, value, *, linthresh=2, **kwargs):
        self._set_scale(self.xaxis, value)
        self.xaxis.threshold = float(linthresh)

    def set_yscale(self, value, *, linthresh=2, **kwargs):
        self._set_scale(self.yaxis, value)
        self.yaxis.threshold = float(linthresh)

    def get_xscale(self):
        return self.xaxis.scale

    def get_yscale(self):
        return self.yaxis.scale

    def margins(self, *args, x=None, y=None):
        if len(args) == 1:
            x = y = args[0]
        elif len(args) == 2:
            x, y = args
        self._margin["x"] = self._margin["x"] if x is None else x
        self._margin["y"] = self._margin["y"] if y is None else y

    def autoscale(self, enable=True, axis="both", tight=None):
        for a in (self.xaxis, self.yaxis):
            if enable and axis in ("both", a.which):
                a.low = a.high = None
        if tight:
            self.margins(0)

    def relim(self, visible_only=False):
        pass

    autoscale_view = relim

    def set_aspect(self, aspect, adjustable=None):
        self._aspect = 1.0 if aspect == "equal" else None if aspect == "auto" else float(aspect)

    def axis(self, arg=None):
        if hasattr(arg, "tolist"):
            arg = arg.tolist()
        if arg in ("off", False):
            self._on = False
        elif arg in ("on", True):
            self._on = True
        elif arg in ("equal", "scaled", "image", "square"):
            self._aspect = 1.0
            if arg == "image":
                self.margins(0)
        elif arg == "tight":
            self.margins(0)
        elif arg == "auto":
            self._aspect = None
        elif arg is not None:
            self.set_xlim(arg[0], arg[1])
            self.set_ylim(arg[2], arg[3])
        return self.get_xlim() + self.get_ylim()

    def set_axis_off(self):
        self._on = False

    def set_axis_on(self):
        self._on = True

    def set_xticks(self, ticks, labels=None, **kwargs):
        self.xaxis.set_ticks(ticks, labels, **kwargs)

    def set_yticks(self, ticks, labels=None, **kwargs):
        self.yaxis.set_ticks(ticks, labels, **kwargs)

    def set_xticklabels(self, labels, **kwargs):
        self.xaxis.set_ticklabels(labels, **kwargs)

    def set_yticklabels(self, labels, **kwargs):
        self.yaxis.set_ticklabels(labels, **kwargs)

    def get_xticks(self):
        return _np.array([t for t, _ in self.xaxis.shown(*self.get_xlim(), 300)[0]])

    def get_yticks(self):
        return _np.array([t for t, _ in self.yaxis.shown(*self.get_ylim(), 250)[0]])

    def get_xticklabels(self):
        return [Text(0, 0, s if isinstance(s, str) else s[0], 10, "black", "left", "top", 0)
                for _, s in self.xaxis.shown(*self.get_xlim(), 300)[0]]

    def get_yticklabels(self):
        return [Text(0, 0, s if isinstance(s, str) else s[0], 10, "black", "left", "top", 0)
                for _, s in self.yaxis.shown(*self.get_ylim(), 250)[0]]

    def tick_params(self, axis="both", *, labelsize=None, rotation=None, labelrotation=None, labelbottom=None, labelleft=None,
                    bottom=None, left=None, colors=None, color=None, labelcolor=None, **kwargs):
        for a, labels in ((self.xaxis, labelbottom), (self.yaxis, labelleft)):
            if axis in ("both", a.which):
                a.tick_size = labelsize or a.tick_size
                a.rotation = rotation or labelrotation or a.rotation
                a.show_labels = a.show_labels if labels is None else labels
                a.tick_color, a.text_color = color or colors or a.tick_color, labelcolor or colors or a.text_color
        if bottom is False and left is False:
            self.xaxis.ticks = self.yaxis.ticks = []

    def ticklabel_format(self, *, axis="both", style="", **kwargs):
        if style not in ("", "sci", "scientific", "plain"):
            raise ValueError(f"{style!r} is not a valid value for style")

    def grid(self, visible=None, which="major", axis="both", **kwargs):
        if which not in ("major", "minor", "both"):
            raise ValueError(f"{which!r} is not a valid value for which")
        on = visible is not False
        for a in (self.xaxis, self.yaxis):
            if axis in ("both", a.which):
                a.grid(on, which, **kwargs)

    def set_facecolor(self, color):
        self._face = color

    def label_outer(self):
        if self._cells is not None:
            r0, r1, c0, c1, rows, cols = self._cells
            if r1 < rows:
                self.xaxis.show_labels, self.xaxis.label = False, ""
            if c0 > 0:
                self.yaxis.show_labels, self.yaxis.label = False, ""

    def set_position(self, pos):
        self.rect = tuple(pos)

    def get_position(self, original=False):
        # original: as the figure gives it, before the aspect makes it smaller
        if original or self._aspect is None:
            return _Box(*self.rect)
        w, h = self.figure.size[0] * 72, self.figure.size[1] * 72
        x0, y0, x1, y1 = self._box(w, h)
        return _Box(x0 / w, 1 - y1 / h, (x1 - x0) / w, (y1 - y0) / h)

    def set_label(self, s):
        self.label = s

    def get_label(self):
        return self.label

    def get_figure(self):
        return self.figure

    def twinx(self):
        other = self.figure._add_axes(Axes(self.figure, self.rect, frameon=False))
        other._cells = self._cells
        other._twin, other.yaxis.right, other.xaxis.visible = self, True, False
        other._shared["x"], other._colors = [self], self._colors
        self._shared.setdefault("x", []).append(other)
        return other

    def twiny(self):
        other = self.figure._add_axes(Axes(self.figure, self.rect, frameon=False))
        other._cells = self._cells
        other._twin, other.xaxis.top, other.yaxis.visible = self, True, False
        other._shared["y"], other._colors = [self], self._colors
        self._shared.setdefault("y", []).append(other)
        return other

    def inset_axes(self, bounds, *, transform="axes", **kwargs):
        if transform not in ("axes", self.transAxes):
            raise NotImplementedError("inset_axes: in parts of the axes")
        now = self.figure._now
        other = self.figure.add_axes((0, 0, 1, 1), **kwargs)
        other._inside, self.figure._now = (self, tuple(bounds)), now
        self.figure._place()
        return other

    def _second(self, which, location, functions):
        if location not in (("top", "bottom") if which == "x" else ("left", "right")):
            raise NotImplementedError(f"secondary_{which}axis: at a side")
        now = self.figure._now
        other = self.twiny() if which == "x" else self.twinx()
        self.figure._now = now
        axis, there = (other.xaxis, functions[0]) if functions is not None and which == "x" else (other.yaxis, functions[0]) if functions is not None else (
            other.xaxis if which == "x" else other.yaxis, lambda v: v)
        axis.top, axis.right = location == "top", location == "right"
        axis.follows = (self, which, there)
        return other

    def secondary_xaxis(self, location, functions=None):
        return self._second("x", location, functions)

    def secondary_yaxis(self, location, functions=None):
        return self._second("y", location, functions)

    def remove(self):
        self.figure.axes.remove(self)

    # ---- drawing

    def _box(self, width, height):
        # the rectangle in points, y downwards; smaller where the aspect asks for it
        l, b, w, h = self.rect
        x0, y0, x1, y1 = l * width, (1 - b - h) * height, (l + w) * width, (1 - b) * height
        if self._aspect is not None and self.xaxis.scale == self.yaxis.scale == "linear":
            (xa, xb), (ya, yb) = self.get_xlim(), self.get_ylim()
            sx, sy = abs(xb - xa) or 1, (abs(yb - ya) or 1) * self._aspect
            unit = min((x1 - x0) / sx, (y1 - y0) / sy)
            cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
            x0, x1, y0, y1 = cx - sx * unit / 2, cx + sx * unit / 2, cy - sy * unit / 2, cy + sy * unit / 2
        return x0, y0, x1, y1

    def _mapping(self, box):
        x0, y0, x1, y1 = box

        def scale(axis, a, b):
            low, high = [axis.to(v) for v in self._limits(axis)]
            k = (b - a) / ((high - low) or 1)

            def place(v):
                v = None if v is None or v != v else axis.to(v)
                if v is None:
                    return None
                return max(-1e6, min(1e6, a + (v - low) * k))
            return place
        fx, fy = scale(self.xaxis, x0, x1), scale(self.yaxis, y1, y0)

        def at(xs, ys):
            out = []
            for x, y in zip(xs, ys):
                px, py = fx(float(x)), fy(float(y))
                out.append((px, py) if px is not None and py is not None else (None, None))
            return out
        at.x, at.y = fx, fy
        return at

    def draw(self, canvas, width, height):
        box = self._box(width, height)
        x0, y0, x1, y1 = box
        at = self._mapping(box)
        if self._on and self._frame:
            canvas.polygon([x0, y0, x1, y0, x1, y1, x0, y1], to_rgba(self._face))
        if self._on:
            self._draw_grid(canvas, at, box)
        for a in sorted(self._artists, key=lambda a: a.zorder):
            if a.visible:
                if isinstance(a, Text):
                    a.place = lambda x, y: (x0 + x * (x1 - x0), y1 - y * (y1 - y0))
                a.draw(canvas, at, box)
        if self._on:
            for side, s in self.spines.items():
                if s.visible:
                    v = self._stands(side, at, box)
                    canvas.line([v, y0, v, y1] if side in ("left", "right") else [x0, v, x1, v], to_rgba(s.color), s.linewidth)
            self._draw_x(canvas, at, box)
            self._draw_y(canvas, at, box)
        self._draw_titles(canvas, box)
        if self._legend is not None:
            self._draw_legend(canvas, at, box)

    def _draw_titles(self, canvas, box):
        x0, y0, x1, _ = box
        for where, x, ha in (("center", (x0 + x1) / 2, "center"), ("left", x0, "left"), ("right", x1, "right")):
            title = self._titles[where]
            if title[0]:
                size = title[1]
                for i, line in enumerate(plain(title[0]).split("\n")[::-1]):
                    canvas.text(x, y0 - 6 - i * size * 1.2, line, size, to_rgba(title[2]), ha)

    def _stands(self, side, at, box):
        # the x of a spine at the left or the right, the y of another
        x0, y0, x1, y1 = box
        return {"left": lambda s: s.place(at.x, x0, x1, -1), "right": lambda s: s.place(at.x, x1, x0, 1),
                "top": lambda s: s.place(at.y, y0, y1, -1), "bottom": lambda s: s.place(at.y, y1, y0, 1)}[side](self.spines[side])

    def _draw_grid(self, canvas, at, box):
        x0, y0, x1, y1 = box
        for axis, length in ((self.xaxis, x1 - x0), (self.yaxis, y1 - y0)):
            if axis.grid_on:
                st = axis.grid_style
                color, w = to_rgba(st["color"], st.get("alpha")), st["linewidth"]
                dash = dashes_of(st["linestyle"], w)
                places = [t for t, _ in axis.shown(*self._limits(axis), length)[0]] if axis.grid_which != "minor" else []
                if axis.grid_which != "major" and axis.scale == "log":
                    places += _ticks.small_logarithmic(*sorted(self._limits(axis)))
                for t in places:
                    v = (at.x if axis is self.xaxis else at.y)(t)
                    canvas.line([v, y0, v, y1] if axis is self.xaxis else [x0, v, x1, v], color, w, dash)

    def _beside(self, axis):
        # how far ticks, their texts and the label reach, in points
        ticks = axis.shown(*self._limits(axis), 200)[0] if axis.show_labels and axis.visible else []
        wide = max([_font.width(t if isinstance(t, str) else t[0] + t[1], 10) for _, t in ticks] + [0])
        return 7 + wide + (points(axis.label_size or 10) * 1.4 if axis.label else 0)

    def _below(self, axis):
        angle = {"vertical": 90, "horizontal": 0}.get(axis.rotation, axis.rotation)
        wide = max([_font.width(str(t if isinstance(t, str) else t[0]), 10) for _, t in axis.shown(*self._limits(axis), 300)[0]] + [0])
        return 10 if not angle else wide * abs(_math.sin(_math.radians(angle))) + 5

    def _tick_text(self, canvas, x, y, text, size, ha, va, angle=0, color=_BLACK):
        if isinstance(text, tuple):
            base, power = text
            w = _font.width(base, size)
            x -= {"left": 0, "center": (w + _font.width(power, size * 0.7)) / 2, "right": w + _font.width(power, size * 0.7)}[ha]
            y += {"top": size * 0.75, "center": size * 0.35}.get(va, 0)
            canvas.text(x, y, base, size, color)
            canvas.text(x + w, y - size * 0.4, power, size * 0.7, color)
        else:
            for i, line in enumerate(plain(str(text)).split("\n")):
                canvas.text(x, y + i * size * 1.2, line, size, color, ha, va, angle)

    def _draw_x(self, canvas, at, box):
        x0, y0, x1, y1 = box
        axis = self.xaxis
        if not axis.visible:
            return
        edge, out = (self._stands("top", at, box), -1) if axis.top else (self._stands("bottom", at, box), 1)
        size, va = points(axis.tick_size or rcParams["xtick.labelsize"]), "top" if out > 0 else "baseline"
        ticks, factor = axis.shown(*self._limits(axis), x1 - x0)
        deep, ink = 0, to_rgba(axis.text_color)
        angle = {"vertical": 90, "horizontal": 0}.get(axis.rotation, axis.rotation)
        for t, text in ticks:
            x = at.x(t)
            canvas.line([x, edge, x, edge + 3.5 * out], to_rgba(axis.tick_color), 0.8)
            if axis.show_labels:
                n = _font.width(str(text if isinstance(text, str) else text[0]), size)
                deep = max(deep, size if not angle else n * abs(_math.sin(_math.radians(angle))) + size * 0.5)
                if angle == 90:
                    self._tick_text(canvas, x + size * 0.35, edge + 7 + n, text, size, "left", "baseline", angle, ink)
                else:
                    self._tick_text(canvas, x, edge + 7 * out, text, size, "right" if angle else "center", va, angle, ink)
        if axis.scale == "log":
            for t in _ticks.small_logarithmic(*sorted(self._limits(axis))):
                canvas.line([at.x(t), edge, at.x(t), edge + 2 * out], _BLACK, 0.6)
        if factor and axis.show_labels:
            canvas.text(x1, edge + 7 + size * 1.2, factor, size, ink, "right", "top")
        if axis.label:
            s = points(axis.label_size or rcParams["axes.labelsize"])
            canvas.text((x0 + x1) / 2, edge + out * (7 + deep + 4), plain(axis.label), s, to_rgba(axis.label_color), "center", va)

    def _draw_y(self, canvas, at, box):
        x0, y0, x1, y1 = box
        axis = self.yaxis
        if not axis.visible:
            return
        edge, sign = (self._stands("right", at, box), 1) if axis.right else (self._stands("left", at, box), -1)
        size = points(axis.tick_size or rcParams["ytick.labelsize"])
        ticks, factor = axis.shown(*self._limits(axis), y1 - y0)
        wide = 0
        for t, text in ticks:
            y = at.y(t)
            canvas.line([edge, y, edge + 3.5 * sign, y], to_rgba(axis.tick_color), 0.8)
            if axis.show_labels:
                self._tick_text(canvas, edge + 7 * sign, y, text, size, "left" if axis.right else "right", "center", 0, to_rgba(axis.text_color))
                wide = max(wide, _font.width(text if isinstance(text, str) else text[0] + text[1], size))
        if axis.scale == "log":
            for t in _ticks.small_logarithmic(*sorted(self._limits(axis))):
                canvas.line([edge, at.y(t), edge + 2 * sign, at.y(t)], _BLACK, 0.6)
        if factor and axis.show_labels:
            canvas.text(edge, y0 - 3, factor, size, _BLACK, "left")
        if axis.label:
            s = points(axis.label_size or rcParams["axes.labelsize"])
            canvas.text(edge + sign * (11 + wide) + (s if axis.right else 0), (y0 + y1) / 2, plain(axis.label), s, to_rgba(axis.label_color), "center", "baseline", 90)

    def _draw_legend(self, canvas, at, box):
        g = self._legend
        handles, labels = self.get_legend_handles_labels()
        if g["handles"] is not None:
            handles = list(g["handles"])
            labels = [h.label for h in handles] if g["labels"] is None else list(g["labels"])
        elif g["labels"] is not None:
            handles = [a for a in self._artists if not isinstance(a, (Text, AxesImage))]
            labels = list(g["labels"])
        pairs = [(getattr(h, "_handle", h), plain(str(t))) for h, t in zip(handles, labels)]
        if not pairs:
            return
        size = points(g["size"] or rcParams["legend.fontsize"])
        pad, line, row = size * 0.4, size * 2.0, size * 1.35
        columns = max(1, min(g["columns"], len(pairs)))
        rows = -(-len(pairs) // columns)
        wide = max([_font.width(t, size) for _, t in pairs]) + line + size * 0.8
        w, h = wide * columns + pad * 2, rows * row + pad * 2 + (row if g["title"] else 0)
        x, y = self._legend_place(g, at, box, w, h)
        if g["frame"]:
            p = [x, y, x + w, y, x + w, y + h, x, y + h]
            canvas.polygon(p, to_rgba(self._face, 0.8))
            canvas.line(p + p[:2], (0.8, 0.8, 0.8, 1.0), 1.0)
        top = y + pad
        if g["title"]:
            canvas.text(x + w / 2, top + row / 2, str(g["title"]), size, _BLACK, "center", "center")
            top += row
        for i, (handle, text) in enumerate(pairs):
            px, py = x + pad + (i // rows) * wide, top + (i % rows + 0.5) * row
            handle.key(canvas, px, py, line, size * 0.7)
            canvas.text(px + line + size * 0.5, py, text, size, to_rgba(g["ink"]), "left", "center")

    def _legend_place(self, g, at, box, w, h):
        x0, y0, x1, y1 = box
        gap = 5
        places = {"upper right": (x1 - w - gap, y0 + gap), "upper left": (x0 + gap, y0 + gap), "lower left": (x0 + gap, y1 - h - gap),
                  "lower right": (x1 - w - gap, y1 - h - gap), "right": (x1 - w - gap, (y0 + y1 - h) / 2),
                  "center left": (x0 + gap, (y0 + y1 - h) / 2), "center right": (x1 - w - gap, (y0 + y1 - h) / 2),
                  "lower center": ((x0 + x1 - w) / 2, y1 - h - gap), "upper center": ((x0 + x1 - w) / 2, y0 + gap),
                  "center": ((x0 + x1 - w) / 2, (y0 + y1 - h) / 2)}
        names = list(places)
        loc = g["loc"]
        if isinstance(loc, int):
            loc = (["best"] + names)[loc]
        if g["anchor"] is not None:
            ax, ay = g["anchor"][:2]
            px, py = x0 + ax * (x1 - x0), y1 - ay * (y1 - y0)
            loc = "upper left" if loc == "best" else loc
            dx = 0 if "left" in loc else w if "right" in loc else w / 2
            dy = 0 if "upper" in loc else h if "lower" in loc else h / 2
            return px - dx, py - dy
        if isinstance(loc, (tuple, list)):
            return x0 + loc[0] * (x1 - x0), y1 - loc[1] * (y1 - y0) - h
        if loc != "best":
            if loc not in places:
                raise ValueError(f"{loc!r} is not a valid value for loc")
            return places[loc]
        dots = []
        for a in self._artists:
            if a.visible and not isinstance(a, Segments):
                xs, ys = a.extent()
                n = max(1, len(xs) // 200)
                dots += [d for d in at(list(xs)[::n], list(ys)[::n]) if d[0] is not None]
        best, fewest = None, None
        for name in names:
            px, py = places[name]
            n = len([1 for x, y in dots if px <= x <= px + w and py <= y <= py + h])
            if fewest is None or n < fewest:
                best, fewest = name, n
        return places[best]
