# matplotlib.style -- names of styles: they change colors of the page, here those of the grid alone.
from matplotlib import rcParams as _rc, rc_context as _context

_GRID = {"axes.grid": True}
available = ["default", "classic", "ggplot", "seaborn-v0_8", "seaborn-v0_8-whitegrid", "seaborn-v0_8-darkgrid", "bmh", "fivethirtyeight",
             "grayscale", "dark_background", "fast", "tableau-colorblind10"]


def use(style):
    for name in [style] if isinstance(style, (str, dict)) else style:
        if isinstance(name, dict):
            _rc.update(name)
            continue
        if name not in available and not name.startswith("seaborn"):
            raise OSError(f"{name!r} is not a valid package style")
        if name in ("ggplot", "bmh", "fivethirtyeight") or "grid" in name or name == "seaborn":
            _rc.update(_GRID)


def context(style, after_reset=False):
    keep = _context({})

    class _Style:
        def __enter__(self):
            keep.__enter__()
            use(style)

        def __exit__(self, kind, value, trace):
            return keep.__exit__(kind, value, trace)
    return _Style()
