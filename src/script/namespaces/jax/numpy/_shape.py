# jax.numpy: functions that only move elements.
import _jax as _w
from jax.numpy._create import arraylike as _asarray, asarray as _any_array

__all__ = """shape ndim size reshape ravel transpose permute_dims swapaxes moveaxis rollaxis expand_dims squeeze
    broadcast_to broadcast_arrays broadcast_shapes concatenate concat stack hstack vstack dstack
    column_stack row_stack split array_split hsplit vsplit dsplit tile repeat roll flip fliplr flipud
    rot90 pad atleast_1d atleast_2d atleast_3d append delete insert resize matrix_transpose
    block trim_zeros unstack""".split()


def shape(a):
    return tuple(_any_array(a).shape)


def ndim(a):
    return len(_any_array(a).shape)


def size(a, axis=None):
    a = _any_array(a)
    return _w.about(a, "count") if axis is None else a.shape[axis]


def _order(a, order):
    return _w.permute(a) if order == "F" else a


def reshape(a, shape, order="C", copy=None, out_sharding=None):
    a = _asarray(a)
    if isinstance(shape, int):
        shape = (shape,)
    shape = tuple(shape)
    count = 1
    known = 1
    for d in a.shape:
        count *= d
    for d in shape:
        if d != -1:
            known *= d
    if (-1 not in shape and known != count) or (-1 in shape and (known == 0 or count % known)):
        raise TypeError(f"cannot reshape array of shape {tuple(a.shape)} (size {count}) into shape {shape}")
    if order == "F":
        if -1 in shape:
            shape = tuple([count // known if d == -1 else d for d in shape])
        return _w.permute(_w.reshape(_w.permute(a), shape[::-1]))
    return _w.reshape(a, shape)


def ravel(a, order="C", out_sharding=None):
    return _w.reshape(_order(_asarray(a), order), (-1,))


def transpose(a, axes=None):
    a = _asarray(a)
    if axes is not None and not isinstance(axes, int):
        rank = len(a.shape)
        axes = tuple([_axis(i, rank) for i in axes])
        if sorted(axes) != list(range(rank)):
            raise TypeError(f"transpose permutation isn't a permutation of operand dimensions, got permutation {axes} "
                            f"for operand shape {tuple(a.shape)}.")
    return _w.permute(a, axes)


permute_dims = transpose


def matrix_transpose(x):
    return _w.swap_axes(x, -1, -2)


def swapaxes(a, axis1, axis2):
    return _w.swap_axes(a, axis1, axis2)


def _axis(axis, rank):
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis + rank if axis < 0 else axis


def moveaxis(a, source, destination):
    if isinstance(source, int):
        return _w.move_axis(a, source, destination)
    rank = len(a.shape)
    src = [_axis(s, rank) for s in source]
    dst = [_axis(d, rank) for d in destination]
    rest = [i for i in range(rank) if i not in src]
    order = [-1] * rank
    for s, d in zip(src, dst):
        order[d] = s
    it = iter(rest)
    return _w.permute(a, [next(it) if o < 0 else o for o in order])


def rollaxis(a, axis, start=0):
    rank = len(a.shape)
    axis = _axis(axis, rank)
    start = start + rank if start < 0 else start
    return _w.move_axis(a, axis, start - 1 if axis < start else start)


def expand_dims(a, axis):
    a = _asarray(a)
    if isinstance(axis, int):
        return _w.expand_dims(a, axis)
    rank = len(a.shape) + len(axis)
    if len({_axis(i, rank) for i in axis}) < len(axis):
        raise ValueError(f"repeated axis in expand_dims: {axis}")
    for i in sorted([_axis(i, rank) for i in axis]):
        a = _w.expand_dims(a, i)
    return a


def squeeze(a, axis=None):
    a = _asarray(a)
    if axis is not None:
        for i in ((axis,) if isinstance(axis, int) else axis):
            if a.shape[_axis(i, len(a.shape))] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one, "
                                 f"got shape={tuple(a.shape)} and dimensions={axis}")
        if not isinstance(axis, int) and len(axis) == 0:
            return a
    elif 1 not in a.shape:
        return a
    return _w.squeeze(a, axis)


def broadcast_to(array, shape, out_sharding=None):
    array = _asarray(array)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if broadcast_shapes(array.shape, shape) != shape:
        raise ValueError(f"Incompatible shapes for broadcasting: {tuple(array.shape)} and requested shape {shape}")
    return _w.broadcast_to(array, shape)


def broadcast_shapes(*shapes):
    out = []
    for s in shapes:
        s = [s] if isinstance(s, int) else list(s)
        n = max(len(out), len(s))
        a, b = [1] * (n - len(out)) + out, [1] * (n - len(s)) + s
        out = []
        for x, y in zip(a, b):
            if x != y and x != 1 and y != 1:
                raise ValueError(f"Incompatible shapes for broadcasting: shapes={[tuple(t) for t in shapes]}")
            out.append(y if x == 1 else x)
    return tuple(out)


def broadcast_arrays(*args):
    args = [_asarray(a) for a in args]
    shape = broadcast_shapes(*[tuple(a.shape) for a in args])
    return [_w.broadcast_to(a, shape) for a in args]


def _same(arrays):
    # As arrays of one dtype.
    from jax._dtypes import result_type
    if isinstance(arrays, _w.Tensor):
        arrays = list(arrays)
    arrays = [_asarray(a) for a in arrays]
    if len(arrays) == 0:
        raise ValueError("Need at least one array to concatenate.")
    first = arrays[0].dtype
    for a in arrays[1:]:
        if a.dtype != first:
            d = result_type(*arrays)
            return [_w.cast(x, d) for x in arrays]
    return arrays


def concatenate(arrays, axis=0, dtype=None):
    arrays = _same(arrays)
    if axis is None:
        arrays, axis = [_w.reshape(a, (-1,)) for a in arrays], 0
    for a in arrays:
        if len(a.shape) == 0:
            raise ValueError("Zero-dimensional arrays cannot be concatenated.")
    out = _w.concat(arrays, axis)
    return out if dtype is None else _w.cast(out, dtype)


concat = concatenate


def stack(arrays, axis=0, out=None, dtype=None):
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.stack is not supported.")
    arrays = _same(arrays)
    for a in arrays[1:]:
        if tuple(a.shape) != tuple(arrays[0].shape):
            raise ValueError("All input arrays must have the same shape, got "
                             f"{[tuple(x.shape) for x in arrays]}")
    y = _w.stack(arrays, axis)
    return y if dtype is None else _w.cast(y, dtype)


def unstack(x, axis=0):
    return tuple(_w.move_axis(x, axis, 0))


def atleast_1d(*arys):
    out = [a if len(a.shape) >= 1 else _w.reshape(a, (1,)) for a in [_asarray(x) for x in arys]]
    return out[0] if len(out) == 1 else out


def _two(a):
    return _w.reshape(a, (1,) * (2 - len(a.shape)) + tuple(a.shape)) if len(a.shape) < 2 else a


def atleast_2d(*arys):
    out = [_two(_asarray(a)) for a in arys]
    return out[0] if len(out) == 1 else out


def _three(a):
    n = len(a.shape)
    if n == 0:
        return _w.reshape(a, (1, 1, 1))
    if n == 1:
        return _w.reshape(a, (1, a.shape[0], 1))
    return _w.expand_dims(a, 2) if n == 2 else a


def atleast_3d(*arys):
    out = [_three(_asarray(a)) for a in arys]
    return out[0] if len(out) == 1 else out


def vstack(tup, dtype=None):
    return concatenate([atleast_2d(a) for a in tup], 0, dtype)


row_stack = vstack


def hstack(tup, dtype=None):
    arrays = [atleast_1d(a) for a in tup]
    return concatenate(arrays, 0 if len(arrays[0].shape) == 1 else 1, dtype)


def dstack(tup, dtype=None):
    return concatenate([atleast_3d(a) for a in tup], 2, dtype)


def column_stack(tup):
    arrays = [_asarray(a) for a in tup]
    return concatenate([_w.permute(_two(a)) if len(a.shape) < 2 else a for a in arrays], 1)


def block(arrays):
    def build(part, depth):
        if not isinstance(part, list):
            return _asarray(part)
        kids = [build(p, depth + 1) for p in part]
        rank = max([len(k.shape) for k in kids] + [_depth(arrays)])
        kids = [_w.reshape(k, (1,) * (rank - len(k.shape)) + tuple(k.shape)) for k in kids]
        return concatenate(kids, depth - _depth(arrays))

    def _depth(part):
        return 1 + _depth(part[0]) if isinstance(part, list) else 0

    return build(arrays, 0)


def _sizes(n, indices_or_sections, even):
    if isinstance(indices_or_sections, int):
        k = indices_or_sections
        if even and n % k:
            raise ValueError("array split does not result in an equal division: "
                             f"size {n} in {k} parts")
        return [n // k + (1 if i < n % k else 0) for i in range(k)]
    at = [0] + [min(max(int(i) if i >= 0 else int(i) + n, 0), n) for i in indices_or_sections] + [n]
    return [max(b - a, 0) for a, b in zip(at[:-1], at[1:])]


def split(ary, indices_or_sections, axis=0):
    ary = _asarray(ary)
    return list(_w.split(ary, _sizes(ary.shape[axis], indices_or_sections, True), axis))


def array_split(ary, indices_or_sections, axis=0):
    ary = _asarray(ary)
    return list(_w.split(ary, _sizes(ary.shape[axis], indices_or_sections, False), axis))


def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0 if len(ary.shape) == 1 else 1)


def dsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 2)


def tile(A, reps):
    A = _asarray(A)
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    n = max(len(reps), len(A.shape))
    A = _w.reshape(A, (1,) * (n - len(A.shape)) + tuple(A.shape))
    return _w.tile(A, (1,) * (n - len(reps)) + reps)


def repeat(a, repeats, axis=None, total_repeat_length=None, out_sharding=None):
    a = _asarray(a)
    if axis is None:
        a, axis = _w.reshape(a, (-1,)), 0
    if isinstance(repeats, int):
        return _w.repeat(a, repeats, axis)
    n = a.shape[axis]
    counts = _w.broadcast_to(_w.reshape(_any_array(repeats), (-1,)), (n,))
    total = total_repeat_length
    if total is None:
        total = int(_w.sum(counts))
    ends = _w.cumsum(counts, 0)
    where = _w.searchsorted(ends, _w.arange(0, total), True)
    return _w.take(a, _w.minimum(where, n - 1), axis)


def roll(a, shift, axis=None):
    a = _asarray(a)
    if axis is None:
        return _w.reshape(roll(_w.reshape(a, (-1,)), shift, 0), a.shape)
    if isinstance(axis, int):
        if isinstance(shift, _w.Tensor):
            n = a.shape[axis]
            return _w.take(a, _w.remainder(_w.sub(_w.arange(0, n), shift), n), axis)
        return _w.roll(a, shift, axis)
    shifts = (shift,) * len(axis) if isinstance(shift, int) else shift
    for s, i in zip(shifts, axis):
        a = _w.roll(a, int(s), i)
    return a


def flip(m, axis=None):
    return _w.flip(_asarray(m), axis)


def fliplr(m):
    return _w.flip(m, 1)


def flipud(m):
    return _w.flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    a, b = axes
    k = k % 4
    if k == 0:
        return m
    if k == 2:
        return _w.flip(_w.flip(m, a), b)
    if k == 1:
        return _w.swap_axes(_w.flip(m, b), a, b)
    return _w.flip(_w.swap_axes(m, a, b), b)


def _amounts(pad_width, rank):
    if isinstance(pad_width, int):
        return [(pad_width, pad_width)] * rank
    pairs = [tuple(p) if not isinstance(p, int) else p for p in pad_width]
    if isinstance(pairs[0], int):
        pairs = [tuple(pairs) if len(pairs) == 2 else (pairs[0], pairs[0])]
    pairs = [p if len(p) == 2 else (p[0], p[0]) for p in pairs]
    return pairs * rank if len(pairs) == 1 else pairs


def _sources(n, lo, hi, mode):
    # For each place along an axis the element that goes there.
    out = []
    for i in range(-lo, n + hi):
        if mode == "edge":
            j = min(max(i, 0), n - 1)
        elif mode == "wrap":
            j = i % n
        elif mode == "reflect":
            period = max(2 * n - 2, 1)
            j = i % period
            j = period - j if j >= n else j
        else:
            j = i % (2 * n)
            j = 2 * n - 1 - j if j >= n else j
        out.append(j)
    return out


def pad(array, pad_width, mode="constant", **kwargs):
    array = _asarray(array)
    amounts = _amounts(pad_width, len(array.shape))
    if callable(mode):
        raise NotImplementedError("jnp.pad: a function as mode")
    if mode in ("constant", "empty"):
        value = kwargs.get("constant_values", 0)
        if isinstance(value, (int, float)):
            return _w.pad(array, [lo for lo, hi in amounts], [hi for lo, hi in amounts], value)
        values = _amounts(value, len(array.shape)) if not isinstance(value, _w.Tensor) else None
        for i, (lo, hi) in enumerate(amounts):
            a, b = values[i] if values else (value, value)
            array = _end(_end(array, i, lo, a, True), i, hi, b, False)
        return array
    if mode in ("edge", "wrap", "reflect", "symmetric"):
        for i, (lo, hi) in enumerate(amounts):
            if lo or hi:
                array = _w.take(array, _w.tensor(_sources(array.shape[i], lo, hi, mode)), i)
        return array
    if mode in ("maximum", "minimum", "mean", "linear_ramp", "median"):
        for i, (lo, hi) in enumerate(amounts):
            array = _stat_pad(array, i, lo, hi, mode, kwargs)
        return array
    raise NotImplementedError(f"Unsupported padding mode: {mode}")


def _end(x, axis, n, value, before):
    if n == 0:
        return x
    shape = list(x.shape)
    shape[axis] = n
    piece = _w.broadcast_to(_w.cast(value, x.dtype), shape)
    return _w.concat([piece, x] if before else [x, piece], axis)


def _stat_pad(x, axis, lo, hi, mode, kwargs):
    if mode == "linear_ramp":
        end = kwargs.get("end_values", 0)
        first, last = _w.narrow(x, axis, 0, 1), _w.narrow(x, axis, x.shape[axis] - 1, 1)
        shape = [1] * len(x.shape)
        shape[axis] = -1
        parts = [x]
        if lo:
            t = _w.reshape(_w.arange(0, lo) / lo, shape)
            parts.insert(0, _w.cast(end + (first - end) * t, x.dtype))
        if hi:
            t = _w.reshape(_w.arange(hi - 1, -1, -1) / hi, shape)
            parts.append(_w.cast(end + (last - end) * t, x.dtype))
        return _w.concat(parts, axis)
    fn = {"maximum": _w.max, "minimum": _w.min, "mean": _w.mean}.get(mode)
    value = fn(x, axis, True) if fn else _w.median(x, axis, False, True)
    return _end(_end(x, axis, lo, value, True), axis, hi, value, False)


def append(arr, values, axis=None):
    if axis is None:
        return concatenate([ravel(arr), ravel(values)])
    return concatenate([arr, values], axis)


def delete(arr, obj, axis=None, assume_unique_indices=False):
    arr = _asarray(arr)
    if axis is None:
        arr, axis = _w.reshape(arr, (-1,)), 0
    n = arr.shape[axis]
    if isinstance(obj, slice):
        gone = list(range(n))[obj]
    elif isinstance(obj, int):
        gone = [obj]
    else:
        obj = _any_array(obj)
        gone = [i for i, m in enumerate(obj.tolist()) if m] if obj.dtype == _w.bool_ else _w.reshape(obj, (-1,)).tolist()
    gone = [g + n if g < 0 else g for g in gone]
    return _w.take(arr, _w.tensor([i for i in range(n) if i not in gone], _w.int32), axis)


def insert(arr, obj, values, axis=None):
    arr = _asarray(arr)
    if axis is None:
        arr, axis = _w.reshape(arr, (-1,)), 0
    n = arr.shape[axis]
    values = _w.cast(_any_array(values), arr.dtype)
    if isinstance(obj, int) or len(_any_array(obj).shape) == 0:
        at = int(obj)
        at = at + n if at < 0 else at
        shape = list(arr.shape)
        k = 1
        if len(values.shape) == len(arr.shape):
            k = values.shape[axis]
        shape[axis] = k
        piece = _w.broadcast_to(values, shape)
        parts = [_w.narrow(arr, axis, 0, at), piece, _w.narrow(arr, axis, at, n - at)]
        return _w.concat(parts, axis)
    where = [i + n if i < 0 else i for i in _any_array(obj).tolist()]
    values = _w.broadcast_to(values, (len(where),)) if len(arr.shape) == 1 else values
    order = sorted(range(len(where)), key=lambda i: where[i])
    for shift, i in enumerate(order):
        arr = insert(arr, where[i] + shift, values[i], axis)
    return arr


def resize(a, new_shape):
    new_shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    n = 1
    for d in new_shape:
        n *= d
    flat = ravel(a)
    k = flat.shape[0]
    if k == 0 or n == 0:
        return _w.full(new_shape, 0, flat.dtype)
    return _w.reshape(_w.tile(flat, (-(-n // k),))[:n], new_shape)


def trim_zeros(filt, trim="fb"):
    keep = [i for i, v in enumerate(filt.tolist()) if v != 0]
    if not keep:
        return filt[:0]
    lo = keep[0] if "f" in trim.lower() else 0
    hi = keep[-1] + 1 if "b" in trim.lower() else len(filt)
    return filt[lo:hi]
