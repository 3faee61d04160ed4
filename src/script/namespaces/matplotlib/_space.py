# matplotlib._space -- axes of three scales, seen in perspective: what stands in them is projected, and drawn far things first.
import math as _math

import numpy as _np
from matplotlib import _contour, _font, cm as _cm, points, rcParams
from matplotlib._plots import _array, _long, parse
from matplotlib.artists import Artist, dashes_of, draw_marker, Line2D, PathCollection, plain, Text
from matplotlib.axes import Axes, Axis
from matplotlib.colors import Normalize, to_rgba

_SIDES = (8 / 7 * 25 / 24, 8 / 7 * 25 / 24, 6 / 7 * 25 / 24)  # of the box: as 4, 4 and 3
_DISTANCE, _LIGHT = 10.0, (-2 / 3, -2 / 3, 1 / 3)  # of the eye; where light comes from


def _grid(*arrays):
    return [_np.asarray(_array(a), dtype=float) for a in _np.broadcast_arrays(*[_array(a) for a in arrays])]


def _shaded(color, corners):
    # the color as light falls on a face: three tenths of it where light comes from behind
    p = _np.asarray(corners, dtype=float)
    n = len(p)
    a, b, c = p[0], p[n // 3], p[2 * n // 3]
    up = _np.cross(a - b, b - c)
    size = float(_np.sqrt((up * up).sum()))
    k = 0.0 if size == 0 or size != size else float((up * _np.array(_LIGHT)).sum()) / size
    return tuple([v * (0.65 + 0.35 * k) for v in color[:3]]) + tuple(color[3:])


class Line3D(Line2D):
    def __init__(self, x, y, z, **kwargs):
        Line2D.__init__(self, x, y, **kwargs)
        self.z = _np.asarray(z, dtype=float).reshape(-1)

    def set_data_3d(self, *args):
        self.x, self.y, self.z = [_np.asarray(v, dtype=float).reshape(-1) for v in (args if len(args) == 3 else args[0])]

    def get_data_3d(self):
        return self.x, self.y, self.z

    def set_3d_properties(self, zs=0):
        self.z = _np.asarray(zs, dtype=float).reshape(-1) + 0 * self.x

    def space(self):
        return self.x, self.y, self.z

    def draw(self, canvas, at, clip):
        Line2D.draw(self, canvas, lambda xs, ys: at(xs, ys, self.z.tolist()), clip)


class Scatter3D(PathCollection):
    depthshade = True

    def space(self):
        return self.x, self.y, self.z

    def draw(self, canvas, at, clip):
        faces, deep = self._faces(), at.depths(self.x, self.y, self.z)
        near, far = (float(deep.min()), float(deep.max())) if len(deep) else (0.0, 0.0)
        place = at(self.x.tolist(), self.y.tolist(), self.z.tolist())
        for i in _np.argsort(-deep).tolist():
            if place[i][0] is None:
                continue
            k = 1 - 0.7 * (float(deep[i]) - near) / (far - near) if self.depthshade and far > near else 1.0
            face = faces[i % len(faces)]
            face = tuple(face[:3]) + (face[3] * k,)
            edge = face if self.edgecolors in (None, "face") else to_rgba(self.edgecolors)
            draw_marker(canvas, self.marker, place[i][0], place[i][1], _math.sqrt(self.sizes[i % len(self.sizes)]), face, edge, self.linewidths, clip)


class Faces(Artist, _cm.ScalarMappable):
    # polygons in space; the color of each, or the number that it is colored by
    def __init__(self, faces, colors, array=None, norm=None, cmap=None, edgecolor=None, linewidth=0.0, alpha=None, label=""):
        _cm.ScalarMappable.__init__(self, norm, cmap)
        self.faces, self.colors, self._array, self.label, self.alpha = faces, colors, array, label, alpha
        self.edgecolor, self.linewidth = edgecolor, linewidth
        if array is not None:
            self.norm.autoscale_None(array)

    def space(self):
        p = _np.concatenate([_np.asarray(f, dtype=float) for f in self.faces]) if self.faces else _np.zeros((0, 3))
        return p[:, 0], p[:, 1], p[:, 2]

    def _colors(self):
        if self._array is not None:
            return [tuple(c) for c in self.to_rgba(self._array, self.alpha).tolist()]
        return self.colors

    def draw(self, canvas, at, clip):
        colors, deep = self._colors(), [float(at.depths(f[:, 0], f[:, 1], f[:, 2]).mean()) for f in self.faces]
        for i in sorted(range(len(self.faces)), key=lambda i: -deep[i]):
            f, color = self.faces[i], colors[i % len(colors)]
            p = [v for xy in at(f[:, 0].tolist(), f[:, 1].tolist(), f[:, 2].tolist()) if xy[0] is not None for v in xy]
            if len(p) < 6 or p[0] != p[0]:
                continue
            canvas.polygon(p, color, clip)
            if self.edgecolor is not None and self.linewidth > 0:
                canvas.line(p + p[:2], to_rgba(self.edgecolor), self.linewidth, None, clip)
            elif color[3] >= 1:
                canvas.line(p + p[:2], color, 0.4, None, clip)  # no seams between neighbours

    def key(self, canvas, x, y, w, h):
        canvas.polygon([x, y - h / 2, x + w, y - h / 2, x + w, y + h / 2, x, y + h / 2], self._colors()[0])


class Wires(Artist):
    # polylines in space
    def __init__(self, lines, color, linewidth, linestyle="-", alpha=None, label=""):
        self.wires, self.color, self.linewidth, self.linestyle, self.alpha, self.label = lines, color, linewidth, linestyle, alpha, label

    def space(self):
        p = _np.concatenate([_np.asarray(w, dtype=float) for w in self.wires]) if self.wires else _np.zeros((0, 3))
        return p[:, 0], p[:, 1], p[:, 2]

    def draw(self, canvas, at, clip):
        for w in self.wires:
            a = _np.asarray(w, dtype=float)
            p = [v for xy in at(a[:, 0].tolist(), a[:, 1].tolist(), a[:, 2].tolist()) if xy[0] is not None for v in xy]
            if len(p) >= 4:
                canvas.line(p, to_rgba(self.color, self.alpha), self.linewidth, dashes_of(self.linestyle, self.linewidth), clip)

    def key(self, canvas, x, y, w, h):
        canvas.line([x, y, x + w, y], to_rgba(self.color, self.alpha), self.linewidth)


class Text3D(Text):
    def space(self):
        return [], [], []

    def draw(self, canvas, at, clip):
        if self.coords == "data":
            Text.draw(self, canvas, lambda xs, ys: at(xs, ys, [self.z]), clip)
        else:
            Text.draw(self, canvas, at, clip)


class Axes3D(Axes):
    name = "3d"

    def __init__(self, fig, rect=(0.125, 0.11, 0.775, 0.77), frameon=True, facecolor=None, *, elev=30, azim=-60, roll=0, **kwargs):
        self.elev, self.azim, self.roll, self.sides, self.flat_view = elev, azim, roll, _SIDES, False
        Axes.__init__(self, fig, rect, frameon, facecolor)
        self.set(**kwargs)

    def cla(self):
        Axes.cla(self)
        self.zaxis, self._margin["z"] = Axis(self, "z"), 0.0
        for axis in (self.xaxis, self.yaxis, self.zaxis):
            axis.grid_on = True

    clear = cla

    # ---- limits and the view

    def _limits(self, axis):
        if axis.low is not None and axis.high is not None:
            return axis.limits([], ())
        i = "xyz".index(axis.which)
        values = [float(v) for a in self._artists if a.visible for v in a.space()[i]]
        low, high = axis.low, axis.high
        axis.inverted, turned = False, axis.inverted
        a, b = axis.limits(values, ())
        axis.inverted = turned
        more = (b - a) / 48
        a, b = a - more if low is None else a, b + more if high is None else b
        return (b, a) if turned else (a, b)

    def get_zlim(self):
        return self._limits(self.zaxis)

    def set_zlim(self, bottom=None, top=None, *, zmin=None, zmax=None):
        return self._set_limits(self.zaxis, bottom if zmin is None else zmin, top if zmax is None else zmax)

    set_xlim3d, set_ylim3d, set_zlim3d, set_zbound = Axes.set_xlim, Axes.set_ylim, set_zlim, set_zlim
    get_xlim3d, get_ylim3d, get_zlim3d = Axes.get_xlim, Axes.get_ylim, get_zlim

    def _set_scale(self, axis, value):
        if value != "linear":
            raise NotImplementedError(f"the {axis.which} scale of axes in space is linear, not {value!r}")

    def set_zscale(self, value, **kwargs):
        self._set_scale(self.zaxis, value)

    def invert_zaxis(self):
        self.zaxis.inverted = not self.zaxis.inverted

    def set_zlabel(self, zlabel, fontdict=None, labelpad=None, *, fontsize=None, **kwargs):
        self._set_label(self.zaxis, zlabel, fontsize, {**(fontdict or {}), **kwargs})

    def get_zlabel(self):
        return self.zaxis.label

    def set_zticks(self, ticks, labels=None, **kwargs):
        self.zaxis.set_ticks(ticks, labels, **kwargs)

    def set_zticklabels(self, labels, **kwargs):
        self.zaxis.set_ticklabels(labels, **kwargs)

    def view_init(self, elev=None, azim=None, roll=None):
        self.elev, self.azim, self.roll = 30 if elev is None else elev, -60 if azim is None else azim, 0 if roll is None else roll

    def set_proj_type(self, proj_type, focal_length=None):
        if proj_type not in ("persp", "ortho") or focal_length is not None:
            raise NotImplementedError("set_proj_type: 'persp' with a focal length of 1, and 'ortho'")
        self.flat_view = proj_type == "ortho"

    def set_box_aspect(self, aspect, *, zoom=1):
        a = _np.array([4.0, 4.0, 3.0] if aspect is None else [float(v) for v in aspect])
        a = a * (1.8294640721620434 * 25 / 24 * zoom) / float(_np.sqrt((a * a).sum()))
        self.sides = tuple(a.tolist())

    def set_aspect(self, aspect, adjustable=None):
        if aspect == "equal":
            self.set_box_aspect([abs(b - a) for a, b in (self.get_xlim(), self.get_ylim(), self.get_zlim())])
        elif aspect != "auto":
            raise NotImplementedError(f"set_aspect: {aspect!r} in space; 'equal' and 'auto' are here")

    def tick_params(self, axis="both", *, labelsize=None, colors=None, labelcolor=None, **kwargs):
        for a in (self.xaxis, self.yaxis, self.zaxis):
            if axis in ("both", a.which):
                a.tick_size, a.text_color = labelsize or a.tick_size, labelcolor or colors or a.text_color
        Axes.tick_params(self, axis, labelsize=labelsize, colors=colors, labelcolor=labelcolor, **kwargs)

    def grid(self, visible=True, **kwargs):
        for a in (self.xaxis, self.yaxis, self.zaxis):
            a.grid(visible is not False, **kwargs)

    def get_proj(self):
        # data to (x, y, depth, w): the box, seen by an eye at a distance; x / w and y / w are on the page, depth / w is small near
        rows = []
        for axis, side in zip((self.xaxis, self.yaxis, self.zaxis), self.sides):
            low, high = self._limits(axis)
            rows.append((side / ((high - low) or 1), -low * side / ((high - low) or 1)))
        world = _np.array([[rows[0][0], 0, 0, rows[0][1]], [0, rows[1][0], 0, rows[1][1]], [0, 0, rows[2][0], rows[2][1]], [0, 0, 0, 1.0]])
        e, a, r = [_math.radians(v) for v in (self.elev, self.azim, self.roll)]
        w = _np.array([_math.cos(e) * _math.cos(a), _math.cos(e) * _math.sin(a), _math.sin(e)])
        up = _np.array([0.0, 0.0, -1.0 if abs(e) > _math.pi / 2 else 1.0])
        u = _np.cross(up, w)
        u = u / (float(_np.sqrt((u * u).sum())) or 1.0) if float(_np.abs(u).sum()) > 1e-12 else _np.array([-_math.sin(a), _math.cos(a), 0.0])
        v = _np.cross(w, u)
        u, v = u * _math.cos(r) - v * _math.sin(r), v * _math.cos(r) + u * _math.sin(r)
        eye = _np.array(self.sides) / 2 + _DISTANCE * w
        view = _np.eye(4)
        for i, row in enumerate((u, v, w)):
            view[i, :3] = row
            view[i, 3] = -float((row * eye).sum())
        lens = (_np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, _DISTANCE]]) if self.flat_view
                else _np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, -_DISTANCE], [0, 0, -1, 0]]))
        return lens @ view @ world

    def _box(self, width, height):
        x0, y0, x1, y1 = Axes._box(self, width, height)
        n = min(x1 - x0, y1 - y0)
        cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
        return cx - n / 2, cy - n / 2, cx + n / 2, cy + n / 2

    def _mapping(self, box):
        x0, y0, x1, y1 = box
        m = self.get_proj()
        far = float((m[2, :3] * 0).sum())

        def project(xs, ys, zs):
            p = _np.stack([_np.asarray(xs, dtype=float), _np.asarray(ys, dtype=float), _np.asarray(zs, dtype=float)])
            return m[:, :3] @ p.reshape(3, -1) + m[:, 3:]

        def at(xs, ys, zs=None):
            q = project(xs, ys, _np.zeros(len(xs)) + far if zs is None else zs)
            px, py = (q[0] / q[3] + 0.095) / 0.185 * (x1 - x0) + x0, y1 - (q[1] / q[3] + 0.095) / 0.185 * (y1 - y0)
            return [(a, b) if a == a and b == b else (None, None) for a, b in zip(px.tolist(), py.tolist())]

        def depths(xs, ys, zs):
            q = project(xs, ys, zs)
            return q[2] if self.flat_view else q[3]
        at.depths = depths
        return at

    # ---- what stands in it

    def plot(self, xs, ys, *args, zdir="z", **kwargs):
        args, k = list(args), _long(kwargs)
        zs = k.pop("zs", 0) if not args or isinstance(args[0], str) else args.pop(0)
        style = parse(args.pop(0)) if args else {}
        if "marker" in style and "linestyle" not in style:
            style["linestyle"] = "None"
        k = dict(style, **k)
        if k.get("color") is None:
            k["color"] = self._next_color()
        x, y, z = _turned(zdir, *_grid(xs, ys, zs))
        return [self._add(Line3D(x, y, z, **k), self.lines)]

    plot3D = plot

    def scatter(self, xs, ys, zs=0, zdir="z", s=20, c=None, depthshade=True, **kwargs):
        x, y, z = _turned(zdir, *[v.reshape(-1) for v in _grid(xs, ys, zs)])
        made = Axes.scatter(self, x, y, s, c, **kwargs)
        made.__class__ = Scatter3D
        made.z, made.depthshade = z, depthshade
        return made

    scatter3D = scatter

    def _strides(self, shape, k, kind):
        # how many rows and columns a face takes
        rs, cs = k.pop("rstride", None), k.pop("cstride", None)
        rc, cc = k.pop("rcount", 50), k.pop("ccount", 50)
        if kind == "wires":
            return [0 if n == 0 else max(1, -(-d // n)) if s is None else s for s, n, d in ((rs, rc, shape[0]), (cs, cc, shape[1]))]
        return [max(1, -(-d // n)) if s is None else s for s, n, d in ((rs, rc, shape[0]), (cs, cc, shape[1]))]

    def plot_surface(self, X, Y, Z, *, norm=None, vmin=None, vmax=None, cmap=None, color=None, facecolors=None, shade=None, **kwargs):
        k = _long(kwargs)
        if _array(Z).ndim != 2:
            raise ValueError("Argument Z must be 2-dimensional.")
        x, y, z = _grid(X, Y, Z)
        rs, cs = self._strides(z.shape, k, "faces")
        given = facecolors if facecolors is not None else k.pop("facecolor", None)
        faces, tints, ends = [], [], [list(range(0, n - 1, s)) + [n - 1] for n, s in zip(z.shape, (rs, cs))]
        for r0, r1 in zip(ends[0][:-1], ends[0][1:]):
            for c0, c1 in zip(ends[1][:-1], ends[1][1:]):
                i = [r0] * (c1 - c0) + list(range(r0, r1)) + [r1] * (c1 - c0) + list(range(r1, r0, -1))
                j = list(range(c0, c1)) + [c1] * (r1 - r0) + list(range(c1, c0, -1)) + [c0] * (r1 - r0)
                faces.append(_np.stack([x[i, j], y[i, j], z[i, j]], -1))
                if given is not None:
                    tints.append(tuple(given[r0][c0]))
        alpha, array = k.get("alpha"), None
        if given is not None:
            colors = [to_rgba(t, alpha) for t in tints]
        elif cmap is not None:
            array, colors = _np.array([float(f[:, 2].mean()) for f in faces]), None
        else:
            colors = [to_rgba(color or self._next_color(), alpha)]
        if array is None and shade is not False:
            colors = [_shaded(colors[i % len(colors)], f) for i, f in enumerate(faces)]
        made = Faces(faces, colors, array, norm or Normalize(vmin, vmax), cmap, k.get("edgecolor"), k.get("linewidth", 1.0 if k.get("edgecolor") else 0.0), alpha,
                     k.get("label", ""))
        self.figure._mappable = made
        return self._add(made, self.collections)

    def plot_wireframe(self, X, Y, Z, **kwargs):
        k = _long(kwargs)
        x, y, z = _grid(X, Y, Z)
        if z.ndim != 2:
            raise ValueError("Argument Z must be 2-dimensional.")
        rs, cs = self._strides(z.shape, k, "wires")
        rows = sorted(set(list(range(0, z.shape[0], rs)) + [z.shape[0] - 1])) if rs else []
        columns = sorted(set(list(range(0, z.shape[1], cs)) + [z.shape[1] - 1])) if cs else []
        wires = [_np.stack([x[r], y[r], z[r]], -1) for r in rows] + [_np.stack([x[:, c], y[:, c], z[:, c]], -1) for c in columns]
        return self._wires(wires, k)

    def _wires(self, wires, k):
        color = k.get("color") or self._next_color()
        return self._add(Wires(wires, color, k.get("linewidth", rcParams["lines.linewidth"]), k.get("linestyle", "-"), k.get("alpha"), k.get("label", "")),
                         self.collections)

    def plot_trisurf(self, *args, color=None, norm=None, vmin=None, vmax=None, cmap=None, shade=None, **kwargs):
        from matplotlib._triangles import Triangulation
        k = _long(kwargs)
        x, y, z = [_np.asarray(_array(a), dtype=float).reshape(-1) for a in (args[0], args[1], args[2] if len(args) > 2 else k.pop("Z"))]
        triangles = _array(k.pop("triangles")) if "triangles" in k else Triangulation(x, y).triangles
        faces = [_np.stack([x[t], y[t], z[t]], -1) for t in triangles]
        array = None if cmap is None else _np.array([float(f[:, 2].mean()) for f in faces])
        base = to_rgba(color or self._next_color(), k.get("alpha"))
        colors = [base] if shade is False else [_shaded(base, f) for f in faces]
        made = Faces(faces, colors, array, norm or Normalize(vmin, vmax), cmap, k.get("edgecolor"), k.get("linewidth", 0.0), k.get("alpha"), k.get("label", ""))
        self.figure._mappable = made
        return self._add(made, self.collections)

    def bar3d(self, x, y, z, dx, dy, dz, color=None, shade=True, **kwargs):
        k = _long(kwargs)
        parts = [v.reshape(-1).tolist() for v in _grid(x, y, z, dx, dy, dz)]
        base = [self._next_color()] if color is None else [color] if isinstance(color, str) or not hasattr(color[0], "__len__") else list(color)
        sides = [[(0, 0, 0), (0, 1, 0), (1, 1, 0), (1, 0, 0)], [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)],
                 [(0, 1, 0), (0, 1, 1), (1, 1, 1), (1, 1, 0)], [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0)], [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)]]
        faces, colors = [], []
        for i, (a, b, c, p, q, r) in enumerate(zip(*parts)):
            for side in sides:
                f = _np.array([[a + u * p, b + v * q, c + w * r] for u, v, w in side])
                one = to_rgba(base[i % len(base)], k.get("alpha"))
                faces.append(f)
                colors.append(_shaded(one, f) if shade else one)
        return self._add(Faces(faces, colors, None, None, None, k.get("edgecolor"), k.get("linewidth", 1.0 if k.get("edgecolor") else 0.0), k.get("alpha"),
                               k.get("label", "")), self.collections)

    def bar(self, left, height, zs=0, zdir="z", **kwargs):
        k = _long(kwargs)
        at, high, base, z = [v.reshape(-1).tolist() for v in _grid(left, height, k.get("bottom", 0), zs)]
        w = k.get("width", 0.8) / 2
        color = k.get("color") if k.get("color") is not None else self._next_color()
        colors = list(color) if isinstance(color, (list, tuple)) and isinstance(color[0], str) else [color]
        faces = [_np.stack(_turned(zdir, *[_np.array(v) for v in ([a - w, a + w, a + w, a - w], [b, b, b + h, b + h], [c] * 4)]), -1)
                 for a, h, b, c in zip(at, high, base, z)]
        return self._add(Faces(faces, [to_rgba(c, k.get("alpha")) for c in colors], None, None, None, k.get("edgecolor"), k.get("linewidth", 0.0), k.get("alpha"),
                               k.get("label", "")), self.patches)

    def contour(self, X, Y, Z, *args, levels=None, cmap=None, colors=None, zdir="z", offset=None, **kwargs):
        k = _long(kwargs)
        if zdir != "z":
            raise NotImplementedError("contour: levels of z")
        x, y, z = _grid(X, Y, Z)
        levels = self._levels(z, args[0] if args else levels)
        made = _cm.ScalarMappable(Normalize(min(levels), max(levels)), cmap)
        made.levels, made._array, made.collections = levels, z, []
        for i, v in enumerate(levels):
            high = v if offset is None else offset
            parts = [_np.array([[p[0], q[0], high], [p[1], q[1], high]]) for p, q in _contour.lines(x[0].tolist(), y[:, 0].tolist(), z.tolist(), v)]
            color = made.to_rgba(v) if colors is None else colors if isinstance(colors, str) else colors[i % len(colors)]
            if parts:
                made.collections.append(self._wires(parts, dict(k, color=color)))
        self.figure._mappable = made
        return made

    contour3D = contour

    def quiver(self, X, Y, Z, U, V, W, *, length=1, arrow_length_ratio=0.3, normalize=False, pivot="tail", **kwargs):
        k = _long(kwargs)
        back = {"tail": 0.0, "middle": 0.5, "tip": 1.0}[pivot]
        wires = []
        for x, y, z, u, v, w in zip(*[a.reshape(-1).tolist() for a in _grid(X, Y, Z, U, V, W)]):
            d = _np.array([u, v, w])
            n = float(_np.sqrt((d * d).sum()))
            if n == 0:
                continue
            d = d * length / (n if normalize else 1.0)
            tail = _np.array([x, y, z]) - d * back
            tip = tail + d
            side = _np.array([-v, u, 0.0]) if abs(u) + abs(v) > 1e-12 else _np.array([1.0, 0.0, 0.0])
            side = side / float(_np.sqrt((side * side).sum())) * float(_np.sqrt((d * d).sum())) * arrow_length_ratio * 0.27
            wires += [_np.stack([tail, tip]), _np.stack([tip - d * arrow_length_ratio + side, tip, tip - d * arrow_length_ratio - side])]
        return self._wires(wires, k)

    def stem(self, x, y, z, *, linefmt="C0-", markerfmt="C0o", bottom=0, **kwargs):
        if kwargs:
            raise NotImplementedError("stem in space: " + ", ".join(kwargs))
        a, b, c = [v.reshape(-1) for v in _grid(x, y, z)]
        stems = self._wires([_np.array([[p, q, bottom], [p, q, r]]) for p, q, r in zip(a.tolist(), b.tolist(), c.tolist())], parse(linefmt))
        return self.plot(a, b, c, markerfmt)[0], stems

    def text(self, x, y, z, s, zdir=None, **kwargs):
        if zdir not in (None, "z"):
            raise NotImplementedError("text in space stands upright")
        made = Axes.text(self, x, y, s, **kwargs)
        made.__class__ = Text3D
        made.z = float(z)
        return made

    def text2D(self, x, y, s, **kwargs):
        made = Axes.text(self, x, y, s, **dict(kwargs, transform="axes"))
        made.__class__ = Text3D
        return made

    def __getattr__(self, name):
        if name in ("hist", "imshow", "pcolormesh", "barh", "fill_between", "errorbar", "contourf", "voxels", "tricontour", "tricontourf"):
            raise NotImplementedError(f"Axes3D.{name}")
        raise AttributeError(f"'Axes3D' object has no attribute {name!r}")

    # ---- drawing

    def draw(self, canvas, width, height):
        box = self._box(width, height)
        at = self._mapping(box)
        x0, y0, x1, y1 = box
        if self._on:
            self._draw_space(canvas, at)
        far = {id(a): max(at.depths(*a.space()).tolist() + [0.0]) if len(a.space()[0]) else 0.0 for a in self._artists}
        for a in sorted(self._artists, key=lambda a: -far[id(a)]):
            if a.visible:
                if isinstance(a, Text):
                    a.place = lambda x, y: (x0 + x * (x1 - x0), y1 - y * (y1 - y0))
                a.draw(canvas, at, None)
        self._draw_titles(canvas, box)
        if self._legend is not None:
            self._draw_legend(canvas, at, box)

    def _draw_space(self, canvas, at):
        # panes at the back with their lines, and the three scales on edges of the box
        axes = (self.xaxis, self.yaxis, self.zaxis)
        low, high = [min(self._limits(a)) for a in axes], [max(self._limits(a)) for a in axes]
        back, front = list(low), list(high)
        for i in range(3):
            mid = [(p + q) / 2 for p, q in zip(low, high)]
            a, b = list(mid), list(mid)
            a[i], b[i] = low[i], high[i]
            if float(at.depths([b[0]], [b[1]], [b[2]])[0]) > float(at.depths([a[0]], [a[1]], [a[2]])[0]):
                back[i], front[i] = high[i], low[i]

        def place(p):
            return list(at([p[0]], [p[1]], [p[2]])[0])
        for i, shade in enumerate((0.95, 0.90, 0.925)):
            j, k = [n for n in range(3) if n != i]
            corners = []
            for a, b in ((low[j], low[k]), (high[j], low[k]), (high[j], high[k]), (low[j], high[k])):
                p = list(back)
                p[j], p[k] = a, b
                corners += place(p)
            canvas.polygon(corners, (shade, shade, shade, 0.5))
            canvas.line(corners + corners[:2], (0.9, 0.9, 0.9, 1.0), 1.0)
        for i, axis in enumerate(axes):
            ticks = axis.shown(low[i], high[i], 300)[0]
            j, k = [n for n in range(3) if n != i]
            if axis.grid_on:
                for t, _ in ticks:
                    a, b, c = list(back), list(back), list(back)
                    a[i] = b[i] = c[i] = t
                    a[j], c[k] = front[j], front[k]
                    canvas.line(place(a) + place(b) + place(c), to_rgba(axis.grid_style["color"]), axis.grid_style["linewidth"])
            if axis.visible:
                self._draw_scale(canvas, place, axis, i, back, front, ticks)

    def _draw_scale(self, canvas, place, axis, i, back, front, ticks):
        start = list(back)
        start[1 if i == 0 else 0] = front[1 if i == 0 else 0]
        end = list(start)
        end[i] = front[i]
        (ax, ay), (bx, by), (cx, cy) = place(start), place(end), place([(p + q) / 2 for p, q in zip(back, front)])
        canvas.line([ax, ay, bx, by], (0.0, 0.0, 0.0, 1.0), 0.8)
        n = _math.hypot(bx - ax, by - ay) or 1.0
        ox, oy = -(by - ay) / n, (bx - ax) / n  # away from the box
        if ox * ((ax + bx) / 2 - cx) + oy * ((ay + by) / 2 - cy) < 0:
            ox, oy = -ox, -oy
        size, deep = points(axis.tick_size or rcParams["xtick.labelsize"]), 0.0
        for t, text in ticks:
            p = list(start)
            p[i] = t
            x, y = place(p)
            canvas.line([x - ox * 1.5, y - oy * 1.5, x + ox * 4, y + oy * 4], (0.0, 0.0, 0.0, 1.0), 0.8)
            text = text if isinstance(text, str) else text[0] + text[1]
            w = _font.width(text, size)
            deep = max(deep, abs(ox) * w + abs(oy) * size)
            canvas.text(x + ox * (7 + abs(ox) * w / 2 + abs(oy) * size / 2), y + oy * (7 + size / 2), plain(text), size, to_rgba(axis.text_color), "center", "center")
        if axis.label:
            s = points(axis.label_size or rcParams["axes.labelsize"])
            angle = -_math.degrees(_math.atan2(by - ay, bx - ax))
            angle = angle - 180 if angle > 90 else angle + 180 if angle < -90 else angle
            canvas.text((ax + bx) / 2 + ox * (deep + 12 + s / 2), (ay + by) / 2 + oy * (deep + 12 + s / 2), plain(axis.label), s, to_rgba(axis.label_color),
                        "center", "center", angle)


def _turned(zdir, x, y, z):
    # what is given as lying flat, where zdir is another axis than z
    if zdir == "z":
        return x, y, z
    if zdir == "x":
        return z, x, y
    if zdir == "y":
        return x, z, y
    raise ValueError(f"{zdir!r} is not a valid value for zdir")
