# _generic -- list[int] and int | None: what the machine makes of classes that are subscripted or joined.


def _text(a):
    if a is ...:
        return "..."
    if isinstance(a, list):
        return "[" + ", ".join(_text(x) for x in a) + "]"
    if isinstance(a, type):
        return a.__qualname__ if a.__module__ in ("builtins", None) else f"{a.__module__}.{a.__qualname__}"
    return repr(a)


# Type variables in the arguments, in the order they appear.
def parameters(args):
    out = []
    for a in args:
        if isinstance(a, (list, tuple)):
            more = parameters(a)
        elif getattr(a, "_is_type_var", False):
            more = (a,)
        else:
            more = getattr(a, "__parameters__", ()) if not isinstance(a, type) else ()
        for p in more:
            if p not in out:
                out.append(p)
    return tuple(out)


def substitute(args, params, given):
    if not params:
        raise TypeError("there are no type variables left")
    if len(params) == 1 and params[0]._takes_many and (not isinstance(given, tuple) or len(given) != 1):
        given = (list(given) if isinstance(given, tuple) else given,)
    given = given if isinstance(given, tuple) else (given,)
    if len(given) != len(params):
        raise TypeError(f"Too {'many' if len(given) > len(params) else 'few'} arguments; actual {len(given)}, expected {len(params)}")
    put = dict(zip(params, given))

    def one(a):
        if getattr(a, "_is_type_var", False):
            return put.get(a, a)
        if isinstance(a, list):
            return [one(x) for x in a]
        own = getattr(a, "__parameters__", ()) if not isinstance(a, type) else ()
        return a[tuple(put.get(p, p) for p in own)] if own else a
    return tuple(one(a) for a in args)


class GenericAlias:
    __module__ = "types"

    def __init__(self, origin, args):
        args = args if isinstance(args, tuple) else (args,)
        self.__dict__.update(__origin__=origin, __args__=args, __parameters__=parameters(args))

    def __call__(self, *args, **kwargs):
        made = self.__origin__(*args, **kwargs)
        try:
            made.__orig_class__ = self
        except (AttributeError, TypeError):
            pass
        return made

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name not in ("__name__", "__qualname__", "__module__", "__doc__", "__mro__"):
            raise AttributeError(name)
        return getattr(self.__origin__, name)

    def __getitem__(self, args):
        return GenericAlias(self.__origin__, substitute(self.__args__, self.__parameters__, args))

    def __mro_entries__(self, bases):
        return (self.__origin__,)

    def __eq__(self, other):
        if not isinstance(other, GenericAlias):
            return NotImplemented
        return self.__origin__ is other.__origin__ and self.__args__ == other.__args__

    def __hash__(self):
        return hash((self.__origin__, self.__args__))

    def __or__(self, other):
        return union(self, other)

    def __ror__(self, other):
        return union(other, self)

    def __instancecheck__(self, obj):
        raise TypeError("isinstance() argument 2 cannot be a parameterized generic")

    def __subclasscheck__(self, cls):
        raise TypeError("issubclass() argument 2 cannot be a parameterized generic")

    def __reduce__(self):
        return GenericAlias, (self.__origin__, self.__args__)

    def __iter__(self):
        yield self

    def __repr__(self):
        args = ", ".join(_text(a) for a in self.__args__) or "()"
        return f"{_text(self.__origin__)}[{args}]"


# Arguments are those of unions in it, each once.
def flat(args):
    out = []
    for a in args:
        a = type(None) if a is None else a
        for x in a.__args__ if getattr(a, "_is_union", False) else (a,):
            if not any(x is y or x == y for y in out):
                out.append(x)
    return tuple(out)


class UnionType:
    __module__ = "types"
    _is_union = True

    def __init__(self, args):
        self.__dict__.update(__args__=args, __parameters__=parameters(args))

    def __or__(self, other):
        return union(self, other)

    def __ror__(self, other):
        return union(other, self)

    def __eq__(self, other):
        if not getattr(other, "_is_union", False):
            return NotImplemented
        return set(self.__args__) == set(other.__args__)

    def __hash__(self):
        return hash(frozenset(self.__args__))

    def __getitem__(self, given):
        return join(substitute(self.__args__, self.__parameters__, given))

    def __instancecheck__(self, obj):
        return any(isinstance(obj, a) for a in self.__args__)

    def __subclasscheck__(self, cls):
        return any(issubclass(cls, a) for a in self.__args__)

    def __repr__(self):
        return " | ".join("None" if a is type(None) else _text(a) for a in self.__args__)


def join(args):
    args = flat(args)
    return args[0] if len(args) == 1 else UnionType(args)


# a | b, where one of them is a class. Forms of typing have a union of their own; what is no type declines.
def union(a, b):
    for x in (a, b):
        if not (x is None or isinstance(x, (type, GenericAlias, UnionType)) or getattr(x, "_is_type", False)):
            return NotImplemented
    if getattr(b, "_is_type", False) and not isinstance(b, (type, GenericAlias, UnionType)):
        return b.__ror__(a)
    if getattr(a, "_is_type", False) and not isinstance(a, (type, GenericAlias, UnionType)):
        return a.__or__(b)
    return join((a, b))
