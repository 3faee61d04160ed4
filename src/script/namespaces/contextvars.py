# contextvars -- variables whose values belong to a context; here there is one at a time in each thread.
import threading as _threading

_none = object()
_here = _threading.local()


def _values():
    if not hasattr(_here, "values"):
        _here.values = {}
    return _here.values


class Token:
    MISSING = _none

    def __init__(self, var, old_value):
        self.var, self.old_value, self._used = var, old_value, False


class ContextVar:
    def __init__(self, name, *, default=_none):
        if not isinstance(name, str):
            raise TypeError("context variable name must be a str")
        self.name, self._default = name, default

    def get(self, default=_none):
        for v in (_values().get(self, _none), default, self._default):
            if v is not _none:
                return v
        raise LookupError(self)

    def set(self, value):
        token = Token(self, _values().get(self, _none))
        _values()[self] = value
        return token

    def reset(self, token):
        if token._used:
            raise RuntimeError(f"{token!r} has already been used once")
        if token.var is not self:
            raise ValueError(f"{token!r} was created by a different ContextVar")
        token._used = True
        if token.old_value is _none:
            _values().pop(self, None)
        else:
            _values()[self] = token.old_value

    __class_getitem__ = classmethod(lambda cls, item: cls)

    def __repr__(self):
        default = "" if self._default is _none else f" default={self._default!r}"
        return f"<ContextVar name={self.name!r}{default} at {id(self):#x}>"


class Context:
    def __init__(self):
        self._values = {}

    def run(self, callable, *args, **kwargs):
        outer = _values()
        _here.values = self._values
        try:
            return callable(*args, **kwargs)
        finally:
            _here.values = outer

    def copy(self):
        c = Context()
        c._values = dict(self._values)
        return c

    def get(self, var, default=None):
        return self._values.get(var, default)

    def __getitem__(self, var):
        return self._values[var]

    def __contains__(self, var):
        return var in self._values

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def keys(self):
        return self._values.keys()

    def values(self):
        return self._values.values()

    def items(self):
        return self._values.items()


def copy_context():
    c = Context()
    c._values = dict(_values())
    return c
