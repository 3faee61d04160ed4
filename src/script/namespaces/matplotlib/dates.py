# matplotlib.dates -- times as days since 1970.
import datetime as _datetime

from matplotlib._ticks import days as _days


def date2num(d):
    import numpy as np
    return np.array([_days(v) for v in d]) if hasattr(d, "__len__") else _days(d)


def num2date(x, tz=None):
    if tz is not None:
        raise NotImplementedError("num2date: times of UTC")
    if hasattr(x, "__len__"):
        return [num2date(v) for v in x]
    return _datetime.datetime(1970, 1, 1, tzinfo=_datetime.timezone.utc) + _datetime.timedelta(seconds=round(float(x) * 86400))


class DateFormatter:
    def __init__(self, fmt, tz=None, *, usetex=None):
        if tz is not None or usetex:
            raise NotImplementedError("DateFormatter: times of UTC, as plain text")
        self.fmt = fmt

    def __call__(self, x, pos=0):
        return num2date(x).strftime(self.fmt)
