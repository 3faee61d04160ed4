# importlib.util -- what is known of a module before it is loaded, and modules made of that.
import os as _os
import sys as _sys
import types as _types

from importlib.machinery import ModuleSpec, SourceFileLoader


def spec_from_loader(name, loader, *, origin=None, is_package=None):
    return ModuleSpec(name, loader, origin=origin, is_package=is_package)


def spec_from_file_location(name, location=None, *, loader=None, submodule_search_locations=None):
    if location is None:
        return None if loader is None else ModuleSpec(name, loader)
    location = _os.path.abspath(_os.fspath(location))
    if loader is None:
        if not location.endswith(".py"):
            return None
        loader = SourceFileLoader(name, location)
    spec = ModuleSpec(name, loader, origin=location)
    spec.has_location = True
    if submodule_search_locations is not None:
        spec.submodule_search_locations = submodule_search_locations
    elif isinstance(loader, SourceFileLoader) and loader.is_package():
        spec.submodule_search_locations = [_os.path.dirname(location)]
    return spec


def _set_names(spec, module):
    module.__name__, module.__spec__, module.__loader__, module.__package__ = spec.name, spec, spec.loader, spec.parent
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    if spec.has_location:
        module.__file__ = spec.origin


def module_from_spec(spec):
    module = spec.loader.create_module(spec) if hasattr(spec.loader, "create_module") else None
    if module is None:
        module = _types.ModuleType(spec.name)
    _set_names(spec, module)
    return module


# The machine calls this for modules that a finder of the script knows.
def _fill(spec, module):
    made = spec.loader.create_module(spec) if hasattr(spec.loader, "create_module") else None
    if made is not None and made is not module:
        module = _sys.modules[spec.name] = made
    _set_names(spec, module)
    spec.loader.exec_module(module)


def _in_files(name, places):
    last = name.rpartition(".")[2]
    for folder in places:
        p = _os.path.join(folder, last)
        for f in (p + "/__init__.py", p + ".py"):
            if _os.path.isfile(f):
                return spec_from_file_location(name, f)
    return None


# What the finders know of a module, first those of the script that stand before the built-in one.
def _ask(name, path=None, target=None):
    for finder in _sys.meta_path:
        spec = (finder.find_spec(name, path, target) if hasattr(finder, "find_spec")
                else _in_files(name, _sys.path if path is None or "." not in name else path))
        if spec is not None:
            return spec
    return None


def find_spec(name, package=None):
    if name.startswith("."):
        if not package:
            raise ImportError(f"no package specified for {name} (required for relative module names)")
        name = resolve_name(name, package)
    if name in _sys.modules:
        module = _sys.modules[name]
        if module is None:
            return None
        have = getattr(module, "__spec__", None)
        if have is not None:
            return have
        where = getattr(module, "__file__", None)
        return spec_from_file_location(name, where) if where else ModuleSpec(name, None, origin="built-in")
    parent = name.rpartition(".")[0]
    spec = _ask(name, __import__(parent, fromlist=["_"]).__path__ if parent and hasattr(__import__(parent, fromlist=["_"]), "__path__") else None)
    if spec is not None:
        return spec
    try:
        __import__(name)
    except ModuleNotFoundError:
        return None
    return ModuleSpec(name, None, origin="built-in")


def resolve_name(name, package):
    if not name.startswith("."):
        return name
    up = len(name) - len(name.lstrip("."))
    bits = package.rsplit(".", up - 1)
    if len(bits) < up:
        raise ImportError("attempted relative import beyond top-level package")
    return f"{bits[0]}.{name[up:]}" if name[up:] else bits[0]
