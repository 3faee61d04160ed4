# multiprocessing -- one process: what is started runs to its end at once, as threads here do. It sees this process's objects,
# not copies of them, and its exit code is kept.
import os as _os
import queue as _queue
import sys as _sys
import threading as _threading

_method = [None]
_current = []


class ProcessError(Exception):
    pass


class TimeoutError(ProcessError):
    pass


def cpu_count():
    return _os.cpu_count() or 1


def get_all_start_methods():
    return ["fork", "spawn", "forkserver"]


def set_start_method(method, force=False):
    if _method[0] is not None and not force:
        raise RuntimeError("context has already been set")
    if method not in get_all_start_methods() and method is not None:
        raise ValueError(f"cannot find context for {method!r}")
    _method[0] = method


def get_start_method(allow_none=False):
    return _method[0] or (None if allow_none else "fork")


def freeze_support():
    pass


class Process:
    _number = [0]

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        if group is not None:
            raise AssertionError("group argument must be None for now")
        Process._number[0] += 1
        self._target, self._args, self._kwargs = target, args, kwargs or {}
        self.name, self.daemon = name or f"Process-{Process._number[0]}", bool(daemon)
        self.exitcode, self.pid, self._started = None, None, False

    def run(self):
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def start(self):
        if self._started:
            raise AssertionError("cannot start a process twice")
        self._started, self.pid = True, _os.getpid() + Process._number[0]
        _current.append(self)
        try:
            self.run()
            self.exitcode = 0
        except SystemExit as e:
            self.exitcode = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        except Exception as e:
            import traceback
            self.exitcode = 1
            print(f"Process {self.name}:", file=_sys.stderr)
            traceback.print_exc()
        finally:
            _current.pop()

    def join(self, timeout=None):
        if not self._started:
            raise AssertionError("can only join a started process")

    def is_alive(self):
        return False

    def terminate(self):
        pass

    kill = close = terminate


class _Main(Process):
    def __init__(self):
        self.name, self.daemon, self.pid, self.exitcode = "MainProcess", False, _os.getpid(), None


_main = _Main()


def current_process():
    return _current[-1] if _current else _main


def parent_process():
    return _main if _current else None


def active_children():
    return []


Queue = JoinableQueue = _queue.Queue


class SimpleQueue(_queue.SimpleQueue):
    def close(self):
        pass


Lock, RLock, Event = _threading.Lock, _threading.RLock, _threading.Event
Condition, Semaphore, BoundedSemaphore = _threading.Condition, _threading.Semaphore, _threading.BoundedSemaphore


class Barrier:
    # the one process that comes to it is all of them
    def __init__(self, parties, action=None, timeout=None):
        self.parties, self._action, self._timeout = parties, action, timeout

    def wait(self, timeout=None):
        if self.parties > 1:
            raise RuntimeError(f"Barrier: {self.parties} processes wait for each other; here one runs after another "
                               f"(timeout {timeout or self._timeout})")
        if self._action is not None:
            self._action()
        return 0


class _Value:
    def __init__(self, value):
        self.value, self._lock = value, RLock()

    def get_lock(self):
        return self._lock

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, kind, value, trace):
        return self._lock.__exit__(kind, value, trace)


def Value(typecode_or_type, *args, lock=True):
    kind = {"i": int, "l": int, "q": int, "I": int, "L": int, "b": int, "h": int, "d": float, "f": float}.get(typecode_or_type)
    return _Value((kind or typecode_or_type)(*args))


def Array(typecode_or_type, size_or_initializer, *, lock=True):
    if isinstance(size_or_initializer, int):
        return [0.0 if typecode_or_type in ("d", "f") else 0] * size_or_initializer
    return list(size_or_initializer)


RawValue, RawArray = Value, Array


class _Connection:
    def __init__(self, inbox, outbox):
        self._in, self._out = inbox, outbox

    def send(self, obj):
        self._out.append(obj)

    def recv(self):
        if not self._in:
            raise EOFError
        return self._in.pop(0)

    def poll(self, timeout=0.0):
        return bool(self._in) or (timeout is None and False)

    def close(self):
        pass


def Pipe(duplex=True):
    a, b = [], []
    return _Connection(a, b), _Connection(b, a if duplex else [])


class _Result:
    def __init__(self, f):
        try:
            self._value, self._error = f(), None
        except Exception as e:
            self._value, self._error = None, e

    def get(self, timeout=None):
        if self._error is not None:
            raise self._error
        return self._value

    def wait(self, timeout=None):
        pass

    def ready(self):
        return True

    def successful(self):
        return self._error is None


class Pool:
    def __init__(self, processes=None, initializer=None, initargs=(), maxtasksperchild=None):
        self._processes = processes or cpu_count()
        if initializer is not None:
            initializer(*initargs)

    def map(self, func, iterable, chunksize=None):
        return [func(x) for x in iterable]

    def starmap(self, func, iterable, chunksize=None):
        return [func(*x) for x in iterable]

    def imap(self, func, iterable, chunksize=1):
        return iter([func(x) for x in iterable])

    imap_unordered = imap

    def apply(self, func, args=(), kwds=None):
        return func(*args, **(kwds or {}))

    def apply_async(self, func, args=(), kwds=None, callback=None, error_callback=None):
        r = _Result(lambda: func(*args, **(kwds or {})))
        if r.successful() and callback is not None:
            callback(r._value)
        elif not r.successful() and error_callback is not None:
            error_callback(r._error)
        return r

    def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self.apply_async(self.map, (func, iterable, chunksize), None, callback, error_callback)

    def starmap_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self.apply_async(self.starmap, (func, iterable, chunksize), None, callback, error_callback)

    def close(self):
        pass

    terminate = join = close

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False


class _Manager:
    Queue, Lock, RLock, Event, Value, Array = Queue, Lock, RLock, Event, staticmethod(Value), staticmethod(Array)

    def dict(self, *args, **kwargs):
        return dict(*args, **kwargs)

    def list(self, sequence=()):
        return list(sequence)

    def Namespace(self, **kwargs):
        from types import SimpleNamespace
        return SimpleNamespace(**kwargs)

    def shutdown(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return False


def Manager():
    return _Manager()


def get_context(method=None):
    if method is not None and method not in get_all_start_methods():
        raise ValueError(f"cannot find context for {method!r}")
    return _sys.modules["multiprocessing"]


def get_logger():
    import logging
    return logging.getLogger("multiprocessing")


def __getattr__(name):
    if name in ("pool", "managers", "queues", "connection", "process"):
        return __import__("multiprocessing." + name)
    raise AttributeError(f"module 'multiprocessing' has no attribute '{name}'")
