# dataclasses -- the decorator dataclass and its field functions.
from reprlib import recursive_repr
from types import MappingProxyType


class _MISSING_TYPE:
    pass


MISSING = _MISSING_TYPE()


class FrozenInstanceError(AttributeError):
    pass


class Field:
    def __init__(self, default, default_factory, init, repr, compare, kw_only, hash=None, metadata=None):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.hash = hash
        self.kw_only = kw_only
        self.metadata = MappingProxyType({} if metadata is None else metadata)

    def __repr__(self):
        kind = "_FIELD_INITVAR" if _is_passed(self) else "_FIELD"
        return (f"Field(name={self.name!r},type={self.type!r},default={self.default!r},default_factory={self.default_factory!r},"
                f"init={self.init!r},repr={self.repr!r},hash={self.hash!r},compare={self.compare!r},metadata={self.metadata!r},"
                f"kw_only={self.kw_only!r},_field_type={kind})")


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, compare, kw_only, hash, metadata)


class KW_ONLY:
    pass


class InitVar:
    def __init__(self, type):
        self.type = type

    def __class_getitem__(cls, type):
        return cls(type)


def _is_text_of(type_, names):
    # an annotation that was not evaluated
    return isinstance(type_, str) and type_.split("[")[0].strip().rpartition(".")[2] in names


def _collect(cls, kw_only):
    found = {}
    for base in reversed(cls.__mro__[1:]):
        found.update(base.__dict__.get("__dataclass_fields__", {}))
    for name, type_ in cls.__dict__.get("__annotations__", {}).items():
        if getattr(type_, "_is_classvar", False) or _is_text_of(type_, ("ClassVar",)):
            continue
        if type_ is KW_ONLY or _is_text_of(type_, ("KW_ONLY",)):
            kw_only = True
            continue
        default = cls.__dict__.get(name, MISSING)
        if isinstance(default, Field):
            f = default
            if f.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, f.default)
        else:
            if isinstance(default, (list, dict, set)):
                raise ValueError(f"mutable default {type(default)} for field {name} is not allowed: use default_factory")
            f = Field(default, MISSING, True, True, True, MISSING)
        f.name = name
        f.type = type_
        if f.kw_only is MISSING:
            f.kw_only = kw_only
        found[name] = f
    return found


def _is_passed(f):
    return isinstance(f.type, InitVar) or f.type is InitVar or _is_text_of(f.type, ("InitVar",))


def _make_init(cls, all_fields):
    names = [f.name for f in all_fields if f.init and not f.kw_only]
    seen = None
    for f in all_fields:
        if f.init and not f.kw_only:
            has = f.default is not MISSING or f.default_factory is not MISSING
            if seen and not has:
                raise TypeError(f"non-default argument {f.name!r} follows default argument")
            seen = seen or has
    title = cls.__name__
    put = object.__setattr__
    required = sum(f.default is MISSING and f.default_factory is MISSING for f in all_fields if f.init and not f.kw_only)

    def __init__(self, *args, **kwargs):
        if len(args) > len(names):
            n, least = len(names) + 1, required + 1
            takes = f"from {least} to {n}" if least < n else n
            raise TypeError(f"{title}.__init__() takes {takes} positional argument{'' if n == 1 else 's'} but {len(args) + 1} were given")
        given = dict(zip(names, args))
        for k, v in kwargs.items():
            if k in given:
                raise TypeError(f"{title}.__init__() got multiple values for argument {k!r}")
            given[k] = v
        missing, passed = [], []
        for f in all_fields:
            if _is_passed(f):
                if f.name in given or f.default is not MISSING:
                    passed.append(given.pop(f.name, f.default))
                else:
                    missing.append(repr(f.name))
            elif f.init and f.name in given:
                put(self, f.name, given.pop(f.name))
            elif f.default is not MISSING:
                put(self, f.name, f.default)
            elif f.default_factory is not MISSING:
                put(self, f.name, f.default_factory())
            elif f.init:
                missing.append(repr(f.name))
        if given:
            raise TypeError(f"{title}.__init__() got an unexpected keyword argument {next(iter(given))!r}")
        if missing:
            s = "" if len(missing) == 1 else "s"
            text = missing[0] if len(missing) == 1 else ", ".join(missing[:-1]) + ("," if len(missing) > 2 else "") + " and " + missing[-1]
            raise TypeError(f"{title}.__init__() missing {len(missing)} required positional argument{s}: {text}")
        post = getattr(self, "__post_init__", None)
        if post is not None:
            post(*passed)
    return __init__


def _key(self):
    return tuple(getattr(self, f.name) for f in fields(self) if f.compare)


def _hash(self):
    return hash(tuple(getattr(self, f.name) for f in fields(self) if (f.compare if f.hash is None else f.hash)))


def _with_slots(cls, names):
    # a class's slots are made with it
    inherited = {s for base in cls.__mro__[1:] for s in base.__dict__.get("__slots__", ())}
    if "__slots__" in cls.__dict__:
        raise TypeError(f"{cls.__name__} already specifies __slots__")
    body = {k: v for k, v in cls.__dict__.items() if k not in names and k not in ("__dict__", "__weakref__")}
    body["__slots__"] = tuple(n for n in names if n not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def _compare(op):
    def method(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return op(_key(self), _key(other))
    return method


@recursive_repr()
def _repr(self):
    parts = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr]
    return self.__class__.__qualname__ + "(" + ", ".join(parts) + ")"


def _frozen_set(self, name, value):
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _frozen_del(self, name):
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, match_args=True, kw_only=False, slots=False):
    def decorate(cls):
        found = _collect(cls, kw_only)
        cls.__dataclass_fields__ = found
        own = cls.__dict__
        if order and not eq:
            raise ValueError("eq must be true if order is true")
        if init and "__init__" not in own:
            cls.__init__ = _make_init(cls, list(found.values()))
        if match_args and "__match_args__" not in own:
            cls.__match_args__ = tuple(f.name for f in found.values() if f.init and not f.kw_only)
        if repr and "__repr__" not in own:
            cls.__repr__ = _repr
        if eq and "__eq__" not in own:
            cls.__eq__ = _compare(lambda a, b: a == b)
        if order:
            cls.__lt__ = _compare(lambda a, b: a < b)
            cls.__le__ = _compare(lambda a, b: a <= b)
            cls.__gt__ = _compare(lambda a, b: a > b)
            cls.__ge__ = _compare(lambda a, b: a >= b)
        if frozen:
            cls.__setattr__ = _frozen_set
            cls.__delattr__ = _frozen_del
        if unsafe_hash or (frozen and eq and "__hash__" not in own):
            cls.__hash__ = _hash
        elif eq and not frozen and "__hash__" not in own:
            cls.__hash__ = None
        return _with_slots(cls, [f.name for f in fields(cls)]) if slots else cls
    return decorate if cls is None else decorate(cls)


def fields(obj):
    found = getattr(obj, "__dataclass_fields__", None)
    if found is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple(f for f in found.values() if not _is_passed(f))


def is_dataclass(obj):
    return hasattr(obj, "__dataclass_fields__")


def _plain(value, make, each):
    # each: of a dataclass its fields, by make
    if is_dataclass(value) and not isinstance(value, type):
        return make(each(f.name, _plain(getattr(value, f.name), make, each)) for f in fields(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_plain(v, make, each) for v in value])
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(v, make, each) for v in value)
    if isinstance(value, dict):
        return type(value)((_plain(k, make, each), _plain(v, make, each)) for k, v in value.items())
    import copy
    return copy.deepcopy(value)


def asdict(obj, *, dict_factory=dict):
    if not is_dataclass(obj) or isinstance(obj, type):
        raise TypeError("asdict() should be called on dataclass instances")
    return _plain(obj, lambda items: dict_factory(list(items)), lambda name, value: (name, value))


def astuple(obj, *, tuple_factory=tuple):
    if not is_dataclass(obj) or isinstance(obj, type):
        raise TypeError("astuple() should be called on dataclass instances")
    return _plain(obj, lambda items: tuple_factory(list(items)), lambda name, value: value)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **options):
    body, types = dict(namespace or {}), {}
    for f in fields:
        name, *rest = (f, "typing.Any") if isinstance(f, str) else f
        types[name] = rest[0]
        if len(rest) > 1:
            body[name] = rest[1]
    body["__annotations__"] = types
    return dataclass(type(cls_name, bases, body), **options)


def replace(obj, /, **changes):
    for f in fields(obj):
        if not f.init and f.name in changes:
            raise TypeError(f"field {f.name} is declared with init=False, it cannot be specified with replace()")
        if f.init and f.name not in changes:
            changes[f.name] = getattr(obj, f.name)
    return obj.__class__(**changes)
