# unittest.util -- how values and test cases are written in messages.
from collections import Counter as _Counter

_MAX_LENGTH = 80
_PLACEHOLDER_LEN, _MIN_BEGIN_LEN, _MIN_END_LEN, _MIN_COMMON_LEN = 12, 5, 5, 5
_MIN_DIFF_LEN = _MAX_LENGTH - (_MIN_BEGIN_LEN + _PLACEHOLDER_LEN + _MIN_COMMON_LEN + _PLACEHOLDER_LEN + _MIN_END_LEN)


def safe_repr(obj, short=False):
    try:
        text = repr(obj)
    except Exception:
        text = object.__repr__(obj)
    return text if not short or len(text) < _MAX_LENGTH else text[:_MAX_LENGTH] + " [truncated]..."


def _shorten(s, begin, end):
    skip = len(s) - begin - end
    return "%s[%d chars]%s" % (s[:begin], skip, s[len(s) - end:]) if skip > _PLACEHOLDER_LEN else s


def _common(texts):
    n = 0
    while all(len(t) > n for t in texts) and len({t[n] for t in texts}) == 1:
        n += 1
    return texts[0][:n]


# The texts of two values, with what they have in common at their beginnings and ends cut short.
def _common_shorten_repr(*args):
    args = tuple(safe_repr(a) for a in args)
    longest = max(len(a) for a in args)
    if longest <= _MAX_LENGTH:
        return args
    prefix = _common(args)
    n = len(prefix)
    common_len = _MAX_LENGTH - (longest - n + _MIN_BEGIN_LEN + _PLACEHOLDER_LEN)
    if common_len > _MIN_COMMON_LEN:
        prefix = _shorten(prefix, _MIN_BEGIN_LEN, common_len)
        return tuple(prefix + a[n:] for a in args)
    prefix = _shorten(prefix, _MIN_BEGIN_LEN, _MIN_COMMON_LEN)
    return tuple(prefix + _shorten(a[n:], _MIN_DIFF_LEN, _MIN_END_LEN) for a in args)


def strclass(cls):
    return "%s.%s" % (cls.__module__, cls.__qualname__)


# Elements of two sequences that have not the same count: (count in first, in second, element).
def _count_diff(first, second):
    try:
        a, b = _Counter(first), _Counter(second)
        return ([(n, b.get(x, 0), x) for x, n in a.items() if n != b.get(x, 0)]
                + [(0, n, x) for x, n in b.items() if x not in a])
    except TypeError:
        pass
    a, b, out = list(first), list(second), []
    seen = []
    for x in a + b:
        if any(x == y for y in seen):
            continue
        seen.append(x)
        n, m = sum(y == x for y in a), sum(y == x for y in b)
        if n != m:
            out.append((n, m, x))
    return out
