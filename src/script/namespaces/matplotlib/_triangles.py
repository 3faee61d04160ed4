# matplotlib._triangles -- points joined to triangles whose circles hold no other point (Bowyer and Watson), and pictures on them.
import numpy as _np


class Triangulation:
    def __init__(self, x, y, triangles=None, mask=None):
        self.x, self.y = [_np.asarray(v, dtype=float).reshape(-1) for v in (x, y)]
        if self.x.size != self.y.size:
            raise ValueError("x and y must be equal-length 1D arrays")
        self.triangles = _np.array(_joined(self.x.tolist(), self.y.tolist())) if triangles is None else _np.asarray(triangles)
        if mask is not None:
            self.triangles = self.triangles[~_np.asarray(mask, dtype=bool)]

    @property
    def edges(self):
        every = {tuple(sorted((t[i], t[i - 1]))) for t in self.triangles.tolist() for i in range(3)}
        return _np.array(sorted(every))


def _joined(xs, ys):
    # Points come in from left to right, so that a circle left of the next one is done with.
    n = len(xs)
    if n < 3:
        raise ValueError("x and y arrays must have a length of at least 3")
    span = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    mx, my = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    # points in rows have circles in common: each is moved by less than is seen
    px = [(x - mx) / span + 1e-9 * ((i * 7919) % 1009 - 504) / 504 for i, x in enumerate(xs)] + [-30.0, 30.0, 0.0]
    py = [(y - my) / span + 1e-9 * ((i * 104729) % 997 - 498) / 498 for i, y in enumerate(ys)] + [-30.0, -30.0, 60.0]

    def circle(a, b, c):
        bx, by, cx, cy = px[b] - px[a], py[b] - py[a], px[c] - px[a], py[c] - py[a]
        d = 2 * (bx * cy - by * cx)
        if abs(d) < 1e-30:
            return a, b, c, 0.0, 0.0, 1e30
        ux, uy = (cy * (bx * bx + by * by) - by * (cx * cx + cy * cy)) / d, (bx * (cx * cx + cy * cy) - cx * (bx * bx + by * by)) / d
        return a, b, c, px[a] + ux, py[a] + uy, ux * ux + uy * uy
    live, done = [circle(n, n + 1, n + 2)], []
    for i in sorted(range(n), key=lambda i: px[i]):
        x, y, keep, edges = px[i], py[i], [], {}
        for t in live:
            dx = x - t[3]
            if dx > 0 and dx * dx > t[5]:
                done.append(t)
            elif dx * dx + (y - t[4]) ** 2 < t[5]:
                for e in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
                    other = (e[1], e[0])
                    if other in edges:
                        del edges[other]
                    else:
                        edges[e] = True
            else:
                keep.append(t)
        live = keep + [circle(a, b, i) for a, b in edges]
    out = []
    for a, b, c, _, _, _ in done + live:
        if max(a, b, c) < n and abs((px[b] - px[a]) * (py[c] - py[a]) - (py[b] - py[a]) * (px[c] - px[a])) > 1e-8:
            turn = (px[b] - px[a]) * (py[c] - py[a]) - (py[b] - py[a]) * (px[c] - px[a]) > 0
            out.append([a, b, c] if turn else [a, c, b])
    return out


def triangulated(args):
    # (triangulation, what is left): of x and y, x, y and triangles, or a triangulation
    args = list(args)
    if isinstance(args[0], Triangulation):
        return args[0], args[1:]
    return Triangulation(args[0], args[1]), args[2:]


def crossings(t, z, level):
    # the pieces of a line of one height
    out = []
    for tri in t.triangles.tolist():
        cut = []
        for i in range(3):
            a, b = tri[i], tri[(i + 1) % 3]
            if (z[a] > level) != (z[b] > level):
                k = (level - z[a]) / (z[b] - z[a])
                cut.append((t.x[a] + k * (t.x[b] - t.x[a]), t.y[a] + k * (t.y[b] - t.y[a])))
        if len(cut) == 2:
            out.append(([float(cut[0][0]), float(cut[1][0])], [float(cut[0][1]), float(cut[1][1])]))
    return out


def between(points, low, high):
    # the part of a polygon of (x, y, z) where low <= z <= high
    for level, sign in ((low, 1), (high, -1)):
        out = []
        for i, p in enumerate(points):
            q = points[i - 1]
            inside, before = sign * (p[2] - level) >= 0, sign * (q[2] - level) >= 0
            if inside != before:
                k = (level - q[2]) / (p[2] - q[2])
                out.append(tuple([u + k * (v - u) for u, v in zip(q, p)]))
            if inside:
                out.append(p)
        points = out
    return points
