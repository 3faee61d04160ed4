# warnings -- messages about what is doubtful: filters say which are shown, once, always, never, or raised.
import sys

# (action, pattern of the message or None, class, pattern of the module or None, line), first match counts
filters = []
defaultaction = "default"
onceregistry = {}
_version = [0]


def _start():
    filters[:] = [("default", None, DeprecationWarning, "__main__", 0), ("ignore", None, DeprecationWarning, None, 0),
                  ("ignore", None, PendingDeprecationWarning, None, 0), ("ignore", None, ImportWarning, None, 0),
                  ("ignore", None, ResourceWarning, None, 0)]


_start()


class WarningMessage:
    def __init__(self, message, category, filename, lineno, file=None, line=None, source=None):
        self.message, self.category, self.filename, self.lineno = message, category, filename, lineno
        self.file, self.line, self.source = file, line, source
        self._category_name = category.__name__ if category else None

    def __str__(self):
        return "{message : %r, category : %r, filename : %r, lineno : %s, line : %r}" % (
            self.message, self._category_name, self.filename, self.lineno, self.line)


def formatwarning(message, category, filename, lineno, line=None):
    if line is None:
        import _host
        text = _host.text_of(filename)
        lines = text.split("\n") if text is not None else []
        line = lines[lineno - 1] if 0 < lineno <= len(lines) else ""
    line = line.strip()
    return f"{filename}:{lineno}: {category.__name__}: {message}\n" + (f"  {line}\n" if line else "")


def _to_stream(message, category, filename, lineno, file=None, line=None):
    file = sys.stderr if file is None else file
    if file is not None:
        file.write(formatwarning(message, category, filename, lineno, line))


showwarning = _to_stream
_showwarnmsg = None # while warnings are recorded


def _show(m):
    if _showwarnmsg is not None and showwarning is _to_stream:
        _showwarnmsg(m)
    else:
        showwarning(m.message, m.category, m.filename, m.lineno, m.file, m.line)


def _fits(pattern, text):
    if pattern is None:
        return True
    import re
    return re.match(pattern, text, re.I) is not None if isinstance(pattern, str) else pattern.match(text) is not None


def warn_explicit(message, category, filename, lineno, module=None, registry=None, module_globals=None, source=None):
    registry = {} if registry is None else registry
    if registry.get("version", 0) != _version[0]:
        registry.clear()
        registry["version"] = _version[0]
    if isinstance(message, Warning):
        text, category = str(message), message.__class__
    else:
        text, message = message, category(message)
    key = (text, category, lineno)
    if registry.get(key):
        return
    module = module or filename or "<unknown>"
    for action, pattern, kind, where, line in filters:
        if ((pattern is None or _fits(pattern, text)) and issubclass(category, kind)
                and (where is None or where == module or _fits(where, module)) and line in (0, lineno)):
            break
    else:
        action = defaultaction
    if action == "ignore":
        return
    if action == "error":
        raise message
    if action == "once":
        registry[key] = True
        if onceregistry.get((text, category)):
            return
        onceregistry[(text, category)] = True
    elif action == "module":
        registry[key] = True
        if registry.get((text, category, 0)):
            return
        registry[(text, category, 0)] = True
    elif action == "default":
        registry[key] = True
    elif action != "always":
        raise RuntimeError(f"Unrecognized action ({action!r}) in warnings.filters:\n {(action,)}")
    _show(WarningMessage(message, category, filename, lineno, source=source))


# The place is that of the caller; frames of what is built in are no place.
def warn(message, category=None, stacklevel=1, source=None, *, skip_file_prefixes=()):
    if isinstance(message, Warning):
        category = message.__class__
    if category is None:
        category = UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{type(category).__name__}'")
    frame = sys._getframe(1)
    for _ in range(stacklevel - 1):
        frame = frame.f_back if frame is not None else None
    while frame is not None and frame.f_code.co_filename.startswith("<") and frame.f_back is not None:
        frame = frame.f_back
    if frame is None:
        g, filename, lineno = sys.__dict__, "sys", 1
    else:
        g, filename, lineno = frame.f_globals, frame.f_code.co_filename, frame.f_lineno
    registry = g.setdefault("__warningregistry__", {})
    warn_explicit(message, category, filename, lineno, g.get("__name__", "<string>"), registry, g, source)


_ACTIONS = ("error", "ignore", "always", "default", "module", "once")


def _add(item, append):
    if append:
        if item not in filters:
            filters.append(item)
    else:
        if item in filters:
            filters.remove(item)
        filters.insert(0, item)
    _version[0] += 1


def simplefilter(action, category=Warning, lineno=0, append=False):
    if action not in _ACTIONS:
        raise AssertionError(f"invalid action: {action!r}")
    _add((action, None, category, None, lineno), append)


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    if action not in _ACTIONS:
        raise AssertionError(f"invalid action: {action!r}")
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise AssertionError("category must be a Warning subclass")
    _add((action, message or None, category, (module + r"\Z") if module else None, lineno), append)


def resetwarnings():
    filters[:] = []
    _version[0] += 1


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
        self._record, self._filter = record, None if action is None else (action, category, lineno, append)
        self._entered = False

    def __enter__(self):
        global showwarning, _showwarnmsg
        if self._entered:
            raise RuntimeError(f"Cannot enter {self!r} twice")
        self._entered = True
        self._was = list(filters), showwarning, _showwarnmsg
        _version[0] += 1
        if self._filter is not None:
            simplefilter(*self._filter)
        if not self._record:
            return None
        log = []
        _showwarnmsg, showwarning = log.append, _to_stream
        return log

    def __exit__(self, *exc):
        global showwarning, _showwarnmsg
        if not self._entered:
            raise RuntimeError(f"Cannot exit {self!r} without entering first")
        filters[:], showwarning, _showwarnmsg = self._was
        _version[0] += 1
        return False


class deprecated:
    def __init__(self, message, /, *, category=DeprecationWarning, stacklevel=1):
        self.message, self.category, self.stacklevel = message, category, stacklevel

    def __call__(self, arg, /):
        import functools

        @functools.wraps(arg)
        def warned(*args, **kwargs):
            if self.category is not None:
                warn(self.message, self.category, self.stacklevel + 1)
            return arg(*args, **kwargs)
        warned.__deprecated__ = self.message
        return warned
