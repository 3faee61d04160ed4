# numpy.lib.stride_tricks -- views by their steps.
import _numpy as _w
from numpy._shape import _core


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    if subok:
        raise NotImplementedError("as_strided: subok=True")
    x = _w.array(_w.wrap(x))
    size = x.dtype.itemsize
    steps = _w.strides(x) if strides is None else [s // size for s in strides]
    y = _w.as_strided(x, tuple(x.shape if shape is None else shape), tuple(steps))
    return y if writeable else _w.lock(y, True)


def sliding_window_view(x, window_shape, axis=None, subok=False, writeable=False):
    if subok:
        raise NotImplementedError("sliding_window_view: subok=True")
    x = _w.array(_w.wrap(x))
    window = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    axes = list(range(x.ndim)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    if len(window) != len(axes):
        raise ValueError(f"Must provide matching length window_shape and axis; got {len(window)} window_shape elements and "
                         f"{len(axes)} axes elements.")
    shape, steps = list(x.shape), list(_w.strides(x))
    out = list(shape)
    for a, n in zip(_core.axes(axes, x.ndim), window):
        out[a] -= n - 1
        if out[a] < 1:
            raise ValueError("window shape cannot be larger than input array shape")
    y = _w.as_strided(x, tuple(out) + window, tuple(steps + [steps[a] for a in _core.axes(axes, x.ndim)]))
    return y if writeable else _w.lock(y, True)
