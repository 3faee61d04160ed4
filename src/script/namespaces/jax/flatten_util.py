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

    def unravel(v):
        if tuple(v.shape) != (sum(sizes),):
            raise ValueError(f"unravel function given array of shape {tuple(v.shape)}, but expected shape {(sum(sizes),)}")
        parts = _w.split(v, sizes, 0)
        return _tree.unflatten(spec, [_w.cast(_w.reshape(p, s), d) for p, s, d in zip(parts, shapes, dtypes)])

    return flat, unravel
