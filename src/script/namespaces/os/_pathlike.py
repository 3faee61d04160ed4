# os.PathLike: whatever has __fspath__ is one.
import abc as _abc


class PathLike(metaclass=_abc.ABCMeta):
    @_abc.abstractmethod
    def __fspath__(self):
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, other):
        return cls is PathLike and hasattr(other, "__fspath__") or NotImplemented

    def __class_getitem__(cls, item):
        from _generic import GenericAlias
        return GenericAlias(cls, item)


PathLike.__module__ = "os"
