# six.moves -- names that Python 3 has elsewhere.
import builtins as _builtins
import io as _io

range = xrange = _builtins.range
zip, map, filter, input = _builtins.zip, _builtins.map, _builtins.filter, _builtins.input
StringIO = cStringIO = _io.StringIO
_ATTRIBUTES = {"reduce": ("functools", "reduce"), "zip_longest": ("itertools", "zip_longest"), "getcwd": ("os", "getcwd"),
               "shlex_quote": ("shlex", "quote"), "reload_module": ("importlib", "reload"), "UserDict": ("collections", "UserDict"),
               "UserList": ("collections", "UserList"), "UserString": ("collections", "UserString")}
_MODULES = {"cPickle": "pickle", "queue": "queue", "builtins": "builtins", "copyreg": "copyreg", "urllib_parse": "urllib.parse",
            "configparser": "configparser"}


def intern(string):
    return string


def _module(name):
    __import__(name)
    return __import__("sys").modules[name]


def __getattr__(name):
    if name in _ATTRIBUTES:
        where, what = _ATTRIBUTES[name]
        return getattr(_module(where), what)
    if name in _MODULES:
        return _module(_MODULES[name])
    raise AttributeError(f"module 'six.moves' has no attribute '{name}'")
