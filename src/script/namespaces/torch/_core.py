# torch._core -- what the array core (_array) needs to know of PyTorch.
import _array
import _torch as _w


def _tensor(x):
    return x if isinstance(x, _w.Tensor) else _w.tensor(x)


def _floats(x):
    x = _tensor(x)
    return x if x.dtype.is_floating_point or x.dtype.is_complex else _w.cast(x, _w.float32)


core = _array.Core(_array.Semantics(
    _w, _tensor, _floats, axis_error=IndexError, shape_error=RuntimeError,
    mismatch=lambda shapes: "Shape mismatch: objects cannot be broadcast to a single shape"))


def _between(low, high, t, method):
    return _w.where(_w.eq(t, 0), low, _array.Core.between(core, low, high, _w.cast(t, low.dtype), method))


core.between = _between
