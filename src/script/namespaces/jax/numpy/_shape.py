# jax.numpy: functions that only move elements.
import _jax as _w
from jax._array import shape_text
from jax._sharding import NamedSharding, P, ShardingTypeError, said as _said, type_layout, used
from jax.numpy._core import core as _core
from jax.numpy._create import _shape as _sizes, arraylike as _asarray, asarray as _any_array, known

__all__ = """shape ndim size reshape ravel transpose permute_dims swapaxes moveaxis rollaxis expand_dims squeeze
    broadcast_to broadcast_arrays broadcast_shapes concatenate concat stack hstack vstack dstack
    column_stack row_stack split array_split hsplit vsplit dsplit tile repeat roll flip fliplr flipud
    rot90 pad atleast_1d atleast_2d atleast_3d append delete insert resize matrix_transpose
    block trim_zeros unstack meshgrid ix_""".split()

moveaxis, rollaxis, expand_dims = _core.moveaxis, _core.rollaxis, _core.expand_dims
broadcast_shapes, broadcast_arrays = _core.broadcast_shapes, _core.broadcast_arrays
atleast_1d, atleast_2d, atleast_3d = _core.atleast_1d, _core.atleast_2d, _core.atleast_3d
hstack, dstack, column_stack, block, append = _core.hstack, _core.dstack, _core.column_stack, _core.block, _core.append
vstack = row_stack = _core.vstack
array_split, split, vsplit, hsplit, dsplit = _core.array_split, _core.split, _core.vsplit, _core.hsplit, _core.dsplit
roll, fliplr, flipud, rot90 = _core.roll, _core.fliplr, _core.flipud, _core.rot90
insert, trim_zeros, ix_ = _core.insert, _core.trim_zeros, _core.ix_


def shape(a):
    return tuple(_any_array(a).shape)


def ndim(a):
    return len(_any_array(a).shape)


def size(a, axis=None):
    a = _any_array(a)
    if axis is None:
        return _w.about(a, "count")
    n, axes = 1, _core.axes(axis, len(a.shape))
    if len(set(axes)) < len(axes):
        raise ValueError("repeated axis")
    for i in axes:
        n *= a.shape[i]
    return n


def _order(a, order):
    return _w.permute(a) if order == "F" else a


def reshape(a, shape, order="C", copy=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: reshape(a, shape, order), out_sharding)
    a = _asarray(a)
    shape = _sizes(shape)
    count = 1
    known = 1
    if shape.count(-1) > 1:
        raise TypeError(f"can only specify one unknown axis size with a `-1` value, got {shape}")
    for d in a.shape:
        count *= d
    for d in shape:
        if d != -1:
            known *= d
    if (-1 not in shape and known != count) or (-1 in shape and (known == 0 or count % known)):
        why = f"because the product of specified axis sizes ({known}) does not evenly divide {count}" if -1 in shape else f"(size {known})"
        raise TypeError(f"cannot reshape array of shape {tuple(a.shape)} (size {count}) into shape {shape} {why}")
    if order == "F":
        if -1 in shape:
            shape = tuple([count // known if d == -1 else d for d in shape])
        return _w.permute(_w.reshape(_w.permute(a), shape[::-1]))
    return _w.reshape(a, shape)


def ravel(a, order="C", out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: ravel(a, order), out_sharding)
    return _w.reshape(_order(_asarray(a), order), (-1,))


def transpose(a, axes=None):
    a = _asarray(a)
    if axes is not None and not isinstance(axes, int):
        rank = len(a.shape)
        axes = tuple([_core.axis(i, rank) for i in axes])
        if sorted(axes) != list(range(rank)):
            raise TypeError(f"transpose permutation isn't a permutation of operand dimensions, got permutation {axes} "
                            f"for operand shape {tuple(a.shape)}.")
    return _w.permute(a, axes)


permute_dims = transpose


def matrix_transpose(x):
    return _w.swap_axes(x, -1, -2)


def swapaxes(a, axis1, axis2):
    return _w.swap_axes(a, axis1, axis2)


def squeeze(a, axis=None):
    a = _asarray(a)
    if axis is not None:
        for i in ((axis,) if isinstance(axis, int) else axis):
            if a.shape[_core.axis(i, len(a.shape))] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one, "
                                 f"got shape={tuple(a.shape)} and dimensions={tuple(sorted(_core.axes(axis, len(a.shape))))}")
        if not isinstance(axis, int) and len(axis) == 0:
            return a
    elif 1 not in a.shape:
        return a
    return _w.squeeze(a, axis)


def broadcast_to(array, shape, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: broadcast_to(array, shape), out_sharding)
    array = _asarray(array)
    shape = _sizes(shape)
    own = tuple(array.shape)
    if len(own) > len(shape) or any([n != 1 and n != m for n, m in zip(own[::-1], shape[::-1])]):
        raise ValueError(f"Incompatible types for broadcasting: input type={shape_text(array)} and requested "
                         f"type={array.dtype.name}[{','.join([str(n) for n in shape])}]")
    return _w.broadcast_to(array, shape)


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


concat = _core.concatenate = concatenate


def stack(arrays, axis=0, out=None, dtype=None):
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.stack is not supported.")
    arrays = _same(arrays)
    for a in arrays[1:]:
        if len(a.shape) != len(arrays[0].shape):
            raise ValueError("Cannot stack arrays with different numbers of dimensions: got "
                             f"{', '.join([str(tuple(x.shape)) for x in arrays])}.")
        if tuple(a.shape) != tuple(arrays[0].shape):
            raise ValueError("All input arrays must have the same shape, got "
                             f"{[tuple(x.shape) for x in arrays]}")
    y = _w.stack(arrays, axis)
    return y if dtype is None else _w.cast(y, dtype)


def unstack(x, axis=0):
    return tuple(_w.move_axis(x, axis, 0))


def tile(A, reps):
    lies = type_layout(A) if used and isinstance(A, _w.Tensor) else None
    if lies is None:
        return _core.tile(A, reps)
    times, rank = (reps,) if isinstance(reps, int) else tuple(reps), len(A.shape)
    times = (1,) * (rank - len(times)) + times
    new = len(times) - rank
    tiles = lies._tiles(rank)
    for k in range(rank):
        if tiles[k] and times[new + k] != 1:
            from jax._api import typeof
            raise ShardingTypeError(f"Operand cannot be sharded on dimension {k} when the tiling is non-trivial. Got input type: "
                                    f"{typeof(A).str_short()} with reps: {times}")
    return _said(lambda: _core.tile(A, reps), NamedSharding(lies.mesh, P(*[None] * new, *tiles)))


def repeat(a, repeats, axis=None, total_repeat_length=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: repeat(a, repeats, axis, total_repeat_length), out_sharding)
    a = _asarray(a)
    lies = type_layout(a) if used else None
    if lies is not None and (axis is None or lies._tiles(len(a.shape))[axis]):
        raise ValueError("Please pass sharding to `jnp.repeat` via `out_sharding` parameter.")
    if axis is None:
        a, axis = _w.reshape(a, (-1,)), 0
    if isinstance(repeats, int):
        return _w.repeat(a, repeats, axis)
    n = a.shape[axis]
    counts = _w.broadcast_to(_w.reshape(_any_array(repeats), (-1,)), (n,))
    total = total_repeat_length
    if total is None:
        total = int(known(_w.sum(counts), "When jit-compiling jnp.repeat, the total number of repeats must be static. To fix this, either specify "
                                          "a static value for `repeats`, or pass a static value to `total_repeat_length`."))
    ends = _w.cumsum(counts, 0)
    where = _w.searchsorted(ends, _w.arange(0, total), True)
    return _w.take(a, _w.minimum(where, n - 1), axis)


def flip(m, axis=None):
    return _w.flip(_asarray(m), axis)


resize = _core.resize


def delete(arr, obj, axis=None, assume_unique_indices=False):
    if isinstance(obj, _w.Tensor) and _w.about(obj, "symbolic"):
        return _delete_traced(_asarray(arr), obj, axis, assume_unique_indices)
    return _core.delete(arr, obj, axis)


def _delete_traced(a, obj, axis, unique):
    # How many go must be known: one, or as many as there are places, if all differ.
    if axis is None:
        a, axis = _w.reshape(a, (-1,)), 0
    if len(obj.shape) and not unique or obj.dtype == _w.bool_:
        from jax.errors import ConcretizationTypeError
        raise ConcretizationTypeError("jnp.delete: the places are traced: how many of them differ is not known. "
                                      "Use assume_unique_indices=True where they do.")
    n, gone = a.shape[axis], _w.reshape(obj, (-1,))
    gone = _w.where(_w.lt(gone, 0), gone + n, gone)
    stays = _w.logical_not(_w.any(_w.eq(_w.expand_dims(_w.arange(0, n), 1), _w.expand_dims(gone, 0)), 1))
    from jax.numpy._select import nonzero
    return _w.take(a, nonzero(stays, size=n - gone.shape[0])[0], axis)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    return _core.meshgrid(*xi, sparse=sparse, indexing=indexing)


def pad(array, pad_width, mode="constant", **kwargs):
    if callable(mode):
        raise NotImplementedError("jnp.pad: a function as mode")
    if mode not in _core.pad_options:
        raise NotImplementedError(f"Unsupported padding mode: {mode}")
    return _core.pad(array, pad_width, mode, **kwargs)
