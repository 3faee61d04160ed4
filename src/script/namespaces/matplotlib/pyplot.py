# matplotlib.pyplot -- figures by number, and every plotting function on the axes that was made or chosen last.
import os as _os
import sys as _sys

import numpy as np
from matplotlib import cm, get_backend, rc, rcParams, rc_context, rcdefaults, style, ticker
from matplotlib.artists import Line2D, Text
from matplotlib.axes import Axes
from matplotlib.cm import colormaps, get_cmap
from matplotlib.colors import Normalize
from matplotlib.figure import Figure, GridSpec
from matplotlib.patches import Circle, Polygon, Rectangle

_figures, _current, _count = {}, [None], [0]


def figure(num=None, figsize=None, dpi=None, *, facecolor=None, edgecolor=None, clear=False, layout=None, tight_layout=None,
           constrained_layout=None, frameon=True):
    if isinstance(num, Figure):
        _current[0] = num
        return num
    if num is None:
        num = max([n for n in _figures if isinstance(n, int)] + [0]) + 1
    if num not in _figures:
        _figures[num] = Figure(figsize, dpi, facecolor if frameon else "white", edgecolor, layout, tight_layout, constrained_layout, num)
    elif clear:
        _figures[num].clf()
    _current[0] = _figures[num]
    return _current[0]


def gcf():
    return _current[0] if _current[0] is not None else figure()


def gca():
    return gcf().gca()


def sca(ax):
    _current[0] = ax.figure
    ax.figure.sca(ax)


def get_fignums():
    return sorted([n for n in _figures if isinstance(n, int)])


def fignum_exists(num):
    return num in _figures


def close(fig=None):
    if fig == "all":
        _figures.clear()
        _current[0] = None
        return
    fig = fig if isinstance(fig, Figure) else _figures.get(fig) if fig is not None else _current[0]
    for n in [n for n, f in _figures.items() if f is fig]:
        del _figures[n]
    if _current[0] is fig:
        _current[0] = list(_figures.values())[-1] if _figures else None


def clf():
    gcf().clf()


def cla():
    gca().cla()


def subplot(*args, **kwargs):
    fig = gcf()
    args = args or (1, 1, 1)
    key = args if len(args) == 3 else tuple([int(c) for c in str(args[0])]) if len(args) == 1 and isinstance(args[0], int) else None
    if key is not None and isinstance(key[2], int):
        r, c = divmod(key[2] - 1, key[1])
        for a in fig.axes:
            if a._cells == (r, r + 1, c, c + 1, key[0], key[1]) and a._twin is None:
                fig.sca(a)
                return a
    return fig.add_subplot(*args, **kwargs)


def subplots(nrows=1, ncols=1, *, sharex=False, sharey=False, squeeze=True, width_ratios=None, height_ratios=None, subplot_kw=None,
             gridspec_kw=None, **fig_kw):
    fig = figure(**fig_kw)
    return fig, fig.subplots(nrows, ncols, sharex=sharex, sharey=sharey, squeeze=squeeze, width_ratios=width_ratios,
                             height_ratios=height_ratios, subplot_kw=subplot_kw, gridspec_kw=gridspec_kw)


def subplot2grid(shape, loc, rowspan=1, colspan=1, fig=None, **kwargs):
    grid = GridSpec(shape[0], shape[1])
    return (fig or gcf()).add_subplot(grid[loc[0]:loc[0] + rowspan, loc[1]:loc[1] + colspan], **kwargs)


def subplot_mosaic(mosaic, *, sharex=False, sharey=False, width_ratios=None, height_ratios=None, empty_sentinel=".", subplot_kw=None, gridspec_kw=None,
                   per_subplot_kw=None, **fig_kw):
    fig = figure(**fig_kw)
    return fig, fig.subplot_mosaic(mosaic, sharex=sharex, sharey=sharey, width_ratios=width_ratios, height_ratios=height_ratios, empty_sentinel=empty_sentinel,
                                   subplot_kw=subplot_kw, per_subplot_kw=per_subplot_kw, gridspec_kw=gridspec_kw)


def polar(*args, **kwargs):
    fig = gcf()
    ax = fig._now if fig._now is not None and getattr(fig._now, "name", "") == "polar" else fig.add_subplot(projection="polar")
    return ax.plot(*args, **kwargs)


def thetagrids(angles, labels=None, **kwargs):
    gca().set_thetagrids(angles, labels, **kwargs)


def rgrids(radii, labels=None, angle=None, **kwargs):
    gca().set_rgrids(radii, labels, angle, **kwargs)


def axes(arg=None, **kwargs):
    return gcf().add_subplot(**kwargs) if arg is None else gcf().add_axes(arg, **kwargs)


def delaxes(ax=None):
    gcf().delaxes(ax or gca())


def _on_axes(name):
    def call(*args, **kwargs):
        return getattr(gca(), name)(*args, **kwargs)
    call.__name__ = name
    return call


for _name in ("plot loglog semilogx semilogy step axhline axvline axhspan axvspan hlines vlines stem errorbar scatter bar barh bar_label "
              "hist fill_between fill stackplot pie boxplot imshow spy pcolormesh pcolor hist2d contour contourf clabel quiver quiverkey "
              "streamplot violinplot hexbin triplot tricontour tricontourf tripcolor fill_betweenx eventplot axline arrow table text "
              "annotate legend grid margins autoscale tick_params ticklabel_format axis twinx twiny").split():
    globals()[_name] = _on_axes(_name)


def matshow(A, fignum=None, **kwargs):
    a = np.asarray(A)
    h, w = a.shape
    fig = gcf() if fignum == 0 else figure(fignum, figsize=(4.8 * w / h, 4.8) if w < h else (4.8, 4.8 * h / w))
    return fig.gca().imshow(A, **kwargs)


def title(label, *args, **kwargs):
    gca().set_title(label, *args, **kwargs)


def suptitle(t, **kwargs):
    gcf().suptitle(t, **kwargs)


def figtext(x, y, s, **kwargs):
    gcf().text(x, y, s, **kwargs)


def xlabel(label, *args, **kwargs):
    gca().set_xlabel(label, *args, **kwargs)


def ylabel(label, *args, **kwargs):
    gca().set_ylabel(label, *args, **kwargs)


def xlim(*args, **kwargs):
    ax = gca()
    return ax.set_xlim(*args, **kwargs) if args or kwargs else ax.get_xlim()


def ylim(*args, **kwargs):
    ax = gca()
    return ax.set_ylim(*args, **kwargs) if args or kwargs else ax.get_ylim()


def xscale(value, **kwargs):
    gca().set_xscale(value, **kwargs)


def yscale(value, **kwargs):
    gca().set_yscale(value, **kwargs)


def xticks(ticks=None, labels=None, **kwargs):
    ax = gca()
    if ticks is not None:
        ax.set_xticks(ticks, labels, **kwargs)
    elif kwargs:
        ax.xaxis.rotation = kwargs.get("rotation", ax.xaxis.rotation)
        ax.xaxis.tick_size = kwargs.get("fontsize", kwargs.get("size", ax.xaxis.tick_size))
    return ax.get_xticks(), ax.get_xticklabels()


def yticks(ticks=None, labels=None, **kwargs):
    ax = gca()
    if ticks is not None:
        ax.set_yticks(ticks, labels, **kwargs)
    elif kwargs:
        ax.yaxis.tick_size = kwargs.get("fontsize", kwargs.get("size", ax.yaxis.tick_size))
    return ax.get_yticks(), ax.get_yticklabels()


def colorbar(mappable=None, cax=None, ax=None, **kwargs):
    return gcf().colorbar(mappable, cax, ax, **kwargs)


def clim(vmin=None, vmax=None):
    gcf()._mappable.set_clim(vmin, vmax)


def set_cmap(cmap):
    rcParams["image.cmap"] = get_cmap(cmap).name


def gray():
    set_cmap("gray")


def tight_layout(**kwargs):
    gcf().tight_layout(**kwargs)


def subplots_adjust(**kwargs):
    gcf().subplots_adjust(**kwargs)


def savefig(*args, **kwargs):
    gcf().savefig(*args, **kwargs)


def setp(obj, *args, **kwargs):
    for o in obj if isinstance(obj, (list, tuple)) else [obj]:
        for k, v in list(zip(args[::2], args[1::2])) + list(kwargs.items()):
            getattr(o, "set_" + k)(v)


def show(*, block=None):
    # To files figure-1.png .. in the folder that WEFT_SHOW names; else, where there is a terminal, into it. Figures are then done with.
    folder = _os.environ.get("WEFT_SHOW")
    for n, fig in sorted(_figures.items(), key=lambda p: str(p[0])):
        if folder:
            _count[0] += 1
            fig.savefig(_os.path.join(folder, f"figure-{_count[0]}.png"))
        elif _sys.stdout.isatty():
            import weft
            gray = fig._drawn("png", 25).array().astype("float64").mean(axis=2) / 255
            print(weft.picture(1 - gray))
    if not _interactive[0]:
        close("all")


_interactive = [False]


def ion():
    _interactive[0] = True


def ioff():
    _interactive[0] = False


def isinteractive():
    return _interactive[0]


def pause(interval):
    if interval < 0:
        raise ValueError("sleep length must be non-negative")


def draw():
    pass


def waitforbuttonpress(timeout=-1):
    return None if timeout else False


def switch_backend(newbackend):
    rcParams["backend"] = newbackend


def imread(fname, format=None):
    from PIL import Image
    image = Image.open(fname, formats=None if format is None else [format.upper()])
    a = np.array(image.convert("RGB") if image.mode == "P" else image)
    return a.astype("float32") / np.float32(255) if image.format == "PNG" and a.dtype == np.uint8 else a


def imsave(fname, arr, *, vmin=None, vmax=None, cmap=None, format=None, origin=None, dpi=100):
    from PIL import Image
    a = np.asarray(arr)
    a = a[::-1] if origin == "lower" else a
    if a.ndim == 2:
        rgb = cm.get_cmap(cmap)(Normalize(vmin, vmax)(a), bytes=True)
    else:
        rgb = (np.clip(a, 0, 1) * 255 + 0.5).astype("uint8") if a.dtype.kind == "f" else a.astype("uint8")
    rgb = rgb[..., :3] if str(fname).lower().endswith((".jpg", ".jpeg")) else rgb
    Image.fromarray(rgb).save(fname, format=format)


def connect(s, func):
    raise NotImplementedError(f"pyplot.connect: nobody clicks ({s}, {func})")
