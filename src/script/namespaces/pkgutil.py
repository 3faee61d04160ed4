# pkgutil -- what lies in packages: their data, their modules.
import importlib as _importlib
import os as _os
import sys as _sys
from collections import namedtuple as _namedtuple

ModuleInfo = _namedtuple("ModuleInfo", "module_finder name ispkg")


def _folder(package):
    file = getattr(_importlib.import_module(package), "__file__", None)
    return None if file is None else _os.path.dirname(file)


def get_data(package, resource):
    folder = _folder(package)
    if folder is None:
        return None
    with open(_os.path.join(folder, *resource.split("/")), "rb") as f:
        return f.read()


def iter_modules(path=None, prefix=""):
    if isinstance(path, str):
        raise ValueError("path must be None or list of paths to look for modules in")
    seen = set()
    for folder in _sys.path if path is None else path:
        folder = folder or "."
        for entry in sorted(_os.listdir(folder)) if _os.path.isdir(folder) else ():
            name, ext = _os.path.splitext(entry)
            ispkg = not ext and _os.path.isfile(_os.path.join(folder, entry, "__init__.py"))
            if (ispkg or ext == ".py") and name != "__init__" and name not in seen:
                seen.add(name)
                yield ModuleInfo(None, prefix + name, ispkg)


def walk_packages(path=None, prefix="", onerror=None):
    for info in iter_modules(path, prefix):
        yield info
        if info.ispkg:
            try:
                module = _importlib.import_module(info.name)
            except Exception as e:
                if onerror is not None:
                    onerror(info.name)
                elif not isinstance(e, ImportError):
                    raise
            else:
                yield from walk_packages(list(module.__path__), info.name + ".", onerror)


def extend_path(path, name):
    # a package in several folders: each folder of sys.path that has one of that name adds its own
    if not isinstance(path, list):
        return path
    out = list(path)
    for folder in _sys.path:
        more = _os.path.join(folder, *name.split("."))
        if isinstance(folder, str) and more not in out and _os.path.isfile(_os.path.join(more, "__init__.py")):
            out.append(more)
    return out


def resolve_name(name):
    if ":" in name:
        module, _, rest = name.partition(":")
        x, parts = _importlib.import_module(module), rest.split(".") if rest else []
    else:
        parts = name.split(".")
        module = parts.pop(0)
        x = _importlib.import_module(module)
        while parts:
            try:
                x = _importlib.import_module(module + "." + parts[0])
            except ImportError:
                break
            module += "." + parts.pop(0)
    for part in parts:
        x = getattr(x, part)
    return x
