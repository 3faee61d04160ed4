# matplotlib._statistics -- plotting functions for samples: boxes and violins.
import math as _math

import numpy as _np
from matplotlib.artists import Polygon
from matplotlib.colors import to_rgba


def _sets(x):
    # one array for each sample: rows of a list, columns of an array
    from matplotlib._plots import _array
    if isinstance(x, (list, tuple)) and len(x) and hasattr(x[0], "__len__"):
        return [_np.asarray(_array(v), dtype=float).reshape(-1) for v in x]
    a = _np.asarray(_array(x), dtype=float)
    return [a[:, i] for i in range(a.shape[1])] if a.ndim == 2 else [a.reshape(-1)]


def _density(data, at, method):
    # Gaussians around the data, as wide as Scott's or Silverman's rule says
    n = len(data)
    if callable(method):
        raise NotImplementedError("violinplot: bw_method 'scott', 'silverman' or a number")
    k = n ** -0.2 if method in (None, "scott") else (n * 0.75) ** -0.2 if method == "silverman" else float(method)
    w = k * float(data.std(ddof=1))
    d = (at[:, None] - data[None, :]) / w
    return _np.exp(-0.5 * d * d).sum(axis=1) / (n * w * _math.sqrt(2 * _math.pi))


class Statistics:
    def _laid(self, upright, along, across, **style):
        return self.plot(*((across, along) if upright else (along, across)), **style)

    def boxplot(self, x, notch=None, sym=None, vert=None, whis=1.5, positions=None, widths=None, patch_artist=False, labels=None, tick_labels=None, showmeans=False,
                showcaps=True, showbox=True, showfliers=True, meanline=False, manage_ticks=True, orientation="vertical", boxprops=None, medianprops=None,
                meanprops=None, flierprops=None, whiskerprops=None, capprops=None, label=None):
        if notch:
            raise NotImplementedError("boxplot: boxes without notches")
        from matplotlib._plots import _long, parse
        sets, upright = _sets(x), orientation == "vertical" and vert is not False
        out = {k: [] for k in ("whiskers", "caps", "boxes", "medians", "fliers", "means")}
        places = [float(i + 1) for i in range(len(sets))] if positions is None else [float(p) for p in positions]
        reach = max(places) - min(places)
        black = {"color": "k", "linewidth": 1.0}

        def style(base, given):
            return dict(base, **_long(given or {}))
        for i, v in enumerate(sets):
            p = places[i]
            w = (min(0.5, max(0.15, 0.15 * reach)) if widths is None else widths[i] if hasattr(widths, "__len__") else widths) / 2
            q1, m, q3 = [float(q) for q in _np.percentile(v, [25, 50, 75])]
            if hasattr(whis, "__len__"):
                low_at, high_at = [float(q) for q in _np.percentile(v, list(whis))]
            else:
                low_at, high_at = q1 - whis * (q3 - q1), q3 + whis * (q3 - q1)
            inside = v[(v >= low_at) & (v <= high_at)]
            low, high = (min(float(inside.min()), q1), max(float(inside.max()), q3)) if len(inside) else (q1, q3)
            if showbox:
                along, across = [q1, q1, q3, q3, q1], [p - w, p + w, p + w, p - w, p - w]
                if patch_artist:
                    look = style({"facecolor": "C0", "edgecolor": "k", "linewidth": 1.0}, boxprops)
                    look = {("color" if k == "facecolor" else k): n for k, n in look.items() if k in ("facecolor", "edgecolor", "linewidth", "alpha", "linestyle")}
                    out["boxes"].append(self._add(Polygon(*((across, along) if upright else (along, across)), **look), self.patches))
                else:
                    out["boxes"] += self._laid(upright, along, across, **style(black, boxprops))
                if label is not None:
                    out["boxes"][-1].label = label if isinstance(label, str) and i == 0 else label[i] if not isinstance(label, str) else ""
            for a, b in ((q1, low), (q3, high)):
                out["whiskers"] += self._laid(upright, [a, b], [p, p], **style(black, whiskerprops))
                if showcaps:
                    out["caps"] += self._laid(upright, [b, b], [p - w / 2, p + w / 2], **style(black, capprops))
            if showmeans:
                mean = float(v.mean())
                look = {"color": "C2", "linewidth": 1.0, "linestyle": "--"} if meanline else {"color": "C2", "marker": "^", "linestyle": "None"}
                out["means"] += self._laid(upright, [mean] * (2 if meanline else 1), [p - w, p + w] if meanline else [p], **style(look, meanprops))
            out["medians"] += self._laid(upright, [m, m], [p - w, p + w], **style({"color": "C1", "linewidth": 1.0}, medianprops))
            if showfliers and sym != "":
                far = v[(v < low) | (v > high)]
                look = dict({"color": "k", "marker": "o", "markerfacecolor": "none", "linestyle": "None"}, **(parse(sym) if sym else {}))
                out["fliers"] += self._laid(upright, far, [p] * len(far), **style(look, flierprops))
        if manage_ticks:
            names, axis = tick_labels if tick_labels is not None else labels, self.xaxis if upright else self.yaxis
            axis.set_ticks(places, [f"{p:g}" for p in places] if names is None else names)
            self._set_limits(axis, min(places) - 0.5, max(places) + 0.5)
        return out

    def violinplot(self, dataset, positions=None, vert=None, orientation="vertical", widths=0.5, showmeans=False, showextrema=True, showmedians=False,
                   quantiles=None, points=100, bw_method=None, side="both", facecolor=None, linecolor=None):
        sets, upright = _sets(dataset), orientation == "vertical" and vert is not False
        if side not in ("both", "low", "high"):
            raise ValueError(f"side={side!r} is not one of both, low, high")
        places = [float(i + 1) for i in range(len(sets))] if positions is None else [float(p) for p in positions]
        if len(places) != len(sets):
            raise ValueError("List of violinplot statistics and positions values must have the same length")
        color = self._next_color() if facecolor is None or linecolor is None else None
        faces = facecolor if isinstance(facecolor, (list, tuple)) and isinstance(facecolor[0], str) else [facecolor or color]
        out, lines, low_end, high_end = {"bodies": []}, {}, 0.25 if side != "high" else 0.0, 0.25 if side != "low" else 0.0
        for i, v in enumerate(sets):
            p, w = places[i], widths[i] if hasattr(widths, "__len__") else widths
            least, most = float(v.min()), float(v.max())
            at = _np.linspace(least, most, points)
            spread = _density(v, at, bw_method) if most > least else _np.ones(points)
            half = (0.5 * w * spread / float(spread.max())).tolist()
            along = at.tolist()
            across = [p - (h if side != "high" else 0) for h in half] + [p + (h if side != "low" else 0) for h in half[::-1]]
            xy = (across, along + along[::-1]) if upright else (along + along[::-1], across)
            body = Polygon(*xy, to_rgba(faces[i % len(faces)], 0.3))
            out["bodies"].append(self._add(body, self.collections))
            a, b = p - low_end * w, p + high_end * w
            marks = {"cmeans": [float(v.mean())] if showmeans else [], "cmedians": [float(_np.median(v))] if showmedians else [],
                     "cmins": [least] if showextrema else [], "cmaxes": [most] if showextrema else [],
                     "cquantiles": [float(_np.quantile(v, q)) for q in _of(quantiles, i, len(sets))]}
            for k, ends in marks.items():
                lines.setdefault(k, [])
                lines[k] += [([a, b], [n, n]) if upright else ([n, n], [a, b]) for n in ends]
            if showextrema:
                lines.setdefault("cbars", []).append(([p, p], [least, most]) if upright else ([least, most], [p, p]))
        for k, parts in lines.items():
            if parts:
                out[k] = self._segments(parts, {"color": linecolor or color})
        return out


def _of(quantiles, i, n):
    if quantiles is None or len(quantiles) == 0:
        return []
    q = quantiles[i] if hasattr(quantiles[0], "__len__") else quantiles if n == 1 else [quantiles[i]]
    return list(q)
