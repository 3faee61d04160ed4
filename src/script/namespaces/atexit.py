# atexit -- functions that run when the program ends; the interpreter calls _run_exitfuncs.
_calls = []


def register(func, *args, **kwargs):
    _calls.append((func, args, kwargs))
    return func


def unregister(func):
    _calls[:] = [c for c in _calls if c[0] != func]


def _run_exitfuncs():
    while _calls:
        f, args, kwargs = _calls.pop()
        f(*args, **kwargs)
