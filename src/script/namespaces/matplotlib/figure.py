# matplotlib.figure -- a page of axes.
import os as _os

import numpy as _np
from matplotlib import _canvas, _font, points, rcParams
from matplotlib.artists import AxesImage, plain
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba


class SubplotSpec:
    def __init__(self, grid, rows, columns):
        self.grid, self.rows, self.columns = grid, rows, columns


class GridSpec:
    def __init__(self, nrows, ncols, figure=None, *, width_ratios=None, height_ratios=None, **adjust):
        self.nrows, self.ncols, self.figure = nrows, ncols, figure
        self.width_ratios, self.height_ratios, self.adjust = width_ratios or [1] * ncols, height_ratios or [1] * nrows, adjust

    def __getitem__(self, key):
        if not isinstance(key, tuple):
            n = self.ncols
            r = range(self.nrows * self.ncols)[key]
            cells = [r] if isinstance(r, int) else list(r)
            return SubplotSpec(self, (cells[0] // n, cells[-1] // n + 1), (min([c % n for c in cells]), max([c % n for c in cells]) + 1))
        spans = []
        for k, n in zip(key, (self.nrows, self.ncols)):
            r = range(n)[k]
            spans.append((r, r + 1) if isinstance(r, int) else (r[0], r[-1] + 1))
        return SubplotSpec(self, *spans)

    def update(self, **adjust):
        self.adjust.update(adjust)

    def rect(self, rows, columns, params):
        p = dict(params, **self.adjust)
        wide, high = p["right"] - p["left"], p["top"] - p["bottom"]
        cw = wide / (self.ncols + p["wspace"] * (self.ncols - 1))
        ch = high / (self.nrows + p["hspace"] * (self.nrows - 1))
        sx, sy = cw * self.ncols / sum(self.width_ratios), ch * self.nrows / sum(self.height_ratios)
        gx, gy = cw * p["wspace"], ch * p["hspace"]
        x = p["left"] + sum(self.width_ratios[:columns[0]]) * sx + gx * columns[0]
        w = sum(self.width_ratios[columns[0]:columns[1]]) * sx + gx * (columns[1] - columns[0] - 1)
        top = p["top"] - sum(self.height_ratios[:rows[0]]) * sy - gy * rows[0]
        h = sum(self.height_ratios[rows[0]:rows[1]]) * sy + gy * (rows[1] - rows[0] - 1)
        return x, top - h, w, h


class _Canvas:
    def __init__(self, fig):
        self.figure = fig

    def draw(self):
        self._pixels = self.figure._drawn("png", self.figure.dpi)

    def buffer_rgba(self):
        self.draw()
        a = self._pixels.array()
        return _np.concatenate([a, _np.full(a.shape[:2] + (1,), 255, "uint8")], -1)

    def tostring_rgb(self):
        self.draw()
        return self._pixels.array().tobytes()

    def get_width_height(self):
        w, h = self.figure.size
        return int(w * self.figure.dpi), int(h * self.figure.dpi)

    def draw_idle(self):
        pass

    flush_events = draw_idle

    def set_window_title(self, title):
        self.figure.window_title = title

    @property
    def manager(self):
        return self


class Figure:
    def __init__(self, figsize=None, dpi=None, facecolor=None, edgecolor=None, layout=None, tight_layout=None, constrained_layout=None,
                 num=None):
        self.size, self.dpi = tuple(figsize or rcParams["figure.figsize"]), dpi or rcParams["figure.dpi"]
        self.facecolor, self.edgecolor, self.number = facecolor or rcParams["figure.facecolor"], edgecolor, num
        self._fit = bool(layout in ("tight", "constrained") or tight_layout or constrained_layout)
        self.canvas = _Canvas(self)
        self.clf()

    def clf(self, keep_observers=False):
        self.axes, self._title, self._texts, self._mappable, self._now = [], None, [], None, None
        self._params = {"left": 0.125, "right": 0.9, "bottom": 0.11, "top": 0.88, "wspace": 0.2, "hspace": 0.2}

    clear = clf

    # ---- axes

    def _add_axes(self, ax):
        self.axes.append(ax)
        self._now = ax
        return ax

    def _at(self, spec, kwargs):
        ax = _kind(kwargs)(self, spec.grid.rect(spec.rows, spec.columns, self._params), True, kwargs.pop("facecolor", None))
        ax._spec = spec
        ax._cells = spec.rows + spec.columns + (spec.grid.nrows, spec.grid.ncols)
        for axis in ("x", "y"):
            other = kwargs.pop("share" + axis, None)
            if other is not None:
                share([other, ax], axis)
        for k, v in kwargs.items():
            if k not in ("label", "frameon", "frame_on"):
                getattr(ax, "set_" + k)(v)
        return self._add_axes(ax)

    def add_subplot(self, *args, **kwargs):
        args = args or (1, 1, 1)
        if len(args) == 1 and isinstance(args[0], SubplotSpec):
            return self._at(args[0], kwargs)
        if len(args) == 1:
            args = tuple([int(c) for c in str(args[0])])
        rows, columns, index = args
        first, last = (index, index) if isinstance(index, int) else index
        if not 1 <= first <= last <= rows * columns:
            raise ValueError(f"num must be an integer with 1 <= num <= {rows * columns}, not {index}")
        return self._at(GridSpec(rows, columns)[first - 1:last] if first != last else GridSpec(rows, columns)[first - 1], kwargs)

    def add_axes(self, rect, **kwargs):
        if isinstance(rect, Axes):
            return self._add_axes(rect)
        ax = _kind(kwargs)(self, tuple(rect), kwargs.pop("frameon", True), kwargs.pop("facecolor", None))
        return self._add_axes(ax).set(**{k: v for k, v in kwargs.items() if k != "label"})

    def add_gridspec(self, nrows=1, ncols=1, **kwargs):
        return GridSpec(nrows, ncols, self, **kwargs)

    def subplots(self, nrows=1, ncols=1, *, sharex=False, sharey=False, squeeze=True, width_ratios=None, height_ratios=None,
                 subplot_kw=None, gridspec_kw=None):
        g = dict(gridspec_kw or {})
        grid = GridSpec(nrows, ncols, self, width_ratios=width_ratios or g.pop("width_ratios", None),
                        height_ratios=height_ratios or g.pop("height_ratios", None), **g)
        made = [[self._at(grid[r, c], dict(subplot_kw or {})) for c in range(ncols)] for r in range(nrows)]
        for axis, how in (("x", sharex), ("y", sharey)):
            groups = {True: [[a for row in made for a in row]], "all": [[a for row in made for a in row]], "row": made,
                      "col": [[made[r][c] for r in range(nrows)] for c in range(ncols)]}.get(how, [])
            for group in groups:
                share(group, axis)
        for row in made:
            for a in row:
                if sharex in (True, "all", "col") and a._cells[1] < nrows:
                    a.xaxis.show_labels = False
                if sharey in (True, "all", "row") and a._cells[2] > 0:
                    a.yaxis.show_labels = False
        if squeeze and nrows == ncols == 1:
            return made[0][0]
        a = _np.array(made, dtype=object)
        if squeeze and (nrows == 1 or ncols == 1):
            a = a.reshape(-1)
        return a

    def subplot_mosaic(self, mosaic, *, sharex=False, sharey=False, width_ratios=None, height_ratios=None, empty_sentinel=".", subplot_kw=None,
                       per_subplot_kw=None, gridspec_kw=None):
        if isinstance(mosaic, str):
            mosaic = [list(line.strip()) for line in mosaic.strip("\n").replace(";", "\n").split("\n")]
        rows, g = [list(r) for r in mosaic], dict(gridspec_kw or {})
        if len(set([len(r) for r in rows])) != 1:
            raise ValueError("All of the rows must be the same length")
        if any([isinstance(c, list) for r in rows for c in r]):
            raise NotImplementedError("subplot_mosaic: one grid")
        grid = GridSpec(len(rows), len(rows[0]), self, width_ratios=width_ratios or g.pop("width_ratios", None),
                        height_ratios=height_ratios or g.pop("height_ratios", None), **g)
        made = {}
        for name in dict.fromkeys([c for r in rows for c in r if c != empty_sentinel]):
            cells = [(i, j) for i, r in enumerate(rows) for j, c in enumerate(r) if c == name]
            r0, r1, c0, c1 = min([i for i, _ in cells]), max([i for i, _ in cells]) + 1, min([j for _, j in cells]), max([j for _, j in cells]) + 1
            if len(cells) != (r1 - r0) * (c1 - c0):
                raise ValueError(f"While trying to layout\n{mosaic!r}\nwe found that the label {name!r} specifies a non-rectangular or non-contiguous area.")
            made[name] = self._at(grid[r0:r1, c0:c1], {**(subplot_kw or {}), **(per_subplot_kw or {}).get(name, {})})
            made[name].set_label(name)
        for axis, how in (("x", sharex), ("y", sharey)):
            if how:
                share(list(made.values()), axis)
        return made

    def gca(self):
        return self._now if self._now is not None else self.add_subplot(1, 1, 1)

    def sca(self, ax):
        self._now = ax

    def delaxes(self, ax):
        self.axes.remove(ax)
        if self._now is ax:
            self._now = self.axes[-1] if self.axes else None

    # ---- words and places

    def suptitle(self, t, *, fontsize=None, y=0.98, x=0.5, **kwargs):
        self._title = (str(t), points(fontsize or kwargs.get("size") or rcParams["figure.titlesize"]), x, y)

    def text(self, x, y, s, *, fontsize=None, ha="left", va="baseline", color="black", rotation=0, **kwargs):
        self._texts.append((x, y, str(s), points(fontsize or kwargs.get("size", 10)), ha, va, color, {"vertical": 90}.get(rotation, rotation)))

    def supxlabel(self, t, **kwargs):
        self.text(0.5, 0.02, t, fontsize=12, ha="center", va="bottom", **kwargs)

    def supylabel(self, t, **kwargs):
        self.text(0.03, 0.5, t, fontsize=12, ha="center", va="center", rotation=90, **kwargs)

    def legend(self, *args, **kwargs):
        return self.gca().legend(*args, **kwargs)

    def subplots_adjust(self, **kwargs):
        self._params.update({k: v for k, v in kwargs.items() if v is not None})
        self._place()

    def _place(self):
        # cells of grids; then bars, each of which takes its room from its owner, in the order they were made; then twins
        for a in self.axes:
            if hasattr(a, "_spec"):
                a.rect = a._spec.grid.rect(a._spec.rows, a._spec.columns, self._params)
        for a in self.axes:
            if a._bar is not None and (hasattr(a._bar[0], "_spec") or not a.rect):
                owner, fraction, pad, shrink, side, aspect = a._bar
                (l, b, w, h), ratio = owner.rect, self.size[1] / self.size[0]
                if side in ("left", "right"):
                    beside = 18 / 72 / self.size[0] if side == "right" and hasattr(owner, "zaxis") else 0  # the numbers of z stand there
                    room, at = w * (1 - fraction - pad) - beside, l + w * (1 - fraction) if side == "right" else l
                    owner.rect = (l if side == "right" else l + w * (fraction + pad), b, room, h)
                    thick = w * fraction if aspect is None else min(w * fraction, h * shrink * ratio / aspect)
                    a.rect = (at if side == "right" else l + w * fraction - thick, b + h * (1 - shrink) / 2, thick, h * shrink)
                else:
                    room, at = h * (1 - fraction - pad), b + h * (1 - fraction) if side == "top" else b
                    owner.rect = (l, b if side == "top" else b + h * (fraction + pad), w, room)
                    thick = h * fraction if aspect is None else min(h * fraction, w * shrink / ratio / aspect)
                    a.rect = (l + w * (1 - shrink) / 2, at if side == "top" else b + h * fraction - thick, w * shrink, thick)
        for a in self.axes:
            if a._twin is not None:
                a.rect = a._twin.rect
            if a._inside is not None:
                (l, b, w, h), (x, y, dx, dy) = a._inside[0].rect, a._inside[1]
                a.rect = (l + x * w, b + y * h, dx * w, dy * h)

    def tight_layout(self, *, pad=1.08, h_pad=None, w_pad=None, rect=None):
        self._fit, self._pad, self._rect = True, (pad, h_pad, w_pad), rect or (0, 0, 1, 1)

    _pad, _rect = (1.08, None, None), (0, 0, 1, 1)

    def set_tight_layout(self, tight):
        self._fit = bool(tight)

    set_layout_engine = set_tight_layout

    def _tighten(self):
        # room for what stands around the axes, the same for all of them
        w, h = self.size[0] * 72, self.size[1] * 72
        pad = self._pad[0] * rcParams["font.size"]
        left = right = top = bottom = 0.0
        grid = None
        for a in self.axes:
            if a._on and not hasattr(a, "_spec") and (a._twin is not None or a._bar is not None):
                # of a bar, what stands over the room that it has
                spare = 0 if a._bar is None else a._beside(a.yaxis) if a._bar[4] != "right" else (a._bar[1] * a._bar[0].rect[2] / (1 - a._bar[1] - a._bar[2]) - a.rect[2]) * w
                right = max(right, a._beside(a.yaxis) - spare)
            if a._on and a._twin is not None and a.xaxis.top and a.xaxis.visible:
                top = max(top, 20 + (points(a.xaxis.label_size or 10) * 1.5 if a.xaxis.label else 0))
            if not hasattr(a, "_spec"):
                continue
            grid = a._spec.grid
            if a._on:
                left, right = max(left, a._beside(a.yaxis)), max(right, 4)
                bottom = max(bottom, 7 + (a._below(a.xaxis) if a.xaxis.show_labels else 0) + (points(a.xaxis.label_size or 10) * 1.5 if a.xaxis.label else 0))
            if a.get_title():
                top = max(top, 6 + a._titles["center"][1] * 1.2 * (a.get_title().count("\n") + 1))
        if grid is None:
            return
        head = self._title[1] * 1.6 if self._title else 0
        x0, y0, x1, y1 = self._rect
        p = self._params
        p["left"], p["right"] = (x0 * w + pad + left) / w, (x1 * w - pad - right) / w
        p["bottom"], p["top"] = (y0 * h + pad + bottom) / h, (y1 * h - pad - top - head) / h
        if p["right"] > p["left"] and p["top"] > p["bottom"]:
            gx, gy = (left + right + pad) / w, (top + bottom + pad) / h
            cw, ch = (p["right"] - p["left"] - gx * (grid.ncols - 1)) / grid.ncols, (p["top"] - p["bottom"] - gy * (grid.nrows - 1)) / grid.nrows
            p["wspace"], p["hspace"] = gx / max(cw, 1e-3), gy / max(ch, 1e-3)
            self._place()

    def autofmt_xdate(self, bottom=0.2, rotation=30, ha="right"):
        for a in self.axes:
            a.xaxis.rotation = rotation
        self.subplots_adjust(bottom=bottom)

    def colorbar(self, mappable=None, cax=None, ax=None, *, orientation="vertical", fraction=0.15, pad=None, shrink=1.0, label="",
                 ticks=None, aspect=20, location=None, format=None, **kwargs):
        mappable = mappable if mappable is not None else self._mappable
        if mappable is None:
            raise RuntimeError("No mappable was found to use for colorbar creation.")
        if orientation not in ("vertical", "horizontal"):
            raise ValueError(f"{orientation!r} is not a valid value for orientation; supported values are 'vertical', 'horizontal'")
        side = location or ("bottom" if orientation == "horizontal" else "right")
        flat, pad = side in ("top", "bottom") or orientation == "horizontal", pad if pad is not None else 0.15 if side == "bottom" else 0.05
        if cax is None:
            owner = ax if ax is not None else getattr(mappable, "axes", None) or self.gca()
            owners = list(owner.reshape(-1)) if hasattr(owner, "reshape") else list(owner) if isinstance(owner, (list, tuple)) else [owner]
            cax = self._bar_axes(owners if len(owners) > 1 else owners[0], side, fraction, pad, shrink, aspect, {})
        low, high = mappable.norm.vmin, mappable.norm.vmax
        low, high = 0.0 if low is None else low, 1.0 if high is None else high  # of no numbers
        log = type(mappable.norm).__name__ == "LogNorm"
        row = _np.linspace(0, 1, 256)
        if hasattr(mappable, "levels") and isinstance(mappable, AxesImage):  # bands, each of the color in its middle
            ends = _np.array(mappable.levels)
            k = _np.clip(_np.searchsorted(ends, low + row * (high - low), side="right") - 1, 0, len(ends) - 2)
            row = (((ends[:-1] + ends[1:]) / 2)[k] - low) / (high - low)
            ticks = ticks if ticks is not None else ends[len(ends) % 2 if len(ends) > 9 else 0::2 if len(ends) > 9 else 1].tolist()
        image = cax.imshow(row[None] if flat else row[:, None], cmap=mappable.cmap, vmin=0, vmax=1, origin="lower",
                           extent=(low, high, 0, 1) if flat else (0, 1, low, high), aspect="auto")
        image.norm.vmin, image.norm.vmax = 0, 1
        (along, across) = (cax.xaxis, cax.yaxis) if flat else (cax.yaxis, cax.xaxis)
        along.scale = "log" if log else "linear"
        across.set_ticks([])
        along.right, along.top = side == "right", side == "top"
        (cax.set_xlabel if flat else cax.set_ylabel)(label)
        if ticks is not None:
            along.set_ticks(ticks)
        if format is not None:
            along.set_major_formatter(format if callable(format) else lambda v, i: format % v if "%" in format else format.format(x=v))
        cax._along = along
        bar = _Colorbar(cax, mappable)
        self._mappable = mappable
        return bar

    def _bar_axes(self, owner, side, fraction, pad, shrink, aspect, options):
        # new axes on room that is taken from one, or, from all of a figure, from several
        now = self._now
        made = self._add_axes(Axes(self, (0, 0, 1, 1)))
        self._now = now
        if not isinstance(owner, list):
            made._bar = (owner, fraction, pad, shrink, side, aspect)
            self._place()
            return made.set(**options)
        left, right = min([a.rect[0] for a in owner]), max([a.rect[0] + a.rect[2] for a in owner])
        low, high = min([a.rect[1] for a in owner]), max([a.rect[1] + a.rect[3] for a in owner])
        w, h = right - left, high - low
        if side in ("left", "right"):
            self.subplots_adjust(**{side: right - w * (fraction + pad) if side == "right" else left + w * (fraction + pad)})
            thick = min(w * fraction, h * shrink / aspect * self.size[1] / self.size[0])
            made.rect = (right - w * fraction if side == "right" else left, low + h * (1 - shrink) / 2, thick, h * shrink)
        else:
            self.subplots_adjust(**{side: high - h * (fraction + pad) if side == "top" else low + h * (fraction + pad)})
            thick = min(h * fraction, w * shrink / aspect * self.size[0] / self.size[1])
            made.rect = (left + w * (1 - shrink) / 2, high - h * fraction if side == "top" else low + h * fraction - thick, w * shrink, thick)
        return made

    # ---- sizes

    def __str__(self):
        return "Figure(%gx%g)" % tuple(n * self.dpi for n in self.size)

    def set_size_inches(self, w, h=None, forward=True):
        self.size = (w, h) if h is not None else tuple(w)

    def get_size_inches(self):
        return _np.array(self.size)

    def set_dpi(self, val):
        self.dpi = val

    def set_facecolor(self, color):
        self.facecolor = color

    def set_figwidth(self, val):
        self.size = (val, self.size[1])

    def set_figheight(self, val):
        self.size = (self.size[0], val)

    @property
    def patch(self):
        return self

    def show(self, warn=True):
        pass

    # ---- drawing

    def _drawn(self, format, dpi):
        if self._fit:
            self._tighten()
        for a in self.axes:
            if a._bar is not None and a._bar[5] is None:  # of a divider: beside what the aspect leaves of its owner
                owner, fraction, pad, _, side, _ = a._bar
                p, gap = owner.get_position(), pad / (1 - fraction - pad)
                a.rect = ((p.x1 + gap * owner.rect[2], p.y0, a.rect[2], p.height) if side == "right" else
                          (p.x0, p.y0 - gap * owner.rect[3] - a.rect[3], p.width, a.rect[3]))
        canvas = _canvas.KINDS[format](self.size[0], self.size[1], dpi, to_rgba(self.facecolor))
        w, h = self.size[0] * 72, self.size[1] * 72
        for a in self.axes:
            a.draw(canvas, w, h)
        if self._title:
            canvas.text(self._title[2] * w, (1 - self._title[3]) * h, plain(self._title[0]), self._title[1], to_rgba(rcParams["text.color"]), "center", "top")
        for x, y, s, size, ha, va, color, angle in self._texts:
            canvas.text(x * w, (1 - y) * h, plain(s), size, to_rgba(color), ha, va, angle)
        return canvas

    def savefig(self, fname, *, dpi=None, format=None, bbox_inches=None, pad_inches=0.1, transparent=False, facecolor=None, **kwargs):
        if format is None:
            name = fname if not hasattr(fname, "write") else ""
            format = _os.path.splitext(_os.fspath(name))[1][1:].lower() if name else "png"
            if format == "" and name:
                format, fname = "png", _os.fspath(fname) + ".png"
        if format not in _canvas.KINDS:
            raise ValueError(f"Format {format!r} is not supported (supported formats: {', '.join(sorted(_canvas.KINDS))})")
        dpi = dpi or rcParams["savefig.dpi"]
        dpi = self.dpi if dpi == "figure" else dpi
        before, self.facecolor = self.facecolor, facecolor if facecolor not in (None, "auto") else self.facecolor
        if bbox_inches == "tight" and not self._fit and len(self.axes) == 1:
            pass        # the page keeps its size: what stands around one plot is inside it
        try:
            self._drawn(format, dpi).save(fname, format)
        finally:
            self.facecolor = before


class _Colorbar:
    def __init__(self, ax, mappable):
        self.ax, self.mappable, self.orientation = ax, mappable, "horizontal" if ax._along is ax.xaxis else "vertical"

    def set_label(self, label, **kwargs):
        (self.ax.set_xlabel if self.ax._along is self.ax.xaxis else self.ax.set_ylabel)(label, **kwargs)

    def set_ticks(self, ticks, labels=None):
        self.ax._along.set_ticks(ticks, labels)

    def set_ticklabels(self, labels):
        self.ax._along.set_ticklabels(labels)

    def update_normal(self, mappable=None):
        pass


def _kind(kwargs):
    # the class of axes that options ask for
    projection = "polar" if kwargs.pop("polar", False) else kwargs.pop("projection", None) or "rectilinear"
    if projection == "3d":
        from matplotlib._space import Axes3D
        return Axes3D
    if projection == "polar":
        from matplotlib._polar import PolarAxes
        return PolarAxes
    if projection != "rectilinear":
        raise ValueError(f"Unknown projection {projection!r}; '3d', 'polar' and 'rectilinear' are here")
    return Axes


def share(group, axis):
    for a in group:
        a._shared.setdefault(axis, [])
        a._shared[axis] += [b for b in group if b is not a]
