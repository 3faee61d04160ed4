# matplotlib._plots -- the plotting functions of Axes: data to artists.
import math as _math

import numpy as _np
from matplotlib import _ticks, points, rcParams
from matplotlib.artists import AxesImage, Line2D, MARKERS, PathCollection, Polygon, Segments, Text
from matplotlib.colors import BASE_COLORS, Normalize, is_color_like

_SHORT = {"c": "color", "lw": "linewidth", "ls": "linestyle", "ms": "markersize", "mfc": "markerfacecolor", "mec": "markeredgecolor",
          "mew": "markeredgewidth", "ec": "edgecolor", "fc": "facecolor", "linewidths": "linewidth", "linestyles": "linestyle",
          "edgecolors": "edgecolor", "facecolors": "facecolor", "colors": "color"}


def _long(kwargs):
    return {_SHORT.get(k, k): v for k, v in kwargs.items()}


def _array(x):
    if hasattr(x, "detach"):
        x = x.detach().cpu().numpy()
    if isinstance(x, (list, tuple)) and x and hasattr(x[0], "detach"):
        x = [v.detach().cpu().numpy() for v in x]
    return _np.asarray(x) if not hasattr(x, "keys") else _np.asarray(list(x))


def parse(fmt):
    # "r--o": color, line, marker
    out, rest = {}, fmt
    for style in ("--", "-.", "-", ":"):
        if style in rest and "linestyle" not in out:
            out["linestyle"] = style
            rest = rest.replace(style, "", 1)
    if len(rest) == 2 and rest[0] == "C" and rest[1].isdigit():
        return dict(out, color=rest)
    if rest and is_color_like(rest) and rest not in MARKERS and len(rest) > 1:
        return dict(out, color=rest)
    i = 0
    while i < len(rest):
        ch = rest[i]
        if ch == "C" and i + 1 < len(rest) and rest[i + 1].isdigit():
            out["color"] = rest[i:i + 2]
            i += 1
        elif ch in BASE_COLORS and "color" not in out:
            out["color"] = ch
        elif ch in MARKERS and "marker" not in out:
            out["marker"] = ch
        else:
            raise ValueError(f"{fmt!r} is not a valid format string (unrecognized character {ch!r})")
        i += 1
    return out


class BarContainer(tuple):
    label = ""

    def get_label(self):
        return self.label

    @property
    def patches(self):
        return list(self)


class ErrorbarContainer(tuple):
    pass


class Plots:
    def _data(self, axis, values):
        a = values
        if isinstance(a, str):
            a = [a]
        if hasattr(a, "dtype") and getattr(a.dtype, "kind", "") == "M":
            a = a.astype("datetime64[s]").tolist()
        if hasattr(a, "toordinal"):
            a = [a]
        if isinstance(a, (list, tuple)) and a and hasattr(a[0], "toordinal") or hasattr(a, "dtype") and getattr(a, "size", 0) and hasattr(a.reshape(-1)[0], "toordinal"):
            axis.times = True
            return _np.array([_ticks.days(v) for v in a])
        if isinstance(a, (list, tuple)) and a and isinstance(a[0], str):
            return _np.array(axis.categories(list(a)))
        a = _array(a)
        return _np.asarray(a, dtype=float)

    # ---- lines

    def plot(self, *args, scalex=True, scaley=True, data=None, **kwargs):
        if data is not None:
            args = [data[a] if isinstance(a, str) and a in data else a for a in args]
        args, out = list(args), []
        options = _long(kwargs)
        label = options.pop("label", "")
        while args:
            first = args.pop(0)
            if args and not (isinstance(args[0], str)):
                x, y = self._data(self.xaxis, first), self._data(self.yaxis, args.pop(0))
            elif args and isinstance(args[0], str) and isinstance(first, (list, tuple)) and first and isinstance(first[0], str):
                x, y = self._data(self.xaxis, first), self._data(self.yaxis, args.pop(0))
            else:
                y = self._data(self.yaxis, first)
                x = _np.arange(y.shape[0] if y.ndim else 1, dtype=float)
            style = parse(args.pop(0)) if args and isinstance(args[0], str) else {}
            if "marker" in style and "linestyle" not in style:
                style["linestyle"] = "None"
            x, y = (x.reshape(1) if x.ndim == 0 else x), (y.reshape(1) if y.ndim == 0 else y)
            if x.shape[0] != y.shape[0]:
                raise ValueError(f"x and y must have same first dimension, but have shapes {x.shape} and {y.shape}")
            for i in range(max(y.shape[1] if y.ndim == 2 else 1, x.shape[1] if x.ndim == 2 else 1)):
                one = dict(style, **options)
                if one.get("color") is None:
                    one["color"] = self._next_color()
                name = label[i] if isinstance(label, (list, tuple)) and i < len(label) else label
                line = Line2D(x[:, min(i, x.shape[1] - 1)] if x.ndim == 2 else x, y[:, min(i, y.shape[1] - 1)] if y.ndim == 2 else y,
                              label=name, **{k: v for k, v in one.items() if k in _LINE})
                _unknown(one, _LINE)
                out.append(self._add(line, self.lines))
        return out

    def _with(self, x, y, args, kwargs):
        if x:
            self.set_xscale("log")
        if y:
            self.set_yscale("log")
        return self.plot(*args, **kwargs)

    def loglog(self, *args, **kwargs):
        return self._with(True, True, args, kwargs)

    def semilogx(self, *args, **kwargs):
        return self._with(True, False, args, kwargs)

    def semilogy(self, *args, **kwargs):
        return self._with(False, True, args, kwargs)

    def step(self, x, y, *args, where="pre", **kwargs):
        return self.plot(x, y, *args, drawstyle="steps-" + where, **kwargs)

    def _across(self, horizontal, value, low, high, kwargs):
        k = _long(kwargs)
        line = self._add(_Across(horizontal, float(value), low, high, k.get("color", "C0"), k.get("linewidth", rcParams["lines.linewidth"]),
                                 k.get("linestyle", "-"), k.get("alpha"), k.get("label", "")), self.lines)
        return line

    def axhline(self, y=0, xmin=0, xmax=1, **kwargs):
        return self._across(True, y, xmin, xmax, kwargs)

    def axvline(self, x=0, ymin=0, ymax=1, **kwargs):
        return self._across(False, x, ymin, ymax, kwargs)

    def axhspan(self, ymin, ymax, xmin=0, xmax=1, **kwargs):
        k = _long(kwargs)
        return self._add(_Span(True, ymin, ymax, xmin, xmax, k.get("facecolor", k.get("color", "C0")), k.get("alpha"), k.get("label", "")),
                         self.patches)

    def axvspan(self, xmin, xmax, ymin=0, ymax=1, **kwargs):
        k = _long(kwargs)
        return self._add(_Span(False, xmin, xmax, ymin, ymax, k.get("facecolor", k.get("color", "C0")), k.get("alpha"), k.get("label", "")),
                         self.patches)

    def _segments(self, parts, kwargs):
        k = _long(kwargs)
        return self._add(Segments(parts, k.get("color", "C0"), k.get("linewidth", rcParams["lines.linewidth"]), k.get("linestyle", "solid"),
                                  k.get("alpha"), k.get("label", "")), self.collections)

    def hlines(self, y, xmin, xmax, colors=None, linestyles="solid", label="", **kwargs):
        ys, a, b = [_np.asarray(v, dtype=float).reshape(-1) for v in _np.broadcast_arrays(_array(y), _array(xmin), _array(xmax))]
        kwargs.update(color=colors or kwargs.pop("color", "C0"), linestyle=linestyles, label=label)
        return self._segments([([p, q], [v, v]) for v, p, q in zip(ys.tolist(), a.tolist(), b.tolist())], kwargs)

    def vlines(self, x, ymin, ymax, colors=None, linestyles="solid", label="", **kwargs):
        xs, a, b = [_np.asarray(v, dtype=float).reshape(-1) for v in _np.broadcast_arrays(_array(x), _array(ymin), _array(ymax))]
        kwargs.update(color=colors or kwargs.pop("color", "C0"), linestyle=linestyles, label=label)
        return self._segments([([v, v], [p, q]) for v, p, q in zip(xs.tolist(), a.tolist(), b.tolist())], kwargs)

    def stem(self, *args, linefmt=None, markerfmt=None, basefmt=None, bottom=0, label=None):
        y = self._data(self.yaxis, args[-1])
        x = self._data(self.xaxis, args[0]) if len(args) > 1 else _np.arange(len(y), dtype=float)
        color = parse(linefmt or "C0-").get("color", "C0")
        self.vlines(x, bottom, y, colors=color)
        self.plot([float(x.min()), float(x.max())], [bottom, bottom], basefmt or "C3-")
        return self.plot(x, y, markerfmt or "C0o", label=label or "")

    def errorbar(self, x, y, yerr=None, xerr=None, fmt="", ecolor=None, elinewidth=None, capsize=0, **kwargs):
        k = _long(kwargs)
        x, y = self._data(self.xaxis, x).reshape(-1), self._data(self.yaxis, y).reshape(-1)
        color = k.pop("color", None) or parse(fmt).get("color") if fmt not in ("", "none", "None") else k.pop("color", None)
        color = color or (self._next_color() if ecolor is None or fmt not in ("none", "None") else ecolor)
        lines = [] if fmt in ("none", "None") else self.plot(x, y, *([fmt] if fmt else []), **dict(k, color=color))
        bars, width = [], elinewidth or k.get("linewidth", rcParams["lines.linewidth"])
        for err, upright in ((yerr, True), (xerr, False)):
            if err is None:
                continue
            e = _np.asarray(_array(err), dtype=float)
            low, high = (e[0], e[1]) if e.ndim == 2 else (e + 0 * y, e + 0 * y)
            mid, other = (y, x) if upright else (x, y)
            a, b, o = (mid - low).tolist(), (mid + high).tolist(), other.tolist()
            parts = [([q, q], [p, r]) if upright else ([p, r], [q, q]) for p, r, q in zip(a, b, o)]
            bars.append(self._segments(parts, {"color": ecolor or color, "linewidth": width}))
            if capsize:
                ends = [float(v) for v in a + b]
                xs, ys = (o + o, ends) if upright else (ends, o + o)
                self.plot(xs, ys, color=ecolor or color, linestyle="None", marker="_" if upright else "|", markersize=2 * capsize)
        return ErrorbarContainer((lines[0] if lines else None, (), tuple(bars)))

    # ---- points

    def scatter(self, x, y, s=None, c=None, marker=None, cmap=None, norm=None, vmin=None, vmax=None, alpha=None, linewidths=None,
                *, edgecolors=None, label="", **kwargs):
        k = _long(kwargs)
        x, y = self._data(self.xaxis, x).reshape(-1), self._data(self.yaxis, y).reshape(-1)
        if x.size != y.size:
            raise ValueError("x and y must be the same size")
        sizes = [rcParams["lines.markersize"] ** 2] if s is None else _np.asarray(_array(s), dtype=float).reshape(-1).tolist()
        c = k.get("color", k.get("facecolor")) if c is None else c
        colors, array = None, None
        if c is None:
            colors = [self._next_color("fills")]
        elif isinstance(c, str):
            colors = [c]
        elif isinstance(c, (list, tuple)) and c and (isinstance(c[0], str) or hasattr(c[0], "__len__")):
            colors = list(c)
        else:
            a = _np.asarray(_array(c), dtype=float)
            if a.ndim == 2 and a.shape[1] in (3, 4):
                colors = [tuple(v) for v in a.tolist()]
            elif a.size == x.size:
                array = a.reshape(-1)
            elif a.size in (3, 4):
                colors = [tuple(a.reshape(-1).tolist())]
            else:
                raise ValueError(f"'c' argument has {a.size} elements, which is inconsistent with 'x' and 'y' with size {x.size}.")
        norm = norm or Normalize(vmin, vmax)
        if array is not None:
            norm.autoscale_None(array)
        p = PathCollection(x, y, sizes, colors, marker or "o", alpha, label, norm, cmap, array, edgecolors or k.get("edgecolor"),
                           1.0 if linewidths is None else linewidths)
        self.figure._mappable = p
        return self._add(p, self.collections)

    # ---- areas

    def _bars(self, upright, at, length, thick, base, align, kwargs):
        k = _long(kwargs)
        label, yerr, xerr = k.pop("label", ""), k.pop("yerr", None), k.pop("xerr", None)
        capsize, ecolor, tick_label, log = k.pop("capsize", 0), k.pop("ecolor", "k"), k.pop("tick_label", None), k.pop("log", False)
        color = k.get("color", k.get("facecolor"))
        color = self._next_color("fills") if color is None else color
        colors = list(color) if isinstance(color, (list, tuple)) and color and (isinstance(color[0], str) or hasattr(color[0], "__len__")) else [color]
        if hasattr(color, "shape") and getattr(color, "ndim", 0) == 2:
            colors = [tuple(v) for v in color.tolist()]
        axis, other = (self.xaxis, self.yaxis) if upright else (self.yaxis, self.xaxis)
        at = self._data(axis, at).reshape(-1)
        at, length, thick, base = [_np.asarray(v, dtype=float).reshape(-1).tolist() for v in _np.broadcast_arrays(
            at, _np.asarray(_array(length), dtype=float), _array(thick), _array(base))]
        out, labels = [], label if isinstance(label, (list, tuple)) else [label] + ["_nolegend_"] * len(at)
        for i, (p, n, w, b) in enumerate(zip(at, length, thick, base)):
            a = p - w / 2 if align == "center" else p
            across, along = [a, a + w, a + w, a], [b, b, b + n, b + n]
            r = Polygon(across if upright else along, along if upright else across, colors[i % len(colors)], k.get("alpha"),
                        labels[i] if i < len(labels) else "", k.get("edgecolor"), k.get("linewidth") or (1.0 if k.get("edgecolor") else 0), (b,))
            r.sticky_axis = "y" if upright else "x"
            r.set_hatch(k["hatch"][i % len(k["hatch"])] if isinstance(k.get("hatch"), (list, tuple)) else k.get("hatch"))
            out.append(self._add(r, self.patches))
        if log:
            (self.set_yscale if upright else self.set_xscale)("log")
        if yerr is not None or xerr is not None:
            ends = [b + n for b, n in zip(base, length)]
            self.errorbar(at if upright else ends, ends if upright else at, yerr, xerr, fmt="none", ecolor=ecolor, capsize=capsize)
        if tick_label is not None:
            axis.set_ticks(at, [tick_label] * len(at) if isinstance(tick_label, str) else tick_label)
        made = BarContainer(out)
        made.label = label
        self.containers.append(made)
        return made

    def bar(self, x, height, width=0.8, bottom=0, *, align="center", **kwargs):
        return self._bars(True, x, height, width, 0 if bottom is None else bottom, align, kwargs)

    def barh(self, y, width, height=0.8, left=0, *, align="center", **kwargs):
        return self._bars(False, y, width, height, 0 if left is None else left, align, kwargs)

    def bar_label(self, container, labels=None, *, fmt="%g", label_type="edge", padding=0, **kwargs):
        if label_type not in ("edge", "center"):
            raise ValueError(f"{label_type!r} is not a valid value for label_type; supported values are 'edge', 'center'")
        out = []
        for i, r in enumerate(container):
            v, upright = (r.get_height(), True) if r.sticky_axis == "y" else (r.get_width(), False)
            low, high = (min(r.y), max(r.y)) if upright else (min(r.x), max(r.x))
            down = high <= r.sticky[0] < v + high
            v = -v if down else v
            text = labels[i] if labels is not None else fmt(v) if callable(fmt) else (fmt % v if "%" in fmt else fmt.format(v))
            mid, end = (low + high) / 2, low if down else high
            across = r.get_x() + r.get_width() / 2 if upright else r.get_y() + r.get_height() / 2
            edge, at = label_type == "edge", mid if label_type == "center" else end
            ha, va = ("center", "center" if not edge else "top" if down else "bottom") if upright else ("center" if not edge else "right" if down else "left", "center")
            made = self.text(*((across, at) if upright else (at, across)), text, **dict({"ha": ha, "va": va}, **kwargs))
            gap = (-padding if down else padding) if edge else 0
            made.shift = (0, gap) if upright else (gap, 0)
            out.append(made)
        return out

    def hist(self, x, bins=None, range=None, density=False, weights=None, cumulative=False, bottom=None, histtype="bar",
             align="mid", orientation="vertical", rwidth=None, log=False, color=None, label=None, stacked=False, **kwargs):
        if histtype not in ("bar", "barstacked", "step", "stepfilled"):
            raise ValueError(f"{histtype!r} is not a valid value for histtype")
        several = isinstance(x, (list, tuple)) and len(x) > 0 and hasattr(x[0], "__len__") and not isinstance(x[0], str)
        sets = [_np.asarray(_array(v), dtype=float).reshape(-1) for v in (x if several else [x])]
        a = _array(x) if not several else None
        if a is not None and a.ndim == 2:
            sets = [_np.asarray(a[:, i], dtype=float) for i in builtins_range(a.shape[1])]
        every = _np.concatenate(sets)
        edges = _np.histogram_bin_edges(every[_np.isfinite(every)], 10 if bins is None else bins, range)
        ws = [None] * len(sets) if weights is None else ([_array(weights)] if len(sets) == 1 else [_array(w) for w in weights])
        counts = [_np.histogram(s, edges, density=density and not stacked, weights=w)[0].astype(float) for s, w in zip(sets, ws)]
        if cumulative:
            counts = [_np.cumsum(c * _np.diff(edges) if density else c) for c in counts]
        widths = _np.diff(edges)
        n, patches, base = len(sets), [], _np.zeros(len(widths)) if bottom is None else _np.zeros(len(widths)) + bottom
        upright = orientation == "vertical"
        shift = {"mid": 0.0, "left": -0.5, "right": 0.5}[align]
        for i, c in enumerate(counts):
            col = color[i] if isinstance(color, (list, tuple)) and n > 1 else color
            name = label[i] if isinstance(label, (list, tuple)) else label if i == 0 or n == 1 else ""
            if histtype.startswith("step"):
                ex = _np.repeat(edges, 2)
                ey = _np.concatenate([[0.0], _np.repeat(c, 2), [0.0]]) + (base[0] if bottom is not None else 0)
                xs, ys = (ex, ey) if upright else (ey, ex)
                if histtype == "step":
                    patches.append(self.plot(xs, ys, color=col or self._next_color(), label=name or "",
                                             **{k: v for k, v in _long(kwargs).items() if k in _LINE}))
                else:
                    patches.append(self.fill(xs, ys, color=col or self._next_color(), label=name or "", alpha=kwargs.get("alpha")))
                continue
            stack = stacked or histtype == "barstacked"
            total = (rwidth or (1.0 if n == 1 or stack else 0.8)) * widths
            w = total if stack or n == 1 else total / n
            at = edges[:-1] + shift * widths + (widths - total) / 2 + (0 if stack or n == 1 else i * w)
            patches.append((self.bar if upright else self.barh)(at, c, w, base, align="edge", color=col or self._next_color(),
                                                                label=name or "", **kwargs))
            if stack:
                base = base + c
        if log:
            (self.set_yscale if upright else self.set_xscale)("log")
        return (counts[0], edges, patches[0]) if n == 1 else (_np.array(counts), edges, patches)

    def fill_between(self, x, y1, y2=0, where=None, interpolate=False, step=None, **kwargs):
        return self._filled(True, x, y1, y2, where, interpolate, step, kwargs)

    def fill_betweenx(self, y, x1, x2=0, where=None, step=None, interpolate=False, **kwargs):
        return self._filled(False, y, x1, x2, where, interpolate, step, kwargs)

    def _filled(self, upright, along, one, two, where, interpolate, step, kwargs):
        k = _long(kwargs)
        t = self._data(self.xaxis if upright else self.yaxis, along).reshape(-1)
        a, b = [(_np.asarray(_array(v), dtype=float) + 0 * t).tolist() for v in (one, two)]
        t, color = t.tolist(), k.get("facecolor", k.get("color")) or self._next_color("fills")
        keep = [True] * len(t) if where is None else _array(where).tolist()

        def crossing(i, j):
            # where the two lines meet between two points
            d, e = a[i] - b[i], a[j] - b[j]
            s = d / (d - e) if d != e and d * e <= 0 else 0.0 if abs(d) <= abs(e) else 1.0
            m = a[i] + (a[j] - a[i]) * s
            return t[i] + (t[j] - t[i]) * s, m, m
        out, start = None, None
        for i in builtins_range(len(t) + 1):
            on = i < len(t) and keep[i]
            if on and start is None:
                start = i
            elif not on and start is not None:
                part = [(t[j], a[j], b[j]) for j in builtins_range(start, i)]
                if interpolate and start > 0:
                    part.insert(0, crossing(start - 1, start))
                if interpolate and i < len(t):
                    part.append(crossing(i - 1, i))
                part = _stepped(part, step) if step is not None else part
                ts = [p[0] for p in part] + [p[0] for p in part[::-1]]
                vs = [p[1] for p in part] + [p[2] for p in part[::-1]]
                out = self._add(Polygon(*((ts, vs) if upright else (vs, ts)), color, k.get("alpha"), k.get("label", "") if out is None else "",
                                        k.get("edgecolor"), k.get("linewidth", 0)), self.collections)
                start = None
        return out

    def eventplot(self, positions, orientation="horizontal", lineoffsets=1, linelengths=1, linewidths=None, colors=None, alpha=None, linestyles="solid", **kwargs):
        if kwargs:
            raise NotImplementedError("eventplot: " + ", ".join(kwargs))
        several = len(positions) > 0 and hasattr(positions[0], "__len__")
        rows, out = [_np.asarray(_array(p), dtype=float).tolist() for p in (positions if several else [positions])], []

        def of(v, i):
            return v[i % len(v)] if hasattr(v, "__len__") and not isinstance(v, str) else v
        for i, row in enumerate(rows):
            mid, half = lineoffsets * i if several and len(rows) > 1 and isinstance(lineoffsets, (int, float)) else of(lineoffsets, i), of(linelengths, i) / 2
            parts = [([p, p], [mid - half, mid + half]) for p in row]
            parts = parts if orientation == "horizontal" else [(b, a) for a, b in parts]
            width = of(linewidths, i)
            out.append(self._segments(parts, {"color": of(colors, i) or "C0", "linewidth": rcParams["lines.linewidth"] if width is None else width,
                                              "linestyle": of(linestyles, i), "alpha": alpha}))
        return out

    def fill(self, *args, **kwargs):
        k, out = _long(kwargs), []
        for i in builtins_range(0, len(args) - 1, 2):
            color = k.get("facecolor", k.get("color")) or self._next_color("fills")
            out.append(self._add(Polygon(_array(args[i]).tolist(), _array(args[i + 1]).tolist(), color, k.get("alpha"), k.get("label", ""),
                                         k.get("edgecolor"), k.get("linewidth", 0)), self.patches))
        return out

    def stackplot(self, x, *args, labels=(), colors=None, **kwargs):
        ys = _np.asarray(_array(args[0] if len(args) == 1 else list(args)), dtype=float)
        top, out = _np.cumsum(ys, axis=0), []
        for i in builtins_range(len(ys)):
            out.append(self.fill_between(x, top[i], top[i - 1] if i else 0, color=colors[i] if colors else self._next_color(),
                                         label=labels[i] if i < len(labels) else "", **kwargs))
        return out

    def pie(self, x, explode=None, labels=None, colors=None, autopct=None, pctdistance=0.6, shadow=False, labeldistance=1.1,
            startangle=0, radius=1, counterclock=True, wedgeprops=None, textprops=None, center=(0, 0), frame=False, rotatelabels=False, normalize=True, hatch=None):
        if frame or rotatelabels or hatch is not None:
            raise NotImplementedError("pie: frame, rotatelabels and hatch")
        x, look, words = _np.asarray(_array(x), dtype=float), _long(wedgeprops or {}), dict(textprops or {})
        if not normalize and float(x.sum()) > 1:
            raise ValueError("Cannot plot an unnormalized pie with sum(x) > 1")
        shares, at, wedges, texts, autos = x / float(x.sum()) if normalize else x, startangle / 360.0, [], [], []
        for i, share in enumerate(shares.tolist()):
            end = at + (share if counterclock else -share)
            mid, off = _math.pi * (at + end), 0 if explode is None else explode[i]
            ox, oy = center[0] + off * _math.cos(mid), center[1] + off * _math.sin(mid)
            xy = _slice((ox, oy), radius, look.get("width"), 2 * _math.pi * at, 2 * _math.pi * end)
            if shadow:
                self._add(Polygon([p[0] - 0.02 for p in xy], [p[1] - 0.02 for p in xy], "0.3", 0.5), self.patches)
            wedge = Polygon([p[0] for p in xy], [p[1] for p in xy], colors[i % len(colors)] if colors is not None else self._next_color("fills"), look.get("alpha"),
                            str(labels[i]) if labels is not None else "", look.get("edgecolor"), look.get("linewidth", 1.0 if look.get("edgecolor") else 0.0))
            wedges.append(self._add(wedge, self.patches))
            if labels is not None and labeldistance is not None:
                texts.append(self.text(ox + labeldistance * radius * _math.cos(mid), oy + labeldistance * radius * _math.sin(mid), labels[i],
                                       **dict({"ha": "left" if _math.cos(mid) > 0 else "right", "va": "center"}, **words)))
            if autopct is not None:
                text = autopct(100 * share) if callable(autopct) else autopct % (100 * share)
                autos.append(self.text(ox + pctdistance * radius * _math.cos(mid), oy + pctdistance * radius * _math.sin(mid), text,
                                       **dict({"ha": "center", "va": "center"}, **words)))
            at = end
        self._aspect, self._on = 1.0, False
        self.set_xlim(center[0] - 1.25, center[0] + 1.25)
        self.set_ylim(center[1] - 1.25, center[1] + 1.25)
        return (wedges, texts) if autopct is None else (wedges, texts, autos)

    # ---- images

    def imshow(self, X, cmap=None, norm=None, *, aspect=None, interpolation=None, alpha=None, vmin=None, vmax=None, origin=None,
               extent=None, **kwargs):
        if kwargs:
            raise NotImplementedError("imshow: " + ", ".join(kwargs))
        smooth = ("bilinear", "bicubic", "gaussian", "lanczos", "spline16", "spline36", "hanning", "hamming", "quadric", "mitchell")  # all by straight lines
        if interpolation not in (None, "nearest", "none", "auto", "antialiased", "auto") + smooth:
            raise ValueError(f"{interpolation!r} is not a valid value for interpolation")
        a = _array(X)
        origin = origin or rcParams["image.origin"]
        h, w = a.shape[:2]
        if extent is None:
            extent = (-0.5, w - 0.5, h - 0.5, -0.5) if origin == "upper" else (-0.5, w - 0.5, -0.5, h - 0.5)
        image = self._add(AxesImage(a, tuple(extent), origin, norm or Normalize(vmin, vmax), cmap, alpha), self.images)
        image.smooth = interpolation in smooth
        self.set_xlim(extent[0], extent[1])
        self.set_ylim(extent[2], extent[3])
        self.set_aspect("equal" if aspect is None else aspect)
        self.figure._mappable = image
        return image

    def matshow(self, Z, **kwargs):
        return self.imshow(Z, **kwargs)

    def spy(self, Z, **kwargs):
        return self.imshow(_np.asarray(_array(Z) != 0, dtype=float), cmap="binary", **kwargs)

    def pcolormesh(self, *args, cmap=None, norm=None, vmin=None, vmax=None, alpha=None, shading=None, edgecolors=None, **kwargs):
        if kwargs:
            raise NotImplementedError("pcolormesh: " + ", ".join(kwargs))
        c = _np.asarray(_array(args[-1]), dtype=float)
        h, w = c.shape
        x0, x1, y0, y1 = 0.0, float(w), 0.0, float(h)
        if len(args) == 3:
            x, y = _np.asarray(_array(args[0]), dtype=float), _np.asarray(_array(args[1]), dtype=float)
            x, y = (x[0] if x.ndim == 2 else x), (y[:, 0] if y.ndim == 2 else y)
            if not _even(x) or not _even(y):
                return self._uneven(x, y, c, norm or Normalize(vmin, vmax), cmap, alpha, edgecolors)
            x0, x1, y0, y1 = float(x[0]), float(x[-1]), float(y[0]), float(y[-1])
            if len(x) == w and shading != "flat":
                x0, x1 = x0 - (x1 - x0) / max(w - 1, 1) / 2, x1 + (x1 - x0) / max(w - 1, 1) / 2
            if len(y) == h and shading != "flat":
                y0, y1 = y0 - (y1 - y0) / max(h - 1, 1) / 2, y1 + (y1 - y0) / max(h - 1, 1) / 2
        if edgecolors not in (None, "none", "face"):
            return self._uneven(_np.linspace(x0, x1, w + 1), _np.linspace(y0, y1, h + 1), c, norm or Normalize(vmin, vmax), cmap, alpha, edgecolors)
        image = self._add(AxesImage(c, (x0, x1, y0, y1), "lower", norm or Normalize(vmin, vmax), cmap, alpha), self.images)
        self.figure._mappable = image
        return image

    pcolor = pcolormesh

    def _uneven(self, x, y, c, norm, cmap, alpha, edgecolors):
        # cells of their own sizes, by their corners or, between them, their middles
        from matplotlib.collections import PolyCollection
        ends = []
        for v, n in ((x, c.shape[1]), (y, c.shape[0])):
            mid = (v[1:] + v[:-1]) / 2
            ends.append((v if len(v) == n + 1 else _np.concatenate([[2 * v[0] - mid[0]], mid, [2 * v[-1] - mid[-1]]])).tolist())
        xs, ys = ends
        if len(xs) != c.shape[1] + 1 or len(ys) != c.shape[0] + 1:
            raise TypeError(f"Dimensions of C {c.shape} should be one smaller than X({len(x)}) and Y({len(y)})")
        faces = [[(xs[i], ys[j]), (xs[i + 1], ys[j]), (xs[i + 1], ys[j + 1]), (xs[i], ys[j + 1])] for j in builtins_range(len(ys) - 1) for i in builtins_range(len(xs) - 1)]
        made = self._mapped(PolyCollection(faces, array=c.reshape(-1), cmap=cmap, norm=norm, alpha=alpha, edgecolors=edgecolors, linewidths=1.0))
        made.sticky_sides = ({xs[0], xs[-1]}, {ys[0], ys[-1]})
        return made

    def hist2d(self, x, y, bins=10, range=None, density=False, weights=None, cmin=None, cmax=None, **kwargs):
        if cmin is not None or cmax is not None:
            raise NotImplementedError("hist2d: cmin and cmax")
        h, ex, ey = _np.histogram2d(_array(x), _array(y), bins=bins, range=range, density=density, weights=weights)
        return h, ex, ey, self.pcolormesh(ex, ey, h.T, **kwargs)

    # ---- words

    def text(self, x, y, s, fontdict=None, *, fontsize=None, size=None, color=None, ha=None, horizontalalignment=None, va=None,
             verticalalignment=None, rotation=0, transform=None, bbox=None, **kwargs):
        f = fontdict or {}
        angle = {"vertical": 90, "horizontal": 0, None: 0}.get(rotation, rotation)
        xs = float(self._data(self.xaxis, [x])[0]) if isinstance(x, str) else float(x)
        return self._add(Text(xs, float(y), str(s), points(fontsize or size or f.get("size", f.get("fontsize", 10))), color or kwargs.get("c") or f.get("color", "black"),
                              ha or horizontalalignment or "left", va or verticalalignment or "baseline", angle,
                              "data" if transform is None or transform == "data" else "axes", None, bbox), self.texts)

    def annotate(self, text, xy, xytext=None, xycoords="data", textcoords=None, arrowprops=None, **kwargs):
        if xycoords not in ("data", "axes fraction"):
            raise NotImplementedError(f"annotate: coordinates '{xycoords}'")
        offset = textcoords in ("offset points", "offset pixels") and xytext is not None
        made = self.text(*(xy if xytext is None or offset else xytext), text, **kwargs)
        if (textcoords or xycoords) == "axes fraction" or offset and xycoords == "axes fraction":
            made.coords = "axes"
        if offset:
            made.shift = xytext
        if arrowprops is not None and xytext is not None:
            color = arrowprops.get("color", arrowprops.get("facecolor", arrowprops.get("fc", "black" if "arrowstyle" in arrowprops else "C0")))
            made.arrow = (float(xy[0]), float(xy[1]), color, xycoords, arrowprops)
        return made

    def axline(self, xy1, xy2=None, *, slope=None, **kwargs):
        if (xy2 is None) == (slope is None):
            raise TypeError("Exactly one of 'xy2' and 'slope' must be given")
        k = _long(kwargs)
        d = (1.0, float(slope)) if xy2 is None else (xy2[0] - xy1[0], xy2[1] - xy1[1])
        return self._add(_Endless(xy1, d, k.get("color") or self._next_color(), k.get("linewidth", rcParams["lines.linewidth"]), k.get("linestyle", "-"), k.get("alpha"),
                                  k.get("label", "")), self.lines)

    def arrow(self, x, y, dx, dy, *, width=0.001, head_width=None, head_length=None, length_includes_head=False, **kwargs):
        k = _long(kwargs)
        head = 3 * width if head_width is None else head_width
        long_, n = 1.5 * head if head_length is None else head_length, _math.hypot(dx, dy)
        if n == 0:
            raise ValueError("arrow: it has no length")
        c, s, end = dx / n, dy / n, n if length_includes_head else n + long_
        outline = [(0, width / 2), (end - long_, width / 2), (end - long_, head / 2), (end, 0), (end - long_, -head / 2), (end - long_, -width / 2), (0, -width / 2)]
        face = k.get("facecolor", k.get("color", "C0"))
        return self._add(Polygon([x + p * c - q * s for p, q in outline], [y + p * s + q * c for p, q in outline], face, k.get("alpha"), k.get("label", ""),
                                 k.get("edgecolor", k.get("color", "k")), k.get("linewidth", 1.0)), self.patches)

    def table(self, cellText=None, cellColours=None, cellLoc="right", colWidths=None, rowLabels=None, rowColours=None, colLabels=None, colColours=None, loc="bottom",
              bbox=None, fontsize=10):
        from matplotlib._table import Table
        return self._add(Table(cellText, cellColours, cellLoc, colWidths, rowLabels, rowColours, colLabels, colColours, loc, bbox, fontsize), self.texts)

    def add_patch(self, p):
        return self._add(p, self.patches)

    add_artist = add_patch

    def add_line(self, line):
        return self._add(line, self.lines)

    def add_collection(self, collection):
        return self._add(collection, self.collections)

    @property
    def transAxes(self):
        return "axes"

    @property
    def transData(self):
        return "data"


builtins_range = range


def _even(v):
    d = _np.diff(v)
    return not d.size or float(_np.abs(d - d[0]).max()) <= 1e-6 * float(_np.abs(d).max())


def _stepped(part, where):
    # (place, one, two) as stairs
    out = part[:1]
    for p, q in zip(part[:-1], part[1:]):
        mid = (p[0] + q[0]) / 2
        out += {"pre": [(p[0],) + q[1:]], "post": [(q[0],) + p[1:]], "mid": [(mid,) + p[1:], (mid,) + q[1:]]}[where] + [q]
    return out


def _slice(center, radius, width, start, end):
    # of a disc, or of a ring of that width, between two angles
    n = max(2, int(abs(end - start) * 12))
    around = [start + (end - start) * j / n for j in builtins_range(n + 1)]
    rim = [(center[0] + radius * _math.cos(a), center[1] + radius * _math.sin(a)) for a in around]
    inner = 0.0 if width is None else radius - width
    return rim + ([(center[0] + inner * _math.cos(a), center[1] + inner * _math.sin(a)) for a in around[::-1]] if inner > 0 else [tuple(center)])


_LINE = ("color linewidth linestyle marker markersize alpha label markerfacecolor markeredgecolor markeredgewidth zorder drawstyle "
         "markevery").split(" ")
_IGNORED = ("antialiased", "solid_capstyle", "clip_on", "picker", "dashes", "fillstyle", "transform", "animated", "rasterized",
            "solid_joinstyle", "dash_capstyle", "dash_joinstyle")


def _unknown(given, known):
    for k in given:
        if k not in known and k not in _IGNORED:
            raise AttributeError(f"Line2D.set() got an unexpected keyword argument {k!r}")


class _Across(Line2D):
    # a line through all of the axes
    def __init__(self, horizontal, value, low, high, color, width, style, alpha, label):
        Line2D.__init__(self, [], [], color, width, style, None, None, alpha, label)
        self.horizontal, self.value, self.low, self.high = horizontal, value, low, high

    def extent(self):
        return ([], [self.value]) if self.horizontal else ([self.value], [])

    def draw(self, canvas, at, clip):
        x0, y0, x1, y1 = clip
        from matplotlib.artists import dashes_of, to_rgba
        v = (at.y if self.horizontal else at.x)(self.value)
        if v is None:
            return
        a, b = (x0, x1) if self.horizontal else (y1, y0)
        a, b = a + (b - a) * self.low, a + (b - a) * self.high
        p = [a, v, b, v] if self.horizontal else [v, a, v, b]
        canvas.line(p, to_rgba(self.color, self.alpha), self.linewidth, dashes_of(self.linestyle, self.linewidth), clip)


class _Endless(Line2D):
    # a line through a point in a direction, as far as the axes go
    def __init__(self, xy, d, color, width, style, alpha, label):
        Line2D.__init__(self, [xy[0], xy[0] + d[0]], [xy[1], xy[1] + d[1]], color, width, style, None, None, alpha, label)

    def extent(self):
        return self.x, self.y

    def draw(self, canvas, at, clip):
        from matplotlib.artists import dashes_of, to_rgba
        (ax, ay), (bx, by) = at(self.x.tolist(), self.y.tolist())
        if ax is None or bx is None:
            return
        n = _math.hypot(bx - ax, by - ay) or 1.0
        far = _math.hypot(clip[2] - clip[0], clip[3] - clip[1]) + _math.hypot(ax - clip[0], ay - clip[1])
        c, s = (bx - ax) / n * far, (by - ay) / n * far
        canvas.line([ax - c, ay - s, ax + c, ay + s], to_rgba(self.color, self.alpha), self.linewidth, dashes_of(self.linestyle, self.linewidth), clip)


class _Span(Polygon):
    def __init__(self, horizontal, low, high, start, end, color, alpha, label):
        Polygon.__init__(self, [], [], color, alpha, label)
        self.horizontal, self.low, self.high, self.start, self.end = horizontal, float(low), float(high), start, end

    def extent(self):
        return ([], [self.low, self.high]) if self.horizontal else ([self.low, self.high], [])

    def draw(self, canvas, at, clip):
        x0, y0, x1, y1 = clip
        from matplotlib.artists import to_rgba
        a, b = (at.y if self.horizontal else at.x)(self.low), (at.y if self.horizontal else at.x)(self.high)
        s, e = (x0, x1) if self.horizontal else (y1, y0)
        s, e = s + (e - s) * self.start, s + (e - s) * self.end
        canvas.polygon([s, a, e, a, e, b, s, b] if self.horizontal else [a, s, b, s, b, e, a, e], to_rgba(self.color, self.alpha), clip)
