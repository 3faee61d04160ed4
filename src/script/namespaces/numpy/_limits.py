# numpy._limits -- what numbers of a dtype can be: finfo and iinfo, NumPy's and JAX's.
import _numpy as _w

# bits of exponent and mantissa, the digits that are sure; numbers of the smallest scalar class that has one
# of those of 8 bits (ml_dtypes): also the largest number and the least exponent, which do not follow
_eights = {"float8_e4m3fn": (4, 3, 1, 448.0, -6, 9), "float8_e5m2": (5, 2, 1, 57344.0, -14, 16), "float8_e4m3fnuz": (4, 3, 1, 240.0, -7, 8),
           "float8_e5m2fnuz": (5, 2, 1, 57344.0, -15, 16), "float8_e8m0fnu": (8, 0, 1, 2.0 ** 127, -127, 128)}
_floats = {"float16": (5, 10, 3), "bfloat16": (8, 7, 2), "float32": (8, 23, 6), "float64": (11, 52, 15),
           **{d: v[:3] for d, v in _eights.items()}}
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
        make = (lambda x: _w.full((), x, d)) if d.name in _eights else d.type or float
        self.eps, self.epsneg = make(2.0 ** self.machep), make(2.0 ** self.negep)
        top = (2.0 - 2.0 ** -self.nmant) * 2.0 ** (self.maxexp - 1)
        if d.name in _eights:
            top, self.minexp, self.maxexp = _eights[d.name][3:]
            self.bits = 8
        self.max, self.min = make(top), make(2.0 ** -127 if d.name == "float8_e8m0fnu" else -top)
        self.tiny = self.smallest_normal = make(2.0 ** self.minexp)
        self.smallest_subnormal = make(2.0 ** (self.minexp - self.nmant))
        self.resolution = make(10.0 ** -self.precision)

    def __repr__(self):
        return f"finfo(resolution={self._text(self.resolution) if self.dtype.name in _eights else self.resolution}, min={self._text(self.min)}, max={self._text(self.max)}, dtype={self.dtype})"

    def _text(self, x):
        return _texts.get(self.dtype.name, "%g") % float(x)

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(("finfo", self.dtype.name))


class iinfo:
    def __init__(self, int_type):
        d = _dtype(int_type)
        if d.kind not in "iu":
            raise ValueError(f"Invalid integer data type {d.kind!r}.")
        self.dtype, self.kind, self.bits = d, d.kind, 4 if d.name in ("int4", "uint4") else 8 * d.itemsize
        self.max = 2 ** (self.bits - (d.kind == "i")) - 1
        self.min = -self.max - 1 if d.kind == "i" else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
