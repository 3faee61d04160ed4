# collections.abc -- abstract classes of containers: by registration, or by the methods a class has.
from abc import ABC as _Plain


class ABC(_Plain):
    @classmethod
    def __class_getitem__(cls, item):
        from _generic import GenericAlias
        return GenericAlias(cls, item)


def _has(cls, *names):
    for n in names:
        if not any(n in c.__dict__ and c.__dict__[n] is not None for c in cls.__mro__ if c is not object):
            return NotImplemented
    return True


def _gen():
    yield


_GENERATOR = type(_gen())


class Hashable(ABC):
    @classmethod
    def __subclasshook__(cls, c):
        if cls is not Hashable:
            return NotImplemented
        return not issubclass(c, (list, dict, set, bytearray)) and all(k.__dict__.get("__hash__", 0) is not None for k in c.__mro__[:-1])


class Sized(ABC):
    @classmethod
    def __subclasshook__(cls, c):
        return _has(c, "__len__") if cls is Sized else NotImplemented


class Container(ABC):
    @classmethod
    def __subclasshook__(cls, c):
        return _has(c, "__contains__") if cls is Container else NotImplemented


class Iterable(ABC):
    @classmethod
    def __subclasshook__(cls, c):
        return _has(c, "__iter__") if cls is Iterable else NotImplemented


class Iterator(Iterable):
    @classmethod
    def __subclasshook__(cls, c):
        return _has(c, "__iter__", "__next__") if cls is Iterator else NotImplemented

    def __iter__(self):
        return self


class Reversible(Iterable):
    pass


class Generator(Iterator):
    pass


class Callable(ABC):
    @classmethod
    def __subclasshook__(cls, c):
        return _has(c, "__call__") if cls is Callable else NotImplemented


class Collection(Sized, Iterable, Container):
    @classmethod
    def __subclasshook__(cls, c):
        return _has(c, "__len__", "__iter__", "__contains__") if cls is Collection else NotImplemented


class Sequence(Reversible, Collection):
    @classmethod
    def __subclasshook__(cls, c):
        return NotImplemented

    def __iter__(self):
        i = 0
        try:
            while True:
                yield self[i]
                i += 1
        except IndexError:
            return

    def __contains__(self, value):
        return any(v is value or v == value for v in self)

    def __reversed__(self):
        for i in range(len(self) - 1, -1, -1):
            yield self[i]

    def index(self, value, start=0, stop=None):
        for i in range(start, len(self) if stop is None else stop):
            if self[i] == value:
                return i
        raise ValueError

    def count(self, value):
        return sum(1 for v in self if v is value or v == value)


class MutableSequence(Sequence):
    def append(self, value):
        self.insert(len(self), value)

    def clear(self):
        while len(self):
            self.pop()

    def reverse(self):
        n = len(self)
        for i in range(n // 2):
            self[i], self[n - i - 1] = self[n - i - 1], self[i]

    def extend(self, values):
        for v in list(values):
            self.append(v)

    def pop(self, index=-1):
        v = self[index]
        del self[index]
        return v

    def remove(self, value):
        del self[self.index(value)]

    def __iadd__(self, values):
        self.extend(values)
        return self


class Set(Collection):
    @classmethod
    def __subclasshook__(cls, c):
        return NotImplemented

    @classmethod
    def _from_iterable(cls, it):
        return cls(it)

    def __le__(self, other):
        return len(self) <= len(other) and all(e in other for e in self)

    def __lt__(self, other):
        return len(self) < len(other) and self <= other

    def __ge__(self, other):
        return len(self) >= len(other) and all(e in self for e in other)

    def __gt__(self, other):
        return len(self) > len(other) and self >= other

    def __eq__(self, other):
        return len(self) == len(other) and self <= other if isinstance(other, (Set, set, frozenset)) else NotImplemented

    def __and__(self, other):
        return self._from_iterable(v for v in other if v in self)

    def __or__(self, other):
        return self._from_iterable(e for s in (self, other) for e in s)

    def __sub__(self, other):
        return self._from_iterable(v for v in self if v not in other)

    def __xor__(self, other):
        return (self - other) | self._from_iterable(v for v in other if v not in self)

    def isdisjoint(self, other):
        return not any(v in self for v in other)


class MutableSet(Set):
    def remove(self, value):
        if value not in self:
            raise KeyError(value)
        self.discard(value)

    def pop(self):
        for v in self:
            self.discard(v)
            return v
        raise KeyError

    def clear(self):
        for v in list(self):
            self.discard(v)

    def __ior__(self, other):
        for v in other:
            self.add(v)
        return self


class KeysView(Set):
    def __init__(self, mapping):
        self._mapping = mapping

    def __len__(self):
        return len(self._mapping)

    def __iter__(self):
        return iter(self._mapping)

    def __contains__(self, key):
        return key in self._mapping

    @classmethod
    def _from_iterable(cls, it):
        return set(it)

    def __repr__(self):
        return f"{type(self).__name__}({self._mapping!r})"


class ItemsView(KeysView):
    def __iter__(self):
        for k in self._mapping:
            yield (k, self._mapping[k])

    def __contains__(self, item):
        k, v = item
        return k in self._mapping and self._mapping[k] == v


class ValuesView(Collection):
    def __init__(self, mapping):
        self._mapping = mapping

    def __len__(self):
        return len(self._mapping)

    def __iter__(self):
        for k in self._mapping:
            yield self._mapping[k]

    def __contains__(self, value):
        return any(v is value or v == value for v in self)

    def __repr__(self):
        return f"{type(self).__name__}({self._mapping!r})"


MappingView = KeysView


class Mapping(Collection):
    @classmethod
    def __subclasshook__(cls, c):
        return NotImplemented

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return KeysView(self)

    def items(self):
        return ItemsView(self)

    def values(self):
        return ValuesView(self)

    def __eq__(self, other):
        return dict(self.items()) == dict(other.items()) if isinstance(other, (Mapping, dict)) else NotImplemented


_none = object()


class MutableMapping(Mapping):
    def pop(self, key, default=_none):
        try:
            v = self[key]
        except KeyError:
            if default is _none:
                raise
            return default
        del self[key]
        return v

    def popitem(self):
        for k in self:
            v = self[k]
            del self[k]
            return k, v
        raise KeyError

    def clear(self):
        while len(self):
            self.popitem()

    def update(self, other=(), /, **kwargs):
        if isinstance(other, (Mapping, dict)) or hasattr(other, "keys"):
            for k in other.keys():
                self[k] = other[k]
        else:
            for k, v in other:
                self[k] = v
        for k, v in kwargs.items():
            self[k] = v

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]


class Awaitable(ABC):
    pass


class ByteString(Sequence):
    pass


Coroutine = AsyncIterable = AsyncIterator = AsyncGenerator = Awaitable
Buffer = ByteString
for _c in (list, tuple, str, range, bytes, bytearray):
    Sequence.register(_c)
for _c in (list, bytearray):
    MutableSequence.register(_c)
for _c in (bytes, bytearray):
    ByteString.register(_c)
for _c in (dict,):
    MutableMapping.register(_c)
for _c in (set, frozenset, type({}.keys()), type({}.items())):
    Set.register(_c)
MutableSet.register(set)
KeysView.register(type({}.keys()))
ItemsView.register(type({}.items()))
ValuesView.register(type({}.values()))
Generator.register(_GENERATOR)
for _c in (list, tuple, str, range, bytes, bytearray, dict, set, frozenset, type({}.keys()), type({}.items()), type({}.values()), _GENERATOR,
           zip, map, filter, enumerate, reversed, type(iter([])), type(iter("")), type(iter({})), type(iter(range(1)))):
    Iterable.register(_c)
for _c in (list, tuple, str, range, bytes, bytearray, dict, set, frozenset, type({}.keys()), type({}.items()), type({}.values())):
    Sized.register(_c)
    Container.register(_c)
    Collection.register(_c)
for _c in (zip, map, filter, enumerate, reversed, _GENERATOR, type(iter([])), type(iter("")), type(iter({})), type(iter(range(1)))):
    Iterator.register(_c)
for _c in (list, tuple, str, range, dict):
    Reversible.register(_c)
for _c in (type(_gen), type(len), type(ABC), type([].append), type("".join)):
    Callable.register(_c)
del _c
