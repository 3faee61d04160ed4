# numpy._rarer -- names that few programs use, loaded when one is asked for: windows, texts of numbers, kinds of dtypes, poly1d.
import math as _math

import _numpy as _w
import _special
from numpy._shape import _core


def _window(M, of):
    # of n = 1 - M .. M - 1 in steps of two
    return _core.window(M, lambda k: of(2 * k - (M - 1)))


def bartlett(M):
    return _window(M, lambda n: _w.where(n <= 0, 1 + n / (M - 1), 1 - n / (M - 1)))


def _cosines(M, a, b, c=None):
    return _window(M, lambda n: _core.cosines(_math.pi * n / (M - 1), a, -b, *([] if c is None else [c])))


def hanning(M):
    return _cosines(M, 0.5, 0.5)


def hamming(M):
    return _cosines(M, 0.54, 0.46)


def blackman(M):
    return _cosines(M, 0.42, 0.5, 0.08)


def i0(x):
    x = _w.div(x, 1)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    return _special.bessel_e(_w, x, 0) * _w.exp(_w.abs(x))


def kaiser(M, beta):
    middle = (M - 1) / 2
    return _core.window(M, lambda k: i0(beta * _w.sqrt(1 - _w.square((k - middle) / middle))) / i0(float(beta)))


def base_repr(number, base=2, padding=0):
    if not 2 <= base <= 36:
        raise ValueError("Bases greater than 36 not handled in base_repr." if base > 36 else "Bases less than 2 not handled in base_repr.")
    digits, n, text = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", abs(int(number)), ""
    while n:
        n, r = divmod(n, base)
        text = digits[r] + text
    text = "0" * padding + text
    return ("-" if number < 0 else "") + (text or "0")


def binary_repr(num, width=None):
    num = int(num)
    if num >= 0:
        text = bin(num)[2:]
        if width is not None and width < len(text):
            raise ValueError(f"Insufficient bit width={width} provided for binwidth={len(text)}")
        return text.zfill(width or 0)
    if width is None:
        return "-" + bin(-num)[2:]
    least = len(bin(-num)[2:])
    least += 0 if 2 ** (least - 1) == -num else 1
    if width < least:
        raise ValueError(f"Insufficient bit width={width} provided for binwidth={least}")
    return bin(2 ** width + num)[2:].rjust(width, "1")


def format_float_scientific(x, precision=None, unique=True, trim="k", sign=False, pad_left=None, exp_digits=None, min_digits=None):
    if not unique or pad_left is not None or min_digits is not None:
        raise NotImplementedError("format_float_scientific: unique=False, pad_left, min_digits")
    if trim not in "k.0-":
        raise ValueError("if trim is set it must be one of 'k', '.', '0', '-'")
    shortest = str(x)       # of its own dtype
    x = float(x)
    text = shortest if precision is None else "%.*e" % (precision, float(shortest))
    if precision is None:       # the fewest digits that tell it apart
        text = "%.*e" % (max(len(text.split("e")[0].replace(".", "").replace("-", "").strip("0")) - 1, 0), x)
    digits, power = text.split("e")
    whole, _, rest = digits.partition(".")
    rest = rest.rstrip("0")     # the digits are the fewest
    if trim == "0":
        rest = rest or "0"
    digits = whole + (("." + rest) if rest or trim != "-" else "")
    power = int(power)
    return ("+" if sign and x >= 0 else "") + digits + "e" + ("-" if power < 0 else "+") + str(abs(power)).rjust(exp_digits or 2, "0")


# ---- kinds

_kinds = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
          "numeric": "iufc"}


def isdtype(dtype, kind):
    d = _w.dtype(dtype)
    for k in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(k, str):
            if k not in _kinds:
                raise ValueError(f"kind argument is a string, but {k!r} is not a known kind name.")
            if d.kind in _kinds[k]:
                return True
        elif d == _w.dtype(k):
            return True
    return False


def isfortran(a):
    # the first index runs fastest, and the last one does not
    steps, n = [], 1
    for d in a.shape:
        steps.append(n)
        n *= d
    other, n = [], 1
    for d in reversed(a.shape):
        other.insert(0, n)
        n *= d
    real = list(_w.strides(a))
    match = lambda want: all(d == 1 or r == s for d, r, s in zip(a.shape, real, want))
    return a.ndim > 1 and match(steps) and not match(other)


def common_type(*arrays):
    from numpy import result_type
    found = None
    for a in arrays:
        d = _w.wrap(a).dtype
        if d.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        d = _w.float64 if d.kind in "iu" else d
        found = d if found is None else result_type(found, d)
    return _w.dtype("float16" if found is None else found).type


def min_scalar_type(a):
    x = _w.wrap(a)
    if x.ndim:
        return x.dtype
    v = x.item()
    if isinstance(v, bool):
        return _w.dtype("bool")
    if isinstance(v, int):
        for name, low, high in [("uint8", 0, 8), ("uint16", 0, 16), ("uint32", 0, 32), ("uint64", 0, 64)] if v >= 0 else \
                [("int8", 7, 7), ("int16", 15, 15), ("int32", 31, 31), ("int64", 63, 63)]:
            if -(1 << low) <= v < (1 << high):
                return _w.dtype(name)
    size = abs(v) if not isinstance(v, complex) else max(abs(v.real), abs(v.imag))
    fits = not size < _math.inf
    names = ("complex64", "complex128") if isinstance(v, complex) else ("float16", "float32", "float64")
    for name, top in zip(names, (3.4e38, 1.8e308) if isinstance(v, complex) else (65000.0, 3.4e38, 1.8e308)):
        if fits or size < top:
            return _w.dtype(name)
    return _w.dtype(names[-1])


def mintypecode(typechars, typeset="GDFgdf", default="d"):
    codes = [t if isinstance(t, str) else _w.wrap(t).dtype.char for t in typechars]
    found = [t for t in codes if t in typeset]
    if not found:
        return default
    if "F" in found and "d" in found:
        return "D"
    return min(found, key="GDFgdfhHiIlLqQbB?".index)


_type_names = {"S1": "character", "?": "bool", "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short", "i": "integer",
               "I": "unsigned integer", "l": "long integer", "L": "unsigned long integer", "q": "long long integer",
               "Q": "unsigned long long integer", "f": "single precision", "d": "double precision", "g": "long precision",
               "F": "complex single precision", "D": "complex double precision", "G": "complex long double precision", "S": "string",
               "U": "unicode", "V": "void", "O": "object"}


def typename(char):
    return _type_names[char]


def real_if_close(a, tol=100):
    from numpy._limits import finfo
    a = _w.wrap(a)
    if a.dtype.kind != "c":
        return a
    tol = finfo(a.dtype).eps * tol if tol > 1 else tol
    return a.real if _w.all(_w.abs(a.imag) < tol) else a


def require(a, dtype=None, requirements=None, *, like=None):
    from numpy import asanyarray, ascontiguousarray, asfortranarray
    if like is not None:
        raise NotImplementedError("np.require: like")
    wants = {{"C": "C", "F": "F", "A": "A", "W": "W", "O": "O", "E": "E"}[r.upper()[0]] for r in requirements or ()}
    if {"C", "F"} <= wants:
        raise ValueError("Cannot specify both \"C\" and \"F\" order")
    x = asanyarray(a, dtype)
    return ascontiguousarray(x) if "C" in wants and x.ndim else asfortranarray(x) if "F" in wants else x


def from_dlpack(x, /, *, device=None, copy=None):
    if device not in (None, "cpu"):
        raise ValueError('Device not understood. Only "cpu" is allowed, but received: ' + str(device))
    y = _w.array(_w.wrap(x))
    return _w.copy(y) if copy else y


class broadcast:
    # Arrays that go together, element by element.
    def __init__(self, *args):
        from numpy import broadcast_arrays
        self._arrays = broadcast_arrays(*[_w.wrap(a) for a in args])
        self.shape = tuple(self._arrays[0].shape) if self._arrays else ()
        self.nd = self.ndim = len(self.shape)
        self.size = _math.prod(self.shape)
        self.numiter = len(self._arrays)
        self.reset()

    def reset(self):
        self.index = 0
        self._rows = zip(*[_w.reshape(a, -1) for a in self._arrays])

    @property
    def iters(self):
        return tuple([iter(_w.reshape(a, -1)) for a in self._arrays])

    def __iter__(self):
        return self

    def __next__(self):
        row = next(self._rows)
        self.index += 1
        return row


# ---- polynomials

def _trimmed(c):
    # without zeros before the first coefficient
    c = _w.reshape(_w.wrap(c), -1)
    at = [i for i, v in enumerate(c.tolist()) if v != 0]
    return c[at[0]:] if at else _w.full((1,), 0, c.dtype)


def polydiv(u, v):
    plain = not (isinstance(u, poly1d) or isinstance(v, poly1d))
    u, v = [_w.div(_w.reshape(_w.wrap(_coefficients(p)), -1), 1) for p in (u, v)]
    d = (u[:1] + v[:1]).dtype
    q, r = _core.polydiv(_w.cast(u, d), _w.cast(v, d))
    while r.shape[0] > 1 and abs(r[0]) <= 1e-14:
        r = r[1:]
    return (_w.array(q), _w.array(r)) if plain else (poly1d(q), poly1d(r))


def _coefficients(p):
    return p.coeffs if isinstance(p, poly1d) else p


class poly1d:
    # A polynomial by its coefficients, the highest power first; or by its roots.
    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        from numpy import array, poly
        if isinstance(c_or_r, poly1d):
            self._variable, c = c_or_r._variable, c_or_r.coeffs
        else:
            self._variable, c = "x", poly(c_or_r) if r else c_or_r
        self._variable = self._variable if variable is None else variable
        self.coeffs = array(_trimmed(c))

    c = coef = coefficients = property(lambda self: self.coeffs)
    variable = property(lambda self: self._variable)
    order = o = property(lambda self: self.coeffs.shape[0] - 1)

    @property
    def roots(self):
        from numpy import roots
        return roots(self.coeffs)

    r = roots

    def __call__(self, val):
        from numpy import polyval
        return polyval(self.coeffs, val)

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self.coeffs)

    def __array__(self, dtype=None, copy=None):
        return self.coeffs if dtype is None else self.coeffs.astype(dtype)

    def __getitem__(self, power):
        k = self.order - power
        return self.coeffs[k] if 0 <= k and power >= 0 else self.coeffs.dtype.type(0)

    def __setitem__(self, power, value):
        from numpy import array, zeros
        if power < 0:
            raise ValueError("Does not support negative powers.")
        if power > self.order:
            self.coeffs = array([0] * (power - self.order) + self.coeffs.tolist())
        self.coeffs[self.order - power] = value

    def __eq__(self, other):
        return isinstance(other, poly1d) and self.coeffs.shape == other.coeffs.shape and bool((self.coeffs == other.coeffs).all())

    def __ne__(self, other):
        return not self == other

    def __neg__(self):
        return poly1d(-self.coeffs)

    def __pos__(self):
        return self

    def _sum(self, other, sign):
        from numpy import array
        a, b = self.coeffs, _w.reshape(_w.wrap(_coefficients(other)), -1)
        n = max(a.shape[0], b.shape[0])
        wide = lambda v: _w.concat([_w.full((n - v.shape[0],), 0, v.dtype), v], 0)
        return poly1d(wide(a) + wide(b) * sign)

    def __add__(self, other):
        return self._sum(other, 1)

    __radd__ = __add__

    def __sub__(self, other):
        return self._sum(other, -1)

    def __rsub__(self, other):
        return (-self)._sum(other, 1)

    def __mul__(self, other):
        from numpy import convolve, isscalar
        return poly1d(self.coeffs * other) if isscalar(other) else poly1d(convolve(self.coeffs, _coefficients(other)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        from numpy import isscalar
        return poly1d(self.coeffs / other) if isscalar(other) else polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        return polydiv(poly1d(other), self)

    def __pow__(self, n):
        if n < 0 or int(n) != n:
            raise ValueError("Power to non-negative integers only.")
        out = poly1d([1])
        for _ in range(int(n)):
            out = out * self
        return out

    def integ(self, m=1, k=0):
        from numpy import polyint
        return poly1d(polyint(self.coeffs, m=m, k=k))

    def deriv(self, m=1):
        from numpy import polyder
        return poly1d(polyder(self.coeffs, m=m))

    def __repr__(self):
        return "poly1d(" + repr(self.coeffs)[6:-1] + ")"

    def __str__(self):
        text, n = "0", self.order
        show = lambda v: ("%.4g" % v)[:-5] if ("%.4g" % v).endswith(".0000") else "%.4g" % v
        for k, v in enumerate(self.coeffs.tolist()):
            sign = "-" if v < 0 else "+"
            size, power = show(abs(v)), n - k
            x = self._variable if power == 1 else f"{self._variable}**{power}"
            if power == 0:
                term = size if size != "0" or k == 0 else ""
            else:
                term = "" if size == "0" else f"{size} {x}"
            if k == 0:
                text = term if v >= 0 or not term else "-" + term
            elif term:
                text = f"{text} {sign} {term}" if text else term if sign == "+" else f"-{term}"
        return _raised(text)


def _raised(text, wrap=70):
    # Powers stand in a line above, over the end of what they belong to.
    lines, above, below = [], "", ""
    terms = text.split("**")
    for k, term in enumerate(terms[1:]):
        digits = 0
        while digits < len(term) and term[digits].isdigit():
            digits += 1
        head, terms[k + 1] = terms[k], term[digits:]
        up, low = " " * (len(head) - 1) + term[:digits], head + " " * (digits - 1)
        if above and max(len(below) + len(low), len(above) + len(up)) > wrap:
            lines.append(above + "\n" + below)
            above, below = "", ""
        above, below = above + up, below + low
    return " " + "\n ".join(lines + [above + "\n" + below]) + terms[-1]
