# numpy -- NumPy's names: arrays and scalars (_array), elementwise functions (_ufunc),
# creation (_create), shapes (_shape), reductions and statistics (_reduce), products here.
import _numpy as _w
from numpy._array import (
    ndarray, generic, number, integer, signedinteger, unsignedinteger, inexact, floating, complexfloating,
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128, options, text,
    written, dotted, of_jax)
from numpy._ufunc import *
from numpy._create import *
from numpy._shape import *
from numpy._shape import _core
from numpy._reduce import *
from numpy._names import (
    nextafter, spacing, bitwise_count, frompyfunc, apply_over_axes, matvec, vecmat, polyint, poly, diag_indices_from, mask_indices,
    sort_complex, histogramdd, histogram2d)
from numpy._limits import finfo, iinfo
from numpy._floating import errstate, seterr, geterr, seterrcall, geterrcall

__version__ = "2.4.0"
dtype = _w.dtype
bool = bool_
intp = int_ = longlong = int64
uint = uintp = ulonglong = uint64
intc, short, byte, ubyte, ushort, uintc = int32, int16, int8, uint8, uint16, uint32
half, single, double = float16, float32, float64
csingle, cdouble = complex64, complex128
pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None
True_, False_ = _w.cast(True, _w.bool_), _w.cast(False, _w.bool_)


# What other libraries hand over: the same memory as an array.
wrap = _wrap = _w.array


# ---- products ----

kron, cross = _core.kron, _core.cross

def dot(a, b, out=None):
    return written(dotted(a, b), out)


def vdot(a, b):
    return _w.matmul(_w.conj(_w.reshape(_w.wrap(a), -1)), _w.reshape(_w.wrap(b), -1))


def vecdot(a, b, axis=-1):
    a, b = _w.wrap(a), _w.wrap(b)
    return _w.sum(_w.mul(_w.conj(_w.move_axis(a, axis, -1)), _w.move_axis(b, axis, -1)), -1)


def inner(a, b):
    a, b = _w.wrap(a), _w.wrap(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return _w.tensordot(a, b, [a.ndim - 1], [b.ndim - 1])


def outer(a, b, out=None):
    return written(_w.outer(_w.reshape(_w.wrap(a), -1), _w.reshape(_w.wrap(b), -1)), out)


def tensordot(a, b, axes=2):
    return _core.tensordot(_w.wrap(a), _w.wrap(b), axes)


def _lettered(first, rest):
    # einsum(x, [0, 1], y, [1, 2], [0, 2]) in letters
    parts = [first, *rest]
    write = lambda labels: "".join(["..." if k is Ellipsis else _LETTERS[k] for k in labels])
    text = ",".join([write(labels) for labels in parts[1::2]])
    return (text + "->" + write(parts[-1]) if len(parts) % 2 else text), parts[:len(parts) // 2 * 2:2]


def _seen(subscripts, x):
    # What nothing is summed for is a view: diagonals and other orders of the axes. None where that is not so.
    left, arrow, right = subscripts.partition("->")
    if not arrow or "." in left or set(left) != set(right) or len(right) != len(set(right)) or len(left) != x.ndim:
        return None
    for label in right:
        while left.count(label) > 1:
            i, j = left.index(label), left.rindex(label)
            if x.shape[i] != x.shape[j]:
                raise ValueError(f"dimensions in single operand for collapsing index '{label}' don't match ({x.shape[i]} != {x.shape[j]})")
            x = _w.diagonal(_w.permute(x, [k for k in range(x.ndim) if k not in (i, j)] + [i, j]), 0)
            left = left[:i] + left[i + 1:j] + left[j + 1:] + label
    return _w.array(_w.permute(x, [left.index(label) for label in right]))


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum(subscripts, *operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    if not isinstance(subscripts, str):
        subscripts, operands = _lettered(subscripts, operands)
    xs = [_w.wrap(x) for x in operands]
    if len(xs) == 1 and dtype is None and out is None:
        view = _seen(subscripts.replace(" ", ""), xs[0])
        if view is not None:
            return view
    if dtype is not None:
        _castable(result_type(*xs), dtype, casting)
        xs = [_w.cast(x, dtype) for x in xs]
    if all([x.dtype.kind == "b" for x in xs]):     # sums of products are "any" of "all"
        return written(_w.ne(_w.einsum(subscripts, [_w.cast(x, _w.int64) for x in xs]), 0), out)
    return written(_w.einsum(subscripts, xs), out)


# ---- dtypes ----

def issubdtype(arg1, arg2):
    def kind(d):
        if isinstance(d, type) and issubclass(d, generic):
            return d
        return _w.dtype(d).type or generic  # bfloat16 is of no kind of NumPy's
    return issubclass(kind(arg1), kind(arg2))


def result_type(*args):
    xs = []
    for a in args:
        if isinstance(a, _w.Tensor) and a.ndim:     # its sizes do not matter
            xs.append(_w.full((1,), 0, a.dtype))
        elif isinstance(a, (_w.Tensor, int, float)) and not isinstance(a, type):
            xs.append(a)
        else:
            xs.append(_w.full((1,), 0, a))
    r = _w.wrap(xs[0]) if len(xs) == 1 else xs[0]
    for x in xs[1:]:
        r = _w.add(r, x) if not (_w.wrap(r).dtype.kind == "b" and _w.wrap(x).dtype.kind == "b") else _w.logical_or(r, x)
    return _w.wrap(r).dtype


promote_types = result_type


def can_cast(from_, to, casting="safe"):
    from numpy._array import can_cast as f
    return f(_w.dtype(from_) if not isinstance(from_, _w.Tensor) else from_.dtype, _w.dtype(to), casting)


def _castable(a, b, casting):
    if not can_cast(a, b, casting):
        raise TypeError(f"Cannot cast array data from {_w.dtype(a)!r} to {_w.dtype(b)!r} according to the rule '{casting}'")


def astype(x, dtype, copy=True):
    return x.astype(dtype, copy=copy)


# ---- printing ----

def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, infstr=None,
                     formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None):
    for name, v in (("legacy", legacy), ("override_repr", override_repr)):
        if v is not None and (name, v) != ("legacy", False):
            raise NotImplementedError(f"set_printoptions: {name}={v!r}")
    if floatmode not in (None, "fixed", "unique", "maxprec", "maxprec_equal"):
        raise ValueError('floatmode option must be one of "fixed", "unique", "maxprec", "maxprec_equal"')
    if sign not in (None, "-", "+", " "):
        raise ValueError("sign option must be one of ' ', '+', or '-'")
    if isinstance(threshold, float) and threshold != threshold:
        raise ValueError("threshold must be non-NAN, try sys.maxsize for untruncated representation")
    for name, v in (("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems),
                    ("linewidth", linewidth), ("suppress", suppress)):
        if v is not None:
            setattr(options, name, int(v) if v != inf else 9223372036854775807)
    options.suppress = True if options.suppress else False
    kept = {} if options.own is None else dict(options.own.__dict__)
    kept["formatter"] = formatter   # which is not kept by the next call
    kept.update({k: v for k, v in (("nanstr", nanstr), ("infstr", infstr), ("sign", sign), ("floatmode", floatmode)) if v is not None})
    usual = {"nanstr": "nan", "infstr": "inf", "sign": "-", "floatmode": "maxprec", "formatter": None}
    options.own = None
    if {**usual, **kept} != usual:
        options.own = __import__("numpy._format").Options()
        options.own.__dict__.update(kept)


def get_printoptions():
    own = {"floatmode": "maxprec", "sign": "-", "nanstr": "nan", "infstr": "inf", "formatter": None} if options.own is None else options.own.__dict__
    return {"edgeitems": options.edgeitems, "threshold": options.threshold, "floatmode": own["floatmode"], "precision": options.precision,
            "suppress": options.suppress, "linewidth": options.linewidth, "nanstr": own["nanstr"], "infstr": own["infstr"], "sign": own["sign"],
            "formatter": own["formatter"], "legacy": False, "override_repr": None}


class printoptions:
    def __init__(self, **kw):
        self.kw = kw

    def __enter__(self):
        self.old = get_printoptions()
        set_printoptions(**self.kw)
        return get_printoptions()

    def __exit__(self, *exc):
        set_printoptions(**self.old)


def _printed(a, style, precision, suppress_small, max_line_width):
    with printoptions(precision=precision, suppress=suppress_small, linewidth=max_line_width, formatter=get_printoptions()["formatter"]):
        return text(_w.wrap(a), style)


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="",
                 style=None, formatter=None, threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="",
                 legacy=None):
    for name, v in (("legacy", legacy), ("style", style)):
        if v is not None:
            raise NotImplementedError(f"np.array2string: {name}")
    x = a if hasattr(a, "_home") else _w.wrap(a)
    if x.ndim == 0 and x.dtype.kind in "fc" and formatter is None:    # as an element of an array, in the digits asked for
        return array2string(_w.reshape(x, (1,)), max_line_width, precision, suppress_small, sign=sign, floatmode=floatmode)[1:-1].strip()
    first = lambda v, other: other if v is None else v
    from numpy._format import Options, string
    own = options.own or Options()
    return string(x, own, first(precision, options.precision), first(threshold, options.threshold), first(edgeitems, options.edgeitems),
                  first(max_line_width, options.linewidth), first(suppress_small, options.suppress), sign, floatmode, formatter, separator, prefix,
                  suffix)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    return _printed(a, "numpy", precision, suppress_small, max_line_width)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    return _printed(arr, "numpy_repr", precision, suppress_small, max_line_width)


def format_float_positional(x, precision=None, unique=True, trim="k"):
    if not unique and precision is None:
        raise ValueError("in non-unique mode `precision` must be supplied")
    s = f"{float(x):.{precision}f}" if precision is not None else repr(float(x))
    if trim == "-" and "." in s:
        s = s.rstrip("0").rstrip(".")
    return s


# ---- files ----

def save(file, arr, allow_pickle=True):
    file = str(file) if str(file).endswith(".npy") else str(file) + ".npy"
    try:
        _w.save_npy(file, _w.wrap(arr))
    except TypeError:
        items = __import__("numpy._objects")
        if not items.holds_items(arr, 64):
            raise
        items.save(file, arr if isinstance(arr, items.ItemArray) else items.made(arr))


def load(file, mmap_mode=None, allow_pickle=False):
    import os
    if not os.path.exists(str(file)):
        raise FileNotFoundError(f"[Errno 2] No such file or directory: '{file}'")
    with open(str(file), "rb") as f:
        several = f.read(2) == b"PK"
    if several:
        from numpy._npz import NpzFile
        return NpzFile(str(file))
    with open(str(file), "rb") as f:
        head = f.read(128)
    if b"'descr': '<U" in head or b"'descr': '|S" in head:
        return __import__("numpy._objects").load(str(file))
    return _w.array(_w.load_npy(str(file)))


def fromstring(string, dtype=float, count=-1, sep=""):
    if sep == "":
        raise ValueError("The binary mode of fromstring is removed, use frombuffer instead")
    parts = [p for p in (string.split(sep) if sep.strip() else string.split()) if p.strip()]
    if count > len(parts):
        raise ValueError("string is smaller than requested size")
    return array([float(p) for p in (parts if count < 0 else parts[:count])], dtype)


def __getattr__(name):
    if name in ("savez", "savez_compressed"):
        return getattr(__import__("numpy._npz"), name)
    if name in ("savetxt", "loadtxt", "genfromtxt"):
        return getattr(__import__("numpy._text"), name)
    if name in ("frombuffer", "fromfile", "packbits", "unpackbits", "memmap"):
        return getattr(__import__("numpy._bytes"), name)
    if name in ("bartlett", "blackman", "hamming", "hanning", "kaiser", "i0", "base_repr", "binary_repr", "format_float_scientific", "isdtype", "isfortran",
                "common_type", "min_scalar_type", "mintypecode", "typename", "real_if_close", "require", "from_dlpack", "broadcast",
                "polydiv", "poly1d"):
        return getattr(__import__("numpy._rarer"), name)
    if name in ("str_", "bytes_", "object_"):
        return getattr(__import__("numpy._objects"), name)
    if name in ("datetime64", "timedelta64", "isnat", "datetime_as_string", "datetime_data"):
        return getattr(__import__("numpy._dates"), name)
    if name in ("is_busday", "busday_count", "busday_offset", "busdaycalendar"):
        return getattr(__import__("numpy._business"), name)
    if name == "einsum_path":
        return __import__("numpy._paths").einsum_path
    if name == "flatiter":
        return __import__("numpy._flat").flatiter
    if name == "nditer":
        return __import__("numpy._nditer").nditer
    if name == "emath":
        return __import__("numpy.lib.scimath")
    if name in ("void", "record", "recarray"):
        return getattr(__import__("numpy._records"), name)
    if name in ("ma", "char", "core", "rec", "strings", "exceptions", "fft", "lib", "linalg", "random", "testing"):
        return __import__("numpy." + name)
    raise AttributeError(f"module 'numpy' has no attribute '{name}'")


def shares_memory(a, b):
    return _w.shares_memory(a, b)


may_share_memory = shares_memory


def iterable(y):
    return hasattr(y, "__iter__")


def ndenumerate(arr):
    arr = _w.wrap(arr)
    for i in ndindex(*arr.shape):
        yield i, arr[i]


def ndindex(*shape):
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = shape[0]
    n = 1
    for s in shape:
        n *= s
    for k in range(n):
        out = []
        for s in list(shape)[::-1]:
            out.append(k % s)
            k //= s
        yield tuple(out[::-1])


def _by_method(name, method):
    # NumPy asks an array of another library for the method of that name: of JAX's the result is one of JAX's.
    fn = globals()[name]

    @__import__("functools").wraps(fn)
    def call(*args, **kwargs):
        if args and of_jax(args[0]):
            return getattr(args[0], method)(*args[1:], **kwargs)
        return fn(*args, **kwargs)
    return call


for _name in ("sum prod max min any all mean std var reshape repeat swapaxes transpose argmax argmin searchsorted squeeze cumsum "
              "cumprod round nonzero choose").split():
    globals()[_name] = _by_method(_name, _name)


def _by_slices(name):
    # NumPy takes slices and turns of what it is given: of JAX's arrays these are JAX's.
    fn = globals()[name]

    @__import__("functools").wraps(fn)
    def call(*args, **kwargs):
        if args and of_jax(args[0]):
            return getattr(__import__("jax.numpy"), name)(*args, **kwargs)
        return fn(*args, **kwargs)
    return call


for _name in "flip fliplr flipud rot90 moveaxis split array_split hsplit vsplit dsplit".split():
    globals()[_name] = _by_slices(_name)


def _of_items(name):
    # What is done with arrays whose elements are no numbers are functions of the file that keeps them.
    fn = globals()[name]

    @__import__("functools").wraps(fn)
    def call(*args, **kwargs):
        try:
            return fn(*args, **kwargs)
        except (TypeError, AttributeError):
            home = __import__("numpy._objects").home
            own = [*args, *kwargs.values()] if name in ("where", "append", "isin") else [*args[:2], *kwargs.values()]
            for a in own:
                if (name in ("where", "append", "isin") or not isinstance(a, (str, bytes))) and home(a) is not None:
                    if not hasattr(home(a), name):
                        break
                    return getattr(home(a), name)(*args, **kwargs)
            raise
    return call


for _name in ("concatenate stack vstack hstack dstack column_stack reshape ravel transpose flip roll tile repeat take delete squeeze expand_dims "
              "broadcast_to split array_split fliplr flipud atleast_1d atleast_2d moveaxis swapaxes rot90 append argsort sort unique isin where "
              "array_equal intersect1d setdiff1d union1d searchsorted nonzero shape ndim size copy ndenumerate diff sum min max mean argmin "
          "argmax cumsum").split():
    globals()[_name] = _of_items(_name)
amax, amin, around = max, min, round


_w.set_error(lambda text, label: __import__("numpy._errors").worded(text))
