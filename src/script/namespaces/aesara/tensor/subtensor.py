# aesara.tensor.subtensor -- parts of expressions: read, set, added to. Bounds and places may be expressions.
import _aesara as _w
import numpy as _np
from aesara._extent import extent_of
from aesara._graph import Op, Variable, TensorVariable, apply, as_variable


def _flat(x):
    return _w.reshape(x, (-1,))


def _parts(key):
    return list(key) if isinstance(key, tuple) else [key]


def _places(n, bounds):
    # The places of a slice of an axis of size n, all int64 scalars, as NumPy reads it.
    start, stop, step = bounds
    low, high = (0, n) if step is None or step > 0 else (-1, n - 1)
    step = 1 if step is None else step

    def end(b, standard):
        if b is None:
            return standard + 0 * n
        b = _w.cast(_w.wrap(b), "int64")
        return _w.minimum(_w.maximum(_w.where(b < 0, b + n, b), low), high)
    start, stop = end(start, low if step > 0 else high), end(stop, high if step > 0 else low)
    count = _w.maximum(_w.floor_div(stop - start + step - (1 if step > 0 else -1), step), 0)
    return start + step * _w.iota("int64", (_w.size_of(count),))


def _key(params, values, x, extents=()):
    # The key again, with the values of its expressions, and how to cut axes first: (axis, places),
    # where bounds are not known.
    known_sizes = {e.axis: e.length for e in extents if e.length is not None}
    at, axis = 0, 0
    key, cuts = [], []
    for kind, n in params:
        if kind == "s":
            bounds, open_ = [], False
            for known in n:
                if known is _HOLE:
                    known = values[at]
                    at += 1
                    size = _w.size_of(known, False)
                    open_ = open_ or not isinstance(size, int)
                    known = known if size is None else size
                bounds.append(known)
            whole = bounds[0] is None and bounds[1] is None
            size = x.shape[axis]
            if axis in known_sizes:
                first = _w.cast(_w.wrap(bounds[0]), "int64")
                first = _w.where(first < 0, _w.maximum(first + _w.tensor(size, "int64"), 0), first)
                cuts.append((axis, first + _w.iota("int64", (known_sizes[axis],))))
                key.append(slice(None))
            elif open_ or not isinstance(size, int) and not whole and bounds[2] is not None and bounds[2] < 0:
                if not isinstance(bounds[2], int) and bounds[2] is not None:
                    raise NotImplementedError("a slice whose step is an expression")
                cuts.append((axis, _places(_w.tensor(size, "int64"), bounds)))
                key.append(slice(None))
            else:
                key.append(slice(*bounds))
            axis += 1
        elif kind == "v":
            v = values[at]
            at += 1
            number = _w.size_of(v, False) if v.ndim == 0 and v.dtype.kind in "iu" else None
            key.append(number if isinstance(number, int) else v)
            axis += v.ndim if v.dtype.kind == "b" else 1
        else:
            if n is Ellipsis:
                axis = x.ndim - sum([1 for k, m in params[len(key) + 1:] if not (k == "c" and m is None)])
            elif n is not None:
                axis += 1
            key.append(n)
    return tuple(key), cuts


def _get(params, values, x, extents=()):
    key, cuts = _key(params, values, x, extents)
    for axis, places in cuts:
        x = _w.take(x, places, axis)
    return _w.index_get(x, key)


def _put(params, values, x, y, add):
    # x with y at the key, or y added there
    y = _w.cast(y, x.dtype)
    key, cuts = _key(params, values, x)
    if not cuts:
        return _w.index_add(x, key, y) if add else _w.index_set(x, key, y)
    flat = _w.reshape(x, (-1,))
    at = _get(params, values, _w.reshape(_w.iota("int64", flat.shape), x.shape))
    y = _flat(_w.broadcast_to(y, at.shape))
    return _w.reshape((_w.index_add if add else _w.index_set)(flat, (_flat(at),), y), x.shape)


class _Hole:
    pass


_HOLE = _Hole()


def _split_key(key, ndim):
    # (params, operands, rank of the result, names of the parts, rank of arrays, extents)
    params, operands, names, extents = [], [], [], []
    rank, arrays, used = 0, 0, 0
    parts = _parts(key)
    consumed = sum([(p.ndim if isinstance(p, TensorVariable) and p.dtype == "bool" else 1) for p in
                     [as_variable(q) if isinstance(q, (list, _w.Tensor)) else q for q in parts] if p is not None and p is not Ellipsis])
    if consumed > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {consumed} were indexed")
    for p in parts:
        if isinstance(p, (list, _w.Tensor)):
            p = as_variable(p) if not isinstance(p, list) else as_variable(_np.asarray(p) if not any([isinstance(q, Variable) for q in p]) else p)
        if p is None:
            params.append(("c", None))
            rank += 1
        elif p is Ellipsis:
            params.append(("c", p))
            rank += ndim - consumed
            used += ndim - consumed
        elif isinstance(p, slice):
            bounds = []
            for b in (p.start, p.stop, p.step):
                if isinstance(b, TensorVariable):
                    operands.append(b)
                    bounds.append(_HOLE)
                else:
                    bounds.append(None if b is None else int(b))
            params.append(("s", tuple(bounds)))
            if bounds[0] is _HOLE and bounds[2] is None and p.stop is not None:
                extents.append(extent_of(used, p.start, p.stop))
            kinds = ["" if b is None else getattr(b, "dtype", "int64") for b in (p.start, p.stop, p.step)]
            names.append(f"{kinds[0]}:{kinds[1]}:{kinds[2]}")
            rank += 1
            used += 1
        elif isinstance(p, TensorVariable):
            operands.append(p)
            params.append(("v", None))
            if p.ndim == 0 and p.dtype != "bool":
                names.append(p.dtype)
            else:
                arrays = max(arrays, 1 if p.dtype == "bool" else p.ndim)
            used += p.ndim if p.dtype == "bool" else 1
        else:
            params.append(("c", int(p)))
            names.append("int64")
            used += 1
    return params, operands, rank + arrays + ndim - used, names, arrays, [e for e in extents if e is not None]


def getitem(x, key):
    x = as_variable(x)
    params, operands, rank, names, arrays, extents = _split_key(key, x.ndim)
    show = "AdvancedSubtensor" if arrays else "Subtensor{" + ", ".join(names) + "}"

    run = lambda p, x, *values: _get(p, values, x, extents)
    r = apply(Op("Subtensor", run, show), [x] + operands, params, *_item_type(x, params, operands, rank))
    r.owner.key = key
    r.owner.extents = extents
    return r


def _item_type(x, params, operands, rank):
    # (None, None): the type rules can tell
    if any([kind == "s" and _HOLE in n for kind, n in params]) or any([o.dtype == "bool" for o in operands]):
        return rank, x.dtype
    return None, None


def _changed(x, y, add, ignore=False):
    node = x.owner
    if node is None or node.op.name != "Subtensor":
        raise TypeError("x must be the result of a subtensor operation")
    base = node.inputs[0]

    def run(p, base, y, *values):
        if add and ignore:  # a place that is named twice counts once
            return _put(p, values, base, _get(p, values, base) + _w.cast(y, base.dtype), False)
        return _put(p, values, base, y, add)
    key = str(node.op)
    show = f"IncSubtensor{{{'Inc' if add else 'Set'};{key[10:-1]}}}" if key.startswith("Subtensor{") else "AdvancedIncSubtensor"
    return apply(Op("IncSubtensor" if add else "SetSubtensor", run, show), [base, y] + node.inputs[1:], node.params, base.ndim, base.dtype)


def set_subtensor(x, y, inplace=False, tolerate_inplace_aliasing=False):
    return _changed(x, y, False)


def inc_subtensor(x, y, inplace=False, set_instead_of_inc=False, tolerate_inplace_aliasing=False, ignore_duplicates=False):
    return _changed(x, y, not set_instead_of_inc, ignore_duplicates)


def take(a, indices, axis=None, mode="raise"):
    a = as_variable(a)
    if axis is None:
        return getitem(a.flatten(), as_variable(indices))
    return getitem(a, (slice(None),) * (axis % a.ndim) + (as_variable(indices),))


def take_along_axis(arr, indices, axis=0):
    return apply(Op("take_along_axis", lambda p, x, i: _w.take_along(x, i, p), "TakeAlong"), [arr, indices], axis)
