# jax.experimental
import _jax as _w
from jax._config import enable_x64


def io_callback(callback, result_shape_dtypes, *args, sharding=None, ordered=False, **kwargs):
    if _w.in_trace():
        if result_shape_dtypes is not None:
            raise NotImplementedError("jax.experimental.io_callback with results inside a traced function")
        from jax import debug
        return debug.callback(callback, *args, ordered=ordered, **kwargs)
    return _called("io_callback", callback, result_shape_dtypes, args, kwargs)


def _called(what, callback, kinds, args, kwargs):
    # what callback gives, as arrays of the kinds that were announced
    import jax

    def checked(kind, x):
        x = jax.numpy.asarray(x)
        if tuple(x.shape) != tuple(kind.shape):
            raise RuntimeError(f"jax.{what}: the callback gave shape {tuple(x.shape)}, announced was {tuple(kind.shape)}")
        return x.astype(kind.dtype)
    return jax.tree.map(checked, kinds, callback(*args, **kwargs))
