# email.utils -- dates and addresses as messages and servers write them.
import datetime as _datetime
import re as _re
import time as _time

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ZONES = {"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "AST": -400, "ADT": -300, "EST": -500, "EDT": -400, "CST": -600, "CDT": -500,
          "MST": -700, "MDT": -600, "PST": -800, "PDT": -700}
_DATE = _re.compile(r"\s*(?:[A-Za-z]+,?\s+)?(\d{1,2})[\s-]+([A-Za-z]{3})[A-Za-z]*[\s-]+(\d{2,4})"
                    r"\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s+([+-]\d{4}|[A-Za-z]+))?")


def _parsed(data):
    m = _DATE.match(data) if data else None
    if m is None or m[2].capitalize() not in _MONTHS:
        return None
    year = int(m[3])
    if year < 100:
        year += 1900 if year > 68 else 2000
    zone = m[7]
    if zone is not None and zone[0] in "+-":
        hours = int(zone)
        # no zone is known where "-0000" stands
        seconds = None if zone == "-0000" else (abs(hours) // 100 * 3600 + abs(hours) % 100 * 60) * (-1 if hours < 0 else 1)
    else:
        hours = _ZONES.get(zone.upper()) if zone else None
        seconds = None if hours is None else hours * 36
    return (year, _MONTHS.index(m[2].capitalize()) + 1, int(m[1]), int(m[4]), int(m[5]), int(m[6] or 0), 0, 1, -1, seconds)


def parsedate_tz(data):
    t = _parsed(data)
    return t and t[:9] + (t[9] or 0,)


def parsedate(data):
    t = _parsed(data)
    return None if t is None else t[:9]


def mktime_tz(data):
    t = _datetime.datetime(*data[:6], tzinfo=_datetime.timezone.utc)
    return int(_time.mktime(data[:8] + (-1,))) if data[9] is None else int(t.timestamp()) - data[9]


def parsedate_to_datetime(data):
    t = _parsed(data)
    if t is None:
        raise ValueError("Invalid date value or format \"%s\"" % str(data))
    if t[9] is None:
        return _datetime.datetime(*t[:6])
    return _datetime.datetime(*t[:6], tzinfo=_datetime.timezone(_datetime.timedelta(seconds=t[9])))


def _written(t, zone):
    return "%s, %02d %s %04d %02d:%02d:%02d %s" % (_DAYS[t.weekday()], t.day, _MONTHS[t.month - 1], t.year, t.hour, t.minute,
                                                   t.second, zone)


def format_datetime(dt, usegmt=False):
    if usegmt:
        if dt.tzinfo is None or dt.tzinfo != _datetime.timezone.utc:
            raise ValueError("usegmt option requires a UTC datetime")
        return _written(dt, "GMT")
    return _written(dt, "-0000" if dt.tzinfo is None else dt.strftime("%z"))


def formatdate(timeval=None, localtime=False, usegmt=False):
    t = _datetime.datetime.fromtimestamp(_time.time() if timeval is None else timeval, _datetime.timezone.utc)
    if localtime:
        return format_datetime(t.astimezone())
    return format_datetime(t if usegmt else t.replace(tzinfo=None), usegmt)


def formataddr(pair, charset="utf-8"):
    name, address = pair
    address.encode("ascii")
    if not name:
        return address
    if not name.isascii():
        raise NotImplementedError("email.utils.formataddr: a name outside of ASCII")
    quotes = '"' if _re.search(r'[][\\()<>@,:;".]', name) else ""
    return "%s%s%s <%s>" % (quotes, _re.sub(r'[\\"]', r"\\\g<0>", name), quotes, address)


def parseaddr(addr):
    m = _re.fullmatch(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^"<>(),]*?))\s*<([^<>\s,]+)>\s*', addr)
    if m is not None:
        return (_re.sub(r"\\(.)", r"\1", m[1]) if m[1] is not None else " ".join(m[2].split()), m[3])
    m = _re.fullmatch(r"\s*([^\s<>()\",;]+)\s*", addr)
    if m is None:
        raise NotImplementedError(f"email.utils.parseaddr: an address like {addr!r}")
    return "", m[1]
