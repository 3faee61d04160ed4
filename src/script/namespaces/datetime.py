# datetime -- dates, times and the spans between them; without zones but those of fixed offset.
import time as _time

MINYEAR, MAXYEAR = 1, 9999
_MONTHS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
_DAY_NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTH_NAMES = ["", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]


def _leap(y):
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)


def _days_in(y, m):
    return 29 if m == 2 and _leap(y) else _MONTHS[m]


def _before(y):
    y -= 1
    return y * 365 + y // 4 - y // 100 + y // 400


def _ordinal(y, m, d):
    return _before(y) + sum(_days_in(y, k) for k in range(1, m)) + d


def _from_ordinal(n):
    y = n // 366 + 1
    while _before(y + 1) < n:
        y += 1
    n -= _before(y)
    m = 1
    while n > _days_in(y, m):
        n -= _days_in(y, m)
        m += 1
    return y, m, n


class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        whole = 0
        frac = 0.0
        for name, v in zip(("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks"),
                           (days, seconds, microseconds, milliseconds, minutes, hours, weeks)):
            if not hasattr(v, "__index__") and not hasattr(v, "__float__"):
                raise TypeError(f"unsupported type for timedelta {name} component: {type(v).__name__}")
        for v, k in ((days, 86400), (seconds, 1), (minutes, 60), (hours, 3600), (weeks, 604800)):
            if isinstance(v, float):
                i = int(v * k // 1)
                whole += i * 1000000
                frac += (v * k - i) * 1000000
            else:
                whole += v * k * 1000000
        for v, k in ((microseconds, 1), (milliseconds, 1000)):
            if isinstance(v, float):
                frac += v * k
            else:
                whole += v * k
        self._us = whole + round(frac)

    @classmethod
    def _of(cls, us):
        t = cls()
        t._us = us
        return t

    @property
    def days(self):
        return self._us // 86400000000

    @property
    def seconds(self):
        return self._us % 86400000000 // 1000000

    @property
    def microseconds(self):
        return self._us % 1000000

    def total_seconds(self):
        return self._us / 1000000

    def __repr__(self):
        parts = [f"{n}={v}" for n, v in (("days", self.days), ("seconds", self.seconds), ("microseconds", self.microseconds)) if v]
        return f"datetime.timedelta({', '.join(parts) or 0})"

    def __str__(self):
        m, s = divmod(self.seconds, 60)
        h, m = divmod(m, 60)
        out = f"{h}:{m:02d}:{s:02d}"
        if self.days:
            out = f"{self.days} day{'s' if abs(self.days) != 1 else ''}, " + out
        return out + (f".{self.microseconds:06d}" if self.microseconds else "")

    def __add__(self, o):
        return timedelta._of(self._us + o._us) if isinstance(o, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, o):
        return timedelta._of(self._us - o._us) if isinstance(o, timedelta) else NotImplemented

    def __neg__(self):
        return timedelta._of(-self._us)

    def __pos__(self):
        return self

    def __abs__(self):
        return timedelta._of(abs(self._us))

    def __mul__(self, o):
        return timedelta._of(self._us * o if isinstance(o, int) else round(self._us * o)) if isinstance(o, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, o):
        if isinstance(o, timedelta):
            return self._us / o._us
        return timedelta._of(round(self._us / o)) if isinstance(o, (int, float)) else NotImplemented

    def __floordiv__(self, o):
        if isinstance(o, timedelta):
            return self._us // o._us
        return timedelta._of(self._us // o) if isinstance(o, int) else NotImplemented

    def __mod__(self, o):
        return timedelta._of(self._us % o._us) if isinstance(o, timedelta) else NotImplemented

    def __divmod__(self, o):
        return self // o, self % o

    def __eq__(self, o):
        return self._us == o._us if isinstance(o, timedelta) else NotImplemented

    def __lt__(self, o):
        return self._us < o._us if isinstance(o, timedelta) else NotImplemented

    def __le__(self, o):
        return self._us <= o._us if isinstance(o, timedelta) else NotImplemented

    def __gt__(self, o):
        return self._us > o._us if isinstance(o, timedelta) else NotImplemented

    def __ge__(self, o):
        return self._us >= o._us if isinstance(o, timedelta) else NotImplemented

    def __hash__(self):
        return hash(self._us)

    def __bool__(self):
        return self._us != 0


timedelta.min, timedelta.max, timedelta.resolution = timedelta(-999999999), timedelta._of(86399999999999999999), timedelta(microseconds=1)


class tzinfo:
    def utcoffset(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement utcoffset()")

    def dst(self, dt):
        return None if dt is None else None

    def tzname(self, dt):
        return None if dt is None else None


class timezone(tzinfo):
    def __new__(cls, offset, name=None):
        if not isinstance(offset, timedelta):
            raise TypeError(f"timezone() argument 1 must be datetime.timedelta, not {type(offset).__name__}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"timezone() argument 2 must be str, not {type(name).__name__}")
        if name is None and not offset and cls.utc is not None:
            return cls.utc
        if not -timedelta(1) < offset < timedelta(1):
            raise ValueError("offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), "
                             f"not {offset!r}.")
        self = tzinfo.__new__(cls)
        self._offset, self._name = offset, name
        return self

    utc = None

    def __reduce__(self):
        return timezone, (self._offset,) if self._name is None else (self._offset, self._name)

    def utcoffset(self, dt):
        return self._offset if dt is None or dt is not None else None

    def tzname(self, dt):
        if self._name is not None and (dt is None or dt is not None):
            return self._name
        return "UTC" if not self._offset else "UTC" + _offset_text(self._offset)

    def __eq__(self, o):
        return self._offset == o._offset if isinstance(o, timezone) else NotImplemented

    def __hash__(self):
        return hash(self._offset)

    def __str__(self):
        return self.tzname(None)

    def __repr__(self):
        name = "" if self._name is None else f", {self._name!r}"
        return "datetime.timezone.utc" if self is timezone.utc else f"datetime.timezone({self._offset!r}{name})"


timezone.utc = timezone(timedelta(0))
UTC = timezone.utc


def _offset_text(d):
    sign, d = ("-", -d) if d._us < 0 else ("+", d)
    s = d._us // 1000000
    return f"{sign}{s // 3600:02d}:{s // 60 % 60:02d}" + (f":{s % 60:02d}" if s % 60 else "")


def _check_date(y, m, d):
    if not MINYEAR <= y <= MAXYEAR:
        raise ValueError(f"year {y} is out of range")
    if not 1 <= m <= 12:
        raise ValueError("month must be in 1..12")
    if not 1 <= d <= _days_in(y, m):
        raise ValueError("day is out of range for month")


def _iso_week(y, mo, d):
    # the year whose week it is, and which
    day = _ordinal(y, mo, d)
    monday = day - (day + 6) % 7
    y = _from_ordinal(monday + 3)[0]
    first = _ordinal(y, 1, 4)
    first -= (first + 6) % 7
    return y, (monday - first) // 7 + 1


class IsoCalendarDate(tuple):
    year, week, weekday = property(lambda self: self[0]), property(lambda self: self[1]), property(lambda self: self[2])

    def __repr__(self):
        return "datetime.IsoCalendarDate(year=%d, week=%d, weekday=%d)" % (self[0], self[1], self[2])


def _format(self, fmt, t):
    out, i = "", 0
    y, mo, d, h, mi, s, us, tz = t
    wd = (_ordinal(y, mo, d) + 6) % 7
    yd = _ordinal(y, mo, d) - _ordinal(y, 1, 1) + 1
    off = self.utcoffset() if hasattr(self, "utcoffset") else None
    while i < len(fmt):
        c = fmt[i]
        i += 1
        if c != "%" or i >= len(fmt):
            out += c
            continue
        c = fmt[i]
        i += 1
        if c == "-" and i < len(fmt):
            out += _format(self, "%" + fmt[i], t).lstrip("0") or "0"
            i += 1
            continue
        v = {"Y": f"{y:04d}", "m": f"{mo:02d}", "d": f"{d:02d}", "H": f"{h:02d}", "M": f"{mi:02d}", "S": f"{s:02d}", "f": f"{us:06d}",
             "y": f"{y % 100:02d}", "B": _MONTH_NAMES[mo], "b": _MONTH_NAMES[mo][:3], "h": _MONTH_NAMES[mo][:3], "A": _DAY_NAMES[wd], "a": _DAY_NAMES[wd][:3],
             "j": f"{yd:03d}", "p": "AM" if h < 12 else "PM", "I": f"{(h + 11) % 12 + 1:02d}", "w": str((wd + 1) % 7), "u": str(wd + 1), "%": "%",
             "z": "" if off is None else _offset_text(off).replace(":", ""), "Z": "" if tz is None else tz.tzname(self),
             "G": f"{_iso_week(y, mo, d)[0]:04d}", "V": f"{_iso_week(y, mo, d)[1]:02d}",
             "U": f"{(yd + 6 - (wd + 1) % 7) // 7:02d}", "W": f"{(yd + 6 - wd) // 7:02d}", "n": "\n", "t": "\t"}.get(c)
        if v is None:
            sub = {"c": "%a %b %e %H:%M:%S %Y", "x": "%m/%d/%y", "X": "%H:%M:%S", "D": "%m/%d/%y", "T": "%H:%M:%S", "F": "%Y-%m-%d", "R": "%H:%M"}.get(c)
            v = f"{d:2d}" if c == "e" else _format(self, sub, t) if sub else "%" + c
        out += v
    return out


class date:
    def __init__(self, year, month, day):
        _check_date(year, month, day)
        self.year, self.month, self.day = year, month, day

    @classmethod
    def today(cls):
        return cls(*_time.localtime()[:3])

    @classmethod
    def fromtimestamp(cls, t):
        return cls(*_time.localtime(t)[:3])

    @classmethod
    def fromordinal(cls, n):
        return cls(*_from_ordinal(n))

    @classmethod
    def fromisoformat(cls, s):
        try:
            if len(s) == 8:
                return cls(int(s[:4]), int(s[4:6]), int(s[6:]))
            y, m, d = s.split("-")
            return cls(int(y), int(m), int(d))
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {s!r}") from None

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.weekday() + 1

    def isocalendar(self):
        return IsoCalendarDate((*_iso_week(self.year, self.month, self.day), self.weekday() + 1))

    @classmethod
    def fromisocalendar(cls, year, week, day):
        first = _ordinal(year, 1, 4)
        first -= (first + 6) % 7
        n = first + (week - 1) * 7 + day - 1
        if not 1 <= week <= 53 or _iso_week(*_from_ordinal(n - day + 1))[0] != year:
            raise ValueError(f"Invalid week: {week}")
        if not 1 <= day <= 7:
            raise ValueError(f"Invalid weekday: {day} (range is [1, 7])")
        return cls(*_from_ordinal(n))

    def isoformat(self):
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def __str__(self):
        return self.isoformat()

    def ctime(self):
        return self.strftime("%a %b %e 00:00:00 %Y")

    def strftime(self, fmt):
        return _format(self, fmt, (self.year, self.month, self.day, 0, 0, 0, 0, None))

    def __format__(self, spec):
        return self.strftime(spec) if spec else str(self)

    def timetuple(self):
        return _time.struct_time((self.year, self.month, self.day, 0, 0, 0, self.weekday(), self.toordinal() - _ordinal(self.year, 1, 1) + 1, -1))

    def replace(self, year=None, month=None, day=None):
        return type(self)(year or self.year, month or self.month, day or self.day)

    def __repr__(self):
        return f"datetime.date({self.year}, {self.month}, {self.day})"

    def _key(self):
        return (self.year, self.month, self.day)

    def _same(self, o):
        return isinstance(o, date) and isinstance(o, datetime) == isinstance(self, datetime)

    def _mixed(self, o):
        # one of them knows its zone, the other does not
        return isinstance(self, datetime) and (self.utcoffset() is None) != (o.utcoffset() is None)

    def _orders(self, o):
        if not self._same(o):
            return False
        if self._mixed(o):
            raise TypeError("can't compare offset-naive and offset-aware datetimes")
        return True

    def __eq__(self, o):
        return not self._mixed(o) and self._key() == o._key() if self._same(o) else NotImplemented

    def __lt__(self, o):
        return self._key() < o._key() if self._orders(o) else NotImplemented

    def __le__(self, o):
        return self._key() <= o._key() if self._orders(o) else NotImplemented

    def __gt__(self, o):
        return self._key() > o._key() if self._orders(o) else NotImplemented

    def __ge__(self, o):
        return self._key() >= o._key() if self._orders(o) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __add__(self, o):
        return type(self).fromordinal(self.toordinal() + o.days) if isinstance(o, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, o):
        if isinstance(o, timedelta):
            return self + timedelta(-o.days)
        return timedelta(self.toordinal() - o.toordinal()) if isinstance(o, date) else NotImplemented


class time:
    def __init__(self, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        _check_time(hour, minute, second, microsecond)
        self.hour, self.minute, self.second, self.microsecond, self.tzinfo = hour, minute, second, microsecond, tzinfo

    def isoformat(self):
        return f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}" + (f".{self.microsecond:06d}" if self.microsecond else "")

    def __str__(self):
        return self.isoformat()

    def strftime(self, fmt):
        return _format(self, fmt, (1900, 1, 1, self.hour, self.minute, self.second, self.microsecond, self.tzinfo))

    def __format__(self, spec):
        return self.strftime(spec) if spec else str(self)

    @classmethod
    def fromisoformat(cls, s):
        return cls(*_read_time(s))

    def _key(self):
        return (self.hour, self.minute, self.second, self.microsecond)

    def __eq__(self, o):
        return self._key() == o._key() if isinstance(o, time) else NotImplemented

    def __lt__(self, o):
        return self._key() < o._key() if isinstance(o, time) else NotImplemented

    def __le__(self, o):
        return self._key() <= o._key() if isinstance(o, time) else NotImplemented

    def __gt__(self, o):
        return self._key() > o._key() if isinstance(o, time) else NotImplemented

    def __ge__(self, o):
        return self._key() >= o._key() if isinstance(o, time) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        parts = [self.hour, self.minute] + ([self.second] if self.second or self.microsecond else []) + ([self.microsecond] if self.microsecond else [])
        return f"datetime.time({', '.join(str(p) for p in parts)})"



def _check_time(h, m, s, us):
    if not 0 <= h <= 23:
        raise ValueError("hour must be in 0..23")
    if not 0 <= m <= 59:
        raise ValueError("minute must be in 0..59")
    if not 0 <= s <= 59:
        raise ValueError("second must be in 0..59")
    if not 0 <= us <= 999999:
        raise ValueError("microsecond must be in 0..999999")


def _read_time(s):
    head, _, frac = s.partition(".")
    parts = [int(p) for p in head.split(":")]
    return (parts + [0, 0])[:3] + [int((frac + "000000")[:6]) if frac else 0]


class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        _check_date(year, month, day)
        _check_time(hour, minute, second, microsecond)
        self.year, self.month, self.day, self.hour, self.minute, self.second = year, month, day, hour, minute, second
        self.microsecond, self.tzinfo, self.fold = microsecond, tzinfo, fold

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_time.time(), tz)

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return cls.utcfromtimestamp(_time.time())

    @classmethod
    def fromtimestamp(cls, t, tz=None):
        us = round(t * 1000000)
        s, us = us // 1000000, us % 1000000
        if tz is not None:
            d = cls(*_time.gmtime(s)[:6], us)
            return (d + tz.utcoffset(d)).replace(tzinfo=tz)
        return cls(*_time.localtime(s)[:6], us)

    @classmethod
    def utcfromtimestamp(cls, t):
        us = round(t * 1000000)
        return cls(*_time.gmtime(us // 1000000)[:6], us % 1000000)

    @classmethod
    def fromordinal(cls, n):
        return cls(*_from_ordinal(n))

    @classmethod
    def combine(cls, date, time, tzinfo=None):
        return cls(date.year, date.month, date.day, time.hour, time.minute, time.second, time.microsecond, tzinfo or time.tzinfo)

    @classmethod
    def fromisoformat(cls, s):
        try:
            d, t, tz = s[:10], s[11:], None
            if t.endswith("Z"):
                t, tz = t[:-1], UTC
            for sign in "+-":
                if sign in t:
                    t, _, o = t.partition(sign)
                    h, m = (o.replace(":", "") + "00")[:4][:2], (o.replace(":", "") + "00")[:4][2:]
                    off = timedelta(hours=int(h), minutes=int(m))
                    tz = timezone(off if sign == "+" else -off) if off else UTC
            y, mo, day = d.split("-")
            return cls(int(y), int(mo), int(day), *(_read_time(t) if t else []), tzinfo=tz)
        except (ValueError, IndexError):
            raise ValueError(f"Invalid isoformat string: {s!r}") from None

    @classmethod
    def strptime(cls, string, format):
        import re
        groups = {"Y": r"(?P<Y>\d{4})", "m": r"(?P<m>\d{1,2})", "d": r"(?P<d>\d{1,2})", "H": r"(?P<H>\d{1,2})", "M": r"(?P<M>\d{1,2})",
                  "S": r"(?P<S>\d{1,2})", "f": r"(?P<f>\d{1,6})", "y": r"(?P<y>\d{2})", "I": r"(?P<I>\d{1,2})", "p": r"(?P<p>[AaPp][Mm])", "j": r"(?P<j>\d{1,3})",
                  "b": "(?P<b>[A-Za-z]{3})", "B": "(?P<B>[A-Za-z]+)", "a": "[A-Za-z]{3}", "A": "[A-Za-z]+", "z": r"(?P<z>Z|[+-]\d\d:?\d\d)", "Z": "[A-Za-z]+", "%": "%"}
        pattern, i = "", 0
        while i < len(format):
            if format[i] == "%" and i + 1 < len(format):
                if format[i + 1] not in groups:
                    raise ValueError(f"'{format[i + 1]}' is a bad directive in format '{format}'")
                pattern += groups[format[i + 1]]
                i += 2
            else:
                pattern += r"\s+" if format[i].isspace() else re.escape(format[i])
                i += 1
        m = re.match(pattern, string)
        if m is None:
            raise ValueError(f"time data {string!r} does not match format {format!r}")
        if m.end() != len(string):
            raise ValueError(f"unconverted data remains: {string[m.end():]}")
        g = {k: v for k, v in m.groupdict().items() if v is not None}
        year = int(g["Y"]) if "Y" in g else (int(g["y"]) + (2000 if int(g["y"]) < 69 else 1900) if "y" in g else 1900)
        month = int(g.get("m", 1))
        for k, n in (("b", 3), ("B", None)):
            if k in g:
                month = [x[:n].lower() for x in _MONTH_NAMES].index(g[k].lower())
        hour = int(g.get("H", 0))
        if "I" in g:
            hour = int(g["I"]) % 12 + (12 if g.get("p", "AM").lower() == "pm" else 0)
        tz = None
        if "z" in g:
            z = g["z"].replace(":", "")
            off = timedelta(0) if z == "Z" else timedelta(hours=int(z[1:3]), minutes=int(z[3:5])) * (1 if z[0] == "+" else -1)
            tz = timezone(off) if off else UTC
        d = cls(year, month, int(g.get("d", 1)), hour, int(g.get("M", 0)), int(g.get("S", 0)), int((g.get("f", "0") + "000000")[:6]), tz)
        return d + timedelta(int(g["j"]) - 1) if "j" in g else d

    def date(self):
        return date(self.year, self.month, self.day)

    def time(self):
        return time(self.hour, self.minute, self.second, self.microsecond)

    def timetz(self):
        return time(self.hour, self.minute, self.second, self.microsecond, self.tzinfo)

    def utcoffset(self):
        return None if self.tzinfo is None else self.tzinfo.utcoffset(self)

    def tzname(self):
        return None if self.tzinfo is None else self.tzinfo.tzname(self)

    def timestamp(self):
        if self.tzinfo is not None:
            return (self - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
        return _time.mktime(self.timetuple()) + self.microsecond / 1e6

    def astimezone(self, tz=None):
        if tz is None:
            tz = timezone(timedelta(seconds=_time.localtime(self.timestamp()).tm_gmtoff))
        here = self.utcoffset()
        if here is None:
            here = timedelta(seconds=_time.localtime(self.timestamp()).tm_gmtoff)
        plain = self.replace(tzinfo=None) - here
        return (plain + tz.utcoffset(plain)).replace(tzinfo=tz)

    def timetuple(self):
        return _time.struct_time((self.year, self.month, self.day, self.hour, self.minute, self.second, self.weekday(),
                                  self.toordinal() - _ordinal(self.year, 1, 1) + 1, -1))

    def isoformat(self, sep="T", timespec="auto"):
        s = f"{self.year:04d}-{self.month:02d}-{self.day:02d}{sep}"
        t = {"hours": f"{self.hour:02d}", "minutes": f"{self.hour:02d}:{self.minute:02d}"}.get(timespec, f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}")
        if timespec == "milliseconds":
            t += f".{self.microsecond // 1000:03d}"
        elif timespec == "microseconds" or timespec == "auto" and self.microsecond:
            t += f".{self.microsecond:06d}"
        off = self.utcoffset()
        return s + t + ("" if off is None else _offset_text(off))

    def __str__(self):
        return self.isoformat(" ")

    def ctime(self):
        return self.strftime("%a %b %e %H:%M:%S %Y")

    def strftime(self, fmt):
        return _format(self, fmt, (self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond, self.tzinfo))

    def replace(self, **changes):
        d = {k: getattr(self, k) for k in ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo")}
        d.update(changes)
        return type(self)(**d)

    def __repr__(self):
        parts = [self.year, self.month, self.day, self.hour, self.minute] + ([self.second] if self.second or self.microsecond else []) \
            + ([self.microsecond] if self.microsecond else [])
        return f"datetime.datetime({', '.join(str(p) for p in parts)}{'' if self.tzinfo is None else f', tzinfo={self.tzinfo!r}'})"

    def _us(self):
        return self.toordinal() * 86400000000 + (self.hour * 3600 + self.minute * 60 + self.second) * 1000000 + self.microsecond

    def _key(self):
        off = self.utcoffset()
        return self._us() - (0 if off is None else off._us)

    def __add__(self, o):
        if not isinstance(o, timedelta):
            return NotImplemented
        us = self._us() + o._us
        y, m, d = _from_ordinal(us // 86400000000)
        s, f = us % 86400000000 // 1000000, us % 1000000
        return type(self)(y, m, d, s // 3600, s // 60 % 60, s % 60, f, self.tzinfo)

    __radd__ = __add__

    def __sub__(self, o):
        if isinstance(o, timedelta):
            return self + -o
        if not isinstance(o, datetime):
            return NotImplemented
        if (self.tzinfo is None) != (o.tzinfo is None):
            raise TypeError("can't subtract offset-naive and offset-aware datetimes")
        return timedelta._of(self._key() - o._key())


datetime.min, datetime.max = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)
date.min, date.max = date(1, 1, 1), date(9999, 12, 31)
time.min, time.max = time(), time(23, 59, 59, 999999)
