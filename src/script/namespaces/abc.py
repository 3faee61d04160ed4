# abc -- abstract base classes: a class with an abstract method cannot be instantiated.


def abstractmethod(f):
    f.__isabstractmethod__ = True
    return f


def _abstract(cls):
    return sorted([n for n in dir(cls) if getattr(getattr(cls, n, None), "__isabstractmethod__", False)])


class ABC:
    def __new__(cls, *args, **kwargs):
        names = _abstract(cls)
        if names:
            s = "s" if len(names) > 1 else ""
            raise TypeError(f"Can't instantiate abstract class {cls.__name__} with abstract method{s} {', '.join(names)}")
        return super().__new__(cls)
