# matplotlib.patches -- shapes to add to axes.
import math as _math

from matplotlib import artists as _artists


def _options(kwargs):
    k = {{"ec": "edgecolor", "fc": "facecolor", "lw": "linewidth", "ls": "linestyle"}.get(a, a): v for a, v in kwargs.items()}
    color = k.get("color")
    edge = k.get("edgecolor", color)
    return {"color": k.get("facecolor", color or "C0"), "alpha": k.get("alpha"), "label": k.get("label", ""), "edgecolor": edge,
            "linewidth": k.get("linewidth", 1.0), "linestyle": k.get("linestyle", "-"), "fill": k.get("fill", True)}


class Rectangle(_artists.Polygon):
    def __init__(self, xy, width, height, *, angle=0.0, **kwargs):
        x, y = xy
        c, s = _math.cos(_math.radians(angle)), _math.sin(_math.radians(angle))
        corners = [(0, 0), (width, 0), (width, height), (0, height)]
        _artists.Polygon.__init__(self, [x + a * c - b * s for a, b in corners], [y + a * s + b * c for a, b in corners], **_options(kwargs))


class Ellipse(_artists.Polygon):
    def __init__(self, xy, width, height, *, angle=0.0, **kwargs):
        t = _math.radians(angle)
        around = [2 * _math.pi * k / 64 for k in range(64)]
        xs = [width / 2 * _math.cos(a) for a in around]
        ys = [height / 2 * _math.sin(a) for a in around]
        _artists.Polygon.__init__(self, [xy[0] + a * _math.cos(t) - b * _math.sin(t) for a, b in zip(xs, ys)],
                                  [xy[1] + a * _math.sin(t) + b * _math.cos(t) for a, b in zip(xs, ys)], **_options(kwargs))


class Circle(Ellipse):
    def __init__(self, xy, radius=5, **kwargs):
        Ellipse.__init__(self, xy, 2 * radius, 2 * radius, **kwargs)


class Polygon(_artists.Polygon):
    def __init__(self, xy, *, closed=True, **kwargs):
        points = [tuple(p) for p in (xy.tolist() if hasattr(xy, "tolist") else xy)]
        points = points if closed else points + points[::-1]
        _artists.Polygon.__init__(self, [p[0] for p in points], [p[1] for p in points], **_options(kwargs))


class Wedge(_artists.Polygon):
    def __init__(self, center, r, theta1, theta2, *, width=None, **kwargs):
        from matplotlib._plots import _slice
        xy = _slice(center, r, width, _math.radians(theta1), _math.radians(theta2 if theta2 > theta1 else theta2 + 360))
        _artists.Polygon.__init__(self, [p[0] for p in xy], [p[1] for p in xy], **_options(kwargs))


class Arc(_artists.Line2D):
    def __init__(self, xy, width, height, *, angle=0.0, theta1=0.0, theta2=360.0, **kwargs):
        k, t = _options(kwargs), _math.radians(angle)
        end = theta2 if theta2 > theta1 else theta2 + 360
        around = [_math.radians(theta1 + (end - theta1) * i / 64) for i in range(65)]
        xs, ys = [width / 2 * _math.cos(a) for a in around], [height / 2 * _math.sin(a) for a in around]
        _artists.Line2D.__init__(self, [xy[0] + a * _math.cos(t) - b * _math.sin(t) for a, b in zip(xs, ys)],
                                 [xy[1] + a * _math.sin(t) + b * _math.cos(t) for a, b in zip(xs, ys)], k["edgecolor"] or "black", k["linewidth"], k["linestyle"])


class FancyBboxPatch(Rectangle):
    # a box with room around it; its corners are not rounded
    def __init__(self, xy, width, height, boxstyle="round", **kwargs):
        pad = float(boxstyle.split("pad=")[1].split(",")[0]) if "pad=" in boxstyle else 0.3
        Rectangle.__init__(self, (xy[0] - pad, xy[1] - pad), width + 2 * pad, height + 2 * pad, **dict({"edgecolor": "black"}, **kwargs))


class Arrow(_artists.Polygon):
    def __init__(self, x, y, dx, dy, *, width=1.0, **kwargs):
        n = _math.hypot(dx, dy)
        outline = [(0, .1), (.8, .1), (.8, .3), (1, 0), (.8, -.3), (.8, -.1), (0, -.1)]
        _artists.Polygon.__init__(self, [x + p * dx - q * width * dy / n for p, q in outline], [y + p * dy + q * width * dx / n for p, q in outline], **_options(kwargs))


class Patch(_artists.Polygon):
    # of a legend alone
    def __init__(self, **kwargs):
        hatch = kwargs.pop("hatch", None)
        _artists.Polygon.__init__(self, [], [], **_options(kwargs))
        self.set_hatch(hatch)
