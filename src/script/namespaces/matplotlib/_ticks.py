# matplotlib._ticks -- round numbers in a range, and how they are written.
import math as _math


def linear(low, high, most, steps=(1, 2, 2.5, 5, 10)):
    # the finest of the steps that gives no more than `most` intervals
    span = high - low
    if not span > 0 or not _math.isfinite(span):
        return [low]
    raw = span / max(most, 1)
    power = 10.0 ** _math.floor(_math.log10(raw))
    step = None
    for scale in (power, power * 10):
        for s in steps:
            if step is None and s * scale >= raw * (1 - 1e-10):
                step = s * scale
    first = _math.ceil(low / step - 1e-10)
    out = []
    while (first + len(out)) * step <= high + step * 1e-10:
        out.append((first + len(out)) * step)
    return out


def logarithmic(low, high, base=10.0):
    a, b = _math.ceil(_math.log(low) / _math.log(base) - 1e-9), _math.floor(_math.log(high) / _math.log(base) + 1e-9)
    stride = max(1, (b - a) // 9 + (1 if (b - a) % 9 and b - a > 9 else 0))
    return [base ** k for k in range(a, b + 1, stride)]


def small_logarithmic(low, high):
    a, b = _math.floor(_math.log10(low)), _math.ceil(_math.log10(high))
    if b - a > 10:
        return []
    return [k * 10.0 ** p for p in range(a, b + 1) for k in range(2, 10) if low <= k * 10.0 ** p <= high]


def _minus(text):
    return text.replace("-", "\u2212")


def texts(ticks):
    # (a text for each, the factor that all are multiples of as a text, or "")
    big = max([abs(t) for t in ticks] + [0])
    if not big or not _math.isfinite(big):
        return [_minus(f"{t:g}") for t in ticks], ""
    power, factor = _math.floor(_math.log10(big)), ""
    if power >= 7 or power <= -5:
        ticks, factor = [t / 10.0 ** power for t in ticks], _minus(f"1e{power}")
    step = min([b - a for a, b in zip(ticks, ticks[1:])] or [abs(ticks[0]) or 1])
    digits = 0
    while digits < 10 and any([abs(round(t, digits) - t) > step * 1e-3 for t in ticks]):
        digits += 1
    return [_minus(f"{round(t, digits) + 0.0:.{digits}f}") for t in ticks], factor


def log_texts(ticks):
    out = []
    for t in ticks:
        p = round(_math.log10(t))
        out.append(("10", _minus(str(p))) if abs(_math.log10(t) - p) < 1e-9 else (f"{t:g}", ""))
    return out


def symmetric(low, high, threshold):
    # powers of ten on both sides, and 0
    most = max(abs(low), abs(high), threshold * 10)
    first, last = _math.ceil(_math.log10(threshold) - 1e-9), _math.floor(_math.log10(most) + 1e-9)
    stride = max(1, -(-(last - first + 1) // 5))
    powers = [10.0 ** k for k in range(first, last + 1, stride)]
    return [t for t in [-p for p in powers[::-1]] + [0.0] + powers if low <= t <= high]


def symmetric_texts(ticks):
    return [("0", "") if t == 0 else (_minus("-10" if t < 0 else "10"), log_texts([abs(t)])[0][1]) for t in ticks]


def logit(low, high):
    powers = [10.0 ** -k for k in range(1, 12)]
    return [t for t in sorted(powers + [0.5] + [1 - p for p in powers[:8]]) if low <= t <= high]


def logit_texts(ticks):
    return [("0.5", "") if t == 0.5 else log_texts([t])[0] if t < 0.5 else ("1\u221210", log_texts([1 - t])[0][1]) for t in ticks]


def days(value):
    # a date or a time as days since 1970
    import datetime
    if isinstance(value, datetime.datetime):
        return (value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)).total_seconds() / 86400
    return float(value.toordinal() - 719163)


def dates(low, high):
    # (ticks, texts): the longest of the usual steps that gives five or more
    import datetime
    zero, ticks = datetime.datetime(1970, 1, 1), []

    def when(d):
        return zero + datetime.timedelta(seconds=round(d * 86400))
    first, last, span = when(low), when(high), high - low
    if span > 5 * 366:
        step = next(n for n in (1, 2, 4, 5, 10, 20, 40, 50, 100, 200, 400, 500, 1000) if span / 365.25 <= n * 10 or n == 1000)
        ticks = [datetime.datetime(y, 1, 1) for y in range(first.year - first.year % step, last.year + 1, step) if y > 0]
        form = "%Y"
    elif span > 5 * 31:
        step = next(n for n in (1, 2, 3, 4, 6) if span / 30.5 <= n * 11 or n == 6)
        ticks = [datetime.datetime(y, m, 1) for y in range(first.year, last.year + 1) for m in range(1, 13, step)]
        form = "%Y-%m"
    elif span > 5:
        step = next(n for n in (1, 2, 3, 7, 14, 21) if span <= n * 10 or n == 21)
        marked = {7: (1, 8, 15, 22), 14: (1, 15), 21: (1, 22)}.get(step, tuple(range(1, 32, step)))
        ticks = [t for t in [when(d) for d in range(_math.floor(low), _math.ceil(high) + 1)] if t.day in marked]
        form = "%Y-%m-%d"
    else:
        hours = span > 5 / 24
        steps = [n * 60 for n in (1, 2, 3, 4, 6, 12)] if hours else (1, 5, 10, 15, 30)
        step = next(n for n in steps if span * 1440 <= n * (11 if hours else 10) or n == steps[-1]) / 1440
        ticks = [when(k * step) for k in range(_math.ceil(low / step), _math.floor(high / step) + 1)]
        form = "%m-%d %H" if hours else "%d %H:%M"
    return [days(t) for t in ticks], [t.strftime(form) for t in ticks]
