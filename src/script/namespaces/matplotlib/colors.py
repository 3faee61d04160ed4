# matplotlib.colors -- colors by name, numbers as shares of a range, maps from shares to colors.
import math as _math

import numpy as _np

TABLEAU_COLORS = {"tab:blue": "#1f77b4", "tab:orange": "#ff7f0e", "tab:green": "#2ca02c", "tab:red": "#d62728",
                  "tab:purple": "#9467bd", "tab:brown": "#8c564b", "tab:pink": "#e377c2", "tab:gray": "#7f7f7f",
                  "tab:olive": "#bcbd22", "tab:cyan": "#17becf"}
BASE_COLORS = {"b": (0, 0, 1), "g": (0, 0.5, 0), "r": (1, 0, 0), "c": (0, 0.75, 0.75), "m": (0.75, 0, 0.75), "y": (0.75, 0.75, 0),
               "k": (0, 0, 0), "w": (1, 1, 1)}
CSS4_COLORS = {
    "black": "#000000", "white": "#ffffff", "red": "#ff0000", "green": "#008000", "blue": "#0000ff", "cyan": "#00ffff",
    "magenta": "#ff00ff", "yellow": "#ffff00", "gray": "#808080", "grey": "#808080", "orange": "#ffa500", "purple": "#800080",
    "brown": "#a52a2a", "pink": "#ffc0cb", "olive": "#808000", "navy": "#000080", "teal": "#008080", "lime": "#00ff00",
    "maroon": "#800000", "silver": "#c0c0c0", "gold": "#ffd700", "indigo": "#4b0082", "violet": "#ee82ee", "coral": "#ff7f50",
    "crimson": "#dc143c", "salmon": "#fa8072", "darkblue": "#00008b", "darkgreen": "#006400", "darkred": "#8b0000",
    "darkorange": "#ff8c00", "lightblue": "#add8e6", "lightgreen": "#90ee90", "lightgray": "#d3d3d3", "lightgrey": "#d3d3d3",
    "darkgray": "#a9a9a9", "dimgray": "#696969", "skyblue": "#87ceeb", "steelblue": "#4682b4", "royalblue": "#4169e1",
    "dodgerblue": "#1e90ff", "deepskyblue": "#00bfff", "cornflowerblue": "#6495ed", "slateblue": "#6a5acd", "turquoise": "#40e0d0",
    "aqua": "#00ffff", "chocolate": "#d2691e", "firebrick": "#b22222", "tomato": "#ff6347", "orangered": "#ff4500",
    "forestgreen": "#228b22", "seagreen": "#2e8b57", "limegreen": "#32cd32", "springgreen": "#00ff7f", "khaki": "#f0e68c",
    "tan": "#d2b48c", "beige": "#f5f5dc", "ivory": "#fffff0", "lavender": "#e6e6fa", "orchid": "#da70d6", "plum": "#dda0dd",
    "hotpink": "#ff69b4", "deeppink": "#ff1493", "wheat": "#f5deb3", "sienna": "#a0522d", "peru": "#cd853f",
    "midnightblue": "#191970", "mediumblue": "#0000cd", "rebeccapurple": "#663399", "goldenrod": "#daa520",
    "lightcoral": "#f08080", "lightyellow": "#ffffe0", "aliceblue": "#f0f8ff", "mistyrose": "#ffe4e1", "chartreuse": "#7fff00"}
CYCLE = list(TABLEAU_COLORS.values())


def to_rgba(c, alpha=None):
    if isinstance(c, str):
        low = c.lower()
        if low == "none":
            return (0.0, 0.0, 0.0, 0.0)
        if len(low) == 2 and low[0] == "c" and low[1].isdigit():
            low = CYCLE[int(low[1])]
        found = TABLEAU_COLORS.get(low) or BASE_COLORS.get(low) or CSS4_COLORS.get(low) or low
        if isinstance(found, str):
            if found.startswith("#"):
                h = found[1:]
                h = "".join([x * 2 for x in h]) if len(h) in (3, 4) else h
                found = tuple([int(h[i:i + 2], 16) / 255 for i in range(0, len(h), 2)])
            else:
                try:
                    found = (float(found),) * 3
                except ValueError:
                    raise ValueError(f"Invalid RGBA argument: {c!r}") from None
    else:
        found = tuple([float(v) for v in c])
        if len(found) not in (3, 4):
            raise ValueError(f"Invalid RGBA argument: {c!r}")
    found = tuple([float(v) for v in found])
    return found[:3] + ((found[3] if len(found) == 4 else 1.0) if alpha is None else float(alpha),)


def to_rgb(c):
    return to_rgba(c)[:3]


def to_hex(c, keep_alpha=False):
    return "#" + "".join([f"{int(round(v * 255)):02x}" for v in to_rgba(c)[:4 if keep_alpha else 3]])


def to_rgba_array(c, alpha=None):
    if isinstance(c, str):
        return _np.array([to_rgba(c, alpha)])
    return _np.array([to_rgba(x, alpha) for x in c])


def is_color_like(c):
    try:
        to_rgba(c)
        return True
    except (ValueError, TypeError):
        return False


class Normalize:
    def __init__(self, vmin=None, vmax=None, clip=False):
        self.vmin, self.vmax, self.clip = vmin, vmax, clip

    def autoscale_None(self, a):
        a = _np.asarray(a, dtype=float)
        a = a.reshape(-1)
        good = a[_np.isfinite(a)]
        if good.size:
            self.vmin = float(good.min()) if self.vmin is None else self.vmin
            self.vmax = float(good.max()) if self.vmax is None else self.vmax

    def _of(self, x):
        return x

    def __call__(self, value, clip=None):
        self.autoscale_None(value)
        x = _np.asarray(value, dtype=float)
        low, high = self._of(_np.asarray(self.vmin, dtype=float)), self._of(_np.asarray(self.vmax, dtype=float))
        out = _np.zeros_like(x) if low == high else (self._of(x) - low) / (high - low)
        return _np.clip(out, 0, 1) if (self.clip if clip is None else clip) else out


class NoNorm(Normalize):
    def __call__(self, value, clip=None):
        return _np.asarray(value, dtype=float)


class LogNorm(Normalize):
    def _of(self, x):
        return _np.log10(_np.maximum(x, 1e-300))


class PowerNorm(Normalize):
    def __init__(self, gamma, vmin=None, vmax=None, clip=False):
        Normalize.__init__(self, vmin, vmax, clip)
        self.gamma = gamma

    def __call__(self, value, clip=None):
        return Normalize.__call__(self, value, True) ** self.gamma


class Colormap:
    def __init__(self, name, stops, N=256):
        self.name, self.N = name, N
        self._stops = _np.array([to_rgba(c) for c in stops])

    def _table(self):
        at = _np.linspace(0, len(self._stops) - 1, self.N)
        low = _np.minimum(at.astype("int64"), len(self._stops) - 2) if len(self._stops) > 1 else _np.zeros(self.N, "int64")
        t = (at - low)[:, None]
        return self._stops[low] * (1 - t) + self._stops[_np.minimum(low + 1, len(self._stops) - 1)] * t

    def __call__(self, X, alpha=None, bytes=False):
        scalar = isinstance(X, (int, float)) or _np.asarray(X).ndim == 0
        x = _np.asarray(X)
        if x.dtype.kind in "iu" and not isinstance(X, bool):
            index = x.astype("int64")
        else:
            index = _np.where(_np.isnan(x), 0, x * self.N)
            index = _np.minimum(index, self.N - 1).astype("int64")
        out = self._table()[_np.clip(index, 0, self.N - 1)]
        if alpha is not None:
            out = _np.concatenate([out[..., :3], _np.full(out.shape[:-1] + (1,), alpha)], -1)
        if bytes:
            return (out * 255).astype("uint8")
        return tuple(out.reshape(-1).tolist()) if scalar else out

    def reversed(self):
        return Colormap(self.name + "_r", [tuple(c) for c in self._stops.tolist()[::-1]], self.N)

    def resampled(self, lutsize):
        return Colormap(self.name, [tuple(c) for c in self._stops.tolist()], lutsize)


class ListedColormap(Colormap):
    def __init__(self, colors, name="from_list", N=None):
        Colormap.__init__(self, name, colors, N or len(colors))
        self.colors = colors

    def _table(self):
        return self._stops[_np.arange(self.N) % len(self._stops)]


class LinearSegmentedColormap(Colormap):
    @staticmethod
    def from_list(name, colors, N=256):
        return Colormap(name, colors, N)


def hsv_to_rgb(hsv):
    a = _np.asarray(hsv, dtype=float)
    h, s, v = a[..., 0], a[..., 1], a[..., 2]
    i = _np.floor(h * 6)
    f = h * 6 - i
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    i = i.astype("int64") % 6
    parts = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)]
    return _np.stack([sum([_np.where(i == k, parts[k][c], 0.0) for k in range(6)]) for c in range(3)], -1)
