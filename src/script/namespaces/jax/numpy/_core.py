# jax.numpy: what the array core (_array) needs to know of JAX.
import _array
import _jax as _w
from jax._dtypes import float_of as _float_of
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
    _w, _asarray, floats, loose=_any_array, many=list, written=_written,
    mismatch=lambda shapes: f"Incompatible shapes for broadcasting: shapes={[tuple(t) for t in shapes]}"))
