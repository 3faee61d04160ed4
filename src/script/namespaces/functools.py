# functools -- partial, reduce, wraps, caches and orderings.
from _host import left_by_file as _left_by_file


def _held(func):
    # A closure, which the machine remembers the maker of.
    return lambda *args, **keywords: func(*args, **keywords)


class partial:
    def __init__(self, func, /, *args, **keywords):
        if not callable(func):
            raise TypeError("the first argument must be callable")
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = _held(func) if _left_by_file() else func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        if not self.keywords and not keywords:
            return self.func(*self.args, *args)
        return self.func(*self.args, *args, **{**self.keywords, **keywords})

    def __repr__(self):
        parts = [repr(self.func)]
        parts.extend(repr(a) for a in self.args)
        parts.extend(f"{k}={v!r}" for k, v in self.keywords.items())
        return "functools.partial(" + ", ".join(parts) + ")"


_none = object()


def reduce(function, sequence, initial=_none):
    it = iter(sequence)
    if initial is _none:
        value = next(it, _none)
        if value is _none:
            raise TypeError("reduce() of empty iterable with no initial value")
    else:
        value = initial
    for x in it:
        value = function(value, x)
    return value


WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")
WRAPPER_UPDATES = ("__dict__",)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    for name in assigned:
        if hasattr(wrapped, name):
            try:
                setattr(wrapper, name, getattr(wrapped, name))
            except AttributeError:
                pass
    for name in updated:
        try:
            getattr(wrapper, name).update(getattr(wrapped, name, {}))
        except AttributeError:
            pass
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    def decorate(wrapper):
        return update_wrapper(wrapper, wrapped, assigned, updated)
    return decorate


class _CacheInfo(tuple):
    def __repr__(self):
        return f"CacheInfo(hits={self[0]}, misses={self[1]}, maxsize={self[2]}, currsize={self[3]})"

    @property
    def hits(self):
        return self[0]

    @property
    def misses(self):
        return self[1]

    @property
    def maxsize(self):
        return self[2]

    @property
    def currsize(self):
        return self[3]


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return lru_cache(128, typed)(maxsize)

    def decorate(fn):
        store = {}
        counts = [0, 0]

        def wrapper(*args, **kwargs):
            key = (args, tuple(kwargs.items())) if kwargs else args
            if typed:
                key = (key, tuple(type(x) for x in args), tuple(type(x) for x in kwargs.values()))
            elif not kwargs and len(args) == 1 and type(args[0]) in (int, str):
                key = args[0]  # so that 1 and 1.0 are two
            if key in store:
                counts[0] += 1
                value = store[key]
                if maxsize is not None:
                    del store[key]
                    store[key] = value
                return value
            counts[1] += 1
            value = fn(*args, **kwargs)
            if maxsize != 0:
                if maxsize is not None and len(store) >= maxsize:
                    del store[next(iter(store))]
                store[key] = value
            return value

        def cache_info():
            return _CacheInfo((counts[0], counts[1], maxsize, len(store)))

        def cache_clear():
            store.clear()
            counts[0] = counts[1] = 0

        wrapper.cache_info = cache_info
        wrapper.cache_clear = cache_clear
        wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
        return update_wrapper(wrapper, fn)
    return decorate


def cache(fn):
    return lru_cache(None)(fn)


class cached_property:
    def __init__(self, func):
        self.func = func
        self.name = func.__name__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        value = self.func(instance)
        instance.__dict__[self.name] = value
        return value


def cmp_to_key(compare):
    class Key:
        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return compare(self.obj, other.obj) < 0

        def __gt__(self, other):
            return compare(self.obj, other.obj) > 0

        def __eq__(self, other):
            return compare(self.obj, other.obj) == 0
    return Key


def total_ordering(cls):
    names = cls.__dict__
    if "__lt__" in names:
        if "__gt__" not in names:
            cls.__gt__ = lambda self, other: other < self
        if "__le__" not in names:
            cls.__le__ = lambda self, other: self < other or self == other
        if "__ge__" not in names:
            cls.__ge__ = lambda self, other: not self < other
    elif "__gt__" in names:
        cls.__lt__ = lambda self, other: other > self
        if "__ge__" not in names:
            cls.__ge__ = lambda self, other: self > other or self == other
        if "__le__" not in names:
            cls.__le__ = lambda self, other: not self > other
    elif "__le__" in names:
        cls.__ge__ = lambda self, other: other <= self
        cls.__lt__ = lambda self, other: self <= other and not self == other
        cls.__gt__ = lambda self, other: not self <= other
    elif "__ge__" in names:
        cls.__le__ = lambda self, other: other >= self
        cls.__gt__ = lambda self, other: self >= other and not self == other
        cls.__lt__ = lambda self, other: not self >= other
    else:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    return cls

class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        self.func, self.args, self.keywords = func, args, keywords

    def __get__(self, obj, cls=None):
        if obj is None:
            return partial(self.func, *self.args, **self.keywords)
        return partial(self.func, obj, *self.args, **self.keywords)

def _first_annotation(func):
    from typing import get_type_hints
    hints = {k: v for k, v in get_type_hints(func).items() if k != "return"}
    if not hints:
        raise TypeError(f"Invalid first argument to `register()`: {func!r}. Use either `@register(some_class)` or plain `@register` "
                        "on an annotated function.")
    return next(iter(hints.values()))


def singledispatch(func):
    table = {object: func}

    def register(cls, f=None):
        if f is None:
            if isinstance(cls, type):
                return lambda f: register(cls, f)
            f, cls = cls, _first_annotation(cls)
        for c in getattr(cls, "__args__", None) or (cls,):
            table[c] = f
        return f

    def dispatch(cls):
        for c in cls.__mro__[:-1]:
            if c in table:
                return table[c]
        for c, f in table.items():
            if c is not object and issubclass(cls, c):
                return f
        return table[object]

    def wrapper(*args, **kwargs):
        if not args:
            raise TypeError(f"{func.__name__} requires at least 1 positional argument")
        return dispatch(type(args[0]))(*args, **kwargs)

    wrapper.register, wrapper.dispatch, wrapper.registry = register, dispatch, table
    return update_wrapper(wrapper, func)


class singledispatchmethod:
    def __init__(self, func):
        if not callable(func) and not hasattr(func, "__get__"):
            raise TypeError(f"{func!r} is not callable or a descriptor")
        self.func = func
        self.dispatcher = singledispatch(getattr(func, "__func__", func))

    def register(self, cls, method=None):
        if method is None and not isinstance(cls, type):
            self.dispatcher.register(_first_annotation(getattr(cls, "__func__", cls)), cls)
            return cls
        return self.dispatcher.register(cls, method)

    def __get__(self, obj, cls=None):
        def method(*args, **kwargs):
            f = self.dispatcher.dispatch(type(args[0]))
            if f is getattr(self.func, "__func__", self.func):
                f = self.func
            return f.__get__(obj, cls)(*args, **kwargs)
        method.register = self.register
        return update_wrapper(method, getattr(self.func, "__func__", self.func))
