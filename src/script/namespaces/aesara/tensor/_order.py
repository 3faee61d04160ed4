# aesara.tensor._order -- sorting, searching and norms.
import _aesara as _w
import numpy as _np
from aesara._graph import Op, apply, as_variable
from aesara.tensor.subtensor import take

_int = int


def _flat(x):
    return _w.reshape(x, [-1])


def sort(a, axis=-1, kind=None, order=None):
    a = _unordered(a, order)
    run = lambda p, x: _w.sort(_flat(x), 0)[0] if p is None else _w.sort(x, p)[0]
    return apply(Op("SortOp", run, "SortOp"), [a], axis, 1 if axis is None else a.ndim, a.dtype)


def _unordered(a, order):
    if order is not None:
        raise NotImplementedError("order: arrays have no fields to sort by")
    return as_variable(a)


def argsort(a, axis=-1, kind=None, order=None):
    a = _unordered(a, order)
    run = lambda p, x: _w.sort(_flat(x), 0)[1] if p is None else _w.sort(x, p)[1]
    return apply(Op("ArgSortOp", run, "ArgSortOp"), [a], axis, 1 if axis is None else a.ndim, "int64")


def topk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    return apply(Op("TopKOp", lambda p, x: _w.top_k(x, p[0], p[1])[0], "TopKOp"), [x], (kth, axis), as_variable(x).ndim, as_variable(x).dtype)


def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None):
    x = as_variable(x)
    if return_index or return_inverse or return_counts or axis is not None:
        raise NotImplementedError("unique: only the values")

    def run(p, x):
        s = _w.sort(_flat(x), 0)[0]
        first = _w.concat([_w.full((1,), True, "bool"), s[1:] != s[:-1]], 0)
        return _w.index_get(s, (first,))
    return apply(Op("Unique", run, "Unique"), [x], None, 1, x.dtype)


def searchsorted(x, v, side="left", sorter=None):
    if sorter is not None:
        x = take(x, sorter)
    return apply(Op("SearchsortedOp", lambda p, x, v: _w.searchsorted(x, v, p), "SearchsortedOp"), [x, v], side == "right", as_variable(v).ndim, "int64")


def trace(a):
    return apply(Op("trace", lambda p, x: _w.diagonal_sum(x), "Trace"), [a])


# ---- norms ----

def _norm(x, ord=None, axis=None):
    def run(p, x):
        return _w.wrap(_np_norm(x, p[0], p[1]))
    x = as_variable(x)
    if axis is None:
        rank = 0
    else:
        rank = x.ndim - (1 if isinstance(axis, _int) else len(axis))
    return apply(Op("norm", run, "Norm"), [x], (ord, axis), rank, x.dtype if x.dtype.startswith("float") else "float64")


def _np_norm(x, p, axis):
    if p is None or p == 2 or p == "fro":
        return _w.sqrt(_w.sum(x * x, axis))
    if p == _np.inf:
        return _w.max(_w.abs(x), axis)
    if p == -_np.inf:
        return _w.min(_w.abs(x), axis)
    if p == 0:
        return _w.sum(_w.cast(x != 0, x.dtype), axis)
    if p == 1:
        return _w.sum(_w.abs(x), axis)
    return _w.pow(_w.sum(_w.pow(_w.abs(x), p), axis), 1.0 / p)
