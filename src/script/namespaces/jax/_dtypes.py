# jax._dtypes -- dtypes, their kinds, limits and promotion.
import _jax as _w

bool_ = _w.bool_
int8, int16, int32, int64 = _w.int8, _w.int16, _w.int32, _w.int64
uint8, uint16, uint32, uint64 = _w.uint8, _w.uint16, _w.uint32, _w.uint64
int4, uint4 = _w.int4, _w.uint4
float8_e4m3fn, float8_e5m2, float8_e4m3fnuz = _w.float8_e4m3fn, _w.float8_e5m2, _w.float8_e4m3fnuz
float8_e5m2fnuz, float8_e8m0fnu = _w.float8_e5m2fnuz, _w.float8_e8m0fnu
float16, bfloat16, float32, float64 = _w.float16, _w.bfloat16, _w.float32, _w.float64
single, double, half = float32, float64, float16


class generic:
    pass


class number(generic):
    pass


class inexact(number):
    pass


class floating(inexact):
    pass


class complexfloating(inexact):
    pass


class integer(number):
    pass


class signedinteger(integer):
    pass


class unsignedinteger(integer):
    pass


complex64, complex128 = _w.complex64, _w.complex128
csingle, cdouble, complex_ = complex64, complex128, complex128
_names = {"float": "float32", "int": "int32", "double": "float64", "half": "float16",
          "f4": "float32", "f8": "float64", "i4": "int32", "i8": "int64", "u1": "uint8",
          "bool_": "bool", "single": "float32", "complex": "complex64", "c8": "complex64", "c16": "complex128"}


def canonical(d):
    # As JAX sees it: 64-bit types are narrowed unless they are switched on.
    return _w.full((), 0, d).dtype


def dtype(d, align=False, copy=False):
    if isinstance(d, _w.dtype):
        return d
    if d is float:
        return float64
    if d is int:
        return int64
    if d is complex:
        return complex128
    if d is bool:
        return bool_
    if isinstance(d, str):
        found = getattr(_w, "bool_" if d == "bool" else _names.get(d, d), None)
        if isinstance(found, _w.dtype):
            return found
    if isinstance(d, type):     # np.float32 and its kin
        found = getattr(_w, "bool_" if d.__name__ == "bool" else d.__name__, None)
        if isinstance(found, _w.dtype):
            return found
    elif hasattr(d, "dtype"):
        return d.dtype
    raise TypeError(f"data type {d!r} not understood")


def default_int():
    return _w.full((), 0, int).dtype


def default_float():
    return _w.full((), 0.0, float).dtype


def float_of(d):
    # The float that functions of real numbers compute in: 64 bits only for 64 bits.
    if d.is_inexact:
        return d
    return default_float() if d.itemsize == 8 else float32


int_ = int64
uint = uint64
float_ = float64

_kinds = {"b": (bool_, generic), "i": (signedinteger, integer, number, generic),
          "u": (unsignedinteger, integer, number, generic), "f": (floating, inexact, number, generic),
          "c": (complexfloating, inexact, number, generic)}


_abstract = {k.__name__: k for k in (generic, number, inexact, floating, complexfloating, integer, signedinteger, unsignedinteger)}


def _own(kind):
    # NumPy's classes of dtypes are these.
    return _abstract.get(kind.__name__, kind) if isinstance(kind, type) else kind


def issubdtype(a, b):
    a, b = _own(a), _own(b)
    a = float64 if a is None else a # NumPy's default
    if "key<" in str(getattr(a, "name", "")) or "key<" in str(getattr(b, "name", "")): # keys are a kind of their own
        return str(getattr(a, "name", "")) == str(getattr(b, "name", ""))
    if isinstance(a, type) and issubclass(a, generic):
        return isinstance(b, type) and issubclass(b, generic) and issubclass(a, b)
    a = dtype(a)
    if isinstance(b, type) and issubclass(b, generic):
        return b in _kinds[a.kind]
    return a == dtype(b)


def isdtype(d, kind):
    names = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
             "real floating": "f", "numeric": "iufc", "complex floating": "c"}
    if isinstance(kind, tuple):
        return any([isdtype(d, k) for k in kind])
    if isinstance(kind, str) and kind in names:
        return dtype(d).kind in names[kind]
    return dtype(d) == dtype(kind)


def __getattr__(name):
    if name in ("finfo", "iinfo"):     # NumPy's, which is loaded for them
        return getattr(__import__("jax._limits"), name)
    raise AttributeError(f"module 'jax._dtypes' has no attribute '{name}'")


def _example(x):
    if isinstance(x, _w.Tensor):
        return _w.set_weak(_w.full((), 0, x.dtype), _w.about(x, "weak"))
    if isinstance(x, (bool, int, float, complex)):
        return x
    return _w.full((), 0, dtype(x))


def result_type(*args):
    if len(args) == 1:
        x = _example(args[0])
        return x.dtype if isinstance(x, _w.Tensor) else _w.wrap(x).dtype
    out = _example(args[0])
    for a in args[1:]:
        out = out if _both_bool(out, a) else _w.add(out, _example(a))
    return out.dtype if isinstance(out, _w.Tensor) else _w.wrap(out).dtype


def _both_bool(a, b):
    return _w.wrap(a).dtype == bool_ and _w.wrap(_example(b)).dtype == bool_


def promote_types(a, b):
    return result_type(dtype(a), dtype(b))


def can_cast(a, b, casting="safe"):
    if casting != "safe":
        raise NotImplementedError(f"can_cast: casting={casting!r}")
    a, b = dtype(a), dtype(b)
    return promote_types(a, b) == b


def as_dtype(d):
    # What a function's dtype argument names; None stays.
    return None if d is None else canonical(dtype(d))
