# datetime64 and timedelta64: units, texts, arithmetic, ranges, the calendar, business days.
import datetime
import warnings

import numpy as np

warnings.simplefilter("ignore")


def said(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__)


for text in ("2005", "2005-02", "2005-02-28", "2005-02-25T03", "2005-02-25T03:30", "2005-02-25 03:30:01", "2005-02-25T03:30:01.5",
             "2005-02-25T03:30:01.000123", "2005-02-25T03:30:01.123456789", "1066-10-14", "NaT", "1969-12-31T23:59:59"):
    d = np.datetime64(text)
    print(repr(d), str(d), d.dtype, d.astype("int64"))
for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"):
    d, t = np.datetime64("2011-03-14T15:09:26.535897", unit), np.timedelta64(7, unit)
    print(unit, repr(d), str(d), repr(t), str(t), d.astype(int), (d + t), repr(t * 3), repr(-t), repr(t / 2), t // np.timedelta64(2, unit))
print(np.datetime64(20, "D"), np.datetime64("2000-02-29", "Y"), np.datetime64("1900", "D"), np.datetime64(-1, "M"))
print(repr(np.datetime64("2009-01-01") - np.datetime64("2008-01-01")), np.datetime64("2009") + np.timedelta64(20, "D"))
print(np.timedelta64(1, "W") / np.timedelta64(1, "D"), np.timedelta64(1, "W") % np.timedelta64(10, "D"), np.timedelta64(90, "m").astype("m8[h]"))
print(np.datetime64("2011-06-15T00:00") + np.timedelta64(12, "h"), np.datetime64("2011-06") == np.datetime64("2011-06-01"))
print(np.datetime64("NaT") == np.datetime64("NaT"), np.datetime64("NaT") + 1 if False else np.isnat(np.datetime64("NaT")), np.timedelta64("NaT", "D"))
print(np.datetime64("2005-02-25").item(), repr(np.datetime64("2005-02-25T03:30").item()), repr(np.timedelta64(90, "m").item()), np.datetime64(5, "ns").item())
print(np.datetime64(datetime.date(2020, 2, 29)), np.datetime64(datetime.datetime(2020, 2, 29, 12, 30)), np.timedelta64(datetime.timedelta(hours=3)))
print(hash(np.datetime64("2000-01-01")) == hash(np.datetime64("2000-01-01")), {np.datetime64("2000-01-01"): 1}[np.datetime64("2000-01-01")])
said(lambda: np.datetime64("2005-13"))
said(lambda: np.datetime64("2005-02-30"))
said(lambda: np.datetime64("soon"))
said(lambda: np.datetime64(3))
said(lambda: np.datetime64("2000", "parsec"))
said(lambda: np.datetime64("2000") + np.datetime64("2001"))
said(lambda: np.timedelta64(1, "M") + np.timedelta64(1, "D"))
said(lambda: np.array(["2000-01-01"], "M8[D]") * 2)

a = np.array(["2007-07-13", "2006-01-13", "2010-08-13"], dtype="datetime64")
print(a, repr(a), a.dtype, a.dtype.kind, a.itemsize, a.shape, repr(a.dtype))
print(np.array(["2001-01-01T12:00", "2002-02-03T13:56:03.172"], dtype="datetime64"), np.array([np.datetime64("2000"), np.datetime64("2001-05")]))
print(np.sort(a), np.argsort(a), a.min(), a.max(), a.argmax(), np.min(a), np.unique(np.array(["2000", "1999", "2000"], "M8[Y]")))
print(a - a[0], repr(a - np.datetime64("2006-01-01")), a + 1, a - np.timedelta64(1, "W"), a > np.datetime64("2007"), a == "2006-01-13")
print(a.astype("M8[M]"), a.astype("M8[Y]").astype(int) + 1970, a.astype("datetime64[M]").astype(int) % 12 + 1, (a - a.astype("M8[M]")).astype(int) + 1)
print(a.astype(str), a.tolist(), a.astype(object), a.astype("int64"), a.view("i8"))
print(np.diff(a), np.diff(np.sort(a)).astype("m8[h]"), np.concatenate([a, np.array(["2020-01-01T06"], "M8[h]")]), a.reshape(3, 1), a[::-1], a[[0, 2]])
b = a.copy()
b[1] = "NaT"
b[0] = np.datetime64("1999-12-31")
print(b, repr(b), np.isnat(b), b.max(), b == b, b.astype("M8[s]"), np.sort(b))
print(np.arange("2005-02", "2005-03", dtype="datetime64[D]"))
print(np.arange("2000", "2003", dtype="M8[M]")[::12], np.arange(np.datetime64("2000-01-01"), np.datetime64("2000-01-03"), np.timedelta64(6, "h")))
print(np.arange(0, 5, dtype="m8[D]"), np.arange("2000-01-01", 3, dtype="M8[D]"), np.zeros(2, "M8[s]"), np.zeros(2, "m8[s]"), np.full(2, "2000-01-01", "M8[D]"))
t = np.array([1, 20, 300], "m8[m]")
print(t, repr(t), t.sum(), t.mean(), t.cumsum(), t * 2, t / 2, t / np.timedelta64(1, "h"), t // np.timedelta64(7, "m"), t % np.timedelta64(7, "m"), -t, abs(-t))
print(np.where(t > np.timedelta64(5, "m"), t, np.timedelta64(0, "m")), np.isin(a, [np.datetime64("2006-01-13")]), np.searchsorted(np.sort(a), np.datetime64("2007-01-01")))
print(np.datetime_as_string(a), np.datetime_as_string(a, unit="M"), np.datetime_data("M8[25s]"), np.datetime_data(a.dtype))
print(np.issubdtype(a.dtype, np.datetime64), np.issubdtype(t.dtype, np.timedelta64), isinstance(a, np.ndarray), isinstance(a[0], np.datetime64))
print(np.arange("1970", "1990", dtype="M8[D]")[:4000:500], np.arange("1600-02-25", "1600-03-03", dtype="M8[D]"))
print(repr(np.arange("2000-01-01", "2000-01-15", dtype="M8[D]").reshape(2, 7)), np.arange("1970-01-01", "1980-01-01", dtype="M8[D]"))
x = np.array([["2000-01-01", "2001-02-03"], ["1990-05-06", "NaT"]], "M8[D]")
print(x.T, x[:, 0], x[0, 1], x.ravel(), x.shape, x.min(axis=1), len(x), [str(v) for v in x[0]])
x[0] = ["1980-01-01", "1981-01-01"]
x[:, 1] = np.datetime64("2022-02-22")
print(x, np.vstack([x, x]).shape, np.append(a, np.datetime64("2000-01-01")))

print(np.is_busday(np.datetime64("2011-07-15")), np.is_busday(np.datetime64("2011-07-16")), np.busday_count("2017-03-01", "2017-04-01"))
print(np.busday_offset("2011-06-23", [1, 2, -3]), np.busday_offset("2011-06-25", 0, roll="forward"), np.busday_offset("2012-05", 1, roll="forward", weekmask="Sun"))
print(np.busday_count("2011-07-18", "2011-07-11"), np.is_busday(a), np.busday_count("2011-07-11", "2011-07-18", holidays=["2011-07-13"]))
said(lambda: np.busday_offset("2011-06-25", 2))
