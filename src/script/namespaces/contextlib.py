# contextlib -- context managers.
import functools
import sys
from abc import ABC, abstractmethod


class AbstractContextManager(ABC):
    def __enter__(self):
        return self

    @abstractmethod
    def __exit__(self, kind, value, tb):
        return None

    @classmethod
    def __subclasshook__(cls, other):
        if cls is AbstractContextManager:
            return hasattr(other, "__enter__") and hasattr(other, "__exit__")
        return NotImplemented

    __class_getitem__ = classmethod(lambda cls, item: cls)


class ContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, func):
        @functools.wraps(func)
        def inner(*args, **kwargs):
            with self._recreate_cm():
                return func(*args, **kwargs)
        return inner


class _Manager(ContextDecorator):
    def __init__(self, func, args, kwargs):
        self.gen = func(*args, **kwargs)
        self.func, self.args, self.kwds = func, args, kwargs

    def _recreate_cm(self):     # a generator runs once
        return type(self)(self.func, self.args, self.kwds)

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, value, tb):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(value)
        except StopIteration as e:
            return e is not value
        except RuntimeError as e:
            if e is value:
                return False
            raise
        except BaseException as e:
            if e is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(func):
    @functools.wraps(func)
    def make(*args, **kwargs):
        return _Manager(func, args, kwargs)
    return make


class suppress:
    def __init__(self, *exceptions):
        self.exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, kind, value, tb):
        return kind is not None and issubclass(kind, self.exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *exc):
        pass


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exc):
        self.thing.close()


class _Redirected:
    def __init__(self, new_target):
        self._new = new_target
        self._old = []

    def __enter__(self):
        self._old.append(getattr(sys, self._stream))
        setattr(sys, self._stream, self._new)
        return self._new

    def __exit__(self, kind, value, tb):
        setattr(sys, self._stream, self._old.pop())


class redirect_stdout(_Redirected):
    _stream = "stdout"


class redirect_stderr(_Redirected):
    _stream = "stderr"


class ExitStack:
    def __init__(self):
        self.stack = []

    def enter_context(self, cm):
        value = cm.__enter__()
        self.stack.append(lambda kind, value, tb: cm.__exit__(kind, value, tb))
        return value

    def callback(self, fn, *args, **kwargs):
        self.stack.append(lambda kind, value, tb: fn(*args, **kwargs) and False)
        return fn

    def push(self, exit):
        self.stack.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
        return exit

    def pop_all(self):
        other = type(self)()
        other.stack, self.stack = self.stack, []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, tb):
        pending = value
        while self.stack:
            fn = self.stack.pop()
            try:
                if fn(type(pending) if pending is not None else None, pending, None):
                    pending = None
            except BaseException as e:
                pending = e
        if pending is not None and pending is not value:
            raise pending
        return value is not None and pending is None
