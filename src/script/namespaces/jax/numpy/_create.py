# jax.numpy: making arrays.
import _jax as _w
import _joined
from _joined import s_, index_exp
from jax._array import Array as _Array
from jax._dtypes import as_dtype as _as_dtype, default_int as _default_int, default_float as _default_float

__all__ = """array asarray zeros ones empty full zeros_like ones_like empty_like full_like arange linspace
    logspace geomspace eye identity tri fromfunction frombuffer fromfile fromiter fromstring load save savez
    get_printoptions set_printoptions printoptions copy astype
    diag diagflat tril triu vander from_dlpack mgrid ogrid r_ c_
    array_repr array_str hanning hamming blackman bartlett
    s_ index_exp kaiser""".split()


def _placed(x, device, sharding=None):
    # x where device (or a sharding) says, or out_sharding
    place = device if sharding is None else sharding
    if place is None:
        return x
    from jax._layout import put
    return put(x, place)


def _holds_none(x):
    return any([v is None or isinstance(v, (list, tuple)) and _holds_none(v) for v in x])


def array(object, dtype=None, copy=True, order="K", ndmin=0, *, device=None, out_sharding=None):
    if object is None:
        raise ValueError("None is not a valid value for jnp.array")
    if dtype is None and isinstance(object, (int, float, complex)) and not isinstance(object, bool):
        out = _w.wrap(object)
    elif isinstance(object, _w.Tensor) and dtype is None and not copy:
        out = _w.tensor(object, None, False)
    elif isinstance(object, str):
        raise TypeError(f"Value {object!r} with dtype <U{len(object)} is not a valid JAX array type. Only arrays of numeric types are supported by JAX.")
    elif isinstance(object, (list, tuple)) and _holds_none(object):
        raise ValueError("None is not a valid value for jnp.array")
    elif hasattr(object, "__jax_array__"):
        out = object.__jax_array__()
    elif isinstance(object, _Array):    # derivatives go through the copy
        out = _w.tensor(object, dtype, False)
        out = _w.copy(out) if copy and not _w.in_trace() else out
    else:
        out = _w.tensor(object, dtype, copy and not _w.in_trace())
    if isinstance(object, _w.Tensor) and dtype is None:
        out = _w.set_weak(out, _w.about(object, "weak"))
    while len(out.shape) < ndmin:
        out = _w.expand_dims(out, 0)
    return _placed(out, device, out_sharding)


def asarray(a, dtype=None, order=None, *, copy=None, device=None, out_sharding=None):
    if dtype is None and isinstance(a, _w.Tensor) and not copy and device is None and out_sharding is None:
        return _w.set_weak(_w.tensor(a, None, False), _w.about(a, "weak"))
    return array(a, dtype, bool(copy), device=device, out_sharding=out_sharding)


def arraylike(x):
    # What functions take as an array: no lists.
    if isinstance(x, (list, tuple, str, dict)) or x is None:
        frame = __import__("sys")._getframe(1)
        while frame.f_back is not None and not hasattr(__import__("jax.numpy"), frame.f_code.co_name):
            frame = frame.f_back
        raise TypeError(f"{frame.f_code.co_name} requires ndarray or scalar arguments, got {type(x)} at position 0.")
    return asarray(x)


def _shape(shape, context=""):
    # Sizes must be known: a traced one is refused.
    if isinstance(shape, _w.Tensor) and len(shape.shape) == 1 and not _w.about(shape, "symbolic"):
        shape = shape.tolist()
    if isinstance(shape, float) or isinstance(shape, str):
        raise TypeError(f"Shapes must be 1D sequences of concrete values of integer type, got {shape!r}.")
    shape = (shape,) if isinstance(shape, int) or isinstance(shape, _w.Tensor) else tuple(shape)
    for d in shape:
        if isinstance(d, _w.Tensor) and _w.about(d, "symbolic"):
            from jax.errors import sizes_needed
            raise sizes_needed(shape, context)
    return shape


def known(x, context):
    # A number that must be known, with what the error says if it is traced.
    if isinstance(x, _w.Tensor) and _w.about(x, "symbolic"):
        from jax.errors import concrete_needed
        raise concrete_needed(x, context)
    return x


def zeros(shape, dtype=None, *, device=None, out_sharding=None):
    if hasattr(dtype, "zeros"):     # float0
        return dtype.zeros(shape)
    return _placed(_w.full(_shape(shape), 0, _filled("zeros", shape, dtype)), device, out_sharding)


def ones(shape, dtype=None, *, device=None, out_sharding=None):
    return _placed(_w.full(_shape(shape), 1, _filled("ones", shape, dtype)), device, out_sharding)


def empty(shape, dtype=None, *, device=None, out_sharding=None):
    return _placed(_w.full(_shape(shape), 0, _filled("empty", shape, dtype)), device, out_sharding)


def _filled(name, shape, dtype):
    if isinstance(shape, int) and isinstance(dtype, int) and not isinstance(dtype, bool):
        raise TypeError(f"Cannot interpret '{dtype}' as a data type\n\nDid you accidentally write `jax.numpy.{name}({shape}, {dtype})` "
                        f"when you meant `jax.numpy.{name}(({shape}, {dtype}))`?")
    return float if dtype is None else dtype


def full(shape, fill_value, dtype=None, *, device=None, out_sharding=None):
    weak = dtype is None and isinstance(fill_value, (int, float)) and not isinstance(fill_value, bool)
    out = _w.full(_shape(shape), fill_value, dtype)
    return _placed(_w.set_weak(out, True) if weak else out, device, out_sharding)


# An array, or what has its shape and dtype (ShapeDtypeStruct, ShapedArray)
def _like(a):
    if isinstance(a, _w.Tensor) or (hasattr(a, "shape") and hasattr(a, "dtype") and not hasattr(a, "__array__")):
        return a
    return asarray(a)


def zeros_like(a, dtype=None, shape=None, *, device=None, out_sharding=None):
    return full_like(a, 0, dtype, shape, device=device, out_sharding=out_sharding)


def ones_like(a, dtype=None, shape=None, *, device=None, out_sharding=None):
    return full_like(a, 1, dtype, shape, device=device, out_sharding=out_sharding)


empty_like = zeros_like


def full_like(a, fill_value, dtype=None, shape=None, *, device=None, out_sharding=None):
    a = _like(a)
    weak = dtype is None and (_w.about(a, "weak") if isinstance(a, _w.Tensor) else getattr(a, "weak_type", False))
    if isinstance(fill_value, float) and (dtype is None and not a.dtype.is_inexact):
        fill_value = bool(fill_value) if a.dtype == _w.bool_ else int(fill_value)
    out = _w.full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)
    if shape is None and isinstance(a, _w.Tensor) and not _w.about(a, "symbolic") and _w.layout(a) is not None:
        _w.set_layout(out, _w.layout(a))    # it is where a is
    return _placed(_w.set_weak(out, True) if weak else out, device, out_sharding)


def arange(start, stop=None, step=None, dtype=None, *, device=None, out_sharding=None):
    names = ("stop", None, None) if stop is None and step is None else ("start", "stop", "step")
    start, stop, step = [known(x, f"It arose in the jnp.arange argument '{name}'").item() if isinstance(x, _w.Tensor) else x
                         for x, name in zip((start, stop, step), names)]
    if stop is None:
        start, stop = 0, start
    return _placed(_w.arange(start, stop, 1 if step is None else step, _as_dtype(dtype)), device, out_sharding)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    num = int(known(num, "'num' argument of jnp.linspace"))
    parts = num - 1 if endpoint else num
    if isinstance(start, (int, float)) and isinstance(stop, (int, float)):
        out = _w.linspace(start, stop, num, endpoint)
        step = (stop - start) / parts if parts > 0 else float("nan")
    else:
        a, b = [asarray(x) for x in (start, stop)]
        t = _w.linspace(0.0, 1.0, num, endpoint)
        shape = (num,) + (1,) * max(len(a.shape), len(b.shape))
        t = _w.reshape(t, shape)
        out = a * (1 - t) + b * t
        step = (b - a) / parts if parts > 0 else float("nan")
        if axis != 0:
            out = _w.move_axis(out, 0, axis)
    if dtype is not None:
        out = _w.cast(_w.floor(out) if _as_dtype(dtype).kind in "iu" else out, dtype)
    out = _placed(out, device)
    return (out, _w.set_weak(asarray(step), False)) if retstep else out


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    out = _w.pow(base, linspace(start, stop, num, endpoint, axis=axis))
    return out if dtype is None else _w.cast(out, dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    from jax._dtypes import result_type
    from jax.numpy._shape import broadcast_arrays
    d = result_type(start, stop)
    d = d if d.is_inexact else _default_float()
    a, b = broadcast_arrays(asarray(start, d), asarray(stop, d))
    # of two negative numbers the negated one; complex ones by their directions
    turn = _w.sign(a) if d.is_complex else _w.cast(_w.where(_w.logical_and(_w.lt(a, 0), _w.lt(b, 0)), -1.0, 1.0), d)
    out = _w.exp(linspace(_w.log(a / turn), _w.log(b / turn), num, endpoint, axis=0)) * turn
    if num:
        last = [_w.expand_dims(b, 0)] if endpoint and num > 1 else []
        out = _w.concat([_w.expand_dims(a, 0), out[1:num - len(last)]] + last, 0)
    out = _w.move_axis(out, 0, axis) if axis else out
    return out if dtype is None else _w.cast(out, dtype)


def eye(N, M=None, k=0, dtype=None, *, device=None):
    (N,), (M,) = _shape((N,), "argument of 'N' jnp.eye()."), (None,) if M is None else _shape((M,), "argument of 'M' jnp.eye().")
    if isinstance(k, _w.Tensor):       # which may be traced
        rows, columns = _w.iota(_w.int32, (N, N if M is None else M), 0), _w.iota(_w.int32, (N, N if M is None else M), 1)
        out = _w.cast(_w.eq(columns - rows, k), float if dtype is None else dtype)
    else:
        out = _w.eye(N, N if M is None else M, k, float if dtype is None else dtype)
    return _placed(out, device)


def identity(n, dtype=None):
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=None):
    N, M = _shape((N, N if M is None else M))
    if isinstance(k, _w.Tensor):
        rows, columns = _w.iota(_w.int32, (N, N if M is None else M), 0), _w.iota(_w.int32, (N, N if M is None else M), 1)
        return _w.cast(_w.le(columns - rows, k), float if dtype is None else dtype)
    return _w.tri(N, N if M is None else M, k, float if dtype is None else dtype)


def tril(m, k=0):
    return _w.tril(m, k)


def triu(m, k=0):
    return _w.triu(m, k)


def diag(v, k=0):
    return _w.diag(v, k)


def diagflat(v, k=0):
    return _w.diag(_w.reshape(v, (-1,)), k)


def vander(x, N=None, increasing=False):
    n = x.shape[0] if N is None else N
    powers = _w.arange(0, n) if increasing else _w.arange(n - 1, -1, -1)
    return _w.pow(_w.expand_dims(x, 1), powers)


def fromfunction(function, shape, dtype=float, **kwargs):
    return function(*[_w.iota(dtype, tuple(shape), i) for i in range(len(shape))], **kwargs)


def _of_numpy(name):
    # read by NumPy, then an array of this library
    def make(*args, **kwargs):
        import numpy
        return asarray(getattr(numpy, name)(*args, **kwargs))
    make.__name__ = name
    return make


frombuffer, fromstring = _of_numpy("frombuffer"), _of_numpy("fromstring")


def _unsafe(name):
    def call(*args, **kwargs):
        raise NotImplementedError(f"jnp.{name}() is not implemented because it may be non-pure and thus unsafe for use with JIT and other "
                                  f"JAX transformations. Consider using jnp.asarray(np.{name}(...)) instead, although care should be taken "
                                  f"if np.{name} is used within jax transformations because of its potential side-effect of consuming the "
                                  "iterable object.")
    call.__name__ = name
    return call


fromfile, fromiter = _unsafe("fromfile"), _unsafe("fromiter")


def load(file, *args, **kwargs):
    import numpy
    out = numpy.load(file, *args, **kwargs)
    return asarray(out) if isinstance(out, _w.Tensor) else out


def _numpys(name):
    def call(*args, **kwargs):
        import numpy
        return getattr(numpy, name)(*args, **kwargs)
    call.__name__ = name
    return call


save, savez, get_printoptions, set_printoptions, printoptions = [_numpys(n) for n in (
    "save", "savez", "get_printoptions", "set_printoptions", "printoptions")]


def from_dlpack(x):
    return asarray(x)


def copy(a, order=None):
    return _w.copy(asarray(a))


def astype(x, dtype, *, copy=False, device=None):
    x = asarray(x)
    target = _as_dtype(dtype if dtype is not None else float)
    out = _w.ne(x, 0) if target == _w.bool_ and x.dtype != _w.bool_ else _w.set_weak(_w.cast(x, target), False)
    return _placed(out, device)


class _Making:
    # what mgrid and r_ make arrays by
    arange = staticmethod(lambda a, b, c: arange(a, b, c))
    linspace = staticmethod(lambda a, b, n: linspace(a, b, n))
    asarray = staticmethod(asarray)
    reshape, permute = staticmethod(_w.reshape), staticmethod(_w.permute)

    @staticmethod
    def result_type(*axes):
        from jax._dtypes import result_type
        return result_type(*axes)

    @staticmethod
    def meshgrid(*axes, **how):
        from jax.numpy._shape import meshgrid
        return meshgrid(*axes, **how)

    @staticmethod
    def stack(xs, axis):
        from jax.numpy._shape import stack
        return stack(xs, axis)

    @staticmethod
    def concatenate(xs, axis):
        from jax.numpy._shape import concatenate
        return concatenate(xs, axis)


mgrid, ogrid = _joined.Grid(_Making, False), _joined.Grid(_Making, True)
r_, c_ = _joined.Joined(_Making, 0, 1, -1), _joined.Joined(_Making, -1, 2, 0)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    _plain_text(max_line_width, precision, suppress_small)
    return repr(arr)


def _plain_text(max_line_width, precision, suppress_small):
    if max_line_width is not None or precision is not None or suppress_small is not None:
        raise NotImplementedError("max_line_width, precision, suppress_small: use numpy.array2string")


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    _plain_text(max_line_width, precision, suppress_small)
    return str(a)


def _window(M, of):
    from jax.numpy._core import core
    return core.window(M, of, _default_float())


def _cosines(M, *c):
    from jax.numpy._core import core
    return _window(M, lambda k: core.cosines(2 * 3.141592653589793 * k / (M - 1), *c))


def hanning(M):
    return _cosines(M, 0.5, 0.5)


def hamming(M):
    return _cosines(M, 0.54, 0.46)


def blackman(M):
    return _cosines(M, 0.42, 0.5, 0.08)


def bartlett(M):
    return _window(M, lambda k: 1 - _w.abs(2 * k / (M - 1) - 1))


def kaiser(M, beta):
    # I0 of the beta of a half circle
    from jax.numpy._math import i0
    middle = 0.5 * (M - 1)
    return _window(M, lambda k: i0(beta * _w.sqrt(1 - _w.square((k - middle) / middle))) / i0(asarray(beta)))
