# jax.flatten_util -- a tree as one vector, and back.
import _jax as _w
import _tree


def ravel_pytree(pytree):
    leaves, spec = _tree.flatten(pytree)
    leaves = [_w.wrap(x) for x in leaves]
    shapes = [tuple(x.shape) for x in leaves]
    dtypes = [x.dtype for x in leaves]
    sizes = [_w.about(x, "count") for x in leaves]
    if not leaves:
        return _w.full((0,), 0.0), lambda flat: _tree.unflatten(spec, [])
    from jax.numpy import concatenate
    flat = concatenate([_w.reshape(x, (-1,)) for x in leaves])
    one = all([d == flat.dtype for d in dtypes])

    def unravel(v):
        if tuple(v.shape) != (sum(sizes),):
            raise ValueError(f"unravel function given array of shape {tuple(v.shape)}, but expected shape {(sum(sizes),)}")
        if not one and v.dtype != flat.dtype:
            raise TypeError(f"unravel function given array of dtype {v.dtype}, but expected dtype {flat.dtype}")
        parts = [_w.reshape(p, s) for p, s in zip(_w.split(v, sizes, 0), shapes)]
        return _tree.unflatten(spec, parts if one else [_w.cast(p, d) for p, d in zip(parts, dtypes)])

    return flat, unravel
