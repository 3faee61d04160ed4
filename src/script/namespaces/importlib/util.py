# importlib.util -- is there such a module?
import os as _os
import sys as _sys


class _Spec:
    def __init__(self, name, origin=None):
        self.name, self.origin, self.loader, self.submodule_search_locations = name, origin, None, None


def find_spec(name, package=None):
    if package is not None and name.startswith("."):
        name = package + name
    if name in _sys.modules:
        return _Spec(name, getattr(_sys.modules[name], "__file__", None))
    top, _, rest = name.partition(".")
    for folder in _sys.path:
        p = _os.path.join(folder, name.replace(".", "/"))
        for f in (p + "/__init__.py", p + ".py"):
            if _os.path.isfile(f):
                return _Spec(name, f)
    try:
        __import__(name)
        return _Spec(name)
    except ModuleNotFoundError:
        return None
