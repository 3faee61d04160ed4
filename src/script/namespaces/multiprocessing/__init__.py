# multiprocessing -- a process that is started runs beside this one, with copies of its objects. Where something is made that
# processes share (a queue, a value, memory of tensors) they run in this process instead, one after another, each to its end when
# it is started: so they see each other's changes.
import os as _os
import queue as _queue
import sys as _sys
import threading as _threading

_method = [None]
_current = []       # those that run here
_forked = []        # this process, if it is one that was started
shared = [False]    # has something been made that processes share?


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
        if shared[0]:
            self._run_here()
        else:
            self._fork()

    def _fork(self):
        self._started = True
        self.pid = _os.fork()
        if self.pid == 0:
            _forked.append(self)
            self.pid = _os.getpid()
            _os._exit(self._outcome())

    def _run_here(self):
        self._started, self.pid = True, _os.getpid() + Process._number[0]
        _current.append(self)
        try:
            self.exitcode = self._outcome()
        finally:
            _current.pop()

    def _outcome(self):
        # Its exit code.
        try:
            self.run()
        except SystemExit as e:
            return e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        except Exception:
            import traceback
            print(f"Process {self.name}:", file=_sys.stderr)
            traceback.print_exc()
            return 1
        return 0

    def _look(self, options):
        # Has it ended?
        if self.exitcode is None and self._started and self not in _current:
            pid, status = _os.waitpid(self.pid, options)
            if pid:
                self.exitcode = _os.waitstatus_to_exitcode(status)

    def join(self, timeout=None):
        if not self._started:
            raise AssertionError("can only join a started process")
        if timeout is None:
            self._look(0)
            return
        import time
        until = time.time() + timeout
        while self.is_alive() and time.time() < until:
            time.sleep(0.002)

    def is_alive(self):
        self._look(_os.WNOHANG)
        return self._started and self.exitcode is None and self not in _current

    def terminate(self):
        if self.is_alive():
            _os.kill(self.pid, 15)

    def kill(self):
        if self.is_alive():
            _os.kill(self.pid, 9)

    def close(self):
        pass


class _Main(Process):
    def __init__(self):
        self.name, self.daemon, self.pid, self.exitcode = "MainProcess", False, _os.getpid(), None


_main = _Main()


def current_process():
    return _current[-1] if _current else _forked[0] if _forked else _main


def parent_process():
    return _main if _current or _forked else None


def active_children():
    return []


class _SimpleQueue(_queue.SimpleQueue):
    def close(self):
        pass


def _sharing(make):
    # A function that makes something that processes share.
    def made(*args, **kwargs):
        shared[0] = True
        return make(*args, **kwargs)
    return made


Queue = JoinableQueue = _sharing(_queue.Queue)
SimpleQueue = _sharing(_SimpleQueue)
Lock, RLock, Event = _sharing(_threading.Lock), _sharing(_threading.RLock), _sharing(_threading.Event)
Condition, Semaphore = _sharing(_threading.Condition), _sharing(_threading.Semaphore)
BoundedSemaphore = _sharing(_threading.BoundedSemaphore)


class Barrier:
    # the one process that comes to it is all of them
    def __init__(self, parties, action=None, timeout=None):
        shared[0] = True
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
    shared[0] = True
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
    shared[0] = True
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
    Queue, Lock, RLock, Event = staticmethod(Queue), staticmethod(Lock), staticmethod(RLock), staticmethod(Event)
    Value, Array = staticmethod(Value), staticmethod(Array)

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
    shared[0] = True
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
