# jax.lax: over the named axes of a vmap, pmap or shard_map.
import _jax as _w
import _tree
from jax._sharding import axis_id

__all__ = """psum pmean pmax pmin all_gather all_to_all ppermute pshuffle pswapaxes psum_scatter axis_index axis_size
    pcast""".split()


def _axes(axis_name, what):
    # The axes as natives take them, and their size; all are bound.
    names = axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,)
    for name in names:
        if isinstance(name, int):
            raise NotImplementedError(f"{what}: {name} is an axis of the array, not a named one")
        if _w.axis_kind(axis_id(name)) is None:
            if not _w.in_trace() and what != "axis_index":
                raise NameError(f"unbound axis name: {name}")
            raise NameError(f"Found an unbound axis name: {name}. To fix this, please call {what} under `jax.shard_map`.")
    axes = ",".join([axis_id(name) for name in names])
    return axes, _w.axis_size(axes) if names else 1


def _groups(groups, axes, size, what):
    # Members and sizes of groups.
    if groups is None:
        return (), ()
    kind = _w.axis_kind(axes)
    if kind == "vmap":
        raise NotImplementedError("axis_index_groups not supported in vmap collectives. Please open a feature request!")
    if kind == "checked" and what == "psum":
        raise NotImplementedError("psum with axis_index_groups under check_vma=True")
    members = [i for g in groups for i in g]
    if sorted(members) != list(range(size)):
        raise ValueError("axis_index_groups must cover all indices exactly once")
    parts = [len(g) for g in groups]
    if what not in ("psum", "pmean", "pmax", "pmin") and min(parts) != max(parts):
        raise ValueError("axis_index_groups must all be the same size for all_gather, all_to_all and psum_scatter")
    return members, parts


def _is_number(x):
    return isinstance(x, (bool, int, float)) and not isinstance(x, _w.Tensor)


def psum(x, axis_name, *, axis_index_groups=None):
    axes, size = _axes(axis_name, "psum")
    members, parts = _groups(axis_index_groups, axes, size, "psum")

    def one(v):
        if not axes:
            return v
        if _is_number(v) and not members:
            return v * size
        return _w.psum(v, axes, members, parts)
    return _tree.map(one, x)


def pmean(x, axis_name, *, axis_index_groups=None):
    axes, size = _axes(axis_name, "pmean")
    if axis_index_groups is None:
        return _tree.map(lambda v: v / size, psum(x, axis_name))
    counts = psum(_w.full((), 1, "float32"), axis_name, axis_index_groups=axis_index_groups)
    return _tree.map(lambda v: v / counts, psum(x, axis_name, axis_index_groups=axis_index_groups))


def _extreme(native, what):
    def call(x, axis_name, *, axis_index_groups=None):
        axes, size = _axes(axis_name, what)
        members, parts = _groups(axis_index_groups, axes, size, what)
        return _tree.map(lambda v: native(v, axes, members, parts) if axes else v, x)
    call.__name__ = call.__qualname__ = what
    return call


pmax, pmin = _extreme(_w.pmax, "pmax"), _extreme(_w.pmin, "pmin")


def _place(axis, rank):
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis + rank if axis < 0 else axis


def _split(v, axis, n):
    # One axis as two, n of so many.
    shape = list(v.shape)
    return _w.reshape(v, shape[:axis] + [n, shape[axis] // n] + shape[axis + 1:])


def _join(v, axis):
    # And two as one.
    shape = list(v.shape)
    return _w.reshape(v, shape[:axis] + [shape[axis] * shape[axis + 1]] + shape[axis + 2:])


def all_gather(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False, to="varying"):
    axes, size = _axes(axis_name, "all_gather")
    members, parts = _groups(axis_index_groups, axes, size, "all_gather")
    if to not in ("varying", "reduced", "invarying"):
        raise ValueError(f"Invalid value for to: {to}")
    if to == "reduced":
        raise NotImplementedError("all_gather: to='reduced'")

    def one(v):
        v = _w.wrap(v)
        at = _place(axis, len(v.shape) if tiled else len(v.shape) + 1)
        y = _w.all_gather(v, axes, at, members, parts, to == "invarying")
        return _join(y, at) if tiled else y
    return _tree.map(one, x)


def psum_scatter(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    axes, size = _axes(axis_name, "psum_scatter")
    members, parts = _groups(axis_index_groups, axes, size, "psum_scatter")
    n = parts[0] if parts else size

    def one(v):
        at = _place(scatter_dimension, len(v.shape))
        d = v.shape[at]
        if tiled:
            if d % n:
                raise ValueError(f"tiled reduce_scatter operand scatter dimension size {d} must be divisible by shard_count {n}")
            v = _split(v, at, n)
        elif d != n:
            raise ValueError(f"reduce_scatter operand scatter dimension size {d} must match shard count {n}")
        return _w.reduce_scatter(v, axes, at, members, parts)
    return _tree.map(one, x)


def all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False):
    axes, size = _axes(axis_name, "all_to_all")
    members, parts = _groups(axis_index_groups, axes, size, "all_to_all")
    n = parts[0] if parts else size

    def one(v):
        at, to = _place(split_axis, len(v.shape)), _place(concat_axis, len(v.shape))
        d = v.shape[at]
        if not tiled:
            if d != n:
                raise ValueError("all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], "
                                 f"but they are {n} and {d} respectively.")
            return _w.all_to_all(v, axes, at, to, members, parts)
        if d % n:
            raise ValueError(f"The size of all_to_all split_axis ({d}) has to be divisible by the size of the named axis {axis_name} ({n})")
        return _join(_w.all_to_all(_split(v, at, n), axes, at, to, members, parts), to)
    return _tree.map(one, x)


def ppermute(x, axis_name, perm):
    axes, size = _axes(axis_name, "ppermute")
    pairs = [int(v) for p in perm for v in p]
    for k, what in ((0, "sources"), (1, "destinations")):
        ends = pairs[k::2]
        if len(set(ends)) != len(ends):
            raise ValueError(f"ppermute sources and destinations must be unique, got {tuple([tuple(p) for p in perm])}.")
        for i in ends:
            if not 0 <= i < size:
                raise ValueError(f"ppermute {what} must be in [0, {size}), got {i}")
    return _tree.map(lambda v: _w.ppermute(v, axes, pairs), x)


def pshuffle(x, axis_name, perm):
    size = _axes(axis_name, "pshuffle")[1]
    if sorted(perm) != list(range(size)):
        raise ValueError(f"`perm` does not represent a permutation: {perm}")
    return ppermute(x, axis_name, list(zip(perm, range(len(perm)))))


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def axis_index(axis_name):
    axes, size = _axes(axis_name, "axis_index")
    return _w.axis_index(axes)


def axis_size(axis_name):
    return _axes(axis_name, "axis_size")[1]


def pcast(x, axis_name, *, to):
    # Values that are the same on all devices as each device's own.
    if to != "varying":
        raise NotImplementedError(f"pcast: to={to!r}")
    axes, size = _axes(axis_name, "pcast")

    def one(v):
        for name in axes.split(","):
            if name in _w.vary(v).split(","):
                raise ValueError("Unsupported pcast from=varying, to='varying'")
        return _w.pvary(v, axes)
    return _tree.map(one, x)
