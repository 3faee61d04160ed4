# dataclasses -- the decorator dataclass and its field functions.
class _Missing:
    def __repr__(self):
        return "MISSING"


MISSING = _Missing()


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
        self.kw_only = kw_only
        self.metadata = metadata or {}


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, compare, kw_only, hash, metadata)


def _collect(cls, kw_only):
    found = {}
    for base in reversed(cls.__mro__[1:]):
        found.update(base.__dict__.get("__dataclass_fields__", {}))
    for name, type_ in cls.__dict__.get("__annotations__", {}).items():
        if getattr(type_, "_is_classvar", False):
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


def _make_init(cls, all_fields, frozen):
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

    def __init__(self, *args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"{title}.__init__() takes {len(names) + 1} positional arguments but {len(args) + 1} were given")
        given = dict(zip(names, args))
        for k, v in kwargs.items():
            if k in given:
                raise TypeError(f"{title}.__init__() got multiple values for argument {k!r}")
            given[k] = v
        missing = []
        for f in all_fields:
            if f.init and f.name in given:
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
            post()
    return __init__


def _key(self):
    return tuple(getattr(self, f.name) for f in self.__dataclass_fields__.values() if f.compare)


def _compare(op):
    def method(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return op(_key(self), _key(other))
    return method


def _repr(self):
    parts = [f"{f.name}={getattr(self, f.name)!r}" for f in self.__dataclass_fields__.values() if f.repr]
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
        if init and "__init__" not in own:
            cls.__init__ = _make_init(cls, list(found.values()), frozen)
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
        if (frozen and eq) or unsafe_hash:
            cls.__hash__ = lambda self: hash(_key(self))
        return cls
    return decorate if cls is None else decorate(cls)


def fields(obj):
    found = getattr(obj, "__dataclass_fields__", None)
    if found is None:
        raise TypeError("must be called with a dataclass type or instance")
    return tuple(found.values())


def is_dataclass(obj):
    return hasattr(obj, "__dataclass_fields__")


def _plain(value, copy):
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name), copy) for f in fields(value)}
    if isinstance(value, list):
        return [_plain(v, copy) for v in value]
    if isinstance(value, tuple):
        return tuple(_plain(v, copy) for v in value)
    if isinstance(value, dict):
        return {k: _plain(v, copy) for k, v in value.items()}
    return value


def asdict(obj):
    if not is_dataclass(obj) or isinstance(obj, type):
        raise TypeError("asdict() should be called on dataclass instances")
    return _plain(obj, True)


def astuple(obj):
    return tuple(astuple(v) if is_dataclass(v) else v for v in (getattr(obj, f.name) for f in fields(obj)))


def replace(obj, /, **changes):
    for f in fields(obj):
        if f.init and f.name not in changes:
            changes[f.name] = getattr(obj, f.name)
    return obj.__class__(**changes)
