# jax.lax: over the named axis of a vmap.
import _jax as _w
import _tree

__all__ = "psum pmean pmax pmin all_gather all_to_all ppermute pshuffle pswapaxes psum_scatter axis_index axis_size".split()


def _names(axis_name):
    return (axis_name,) if isinstance(axis_name, str) else tuple(axis_name)


def _no_groups(groups):
    if groups is not None:
        raise NotImplementedError("axis_index_groups not supported in vmap collectives. Please open a feature request!")


def _over(fn):
    def call(x, axis_name, *, axis_index_groups=None):
        _no_groups(axis_index_groups)

        def one(v):
            for name in _names(axis_name):
                v = fn(v, name)
            return v
        return _tree.map(one, x)
    return call


psum, pmean, pmax, pmin = _over(_w.psum), _over(_w.pmean), _over(_w.pmax), _over(_w.pmin)


def all_gather(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False):
    _no_groups(axis_index_groups)

    def one(v):
        y = _w.all_gather(v, axis_name, axis)
        if not tiled:
            return y
        shape = list(y.shape)
        n = shape.pop(axis)
        shape[axis] = n * shape[axis]
        return _w.reshape(y, shape)
    return _tree.map(one, x)


def psum_scatter(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    _no_groups(axis_index_groups)

    def one(v):
        y = _w.move_axis(_w.psum(v, axis_name), scatter_dimension, 0)
        n = _w.axis_size(axis_name)
        i = _w.axis_index(axis_name)
        if not tiled:
            return y[i]
        part = _w.reshape(y, (n, -1) + tuple(y.shape)[1:])[i]
        return _w.move_axis(part, 0, scatter_dimension)
    return _tree.map(one, x)


def all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False):
    _no_groups(axis_index_groups)

    def one(v):
        i = _w.axis_index(axis_name)
        n = _w.axis_size(axis_name)
        every = _w.all_gather(v, axis_name, 0)
        parts = _w.move_axis(every, split_axis + 1, 1)
        if tiled:
            parts = _w.reshape(parts, (n, n, -1) + tuple(parts.shape)[2:])
            mine = _w.take(parts, i, 1)
            mine = _w.move_axis(mine, 1, split_axis + 1)
            return _w.concat([mine[k] for k in range(n)], concat_axis)
        return _w.move_axis(_w.take(parts, i, 1), 0, concat_axis)
    return _tree.map(one, x)


def ppermute(x, axis_name, perm):
    pairs = [int(v) for p in perm for v in p]
    return _tree.map(lambda v: _w.ppermute(v, axis_name, pairs), x)


def pshuffle(x, axis_name, perm):
    return ppermute(x, axis_name, list(zip(perm, range(len(perm)))))


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    return all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def axis_index(axis_name):
    return _w.axis_index(axis_name)


def axis_size(axis_name):
    return _w.axis_size(axis_name)
