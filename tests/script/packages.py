"""Packages of several files: relative imports, __all__, folders without __init__.py."""
import os
import sys
import lib_pkg.sub.b as b
import lib_pkg.late
from lib_pkg import *
import lib_loose.inner

print(f(), late.x, b.g(), lib_pkg.__name__, lib_pkg.__doc__, __doc__, __name__)
print("hidden" in globals(), lib_loose.inner.where, lib_pkg.__package__, lib_pkg.late.__package__)
print([os.path.basename(p) for p in lib_pkg.__path__], os.path.basename(lib_pkg.__file__))
print("lib_pkg.sub.b" in sys.modules, sys.modules["lib_pkg.late"] is late)
for name in ("lib_pkg.zzz", "lib_pkg.needs", "lib_pkg.late.deeper", "lib_pkg.beyond"):
    try:
        __import__(name)
    except ImportError as e:
        print(type(e).__name__, e.name)
try:
    from lib_pkg import nothing
except ImportError as e:
    print(str(e).split(" (")[0], e.name)
try:
    from lib_pkg import needs
except ImportError as e:
    print(type(e).__name__, e)
try:
    from . import x
except ImportError as e:
    print(e)
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib_pkg"))
import late as again

print(again is late, again.x)
sys.modules["blocked"] = None
try:
    import blocked
except ModuleNotFoundError as e:
    print(e.name)
try:
    open("/nonexistent/x")
except OSError as e:
    print(e, e.errno, e.strerror, e.filename, e.args, repr(e))
try:
    try:
        1 / 0
    except ZeroDivisionError as z:
        raise KeyError("x") from z
except KeyError as e:
    print(repr(e.__context__), repr(e.__cause__), e.__suppress_context__)
try:
    try:
        {}["k"]
    except KeyError:
        raise ValueError("v")
except ValueError as e:
    print(repr(e.__context__), e.__cause__, e.__suppress_context__)
