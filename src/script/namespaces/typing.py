# typing -- names for annotations; they check nothing.
import collections as _collections


class _Form:
    def __init__(self, name, args=None, classvar=False):
        self._name = name
        self.__args__ = args
        self._is_classvar = classvar

    def __getitem__(self, args):
        return _Form(self._name, args if isinstance(args, tuple) else (args,), self._is_classvar)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"Type {self._name} cannot be instantiated")

    def __or__(self, other):
        return _Form("Union", (self, other))

    def __ror__(self, other):
        return _Form("Union", (other, self))

    def __eq__(self, other):
        return isinstance(other, _Form) and self._name == other._name and self.__args__ == other.__args__

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        if self.__args__ is None:
            return "typing." + self._name
        return "typing." + self._name + "[" + ", ".join(a.__name__ if isinstance(a, type) else repr(a) for a in self.__args__) + "]"


for _n in (
           "Any Union Optional List Dict Set FrozenSet Tuple Type Callable Iterable Iterator Sequence "
           "MutableSequence Mapping MutableMapping Generator Collection Hashable Final Literal Annotated "
           "NoReturn Self DefaultDict OrderedDict Deque Counter SupportsFloat SupportsInt Never LiteralString "
           "Concatenate Unpack Required NotRequired ReadOnly TypeAlias TypeGuard TypeIs AbstractSet MutableSet "
           "Awaitable AsyncIterable AsyncIterator AsyncGenerator Coroutine Sized Container Reversible "
           "ContextManager AsyncContextManager KeysView ItemsView ValuesView MappingView ChainMap Pattern Match "
           "IO TextIO BinaryIO ByteString SupportsIndex SupportsAbs SupportsBytes SupportsComplex SupportsRound ").split():
    globals()[_n] = _Form(_n)
ClassVar = _Form("ClassVar", None, True)
Text = str
TYPE_CHECKING = False


class Generic:
    def __class_getitem__(cls, args):
        return cls


class Protocol(Generic):
    pass


class TypeVar:
    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False):
        self.__name__ = name

    def __repr__(self):
        return "~" + self.__name__

    def __or__(self, other):
        return _Form("Union", (self, other))

    def __ror__(self, other):
        return _Form("Union", (other, self))


def NewType(name, tp):
    return tp


def cast(typ, val):
    return val


def overload(func):
    return func


def final(f):
    return f


def no_type_check(f):
    return f


def runtime_checkable(cls):
    return cls


def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    # texts are evaluated; Annotated[T, ..] is T unless asked for
    hints = {}
    for c in reversed(obj.__mro__) if isinstance(obj, type) else [obj]:
        hints.update(getattr(c, "__dict__", {}).get("__annotations__", {}) if isinstance(c, type)
                     else getattr(c, "__annotations__", {}))
    for k, v in hints.items():
        if isinstance(v, str):
            v = eval(v, globalns or getattr(obj, "__globals__", {}), localns or {})
        if not include_extras and get_origin(v) is Annotated:
            v = v.__args__[0]
        hints[k] = v
    return hints


_ORIGINS = {"List": list, "Dict": dict, "Set": set, "FrozenSet": frozenset, "Tuple": tuple, "Type": type}
_ABSTRACT = ("Callable Iterable Iterator Sequence MutableSequence Mapping MutableMapping Generator Collection Hashable "
             "MutableSet Sized Container Reversible KeysView ItemsView ValuesView").split()


def get_origin(tp):
    if isinstance(tp, _Form):
        name = tp._name
        if tp.__args__ is None and name not in _ORIGINS and name not in _ABSTRACT:
            return None
        if name in _ABSTRACT:
            from collections import abc
            return getattr(abc, name)
        return _ORIGINS.get(name) or (Union if name == "Optional" else globals().get(name))
    return getattr(tp, "__origin__", None)


def get_args(tp):
    args = getattr(tp, "__args__", None) or ()
    if isinstance(tp, _Form) and tp._name == "Optional":
        return tuple(args) + (type(None),)
    if isinstance(tp, _Form) and tp._name == "Callable" and len(args) == 2 and isinstance(args[0], tuple):
        return (list(args[0]), args[1])
    return tuple(args)


def get_overloads(func):
    return []


def is_typeddict(tp):
    return isinstance(tp, type) and issubclass(tp, TypedDict) and tp is not TypedDict


def assert_never(arg, /):
    raise AssertionError(f"Expected code to be unreachable, but got: {arg!r}")


def assert_type(val, typ, /):
    return val


def reveal_type(obj, /):
    import sys
    print(f"Runtime type is {type(obj).__name__!r}", file=sys.stderr)
    return obj


def deprecated_(message, /, *, category=None, stacklevel=1):
    def mark(f):
        f.__deprecated__ = message
        return f
    return mark


def override(method, /):
    return method


def dataclass_transform(**kwargs):
    return lambda cls: cls


class NamedTuple(tuple):
    def __init_subclass__(cls):
        if NamedTuple not in cls.__bases__:
            return
        own = cls.__dict__
        fields = tuple(own.get("__annotations__", {}))
        given = {k: own[k] for k in fields if k in own}
        made = _collections._namedtuple(cls.__name__, fields, given)
        for k, v in made.__dict__.items():
            if k in fields or k not in own:
                setattr(cls, k, v)


class ForwardRef:
    def __init__(self, arg):
        self.__forward_arg__ = arg

    def __repr__(self):
        return f"ForwardRef({self.__forward_arg__!r})"


class TypedDict(dict):
    def __init_subclass__(cls, total=True):
        pass


class ParamSpec(TypeVar):
    args = kwargs = None


class TypeVarTuple(TypeVar):
    def __iter__(self):
        yield self


AnyStr = TypeVar("AnyStr", bytes, str)
