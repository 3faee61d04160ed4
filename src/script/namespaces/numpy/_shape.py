# numpy._shape -- functions that rearrange, join, split and pick.
import _array
import _numpy as _w
from numpy._array import beside, can_cast, ndarray, of_jax, written, repeated, taken, rounded, dotted
from numpy.exceptions import AxisError

_int, _sum, _max, _min, _range, _any = int, sum, max, min, range, any
_core = _array.Core(_array.Semantics(
    _w, _w.wrap, lambda x: _w.div(x, 1), axis_error=AxisError, written=written,
    mismatch=lambda shapes: "shape mismatch: objects cannot be broadcast to a single shape"))
moveaxis, rollaxis, expand_dims, broadcast_shapes = _core.moveaxis, _core.rollaxis, _core.expand_dims, _core.broadcast_shapes
atleast_1d, atleast_2d, atleast_3d = _core.atleast_1d, _core.atleast_2d, _core.atleast_3d
hstack, dstack, column_stack, block, append = _core.hstack, _core.dstack, _core.column_stack, _core.block, _core.append
vstack = row_stack = _core.vstack
array_split, split, vsplit, hsplit, dsplit = _core.array_split, _core.split, _core.vsplit, _core.hsplit, _core.dsplit
tile, roll, fliplr, flipud, rot90 = _core.tile, _core.roll, _core.fliplr, _core.flipud, _core.rot90
delete, insert, pad = _core.delete, _core.insert, _core.pad
resize, select, piecewise = _core.resize, _core.select, _core.piecewise


def trim_zeros(filt, trim="fb", axis=None):
    y = _core.trim_zeros(filt, trim, axis)
    return type(filt)(y.tolist()) if isinstance(filt, (list, tuple)) and y.ndim == 1 else y


def shape(a):
    return (a if of_jax(a) else _w.wrap(a)).shape


def ndim(a):
    try:
        return a.ndim
    except AttributeError:
        return _w.wrap(a).ndim if isinstance(a, (list, tuple, int, float, complex)) else 0


def size(a, axis=None):
    a = a if of_jax(a) else _w.wrap(a)
    return a.size if axis is None else a.shape[axis]


def reshape(a, shape=None, order="C", newshape=None, copy=None):
    a = _w.wrap(a)
    shape = newshape if shape is None else shape
    return ndarray.reshape(a, shape, order=order, copy=copy)


def ravel(a, order="C"):
    return _w.wrap(a).ravel(order)


def transpose(a, axes=None):
    return _w.permute(a, axes)


permute_dims = transpose
matrix_transpose = lambda x: _w.swap_axes(x, -1, -2)


def swapaxes(a, axis1, axis2):
    return _w.swap_axes(a, axis1, axis2)


def squeeze(a, axis=None):
    return _w.wrap(a).squeeze(axis)


def broadcast_to(array, shape, subok=False):
    return _w.lock(_w.array(_w.broadcast_to(_w.wrap(array), shape)), True)


# ---- joining and splitting ----

def _check_casting(xs, dtype, casting):
    # May the arrays become what is asked for?
    for x in xs if dtype is not None else ():
        to = _w.full((), 0, dtype).dtype
        if not can_cast(x.dtype, to, casting):
            raise TypeError(f"Cannot cast array data from {x.dtype!r} to {to!r} according to the rule '{casting}'")


def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if isinstance(axis, bool):
        raise TypeError("an integer is required for the axis")
    if axis is not None and not hasattr(axis, "__index__"):
        raise TypeError(f"'{type(axis).__name__}' object cannot be interpreted as an integer")
    xs = [_w.wrap(a) for a in arrays]
    _check_casting(xs, dtype, casting)
    if not xs:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        xs, axis = [_w.reshape(x, -1) for x in xs], 0
    rank = xs[0].ndim
    if rank and not -rank <= axis < rank:
        raise AxisError(axis, rank)
    for i, x in enumerate(xs):
        if x.ndim == 0:
            raise ValueError("zero-dimensional arrays cannot be concatenated")
        if x.ndim != xs[0].ndim:
            raise ValueError("all the input arrays must have same number of dimensions, but the array at index 0 has "
                             f"{xs[0].ndim} dimension(s) and the array at index {i} has {x.ndim} dimension(s)")
        for k, (n, m) in enumerate(zip(xs[0].shape, x.shape)):
            if n != m and k != axis % x.ndim:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly, but along "
                                 f"dimension {k}, the array at index 0 has size {n} and the array at index {i} has size {m}")
    if dtype is not None:
        xs = [_w.cast(x, dtype) for x in xs]
    return written(_w.concat(xs, axis), out)


concat = _core.concatenate = concatenate


def broadcast_arrays(*args, subok=False):
    return _core.broadcast_arrays(*args)


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    xs = [_w.wrap(a) for a in arrays]
    _check_casting(xs, dtype, casting)
    if not xs:
        raise ValueError("need at least one array to stack")
    if _any([x.shape != xs[0].shape for x in xs]):
        raise ValueError("all input arrays must have the same shape")
    if dtype is not None:
        xs = [_w.cast(x, dtype) for x in xs]
    return written(_w.stack(xs, axis), out)


def unstack(x, axis=0):
    return tuple([_w.take(x, i, axis) for i in _range(x.shape[axis])])


# ---- repeating, padding, turning ----

def repeat(a, repeats, axis=None):
    return repeated(a, repeats, axis)


def flip(m, axis=None):
    return _w.flip(m, axis)


# ---- picking ----

def where(condition, x=None, y=None):
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    big = [type(v) is _int and not -2**63 <= v < 2**63 for v in (x, y)]
    return _w.where(condition, beside(x, y, 0) if big[0] else x, beside(y, x, 0) if big[1] else y)


def nonzero(a):
    return _w.wrap(a).nonzero()


def flatnonzero(a):
    return _w.reshape(_w.nonzero(_w.reshape(_w.wrap(a), -1)), -1)


def argwhere(a):
    return _w.nonzero(a)


def take(a, indices, axis=None, out=None, mode="raise"):
    return written(taken(a, indices, axis, mode), out)


def take_along_axis(arr, indices, axis=-1):
    if axis is None:
        return _w.take_along(_w.reshape(_w.wrap(arr), -1), indices, 0)
    arr, indices = _w.wrap(arr), _w.wrap(indices)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    k, n = axis % arr.ndim, arr.shape[axis]
    sizes = list(broadcast_shapes(*[[d for i, d in enumerate(x.shape) if i != k] for x in (arr, indices)]))
    wide = lambda x: _w.broadcast_to(x, sizes[:k] + [x.shape[k]] + sizes[k:])
    return _w.take_along(wide(arr), wide(_w.where(indices < 0, indices + n, indices)), k)


def put_along_axis(arr, indices, values, axis):
    ix = _w.wrap(indices)
    arr[...] = _w.put_along(arr, ix, _w.broadcast_to(_w.cast(_w.wrap(values), arr.dtype), ix.shape), axis)


def put(a, ind, v, mode="raise"):
    a.put(ind, v, mode)


def putmask(a, mask, values):
    values = _w.wrap(values)
    a[...] = _w.where(mask, values if values.shape == a.shape or values.size == 1 else resize(values, a.shape), a)


def place(arr, mask, vals):
    n = _int(_w.sum(_w.cast(_w.wrap(mask), _w.int64)))
    arr[mask] = resize(vals, n)


def copyto(dst, src, casting="same_kind", where=True):
    from numpy import can_cast
    if isinstance(src, ndarray) and not can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {src.dtype!r} to {dst.dtype!r} according to the rule '{casting}'")
    dst[...] = src if where is True else _w.where(where, src, dst)


def choose(a, choices, out=None, mode="raise"):
    i, n = _w.wrap(a), len(choices)
    if mode == "wrap":
        i = i % n
    elif mode == "clip":
        i = _w.clip(i, 0, n - 1)
    elif i.size and not (0 <= i.min() and i.max() < n):
        raise ValueError("invalid entry in choice array")
    r = _w.broadcast_to(_w.wrap(choices[0]), broadcast_shapes(i.shape, *[_w.wrap(c).shape for c in choices]))
    for k in _range(1, n):
        r = _w.where(i == k, choices[k], r)
    return written(r, out)


def extract(condition, arr):
    return _w.reshape(_w.wrap(arr), -1)[_w.reshape(_w.cast(_w.wrap(condition), _w.bool_), -1)]


def compress(condition, a, axis=None, out=None):
    return written(_w.wrap(a).compress(condition, axis), out)


def _turned(order, xs):
    # Sizes and indices in the order in which the last one counts single elements.
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return list(xs) if order == "C" else list(xs)[::-1]


def unravel_index(indices, shape, order="C"):
    i = _w.wrap(indices)
    sizes = _turned(order, [shape] if isinstance(shape, _int) else shape)
    n = 1
    for d in sizes:
        n *= d
    if i.size and not (0 <= i.min() and i.max() < n):
        bad = [k for k in _w.reshape(i, -1).tolist() if not 0 <= k < n][0]
        raise ValueError(f"index {bad} is out of bounds for array with size {n}")
    return tuple(_turned(order, _core.unravel(i, sizes)))


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    modes = [mode] * len(dims) if isinstance(mode, str) else list(mode)
    r = 0
    for i, n, m in _turned(order, list(zip(multi_index, dims, modes))):
        i = _w.wrap(i)
        if m == "clip":
            i = _w.clip(i, 0, n - 1)
        elif m == "wrap":
            i = i % n
        elif i.size and not (0 <= i.min() and i.max() < n):
            raise ValueError("invalid entry in coordinates array")
        r = r * n + i
    return r


def diagonal(a, offset=0, axis1=0, axis2=1):
    return _w.wrap(a).diagonal(offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return _w.wrap(a).trace(offset, axis1, axis2, dtype, out)


def apply_along_axis(func1d, axis, arr, *args, **kw):
    arr = _w.move_axis(_w.wrap(arr), axis, -1)
    lead = arr.shape[:-1]
    rows = [func1d(r, *args, **kw) for r in _w.reshape(arr, (-1, arr.shape[-1]))]
    out = _w.stack([_w.wrap(r) for r in rows], 0)
    out = _w.reshape(out, tuple(lead) + tuple(out.shape[1:]))
    return _w.move_axis(out, -1, axis) if out.ndim > len(lead) else out


class vectorize:
    # pyfunc called element by element, or on the last axes that signature names
    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if not callable(pyfunc):
            raise TypeError("When used as a decorator, only accepts keyword arguments.")
        self.pyfunc, self.otypes, self.cache, self.__doc__ = pyfunc, otypes, cache, doc
        self.excluded = set() if excluded is None else set(excluded)
        self.inner = None
        if signature is not None:
            left = signature.replace(" ", "").split("->")[0]
            self.inner = [0 if p == "" else p.count(",") + 1 for p in left[1:-1].split("),(")]

    def __call__(self, *args, **kwargs):
        names = [k for k in kwargs if k not in self.excluded]
        fixed = {k: v for k, v in kwargs.items() if k in self.excluded}
        live = [i for i in _range(len(args)) if i not in self.excluded]
        try:
            xs = [_w.wrap(args[i]) for i in live] + [_w.wrap(kwargs[k]) for k in names]
        except TypeError:
            if self.inner or self.excluded or kwargs:
                raise
            from numpy._objects import vectorized
            return vectorized(self.pyfunc, args, self.otypes)
        inner = self.inner or [0] * len(xs)
        lead = [tuple(x.shape)[:x.ndim - k] for x, k in zip(xs, inner)]
        loop = broadcast_shapes(*lead) if lead else ()
        xs = [_w.broadcast_to(x, tuple(loop) + tuple(x.shape)[len(s):]) for x, s in zip(xs, lead)]
        results = []
        from numpy import ndindex
        for at in ndindex(*loop):
            own = [x[at] if at else x for x in xs]
            full = list(args)
            for i, v in zip(live, own):
                full[i] = v
            results.append(self.pyfunc(*full, **dict(zip(names, own[len(live):])), **fixed))
        if not results:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        if isinstance(results[0], tuple):
            return tuple([self._joined([r[k] for r in results], loop, k) for k in _range(len(results[0]))])
        return self._joined(results, loop, 0)

    def _joined(self, parts, loop, k):
        dtype = None if self.otypes is None else self.otypes[k]
        out = _w.stack([_w.wrap(p) if dtype is None else _w.cast(p, dtype) for p in parts], 0)
        return _w.array(_w.reshape(out, tuple(loop) + tuple(out.shape)[1:]))


def lib_sliding(x, window_shape, axis=None):
    x = _w.wrap(x)
    axis = 0 if axis is None and x.ndim == 1 else axis
    n = x.shape[axis] - window_shape + 1
    rows = [_w.narrow(x, axis, i, n) for i in _range(window_shape)]
    return _w.stack(rows, -1)
