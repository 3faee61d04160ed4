# numpy._dates -- dates and spans of time. An array of them is an array of 64-bit integers that count units since 1970
# (dates) or units (spans); NaT is the least of the integers. Months and years have no fixed number of days: between
# them and the units below a day number is computed from the calendar. They never enter programs.
import operator as _op
import time as _time

import numpy as _np
from numpy._objects import ItemArray, ItemType, laid_out

NAT = -2**63
_min, _max = min, max
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
_NAMES = dict(zip(UNITS, "years months weeks days hours minutes seconds milliseconds microseconds nanoseconds picoseconds "
                         "femtoseconds attoseconds".split()))
_IN_NEXT = {"Y": 12, "W": 7, "D": 24, "h": 60, "m": 60, "s": 1000, "ms": 1000, "us": 1000, "ns": 1000, "ps": 1000, "fs": 1000}


class DateType:
    # datetime64 (M) or timedelta64 (m) in units of `step` times `unit`; "" as long as no unit is known
    byteorder, isnative, names, fields, hasobject, itemsize, subdtype, shape = "=", True, None, None, False, 8, None, ()

    def __init__(self, kind, unit="", step=1):
        self.kind, self.unit, self.step, self.char = kind, unit, step, kind
        self.type = datetime64 if kind == "M" else timedelta64
        said = f"[{step if step > 1 else ''}{unit}]" if unit else ""
        self.str, self.name = f"<{kind}8{said}", self.type.__name__ + said

    def __eq__(self, other):
        try:
            other = date_type(other)
        except (TypeError, ValueError):
            return False
        return other is not None and (self.kind, self.unit, self.step) == (other.kind, other.unit, other.step)

    def __hash__(self):
        return hash(self.str)

    def __repr__(self):
        return f"dtype('{self.str}')"

    def __str__(self):
        return self.name


def _unit(text, of):
    digits = len(text) - len(text.lstrip("0123456789"))
    unit, step = text[digits:], int(text[:digits] or 1)
    unit = "us" if unit == "μs" else unit
    if unit == "generic":
        return "", 1
    if unit not in UNITS or step < 1:
        raise TypeError(f'Invalid datetime unit "{text}" in metadata' if of is None else f"Invalid datetime unit in metadata string \"[{text}]\"")
    return unit, step


def date_type(d):
    # The dtype that is meant, None for one of anything else.
    if isinstance(d, DateType):
        return d
    if d is datetime64 or d is timedelta64:
        return DateType("M" if d is datetime64 else "m")
    if not isinstance(d, str):
        return None
    s, kind = d.lstrip("<="), None
    for start, k in (("datetime64", "M"), ("timedelta64", "m"), ("M8", "M"), ("m8", "m")):
        if s.startswith(start):
            kind, s = k, s[len(start):]
            break
    if d in ("M", "m"):
        kind, s = d, ""
    if kind is None:
        return None
    if s and not (s[0] == "[" and s[-1] == "]"):
        raise TypeError(f"Invalid datetime metadata string \"{s}\"")
    return DateType(kind, *_unit(s[1:-1], s)) if s else DateType(kind)


# ---- the calendar: for integers and for arrays of them ----

def _days(y, m, d):
    # The days from 1970-01-01 to that day, of the calendar whose year begins in March.
    y = y - (m <= 2)
    era = y // 400
    of_era = y - era * 400
    of_year = (153 * (m - 3 + 12 * (m <= 2)) + 2) // 5 + d - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def _civil(days):
    # (year, month, day)
    z = days + 719468
    era = z // 146097
    of_era = z - era * 146097
    y = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * y + y // 4 - y // 100)
    month = (5 * of_year + 2) // 153
    m = month + 3 - 12 * (month >= 10)
    return y + era * 400 + (m <= 2), m, of_year - (153 * month + 2) // 5 + 1


def _ratio(a, b):
    # How many of the finer unit b are in one of a, by fixed numbers; None between months and days
    n = 1
    i, j = UNITS.index(a), UNITS.index(b)
    if (i < 2) != (j < 2):
        return None
    for u in UNITS[i:j]:
        n *= _IN_NEXT[u]
    return n


def _moved(n, a, b, dates):
    # n units of dtype a as units of dtype b, rounded down
    if a.unit == b.unit and a.step == b.step or not a.unit:
        return n
    if not b.unit:
        return n
    n, u, v = n * a.step, a.unit, b.unit
    i, j = UNITS.index(u), UNITS.index(v)
    if (i < 2) == (j < 2):
        n = n * _ratio(u, v) if i <= j else n // _ratio(v, u)
    elif not dates:
        raise TypeError(f"Cannot cast NumPy timedelta64 scalar from metadata [{u}] to [{v}] according to the rule 'same_kind'")
    elif i < 2:
        months = n * 12 if u == "Y" else n
        days = _days(1970 + months // 12, months % 12 + 1, 1)
        n = days // 7 if v == "W" else days * _ratio("D", v)
    else:
        y, m, _ = _civil(n * 7 if u == "W" else n // _ratio("D", u))
        n = y - 1970 if v == "Y" else (y - 1970) * 12 + m - 1
    return n // b.step


def moved(n, a, b):
    # The same with NaT, of one integer or of an array
    if isinstance(n, int):
        return n if n == NAT else int(_moved(n, a, b, a.kind == "M"))
    return _np.where(n == NAT, NAT, _moved(_np.where(n == NAT, 0, n), a, b, a.kind == "M"))


def _finer(a, b):
    # The unit that both can be counted in
    if not a.unit or not b.unit:
        return (a.unit, a.step) if a.unit else (b.unit, b.step)
    i, j = UNITS.index(a.unit), UNITS.index(b.unit)
    if (i < 2) != (j < 2):
        if "m" in (a.kind if i < 2 else b.kind):
            raise TypeError(f"Cannot get a common metadata divisor for Numpy {'datetime64' if 'M' in (a.kind, b.kind) else 'timedelta64'} metadata "
                            f"[{a.unit}] and [{b.unit}] because they have incompatible nonlinear base time units.")
        return (b.unit, b.step) if i < 2 else (a.unit, a.step)
    fine = UNITS[_max(i, j)]
    p, q = a.step * _ratio(a.unit, fine), b.step * _ratio(b.unit, fine)
    while q:
        p, q = q, p % q
    return fine, p


# ---- texts ----

def _parsed(text):
    # (count, dtype) that an ISO text says
    import re
    text = text.strip()
    if text in ("", "NaT", "nat", "NAT"):
        return NAT, DateType("M")
    if text == "today":
        t = _time.localtime()
        return _days(t.tm_year, t.tm_mon, t.tm_mday), DateType("M", "D")
    if text == "now":
        return int(_time.time()), DateType("M", "s")
    g = re.match(r"([-+]?\d{4,})(?:-?(\d\d)(?:-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.(\d{1,18}))?)?)?(Z)?)?)?)?$", text)
    if g is None:
        raise ValueError(f'Error parsing datetime string "{text}" at position {_wrong_at(text)}')
    y, m, d, h, minute, s, part, _ = g.groups()
    if m is not None and not 1 <= int(m) <= 12:
        raise ValueError(f'Month out of range in datetime string "{text}"')
    if d is not None and not 1 <= int(d) <= _days(int(y) + int(m) // 12, int(m) % 12 + 1, 1) - _days(int(y), int(m), 1):
        raise ValueError(f'Day out of range in datetime string "{text}"')
    if h is not None and int(h) > 23 or int(minute or 0) > 59 or int(s or 0) > 59:
        raise ValueError(f'{"Hours" if int(h) > 23 else "Minutes" if int(minute or 0) > 59 else "Seconds"} out of range in datetime string "{text}"')
    if m is None:
        return int(y) - 1970, DateType("M", "Y")
    if d is None:
        return (int(y) - 1970) * 12 + int(m) - 1, DateType("M", "M")
    n, unit = _days(int(y), int(m), int(d)), "D"
    for value, name in ((h, "h"), (minute, "m"), (s, "s")):
        if value is not None:
            n, unit = n * _IN_NEXT[unit] + int(value), name
    if part is not None:
        for at in range(0, len(part), 3):
            n, unit = n * 1000 + int(part[at:at + 3].ljust(3, "0")), UNITS[UNITS.index(unit) + 1]
    return n, DateType("M", unit)


def _wrong_at(text):
    at = 0
    while at < len(text) and (text[at].isdigit() or text[at] in "-+:T. "):
        at += 1
    return _min(at, len(text) - 1)


def _iso(n, d):
    # The text of one date
    if n == NAT:
        return "NaT"
    n *= d.step
    if d.unit in ("Y", "M"):
        y, m = (1970 + n, 1) if d.unit == "Y" else (1970 + n // 12, n % 12 + 1)
        return f"{y:04d}" if d.unit == "Y" else f"{y:04d}-{m:02d}"
    if d.unit in ("W", "D"):
        y, m, day = _civil(n * 7 if d.unit == "W" else n)
        return f"{y:04d}-{m:02d}-{day:02d}"
    per_day = _ratio("D", d.unit)
    y, m, day = _civil(n // per_day)
    rest, text = n % per_day, f"{y:04d}-{m:02d}-{day:02d}T"
    at = UNITS.index(d.unit)
    seconds, part = (rest // _ratio("s", d.unit), rest % _ratio("s", d.unit)) if at > 6 else (rest * _ratio(d.unit, "s"), 0)
    text += f"{seconds // 3600:02d}"
    if at >= 5:
        text += f":{seconds // 60 % 60:02d}"
    if at >= 6:
        text += f":{seconds % 60:02d}"
    return text + (f".{part:0{3 * (at - 6)}d}" if at > 6 else "")


def _said(n, d):
    # The text of one element
    return _iso(n, d) if d.kind == "M" else "NaT" if n == NAT else str(n * d.step) if d.unit else str(n)


def _python(n, d):
    # What Python has for it: a date, a datetime or a timedelta where it can say the time, else the integer.
    import datetime
    if n == NAT:
        return None
    at = UNITS.index(d.unit) if d.unit else 99
    if d.kind == "m":
        if not 2 <= at <= 8:
            return n * d.step
        return datetime.timedelta(microseconds=n * d.step * _ratio(d.unit, "us"))
    if at > 8:
        return n
    if at <= 3:
        y, m, day = _civil(moved(n, d, DateType("M", "D")))
        return datetime.date(y, m, day)
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=n * d.step * _ratio(d.unit, "us"))


def _count(x, d):
    # (count, dtype) of what stands for one date or span; d: the dtype asked for
    import datetime
    if isinstance(x, _Scalar):
        n, own = x._n, x.dtype
    elif isinstance(x, (str, bytes)):
        x = x.decode() if isinstance(x, bytes) else str(x)
        if d.kind == "m":
            n, own = (NAT, DateType("m")) if x in ("NaT", "nat", "") else (int(x), DateType("m", d.unit, d.step))
        else:
            n, own = _parsed(x)
    elif isinstance(x, datetime.datetime):
        own = DateType("M", "us")
        n = ((_days(x.year, x.month, x.day) * 24 + x.hour) * 60 + x.minute) * 60 + x.second
        n = n * 1000000 + x.microsecond
    elif isinstance(x, datetime.date):
        n, own = _days(x.year, x.month, x.day), DateType("M", "D")
    elif isinstance(x, datetime.timedelta):
        n, own = (x.days * 86400 + x.seconds) * 1000000 + x.microseconds, DateType("m", "us")
    elif x is None:
        return NAT, d
    elif isinstance(x, bool) or not isinstance(x, (int, _np.integer)):
        raise ValueError(f"Could not convert object to NumPy {'datetime' if d.kind == 'M' else 'timedelta'}")
    else:
        if d.kind == "M" and not d.unit:
            raise ValueError("Converting an integer to a NumPy datetime requires a specified unit")
        return int(x), d
    if own.kind != d.kind and n != NAT:
        raise ValueError(f"Could not convert object to NumPy {'datetime' if d.kind == 'M' else 'timedelta'}")
    return (moved(n, own, d) if own.unit else n, d) if d.unit else (n, DateType(d.kind, own.unit, own.step))


# ---- scalars ----

class _Scalar:
    _home = "_dates"
    _kind = None

    def __new__(cls, value=None, unit=None):
        return object.__new__(cls)

    def __init__(self, value=None, unit=None):
        if isinstance(unit, (tuple, list)):
            unit = f"{unit[1] if len(unit) > 1 else ''}{unit[0]}"
        asked = DateType(self._kind, *(_unit(unit, None) if unit else ("", 1)))
        if value is None:
            value = 0 if self._kind == "m" else "NaT"
        self._n, self.dtype = _count(value, asked)

    shape, ndim, size, itemsize, nbytes = (), 0, 1, 8, 8

    def __hash__(self):
        return hash((self._n, self.dtype.str))

    def __str__(self):
        if self._kind == "M" or self._n == NAT:
            return _said(self._n, self.dtype)
        return f"{_said(self._n, self.dtype)} {_NAMES.get(self.dtype.unit, 'generic time units')}"

    def __repr__(self):
        d = self.dtype
        if self._kind == "M":
            unit = f",'{d.step if d.step > 1 else ''}{d.unit or 'generic'}'" if self._n == NAT or d.step > 1 or d.unit in ("h", "") else ""
            return f"np.datetime64('{_said(self._n, d)}'{unit})"
        n = "'NaT'" if self._n == NAT else self._n
        return f"np.timedelta64({n},'{d.unit}')" if d.unit and d.step == 1 else f"np.timedelta64({n},('{d.unit}',{d.step}))" if d.unit else \
            f"np.timedelta64({n})"

    __format__ = lambda self, spec: str(self).__format__(spec)

    def __bool__(self):
        return self._n != 0

    def __int__(self):
        return self._n

    def item(self):
        return _python(self._n, self.dtype)

    tolist = item

    def astype(self, dtype, *args, **kw):
        r = _array(self).astype(dtype, *args, **kw)
        return r[()] if r.ndim == 0 else r

    def view(self, dtype):
        return _array(self).view(dtype)[()]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(_array(self), name)


class datetime64(_Scalar):
    __module__, _kind = "numpy", "M"


class timedelta64(_Scalar):
    __module__, _kind = "numpy", "m"


def _scalar(n, d):
    s = object.__new__(d.type)
    s._n, s.dtype = int(n), d
    return s


# ---- arrays ----

def is_dated(x):
    import datetime
    return isinstance(x, (DateArray, _Scalar, datetime.date, datetime.timedelta))


def _array(x, like=None):
    # An operand as an array; numbers beside spans are counts of their unit.
    if isinstance(x, DateArray):
        return x
    if isinstance(x, _Scalar):
        return DateArray(_np.array(x._n), x.dtype)
    return made(x, like)


def made(x, dtype=None):
    # An array of what Python gives; the unit is the finest of the elements' where none is said.
    d = date_type(dtype) if dtype is not None else None
    if isinstance(x, DateArray):
        return x.copy() if d is None else x.astype(d)
    if isinstance(x, ItemArray):
        cells, shape = x._list(), x.shape
    elif isinstance(x, _np.ndarray):
        if d is None:
            raise TypeError("an array of numbers is not one of dates")
        if x.dtype.kind not in "iu":
            raise ValueError(f"Could not convert object to NumPy {'datetime' if d.kind == 'M' else 'timedelta'}")
        if d.kind == "M" and not d.unit:
            raise ValueError("Converting an integer to a NumPy datetime requires a specified unit")
        return DateArray(x.astype(_np.int64), d)
    else:
        from numpy._objects import _nested
        shape, cells = _nested(x, 64)
        if any([isinstance(c, DateArray) for c in cells]):
            return stack([made(c, d) for c in cells])
    if d is None:
        import datetime
        kinds = {c._kind if isinstance(c, _Scalar) else "M" if isinstance(c, datetime.date) else "m" for c in cells if not isinstance(c, (str, int))}
        d = DateType("M" if "M" in kinds else "m")
    pairs = [_count(c, d) for c in cells]
    for _, own in pairs:
        if not d.unit and own.unit:
            d = own
        elif own.unit:
            d = DateType(d.kind, *_finer(d, own))
    return DateArray(_np.array([moved(n, own, d) if own.unit else n for n, own in pairs], _np.int64).reshape(shape), d)


def full(shape, value, dtype):
    n, d = _count(value, date_type(dtype)) if value is not None else (0, date_type(dtype))
    return DateArray(_np.full(shape, n, _np.int64), d)


class DateArray:
    _home = "_dates"
    __hash__ = None
    __class__ = property(lambda self: _np.ndarray)

    def __init__(self, counts, dtype):
        self._n, self.dtype = counts, dtype

    shape = property(lambda self: self._n.shape)
    ndim = property(lambda self: self._n.ndim)
    size = property(lambda self: self._n.size)
    itemsize = 8
    nbytes = property(lambda self: 8 * self.size)
    strides = property(lambda self: self._n.strides)
    T = property(lambda self: DateArray(self._n.T, self.dtype))
    flat = property(lambda self: self.ravel())

    def __len__(self):
        return len(self._n)

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __getitem__(self, key):
        got = self._n[key]
        return DateArray(got, self.dtype) if isinstance(got, _np.ndarray) else _scalar(got, self.dtype)

    def __setitem__(self, key, value):
        v = made(value, self.dtype) if not isinstance(value, DateArray) else value.astype(self.dtype)
        self._n[key] = v._n

    def __contains__(self, value):
        return bool((self == value).any())

    def astype(self, dtype, copy=True):
        import datetime
        d = date_type(dtype)
        if not copy and d == self.dtype:
            return self
        if d is not None:
            if d.kind != self.dtype.kind:
                raise TypeError(f"Cannot cast NumPy {self.dtype.type.__name__} to {d.type.__name__}") if d.kind == "M" else \
                    TypeError(f"Cannot cast {self.dtype} to {d}")
            return DateArray(moved(self._n + 0, self.dtype, d), d if d.unit else self.dtype)
        if dtype is object or dtype in ("O", "object") or dtype in (datetime.datetime, datetime.date, datetime.timedelta):
            return ItemArray(_np.arange(self.size).reshape(self.shape), [_python(n, self.dtype) for n in self._n.reshape(-1).tolist()], ItemType("O"))
        if dtype is str or isinstance(dtype, str) and dtype[:1] in ("U", "<") and "U" in dtype:
            from numpy._objects import made as of_texts
            return of_texts([_said(n, self.dtype) for n in self._n.reshape(-1).tolist()], dtype).reshape(self.shape)
        return self._n.astype(dtype)

    def view(self, dtype):
        d = date_type(dtype)
        return self._n.view(dtype) if d is None else DateArray(self._n, d)

    def tolist(self):
        def nest(x):
            return [nest(v) for v in x] if isinstance(x, list) else _python(x, self.dtype)
        return nest(self._n.tolist())

    def item(self, *args):
        return _python(self._n.item(*args), self.dtype)

    def sort(self, axis=-1, kind=None, order=None, stable=None):
        self._n[...] = sort(self, axis)._n

    def argsort(self, axis=-1, kind=None, order=None, stable=None):
        return _np.argsort(_np.where(self._n == NAT, 2**63 - 1, self._n), axis, stable=True)

    def min(self, axis=None):
        return self._least(axis, _np.min)

    def max(self, axis=None):
        return self._least(axis, _np.max)

    def _least(self, axis, of):
        got = _np.where((self._n == NAT).any(axis), NAT, of(self._n, axis))
        return DateArray(got, self.dtype) if got.ndim else _scalar(got, self.dtype)

    def argmin(self, axis=None):
        return _np.argmin(self._n, axis)

    def argmax(self, axis=None):
        return _np.argmax(self._n, axis)

    def _spans(self, name):
        if self.dtype.kind == "M":
            raise TypeError(f"ufunc '{name}' cannot use operands with types {self.dtype!r} and {self.dtype!r}")

    def sum(self, axis=None):
        self._spans("add")
        return _wrapped(_np.where((self._n == NAT).any(axis), NAT, self._n.sum(axis)), self.dtype)

    def mean(self, axis=None):
        n = self.sum(axis)
        return n / (self.size if axis is None else self.shape[axis])

    def cumsum(self, axis=None):
        self._spans("add")
        return DateArray(self._n.cumsum(axis), self.dtype)

    def searchsorted(self, v, side="left", sorter=None):
        v = _array(v, self.dtype)
        return self._n.searchsorted(moved(v._n, v.dtype, self.dtype), side, sorter)

    def nonzero(self):
        return self._n.nonzero()

    def __abs__(self):
        self._spans("absolute")
        return DateArray(_np.where(self._n == NAT, NAT, abs(self._n)), self.dtype)

    def __neg__(self):
        self._spans("negative")
        return DateArray(-self._n, self.dtype)

    __pos__ = lambda self: self

    def __bool__(self):
        return bool(self._n)

    def __repr__(self):
        text = laid_out(_words(self), self.shape, ", ", len("array("), 1)
        shape = f"shape={self.shape}, " if self.size > _np.get_printoptions()["threshold"] or not self.size else ""
        last = len("array(" + text + ",") - (("array(" + text).rfind("\n") + 1)
        wraps = last + len(f"{shape}dtype='{self.dtype.name}')") + 1 > _np.get_printoptions()["linewidth"]
        return "array(" + text + "," + ("\n      " if wraps else " ") + f"{shape}dtype='{self.dtype.name}')"

    def __str__(self):
        return laid_out(_words(self), self.shape, " ", 0, 0) if self.ndim else str(self[()])


def _method(name):
    def call(self, *args, **kw):
        return DateArray(getattr(self._n, name)(*args, **kw), self.dtype)
    return call


for _name in "reshape ravel flatten transpose swapaxes squeeze repeat copy take diagonal".split():
    setattr(DateArray, _name, _method(_name))


def _words(x):
    # The elements as they stand in printed arrays
    if x.size > (o := _np.get_printoptions())["threshold"]:    # as wide as those that are shown
        edge, at = o["edgeitems"], _np.arange(x.size).reshape(x.shape)
        for axis, n in enumerate(x.shape):
            if n > 2 * edge:
                at = _np.concatenate([at.take(range(edge), axis), at.take(range(n - edge, n), axis)], axis)
        shown = set(at.reshape(-1).tolist())
    else:
        shown = range(x.size)
    words, wide, nat = [""] * x.size, 0, False
    counts = x._n.reshape(-1).tolist()
    for i in shown:
        n = counts[i]
        words[i] = "'NaT'" if n == NAT else f"'{_iso(n, x.dtype)}'" if x.dtype.kind == "M" else _said(n, x.dtype)
        wide, nat = _max(wide, len(words[i])), nat or n == NAT
    wide = _max(wide, 5) if nat else wide
    return [w.rjust(wide) for w in words]


# ---- arithmetic ----

def _wrapped(n, d):
    return DateArray(n, d) if isinstance(n, _np.ndarray) and n.ndim else _scalar(int(n), d)


def _refused(name, a, b):
    types = [v.dtype if hasattr(v, "dtype") else _np.dtype(type(v)) for v in (a, b)]
    return _np.exceptions._UFuncTypeError(f"ufunc '{name}' cannot use operands with types {types[0]!r} and {types[1]!r}")


def _counts(x, other):
    # (counts, dtype) of an operand: of numbers, counts of the other's unit as a span, None for numbers that are no counts
    if isinstance(x, (DateArray, _Scalar)):
        return x._n if isinstance(x, DateArray) else _np.array(x._n), x.dtype
    if is_dated(x):
        v = made(x)
        return v._n, v.dtype
    v = _np.asarray(x)
    if v.dtype.kind not in "iu":
        raise _refused("add", other, v)
    return v.astype(_np.int64), DateType("m", other.dtype.unit, other.dtype.step)


def _together(x, y):
    # both counts in one unit: (p, q, kinds, unit, step, NaT where)
    (p, a), (q, b) = _counts(x, y), _counts(y, x)
    unit, step = _finer(a, b)
    p, q = moved(p, a, DateType(a.kind, unit, step)), moved(q, b, DateType(b.kind, unit, step))
    return p, q, a.kind + b.kind, unit, step, (p == NAT) | (q == NAT)


def _add(x, y, minus=False):
    p, q, kinds, unit, step, bad = _together(x, y)
    if kinds == "MM" and not minus or kinds == "mM" and minus:
        raise _refused("subtract" if minus else "add", x if hasattr(x, "dtype") else made(x), y if hasattr(y, "dtype") else made(y))
    return _wrapped(_np.where(bad, NAT, p - q if minus else p + q), DateType("m" if kinds in ("MM", "mm") else "M", unit, step))


def _scaled(x, y, of):
    # a span times or by a number
    if isinstance(y, (DateArray, _Scalar)):
        x, y = y, x
    if isinstance(y, (DateArray, _Scalar)) or x.dtype.kind == "M":
        raise _refused("multiply" if of is _op.mul else "divide", x, y)
    p, v = _counts(x, x)[0], _np.asarray(y)
    n = of(p, v)
    if n.dtype.kind == "f":     # towards zero
        finite = _np.isfinite(n)
        n = _np.where(finite, _np.trunc(_np.where(finite, n, 0)).astype(_np.int64), NAT)
    return _wrapped(_np.where(p == NAT, NAT, n), x.dtype)


def _divided(x, y, of):
    if not is_dated(y):
        return _scaled(x, y, of)
    p, q, kinds, unit, step, bad = _together(x, y)
    if kinds != "mm":
        raise _refused("divide", x, y)
    if of is _op.mod:
        return _wrapped(_np.where(bad, NAT, of(p, q)), DateType("m", unit, step))
    r = of(p, q)
    return _np.where(bad, _np.nan, r)[()] if of is _op.truediv else _np.where(bad, 0, r)[()]


def _compared(name):
    of = getattr(_op, name)

    def compare(self, other):
        if isinstance(other, (list, tuple)):
            other = _np.asarray(other)
        if isinstance(other, (str, bytes, ItemArray)) or not is_dated(other) and (self.dtype.kind == "M" or other is None):
            if name in ("eq", "ne"):
                return _np.full(_np.broadcast_shapes(self.shape, getattr(other, "shape", ())), name == "ne")[()]
            return NotImplemented
        try:
            p, q, kinds, _, _, bad = _together(self, other)
        except TypeError:
            return NotImplemented
        if kinds not in ("MM", "mm"):
            return _np.full(self.shape, name == "ne")[()] if name in ("eq", "ne") else NotImplemented
        return _np.where(bad, name == "ne", of(p, q))[()]
    return compare


for _cls in (DateArray, _Scalar):
    for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(_cls, f"__{_name}__", _compared(_name))
    _cls.__add__ = lambda x, y: _add(x, y)
    _cls.__radd__ = lambda x, y: _add(y, x)
    _cls.__sub__ = lambda x, y: _add(x, y, True)
    _cls.__rsub__ = lambda x, y: _add(y, x, True)
    _cls.__mul__ = _cls.__rmul__ = lambda x, y: _scaled(x, y, _op.mul)
    _cls.__truediv__ = lambda x, y: _divided(x, y, _op.truediv)
    _cls.__floordiv__ = lambda x, y: _divided(x, y, _op.floordiv)
    _cls.__mod__ = lambda x, y: _divided(x, y, _op.mod)
    _cls.__rtruediv__ = lambda x, y: _divided(_array(y, x.dtype), x, _op.truediv)
_Scalar.__neg__ = lambda x: _scalar(-x._n, x.dtype)
_Scalar.__abs__ = lambda x: _scalar(abs(x._n), x.dtype)


# ---- functions ----

def _common(xs):
    xs = [made(x) if not isinstance(x, (DateArray, _Scalar)) else _array(x) for x in xs]
    d = xs[0].dtype
    for x in xs[1:]:
        if x.dtype.kind != d.kind:
            raise TypeError(f"The DType {type(x.dtype)} could not be promoted by {type(d)}.")
        d = DateType(d.kind, *_finer(d, x.dtype))
    return [moved(x._n, x.dtype, d) for x in xs], d


def _joins(name):
    def join(arrays, *args, **kw):
        parts, d = _common(arrays)
        return DateArray(getattr(_np, name)(parts, *args, **kw), d)
    return join


def _moves(name):
    def move(a, *args, **kw):
        x = _array(a)
        r = getattr(_np, name)(x._n, *args, **kw)
        return [DateArray(v, x.dtype) for v in r] if isinstance(r, (list, tuple)) else _wrapped(r, x.dtype)
    return move


def _plain(name):
    # whose results are no dates
    return lambda a, *args, **kw: getattr(_np, name)(_array(a)._n, *args, **kw)


concatenate, stack, vstack, hstack, dstack, column_stack = [_joins(n) for n in ("concatenate", "stack", "vstack", "hstack", "dstack", "column_stack")]
reshape, ravel, transpose, flip, roll, tile, repeat, take, delete, squeeze, expand_dims, broadcast_to, split, array_split, fliplr, flipud, \
    atleast_1d, atleast_2d, moveaxis, swapaxes, rot90, copy = [_moves(n) for n in (
        "reshape ravel transpose flip roll tile repeat take delete squeeze expand_dims broadcast_to split array_split fliplr flipud "
        "atleast_1d atleast_2d moveaxis swapaxes rot90 copy").split()]
shape, ndim, size, nonzero = [_plain(n) for n in ("shape", "ndim", "size", "nonzero")]


def argsort(a, axis=-1, kind=None, order=None, stable=None):
    return _array(a).argsort(axis)


def sort(a, axis=-1, kind=None, order=None, stable=None):
    x = _array(a)
    if axis is None:
        x, axis = x.ravel(), -1
    return DateArray(_np.take_along_axis(x._n, x.argsort(axis), axis), x.dtype)


def unique(ar, *args, **kw):
    x = _array(ar)
    r = _np.unique(x._n, *args, **kw)
    return (DateArray(r[0], x.dtype),) + tuple(r[1:]) if isinstance(r, tuple) else DateArray(r, x.dtype)


def append(arr, values, axis=None):
    if axis is None:
        return concatenate([ravel(_array(arr)), ravel(_array(values))])
    return concatenate([_array(arr), _array(values)], axis)


def isin(element, test_elements, assume_unique=False, invert=False, kind=None):
    (p, q), _ = _common([element, test_elements])
    return _np.isin(p, q, invert=invert)


def where(condition, x=None, y=None):
    (p, q), d = _common([x, y])
    return DateArray(_np.where(condition, p, q), d)


def array_equal(a1, a2, equal_nan=False):
    x, y = _array(a1), _array(a2)
    return x.shape == y.shape and bool(_np.all((x == y) | (equal_nan & isnat(x) & isnat(y))))


def searchsorted(a, v, side="left", sorter=None):
    return _array(a).searchsorted(v, side, sorter)


def diff(a, n=1, axis=-1):
    x = _array(a)
    for _ in range(n):
        at = [slice(None)] * x.ndim
        later, sooner = list(at), list(at)
        later[axis], sooner[axis] = slice(1, None), slice(None, -1)
        x = x[tuple(later)] - x[tuple(sooner)]
    return x


def _by_method(name):
    return lambda a, *args, **kw: getattr(_array(a), name)(*args, **kw)


sum, min, max, mean, argmin, argmax, cumsum = [_by_method(n) for n in "sum min max mean argmin argmax cumsum".split()]
amin, amax = min, max


def add(x, y):
    return _array(x) + y if isinstance(x, (DateArray, _Scalar)) else _add(x, y)


def subtract(x, y):
    return _add(x, y, True)


def multiply(x, y):
    return _scaled(x, y, _op.mul)


def divide(x, y):
    return _divided(x, y, _op.truediv)


true_divide = divide


def floor_divide(x, y):
    return _divided(x, y, _op.floordiv)


def absolute(x):
    return abs(x)



def _chosen(pick):
    def choose(x, y):
        (p, q), d = _common([x, y])
        return _wrapped(_np.where((p == NAT) | (q == NAT), NAT, pick(p, q)), d)
    return choose


maximum, minimum = _chosen(lambda p, q: _np.maximum(p, q)), _chosen(lambda p, q: _np.minimum(p, q))


def _ordered(name):
    of = getattr(_op, name)
    return lambda x, y: of(_array(x), y)


equal, not_equal, less, less_equal, greater, greater_equal = [_ordered(n) for n in ("eq", "ne", "lt", "le", "gt", "ge")]


def isnat(x):
    if not isinstance(x, (DateArray, _Scalar)):
        raise TypeError("ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.")
    return (_array(x)._n == NAT)[()]


def arange(start, stop, step, dtype):
    # Counts from start to stop; of dates in the finest unit of the three, of one date or span as many as it says
    d = date_type(dtype) if dtype is not None else None
    if stop is None:
        start, stop = None, start
    ends = [v for v in (start, stop) if v is not None]
    kind = d.kind if d is not None else "M" if any([isinstance(v, datetime64) or _is_date(v) for v in ends]) else "m"
    ask = d if d is not None else DateType(kind)
    if isinstance(stop, (int, _np.integer)) and start is not None and kind == "M":      # so many units
        n, own = _count(start, ask)
        bounds = [(n, own), (n + int(stop), own)]
    else:
        bounds = [_count(v, ask) for v in ends]
    if isinstance(step, timedelta64) or _is_span(step):
        by, by_type = _count(step, DateType("m"))
    else:
        by, by_type = int(step), DateType("m")
    unit, size = ask.unit, ask.step
    if not unit:
        for own in [own for _, own in bounds] + [by_type]:
            unit, size = _finer(DateType(kind, unit, size), DateType(kind if own.kind == kind else "M", own.unit, own.step)) if own.unit else (unit, size)
    d = DateType(kind, unit, size)
    counts = [moved(n, own, d) for n, own in bounds]
    by = moved(by, by_type, DateType("m", unit, size))
    if len(counts) == 1:
        counts = [0] + counts
    return DateArray(_np.arange(counts[0], counts[1], by, _np.int64), d)


def _is_date(v):
    import datetime
    return isinstance(v, datetime.date)


def _is_span(v):
    import datetime
    return isinstance(v, datetime.timedelta)


def datetime_data(dtype):
    d = date_type(dtype)
    return (d.unit or "generic", d.step)


def datetime_as_string(arr, unit=None, timezone="naive"):
    if timezone not in ("naive", "UTC"):
        raise NotImplementedError(f"datetime_as_string: timezone={timezone!r}")
    x = _array(arr)
    if unit is not None and unit != "auto":
        x = x.astype(f"M8[{unit}]")
    words = [_iso(n, x.dtype) + ("Z" if timezone == "UTC" else "") for n in x._n.reshape(-1).tolist()]
    from numpy._objects import made as of_texts, str_
    return of_texts(words).reshape(x.shape) if x.ndim else str_(words[0])
