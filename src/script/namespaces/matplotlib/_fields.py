# matplotlib._fields -- plotting functions for what has a value, or a direction, at every point: lines of one height, arrows, streams.
import math as _math

import numpy as _np
from matplotlib import _font, cm as _cm, points, rcParams
from matplotlib.artists import Artist, AxesImage, plain
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Normalize, to_rgba


def _flat(a):
    from matplotlib._plots import _array
    return _np.asarray(_array(a), dtype=float)


class Quiver(Artist, _cm.ScalarMappable):
    # arrows: lengths by `scale` in parts of the axes' width, or of data; directions as they are on the page, or between data
    zorder = 2

    def __init__(self, x, y, u, v, color, array, cmap, norm, scale, scale_units, angles, units, width, pivot, alpha, heads):
        _cm.ScalarMappable.__init__(self, norm, cmap)
        self.x, self.y, self.u, self.v, self.color, self._array, self.alpha = x, y, u, v, color, array, alpha
        self.scale, self.scale_units, self.angles, self.units, self.width, self.pivot, self.heads = scale, scale_units, angles, units, width, pivot, heads
        if array is not None:
            self.norm.autoscale_None(array)

    def set_UVC(self, U, V, C=None):
        self.u, self.v = _flat(U).reshape(-1), _flat(V).reshape(-1)
        if C is not None:
            self._array = _flat(C).reshape(-1)

    def extent(self):
        return self.x, self.y

    def _unit(self, at, clip, name):
        # points in one of a unit
        x0, y0, x1, y1 = clip
        if name in ("x", "y", "xy"):
            (ax, ay), (bx, by) = at([0.0, 1.0], [0.0, 1.0])
            return abs(bx - ax) if name == "x" else abs(by - ay) if name == "y" else _math.hypot(bx - ax, by - ay) / _math.sqrt(2)
        return {"width": x1 - x0, "height": y1 - y0, "dots": 0.72, "inches": 72.0}[name]

    def measure(self, at, clip):
        # (points in the length 1, width of a shaft in points)
        n = max(len(self.x), 1)
        lengths = _np.sqrt(self.u * self.u + self.v * self.v)
        unit = self._unit(at, clip, self.units)
        if self.scale is None:
            mean = float(lengths[_np.isfinite(lengths)].mean()) or 1.0
            scale = 1.8 * mean * max(10.0, _math.sqrt(n)) / (self._unit(at, clip, "width") / unit)
            k = unit / scale
        else:
            k = self._unit(at, clip, self.scale_units or self.units) / self.scale
        wide = 0.06 * (clip[2] - clip[0]) / min(max(_math.sqrt(n), 8.0), 25.0) if self.width is None else self.width * unit
        return k, wide

    def shape(self, x, y, dx, dy, wide):
        # the outline of an arrow from (x, y) by (dx, dy) points, y downwards
        n = _math.hypot(dx, dy)
        if n < wide * 0.5:
            r = wide / 2
            return [v for i in range(6) for v in (x + r * _math.cos(i * 1.0472), y + r * _math.sin(i * 1.0472))]
        hw, hl, ha = [h * wide for h in self.heads]
        if n < hl:
            hw, ha, hl, wide = hw * n / hl, ha * n / hl, n, wide * n / hl
        c, s = dx / n, dy / n
        outline = [(0, wide / 2), (n - ha, wide / 2), (n - hl, hw / 2), (n, 0), (n - hl, -hw / 2), (n - ha, -wide / 2), (0, -wide / 2)]
        back = {"tail": 0.0, "mid": n / 2, "middle": n / 2, "tip": n}[self.pivot]
        return [v for p, q in outline for v in (x + (p - back) * c - q * s, y + (p - back) * s + q * c)]

    def draw(self, canvas, at, clip):
        k, wide = self.measure(at, clip)
        colors = [tuple(c) for c in self.to_rgba(self._array, self.alpha).tolist()] if self._array is not None else [
            to_rgba(c, self.alpha) for c in (self.color if isinstance(self.color, list) else [self.color])]
        us, vs = self.u.tolist(), self.v.tolist()
        for i, (x, y) in enumerate(at(self.x.tolist(), self.y.tolist())):
            u, v = us[i], vs[i]
            if x is None or u != u or v != v:
                continue
            if self.angles == "xy":
                eps = 1e-3 * (float(_np.ptp(self.x)) or 1.0) / (_math.hypot(u, v) or 1.0)
                (ex, ey), = at([float(self.x[i]) + u * eps], [float(self.y[i]) + v * eps])
                if self.scale is not None and (self.scale_units or self.units) == "xy":
                    (fx, fy), = at([float(self.x[i]) + u / self.scale], [float(self.y[i]) + v / self.scale])
                    dx, dy = fx - x, fy - y
                else:
                    n = _math.hypot(ex - x, ey - y) or 1.0
                    dx, dy = [d / n * k * _math.hypot(u, v) for d in (ex - x, ey - y)]
            else:
                dx, dy = u * k, -v * k
            canvas.polygon(self.shape(x, y, dx, dy, wide), colors[i % len(colors)], clip)


class _Key(Artist):
    zorder = 3

    def __init__(self, Q, x, y, u, text, side, coordinates, color, size):
        self.Q, self.x, self.y, self.u, self.text, self.side, self.coordinates, self.color, self.size = Q, x, y, u, text, side, coordinates, color, size

    def draw(self, canvas, at, clip):
        x0, y0, x1, y1 = clip
        k, wide = self.Q.measure(at, clip)
        if self.coordinates == "data":
            (x, y), = at([self.x], [self.y])
        else:
            if self.coordinates == "figure":
                w, h = self.axes.figure.size
                x0, y0, x1, y1 = 0, 0, w * 72, h * 72
            x, y = x0 + self.x * (x1 - x0), y1 - self.y * (y1 - y0)
        n = self.u * k
        canvas.polygon(self.Q.shape(x - (0 if self.Q.pivot != "tail" else n / 2), y, n, 0.0, wide),
                       to_rgba(self.color or (self.Q.color if isinstance(self.Q.color, str) else "k")))
        dx, dy, ha, va = {"N": (0, -8, "center", "bottom"), "S": (0, 8, "center", "top"), "E": (n / 2 + 6, 0, "left", "center"),
                          "W": (-n / 2 - 6, 0, "right", "center")}[self.side]
        canvas.text(x + dx, y + dy, plain(self.text), self.size, (0, 0, 0, 1.0), ha, va)


class _Heads(Artist):
    # heads of arrows on streams
    zorder = 2

    def __init__(self, heads, colors, size, corners):
        self.sticky_sides = tuple([set(v) for v in corners])
        self.heads, self.colors, self.size, self.corners = heads, colors, size, corners

    def extent(self):
        return self.corners

    def draw(self, canvas, at, clip):
        for i, (x, y, ex, ey) in enumerate(self.heads):
            (ax, ay), (bx, by) = at([x, ex], [y, ey])
            if ax is None or bx is None:
                continue
            n = _math.hypot(bx - ax, by - ay) or 1.0
            c, s = (bx - ax) / n, (by - ay) / n
            h, w = self.size * 0.55, self.size * 0.27
            canvas.polygon([bx + c * h / 2, by + s * h / 2, bx - c * h / 2 - s * w, by - s * h / 2 + c * w, bx - c * h / 2 + s * w, by - s * h / 2 - c * w],
                           to_rgba(self.colors[i % len(self.colors)]), clip)


class StreamplotSet:
    def __init__(self, lines, arrows):
        self.lines, self.arrows = lines, arrows


class Fields:
    # ---- lines of one height

    def _grid(self, args):
        z = _flat(args[-1])
        if len(args) >= 3:
            x, y = _flat(args[0]), _flat(args[1])
            return (x[0] if x.ndim == 2 else x).tolist(), (y[:, 0] if y.ndim == 2 else y).tolist(), z
        return [float(i) for i in range(z.shape[1])], [float(i) for i in range(z.shape[0])], z

    def _levels(self, z, levels):
        from matplotlib import _ticks
        good = z[_np.isfinite(z)]
        low, high = float(good.min()), float(good.max())
        if levels is None or isinstance(levels, int):
            n, steps = (levels or 7) + 1, (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
            if low == high:  # a plane: the level itself, and one on either side
                raw = 2e-13 * (abs(low) or 1) / n
                unit = 10.0 ** _math.floor(_math.log10(raw))
                step = unit * next(k for k in steps if k * unit > raw * (1 - 1e-9))
                return [low - step, low, low + step]
            return _ticks.linear(low, high, n, steps)
        return [float(v) for v in levels]

    def _around(self, levels, z):
        # levels with one below and one above all values
        if levels[0] > float(z.min()):
            levels = [levels[0] - (levels[1] - levels[0] if len(levels) > 1 else 1)] + levels
        if levels[-1] < float(z.max()):
            levels = levels + [levels[-1] + levels[-1] - levels[-2]]
        return levels

    def contour(self, *args, levels=None, colors=None, cmap=None, linewidths=None, linestyles=None, alpha=None, **kwargs):
        if kwargs:
            raise NotImplementedError("contour: " + ", ".join(kwargs))
        from matplotlib._contour import lines
        args = list(args)
        if len(args) in (2, 4):
            levels = args.pop()
        x, y, z = self._grid(args)
        levels = self._levels(z, levels)
        made = self._contoured(levels, lambda v: lines(x, y, z.tolist(), v), colors, cmap, linewidths, linestyles, alpha, z)
        self.set_xlim(min(x), max(x))
        self.set_ylim(min(y), max(y))
        return made

    def contourf(self, *args, levels=None, colors=None, cmap=None, alpha=None, vmin=None, vmax=None, **kwargs):
        if kwargs:
            raise NotImplementedError("contourf: " + ", ".join(kwargs))
        from matplotlib._contour import bands
        from matplotlib.colors import ListedColormap
        args = list(args)
        if len(args) in (2, 4):
            levels = args.pop()
        x, y, z = self._grid(args)
        levels = self._around(self._levels(z, levels), z)
        fine = bands(z, levels)
        if colors is not None:
            cmap = ListedColormap([colors] * (len(levels) - 1) if isinstance(colors, str) else list(colors))
        image = AxesImage(fine, (min(x), max(x), min(y), max(y)), "lower",
                          Normalize(levels[0] if vmin is None else vmin, levels[-1] if vmax is None else vmax), cmap, alpha)
        image.levels = levels
        self.figure._mappable = self._add(image, self.images)
        return image

    def clabel(self, CS, levels=None, *, inline=True, fontsize=None, fmt=None, colors=None, **kwargs):
        out = []
        for v, part in zip(CS.levels, CS.collections):
            # one on each level, on ways out of the middle that differ, so that levels side by side do not hide each other's
            if levels is not None and v not in levels:
                continue
            inside = [(xs[0], ys[0]) for xs, ys in part.segments if len(xs)]
            if not inside:
                continue
            cx, cy = sum(p[0] for p in inside) / len(inside), sum(p[1] for p in inside) / len(inside)
            way = 2.4 * len(out)
            x, y = max(inside, key=lambda p: (p[0] - cx) * _math.cos(way) + (p[1] - cy) * _math.sin(way))
            text = fmt % v if isinstance(fmt, str) else fmt(v) if callable(fmt) else f"{v:g}"
            box = {"facecolor": "white", "edgecolor": "none"} if inline else None
            out.append(self.text(x, y, text, fontsize=fontsize or 10, ha="center", va="center", color=colors or part.color, bbox=box))
        return out

    def _contoured(self, levels, parts, colors, cmap, linewidths, linestyles, alpha, z):
        # lines of each level, as artists
        made = _cm.ScalarMappable(Normalize(min(levels), max(levels)), cmap)
        made.levels, made.collections, made._array = levels, [], z
        for i, v in enumerate(levels):
            color = made.to_rgba(v) if colors is None else colors if isinstance(colors, str) else colors[i % len(colors)]
            style = linestyles or ("dashed" if v < 0 and colors is not None and isinstance(colors, str) else "solid")
            width = linewidths if isinstance(linewidths, (int, float)) else 1.5 if linewidths is None else linewidths[i % len(linewidths)]
            some = parts(v)
            if some:
                made.collections.append(self._segments(some, {"color": color, "linewidth": width, "linestyle": style, "alpha": alpha}))
        self.figure._mappable = made
        return made

    # ---- triangles

    def triplot(self, *args, **kwargs):
        from matplotlib._triangles import triangulated
        t, rest = triangulated(args)
        xs, ys = [], []
        for a, b in t.edges.tolist():
            xs += [t.x[a], t.x[b], float("nan")]
            ys += [t.y[a], t.y[b], float("nan")]
        return self.plot(xs, ys, *rest, **kwargs)

    def tricontour(self, *args, levels=None, colors=None, cmap=None, linewidths=None, linestyles=None, alpha=None):
        from matplotlib._triangles import crossings, triangulated
        t, rest = triangulated(args)
        z = _flat(rest[0]).reshape(-1)
        levels = self._levels(z, rest[1] if len(rest) > 1 else levels)
        return self._contoured(levels, lambda v: crossings(t, z.tolist(), v), colors, cmap, linewidths, linestyles, alpha, z)

    def tricontourf(self, *args, levels=None, cmap=None, alpha=None):
        from matplotlib._triangles import between, triangulated
        t, rest = triangulated(args)
        z = _flat(rest[0]).reshape(-1)
        levels = self._around(self._levels(z, rest[1] if len(rest) > 1 else levels), z)
        corners, faces, values = list(zip(t.x.tolist(), t.y.tolist(), z.tolist())), [], []
        for tri in t.triangles.tolist():
            for low, high in zip(levels[:-1], levels[1:]):
                part = between([corners[i] for i in tri], low, high)
                if len(part) > 2:
                    faces.append([p[:2] for p in part])
                    values.append((low + high) / 2)
        made = self._mapped(PolyCollection(faces, array=values, cmap=cmap, norm=Normalize(levels[0], levels[-1]), alpha=alpha))
        made.sticky_sides = tuple([{float(v.min()), float(v.max())} for v in (t.x, t.y)])
        return made

    def tripcolor(self, *args, cmap=None, norm=None, vmin=None, vmax=None, alpha=None, edgecolors=None, shading="flat"):
        from matplotlib._triangles import triangulated
        if shading != "flat":
            raise NotImplementedError("tripcolor: flat triangles")
        t, rest = triangulated(args)
        c = _flat(rest[0]).reshape(-1)
        each = c if c.size == len(t.triangles) and c.size != t.x.size else c[t.triangles].mean(axis=1)
        return self._mapped(PolyCollection([[(t.x[i], t.y[i]) for i in tri] for tri in t.triangles.tolist()], array=each, cmap=cmap, norm=norm or Normalize(vmin, vmax),
                                           alpha=alpha, edgecolors=edgecolors))

    def hexbin(self, x, y, C=None, gridsize=100, *, bins=None, extent=None, cmap=None, norm=None, vmin=None, vmax=None, alpha=None, mincnt=None,
               reduce_C_function=None, edgecolors="face", linewidths=None):
        # two lattices of points, the second half a cell off: each number goes to the nearer point
        x, y = _flat(x).reshape(-1), _flat(y).reshape(-1)
        nx, ny = gridsize if isinstance(gridsize, (list, tuple)) else (gridsize, int(gridsize / _math.sqrt(3)))
        x0, x1, y0, y1 = extent if extent is not None else (float(x.min()), float(x.max()), float(y.min()), float(y.max()))
        pad = 1e-9 * (x1 - x0)
        x0, x1 = x0 - pad, x1 + pad
        w, h = (x1 - x0) / nx, (y1 - y0) / ny
        held = {}
        for i, (a, b) in enumerate(zip(((x - x0) / w).tolist(), ((y - y0) / h).tolist())):
            i1, j1, i2, j2 = round(a), round(b), _math.floor(a), _math.floor(b)
            first = (a - i1) ** 2 + 3 * (b - j1) ** 2 < (a - i2 - 0.5) ** 2 + 3 * (b - j2 - 0.5) ** 2
            held.setdefault((float(i1), float(j1)) if first else (i2 + 0.5, j2 + 0.5), []).append(i)
        every = [(float(i), float(j)) for i in range(nx + 1) for j in range(ny + 1)] + [(i + 0.5, j + 0.5) for i in range(nx) for j in range(ny)]
        least = mincnt if mincnt is not None else 0 if C is None else 1
        cells = [p for p in every if len(held.get(p, ())) >= least]
        c = None if C is None else _flat(C).reshape(-1)
        fold = reduce_C_function or (lambda v: _np.mean(v))
        values = _np.array([float(len(held.get(p, ()))) if c is None else float(fold(c[held[p]])) for p in cells])
        if bins == "log":
            from matplotlib.colors import LogNorm
            norm = norm or LogNorm(vmin, vmax)
        elif bins is not None:
            raise NotImplementedError("hexbin: bins=None and 'log'")
        hexagon = [(0.5, -1 / 6), (0.5, 1 / 6), (0.0, 1 / 3), (-0.5, 1 / 6), (-0.5, -1 / 6), (0.0, -1 / 3)]
        faces = [[(x0 + (i + p) * w, y0 + (j + q) * h) for p, q in hexagon] for i, j in cells]
        made = self._mapped(PolyCollection(faces, array=values, cmap=cmap, norm=norm or Normalize(vmin, vmax), alpha=alpha, edgecolors=edgecolors,
                                           linewidths=linewidths))
        made.box = [x0, x1], [y0, y1]
        return made

    def _mapped(self, artist):
        self.figure._mappable = artist
        return self._add(artist, self.collections)

    # ---- arrows

    def quiver(self, *args, color=None, scale=None, alpha=None, width=None, units="width", angles="uv", scale_units=None, pivot="tail", cmap=None, norm=None,
               headwidth=3, headlength=5, headaxislength=4.5, label="", zorder=None):
        parts = [_flat(a) for a in args]
        if len(parts) in (2, 3):
            h, w = parts[0].shape if parts[0].ndim == 2 else (1, parts[0].size)
            parts = list(_np.meshgrid(_np.arange(w), _np.arange(h))) + parts
        elif parts[0].ndim == 1 and parts[1].ndim == 1 and parts[2].ndim == 2:
            parts[:2] = _np.meshgrid(parts[0], parts[1])
        if pivot not in ("tail", "mid", "middle", "tip"):
            raise ValueError(f"pivot={pivot!r} is not one of tail, mid, middle, tip")
        if not isinstance(angles, str):
            raise NotImplementedError("quiver: angles 'uv' and 'xy'")
        x, y, u, v = [p.reshape(-1) for p in parts[:4]]
        made = Quiver(x, y, u, v, color or "k", parts[4].reshape(-1) if len(parts) > 4 else None, cmap, norm, scale, scale_units, angles, units, width, pivot, alpha,
                      (headwidth, headlength, headaxislength))
        made.label, made.zorder = label, made.zorder if zorder is None else zorder
        return self._mapped(made)

    def quiverkey(self, Q, X, Y, U, label, *, labelpos="N", coordinates="axes", color=None, fontproperties=None, **kwargs):
        if kwargs:
            raise NotImplementedError("quiverkey: " + ", ".join(kwargs))
        size = points((fontproperties or {}).get("size", rcParams["font.size"]))
        return self._add(_Key(Q, X, Y, float(U), str(label), labelpos, coordinates, color, size), self.texts)

    def streamplot(self, x, y, u, v, density=1, linewidth=None, color=None, cmap=None, norm=None, arrowsize=1, arrowstyle="-|>", minlength=0.1, zorder=None,
                   start_points=None, maxlength=4.0, integration_direction="both", broken_streamlines=True):
        from matplotlib._streams import follow
        if arrowstyle not in ("-|>", "->"):
            raise NotImplementedError(f"streamplot: arrows {arrowstyle!r}")
        x, y, u, v = [_flat(a) for a in (x, y, u, v)]
        x, y = (x[0] if x.ndim == 2 else x), (y[:, 0] if y.ndim == 2 else y)
        if u.shape != (y.size, x.size) or v.shape != u.shape:
            raise ValueError("'u' and 'v' must match the shape of the (x, y) grid")
        for a, name in ((x, "x"), (y, "y")):
            d = _np.diff(a)
            if float(_np.abs(d - d.mean()).max()) > 1e-5 * abs(float(d.mean())):
                raise ValueError(f"'{name}' values must be equally spaced")
        if integration_direction not in ("both", "forward", "backward"):
            raise ValueError(f"{integration_direction!r} is not a valid value for integration_direction; supported values are 'both', 'forward', 'backward'")
        streams, sample = follow(x.tolist(), y.tolist(), u.tolist(), v.tolist(), density, minlength, maxlength, start_points, integration_direction, broken_streamlines)
        looks, segments, heads, which = {"color": color, "width": linewidth}, [], [], []
        arrays = {k: _flat(a).tolist() if hasattr(a, "ndim") and a.ndim == 2 else None for k, a in looks.items()}
        values = {k: [] for k in looks}
        for s in streams:
            ways = [0.0]
            for p, q in zip(s[:-1], s[1:]):
                segments.append((p, q))
                for k, a in arrays.items():
                    if a is not None:
                        values[k].append(sample(a, p[0], p[1]))
                ways.append(ways[-1] + _math.hypot(q[0] - p[0], q[1] - p[1]))
            mid = next(i for i, d in enumerate(ways) if d >= ways[-1] / 2)
            mid = min(max(mid, 1), len(s) - 1)
            heads.append((s[mid - 1][0], s[mid - 1][1], (s[mid - 1][0] + s[mid][0]) / 2, (s[mid - 1][1] + s[mid][1]) / 2))
            which.append(len(segments) - len(s) + mid)
        base = color if arrays["color"] is None and color is not None else self._next_color()
        lines = LineCollection(segments, colors=base, linewidths=values["width"] if arrays["width"] is not None else linewidth, cmap=cmap, norm=norm,
                               array=values["color"] if arrays["color"] is not None else None)
        lines.zorder = 2 if zorder is None else zorder
        self._add(lines, self.collections)
        self.figure._mappable = lines if arrays["color"] is not None else self.figure._mappable
        tints = [base] if arrays["color"] is None else [tuple(lines.to_rgba(values["color"][i])) for i in which]
        corners = ([float(x[0]), float(x[-1])], [float(y[0]), float(y[-1])])
        return StreamplotSet(lines, self._add(_Heads(heads, tints, 10.0 * arrowsize, corners), self.patches))
