# numpy._business -- which days are worked on, and counts of them.
import numpy as _np
from numpy._dates import NAT, DateArray, DateType, _array, _civil, _wrapped


class busdaycalendar:
    # Which days of the week are worked on, and which days are holidays
    def __init__(self, weekmask="1111100", holidays=None):
        if isinstance(weekmask, str):
            names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
            text = weekmask.replace(" ", "")
            mask = [c == "1" for c in text] if len(text) == 7 and not text.strip("01") else [n in text for n in names]
            if not any(mask) or text.strip("01") and "".join(sorted(text)) != "".join(sorted("".join([n for n in names if n in text]))):
                raise ValueError(f'Invalid business day weekmask string "{weekmask}"')
        else:
            mask = [bool(v) for v in weekmask]
        self.weekmask = _np.array(mask)
        days = set(() if holidays is None else _array(holidays, DateType("M", "D")).astype("M8[D]")._n.reshape(-1).tolist())
        self._free = {n for n in days if n != NAT and mask[(n + 3) % 7]}
        self._mask = mask

    @property
    def holidays(self):
        return DateArray(_np.array(sorted(self._free), _np.int64), DateType("M", "D"))

    def works(self, n):
        return self._mask[(n + 3) % 7] and n not in self._free


def _asked(weekmask, holidays, busdaycal):
    return busdaycal if busdaycal is not None else busdaycalendar(weekmask, holidays)


def _by_days(fn, *xs):
    # fn of day numbers, over arrays that are spread to one shape
    parts = [x if isinstance(x, _np.ndarray) and not isinstance(x, DateArray) else _array(x, DateType("M", "D")).astype("M8[D]")._n for x in xs]
    spread = _np.broadcast_arrays(*parts)
    return [fn(*row) for row in zip(*[p.reshape(-1).tolist() for p in spread])], spread[0].shape


def is_busday(dates, weekmask="1111100", holidays=None, busdaycal=None):
    days = _asked(weekmask, holidays, busdaycal)
    r, shape = _by_days(lambda n: n != NAT and days.works(n), dates)
    return _np.array(r, bool).reshape(shape)[()]


def busday_count(begindates, enddates, weekmask="1111100", holidays=None, busdaycal=None):
    days = _asked(weekmask, holidays, busdaycal)

    def count(a, b):
        if a > b:
            return -len([n for n in range(b + 1, a + 1) if days.works(n)])
        return len([n for n in range(a, b) if days.works(n)])
    r, shape = _by_days(count, begindates, enddates)
    return _np.array(r, _np.int64).reshape(shape)[()]


def busday_offset(dates, offsets, roll="raise", weekmask="1111100", holidays=None, busdaycal=None):
    days = _asked(weekmask, holidays, busdaycal)

    def move(n, by):
        if n == NAT:
            return NAT
        if not days.works(n):
            if roll == "raise":
                raise ValueError("Non-business day date in busday_offset")
            if roll == "nat":
                return NAT
            step, month = (1 if roll in ("forward", "following", "modifiedfollowing") else -1), _civil(n)[1]
            first = n
            while not days.works(n):
                n += step
            if roll.startswith("modified") and _civil(n)[1] != month:
                n = first
                while not days.works(n):
                    n -= step
        for _ in range(by if by > 0 else -by):
            n += 1 if by > 0 else -1
            while not days.works(n):
                n += 1 if by > 0 else -1
        return n
    r, shape = _by_days(move, dates, _np.asarray(offsets))
    return _wrapped(_np.array(r, _np.int64).reshape(shape), DateType("M", "D"))
