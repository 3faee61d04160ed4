# abc -- abstract base classes: a class with an abstract method cannot be instantiated, and other classes can be
# registered as if they derived from it.


def abstractmethod(f):
    f.__isabstractmethod__ = True
    return f


def abstractproperty(f):
    f.__isabstractmethod__ = True
    return property(f)


def _is_abstract(v):
    if isinstance(v, property):
        return any(getattr(f, "__isabstractmethod__", False) for f in (v.fget, v.fset, v.fdel))
    if isinstance(v, (classmethod, staticmethod)):
        v = v.__func__
    return bool(getattr(v, "__isabstractmethod__", False))


def _find(cls, name):
    for c in cls.__mro__:
        if name in c.__dict__:
            return c.__dict__[name]
    return None


def update_abstractmethods(cls):
    names = {n for n, v in cls.__dict__.items() if _is_abstract(v)}
    for base in cls.__bases__:
        for n in getattr(base, "__abstractmethods__", ()):
            if _is_abstract(_find(cls, n)):
                names.add(n)
    cls.__abstractmethods__ = frozenset(names)
    return cls


class ABCMeta(type):
    def __new__(mcls, name, bases, namespace, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace, **kwargs)
        cls._abc_registry = []
        return update_abstractmethods(cls)

    def register(cls, subclass):
        cls._abc_registry.append(subclass)
        return subclass

    def __instancecheck__(cls, instance):
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, subclass):
        hook = cls.__subclasshook__(subclass)
        if hook is not NotImplemented:
            return hook
        if super().__subclasscheck__(subclass):
            return True
        for c in cls._abc_registry:
            if issubclass(subclass, c):
                return True
        for c in cls.__subclasses__():
            if type(c)._has_registered(c) and issubclass(subclass, c):
                return True
        return False

    def _has_registered(cls):
        return bool(cls.__dict__.get("_abc_registry")) or any(ABCMeta._has_registered(c) for c in cls.__subclasses__())


class ABC(metaclass=ABCMeta):
    @classmethod
    def __subclasshook__(cls, subclass):
        return NotImplemented


def get_cache_token():
    return 0
