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
