# numpy._array -- ndarray and the scalar types: what arrays are, how they print, their methods.
#
# ndarray and the scalars (float64, int32, bool_ ..) share the class Methods. Natives give
# scalars for results of rank 0, as NumPy does; 0-d arrays are made on purpose by _w.array.
import _numpy as _w
import _printing
from _printing import options

_abs, _min, _max, _sum, _round, _int, _all = abs, min, max, sum, round, int, all


def beside(n, x, how):
    # The operand n, an int perhaps, beside the array x. how: 0 in sums, 1 in an order, 2 in quotients
    if type(n) is _int and isinstance(x, _w.Tensor) and (how < 2 or not -2**63 <= n < 2**63):
        return _w.beside(n, x, how)
    return n


def clipped(x, low, high):
    if isinstance(x, _w.Tensor) and x.dtype.kind in "iu":      # an int that no element passes is no bound
        bits, signed = 8 * x.dtype.itemsize, x.dtype.kind == "i"
        if type(low) is _int and low <= (-2**(bits - 1) if signed else 0):
            low = None
        if type(high) is _int and high >= 2**(bits - signed) - 1:
            high = None
    if low is None and high is None:
        return _w.copy(x) if isinstance(x, _w.Tensor) else _w.clip(x, low, high)
    return _w.clip(x, beside(low, x, 0), beside(high, x, 0))


def text(x, style):
    return _printing.text(_w, x, style)


def of_jax(a):
    return type(a).__name__ == "ArrayImpl"


def _part(x, k):
    # The real part (k = 0) or the imaginary one: views, but for that of numbers and the zeros of real arrays.
    if not x.ndim or k and not x.dtype.is_complex:
        return _w.imag(x) if k else _w.real(x)
    from numpy._shape import _core
    return _core.part(x, k) if x.dtype.is_complex else x[...]


def written(result, out, ufunc=None):
    # out=: the result goes there
    if out is None:
        return result
    if isinstance(out, tuple):
        out = out[0]
    if not can_cast(result.dtype, out.dtype, "same_kind"):
        from numpy.exceptions import _UFuncTypeError
        raise _UFuncTypeError(f"Cannot cast {'ufunc ' + repr(ufunc) + ' ' if ufunc else ''}output from dtype('{result.dtype.name}') to dtype('{out.dtype.name}') with casting rule "
                              "'same_kind'")
    out[...] = result
    return out


def can_cast(a, b, casting="safe"):
    # May values of dtype a become those of b?
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe'")
    if casting == "unsafe" or a == b:
        return True
    if casting in ("no", "equiv"):
        return False
    both = _w.add(_w.full((1,), 0, a), _w.full((1,), 0, b)).dtype
    if both == b or casting == "safe":
        return both == b
    return a.kind == b.kind or a.kind in "iu" and b.kind in "ifc" and (a.kind, b.kind) != ("i", "u") or a.kind == "b" or a.kind + b.kind == "fc"


def typed(x, dtype):
    return x if dtype is None else _w.cast(x, dtype)


def as_asked(y, dtype):
    # Small integers are added as 64 bits, and are what was asked for at the end.
    return y if dtype is None else _w.cast(y, dtype)


def to_integers(x, dtype):
    # Floats as integers as the machine has them: the low bits of a wide one, and of the least one where that is too small.
    wide = _w.int64 if dtype.itemsize == 8 else _w.int32
    limit = 2.0 ** (8 * wide.itemsize - 1)
    x = _w.cast(x, _w.float64)
    inside = _w.logical_and(x > -limit - 1, x < limit)
    return _w.cast(_w.where(inside, _w.cast(_w.where(inside, x, 0.0), wide), _w.cast(-limit, wide)), dtype)


def summable(x, dtype):
    # Sums and products of small integers are 64 bits wide.
    if dtype is not None:
        return _w.cast(x, dtype)
    x = _w.wrap(x)
    kind = x.dtype.kind
    if kind == "b" or kind == "i" and x.dtype.itemsize < 8:
        return _w.cast(x, _w.int64)
    if kind == "u" and x.dtype.itemsize < 8:
        return _w.cast(x, _w.uint64)
    return x


def reduced(fn, x, axis, keepdims, out, what):
    x = _w.wrap(x)
    if x.size == 0 and what is not None:
        dims = x.shape
        gone = range(len(dims)) if axis is None else [axis] if isinstance(axis, _int) else axis
        for a in gone:
            if dims[a] == 0:
                raise ValueError(f"zero-size array to reduction operation {what} which has no identity")
    return written(fn(x, axis, keepdims), out)


def shape_of(args):
    # reshape(2, 3) and reshape((2, 3))
    if len(args) == 1 and not isinstance(args[0], _int):
        return args[0]
    return args


def in_memory_order(x, order):
    # The axes by their steps: all of them for K, for A only if the array is what Fortran has, the first index fastest.
    steps = _w.strides(x)
    if order == "A":
        return _w.permute(x) if _w.about(_w.permute(x), "packed") and not _w.about(x, "packed") else x
    axes = sorted(range(x.ndim), key=lambda a: -_abs(steps[a]))
    return _w.permute(x, axes) if axes != list(range(x.ndim)) else x


class Methods(_w.Tensor):
    def _same(self, *args, **kw):
        return self

    @property
    def T(self):
        return _w.permute(self)

    @property
    def mT(self):
        return _w.swap_axes(self, -1, -2)

    @property
    def size(self):
        return _w.about(self, "count")

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def real(self):
        return _part(self, 0)

    @real.setter
    def real(self, value):
        _part(self, 0)[...] = value

    @property
    def imag(self):
        return _part(self, 1)

    @imag.setter
    def imag(self, value):
        if not self.dtype.is_complex:
            raise TypeError("array does not have imaginary part to set")
        _part(self, 1)[...] = value

    @property
    def flat(self):
        from numpy._flat import flatiter
        return flatiter(self)

    @flat.setter
    def flat(self, value):
        from numpy._flat import cycled
        self[...] = _w.reshape(cycled(value, self.size, self.dtype), self.shape)

    @property
    def base(self):
        return None

    def sum(self, axis=None, dtype=None, out=None, keepdims=False):
        return written(as_asked(_w.sum(summable(self, dtype), axis, keepdims), dtype), out)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False):
        return written(as_asked(_w.prod(summable(self, dtype), axis, keepdims), dtype), out)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False):
        return written(as_asked(_w.mean(typed(self, dtype), axis, keepdims), dtype), out)

    def max(self, axis=None, out=None, keepdims=False):
        return reduced(_w.max, self, axis, keepdims, out, "maximum")

    def min(self, axis=None, out=None, keepdims=False):
        return reduced(_w.min, self, axis, keepdims, out, "minimum")

    def all(self, axis=None, out=None, keepdims=False):
        return written(_w.all(self, axis, keepdims), out)

    def any(self, axis=None, out=None, keepdims=False):
        return written(_w.any(self, axis, keepdims), out)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        return written(_w.var(typed(self, dtype), axis, ddof, keepdims), out)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        return written(_w.std(typed(self, dtype), axis, ddof, keepdims), out)

    def argmax(self, axis=None, out=None, keepdims=False):
        return written(_w.argmax(self, axis, keepdims), out)

    def argmin(self, axis=None, out=None, keepdims=False):
        return written(_w.argmin(self, axis, keepdims), out)

    def ptp(self, axis=None, out=None, keepdims=False):
        return written(_w.max(self, axis, keepdims) - _w.min(self, axis, keepdims), out)

    def cumsum(self, axis=None, dtype=None, out=None):
        x = summable(self, dtype)
        return written(as_asked(_w.cumsum(_w.reshape(x, -1), 0) if axis is None else _w.cumsum(x, axis), dtype), out)

    def cumprod(self, axis=None, dtype=None, out=None):
        x = summable(self, dtype)
        return written(as_asked(_w.cumprod(_w.reshape(x, -1), 0) if axis is None else _w.cumprod(x, axis), dtype), out)

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        return self.diagonal(offset, axis1, axis2).sum(-1, dtype, out)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        x = self
        if x.ndim < 2:
            raise ValueError("diag requires an array of at least two dimensions")
        if (axis1 % x.ndim, axis2 % x.ndim) != (x.ndim - 2, x.ndim - 1):
            rest = [i for i in range(x.ndim) if i not in (axis1 % x.ndim, axis2 % x.ndim)]
            x = _w.permute(x, rest + [axis1 % x.ndim, axis2 % x.ndim])
        return _w.lock(_w.diagonal(x, offset), True)

    def round(self, decimals=0, out=None):
        return written(rounded(self, decimals), out)

    def clip(self, min=None, max=None, out=None):
        return written(clipped(self, min, max), out)

    def dot(self, other, out=None):
        return written(dotted(self, other), out)

    def reshape(self, *shape, order="C", copy=None):
        if copy is not None:
            y = ndarray.reshape(self, *shape, order=order)
            if copy:
                return _w.copy(y)
            if not _w.shares_memory(self, y) and _w.about(y, "count"):
                raise ValueError("Unable to avoid creating a copy while reshaping.")
            return y
        shape = shape_of(shape)
        if order == "F":
            axes = tuple(shape) if not isinstance(shape, _int) else (shape,)
            return _w.permute(_w.reshape(_w.permute(self), axes[::-1]))
        return _w.array(_w.reshape(self, shape))

    def ravel(self, order="C"):
        x = in_memory_order(self, order) if order in ("A", "K") else self
        return _w.reshape(_w.permute(x) if order == "F" else x, -1)

    def flatten(self, order="C"):
        return _w.copy(self.ravel(order))

    def transpose(self, *axes):
        if len(axes) == 1:
            axes = axes[0]
        return _w.permute(self, axes if axes else None)

    def swapaxes(self, axis1, axis2):
        return _w.swap_axes(self, axis1, axis2)

    def squeeze(self, axis=None):
        if axis is not None:
            for a in [axis] if isinstance(axis, _int) else axis:
                if self.shape[a] != 1:
                    raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return _w.array(_w.squeeze(self, axis))

    def repeat(self, repeats, axis=None):
        return repeated(self, repeats, axis)

    def take(self, indices, axis=None, out=None, mode="raise"):
        return written(taken(self, indices, axis, mode), out)

    def compress(self, condition, axis=None):
        x = self if axis is not None else _w.reshape(self, -1)
        return _w.take(x, _w.reshape(_w.nonzero(_w.wrap(condition)), -1), axis or 0)

    def nonzero(self):
        places = _w.nonzero(self)
        return tuple([places[:, i] for i in range(self.ndim)])

    def argsort(self, axis=-1, kind=None, order=None, stable=None):
        return _w.sort(self if axis is not None else _w.reshape(self, -1), -1 if axis is None else axis)[1]

    def searchsorted(self, v, side="left", sorter=None):
        x = self if sorter is None else self[sorter]
        i, v = _w.searchsorted(x, v, side == "right"), _w.wrap(v)
        if v.dtype.kind != "f":
            return i
        bad = _w.is_nan(v)     # NaN comes after all numbers
        numbers = x.shape[0] if side == "right" or x.dtype.kind != "f" else _int(_w.sum(_w.cast(x == x, _w.int64)))
        return _w.where(bad, numbers, i)

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        if dtype is str or dtype is object or not isinstance(dtype, (type, _w.dtype)):
            from numpy._objects import item_type, made
            if item_type(dtype) is not None:
                return made(self, dtype)
        x = _w.cast(self, dtype_or_float(dtype))
        if self.dtype.kind == "f" and x.dtype.kind in "iu":
            x = to_integers(self, x.dtype)
        if not can_cast(self.dtype, x.dtype, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {x.dtype!r} according to the rule '{casting}'")
        if x.dtype == self.dtype:
            if not copy:
                return self
            x = _w.copy(x)
        return _w.array(x) if isinstance(self, ndarray) else x

    def copy(self, order="C"):
        return _w.array(_w.copy(self)) if isinstance(self, ndarray) else self

    def view(self, dtype=None):
        if dtype is None:
            return self[...]
        if isinstance(dtype, (list, dict)) or getattr(dtype, "names", None):
            from numpy._records import viewed
            return viewed(self, dtype)
        dtype = _w.full((), 0, dtype).dtype
        from numpy._shape import _core
        if dtype.itemsize == self.dtype.itemsize:
            return _core.bitcast(self, dtype)
        if self.ndim and _w.strides(self)[-1] != 1 and self.shape[-1] != 1:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        return _core.view(self, dtype)

    @property
    def strides(self):
        return tuple([s * self.dtype.itemsize for s in _w.strides(self)])

    def item(self, *args):
        if args:
            if len(args) == 1:
                args = args[0]
            x = _w.reshape(self, -1)[args] if isinstance(args, _int) else self[args]
            return _w.Tensor.item(x)
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return _w.Tensor.item(self)

    def conj(self):
        return _w.conj(self)

    def conjugate(self):
        return _w.conj(self)

    def __abs__(self):
        return _w.abs(self)

    def __divmod__(self, other):
        return self // other, self % other

    def __round__(self, digits=None):
        if digits is None:
            return _round(self.item())
        return rounded(self, digits)

    def __str__(self):
        return text(self, "numpy")

    def __array__(self, dtype=None, copy=None):
        return typed(self, dtype)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()


def within(x, kth, axis):
    # places to part at, of an axis that has them
    n = x.size if axis is None else x.shape[axis] if x.ndim else 1
    for k in [kth] if isinstance(kth, _int) else list(kth):
        if not -n <= k < n:
            raise ValueError(f"kth(={k}) out of bounds ({n})")


class ndarray(Methods):
    __module__ = "numpy"

    def _take_shape(self, shape):
        y = ndarray.reshape(self, shape)
        if y.size and not _w.shares_memory(y, self):
            raise AttributeError("Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.")
        _w.rebind(self, y)

    def __new__(cls, shape, dtype=None):
        return _w.array(_w.full(shape, 0, _w.float64 if dtype is None else dtype))

    def __init__(self, *args, **kw):
        pass

    def __repr__(self):
        return text(self, "numpy_repr")

    def __hash__(self):
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def sort(self, axis=-1, kind=None, order=None, stable=None):
        self[...] = _w.sort(self, axis)[0]

    def partition(self, kth, axis=-1):
        within(self, kth, axis)
        self[...] = _w.sort(self, axis)[0]

    def fill(self, value):
        self[...] = value

    def put(self, indices, values, mode="raise"):
        i, n = _w.reshape(_w.wrap(indices), -1), self.size
        if mode == "clip":
            i = _w.clip(i, 0, n - 1)
        elif mode == "wrap":
            i = i % n
        elif i.size and not (-n <= i.min() and i.max() < n):
            bad = [k for k in i.tolist() if not -n <= k < n][0]
            raise IndexError(f"index {bad} is out of bounds for axis 0 with size {n}")
        v = _w.reshape(_w.wrap(values), -1)
        flat = _w.copy(_w.reshape(self, -1))
        flat[i] = _w.take(v, _w.arange(0, i.size) % v.size, 0)
        self[...] = _w.reshape(flat, self.shape)

    def itemset(self, *args):
        self[args[:-1]] = args[-1]

    def byteswap(self, inplace=False):
        # each element's bytes in the other order, as a number of the same dtype
        width = self.dtype.itemsize // (2 if self.dtype.kind == "c" else 1)
        x = _w.copy(self).view(_w.uint8)
        x = _w.reshape(_w.flip(_w.reshape(x, (-1, width)), 1), x.shape)
        swapped = _w.array(x).view(self.dtype) if self.dtype.itemsize > 1 else self.copy()
        swapped = _w.array(_w.reshape(swapped, self.shape))
        if not inplace:
            return swapped
        self[...] = swapped
        return self

    def tobytes(self, order="C"):
        if order not in ("C", "A", "K", None):
            return _w.to_bytes(_w.permute(self))
        return _w.to_bytes(self)

    def tofile(self, fid, sep="", format="%s"):
        from numpy._bytes import tofile
        tofile(self, fid, sep, format)

    @property
    def flags(self):
        return Flags(self)

    def setflags(self, write=None, align=None, uic=None):
        if align is not None or uic:
            raise NotImplementedError("setflags: align or uic")
        if write is not None:
            _w.lock(self, not write)

    def resize(self, *new_shape, refcheck=True):
        # In place: what is cut off is gone, what is new is 0.
        shape = new_shape[0] if len(new_shape) == 1 and isinstance(new_shape[0], (tuple, list)) else new_shape
        n = 1
        for k in shape:
            n *= k
        flat = _w.reshape(self, -1)
        if n > flat.size:
            flat = _w.concat([flat, _w.full((n - flat.size,), 0, self.dtype)], 0)
        _w.set_data(self, _w.array(_w.reshape(_w.copy(flat[:n]), shape)))


class Flags:
    # How an array lies in memory; `writeable` can be set.
    def __init__(self, array):
        self.__dict__["array"] = array

    @property
    def c_contiguous(self):
        return _w.about(self.array, "packed")

    @property
    def f_contiguous(self):
        return _w.about(_w.permute(self.array), "packed")

    contiguous = c_contiguous
    forc = property(lambda self: self.c_contiguous or self.f_contiguous)
    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    owndata = property(lambda self: not _w.about(self.array, "view"))
    aligned = property(lambda self: True)
    writebackifcopy = property(lambda self: False)

    @property
    def writeable(self):
        return not _w.about(self.array, "locked")

    @writeable.setter
    def writeable(self, on):
        _w.lock(self.array, not on)

    def __getitem__(self, name):
        return getattr(self, {"C": "C_CONTIGUOUS", "F": "F_CONTIGUOUS", "W": "WRITEABLE", "O": "OWNDATA", "A": "ALIGNED"}.get(name, name).lower())

    def __setitem__(self, name, on):
        if name not in ("WRITEABLE", "W"):
            raise KeyError("Unknown flag")
        self.writeable = on

    def __repr__(self):
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join([f"  {n} : {self[n]}\n" for n in names])


class generic(Methods):
    __module__ = "numpy"
    # A scalar: never changed in place, and hashed as the number it is.
    _type = None

    def __new__(cls, x=0):
        if cls._type is None:
            raise TypeError(f"cannot create '{cls.__name__}' instances")
        if isinstance(x, str):
            x = float(x) if issubclass(cls, inexact) else _int(x)
        return _w.tensor(x, cls._type) if type(x) is _int else _w.cast(x, cls._type)  # of an int: checked

    def __init__(self, x=0):
        pass

    def __repr__(self):
        t = text(self, "numpy")
        return f"np.{self.dtype.name}{t}" if t[0] == "(" else f"np.{self.dtype.name}({t})"


class number(generic):
    __module__ = "numpy"


class integer(number):
    __module__ = "numpy"
    def bit_count(self):
        return _sum([_int(c) for c in bin(_abs(_int(self)))[2:]])


class signedinteger(integer):
    __module__ = "numpy"


class unsignedinteger(integer):
    __module__ = "numpy"


class inexact(number):
    __module__ = "numpy"


class floating(inexact):
    __module__ = "numpy"
    def is_integer(self):
        return self.item() == _int(self.item())


class complexfloating(inexact):
    __module__ = "numpy"


class bool_(generic):
    __module__ = "numpy"
    _type = _w.bool_

    def __repr__(self):
        return f"np.{self.item()}_"


class int8(signedinteger):
    __module__ = "numpy"
    _type = _w.int8


class int16(signedinteger):
    __module__ = "numpy"
    _type = _w.int16


class int32(signedinteger):
    __module__ = "numpy"
    _type = _w.int32


class int64(signedinteger):
    __module__ = "numpy"
    _type = _w.int64


class uint8(unsignedinteger):
    __module__ = "numpy"
    _type = _w.uint8


class uint16(unsignedinteger):
    __module__ = "numpy"
    _type = _w.uint16


class uint32(unsignedinteger):
    __module__ = "numpy"
    _type = _w.uint32


class uint64(unsignedinteger):
    __module__ = "numpy"
    _type = _w.uint64


class float16(floating):
    __module__ = "numpy"
    _type = _w.float16


class float32(floating):
    __module__ = "numpy"
    _type = _w.float32


class float64(floating):
    __module__ = "numpy"
    _type = _w.float64


class complex64(complexfloating):
    __module__ = "numpy"
    _type = _w.complex64


class complex128(complexfloating):
    __module__ = "numpy"
    _type = _w.complex128


_w.set_class(ndarray)
for _c in (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128):
    _w.set_scalar_class(_c._type, _c)


# ---- what methods and functions share ----

def rounded(x, decimals=0):
    x = _w.wrap(x)
    if x.dtype.kind == "c":
        return _w.complex(rounded(_w.real(x), decimals), rounded(_w.imag(x), decimals))
    if x.dtype.kind != "f":
        if decimals >= 0:
            return _w.cast(x, _w.float16) if x.dtype.kind == "b" and not decimals and x.ndim else x
        p = 10 ** -decimals
        return _w.cast(_w.round(x / p) * p, x.dtype)
    if decimals == 0:
        return _w.round(x)
    p = 10.0 ** _abs(decimals)
    return _w.round(x * p) / p if decimals > 0 else _w.round(x / p) * p


def dotted(a, b):
    a, b = _w.wrap(a), _w.wrap(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    k = _max(b.ndim - 2, 0)
    if a.shape[-1] != b.shape[k]:
        raise ValueError(f"shapes {_shape_shown(a)} and {_shape_shown(b)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[k]} (dim {k})")
    return _w.matmul(a, b) if b.ndim <= 2 else _w.tensordot(a, b, [a.ndim - 1], [k])


def _shape_shown(x):
    return str(tuple(x.shape)).replace(" ", "")


def repeated(x, repeats, axis=None):
    x = _w.wrap(x)
    if axis is None:
        x, axis = _w.reshape(x, -1), 0
    if isinstance(repeats, _int):
        return _w.repeat(x, repeats, axis)
    counts = _w.wrap(repeats).tolist()
    if isinstance(counts, _int):
        return _w.repeat(x, counts, axis)
    if len(counts) == 1:
        return _w.repeat(x, counts[0], axis)
    if len(counts) != x.shape[axis]:
        raise ValueError(f"operands could not be broadcast together with shape ({x.shape[axis]},) ({len(counts)},)")
    places = []
    for i, n in enumerate(counts):
        places += [i] * n
    return _w.take(x, _w.tensor(places, _w.int64), axis)


def taken(x, indices, axis=None, mode="raise"):
    x, indices = _w.wrap(x), _w.wrap(indices)
    if axis is None:
        x, axis = _w.reshape(x, -1), 0
    n = x.shape[axis]
    if mode == "wrap":
        indices = indices % n
    elif mode == "clip":
        indices = _w.clip(indices, 0, n - 1)
    elif indices.size and not (-n <= indices.min() and indices.max() < n):
        bad = [i for i in _w.reshape(indices, -1).tolist() if not -n <= i < n][0]
        raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {n}")
    return _w.take(x, _w.where(indices < 0, indices + n, indices), axis)


def dtype_or_float(dtype):
    return _w.float64 if dtype is None or dtype is float else dtype
