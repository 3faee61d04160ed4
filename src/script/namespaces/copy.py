# copy -- shallow and deep copies.
class Error(Exception):
    pass


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
    elif cls is dict:
        y = {}
        memo[key] = y
        for k, v in x.items():
            y[deepcopy(k, memo)] = deepcopy(v, memo)
    elif cls is set or cls is frozenset:
        y = cls([deepcopy(v, memo) for v in x])
    elif isinstance(x, type) or (callable(x) and not hasattr(x, "__dict__")):
        return x
    elif cls.__name__ in ("module", "method", "generator"):
        return x
    else:
        y = _rebuild(x, cls, memo)
    memo[key] = y
    return y
