# numpy._limits -- what numbers of a dtype can be: finfo and iinfo, NumPy's and JAX's.
import _numpy as _w

# bits of exponent and mantissa, the digits that are sure; numbers of the smallest scalar class that has one
_floats = {"float16": (5, 10, 3), "bfloat16": (8, 7, 2), "float32": (8, 23, 6), "float64": (11, 52, 15)}
_halves = {"complex64": "float32", "complex128": "float64"}
_texts = {"float16": "%.5e", "bfloat16": "%.5e", "float32": "%.7e", "float64": "%.16e"}


def _dtype(kind):
    if isinstance(kind, _w.dtype):
        return kind
    return kind.dtype if not isinstance(kind, type) and hasattr(kind, "dtype") else _w.dtype(kind)


class finfo:
    def __init__(self, dtype):
        d = _dtype(dtype)
        d = _w.dtype(_halves[d.name]) if d.name in _halves else d
        if d.name not in _floats:
            raise ValueError(f"data type {d!r} not inexact")
        self.dtype = d
        self.nexp, self.nmant, self.precision = _floats[d.name]
        self.bits, self.iexp = 1 + self.nexp + self.nmant, self.nexp
        self.machep, self.negep = -self.nmant, -self.nmant - 1
        self.maxexp = 2 ** (self.nexp - 1)
        self.minexp = 2 - self.maxexp
        make = d.type or float
        self.eps, self.epsneg = make(2.0 ** self.machep), make(2.0 ** self.negep)
        top = (2.0 - 2.0 ** -self.nmant) * 2.0 ** (self.maxexp - 1)
        self.max, self.min = make(top), make(-top)
        self.tiny = self.smallest_normal = make(2.0 ** self.minexp)
        self.smallest_subnormal = make(2.0 ** (self.minexp - self.nmant))
        self.resolution = make(10.0 ** -self.precision)

    def __repr__(self):
        return f"finfo(resolution={self.resolution}, min={self._text(self.min)}, max={self._text(self.max)}, dtype={self.dtype})"

    def _text(self, x):
        return _texts[self.dtype.name] % float(x)

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(("finfo", self.dtype.name))


class iinfo:
    def __init__(self, int_type):
        d = _dtype(int_type)
        if d.kind not in "iu":
            raise ValueError(f"Invalid integer data type {d.kind!r}.")
        self.dtype, self.kind, self.bits = d, d.kind, 8 * d.itemsize
        self.max = 2 ** (self.bits - (d.kind == "i")) - 1
        self.min = -self.max - 1 if d.kind == "i" else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
