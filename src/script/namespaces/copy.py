# copy -- shallow and deep copies.
import copyreg as _copyreg


class Error(Exception):
    pass


error = Error
_HOOKS = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")


def copy(x):
    cls = type(x)
    fn = getattr(cls, "__copy__", None)
    if fn is not None:
        return fn(x)
    if cls in (int, float, complex, bool, str, bytes, tuple, range, type(None), type(copy), type, frozenset, type(len)):
        return x
    if cls is list:
        return x[:]
    if cls in (dict, set):
        return x.copy()
    if isinstance(x, (int, float, str, bytes, type)):
        return x
    return _rebuild(x, cls, None)


def _rebuild(x, cls, memo):
    deep = memo is not None
    if any([hasattr(cls, hook) for hook in _HOOKS]) or cls in _copyreg.dispatch_table or isinstance(x, (int, float, str, bytes)):
        return _by_hooks(x, cls, memo)
    if cls.__name__ in ("generator", "module", "TextIOWrapper") or cls.__module__ == "threading" and "Lock" in cls.__name__:
        raise TypeError(f"cannot pickle '{cls.__name__}' object")
    if cls is slice:
        parts = (x.start, x.stop, x.step)
        return slice(*(deepcopy(parts, memo) if deep else parts))
    if isinstance(x, tuple):
        y = tuple.__new__(cls, [deepcopy(v, memo) for v in x] if deep else list(x))
    elif callable(x) and not hasattr(x, "__dict__"):
        return x
    else:
        y = object.__new__(cls)
    if deep:
        memo[id(x)] = y
    if isinstance(x, dict):
        for k, v in x.items():
            dict.__setitem__(y, deepcopy(k, memo) if deep else k, deepcopy(v, memo) if deep else v)
    elif isinstance(x, list):
        y.extend([deepcopy(v, memo) for v in x] if deep else x)
    elif isinstance(x, bytearray):
        y.extend(x)
    elif isinstance(x, set):
        y.update([deepcopy(v, memo) for v in x] if deep else x)
    if isinstance(x, BaseException):
        y.args = x.args
    try:
        state = x.__dict__
    except AttributeError:
        return y
    for k, v in state.items():
        y.__dict__[k] = deepcopy(v, memo) if deep else v
    return y


def _by_hooks(x, cls, memo):
    # as the class says: (function, arguments, state, items of a list, items of a dict)
    import pickle
    reduce = _copyreg.dispatch_table.get(cls)
    apart = reduce(x) if reduce is not None else pickle.taken_apart(x, cls, 4)
    if isinstance(apart, str):
        return x
    fn, args, state, items, pairs = (*apart, None, None, None)[:5]
    each = _same if memo is None else lambda v: deepcopy(v, memo)
    y = fn(*[each(a) for a in args])
    if memo is not None:
        memo[id(x)] = y
    if state is not None:
        state = each(state)
        if hasattr(y, "__setstate__"):
            y.__setstate__(state)
        else:
            own, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
            if own:
                y.__dict__.update(own)
            for k, v in (slots or {}).items():
                setattr(y, k, v)
    for v in items or ():
        y.append(each(v))
    for k, v in pairs or ():
        y[each(k)] = each(v)
    return y


def _same(x):
    return x


def deepcopy(x, memo=None):
    cls = type(x)
    if cls in (int, float, complex, bool, str, bytes, range, type(None), type(copy), type, type(len)):
        return x
    if memo is None:
        memo = {}
    key = id(x)
    if key in memo:
        return memo[key]
    memo.setdefault("keep", []).append(x)
    fn = getattr(cls, "__deepcopy__", None)
    if fn is not None:
        y = fn(x, memo)
    elif cls is list:
        y = []
        memo[key] = y
        for v in x:
            y.append(deepcopy(v, memo))
    elif cls is tuple:
        y = tuple([deepcopy(v, memo) for v in x])
        if key in memo:     # it holds itself
            return memo[key]
        if all([a is b for a, b in zip(x, y)]):
            y = x
    elif cls is dict:
        y = {}
        memo[key] = y
        for k, v in x.items():
            y[deepcopy(k, memo)] = deepcopy(v, memo)
    elif cls is set or cls is frozenset:
        y = cls([deepcopy(v, memo) for v in x])
    elif isinstance(x, type) or (callable(x) and not hasattr(x, "__dict__")):
        return x
    elif cls.__name__ == "method":
        y = x.__func__.__get__(deepcopy(x.__self__, memo))
    else:
        y = _rebuild(x, cls, memo)
    memo[key] = y
    return y
