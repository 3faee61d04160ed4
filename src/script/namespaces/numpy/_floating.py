# numpy._floating -- what is done where numbers overflow or are divided by 0: errstate, seterr and their kin. Nobody is warned
# (numpy's own way, "warn", is silent here); what is to raise, print, call or be logged is looked for after each operation.
import _numpy as _w

_KINDS = ("divide", "over", "under", "invalid")
_TEXTS = {"divide": "divide by zero", "over": "overflow", "under": "underflow", "invalid": "invalid value"}
_FLAGS = {"divide": 1, "over": 2, "under": 4, "invalid": 8}
_modes = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_called = [None]
watching = [None]   # what functions call after each operation: fn(name, operands, result)

# Operators by the engine's names of their steps.
_NAMES = {"sub": "subtract", "mul": "multiply", "div": "divide", "floor_div": "floor_divide", "pow": "power"}
_AT_POLES = ("log", "log2", "log10", "log1p", "arctanh", "atanh", "reciprocal")


def _dividing(name, xs, new):
    # Where a new infinity is one over 0.
    if name in ("divide", "true_divide", "floor_divide", "remainder", "mod", "fmod", "divmod"):
        return _w.logical_and(new, xs[1] == 0)
    if name in ("power", "float_power", "pow"):
        return _w.logical_and(new, xs[0] == 0)
    return new if name in _AT_POLES else _w.zeros_like(new)


def _under(name, xs, r):
    # Where a result is too small for its dtype, but for zeros of zeros.
    from numpy import finfo
    small = _w.abs(r) < finfo(r.dtype).tiny
    if name in ("multiply", "square"):
        exact = [x == 0 for x in xs]
    elif name in ("divide", "true_divide"):
        exact = [xs[0] == 0, _w.is_inf(xs[1])]
    elif name in ("exp", "exp2"):
        exact = [_w.is_inf(xs[0])]
    elif name in ("power", "float_power", "pow"):
        exact = [xs[0] == 0, _w.is_inf(xs[0]), _w.is_inf(xs[1])]
    else:
        return _w.zeros_like(small)
    for e in exact:
        small = _w.logical_and(small, _w.logical_not(e))
    return small


def _found(name, xs, r):
    # The kinds of what went wrong, in NumPy's order.
    if r.dtype.kind not in "fc":
        if name in ("floor_divide", "remainder", "mod", "fmod", "divmod") and r.dtype.kind in "iu" and bool(_w.any(xs[1] == 0)):
            return ["divide"]
        return []
    nan, inf = _w.is_nan(r), _w.is_inf(r)
    for x in xs:
        if x.dtype.kind in "fc":
            nan, inf = _w.logical_and(nan, _w.logical_not(_w.is_nan(x))), _w.logical_and(inf, _w.logical_not(_w.is_inf(x)))
    divided = _dividing(name, xs, inf)
    found = {"divide": divided, "over": _w.logical_and(inf, _w.logical_not(divided)), "invalid": nan}
    if r.dtype.kind == "f" and _modes["under"] != "ignore":
        found["under"] = _under(name, xs, r)
    return [k for k in _KINDS if k in found and bool(_w.any(found[k]))]


def _told(name, args, result):
    if isinstance(result, tuple):
        for r in result:
            _told(name, args, r)
        return
    r = _w.wrap(result)
    if r.size == 0 or _w.about(r, "symbolic"):
        return
    xs = [_w.wrap(a) for a in args]
    found = _found(name, xs, r)
    flags = sum([_FLAGS[kind] for kind in found])
    for kind in found:
        mode = _modes[kind]
        text = f"{_TEXTS[kind]} encountered in {'scalar ' if all([x.ndim == 0 for x in xs]) and name in _SCALARS else ''}{name}"
        if mode == "raise":
            raise FloatingPointError(text)
        if mode == "print":
            print("Warning: " + text)
        elif mode == "call":
            if _called[0] is None:
                raise NameError(f"python callback specified for {_TEXTS[kind]} (in  {name}) but no function found.")
            _called[0](_TEXTS[kind], flags)
        elif mode == "log":
            if _called[0] is None:
                raise NameError(f"log specified for {_TEXTS[kind]} (in {name}) but no object with write method found.")
            _called[0].write("Warning: " + text + "\n")


_SCALARS = ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power")


def _operator(name, x, y, result):
    if name in ("add", "remainder") or name in _NAMES:
        _told(_NAMES.get(name, name), (x, y), result)


def _settle():
    looks = any([m in ("raise", "print", "call", "log") for m in _modes.values()])
    watching[0] = _told if looks else None
    _w.set_watcher(_operator if looks else None)


def geterr():
    return dict(_modes)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    old, new = geterr(), {}
    for k, v in zip(_KINDS, (divide, over, under, invalid)):
        v = all if v is None else v
        if v is not None:
            if v not in ("ignore", "warn", "raise", "call", "print", "log"):
                raise ValueError(f"invalid error mode {v!r}")
            new[k] = v
    _modes.update(new)
    _settle()
    return old


def seterrcall(func):
    if func is not None and not callable(func) and not hasattr(func, "write"):
        raise ValueError("python object must be callable or have a callable write method")
    old, _called[0] = _called[0], func
    return old


def geterrcall():
    return _called[0]


_KEPT = object()


class errstate:
    def __init__(self, *, call=_KEPT, all=None, divide=None, over=None, under=None, invalid=None):
        self._given = dict(all=all, divide=divide, over=over, under=under, invalid=invalid)
        self._call = call

    def __enter__(self):
        if self._call is not _KEPT:
            self._called = seterrcall(self._call)
        self._old = seterr(**self._given)

    def __exit__(self, *exc):
        _modes.update(self._old)
        if self._call is not _KEPT:
            seterrcall(self._called)
        _settle()

    def __call__(self, fn):
        def inside(*args, **kwargs):
            with errstate(call=self._call, **self._given):
                return fn(*args, **kwargs)
        return __import__("functools").wraps(fn)(inside)
