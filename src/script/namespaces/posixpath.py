# posixpath -- os.path, by its own name.
import os as _os
import sys as _sys

_sys.modules["posixpath"] = _os.path
