# matplotlib._contour -- lines of one height through a grid, cell by cell (marching squares), and bands between heights.
import numpy as _np

_EDGES = {1: [(3, 0)], 2: [(0, 1)], 3: [(3, 1)], 4: [(1, 2)], 5: [(3, 2), (0, 1)], 6: [(0, 2)], 7: [(3, 2)], 8: [(2, 3)], 9: [(2, 0)],
          10: [(0, 3), (2, 1)], 11: [(2, 1)], 12: [(1, 3)], 13: [(1, 0)], 14: [(0, 3)]}


def lines(x, y, z, level):
    # segments ([xa, xb], [ya, yb])
    out = []
    above = [[v > level for v in row] for row in z]
    for j in range(len(y) - 1):
        lo, hi = above[j], above[j + 1]
        for i in range(len(x) - 1):
            code = (1 if lo[i] else 0) | (2 if lo[i + 1] else 0) | (4 if hi[i + 1] else 0) | (8 if hi[i] else 0)
            if code in (0, 15):
                continue
            a, b, c, d = z[j][i], z[j][i + 1], z[j + 1][i + 1], z[j + 1][i]

            def cut(edge):
                if edge == 0:
                    return x[i] + (x[i + 1] - x[i]) * (level - a) / (b - a), y[j]
                if edge == 1:
                    return x[i + 1], y[j] + (y[j + 1] - y[j]) * (level - b) / (c - b)
                if edge == 2:
                    return x[i] + (x[i + 1] - x[i]) * (level - d) / (c - d), y[j + 1]
                return x[i], y[j] + (y[j + 1] - y[j]) * (level - a) / (d - a)
            for p, q in _EDGES[code]:
                (xa, ya), (xb, yb) = cut(p), cut(q)
                out.append(([xa, xb], [ya, yb]))
    return out


def bands(z, levels):
    # the grid finer, each number the middle of its band
    h, w = z.shape
    n, m = max(h * 2, 300), max(w * 2, 300)
    ys, xs = _np.linspace(0, h - 1, n), _np.linspace(0, w - 1, m)
    y0, x0 = _np.minimum(ys.astype("int64"), max(h - 2, 0)), _np.minimum(xs.astype("int64"), max(w - 2, 0))
    ty, tx = (ys - y0)[:, None], (xs - x0)[None, :]
    y1, x1 = _np.minimum(y0 + 1, h - 1), _np.minimum(x0 + 1, w - 1)
    fine = (z[y0][:, x0] * (1 - ty) + z[y1][:, x0] * ty) * (1 - tx) + (z[y0][:, x1] * (1 - ty) + z[y1][:, x1] * ty) * tx
    edges = _np.array(levels)
    k = _np.clip(_np.searchsorted(edges, fine.reshape(-1), side="right") - 1, 0, len(levels) - 2).reshape(fine.shape)
    return ((edges[:-1] + edges[1:]) / 2)[k]
