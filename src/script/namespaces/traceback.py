# traceback -- the text of exceptions and the places they passed.
import sys as _sys


class FrameSummary:
    def __init__(self, filename, lineno, name, line=None):
        self.filename, self.lineno, self.name, self.line = filename, lineno, name, line

    def __iter__(self):
        return iter((self.filename, self.lineno, self.name, self.line))

    def __getitem__(self, i):
        return (self.filename, self.lineno, self.name, self.line)[i]

    def __repr__(self):
        return f"<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>"


def _line(file, n):
    import _host
    text = _host.text_of(file)
    lines = text.split("\n") if text is not None else []
    return lines[n - 1].strip() if 0 < n <= len(lines) else ""


def extract_tb(tb, limit=None):
    places = [] if tb is None else tb._places
    if limit is not None:
        places = places[:limit] if limit >= 0 else places[limit:]
    return [FrameSummary(f, n, name, _line(f, n)) for f, n, name in places]


def format_list(frames):
    out = []
    for f, n, name, line in frames:
        s = f'  File "{f}", line {n}, in {name}\n'
        out.append(s + (f"    {line}\n" if line else ""))
    return out


def format_tb(tb, limit=None):
    return format_list(extract_tb(tb, limit))


def format_exception_only(exc, value=None):
    e = value if value is not None else exc
    c = type(e)
    name = c.__qualname__
    if c.__module__ not in ("builtins", "__main__", None):
        name = f"{c.__module__}.{name}"
    text = str(e.msg if isinstance(e, SyntaxError) else e)
    return [f"{name}: {text}\n" if text else f"{name}\n"]


def _before(e):
    # what e came of, and the words between; each exception of a chain comes once, though it may lead back to itself
    if e.__cause__ is not None:
        return e.__cause__, "\nThe above exception was the direct cause of the following exception:\n\n"
    if e.__context__ is not None and not e.__suppress_context__:
        return e.__context__, "\nDuring handling of the above exception, another exception occurred:\n\n"
    return None, ""


def format_exception(exc, value=None, tb=None, limit=None, chain=True):
    e = value if value is not None else exc
    parts, seen = [], set()
    while e is not None:
        seen.add(id(e))
        tb = tb if tb is not None else e.__traceback__
        own = ["Traceback (most recent call last):\n"] + format_tb(tb, limit) if tb is not None else []
        parts.append(own + format_exception_only(e))
        e, words = _before(e) if chain else (None, "")
        if e is not None and id(e) in seen:
            e = None
        if e is not None:
            parts.append([words])
        tb = None
    return [s for part in reversed(parts) for s in part]


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True):
    (file or _sys.stderr).write("".join(format_exception(exc, value, tb, limit, chain)))


def format_exc(limit=None, chain=True):
    e = _sys.exc_info()[1]
    return "NoneType: None\n" if e is None else "".join(format_exception(e, None, None, limit, chain))


def print_exc(limit=None, file=None, chain=True):
    (file or _sys.stderr).write(format_exc(limit, chain))


def print_tb(tb, limit=None, file=None):
    (file or _sys.stderr).write("".join(format_tb(tb, limit)))


def extract_stack(f=None, limit=None):
    import _host
    if f is not None:
        raise NotImplementedError("extract_stack: a frame")
    out, k = [], 1
    while True:
        c = _host.caller(k)
        if c is None:
            break
        out.insert(0, FrameSummary(c[0], c[1], c[2], _line(c[0], c[1])))
        k += 1
    return out if limit is None else out[-limit:]


def format_stack(f=None, limit=None):
    return format_list(extract_stack(f, limit))


def print_stack(f=None, limit=None, file=None):
    (file or _sys.stderr).write("".join(format_stack(f, limit)))
