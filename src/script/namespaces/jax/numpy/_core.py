# jax.numpy: what the array core (_array) needs to know of JAX.
import _array
import _jax as _w
from jax._dtypes import default_int, float_of as _float_of
from jax.numpy._create import arraylike as _asarray, asarray as _any_array


def floats(a, dtype=None):
    x = _asarray(a)
    if dtype is not None:
        return _w.cast(x, dtype)
    return x if x.dtype.is_inexact else _w.cast(x, _float_of(x.dtype))


def _written(y, out):
    if out is not None:
        raise NotImplementedError("The 'out' argument is not supported by jax.numpy.")
    return y


core = _array.Core(_array.Semantics(
    _w, _asarray, floats, loose=_any_array, many=list, written=_written, index=default_int,
    mismatch=lambda shapes: f"Incompatible shapes for broadcasting: shapes={[tuple(t) for t in shapes]}"))


def _between(low, high, t, method):
    return low * (1 - t) + high * t if method == "linear" else (low + high) * 0.5


core.between = _between
core.nearest = lambda at: _w.where(at - _w.floor(at) <= 0.5, _w.floor(at), _w.ceil(at))
