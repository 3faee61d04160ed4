# collections -- OrderedDict, defaultdict, Counter, deque, namedtuple, ChainMap.
import _host

__all__ = ["ChainMap", "Counter", "OrderedDict", "UserDict", "UserList", "UserString", "defaultdict", "deque", "namedtuple"]


class OrderedDict(dict):
    def __repr__(self):
        if not self:
            return type(self).__name__ + "()"
        return type(self).__name__ + "(" + repr(list(self.items())) + ")"

    def move_to_end(self, key, last=True):
        value = self[key]
        dict.__delitem__(self, key)
        rest = [] if last else list(dict.items(self))
        if not last:
            dict.clear(self)
        dict.__setitem__(self, key, value)
        for k, v in rest:
            dict.__setitem__(self, k, v)

    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        key = next(reversed(self)) if last else next(iter(self))
        return key, self.pop(key)

    def copy(self):
        return self.__class__(self)

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return dict.__eq__(self, other) and all(map(lambda a, b: a == b, self, other))
        return dict.__eq__(self, other)

    __hash__ = None

    def __or__(self, other):
        return self.__class__({**self, **other}) if isinstance(other, dict) else NotImplemented


class defaultdict(dict):
    def __init__(self, default_factory=None, *args, **kwargs):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable or None")
        self.default_factory = default_factory
        dict.__init__(self, *args, **kwargs)

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self[key] = value
        return value

    def __repr__(self):
        return f"{type(self).__name__}({self.default_factory!r}, {dict.__repr__(self)})"

    def copy(self):
        return type(self)(self.default_factory, self)

    __copy__ = copy


class Counter(dict):
    def __init__(self, iterable=None, **kwargs):
        dict.__init__(self)
        self.update(iterable, **kwargs)

    def __missing__(self, key):
        return 0

    def update(self, iterable=None, **kwargs):
        if isinstance(iterable, dict):
            for k, n in iterable.items():
                self[k] = self.get(k, 0) + n
        elif iterable is not None:
            for k in iterable:
                self[k] = self.get(k, 0) + 1
        for k, n in kwargs.items():
            self[k] = self.get(k, 0) + n

    def subtract(self, iterable=None, **kwargs):
        other = Counter(iterable, **kwargs)
        for k, n in other.items():
            self[k] = self.get(k, 0) - n

    def most_common(self, n=None):
        items = sorted(self.items(), key=lambda kv: kv[1], reverse=True)
        return items if n is None else items[:n]

    def elements(self):
        for k, n in self.items():
            for _ in range(n):
                yield k

    def total(self):
        return sum(self.values())

    def copy(self):
        return Counter(self)

    def __add__(self, other):
        r = Counter()
        for k in list(self) + [k for k in other if k not in self]:
            n = self[k] + other[k]
            if n > 0:
                r[k] = n
        return r

    def __sub__(self, other):
        r = Counter()
        for k in list(self) + [k for k in other if k not in self]:
            n = self[k] - other[k]
            if n > 0:
                r[k] = n
        return r

    def __and__(self, other):
        r = Counter()
        for k in self:
            n = min(self[k], other[k])
            if n > 0:
                r[k] = n
        return r

    def __or__(self, other):
        r = Counter()
        for k in list(self) + [k for k in other if k not in self]:
            n = max(self[k], other[k])
            if n > 0:
                r[k] = n
        return r

    def __pos__(self):
        return Counter({k: n for k, n in self.items() if n > 0})

    def __neg__(self):
        return Counter({k: -n for k, n in self.items() if n < 0})

    def _all(self, other, holds):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(holds(self[k], other[k]) for c in (self, other) for k in c)

    def __eq__(self, other):
        return self._all(other, lambda a, b: a == b)

    def __le__(self, other):
        return self._all(other, lambda a, b: a <= b)

    def __ge__(self, other):
        return self._all(other, lambda a, b: a >= b)

    def __lt__(self, other):
        return self <= other and self != other

    def __gt__(self, other):
        return self >= other and self != other

    __hash__ = None

    def _keep(self, other):
        dict.clear(self)
        dict.update(self, other)
        return self

    def __iadd__(self, other):
        return self._keep(self + other)

    def __isub__(self, other):
        return self._keep(self - other)

    def __iand__(self, other):
        return self._keep(self & other)

    def __ior__(self, other):
        return self._keep(self | other)

    def __repr__(self):
        if not self:
            return type(self).__name__ + "()"
        return type(self).__name__ + "({" + ", ".join(f"{k!r}: {n!r}" for k, n in self.most_common()) + "})"


class deque:
    def __init__(self, iterable=(), maxlen=None):
        self._in = []
        self._out = []
        self.maxlen = maxlen
        for x in iterable:
            self.append(x)

    def _flat(self):
        if self._out:
            self._out.reverse()
            self._in = self._out + self._in
            self._out = []
        return self._in

    def append(self, x):
        if self.maxlen is not None and len(self) >= self.maxlen:
            if self.maxlen == 0:
                return
            self.popleft()
        self._in.append(x)

    def appendleft(self, x):
        if self.maxlen is not None and len(self) >= self.maxlen:
            if self.maxlen == 0:
                return
            self.pop()
        self._out.append(x)

    def pop(self):
        if not self._in:
            if not self._out:
                raise IndexError("pop from an empty deque")
            half = len(self._out) // 2
            self._in = self._out[:len(self._out) - half][::-1]
            self._out = self._out[len(self._out) - half:]
        return self._in.pop()

    def popleft(self):
        if not self._out:
            if not self._in:
                raise IndexError("pop from an empty deque")
            half = (len(self._in) + 1) // 2
            self._out = self._in[:half][::-1]
            self._in = self._in[half:]
        return self._out.pop()

    def extend(self, iterable):
        for x in list(iterable):
            self.append(x)

    def extendleft(self, iterable):
        for x in list(iterable):
            self.appendleft(x)

    def rotate(self, n=1):
        items = self._flat()
        if items:
            n %= len(items)
            self._in = items[len(items) - n:] + items[:len(items) - n]

    def clear(self):
        self._in = []
        self._out = []

    def copy(self):
        return deque(self, self.maxlen)

    def count(self, x):
        return self._flat().count(x)

    def index(self, x, *limits):
        if x not in self._flat():
            raise ValueError(f"{x!r} is not in deque")
        return self._flat().index(x, *limits)

    def remove(self, x):
        if x not in self._flat():
            raise ValueError(f"{x!r} is not in deque")
        self._flat().remove(x)

    def reverse(self):
        self._flat().reverse()

    def insert(self, i, x):
        if self.maxlen is not None and len(self) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self._flat().insert(i, x)

    def __len__(self):
        return len(self._in) + len(self._out)

    def __iter__(self):
        return iter(list(self._flat()))

    def __reversed__(self):
        return iter(self._flat()[::-1])

    def __contains__(self, x):
        return x in self._in or x in self._out

    def __getitem__(self, i):
        if i < -len(self) or i >= len(self):
            raise IndexError("deque index out of range")
        if i < 0:
            i += len(self)
        n = len(self._out)
        return self._out[n - 1 - i] if i < n else self._in[i - n]

    def __setitem__(self, i, x):
        if i < -len(self) or i >= len(self):
            raise IndexError("deque index out of range")
        self._flat()[i] = x

    def __delitem__(self, i):
        del self._flat()[i]

    def __eq__(self, other):
        return list(self) == list(other) if isinstance(other, deque) else NotImplemented

    def __add__(self, other):
        return deque(list(self) + list(other), self.maxlen)

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __mul__(self, n):
        return deque(list(self) * n, self.maxlen)

    __rmul__ = __mul__

    def __imul__(self, n):
        items = list(self) * n
        self.clear()
        self.extend(items)
        return self

    def _ordered(self, other, holds):
        return holds(list(self), list(other)) if isinstance(other, deque) else NotImplemented

    def __lt__(self, other):
        return self._ordered(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._ordered(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._ordered(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._ordered(other, lambda a, b: a >= b)

    __hash__ = None

    def __repr__(self):
        if self.maxlen is None:
            return f"{type(self).__name__}({self._flat()!r})"
        return f"{type(self).__name__}({self._flat()!r}, maxlen={self.maxlen})"


def _field(i):
    return property(lambda self: tuple.__getitem__(self, i), doc=f"Alias for field number {i}")


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    from keyword import iskeyword
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    fields = list(field_names)
    seen = set()
    for i, name in enumerate(fields):
        if rename and (not isinstance(name, str) or not name.isidentifier() or iskeyword(name) or
                       name.startswith("_") or name in seen):
            fields[i] = f"_{i}"
        seen.add(name)
    fields = tuple(fields)
    seen = set()
    for i, name in enumerate(fields):
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"Type names and field names must be valid identifiers: {name!r}")
        if iskeyword(name):
            raise ValueError(f"Type names and field names cannot be a keyword: {name!r}")
        if name.startswith("_") and not (rename and name == f"_{i}"):
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
        if name in seen:
            raise ValueError(f"Encountered duplicate field name: {name!r}")
        seen.add(name)
    defaults = tuple(defaults) if defaults is not None else ()
    if len(defaults) > len(fields):
        raise TypeError("Got more default values than field names")
    given = dict(zip(fields[len(fields) - len(defaults):], defaults))
    if module is None:
        module = _host.caller(1)[3].get("__name__", "__main__")
    return _namedtuple(typename, fields, given, module)


def _namedtuple(typename, fields, given, module="__main__"):
    n = len(fields)

    def __new__(cls, *args, **kwargs):
        if len(args) > n:
            least = n - len(__new__.__defaults__ or ()) + 1
            takes = f"from {least} to {n + 1}" if least <= n else n + 1
            raise TypeError(f"{typename}.__new__() takes {takes} positional argument{'' if n == 0 else 's'} but {len(args) + 1} were given")
        values = list(args)
        missing = []
        for i in range(len(args), n):
            name, late = fields[i], __new__.__defaults__ or ()      # which programs set
            if name in kwargs:
                values.append(kwargs.pop(name))
            elif i >= n - len(late):
                values.append(late[i - n])
            else:
                missing.append(repr(name))
        if kwargs:
            name = next(iter(kwargs))
            if name in fields:
                raise TypeError(f"{typename}.__new__() got multiple values for argument {name!r}")
            raise TypeError(f"{typename}.__new__() got an unexpected keyword argument {name!r}")
        if missing:
            s = "" if len(missing) == 1 else "s"
            raise TypeError(f"{typename}.__new__() missing {len(missing)} required positional argument{s}: " + " and ".join(missing))
        return tuple.__new__(cls, values)
    __new__.__defaults__ = tuple(given.values())

    def __repr__(self):
        return self.__class__.__name__ + "(" + ", ".join(f"{k}={v!r}" for k, v in zip(fields, self)) + ")"

    def _asdict(self):
        return dict(zip(fields, self))

    def _replace(self, **kwargs):
        values = [kwargs.pop(k, v) for k, v in zip(fields, self)]
        if kwargs:
            raise ValueError(f"Got unexpected field names: {list(kwargs)!r}")
        return tuple.__new__(self.__class__, values)

    def _make(cls, iterable):
        values = tuple(iterable)
        if len(values) != n:
            raise TypeError(f"Expected {n} arguments, got {len(values)}")
        return tuple.__new__(cls, values)

    space = {
        "__new__": staticmethod(__new__), "__repr__": __repr__, "_asdict": _asdict,
        "_replace": _replace, "_make": classmethod(_make), "_fields": fields, "__getnewargs__": lambda self: tuple(self),
        "_field_defaults": given, "__match_args__": fields, "__module__": module,
    }
    for i, name in enumerate(fields):
        space[name] = _field(i)
    return type(typename, (tuple,), space)


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for m in self.maps:
            if key in m:
                return m[key]
        raise KeyError(key)

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __contains__(self, key):
        return any(key in m for m in self.maps)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __iter__(self):
        d = {}
        for m in reversed(self.maps):
            d.update(dict.fromkeys(m))
        return iter(d)

    def __len__(self):
        return len(set().union(*self.maps))

    def __bool__(self):
        return any(self.maps)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self.maps))})"

    def __eq__(self, other):
        if not isinstance(other, (dict, ChainMap)):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    __hash__ = None

    def __delitem__(self, key):
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def keys(self):
        return dict.fromkeys(self).keys()

    def values(self):
        return {k: self[k] for k in self}.values()

    def items(self):
        return {k: self[k] for k in self}.items()

    def pop(self, key, *default):
        if key not in self.maps[0] and not default:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        return self.maps[0].pop(key, *default)

    def popitem(self):
        if not self.maps[0]:
            raise KeyError("No keys found in the first mapping.")
        return self.maps[0].popitem()

    def clear(self):
        self.maps[0].clear()

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, *args, **kwargs):
        for k, v in dict(*args, **kwargs).items():
            self[k] = v

    def copy(self):
        return type(self)(self.maps[0].copy(), *self.maps[1:])

    __copy__ = copy

    def new_child(self, m=None, **kwargs):
        return type(self)(kwargs if m is None else {**m, **kwargs} if kwargs else m, *self.maps)

    @property
    def parents(self):
        return type(self)(*self.maps[1:])


def __getattr__(name):
    # UserDict .. stand on collections.abc, which few programs need
    if name in ("UserDict", "UserList", "UserString"):
        from collections import _user
        return getattr(_user, name)
    raise AttributeError(f"module 'collections' has no attribute {name!r}")
