# numpy._create -- arrays from data, shapes, ranges and files.
from math import ceil as _ceil, log10 as _log10_of_one

import _numpy as _w
import _joined
from numpy._array import ndarray, generic, dtype_or_float, of_jax
from numpy._shape import _core

_int, _min, _max, _range = int, min, max, range
ix_, indices, diag_indices = _core.ix_, _core.indices, _core.diag_indices
tril_indices, triu_indices = _core.tril_indices, _core.triu_indices
tril_indices_from, triu_indices_from = _core.tril_indices_from, _core.triu_indices_from


def _copied(x):
    return _w.array(_w.copy(x))


def array(object, dtype=None, copy=True, order="K", subok=False, ndmin=0):
    if dtype is not None and _items_of(dtype) or _holds_objects(object):
        from numpy._objects import made_of
        return made_of(object, dtype)
    if of_jax(object):
        object.check_here()
    try:
        x = _w.array(_w.tensor(object, dtype, True if copy is None else copy))
    except TypeError:
        return _of_items(object, dtype)
    except OverflowError:
        if dtype is not None:
            raise
        return _of_items(object, dtype)
    while x.ndim < ndmin:
        x = _w.expand_dims(x, 0)
    return x


_object = object


def _items_of(dtype):
    # Is it a dtype of texts, objects, dates or records?
    if isinstance(dtype, _w.dtype) or dtype is float or dtype is _int or dtype is bool:
        return False
    from numpy._objects import own_type
    return own_type(dtype) is not None


def _of_items(x, dtype):
    # what the engine has no numbers for: texts, or what is in such arrays already
    from numpy._objects import home, made_of
    if home(x) is None:
        raise
    if dtype is not None:   # texts as numbers
        return made_of(x).astype(dtype)
    return x if isinstance(x, ndarray) else made_of(x)


def _holds_objects(x):
    # A list of what is neither number, text nor array?
    if not isinstance(x, (list, tuple)):
        return False
    for _ in _range(64):  # the most axes an array has; a list may be its own first element
        if not isinstance(x, (list, tuple)) or len(x) == 0:
            break
        x = x[0]
    if isinstance(x, (_int, float, str, list, tuple, dict, _w.Tensor)) or x is None:
        return False
    for name in ("__array__", "__iter__", "__len__", "__float__", "__index__", "__complex__", "dtype"):
        if hasattr(x, name):
            return False
    return True


def asarray(a, dtype=None, order=None, copy=None):
    if dtype is not None and _items_of(dtype) or _holds_objects(a):
        from numpy._objects import made_of
        return a if isinstance(a, ndarray) and a.dtype == dtype else made_of(a, dtype)
    if isinstance(a, ndarray) and (dtype is None or a.dtype == dtype):
        return _copied(a) if copy else a
    if of_jax(a):
        a.check_here()
    try:
        x = _w.array(_w.tensor(a, dtype, bool(copy)))
    except TypeError:
        return _of_items(a, dtype)
    except OverflowError:
        if dtype is not None:
            raise
        return _of_items(a, dtype)
    if not copy and of_jax(a) and x.dtype.name == a.dtype.name:     # the same memory, and JAX's arrays never change
        _w.lock(x, True)
    return x


asanyarray = asarray


def ascontiguousarray(a, dtype=None):
    x = asarray(a, dtype)
    return _w.reshape(x, (1,)) if x.ndim == 0 else x


def asfortranarray(a, dtype=None):
    x = ascontiguousarray(a, dtype)
    return x if x.ndim < 2 else x.T.copy().T


def asarray_chkfinite(a, dtype=None):
    a = asarray(a, dtype)
    if not _w.all(_w.is_finite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def copy(a, order="K"):
    return _copied(_w.wrap(a))


def zeros(shape, dtype=float, order="C"):
    if hasattr(dtype, "zeros"):     # a dtype that makes its arrays itself: JAX's float0
        return dtype.zeros(shape)
    if dtype is not float and _items_of(dtype):
        return _blank(shape, dtype, 0)
    return _w.array(_w.full(shape, 0, dtype_or_float(dtype)))


def _blank(shape, dtype, of_objects):
    from numpy._objects import full_of, own_type
    kind = own_type(dtype).kind
    return full_of(shape, of_objects if kind == "O" else "" if kind == "U" else b"" if kind == "S" else None, dtype)


def ones(shape, dtype=float, order="C"):
    if dtype is not float and _items_of(dtype):
        return full(shape, 1, dtype)
    return _w.array(_w.full(shape, 1, dtype_or_float(dtype)))


def empty(shape, dtype=float, order="C"):
    if dtype is not float and _items_of(dtype):
        return _blank(shape, dtype, None)
    return _w.array(_w.full(shape, 0, dtype_or_float(dtype)))


def full(shape, fill_value, dtype=None, order="C"):
    big = dtype is None and isinstance(fill_value, _int) and not -2**63 <= fill_value < 2**64
    if dtype is None and hasattr(fill_value, "_home"):
        dtype = fill_value.dtype
    if isinstance(fill_value, (str, bytes)) or big or dtype is not None and _items_of(dtype):
        if isinstance(fill_value, str) and dtype is not None and not _items_of(dtype):
            return _w.array(_w.full(shape, _parsed(fill_value, _w.full((), 0, dtype).dtype.kind), dtype))
        from numpy._objects import full_of
        return full_of(shape, fill_value, dtype or (_object if big else type(fill_value)))
    return _w.array(_w.full(shape, fill_value if not isinstance(fill_value, (list, tuple)) else _w.wrap(fill_value), dtype))


def _parsed(text, kind):
    # The number that a text says.
    try:
        return _int(text) if kind in "iu" else float(text)
    except ValueError:
        if kind in "iu":
            raise ValueError(f"invalid literal for int() with base 10: np.str_({text!r})") from None
        raise ValueError(f"could not convert string to float: np.str_({text!r})") from None


def _like(a, dtype, shape):
    a = a if hasattr(a, "_home") else _w.wrap(a)
    return a.shape if shape is None else shape, a.dtype if dtype is None else dtype


def zeros_like(a, dtype=None, order="K", subok=True, shape=None):
    shape, dtype = _like(a, dtype, shape)
    return zeros(shape, dtype)


def ones_like(a, dtype=None, order="K", subok=True, shape=None):
    shape, dtype = _like(a, dtype, shape)
    return ones(shape, dtype)


empty_like = zeros_like


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    shape, dtype = _like(a, dtype, shape)
    return full(shape, fill_value, dtype)


def _dated(*ends):
    from numpy._dates import is_dated
    return any([is_dated(v) for v in ends])


def arange(start=None, stop=None, step=1, dtype=None):
    if start is None and stop is None:
        raise TypeError("arange() requires stop to be specified.")
    if dtype is not None and _items_of(dtype) or dtype is None and not isinstance(start, (_int, float, _w.Tensor)) and _dated(start, stop, step):
        from numpy._dates import arange as of_dates
        return of_dates(start, stop, step, dtype)
    if start is None:
        start = 0
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ZeroDivisionError("division by zero")
    if dtype is None and any([isinstance(v, _int) and not -2**63 <= v < 2**63 for v in (start, stop, step)]):
        from numpy._objects import made     # Python's ints, as NumPy counts with what no dtype holds
        return made([start + i * step for i in _range(_max(0, -((start - stop) // step)))], _object)
    if dtype is not None and any([not isinstance(v, _int) for v in (start, stop, step)]) and _w.full((), 0, dtype).dtype.kind in "iu":
        # the first two as integers, and what lies between them as the step
        first = _int(start)
        by, n = _int(start + step) - first, _max(0, _ceil((stop - start) / step))
        return _w.cast(_w.arange(0, n, 1, _w.int64) * by + first, dtype)
    return _w.arange(start, stop, step, dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    parts = num - 1 if endpoint else num
    if isinstance(start, (_int, float)) and isinstance(stop, (_int, float)):
        out = _w.linspace(start, stop, num, endpoint)
        step = _w.wrap(_w.cast((stop - start) / parts, _w.float64)) if parts > 0 else float("nan")
    else:
        a, b = _w.div(start, 1), _w.div(stop, 1)
        step = (b - a) / _max(parts, 1)
        t = _w.reshape(_w.arange(0, num, 1, _w.real(step).dtype), (-1,) + (1,) * step.ndim)
        out = a + t * step
        if endpoint and num > 1:
            out[-1] = b
        out = _w.move_axis(out, 0, axis) if axis else out
        step = step if parts > 0 else float("nan")
    if dtype is not None:
        d = _w.dtype(dtype)
        out = _w.cast(_w.floor(out) if d.kind in "iu" else out, d)
    return (out, step) if retstep else out


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    out = _w.pow(base, linspace(start, stop, num, endpoint, axis=axis))
    return out if dtype is None else _w.cast(out, dtype)


def _wide_log10(x):
    # the C library's for one number, since what lies between the ends is no better than they are
    from numpy._ufunc import _log10
    one = x.ndim == 0 and x.dtype == _w.float64 and float(x) > 0
    return _w.wrap(_w.cast(_log10_of_one(float(x)), _w.float64)) if one else _log10(x)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    a, b = _w.div(start, 1), _w.div(stop, 1)
    if _w.any(_w.eq(a, 0)) or _w.any(_w.eq(b, 0)):
        raise ValueError("Geometric sequence cannot include zero")
    # of two negative numbers the negated one; complex ones by their directions
    d = (a + b).dtype
    a, b = [_w.cast(v + _w.zeros_like(a + b), d) for v in (a, b)]
    turn = a / _w.abs(a) if d.kind == "c" else _w.where(_w.logical_and(a < 0, b < 0), -1.0, 1.0)
    turn = _w.cast(turn, d)
    low, high = (_w.log(a / turn), _w.log(b / turn)) if d.kind == "c" else [_wide_log10(v / turn) for v in (a, b)]
    steps = linspace(low, high, num, endpoint) if d.kind != "c" else \
        _w.complex(linspace(low.real, high.real, num, endpoint), linspace(low.imag, high.imag, num, endpoint))
    out = (_w.exp(steps) if d.kind == "c" else _w.pow(10.0, steps)) * turn
    if num > 0:
        out[0] = a
        if num > 1 and endpoint:
            out[-1] = b
    out = _w.move_axis(out, 0, axis) if axis else out
    return out if dtype is None else _w.cast(out, dtype)


def eye(N, M=None, k=0, dtype=float, order="C"):
    return _w.eye(N, N if M is None else M, k, dtype_or_float(dtype))


def identity(n, dtype=None):
    return _w.eye(n, n, 0, dtype_or_float(dtype))


def tri(N, M=None, k=0, dtype=float):
    return _w.tri(N, N if M is None else M, k, dtype_or_float(dtype))


def tril(m, k=0):
    return _w.tril(m, k)


def triu(m, k=0):
    return _w.triu(m, k)


def diag(v, k=0):
    v = _w.wrap(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    return _w.diag(v, k)


def diagflat(v, k=0):
    return _w.diag(_w.reshape(_w.wrap(v), -1), k)


def fill_diagonal(a, val, wrap=False):
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    rows = a.shape[0] if wrap and a.ndim == 2 else _min(a.shape)
    i = _w.arange(0, rows)
    if wrap and a.ndim == 2:     # one row is left out between two diagonals
        columns = a.shape[1]
        i = i[_w.lt(i % (columns + 1), columns)]
        a[i, i % (columns + 1)] = val
    else:
        a[(i,) * a.ndim] = val


def vander(x, N=None, increasing=False):
    x = _w.wrap(x)
    n = x.shape[0] if N is None else N
    p = _w.arange(0, n)
    return _w.pow(_w.expand_dims(x, 1), p if increasing else _w.flip(p))


def fromfunction(function, shape, dtype=float, **kw):
    return function(*[_w.cast(i, dtype_or_float(dtype)) for i in indices(shape)], **kw)


def fromiter(iter, dtype, count=-1):
    return array(list(iter) if count < 0 else [next(iter) for _ in _range(count)], dtype)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    out = _core.meshgrid(*xi, sparse=sparse, indexing=indexing)
    return tuple([_w.copy(x) for x in out]) if copy and not sparse else out


class _Making:
    # what mgrid and r_ make arrays by
    arange, linspace = staticmethod(lambda a, b, c: arange(a, b, c)), staticmethod(lambda a, b, n: linspace(a, b, n))
    asarray, reshape, permute = staticmethod(_w.wrap), staticmethod(_w.reshape), staticmethod(_w.permute)
    meshgrid = staticmethod(lambda *axes, **how: meshgrid(*axes, **how))

    @staticmethod
    def result_type(*axes):
        from numpy import result_type
        return result_type(*axes)

    @staticmethod
    def stack(xs, axis):
        from numpy import stack
        return stack(xs, axis)

    @staticmethod
    def concatenate(xs, axis):
        from numpy import concatenate
        return concatenate(xs, axis)


mgrid, ogrid = _joined.Grid(_Making, False), _joined.Grid(_Making, True)
r_, c_ = _joined.Joined(_Making, 0, 1, -1), _joined.Joined(_Making, -1, 2, 0)


s_, index_exp = _joined.s_, _joined.index_exp
