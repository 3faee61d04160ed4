# jax._index -- reading and updating with every kind of index, and what happens outside:
# reads are clamped or filled, writes are dropped.
#
# An update scatters into the flat array. Where each element goes is found by indexing the
# numbers 0, 1, 2 .. in the array's shape; these get one more entry along every axis that is
# indexed by a number, which stands for "outside".
import _jax as _w

watcher = []     # told of indices while a checked function is traced (jax.experimental.checkify): (shape, axes, indices)


def _is_tensor(k):
    return isinstance(k, _w.Tensor)


def _is_mask(k):
    return isinstance(k, bool) or (_is_tensor(k) and k.dtype == _w.bool_)


def _as_index(k):
    if isinstance(k, (list, tuple)):
        k = _w.tensor(k) if len(k) else _w.full((0,), 0, _w.int32)
    if isinstance(k, float) or (_is_tensor(k) and k.dtype.is_inexact):
        name = k.dtype.name if _is_tensor(k) else "float64"
        raise TypeError(f"Indexer must have integer or boolean type, got indexer with type {name}")
    return k


def _parts(x, key):
    if isinstance(key, list):
        raise TypeError("Using a non-tuple sequence for multidimensional indexing is not allowed; use `arr[array(seq)]` "
                        "instead of `arr[seq]`.")
    key = list(key) if isinstance(key, tuple) else [key]
    key = [_as_index(k) for k in key]
    used = 0
    for k in key:
        if _is_mask(k):
            used += len(k.shape) if _is_tensor(k) else 0
        elif k is not None and k is not Ellipsis:
            used += 1
    if used > len(x.shape):
        raise IndexError(f"Too many indices: {len(x.shape)}-dimensional array indexed with {used} "
                         "regular indices.")
    return key, used


def _expand(x, key):
    # The key with ... written out, and for each part the axis it begins at.
    key, used = _parts(x, key)
    rest = len(x.shape) - used
    out = []
    axes = []
    axis = 0
    seen = False
    for k in key + [Ellipsis]:
        if k is Ellipsis:
            if seen:
                continue
            seen = True
            for _ in range(rest):
                out.append(slice(None))
                axes.append(axis)
                axis += 1
            continue
        out.append(k)
        axes.append(axis)
        if _is_mask(k):
            axis += len(k.shape) if _is_tensor(k) else 0
        elif k is not None:
            axis += 1
    return out, axes


def _padded(x, key, wrap):
    # (key, axes to be padded by one entry): numbers outside become that entry.
    parts, axes = _expand(x, key)
    out = []
    padded = []
    seen = []
    for k, a in zip(parts, axes):
        if isinstance(k, slice):
            n = x.shape[a]
            if any([_is_tensor(v) and _w.about(v, "symbolic") for v in (k.start, k.stop, k.step)]):
                raise IndexError(f"Slice entries must be static integers. Got {k} at position {len(out)}")
            start, stop, step = k.indices(n)
            if (stop - start) * step <= 0:
                start = stop = 0
                step = 1
            out.append(slice(start, None if stop < 0 else stop, step))
        elif k is None or _is_mask(k):
            out.append(k)
        else:
            n = x.shape[a]
            k = _w.cast(_w.wrap(k), _w.int32)
            if wrap:
                k = _w.where(_w.lt(k, 0), _w.add(k, n), k)
            seen.append(k)
            inside = _w.logical_and(_w.ge(k, 0), _w.lt(k, n))
            out.append(_w.where(inside, k, n))
            padded.append(a)
    if watcher:
        watcher[-1](x.shape, padded, seen)
    return tuple(out), padded


def _count(x):
    n = 1
    for d in x.shape:
        n *= d
    return n


def _grow(x, axes, value):
    lo = [0] * len(x.shape)
    hi = [1 if a in axes else 0 for a in range(len(x.shape))]
    return _w.pad(x, lo, hi, value)


def _places(x, key, wrap=True):
    # The flat position of every element that key picks; the size of x for those outside.
    n = _count(x)
    numbers = _w.reshape(_w.iota(_w.int32, (n,)), x.shape)
    key, padded = _padded(x, key, wrap)
    return _grow(numbers, padded, n)[key]


def _named_mode(mode):
    mode = getattr(mode, "name", mode)
    mode = mode.lower() if isinstance(mode, str) else mode
    if mode not in (None, "fill", "drop", "clip", "promise_in_bounds", "one_hot"):
        raise ValueError(f"Unknown gather mode \"{mode}\"")
    return mode


def read(x, key, mode=None, fill_value=None, wrap=True):
    mode = _named_mode(mode)
    if mode not in ("fill", "drop"):
        return x[key if wrap else _clipped(x, key, False)]
    if fill_value is None:
        from jax.numpy._select import _hole
        fill_value = _hole(x.dtype)
    places = _places(x, key, wrap)
    n = _count(x)
    flat = _w.reshape(x, (n,))
    return _w.where(_w.lt(places, n), flat[_w.minimum(places, max(n - 1, 0))],
                    _w.cast(fill_value, x.dtype))


_ops = {"set": "scatter", "add": "scatter_add", "mul": "scatter_mul", "min": "scatter_min",
        "max": "scatter_max"}


def _clipped(x, key, wrap):
    parts, axes = _expand(x, key)
    out = []
    for k, a in zip(parts, axes):
        if isinstance(k, slice) or k is None or _is_mask(k):
            out.append(k)
        else:
            k = _w.cast(_w.wrap(k), _w.int32)
            if wrap:
                k = _w.where(_w.lt(k, 0), _w.add(k, x.shape[a]), k)
            if watcher:
                watcher[-1](x.shape, [a], [k])
            out.append(_w.clip(k, 0, x.shape[a] - 1))
    return tuple(out)


def update(x, key, value, how, mode=None, wrap=True):
    mode = _named_mode(mode)
    value = _w.wrap(_w.tensor(value, copy=False) if isinstance(value, (list, tuple)) else value)
    if _is_mask(key) and len(value.shape) == 0 and how == "set":
        mask = key
        extra = len(x.shape) - len(mask.shape) if _is_tensor(mask) else 0
        if extra > 0:
            mask = _w.reshape(mask, tuple(mask.shape) + (1,) * extra)
        return _w.where(mask, _w.cast(value, x.dtype), x)
    if mode == "clip":
        key = _clipped(x, key, wrap)
    places = _places(x, key, wrap)
    n = _count(x)
    wide = x
    if how != "set":     # in the dtype of both, and back
        from jax._dtypes import result_type
        d = result_type(x, value)
        wide = _w.cast(x, _w.int32 if d == _w.bool_ else d)
    value = _w.broadcast_to(_w.cast(value, wide.dtype), places.shape)
    k = _count(places)
    out = _w.op(_ops[how], [_w.reshape(wide, (n,)), _w.reshape(places, (k, 1)), _w.reshape(value, (k,))],
                {"inserted": [0], "operand_dims": [0], "mode": "drop"})[0]
    return _w.cast(_w.reshape(out, x.shape), x.dtype)


def may_repeat(x, key):
    # May a place be named twice? Only by arrays of numbers.
    return any([_is_tensor(k) and not _is_mask(k) and len(k.shape) > 0 for k in _expand(x, key)[0]])


def applied(x, key, fn, mode=None, wrap=True):
    # fn of what stands at key, as often as a place is named.
    from jax.lax._flow import while_loop
    if _named_mode(mode) == "clip":
        key = _clipped(x, key, wrap)
    n = _count(x)
    places = _w.reshape(_places(x, key, wrap), (-1,))
    times = _w.op("scatter_add", [_w.full((n,), 0, _w.int32), _w.reshape(places, (-1, 1)), _w.full((_count(places),), 1, _w.int32)],
                  {"inserted": [0], "operand_dims": [0], "mode": "drop"})[0]
    times = _w.reshape(times, x.shape)
    once = lambda left, y: _w.where(_w.gt(left, 0), _w.cast(fn(y), x.dtype), y)
    if not _w.in_trace():
        for r in range(int(_w.max(times)) if n else 0):
            x = once(times - r, x)
        return x
    return while_loop(lambda s: _w.any(_w.gt(s[0], 0)), lambda s: (s[0] - 1, once(*s)), (times, x))[1]
