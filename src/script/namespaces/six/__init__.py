# six -- one source for Python 2 and 3: this is 3.
import builtins as _builtins
import io as _io
import operator as _operator

PY2, PY3, PY34 = False, True, True
__version__ = "1.17.0"
string_types, integer_types, class_types, text_type, binary_type = (str,), (int,), (type,), str, bytes
MAXSIZE = 9223372036854775807
StringIO, BytesIO = _io.StringIO, _io.BytesIO
unichr, int2byte, byte2int = chr, lambda i: bytes([i]), lambda bs: bs[0]
get_function_code, get_method_function = _operator.attrgetter("__code__"), _operator.attrgetter("__func__")
next = advance_iterator = _builtins.next
Iterator = object


def iterkeys(d, **kw):
    return iter(d.keys(**kw))


def itervalues(d, **kw):
    return iter(d.values(**kw))


def iteritems(d, **kw):
    return iter(d.items(**kw))


def viewkeys(d):
    return d.keys()


def viewvalues(d):
    return d.values()


def viewitems(d):
    return d.items()


def b(s):
    return s.encode("latin-1")


def u(s):
    return s


def indexbytes(buf, i):
    return buf[i]


def iterbytes(buf):
    return iter(buf)


def ensure_str(s, encoding="utf-8", errors="strict"):
    return s.decode(encoding, errors) if isinstance(s, bytes) else s


ensure_text = ensure_str


def ensure_binary(s, encoding="utf-8", errors="strict"):
    return s.encode(encoding, errors) if isinstance(s, str) else s


def print_(*args, **kwargs):
    print(*args, **kwargs)


def reraise(tp, value, tb=None):
    raise tp() if value is None else value


def raise_from(value, from_value):
    raise value from from_value


def with_metaclass(meta, *bases):
    return meta("temporary_class", bases, {})


def add_metaclass(metaclass):
    def made(cls):
        body = {k: v for k, v in cls.__dict__.items() if k not in ("__dict__", "__weakref__")}
        return metaclass(cls.__name__, cls.__bases__, body)
    return made


def wraps(wrapped):
    import functools
    return functools.wraps(wrapped)


def python_2_unicode_compatible(cls):
    return cls


def callable(obj):
    return hasattr(obj, "__call__")


def exec_(code, globs=None, locs=None):
    exec(code, globs, locs)
