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
    from importlib import util
    name = module.__spec__.name if getattr(module, "__spec__", None) is not None else module.__name__
    if _sys.modules.get(name) is not module:
        raise ImportError(f"module {name} not in sys.modules")
    spec = util._ask(name, getattr(module, "__path__", None), module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"spec not found for the module {name!r}", name=name)
    util._fill(spec, module)
    return _sys.modules[name]
