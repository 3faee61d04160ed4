# jax.numpy -- NumPy's functions over jax arrays. What is one native is bound to it; the rest
# is composed of those. Families are in files of their own, whose names are all here.
import _jax as _w
from jax._array import Array as ndarray
from jax._dtypes import (
    int4, uint4, float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu,
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32,
    float64, complex64, complex128, csingle, cdouble, complex_, complexfloating, number, inexact, floating, integer, signedinteger,
    unsignedinteger, generic, int_, uint, float_, single, double, half, dtype,
    issubdtype, isdtype, result_type, promote_types, can_cast)
from jax.numpy._create import *
from jax.numpy._shape import *
from jax.numpy._math import *
from jax.numpy._reduce import *
from jax.numpy._select import *

pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
newaxis = None
bool = bool_


def __getattr__(name):
    if name in ("finfo", "iinfo"):
        return getattr(__import__("jax._limits"), name)
    if name in ("fft", "linalg"):
        return __import__("jax.numpy." + name)
    raise AttributeError(f"module 'jax.numpy' has no attribute '{name}'")
