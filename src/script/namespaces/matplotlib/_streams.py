# matplotlib._streams -- lines that follow a field on a grid, apart from each other: the field is cut into cells, and a line ends where it would
# come into a cell that another one has. Lines begin in free cells, from the border inwards; steps are those of Heun's method, as long as its
# error allows. Places are parts of the whole grid, from 0 to 1.
import math as _math


def _inwards(nx, ny):
    # cells from the border inwards, around and around
    left, right, low, high = 0, nx - 1, 0, ny - 1
    while left <= right and low <= high:
        for i in range(left, right + 1):
            yield i, low
        for j in range(low + 1, high + 1):
            yield right, j
        if high > low:
            for i in range(right - 1, left - 1, -1):
                yield i, high
        if right > left:
            for j in range(high - 1, low, -1):
                yield left, j
        left, right, low, high = left + 1, right - 1, low + 1, high - 1


class _Field:
    def __init__(self, u, v, wide, high, cells, direction, longest, broken):
        self.u, self.v, self.wide, self.high, self.ny, self.nx = u, v, wide, high, len(u), len(u[0])
        self.mx, self.my = cells
        self.taken, self.step, self.broken = {}, min(1.0 / self.mx, 1.0 / self.my, 0.1), broken
        self.signs = {"both": (-1, 1), "forward": (1,), "backward": (-1,)}[direction]
        self.longest = longest / len(self.signs)

    def between(self, a, s, t):
        # a value of the grid between its points
        p, q = s * (self.nx - 1), t * (self.ny - 1)
        i, j = min(int(p), self.nx - 2), min(int(q), self.ny - 2)
        p, q = p - i, q - j
        lo, hi = a[j], a[j + 1]
        return (lo[i] * (1 - p) + lo[i + 1] * p) * (1 - q) + (hi[i] * (1 - p) + hi[i + 1] * p) * q

    def way(self, s, t, sign):
        # the direction there, of length 1; None where there is none, or outside
        if not (0 <= s <= 1 and 0 <= t <= 1):
            return None
        a, b = self.between(self.u, s, t) / self.wide, self.between(self.v, s, t) / self.high
        n = _math.sqrt(a * a + b * b)
        return None if not n > 0 else (sign * a / n, sign * b / n)

    def cell(self, s, t):
        return int(s * (self.mx - 1) + 0.5), int(t * (self.my - 1) + 0.5)

    def walk(self, s, t, sign):
        # (places, length) from a place, one way
        out, total, step, allowed, now = [(s, t)], 0.0, self.step, 0.003, self.cell(s, t)
        while total < self.longest and step >= 1e-7:
            a = self.way(s, t, sign)
            b = self.way(s + step * a[0], t + step * a[1], sign) if a is not None else None
            if b is None:
                if a is not None:
                    total += self._to_edge(out, s, t, a, step)
                break
            error = step * 0.5 * _math.hypot(b[0] - a[0], b[1] - a[1])
            if error < allowed:
                p, q = s + step * 0.5 * (a[0] + b[0]), t + step * 0.5 * (a[1] + b[1])
                if not (0 <= p <= 1 and 0 <= q <= 1):
                    break
                c = self.cell(p, q)
                if c != now and self.broken and c in self.taken:
                    break
                self.taken[c], now, s, t = True, c, p, q
                total += step
                out.append((s, t))
            step = self.step if error == 0 else min(self.step, 0.85 * step * _math.sqrt(allowed / error))
        return out, total

    def _to_edge(self, out, s, t, a, step):
        # straight on to it, if it is no further than a step
        k = max(min([((1 if d > 0 else 0) - p) / d for p, d in ((s, a[0]), (t, a[1])) if d != 0]), 0.0)
        if k > step * 1.001:
            return 0.0
        out.append((min(max(s + k * a[0], 0.0), 1.0), min(max(t + k * a[1], 0.0), 1.0)))
        return k

    def line(self, s, t, shortest):
        # through a place, both ways; None where it is short, or the place is taken
        if self.cell(s, t) in self.taken:
            return None
        before, line, total = dict(self.taken), [(s, t)], 0.0
        self.taken[self.cell(s, t)] = True
        for sign in self.signs:
            part, n = self.walk(s, t, sign)
            total += n
            line = part[:0:-1] + line if sign < 0 else line + part[1:]
        if total > shortest and len(line) > 1:
            return line
        self.taken = before
        return None


def follow(x, y, u, v, density, shortest, longest, starts, direction, broken):
    # ([[(x, y), ..] ..], sample), sample(a, x, y) being a value of the grid between its points
    x0, y0, wide, high = x[0], y[0], x[-1] - x[0], y[-1] - y[0]
    dx, dy = density if isinstance(density, (list, tuple)) else (density, density)
    cells = mx, my = max(1, int(30 * dx)), max(1, int(30 * dy))
    field, places = _Field(u, v, wide, high, cells, direction, longest, broken), []
    if starts is None:
        places = [(i / max(mx - 1, 1), j / max(my - 1, 1)) for i, j in _inwards(mx, my)]
    else:
        for p, q in (starts.tolist() if hasattr(starts, "tolist") else starts):
            places.append(((p - x0) / wide, (q - y0) / high))
            if not (0 <= places[-1][0] <= 1 and 0 <= places[-1][1] <= 1):
                raise ValueError(f"Starting point ({p}, {q}) outside of data boundaries")
    lines = [field.line(s, t, shortest) for s, t in places]
    return ([[(x0 + p * wide, y0 + q * high) for p, q in line] for line in lines if line is not None],
            lambda a, p, q: field.between(a, min(max((p - x0) / wide, 0.0), 1.0), min(max((q - y0) / high, 0.0), 1.0)))
