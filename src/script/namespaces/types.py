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
MappingProxyType = dict


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
