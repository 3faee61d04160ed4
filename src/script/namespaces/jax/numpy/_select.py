# jax.numpy: choosing, sorting, searching, sets.
import warnings
import _jax as _w
from jax._api import refuse as _refuse
from _order import product as _product
from jax.numpy._core import core as _core
from jax.numpy._create import arraylike as _asarray, asarray as _any_array, known
from jax.numpy._reduce import _check, _no_out
from jax._dtypes import default_int as _default_int
from jax._index import watcher
from jax._sharding import said as _said, type_layout, used

__all__ = """where nonzero flatnonzero argwhere take take_along_axis put_along_axis extract compress choose
    select piecewise place put fill_diagonal diagonal sort argsort lexsort msort partition
    argpartition searchsorted digitize unique unique_values unique_counts unique_inverse unique_all
    isin in1d intersect1d union1d setdiff1d setxor1d
    apply_along_axis apply_over_axes unravel_index ravel_multi_index packbits unpackbits top_k
    iterable sort_complex indices tril_indices triu_indices diag_indices mask_indices tril_indices_from triu_indices_from
    diag_indices_from""".split()

lexsort, piecewise, packbits, unpackbits = _core.lexsort, _core.piecewise, _core.packbits, _core.unpackbits
indices, diag_indices, diag_indices_from = _core.indices, _core.diag_indices, _core.diag_indices_from
tril_indices, triu_indices, mask_indices = _core.tril_indices, _core.triu_indices, _core.mask_indices
tril_indices_from, triu_indices_from = _core.tril_indices_from, _core.triu_indices_from


def _pairs(mask, size, fill_value):
    ij = _w.cast(_w.nonzero(mask), _default_int())
    if size is not None:
        n = ij.shape[0]
        if n > size:
            ij = ij[:size]
        elif n < size:
            fills = fill_value if isinstance(fill_value, (tuple, list)) else [0 if fill_value is None else fill_value] * ij.shape[1]
            row = _w.stack([_w.cast(_asarray(f), ij.dtype) for f in fills], 0)
            ij = _w.concat([ij, _w.broadcast_to(row, (size - n, ij.shape[1]))], 0)
    return tuple([ij[:, k] for k in range(ij.shape[1])])


def _traced_pairs(mask, size, fill_value):
    # Of a traced mask: the places of the first `size` true ones, by sorting.
    flat = _w.reshape(mask, (-1,))
    n = flat.shape[0]
    order = _w.sort(_w.cast(_w.logical_not(flat), _w.int32), 0)[1]
    count = _w.sum(_w.cast(flat, _w.int32))
    if size > n:
        order = _w.concat([order, _w.full((size - n,), 0, order.dtype)], 0)
    at = _w.cast(order[:size], _default_int())
    real = _w.lt(_w.arange(0, size), count)
    parts = unravel_index(at, tuple(mask.shape))
    fills = fill_value if isinstance(fill_value, (tuple, list)) else [fill_value] * len(parts)
    return tuple([_w.where(real, p, 0 if f is None else f) for p, f in zip(parts, fills)])


def nonzero(a, *, size=None, fill_value=None):
    a = _asarray(a)
    mask = a if a.dtype == _w.bool_ else _w.ne(a, 0)
    if len(a.shape) == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed.")
    if _w.about(mask, "symbolic"):
        if size is None:
            from jax.errors import concrete_needed
            raise concrete_needed(_w.sum(_w.cast(mask, _w.int32)), "The size argument of jnp.nonzero must be statically specified to use "
                                                                "jnp.nonzero within JAX transformations.")
        return _traced_pairs(mask, size, fill_value)
    return _pairs(mask, size, fill_value)


def flatnonzero(a, *, size=None, fill_value=None):
    return nonzero(_w.reshape(_asarray(a), (-1,)), size=size, fill_value=fill_value)[0]


def argwhere(a, *, size=None, fill_value=None):
    return _w.stack(nonzero(a, size=size, fill_value=fill_value), 1)


def where(condition, x=None, y=None, *, size=None, fill_value=None):
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    condition = _asarray(condition)
    if condition.dtype != _w.bool_:
        condition = _w.ne(condition, 0)
    return _w.where(condition, x, y)


def _hole(d):
    # What is read where there is nothing: NaN, the least integer, the greatest unsigned one, True.
    if d.is_inexact or d == _w.bool_:
        return _w.full((), True if d == _w.bool_ else float("nan"), d)
    from jax._dtypes import iinfo
    return _w.full((), iinfo(d).min if d.kind == "i" else iinfo(d).max, d)


def _integers(indices, what):
    i = _asarray(indices)
    if i.dtype.kind not in "iu":
        kind = ValueError if what == "take" else TypeError
        raise kind(f"{what} requires indices of integer type, got {i.dtype.name}")
    return i


def _settled(i, shape, axis, mode):
    # (indices in range, which of them were outside or None)
    n = shape[axis]
    if mode == "wrap":
        return _w.remainder(i, n), None
    if mode == "clip":
        if watcher:
            watcher[-1](shape, [axis], [i])
        return _w.clip(i, 0, n - 1), None
    if mode not in (None, "fill", "promise_in_bounds"):
        raise ValueError(f"Invalid mode '{mode}' for np.take")
    fixed = _w.where(_w.lt(i, 0), i + n, i) if i.dtype.kind == "i" else i
    if watcher:
        watcher[-1](shape, [axis], [fixed])
    outside = _w.ge(fixed, n) if i.dtype.kind == "u" else _w.logical_or(_w.lt(fixed, 0), _w.ge(fixed, n))
    if not _w.about(i, "symbolic") and not _w.in_trace():
        if _w.about(i, "count") == 0 or not bool(_w.any(outside)):
            return fixed, None
    return _w.clip(fixed, 0, n - 1 if n else 0), outside


def take(a, indices, axis=None, out=None, mode=None, unique_indices=False, indices_are_sorted=False, fill_value=None):
    _no_out("take", out)
    a, indices = _asarray(a), _integers(indices, "take")
    if axis is None:
        a, axis = _w.reshape(a, (-1,)), 0
    _check(a, axis)
    axis = axis % len(a.shape)
    if a.shape[axis] == 0 and _w.about(indices, "count"):
        raise IndexError("Cannot do a non-empty jnp.take() from an empty axis.")
    i, outside = _settled(indices, a.shape, axis, mode)
    y = _w.take(a, i, axis)
    if outside is None:
        return y
    shape = [1] * axis + list(indices.shape) + [1] * (len(a.shape) - 1 - axis)
    fill_value = _hole(a.dtype) if fill_value is None else fill_value
    return _w.where(_w.reshape(outside, shape), _w.cast(fill_value, a.dtype), y)


def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None, *, wrap_negative_indices=None):
    arr, indices = _asarray(arr), _asarray(indices)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"take_along_axis indices must be of integer type, got {indices.dtype.name}")
    if axis is None:
        arr, axis = _w.reshape(arr, (-1,)), 0
    if len(arr.shape) != len(indices.shape):
        raise ValueError("indices and arr must have the same number of dimensions; "
                         f"{len(indices.shape)} vs. {len(arr.shape)}")
    _check(arr, axis)
    k = axis % len(arr.shape)
    lies = type_layout(arr) if used else None
    if lies is not None and not lies._tiles(len(arr.shape))[k]:    # axes of the type Explicit: each row by itself
        return _said(lambda: _taken_along(arr, indices, k, mode, fill_value, wrap_negative_indices), lies)
    return _taken_along(arr, indices, k, mode, fill_value, wrap_negative_indices)


def _taken_along(arr, indices, k, mode, fill_value, wrap_negative_indices):
    n = arr.shape[k]
    if wrap_negative_indices is None:
        wrap_negative_indices = mode != "promise_in_bounds"
    if not wrap_negative_indices:       # what is negative is beyond the array
        indices = _w.where(_w.lt(indices, 0), -1 - n if mode in (None, "fill") else 0, indices)
    elif mode in ("clip", "promise_in_bounds", "one_hot"):
        indices = _w.where(_w.lt(indices, 0), indices + n, indices)
    hot = mode == "one_hot"             # by products with ones: what is beyond gives 0
    i, outside = _settled(indices, arr.shape, k, "fill" if hot else mode)
    fill_value = 0 if hot else fill_value
    shape = list(_broadcast([d for j, d in enumerate(arr.shape) if j != k],
                            [d for j, d in enumerate(indices.shape) if j != k]))
    shape_x, shape_i = list(shape), list(shape)
    shape_x.insert(k, arr.shape[k])
    shape_i.insert(k, indices.shape[k])
    y = _w.take_along(_w.broadcast_to(arr, shape_x), _w.broadcast_to(i, shape_i), k)
    if outside is None:
        return y
    return _w.where(outside, _w.cast(_hole(arr.dtype) if fill_value is None else fill_value, arr.dtype), y)


def _broadcast(a, b):
    from jax.numpy._shape import broadcast_shapes
    return broadcast_shapes(tuple(a), tuple(b))


def put_along_axis(arr, indices, values, axis, inplace=True, *, mode=None):
    if inplace:
        raise ValueError("jax.numpy.put_along_axis cannot modify arrays in-place, because JAX arrays are immutable. "
                         "Pass inplace=False to instead return an updated array.")
    arr, indices = _asarray(arr), _asarray(indices)
    if axis is None:
        return _w.reshape(put_along_axis(_w.reshape(arr, (-1,)), _w.reshape(indices, (-1,)),
                                         _w.reshape(_w.broadcast_to(_asarray(values), indices.shape), (-1,)), 0, False, mode=mode), arr.shape)
    _check(arr, axis)
    if len(indices.shape) != len(arr.shape):
        raise ValueError("put_along_axis arguments must have same rank")
    k, shape = axis % len(arr.shape), tuple(indices.shape)
    shape = tuple([n if i == k else max(n, m) for i, (n, m) in enumerate(zip(shape, arr.shape))]) if 0 not in shape else shape
    at = [_w.broadcast_to(indices, shape) if i == k else _w.iota(_w.int32, shape, i) for i in range(len(shape))]
    return _any_array(arr).at[tuple(at)].set(_w.cast(_asarray(values), arr.dtype), mode=mode)


def _compressed(mask, a, axis, size, fill_value):
    # The slices of a along axis where mask is true; with size, so many, the others filled.
    i = nonzero(mask, size=size, fill_value=a.shape[axis])[0]
    return take(a, i, axis, mode="fill", fill_value=fill_value)


def extract(condition, arr, *, size=None, fill_value=0):
    return compress(_w.reshape(_asarray(condition), (-1,)), _w.reshape(_asarray(arr), (-1,)), size=size,
                    fill_value=fill_value)


def compress(condition, a, axis=None, *, size=None, fill_value=0, out=None):
    _no_out("compress", out)
    a, condition = _asarray(a), _asarray(condition)
    if len(condition.shape) != 1:
        raise ValueError("condition must be a 1D array")
    if axis is None:
        a, axis = _w.reshape(a, (-1,)), 0
    _check(a, axis)
    n = a.shape[axis]
    mask = condition if condition.dtype == _w.bool_ else _w.ne(condition, 0)
    if mask.shape[0] > n:
        if not _w.about(mask, "symbolic") and bool(_w.any(mask[n:])):
            raise ValueError("condition contains entries that are out of bounds")
        mask = mask[:n]
    return _compressed(mask, a, axis, size, fill_value)


def choose(a, choices, out=None, mode="raise"):
    _no_out("choose", out)
    from jax.numpy._shape import broadcast_arrays
    if _asarray(a).dtype.kind not in "iu":
        raise ValueError("`a` array must be integer typed")
    arrays = broadcast_arrays(a, *list(choices))
    index, n = arrays[0], len(arrays) - 1
    if mode == "wrap":
        index = _w.remainder(index, n)
    else:
        index = _w.clip(index, 0, n - 1)
    y = arrays[1]
    for k in range(1, n):
        y = _w.where(_w.eq(index, k), arrays[k + 1], y)
    return y


def select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError("condlist must have length equal to choicelist ({} vs {})".format(len(condlist), len(choicelist)))
    return _core.select(condlist, choicelist, default)


def place(arr, mask, vals, *, inplace=True):
    if inplace:
        raise ValueError("jax.numpy.place cannot modify arrays in-place: pass inplace=False")
    flat, m = _w.reshape(arr, (-1,)), _w.reshape(_asarray(mask), (-1,))
    vals = _w.reshape(_asarray(vals), (-1,))
    i = _w.cumsum(_w.cast(m, _w.int32), 0) - 1
    return _w.reshape(_w.where(m, vals[_w.remainder(i, vals.shape[0])], flat), arr.shape)


def put(a, ind, v, mode=None, *, inplace=True):
    if inplace:
        raise ValueError("jax.numpy.put cannot modify arrays in-place: pass inplace=False")
    if mode not in (None, "clip", "wrap"):
        raise ValueError(f"mode should be one of 'wrap' or 'clip'; got mode={mode!r}")
    from jax._index import update
    a, ind, v = _asarray(a), _w.reshape(_asarray(ind), (-1,)), _w.reshape(_asarray(v), (-1,))
    n, size = ind.shape[0], _product(a.shape)
    if not size or not n or not v.shape[0]:
        return a
    if v.shape[0] != n:     # repeated, or cut
        v = v[_w.remainder(_w.arange(0, n), v.shape[0])]
    if mode == "wrap":
        ind = _w.remainder(ind, size)
    else:
        ind = _w.clip(ind, -size, size - 1) if mode is None else _w.clip(ind, 0, size - 1)
    return _w.reshape(update(_w.reshape(a, (-1,)), ind, v, "set", None), a.shape)


def fill_diagonal(a, val, wrap=False, *, inplace=True):
    if inplace:
        raise NotImplementedError("JAX arrays are immutable, must use inplace=False")
    if wrap:
        raise NotImplementedError("wrap=True is not implemented, must use wrap=False")
    a = _asarray(a)
    n = min(a.shape)
    i, val = _w.arange(0, n), _asarray(val)
    if len(val.shape):      # its elements one after the other, again and again
        flat = _w.reshape(val, (-1,))
        val = flat[_w.remainder(i, flat.shape[0])]
    return a.at[(i,) * len(a.shape)].set(val)


def diagonal(a, offset=0, axis1=0, axis2=1):
    a = _asarray(a)
    rank = len(a.shape)
    if rank < 2:
        raise ValueError("diagonal requires an array of at least two dimensions.")
    _check(a, (axis1, axis2))
    i, j = axis1 % rank, axis2 % rank
    rest = [k for k in range(rank) if k not in (i, j)]
    return _w.diagonal(_w.permute(a, rest + [i, j]), offset)


# ---- sorting


def _sorted(a, axis, kind, order, stable, descending):
    # (values, places). Going down is going up over the reversed axis, turned: NaNs come first.
    if kind is not None:
        warnings.warn("The 'kind' argument to sort has no effect on JAX, and is deprecated.", DeprecationWarning)
    if order is not None:
        raise ValueError("'order' argument to sort is not supported.")
    a = _asarray(a)
    if axis is None:
        a, axis = _w.reshape(a, (-1,)), 0
    _check(a, axis)
    if not descending:
        return _w.sort(a, axis)
    values, places = _w.sort(_w.flip(a, axis), axis)
    return _w.flip(values, axis), a.shape[axis] - 1 - _w.flip(places, axis)


def sort(a, axis=-1, kind=None, order=None, stable=True, descending=False):
    return _sorted(a, axis, kind, order, stable, descending)[0]


def argsort(a, axis=-1, kind=None, order=None, stable=True, descending=False, dtype=None):
    d = _default_int() if dtype is None else _w.full((), 0, dtype).dtype
    if d.kind not in "iu":
        raise ValueError(f"argsort: dtype must be an integer type, got {d.name}")
    return _w.cast(_sorted(a, axis, kind, order, stable, descending)[1], d)


msort = lambda a: sort(a, 0)


def sort_complex(a):
    a = _asarray(a)
    if not a.dtype.is_complex:
        a = _w.cast(a, _w.complex128 if _w.add(a, 1.0).dtype == _w.float64 else _w.complex64)
    return sort(_w.reshape(a, (-1,)) if a.ndim == 0 else a)


def _parted(a, kth, axis):
    # (the axis last, its size, kth in range)
    a = _asarray(a)
    _check(a, axis)
    a = _w.move_axis(a, axis, -1)
    n = a.shape[-1]
    if not isinstance(kth, int):
        raise TypeError("kth must be an integer")
    if not -n <= kth < n:
        raise ValueError(f"kth {kth} is out of bounds for array of size {n}")
    return a, n, kth % n


def partition(a, kth, axis=-1):
    # The least ones up to kth in their order, then the others from the greatest down.
    a, n, kth = _parted(a, kth, axis)
    up = _w.sort(a, -1)[0]
    y = _w.concat([_w.narrow(up, -1, 0, kth + 1), _w.flip(_w.narrow(up, -1, kth + 1, n - kth - 1), -1)], -1)
    return _w.move_axis(y, -1, axis)


def argpartition(a, kth, axis=-1):
    a, n, kth = _parted(a, kth, axis)
    low = _w.narrow(_w.sort(a, -1)[1], -1, 0, kth + 1)
    taken = _w.put_along(_w.full(a.shape, 0, _w.int32), low, _w.full(low.shape, 1, _w.int32), -1)
    big = _w.cast(a, a.dtype)
    order = _w.op("sort", [taken, _w.neg(big) if big.dtype.kind in "if" else _w.bitwise_not(big),
                           _w.iota(_w.int32, tuple(a.shape), len(a.shape) - 1)],
                  {"axis": len(a.shape) - 1, "keys": 2})[-1]
    y = _w.concat([low, _w.narrow(order, -1, 0, n - kth - 1)], -1)
    return _w.cast(_w.move_axis(y, -1, axis), _default_int())


def top_k(x, k, axis=-1):
    values, places = _w.top_k(_asarray(x), k, axis)
    return values, _w.cast(places, _w.int32)


def searchsorted(a, v, side="left", sorter=None, method=None):
    a, v = _asarray(a), _asarray(v)
    if sorter is not None:
        a = a[sorter]
    from jax._dtypes import result_type
    d = result_type(a, v)
    i = _w.searchsorted(_w.cast(a, d), _w.cast(v, d), side == "right")
    if v.dtype.is_floating_point:     # NaN comes after all numbers
        numbers = _w.sum(_w.cast(_w.logical_not(_w.is_nan(a)), i.dtype)) if a.dtype.is_floating_point else a.shape[0]
        i = _w.where(_w.is_nan(v), a.shape[0] if side == "right" else numbers, i)
    return _w.cast(i, _w.int32)


def digitize(x, bins, right=False, method=None):
    x, bins = _asarray(x), _asarray(bins)
    n = bins.shape[0]
    up = lambda: searchsorted(bins, x, "left" if right else "right")
    down = lambda: n - searchsorted(_w.flip(bins, 0), x, "left" if right else "right")
    if n < 2:
        return up() if n else _w.full(x.shape, 0, _w.int32)
    falls = _w.gt(bins[0], bins[-1])
    if _w.about(falls, "symbolic"):
        return _w.where(falls, down(), up())
    return down() if bool(falls) else up()


# ---- sets


def _unique(ar, axis, size, fill_value, equal_nan=True):
    # what distinct gives; with size, so many, the others filled
    if 0 in (tuple(ar.shape) if axis is None else (ar.shape[axis],)):
        return _unique_of_nothing(_w.reshape(ar, (-1, 1)) if axis is None else _w.move_axis(ar, axis, 0), axis, size, fill_value)
    out, first, inverse, counts = _core.distinct(ar, axis, equal_nan, lambda new: nonzero(new, size=size)[0])
    if size:
        real = _w.le(_w.arange(0, size), _w.max(inverse))
        rows = out if axis is None else _w.move_axis(out, axis, 0)
        pad = rows[0] if fill_value is None else _w.cast(_asarray(fill_value), rows.dtype)
        rows = _w.where(_w.reshape(real, (size,) + (1,) * (len(rows.shape) - 1)), rows, pad)
        out = rows if axis is None else _w.move_axis(rows, 0, axis)
        first, counts = _w.where(real, first, first[0]), _w.where(real, counts, 0)
    return out, first, inverse, counts


def _unique_of_nothing(rows, axis, size, fill_value):
    if size and fill_value is None:
        raise ValueError("jnp.unique: for zero-sized input with nonzero size argument, fill_value must be specified")
    k = size or 0
    values = _w.broadcast_to(_w.cast(_asarray(0 if fill_value is None else fill_value), rows.dtype), (k,) + tuple(rows.shape)[1:])
    zero = _w.full((k,), 0, int)
    return _w.reshape(values, (-1,)) if axis is None else _w.move_axis(values, 0, axis), zero, _w.full((0,), 0, int), zero


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True,
           size=None, fill_value=None, sorted=True):
    ar = _asarray(ar)
    if axis is not None:
        _check(ar, axis)
    if size is None:
        known(ar, "The error arose for the first argument of jnp.unique(). To make jnp.unique() compatible with JIT and other transforms, you can "
                  "specify a concrete value for the size argument, which will determine the output size.")
    found = _unique(ar, axis, size, fill_value, equal_nan)
    return _core.chosen(found, ar.shape if axis is None else None, return_index, return_inverse, return_counts)


def unique_values(x, size=None, fill_value=None):
    return unique(x, size=size, fill_value=fill_value)


def unique_counts(x, size=None, fill_value=None):
    return unique(x, return_counts=True, size=size, fill_value=fill_value)


def unique_inverse(x, size=None, fill_value=None):
    return unique(x, return_inverse=True, size=size, fill_value=fill_value)


def unique_all(x, size=None, fill_value=None):
    return unique(x, True, True, True, size=size, fill_value=fill_value)


def isin(element, test_elements, assume_unique=False, invert=False, method=None):
    return _core.isin(element, test_elements, assume_unique, invert)


in1d = _core.in1d


def _sized(x, size, fill_value):
    # so many of x, the others filled; None: with its least element
    if size is None:
        return x
    n = x.shape[0]
    if n >= size:
        return x[:size]
    fill = (x[0] if n else 0) if fill_value is None else fill_value
    return _w.concat([x, _w.full((size - n,), _w.cast(_asarray(fill), x.dtype), x.dtype)], 0)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, size=None, fill_value=None):
    from jax.numpy._shape import _same
    a, b = _same([_w.reshape(_asarray(ar1), (-1,)), _w.reshape(_asarray(ar2), (-1,))])
    y, i, j = _core.intersect1d(a, b)
    y = _sized(y, size, fill_value)
    return (y, _sized(i, size, a.shape[0]), _sized(j, size, b.shape[0])) if return_indices else y


def union1d(ar1, ar2, size=None, fill_value=None):
    return unique(_core.joined(ar1, ar2), size=size, fill_value=fill_value)


def setdiff1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    return _sized(_core.setdiff1d(ar1, ar2, assume_unique), size, fill_value)


def setxor1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    return _sized(_core.setxor1d(ar1, ar2), size, fill_value)


# ---- over axes


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    from jax._api import vmap
    arr = _asarray(arr)
    rank = len(arr.shape)
    k = axis % rank
    f = lambda row: func1d(row, *args, **kwargs)
    for _ in range(rank - 1):
        f = vmap(f)
    y = f(_w.move_axis(arr, k, -1))
    extra = len(y.shape) - (rank - 1)
    if extra == 0:
        return y
    from jax.numpy._shape import moveaxis
    return moveaxis(y, list(range(rank - 1, rank - 1 + extra)), list(range(k, k + extra)))


apply_over_axes = _core.apply_over_axes


def unravel_index(indices, shape):
    i = _asarray(indices)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return _core.unravel(i, shape)


def ravel_multi_index(multi_index, dims, mode="raise", order="C", *, dtype=None):
    if order not in ("C", "F"):
        raise ValueError(f"invalid order={order!r}. Expected 'C' or 'F'")
    if len(multi_index) != len(dims):
        raise AssertionError(f"len(multi_index)={len(multi_index)} != len(dims)={len(dims)}")
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"invalid mode={mode!r}. Expected 'raise', 'wrap', or 'clip'")
    if mode == "raise" and any([isinstance(i, _w.Tensor) and _w.about(i, "symbolic") for i in multi_index]):
        from jax.errors import ConcretizationTypeError
        raise ConcretizationTypeError("The error occurred because ravel_multi_index was jit-compiled with mode='raise'. Use mode='wrap' "
                                      "or mode='clip' instead.")
    y = None
    pairs = list(zip(multi_index, dims))
    for i, d in pairs if order == "C" else pairs[::-1]:
        i = _asarray(i)
        if mode == "raise" and not _w.about(i, "symbolic") and bool(_w.any(_w.logical_or(_w.lt(i, 0), _w.ge(i, d)))):
            raise ValueError("invalid entry in coordinates array")
        if mode == "clip":
            i = _w.clip(i, 0, d - 1)
        elif mode == "wrap":
            i = _w.remainder(i, d)
        i = i if dtype is None else _w.cast(i, dtype)
        y = i if y is None else y * d + i
    return y


def iterable(y):
    return hasattr(y, "__iter__") or (isinstance(y, _w.Tensor) and len(y.shape) > 0)
