# importlib -- import by name.
import sys as _sys


def import_module(name, package=None):
    if name.startswith("."):
        if not package:
            raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
        up = len(name) - len(name.lstrip("."))
        parts = package.split(".")
        if up > len(parts):
            raise ImportError("attempted relative import beyond top-level package")
        base = ".".join(parts[:len(parts) - up + 1])
        name = base + "." + name[up:] if name[up:] else base
    __import__(name)
    return _sys.modules[name]


def invalidate_caches():
    pass


def reload(module):
    raise NotImplementedError("importlib.reload")
