# matplotlib.collections -- many artists in one.
import numpy as _np
from matplotlib import cm as _cm, rcParams as _rc
from matplotlib.artists import dashes_of as _dashes_of, PathCollection, Segments
from matplotlib.colors import to_rgba as _to_rgba


def _each(v, n):
    # one value for each of n
    v = v.tolist() if hasattr(v, "tolist") else v
    v = v if isinstance(v, list) else [v]
    return [v[i % len(v)] for i in range(n)]


class LineCollection(Segments, _cm.ScalarMappable):
    def __init__(self, segments, *, linewidths=None, colors=None, cmap=None, norm=None, linestyles="solid", alpha=None, label="", array=None, **kwargs):
        _cm.ScalarMappable.__init__(self, norm, cmap)
        k = {{"color": "colors", "linewidth": "linewidths", "lw": "linewidths", "linestyle": "linestyles"}.get(n, n): v for n, v in kwargs.items()}
        unknown = [n for n in k if n not in ("colors", "linewidths", "linestyles", "zorder")]
        if unknown:
            raise AttributeError(f"LineCollection.set() got an unexpected keyword argument {unknown[0]!r}")
        color, width = k.get("colors", colors), k.get("linewidths", linewidths)
        color = list(color) if isinstance(color, (list, tuple)) and color and not isinstance(color[0], (int, float)) else color
        Segments.__init__(self, [], "C0" if color is None else color, _rc["lines.linewidth"] if width is None else width, k.get("linestyles", linestyles), alpha, label)
        self.zorder = k.get("zorder", self.zorder)
        self.set_segments(segments)
        if array is not None:
            self.set_array(array)

    def set_segments(self, segments):
        each = [_np.asarray(s, dtype=float) for s in segments]
        self.segments = [(s[:, 0].tolist(), s[:, 1].tolist()) for s in each]

    def set_array(self, A):
        self._array = _np.asarray(A, dtype=float).reshape(-1)
        self.norm.autoscale_None(self._array)

    def set_linewidth(self, lw):
        self.linewidth = lw

    def set_color(self, c):
        self.color = c

    def draw(self, canvas, at, clip):
        if self._array is not None:
            self.color = [tuple(c) for c in self.to_rgba(self._array).tolist()]
        Segments.draw(self, canvas, at, clip)


class PolyCollection(PathCollection):
    # closed lines, each with its color, or the number that it is colored by
    def __init__(self, verts, *, facecolors=None, array=None, norm=None, cmap=None, edgecolors=None, linewidths=None, alpha=None, label="", closed=True):
        if not closed:
            raise NotImplementedError("PolyCollection: closed lines")
        array = None if array is None else _np.asarray(array, dtype=float).reshape(-1)
        colors = [facecolors] if facecolors is None or isinstance(facecolors, str) or not hasattr(facecolors[0], "__len__") else list(facecolors)
        PathCollection.__init__(self, _np.zeros(0), _np.zeros(0), [1.0], ["C0"] if facecolors is None else colors, "o", alpha, label, norm, cmap, array, edgecolors,
                                1.0 if linewidths is None else linewidths)
        self.verts = [[tuple(p) for p in (v.tolist() if hasattr(v, "tolist") else v)] for v in verts]
        if array is not None:
            self.norm.autoscale_None(array)

    box = None  # the limits of data, where they are not those of the lines

    def extent(self):
        return self.box if self.box is not None else ([p[0] for v in self.verts for p in v], [p[1] for v in self.verts for p in v])

    def draw(self, canvas, at, clip):
        faces, edges = self._faces(), self.edgecolors
        edges = [edges] if edges is None or isinstance(edges, str) or not hasattr(edges[0], "__len__") else edges
        for i, v in enumerate(self.verts):
            p = [c for xy in at([q[0] for q in v], [q[1] for q in v]) if xy[0] is not None for c in xy]
            if len(p) < 6:
                continue
            face, edge = faces[i % len(faces)], edges[i % len(edges)]
            canvas.polygon(p, face, clip)
            if edge not in (None, "none", "face", "None"):
                canvas.line(p + p[:2], _to_rgba(edge, self.alpha), self.linewidths, None, clip)
            elif face[3] >= 1:
                canvas.line(p + p[:2], face, 0.4, None, clip)  # no seams between neighbours

    def key(self, canvas, x, y, w, h):
        canvas.polygon([x, y - h / 2, x + w, y - h / 2, x + w, y + h / 2, x, y + h / 2], self._faces()[0])


class PatchCollection(PolyCollection):
    # patches whose looks the collection gives, or their own
    def __init__(self, patches, *, match_original=False, facecolor=None, edgecolor=None, **kwargs):
        if match_original:
            kwargs["facecolors"] = [_to_rgba(p.color, p.alpha) for p in patches]
        elif facecolor is not None:
            kwargs["facecolors"] = facecolor
        PolyCollection.__init__(self, [list(zip(p.x, p.y)) for p in patches], **dict({} if edgecolor is None else {"edgecolors": edgecolor}, **kwargs))
