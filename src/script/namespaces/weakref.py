# weakref -- what of it is written in the language itself; ref is script/weak.c. Collections forget what has died when it
# dies, also while they are walked over: they are walked over by copies.
from collections.abc import MutableMapping, MutableSet

ReferenceType = ref


class WeakMethod(ref):
    # of a bound method: its object and function, each weakly
    def __init__(self, meth, callback=None):
        if not hasattr(meth, "__self__"):
            raise TypeError(f"argument should be a bound method, not {type(meth)}")
        ref.__init__(self, meth.__self__, callback)
        self._self, self._func = ref(meth.__self__), ref(meth.__func__)

    def __call__(self):
        obj, func = self._self(), self._func()
        return None if obj is None or func is None else func.__get__(obj)


def getweakrefcount(object):
    raise NotImplementedError("weakref.getweakrefcount")


class WeakValueDictionary(MutableMapping):
    def __init__(self, other=(), /, **kwargs):
        self.data = {}
        self.update(other, **kwargs)

    def __setitem__(self, key, value):
        data = self.data

        def gone(r):
            if data.get(key) is r:
                del data[key]
        data[key] = ref(value, gone)

    def __getitem__(self, key):
        value = self.data[key]()
        if value is None:
            raise KeyError(key)
        return value

    def __delitem__(self, key):
        del self.data[key]

    def __len__(self):
        return len(self.data)

    def __contains__(self, key):
        return key in self.data and self.data[key]() is not None

    def __iter__(self):
        for key, r in list(self.data.items()):
            if r() is not None:
                yield key

    keys = __iter__

    def items(self):
        for key, r in list(self.data.items()):
            value = r()
            if value is not None:
                yield key, value

    def values(self):
        for _, value in self.items():
            yield value

    def valuerefs(self):
        return list(self.data.values())

    itervaluerefs = valuerefs

    def copy(self):
        return type(self)(self)

    __copy__ = copy

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"


class WeakKeyDictionary(MutableMapping):
    def __init__(self, dict=None):
        self.data = {}
        if dict is not None:
            self.update(dict)

    def __setitem__(self, key, value):
        data = self.data
        self.data[ref(key, lambda r: data.pop(r, None))] = value

    def __getitem__(self, key):
        return self.data[ref(key)]

    def __delitem__(self, key):
        del self.data[ref(key)]

    def __len__(self):
        return len(self.data)

    def __contains__(self, key):
        try:
            return ref(key) in self.data
        except TypeError:
            return False

    def items(self):
        for r, value in list(self.data.items()):
            key = r()
            if key is not None:
                yield key, value

    def __iter__(self):
        for key, _ in self.items():
            yield key

    keys = __iter__

    def values(self):
        for _, value in self.items():
            yield value

    def keyrefs(self):
        return list(self.data)

    def copy(self):
        return type(self)(self)

    __copy__ = copy

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"


class WeakSet(MutableSet):
    def __init__(self, data=None):
        self.data = set()
        for x in data or ():
            self.add(x)

    def add(self, item):
        data = self.data
        data.add(ref(item, lambda r: data.discard(r)))

    def discard(self, item):
        self.data.discard(ref(item))

    def update(self, other):
        for x in other:
            self.add(x)

    def clear(self):
        self.data.clear()

    def copy(self):
        return type(self)(self)

    def __len__(self):
        return len(self.data)

    def __contains__(self, item):
        try:
            return ref(item) in self.data
        except TypeError:
            return False

    def __iter__(self):
        for r in list(self.data):
            item = r()
            if item is not None:
                yield item

    @classmethod
    def _from_iterable(cls, it):
        return cls(it)

    def union(self, other):
        made = type(self)(self)
        made.update(other)
        return made

    def __repr__(self):
        return repr(self.data)


class finalize:
    _all = {}       # those that wait, so that nobody else has to keep them

    def __init__(self, obj, func, /, *args, **kwargs):
        self._ref, self._call, self.atexit = ref(obj, self), (func, args, kwargs), True
        if not finalize._all:
            import atexit
            atexit.register(finalize._at_exit)
        finalize._all[self] = True

    @classmethod
    def _at_exit(cls):
        for f in reversed(list(cls._all)):
            if f.atexit:
                f()

    @property
    def alive(self):
        return self in finalize._all

    def __call__(self, _=None):
        if finalize._all.pop(self, None):
            f, args, kwargs = self._call
            return f(*args, **kwargs)

    def detach(self):
        obj = self._ref()
        if finalize._all.pop(self, None):
            return (obj, *self._call)

    def peek(self):
        obj = self._ref()
        return (obj, *self._call) if self in finalize._all else None


def _target(p):
    obj = object.__getattribute__(p, "_ref")()
    if obj is None:
        raise ReferenceError("weakly-referenced object no longer exists")
    return obj


class ProxyType:
    def __init__(self, obj, callback=None):
        object.__setattr__(self, "_ref", ref(obj, callback))

    def __getattribute__(self, name):
        return getattr(_target(self), name)

    def __setattr__(self, name, value):
        setattr(_target(self), name, value)

    def __delattr__(self, name):
        delattr(_target(self), name)

    def __str__(self):
        return str(_target(self))

    def __repr__(self):
        t = _target(self)
        return f"<weakproxy at {id(self):#x} to {type(t).__name__} at {id(t):#x}>"

    def __bool__(self):
        return bool(_target(self))

    def __len__(self):
        return len(_target(self))

    def __getitem__(self, key):
        return _target(self)[key]

    def __setitem__(self, key, value):
        _target(self)[key] = value

    def __delitem__(self, key):
        del _target(self)[key]

    def __contains__(self, item):
        return item in _target(self)

    def __iter__(self):
        return iter(_target(self))

    def __next__(self):
        return next(_target(self))

    def __call__(self, *args, **kwargs):
        return _target(self)(*args, **kwargs)

    def __eq__(self, other):
        return _target(self) == (_target(other) if type(other) is ProxyType else other)

    def __lt__(self, other):
        return _target(self) < (_target(other) if type(other) is ProxyType else other)

    def __add__(self, other):
        return _target(self) + other

    def __sub__(self, other):
        return _target(self) - other

    def __mul__(self, other):
        return _target(self) * other

    def __truediv__(self, other):
        return _target(self) / other

    def __matmul__(self, other):
        return _target(self) @ other

    __hash__ = None


CallableProxyType = ProxyType
ProxyTypes = (ProxyType,)


def proxy(object, callback=None, /):
    return ProxyType(object, callback)
