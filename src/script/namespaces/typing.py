# typing -- forms for annotations: how they are made, looked at and written; they check nothing.
import collections as _collections
from _generic import GenericAlias as _Alias, UnionType as _UnionType, flat as _flat, parameters as _parameters, \
    substitute as _substitute

TYPE_CHECKING = False
Text = str


def _text(a):
    if a is ...:
        return "..."
    if isinstance(a, list):
        return "[" + ", ".join(_text(x) for x in a) + "]"
    if isinstance(a, type):
        return a.__qualname__ if a.__module__ in ("builtins", None) else f"{a.__module__}.{a.__qualname__}"
    return a.__name__ if isinstance(a, _FUNCTION) else repr(a)


_FUNCTION = type(_text)


# A text among the arguments of a form names a type that may not be there yet.
def _type(a):
    return type(None) if a is None else ForwardRef(a) if isinstance(a, str) else a


checks = [None]     # who else answers isinstance(x, List[int]): scripts of torch.jit do, by what is in the list


class ForwardRef:
    _is_type = True

    def __init__(self, arg, is_argument=True, module=None, *, is_class=False):
        self.__forward_arg__ = arg

    def __eq__(self, other):
        return isinstance(other, ForwardRef) and self.__forward_arg__ == other.__forward_arg__

    def __hash__(self):
        return hash(self.__forward_arg__)

    def __repr__(self):
        return f"ForwardRef({self.__forward_arg__!r})"


class _Joins:
    _is_type = True

    def __or__(self, other):
        return Union[self, other]

    def __ror__(self, other):
        return Union[other, self]


# A name of this module: with arguments (List[int]), without (List), or one that never has any (Any).
class _Form(_Joins):
    def __init__(self, name, args=None, origin=None):
        self._name, self._origin = name, origin
        if args is not None:
            self.__args__, self.__parameters__ = args, _parameters(args)
        if name == "ClassVar":
            self._is_classvar = True
        if name == "Union" and args is not None:
            self._is_union = True

    @property
    def __origin__(self):
        if self._origin is not None:
            return self._origin
        if "__args__" not in self.__dict__:
            raise AttributeError("__origin__")
        return globals()[self._name]

    @property
    def __name__(self):
        return self._name if "__args__" not in self.__dict__ or self._name != "Union" else "Optional" if _optional(self) else "Union"

    __qualname__ = __name__
    __module__ = "typing"

    def __getitem__(self, given):
        if "__args__" in self.__dict__:
            return self._with(_substitute(self.__args__, self.__parameters__, given))
        given = given if isinstance(given, tuple) else (given,)
        name = self._name
        if name in ("Any", "NoReturn", "Never", "Self", "LiteralString", "TypeAlias"):
            raise TypeError(f"{self} is not subscriptable")
        if name == "Literal":
            return self._with(given)
        if name == "Optional":
            if len(given) != 1:
                raise TypeError("typing.Optional requires a single type")
            return Union[given[0], None]
        if name == "Annotated":
            if len(given) < 2:
                raise TypeError("Annotated[...] should be used with at least two arguments (a type and an annotation).")
            made = self._with((_type(given[0]),))
            made.__metadata__ = given[1:]
            return made
        if name == "Callable":
            if len(given) != 2:
                raise TypeError("Callable must be used as Callable[[arg, ...], result].")
            head = given[0]
            head = [_type(a) for a in head] if isinstance(head, list) else head
            return self._with(tuple(head if isinstance(head, list) else [head]) + (_type(given[1]),))
        args = tuple(_type(a) for a in given)
        if name == "Union":
            if not given:
                raise TypeError("Cannot take a Union of no types.")
            args = _flat(args)
            if len(args) == 1:
                return args[0]
        return self._with(args)

    def _with(self, args):
        return _Form(self._name, _flat(args) if self._name == "Union" else args, self._origin)

    def __call__(self, *args, **kwargs):
        if self._origin is not None and isinstance(self._origin, type):
            return self._origin(*args, **kwargs)
        raise TypeError(f"Cannot instantiate {self!r}" if "__args__" not in self.__dict__ else f"Type {self._name} cannot be instantiated")

    def __mro_entries__(self, bases):
        if self._name == "Annotated":
            return (self.__args__[0],)
        if self._name == "Any":
            return ()
        if self._origin is None:
            raise TypeError(f"Cannot subclass {self!r}")
        return (self._origin,)

    def __instancecheck__(self, obj):
        if checks[0] is not None and "__args__" in self.__dict__:
            answer = checks[0](obj, self)
            if answer is not NotImplemented:
                return answer
        return self.__subclasscheck__(type(obj))

    def __subclasscheck__(self, cls):
        if self._name == "Union" and "__args__" in self.__dict__:
            return any(issubclass(cls, a) for a in self.__args__)
        if "__args__" in self.__dict__:
            raise TypeError("Subscripted generics cannot be used with class and instance checks")
        if self._origin is None:
            raise TypeError(f"{self!r} cannot be used with isinstance()")
        return issubclass(cls, self._origin)

    def __eq__(self, other):
        if self._name == "Union" and getattr(other, "_is_union", False):
            return set(self.__args__) == set(other.__args__)
        if not isinstance(other, _Form):
            return NotImplemented
        return (self._name == other._name and self.__dict__.get("__args__") == other.__dict__.get("__args__")
                and self.__dict__.get("__metadata__") == other.__dict__.get("__metadata__"))

    def __hash__(self):
        args = self.__dict__.get("__args__")
        return hash(self._name if args is None else frozenset(args) if self._name == "Union" else (self._name, args))

    def __repr__(self):
        args = self.__dict__.get("__args__")
        if args is None:
            return "typing." + self._name
        if self._name == "Literal":
            return f"typing.Literal[{', '.join(repr(a) for a in args)}]"
        if self._name == "Annotated":
            return f"typing.Annotated[{', '.join([_text(args[0])] + [repr(m) for m in self.__metadata__])}]"
        if self._name == "Callable":
            head = args[:-1]
            one = len(head) == 1 and (head[0] is ... or getattr(head[0], "_takes_many", False) or getattr(head[0], "_name", "") == "Concatenate")
            return f"typing.Callable[{_text(head[0]) if one else _text(list(head))}, {_text(args[-1])}]"
        if self._name == "Union" and _optional(self):
            return f"typing.Optional[{_text([a for a in args if a is not type(None)][0])}]"
        return f"typing.{self._name}[{', '.join(_text(a) for a in args) or '()'}]"


def _optional(form):
    return len(form.__args__) == 2 and type(None) in form.__args__


for _n in ("Any Union Optional Final Literal Annotated NoReturn Self Never LiteralString Concatenate Unpack Required NotRequired "
           "ReadOnly TypeAlias TypeGuard TypeIs ClassVar").split():
    globals()[_n] = _Form(_n)
for _n, _o in dict(List=list, Dict=dict, Set=set, FrozenSet=frozenset, Tuple=tuple, Type=type, Deque=_collections.deque,
                   DefaultDict=_collections.defaultdict, OrderedDict=_collections.OrderedDict, Counter=_collections.Counter).items():
    globals()[_n] = _Form(_n, None, _o)
_ABSTRACT = ("Callable Iterable Iterator Sequence MutableSequence Mapping MutableMapping Generator Collection Hashable "
             "MutableSet Sized Container Reversible KeysView ItemsView ValuesView MappingView Awaitable AsyncIterable AsyncIterator "
             "AsyncGenerator Coroutine ByteString").split()
_OTHERS = {"AbstractSet": ("collections.abc", "Set"), "ContextManager": ("contextlib", "AbstractContextManager"),
           "AsyncContextManager": ("contextlib", "AbstractAsyncContextManager"), "ChainMap": ("collections", "ChainMap"),
           "Pattern": ("re", "Pattern"), "Match": ("re", "Match")}


# Those of other modules are made when they are asked for.
def __getattr__(name):
    if name in _ABSTRACT:
        place, own = "collections.abc", name
    elif name in _OTHERS:
        place, own = _OTHERS[name]
    else:
        raise AttributeError(name)
    origin = getattr(__import__(place, fromlist=["_"]), own, None)
    globals()[name] = made = _Form(name, None, origin if origin is not None else object)
    return made


# ---- variables, generic classes, protocols ----

class TypeVar(_Joins):
    _is_type_var, _takes_many = True, False

    def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False):
        if len(constraints) == 1:
            raise TypeError("A single constraint is not allowed")
        self.__name__, self.__constraints__, self.__bound__ = name, constraints, _type(bound) if bound is not None else None
        self.__covariant__, self.__contravariant__ = covariant, contravariant

    def __repr__(self):
        return ("+" if self.__covariant__ else "-" if self.__contravariant__ else "~") + self.__name__


class ParamSpec(TypeVar):
    _takes_many = True

    @property
    def args(self):
        return _Form("ParamSpecArgs", (self,))

    @property
    def kwargs(self):
        return _Form("ParamSpecKwargs", (self,))


class TypeVarTuple(TypeVar):
    _takes_many = True

    def __iter__(self):
        yield _Form("Unpack", (self,))

    def __repr__(self):
        return self.__name__


ParamSpecArgs = ParamSpecKwargs = _Form


class _GenericForm(_Alias):
    def __getitem__(self, args):
        return _GenericForm(self.__origin__, _substitute(self.__args__, self.__parameters__, args))

    def __repr__(self):
        name = _text(self.__origin__) if self.__origin__ not in (Generic, Protocol) else f"typing.{self.__origin__.__name__}"
        return f"{name}[{', '.join(_text(a) for a in self.__args__)}]"

    def __instancecheck__(self, obj):
        answer = NotImplemented if checks[0] is None else checks[0](obj, self)
        if answer is NotImplemented:
            raise TypeError("Subscripted generics cannot be used with class and instance checks")
        return answer

    def __mro_entries__(self, bases):
        if self.__origin__ is Generic and any(b is not self and isinstance(b, _GenericForm) and b.__origin__ is not Generic
                                              and issubclass(b.__origin__, Generic) for b in bases):
            return ()
        return (self.__origin__,)


class Generic:
    __parameters__ = ()

    def __class_getitem__(cls, args):
        args = args if isinstance(args, tuple) else (args,)
        args = tuple(_type(a) for a in args)
        if cls not in (Generic, Protocol):
            if not cls.__parameters__:
                raise TypeError(f"{cls} is not a generic class")
            if len(cls.__parameters__) == 1 and cls.__parameters__[0]._takes_many:
                args = (list(args) if len(args) != 1 else args[0],)
            elif len(args) != len(cls.__parameters__) and not any(p._takes_many for p in cls.__parameters__):
                raise TypeError(f"Too {'many' if len(args) > len(cls.__parameters__) else 'few'} arguments for {cls}; "
                                f"actual {len(args)}, expected {len(cls.__parameters__)}")
        return _GenericForm(cls, args)

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        bases = cls.__dict__.get("__orig_bases__", ())
        own = [b for b in bases if isinstance(b, _GenericForm) and b.__origin__ in (Generic, Protocol)]
        cls.__parameters__ = own[0].__parameters__ if own else _parameters(bases)


_own_names = {"__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "__annotations__", "__parameters__", "__orig_bases__",
              "__init__", "__new__", "__slots__", "__abstractmethods__", "_abc_registry", "_is_protocol", "_is_runtime", "__subclasshook__",
              "__class_getitem__", "__init_subclass__", "__hash__", "__match_args__", "__type_params__", "__orig_class__"}


# What a protocol asks of a class: its names, and those of the protocols it derives from.
def _asked(cls):
    out = []
    for c in cls.__mro__:
        if c.__dict__.get("_is_protocol") and c is not Protocol:
            out += [n for n in list(c.__dict__) + list(c.__dict__.get("__annotations__", {})) if n not in _own_names and n not in out]
    return out


class _ProtocolMeta(type(__import__("collections.abc", fromlist=["_"]).Sized)):
    def __instancecheck__(cls, obj):
        if not cls.__dict__.get("_is_protocol") or cls is Protocol:
            return super().__instancecheck__(obj)
        if not cls.__dict__.get("_is_runtime"):
            raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")
        return super().__instancecheck__(obj) or all(
            hasattr(obj, n) and (getattr(obj, n) is not None or not callable(getattr(cls, n, None))) for n in _asked(cls))

    def __subclasscheck__(cls, other):
        if cls.__dict__.get("_is_runtime") and type.__subclasscheck__(cls, other) is False:
            return all(any(n in c.__dict__ and c.__dict__[n] is not None for c in other.__mro__) for n in _asked(cls))
        return super().__subclasscheck__(other)


class Protocol(Generic, metaclass=_ProtocolMeta):
    _is_protocol = True

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        cls._is_protocol = Protocol in cls.__bases__
        if cls._is_protocol and "__init__" not in cls.__dict__:
            cls.__init__ = _no_init

    @classmethod
    def __subclasshook__(cls, other):
        return NotImplemented


def _no_init(self, *args, **kwargs):
    if type(self)._is_protocol:
        raise TypeError("Protocols cannot be instantiated")
    for c in type(self).__mro__:
        init = c.__dict__.get("__init__", _no_init)
        if init is not _no_init:
            return init(self, *args, **kwargs)


def runtime_checkable(cls):
    if not (isinstance(cls, type) and getattr(cls, "_is_protocol", False)):
        raise TypeError(f"@runtime_checkable can be only applied to protocol classes, got {cls!r}")
    cls._is_runtime = True
    return cls


@runtime_checkable
class SupportsInt(Protocol):
    def __int__(self): ...


@runtime_checkable
class SupportsFloat(Protocol):
    def __float__(self): ...


@runtime_checkable
class SupportsComplex(Protocol):
    def __complex__(self): ...


@runtime_checkable
class SupportsBytes(Protocol):
    def __bytes__(self): ...


@runtime_checkable
class SupportsIndex(Protocol):
    def __index__(self): ...


T_co = TypeVar("T_co", covariant=True)


@runtime_checkable
class SupportsAbs(Protocol[T_co]):
    def __abs__(self): ...


@runtime_checkable
class SupportsRound(Protocol[T_co]):
    def __round__(self, ndigits=0): ...


AnyStr = TypeVar("AnyStr", bytes, str)


class IO(Generic[AnyStr]):
    pass


class TextIO(IO[str]):
    pass


class BinaryIO(IO[bytes]):
    pass


# ---- functions ----

class NewType(_Joins):
    def __init__(self, name, tp):
        self.__name__ = self.__qualname__ = name
        self.__supertype__ = tp
        import sys
        self.__module__ = sys._getframe(1).f_globals.get("__name__", "__main__")

    def __call__(self, x):
        return x

    def __repr__(self):
        return f"{self.__module__}.{self.__qualname__}"


def cast(typ, val):
    return val


_overloads = {}


def overload(func):
    _overloads.setdefault((func.__module__, func.__qualname__), []).append(func)

    def stands_for_others(*args, **kwargs):
        raise NotImplementedError("You should not call an overloaded function. A series of @overload-decorated functions "
                                  "outside a stub module should always be followed by an implementation that is not @overload-ed.")
    return stands_for_others


def get_overloads(func):
    return list(_overloads.get((func.__module__, func.__qualname__), []))


def clear_overloads():
    _overloads.clear()


def final(f):
    try:
        f.__final__ = True
    except (AttributeError, TypeError):
        pass
    return f


def no_type_check(f):
    try:
        f.__no_type_check__ = True
    except (AttributeError, TypeError):
        pass
    return f


def no_type_check_decorator(decorator):
    return decorator


def _evaluated(v, globalns, localns):
    if isinstance(v, ForwardRef):
        v = v.__forward_arg__
    if isinstance(v, str):
        return _evaluated(eval(v, globalns, localns), globalns, localns)
    if isinstance(v, _Form) and "__args__" in v.__dict__ and v._name != "Literal":
        args = tuple(_evaluated(a, globalns, localns) for a in v.__args__)
        if args != v.__args__:
            made = v._with(args)
            if v._name == "Annotated":
                made.__metadata__ = v.__metadata__
            return made
    if isinstance(v, _Alias):
        args = tuple(_evaluated(a, globalns, localns) for a in v.__args__)
        return v if args == v.__args__ else type(v)(v.__origin__, args)
    return v


def _plain(v):
    if isinstance(v, _Form) and v._name in ("Annotated", "Required", "NotRequired"):
        return _plain(v.__args__[0])
    if isinstance(v, _Form) and "__args__" in v.__dict__ and v._name != "Literal":
        args = tuple(_plain(a) for a in v.__args__)
        return v if args == v.__args__ else v._with(args)
    return v


# Texts are evaluated; Annotated[T, ..] is T unless asked for.
def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    import sys
    hints = {}
    if isinstance(obj, type):
        for c in reversed(obj.__mro__):
            g = globalns if globalns is not None else getattr(sys.modules.get(c.__module__), "__dict__", {})
            for k, v in c.__dict__.get("__annotations__", {}).items():
                hints[k] = _evaluated(type(None) if v is None else v, g, dict(vars(c)) if localns is None else localns)
    else:
        f = obj
        while hasattr(f, "__wrapped__"):
            f = f.__wrapped__
        own = getattr(obj, "__annotations__", None)
        if own is None:
            raise TypeError(f"{obj!r} is not a module, class, method, or function.")
        g = globalns if globalns is not None else getattr(f, "__globals__", getattr(obj, "__dict__", {}))
        for k, v in own.items():
            hints[k] = _evaluated(type(None) if v is None else v, g, localns)
    return hints if include_extras else {k: _plain(v) for k, v in hints.items()}


def get_origin(tp):
    if isinstance(tp, _UnionType):
        return _UnionType
    if isinstance(tp, _Form):
        if tp._name == "Annotated" and "__args__" in tp.__dict__:
            return Annotated
        return tp._origin if tp._origin is not None else tp.__origin__ if "__args__" in tp.__dict__ else None
    if tp is Generic:
        return Generic
    return tp.__origin__ if isinstance(tp, _Alias) else None


def get_args(tp):
    if isinstance(tp, _Form) and "__args__" in tp.__dict__:
        args = tp.__args__
        if tp._name == "Annotated":
            return args + tp.__metadata__
    elif isinstance(tp, (_Alias, _UnionType)):
        args = tp.__args__
    else:
        return ()
    if getattr(get_origin(tp), "__name__", "") == "Callable" and args and not (
            len(args) == 2 and (args[0] is ... or isinstance(args[0], list) or getattr(args[0], "_takes_many", False)
                                or getattr(args[0], "_name", "") == "Concatenate")):
        return (list(args[:-1]), args[-1])
    return args


def is_typeddict(tp):
    return isinstance(tp, type) and issubclass(tp, dict) and hasattr(tp, "__total__")


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
    try:
        method.__override__ = True
    except (AttributeError, TypeError):
        pass
    return method


def dataclass_transform(**kwargs):
    def mark(cls):
        cls.__dataclass_transform__ = kwargs
        return cls
    return mark


# ---- named tuples, dicts with known keys ----

class _NamedTuple(tuple):
    def __init_subclass__(cls):
        if _NamedTuple not in cls.__bases__:
            return
        own = cls.__dict__
        fields = tuple(own.get("__annotations__", {}))
        given = {k: own[k] for k in fields if k in own}
        made = _collections._namedtuple(cls.__name__, fields, given, cls.__module__)
        for k, v in made.__dict__.items():
            if k in fields or k not in own:
                setattr(cls, k, v)


def NamedTuple(typename, fields=(), /, **kwargs):
    fields = list(fields) or list(kwargs.items())
    made = _collections.namedtuple(typename, [n for n, _ in fields])
    made.__annotations__ = {n: _type(t) for n, t in fields}
    return made


NamedTuple.__mro_entries__ = lambda bases: (_NamedTuple,)


class _TypedDict(dict):
    __total__ = True

    def __init_subclass__(cls, total=True):
        cls.__total__ = total
        hints, required, optional = {}, set(), set()
        for b in cls.__bases__:
            hints.update(getattr(b, "__annotations__", {}))
            required |= getattr(b, "__required_keys__", set())
            optional |= getattr(b, "__optional_keys__", set())
        for k, v in cls.__dict__.get("__annotations__", {}).items():
            hints[k] = v
            kind = v._name if isinstance(v, _Form) else ""
            (required if kind == "Required" or total and kind != "NotRequired" else optional).add(k)
        cls.__annotations__, cls.__required_keys__, cls.__optional_keys__ = hints, frozenset(required), frozenset(optional)

    def __new__(cls, *args, **kwargs):
        return dict(*args, **kwargs)


def TypedDict(typename, fields=(), /, *, total=True):
    return type(typename, (_TypedDict,), {"__annotations__": dict(fields)}, total=total)


TypedDict.__mro_entries__ = lambda bases: (_TypedDict,)
__all__ = [_n for _n in globals() if not _n.startswith("_") and _n not in ("T_co", "deprecated_", "override", "ReadOnly", "TypeIs")
           ] + _ABSTRACT + list(_OTHERS)
