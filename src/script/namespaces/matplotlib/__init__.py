# matplotlib -- pictures of numbers, drawn here: lines, points, bars, images, axes with ticks and legends, to PNG, SVG and PDF.
#
#   colors, cm   colors, norms and color maps         _ticks   where ticks are, and their texts
#   _canvas      pixels, SVG and PDF                  artists  what stands in axes
#   axes         Axes                                 figure   Figure          pyplot   the functions that draw on "the" axes
import cycler as _cycler

__version__ = "3.10.0"

rcParams = {"figure.figsize": [6.4, 4.8], "figure.dpi": 100.0, "savefig.dpi": "figure", "image.cmap": "viridis", "font.size": 10.0,
            "lines.linewidth": 1.5, "lines.markersize": 6.0, "axes.grid": False, "image.interpolation": "auto",
            "axes.titlesize": "large", "axes.labelsize": "medium", "legend.fontsize": "medium", "xtick.labelsize": "medium",
            "ytick.labelsize": "medium", "figure.facecolor": "white", "axes.facecolor": "white", "savefig.bbox": None,
            "image.origin": "upper", "font.family": ["sans-serif"], "text.usetex": False, "axes.unicode_minus": True,
            "animation.html": "none", "backend": "agg", "figure.titlesize": "large",
            "axes.linewidth": 0.8, "grid.color": "#b0b0b0", "grid.linewidth": 0.8, "grid.linestyle": "-", "text.color": "black", "axes.edgecolor": "black",
            "axes.labelcolor": "black", "xtick.color": "black", "ytick.color": "black"}
rcParams["axes.prop_cycle"] = _cycler.cycler(color=["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"])
rcParamsDefault = dict(rcParams)
_SIZES = {"xx-small": 0.579, "x-small": 0.694, "small": 0.833, "medium": 1.0, "large": 1.2, "x-large": 1.44, "xx-large": 1.728,
          "larger": 1.2, "smaller": 0.833}


def points(size):
    # a font size as points
    return rcParams["font.size"] * _SIZES[size] if isinstance(size, str) else float(size)


def rc(group, **kwargs):
    for k, v in kwargs.items():
        rcParams[group + "." + {"lw": "linewidth"}.get(k, k)] = v


def rcdefaults():
    rcParams.update(rcParamsDefault)


class rc_context:
    def __init__(self, rc=None, fname=None):
        if fname is not None:
            raise NotImplementedError("rc_context: parameters by a dict")
        self._new = rc or {}

    def __enter__(self):
        self._old = dict(rcParams)
        rcParams.update(self._new)
        return self

    def __exit__(self, kind, value, trace):
        rcParams.clear()
        rcParams.update(self._old)
        return False


def use(backend, *, force=True):
    rcParams["backend"] = backend if force else rcParams["backend"]


def get_backend():
    return rcParams["backend"]


def set_loglevel(level):
    import logging
    logging.getLogger("matplotlib").setLevel(level.upper())


def __getattr__(name):
    if name in ("pyplot", "cm", "colors", "figure", "axes", "ticker", "patches", "lines", "gridspec", "style", "image", "artists", "animation", "collections", "lines", "dates", "tri"):
        return __import__("matplotlib." + name)
    if name == "colormaps":
        return __import__("matplotlib.cm").colormaps
    raise AttributeError(f"module 'matplotlib' has no attribute '{name}'")
