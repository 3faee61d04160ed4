# types -- names of built-in classes, SimpleNamespace, new_class.
import sys as _sys


def _f():
    yield


FunctionType = LambdaType = type(_f)
GeneratorType = type(_f())
BuiltinFunctionType = BuiltinMethodType = type(len)
ModuleType = type(_sys)
NoneType = type(None)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)


class MappingProxyType:
    # a mapping that is read through this and changed elsewhere
    __slots__ = ("_of",)

    def __init__(self, mapping):
        if not hasattr(mapping, "__getitem__") or isinstance(mapping, (list, tuple, str)):
            raise TypeError(f"mappingproxy() argument must be a mapping, not {type(mapping).__name__}")
        object.__setattr__(self, "_of", mapping)

    def __getitem__(self, key):
        return self._of[key]

    def __len__(self):
        return len(self._of)

    def __iter__(self):
        return iter(self._of)

    def __reversed__(self):
        return reversed(self._of)

    def __contains__(self, key):
        return key in self._of

    def __eq__(self, other):
        return self._of == (other._of if isinstance(other, MappingProxyType) else other)

    def __or__(self, other):
        return self._of | (other._of if isinstance(other, MappingProxyType) else other)

    def __ror__(self, other):
        return other | self._of

    def __hash__(self):
        return hash(self._of)

    def get(self, key, default=None):
        return self._of.get(key, default)

    def keys(self):
        return self._of.keys()

    def values(self):
        return self._of.values()

    def items(self):
        return self._of.items()

    def copy(self):
        return self._of.copy()

    def __str__(self):
        return str(self._of)

    def __repr__(self):
        return f"mappingproxy({self._of!r})"


MappingProxyType.__name__ = MappingProxyType.__qualname__ = "mappingproxy"


class _C:
    def m(self):
        pass


MethodType = type(_C().m)
try:
    raise TypeError
except TypeError as _e:
    TracebackType = type(_e.__traceback__)


CodeType, FrameType = type(_f.__code__), type(_sys._getframe())


from _generic import GenericAlias, UnionType


class CoroutineType:
    pass


AsyncGeneratorType = CoroutineType


class SimpleNamespace:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        return "namespace(" + ", ".join(f"{k}={v!r}" for k, v in self.__dict__.items()) + ")"

    def __eq__(self, other):
        return self.__dict__ == other.__dict__ if isinstance(other, SimpleNamespace) else NotImplemented


class DynamicClassAttribute:
    def __init__(self, fget=None):
        self.fget = fget

    def __get__(self, obj, cls=None):
        if obj is None:
            raise AttributeError
        return self.fget(obj)


def new_class(name, bases=(), kwds=None, exec_body=None):
    space = {}
    if exec_body is not None:
        exec_body(space)
    kwds = dict(kwds or {})
    meta = kwds.pop("metaclass", type)
    return meta(name, tuple(bases), space, **kwds)


def coroutine(f):
    return f
