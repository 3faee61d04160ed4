# jax._array -- jax.Array: what arrays have as attributes and methods, x.at[..], and how they
# look. Functions of several arguments are those of jax.numpy.
import _jax as _w
from _printing import text
from jax import _gpu
from jax._sharding import SingleDeviceSharding, World, said, said_of, sharding_of, shards_of, type_layout, updated_layout, used


def _np():
    import jax.numpy as np
    return np


def shape_text(x):
    # float32[3,4], as JAX writes types
    return f"{x.dtype.name}[{','.join([str(d) for d in x.shape])}]"


class _At:
    # x.at: indexed by what is to be changed
    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        return _AtIndex(self.x, key)

    def __repr__(self):
        return f"_IndexUpdateHelper({self.x!r})"


class _AtIndex:
    # x.at[key]: every method gives a new array
    def __init__(self, x, key):
        self.x = x
        self.key = key

    def __repr__(self):
        return f"_IndexUpdateRef({self.x!r}, {self.key!r})"

    # Promises about the indices (sorted, unique) allow another order of work, and no other result.

    def get(self, *, indices_are_sorted=False, unique_indices=False, mode=None, fill_value=None, out_sharding=None,
            wrap_negative_indices=True):
        from jax._index import read
        if out_sharding is not None:
            return said(lambda: self.get(mode=mode, fill_value=fill_value, wrap_negative_indices=wrap_negative_indices), out_sharding)
        return read(self.x, self.key, mode, fill_value, wrap_negative_indices)

    def _update(self, how, value, options, x=None):
        from jax._index import update
        known = ("indices_are_sorted", "unique_indices", "mode", "out_sharding", "wrap_negative_indices")
        for name in options:
            if name not in known:
                raise TypeError(f"x.at[..]: got an unexpected keyword argument '{name}'")
        x = self.x if x is None else x
        to = options.get("out_sharding")
        if to is None and used:
            to = updated_layout(x, self.key)
        changed = lambda: update(x, self.key, value, how, options.get("mode"), options.get("wrap_negative_indices", True))
        return changed() if to is None else said(changed, to)

    def set(self, values, **options):
        return self._update("set", values, options)

    def add(self, values, **options):
        return self._update("add", values, options)

    def subtract(self, values, **options):
        return self._update("add", _w.neg(values), options)

    def multiply(self, values, **options):
        return self._update("mul", values, options)

    mul = multiply

    def divide(self, values, **options):
        return _np().divide(self.x, self._update("mul", values, options, _w.ones_like(self.x)))

    def power(self, values, **options):
        return _np().power(self.x, self._update("mul", values, options, _w.ones_like(self.x)))

    def min(self, values, **options):
        return self._update("min", values, options)

    def max(self, values, **options):
        return self._update("max", values, options)

    def apply(self, func, **options):
        from jax._index import applied, may_repeat
        if options.get("unique_indices") or not may_repeat(self.x, self.key):
            return self._update("set", func(self.x[self.key]), options)
        return applied(self.x, self.key, func, options.get("mode"), options.get("wrap_negative_indices", True))


def _is_here(x):
    # Has this process all of it? Without other processes nothing is asked.
    return World.count == 1 or _w.about(x, "symbolic") or x.is_fully_addressable or x.is_fully_replicated


def _check_here(x):
    if not _is_here(x):
        raise RuntimeError("Fetching value for `jax.Array` that spans non-addressable (non process local) devices is not "
                           "possible. You can use `jax.experimental.multihost_utils.process_allgather` to print the global "
                           "array or use `.addressable_shards` method of jax.Array to inspect the addressable (process local) "
                           "shards.")


def _shown(x):
    from jax._spmd import shown
    return shown(x)


def _known(x):
    # A symbolic x's number, where there is one.
    from jax._spmd import known
    return known(x)


def _type_text(x):
    from jax._api import typeof
    return typeof(x).str_short()


class ArrayImpl(_w.Tensor):
    __module__ = "jaxlib._jax"

    def __repr__(self):
        if _w.about(self, "symbolic"):
            return _shown(self) or f"JitTracer({'~' if _w.about(self, 'weak') else ''}{_type_text(self)})"
        if not _is_here(self):
            return f"Array(shape={tuple(self.shape)}, dtype={self.dtype.name})"
        return text(_w, self, "jax")

    def __str__(self):
        if _w.about(self, "symbolic"):
            return repr(self)
        return text(_w, self, "numpy") if _is_here(self) else repr(self)

    def __hash__(self):
        raise TypeError("unhashable type: 'jaxlib._jax.ArrayImpl'")

    def __setitem__(self, key, value):
        raise TypeError("JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use "
                        "x = x.at[idx].set(y) or another .at[] method: https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html")

    @property
    def size(self):
        return _w.about(self, "count")

    @property
    def nbytes(self):
        return _w.about(self, "count") * self.dtype.itemsize

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def weak_type(self):
        return _w.about(self, "weak")

    @property
    def T(self):
        return _w.permute(self)

    @property
    def mT(self):
        if len(self.shape) < 2:
            raise ValueError(f"x.mT requires x to have ndim >= 2; got shape {self.shape}")
        return _w.swap_axes(self, -1, -2)

    @property
    def at(self):
        return _At(self)

    @property
    def device(self):
        s = sharding_of(self)
        return s._device if isinstance(s, SingleDeviceSharding) else s

    @property
    def sharding(self):
        return sharding_of(self)

    @property
    def committed(self):
        return getattr(self, "_committed", False) or said_of(self) is not None

    @property
    def addressable_shards(self):
        return shards_of(self)

    @property
    def global_shards(self):
        return shards_of(self, True)

    @property
    def is_fully_addressable(self):
        return sharding_of(self).is_fully_addressable

    @property
    def is_fully_replicated(self):
        return sharding_of(self).is_fully_replicated

    @property
    def aval(self):
        from jax._jaxpr import ShapedArray
        return ShapedArray(self.shape, self.dtype, _w.about(self, "weak"))

    @property
    def real(self):
        return _w.real(self)

    @property
    def imag(self):
        return _w.imag(self)

    @property
    def flat(self):
        return iter(_w.reshape(self, (-1,)))

    def devices(self):
        return sharding_of(self).device_set

    if _gpu.devices:
        def block_until_ready(self):
            _gpu.wait()
            return self
    else:
        def block_until_ready(self):                         # called after every step that is timed
            return self

    def is_deleted(self):
        return _w.is_donated(self)

    def delete(self):
        pass

    def addressable_data(self, index):
        return shards_of(self)[index].data

    def byteswap(self):
        from jax.numpy._core import core
        n = self.dtype.itemsize
        if n == 1:
            return self
        if self.dtype.is_complex:
            return _w.complex(*[type(self).byteswap(v) for v in (_w.real(self), _w.imag(self))])
        return core.bitcast(_w.flip(core.bitcast(self, _w.uint8), -1), self.dtype)

    def tobytes(self, order="C"):
        import numpy
        return numpy.asarray(self).tobytes(order)

    def __contains__(self, value):
        if len(self.shape) != 1:
            raise ValueError(f"Array.__contains__: search array must be one-dimensional, got shape {tuple(self.shape)}")
        if getattr(value, "shape", ()):
            raise ValueError(f"Array.__contains__: query value must be a scalar, got shape {tuple(value.shape)}")
        return bool(_w.any(_w.eq(self, value)))

    def astype(self, dtype, copy=False, device=None):
        return _np().astype(self, dtype, device=device)

    def view(self, dtype=None):
        if dtype is None:
            return self
        from jax._dtypes import as_dtype
        from jax.numpy._core import core
        dtype = as_dtype(dtype)
        if self.dtype == _w.bool_ and dtype != _w.bool_:
            return core.view(_w.cast(self, _w.uint8), dtype)
        if dtype == _w.bool_ and self.dtype != _w.bool_:
            return _w.ne(core.view(self, _w.uint8), 0)
        return core.view(self, dtype)

    def copy(self):
        return _w.copy(self)

    def __copy__(self):
        return _w.copy(self)

    def __deepcopy__(self, memo):
        return _w.copy(self)

    check_here = _check_here    # what NumPy asks before it reads

    def tolist(self):
        if _w.about(self, "symbolic") and _known(self) is None:
            from jax.errors import concrete_needed
            raise concrete_needed(self, f"The tolist() method was called on traced array with shape {shape_text(self)}.")
        _check_here(self)
        return _w.Tensor.tolist(self)

    def __array__(self, dtype=None):
        import numpy
        return numpy.asarray(self)

    def __abs__(self):
        return _w.abs(self)

    def __round__(self, ndigits=None):
        from jax._dtypes import default_int
        y = _np().round(self, ndigits or 0)
        return y if ndigits is not None else _w.set_weak(_w.cast(y, default_int()), False)

    def __divmod__(self, other):
        return _np().divmod(self, other)

    def __rdivmod__(self, other):
        return _np().divmod(other, self)

    def __bool__(self):
        if _w.about(self, "symbolic"):
            if _known(self) is not None:
                return bool(_known(self))
            from jax.errors import truth_needed
            raise truth_needed(self)
        if _w.about(self, "count") != 1:
            if _w.about(self, "count") == 0:
                raise ValueError("The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.")
            raise ValueError("The truth value of an array with more than one element is "
                             "ambiguous. Use a.any() or a.all()")
        return _w.Tensor.item(self) != 0

    def reshape(self, *shape, order="C", copy=None, out_sharding=None):
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = shape[0]
        return _np().reshape(self, shape, order=order, out_sharding=out_sharding)

    def transpose(self, *axes):
        if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], int)):
            axes = axes[0]
        return _np().transpose(self, axes if axes else None)

    def ravel(self, order="C"):
        return _np().ravel(self, order)

    flatten = ravel

    def squeeze(self, axis=None):
        return _np().squeeze(self, axis)

    def swapaxes(self, axis1, axis2):
        return _w.swap_axes(self, axis1, axis2)

    def item(self, *args):
        if _w.about(self, "symbolic"):
            if _known(self) is not None:
                return _known(self).item(*args)
            from jax.errors import concrete_needed
            raise concrete_needed(self, "This occurred in the item() method of jax.Array")
        _check_here(self)
        if args:
            import numpy
            return numpy.asarray(self).item(*args)
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return _w.Tensor.item(self)

    def __iter__(self):
        assert _is_here(self)    # as JAX has it, without a word
        if type_layout(self) is not None and not _w.about(self, "symbolic"):    # rows of one that is read whole
            whole = _w.copy(self)
            _w.set_layout(whole, None)
            return _w.Tensor.__iter__(whole)
        return _w.Tensor.__iter__(self)

    def __float__(self):
        return float(_scalar(self, "float"))

    def __int__(self):
        return int(_scalar(self, "int"))

    def __complex__(self):
        return complex(_scalar(self, "complex"))

    def __index__(self):
        if _w.about(self, "symbolic"):
            if _known(self) is not None:
                return _known(self).__index__()
            from jax.errors import index_needed
            raise index_needed(self)
        if self.dtype.kind not in "iub" or _w.about(self, "count") != 1:
            raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
        return int(_w.Tensor.item(self))


def _scalar(x, kind):
    if _w.about(x, "symbolic") and _known(x) is None:
        from jax.errors import concrete_needed
        raise concrete_needed(x, f"The problem arose with the `{kind}` function. If trying to convert the data type of a value, try using "
                                 f"`x.astype({kind})` or `jnp.array(x, {kind})` instead.")
    if _w.about(x, "count") != 1 and not _w.about(x, "symbolic"):
        raise TypeError(f"Only scalar arrays can be converted to Python scalars; got arr.ndim={len(x.shape)}")
    return x.item()


def _worded(text, label):
    from jax._worded import worded
    return worded(text, label)


_w.set_error(_worded)

# Operators from the right, by name; the machine's own come first.
_reflected = {"__radd__": "add", "__rsub__": "subtract", "__rmul__": "multiply", "__rtruediv__": "divide", "__rpow__": "power",
              "__rfloordiv__": "floor_divide", "__rmod__": "remainder", "__rmatmul__": "matmul", "__rlshift__": "left_shift",
              "__rrshift__": "right_shift", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor"}


def _from_right(self, name):
    if name in _reflected:
        return lambda other: getattr(_np(), _reflected[name])(other, self)
    if _w.about(self, "symbolic"):
        raise AttributeError(f"DynamicJaxprTracer has no attribute {name}")
    raise AttributeError(f"'jaxlib._jax.ArrayImpl' object has no attribute '{name}'")


ArrayImpl.__getattr__ = _from_right


def _method(name):
    # A method that is jax.numpy's function of that name.
    def call(self, *args, **kwargs):
        return getattr(_np(), name)(self, *args, **kwargs)
    call.__name__ = name
    return call


def _compress(self, condition, axis=None, *, out=None, size=None, fill_value=0):
    return _np().compress(condition, self, axis, out=out, size=size, fill_value=fill_value)


_compress.__name__ = "compress"
ArrayImpl.compress = _compress
for _name in ("sum prod mean std var min max argmin argmax all any ptp cumsum cumprod sort "
              "argsort clip round dot take repeat diagonal trace nonzero choose conj "
              "conjugate searchsorted argpartition").split():
    setattr(ArrayImpl, _name, _method(_name))

_w.set_class(ArrayImpl)
Array = ArrayImpl
