# stage_both.py -- rewrite a program so that its functions run by _stage/ instead of by the machine, where that does not
# refuse them: stage_both.py IN OUT. Every definition at the margin gets a decorator, unless it has one (whose
# function is the one that is written, not what stands for it); STAGE says which half runs:
#
#   vm      the machine, behind the same decorator
#   find    _stage; names of functions that it refuses, in whatever call, go to the file STAGE_REFUSED
#   stage   _stage, but for the functions named in that file, which the machine runs
#
# A refusal comes after a part of the function has run, so what find prints is of no use; what stage prints must be what vm prints.
import sys

PRELUDE = '''import functools as _functools, os as _os
from _stage import Stage as _Stage
from _stage.number import Refuse as _Refuse
import _torch as _w

_mode = _os.environ["STAGE"]
_file = _os.environ["STAGE_REFUSED"]
_refused = set()
if _mode == "stage" and _os.path.exists(_file):
    with open(_file) as _f:
        _refused = set(_f.read().split())


def _both(f):
    @_functools.wraps(f)
    def run(*args, **kwargs):
        if _mode == "vm" or f.__name__ in _refused:
            return f(*args, **kwargs)
        try:
            return _Stage(_w, "tensor").call(f, args, kwargs)
        except _Refuse:
            _refused.add(f.__name__)
            with open(_file, "a") as out:
                out.write(f.__name__ + "\\n")
            return f(*args, **kwargs)
    return run


'''

with open(sys.argv[1]) as f:
    lines = f.read().split("\n")
out = []
for line in lines:
    if line.startswith("def ") and not (out and out[-1].startswith("@")):
        out.append("@_both")
    out.append(line)
with open(sys.argv[2], "w") as f:
    f.write(PRELUDE + "\n".join(out))
