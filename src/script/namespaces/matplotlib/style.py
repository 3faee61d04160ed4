# matplotlib.style -- looks by name: colors of the page, of lines and grids.
from cycler import cycler as _cycler
from matplotlib import rcdefaults as _rcdefaults, rcParams as _rc, rc_context as _context


def _look(face=None, page=None, grid=None, ink=None, edge=None, ticks=None, colors=None, **more):
    # a color for all words where ticks has none
    out = {"axes.facecolor": face, "figure.facecolor": page, "grid.color": grid, "text.color": ink, "axes.edgecolor": edge,
           "axes.labelcolor": ticks or ink, "xtick.color": ticks or ink, "ytick.color": ticks or ink}
    if colors:
        out["axes.prop_cycle"] = _cycler(color=[c if "." in c else "#" + c for c in colors.split(" ")])
    out.update(more)
    return {k: v for k, v in out.items() if v is not None}


_ON = {"axes.grid": True}
_DEEP = "4C72B0 55A868 C44E52 8172B2 CCB974 64B5CD"
_WORDS = {"text.color": ".15", "axes.labelcolor": ".15", "xtick.color": ".15", "ytick.color": ".15"}
_STYLES = {
    "classic": _look(colors="0000ff 008000 ff0000 00bfbf bf00bf bfbf00 000000", page="0.75", **{"lines.linewidth": 1.0, "image.cmap": "jet"}),
    "fast": {}, "tableau-colorblind10": _look(colors="006BA4 FF800E ABABAB 595959 5F9ED1 C85200 898989 A2C8EC FFBC79 CFCFCF"),
    "ggplot": _look("#E5E5E5", "white", "white", edge="white", ticks="#555555", colors="E24A33 348ABD 988ED5 777777 FBC15E 8EBA42 FFB5B8", **_ON,
                    **{"axes.titlesize": "x-large", "axes.labelsize": "large", "axes.linewidth": 1.0}),
    "bmh": _look("#eeeeee", None, "#b2b2b2", edge="#bcbcbc", colors="348ABD A60628 7A68A6 467821 D55E00 CC79A7 56B4E9 009E73 F0E442 0072B2", **_ON,
                 **{"lines.linewidth": 2.0, "grid.linestyle": "--", "grid.linewidth": 0.5, "axes.titlesize": "x-large", "axes.labelsize": "large"}),
    "fivethirtyeight": _look("#f0f0f0", "#f0f0f0", "#cbcbcb", edge="#f0f0f0", colors="008fd5 fc4f30 e5ae38 6d904f 8b8b8b 810f7c", **_ON,
                             **{"lines.linewidth": 4.0, "grid.linewidth": 1.0, "axes.linewidth": 3.0, "font.size": 14.0, "axes.titlesize": "x-large",
                                "axes.labelsize": "large"}),
    "grayscale": _look(colors="0.00 0.40 0.60 0.70", page="0.75", **{"image.cmap": "gray"}),
    "dark_background": _look("black", "black", "white", "white", "white", colors="8dd3c7 feffb3 bfbbd9 fa8174 81b1d2 fdb462 b3de69 bc82bd ccebc4 ffed6f"),
    "seaborn-v0_8": _look("#EAEAF2", "white", "white", edge="white", colors=_DEEP, **_ON, **_WORDS),
    "seaborn-v0_8-darkgrid": _look("#EAEAF2", None, "white", edge="white", **_ON, **_WORDS),
    "seaborn-v0_8-whitegrid": _look("white", None, ".8", edge=".8", **_ON, **_WORDS),
    "seaborn-v0_8-dark": _look("#EAEAF2", None, "white", edge="white", **_WORDS), "seaborn-v0_8-white": _look("white", None, ".8", edge=".15", **_WORDS),
    "seaborn-v0_8-ticks": _look("white", None, ".8", edge=".15", **_WORDS),
    "seaborn-v0_8-deep": _look(colors=_DEEP), "seaborn-v0_8-muted": _look(colors="4878CF 6ACC65 D65F5F B47CC7 C4AD66 77BEDB"),
    "seaborn-v0_8-bright": _look(colors="003FFF 03ED3A E8000B 8A2BE2 FFC400 00D7FF"), "seaborn-v0_8-pastel": _look(colors="92C6FF 97F0AA FF9F9A D0BBFF FFFEA3 B0E0E6"),
    "seaborn-v0_8-colorblind": _look(colors="0072B2 009E73 D55E00 CC79A7 F0E442 56B4E9"),
    "seaborn-v0_8-dark-palette": _look(colors="001C7F 017517 8C0900 7600A1 B8860B 006374"),
    "seaborn-v0_8-notebook": {"figure.figsize": [8.0, 5.5], "lines.linewidth": 1.75, "font.size": 10.0},
    "seaborn-v0_8-paper": {"figure.figsize": [6.4, 4.4], "lines.linewidth": 1.4, "font.size": 8.0},
    "seaborn-v0_8-talk": {"figure.figsize": [12.8, 8.8], "lines.linewidth": 2.8, "font.size": 16.0},
    "seaborn-v0_8-poster": {"figure.figsize": [12.8, 8.8], "lines.linewidth": 2.8, "font.size": 20.0},
}
available = sorted(_STYLES)


def use(style):
    for name in [style] if isinstance(style, (str, dict)) else style:
        if isinstance(name, dict):
            _rc.update(name)
        elif name == "default":
            _rcdefaults()
        elif name in _STYLES:
            _rc.update(_STYLES[name])
        else:
            raise OSError(f"{name!r} is not a valid package style, path of style file, URL of style file, or library style name (library styles are listed in "
                          "`style.available`)")


def context(style, after_reset=False):
    keep = _context({})

    class _Style:
        def __enter__(self):
            keep.__enter__()
            if after_reset:
                _rcdefaults()
            use(style)

        def __exit__(self, kind, value, trace):
            return keep.__exit__(kind, value, trace)
    return _Style()
