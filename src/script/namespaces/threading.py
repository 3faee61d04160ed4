# threading -- one thread: what is started runs to its end at once, so that nothing waits for another. A daemon, which may
# end with the program before it has done anything, runs when it is joined.
import time as _time

TIMEOUT_MAX = 4294967.0
_count = [0]


class Thread:
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        if group is not None:
            raise AssertionError("group argument must be None for now")
        _count[0] += 1
        self.name = name or f"Thread-{_count[0]}"
        self._target, self._args, self._kwargs = target, args, kwargs or {}
        self.daemon, self.ident, self._started = bool(daemon), None, False

    def start(self):
        if self._started:
            raise RuntimeError("threads can only be started once")
        self._started, self.ident = True, _count[0]
        self._waits = self.daemon
        if not self._waits:
            self._go()

    _waits = False

    def _go(self):
        self._waits = False
        outer = _current[0]
        _current[0] = self
        try:
            self.run()
        finally:
            _current[0] = outer

    def run(self):
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout=None):
        if not self._started:
            raise RuntimeError("cannot join thread before it is started")
        if self._waits:
            self._go()

    def is_alive(self):
        return self._waits

    def setDaemon(self, daemon):
        self.daemon = daemon


class _Main(Thread):
    def __init__(self):
        super().__init__(name="MainThread")
        self.ident, self._started = 1, True

    def is_alive(self):
        return True


_main = _Main()
_current = [_main]


def current_thread():
    return _current[0]


def main_thread():
    return _main


def get_ident():
    return _current[0].ident


get_native_id, currentThread = get_ident, current_thread


def active_count():
    return 1


def enumerate():
    return [_main]


class Lock:
    def __init__(self):
        self._held = 0

    def acquire(self, blocking=True, timeout=-1):
        if self._held and self._once:
            if not blocking or timeout >= 0:
                return False
            raise RuntimeError("deadlock: the one thread there is waits for itself")
        self._held += 1
        return True

    _once = True

    def release(self):
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held -= 1

    def locked(self):
        return self._held > 0

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *args):
        self.release()


class RLock(Lock):
    _once = False


class Semaphore:
    def __init__(self, value=1):
        self._value = value

    def acquire(self, blocking=True, timeout=None):
        if self._value <= 0:
            if not blocking or timeout is not None:
                return False
            raise RuntimeError("deadlock: the one thread there is waits for itself")
        self._value -= 1
        return True

    def release(self, n=1):
        self._value += n

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *args):
        self.release()


BoundedSemaphore = Semaphore


class Event:
    def __init__(self):
        self._set = False

    def is_set(self):
        return self._set

    isSet = is_set

    def set(self):
        self._set = True

    def clear(self):
        self._set = False

    def wait(self, timeout=None):
        if not self._set and timeout is None:
            raise RuntimeError("deadlock: the one thread there is waits for itself")
        return self._set


class Condition(RLock):
    def __init__(self, lock=None):
        super().__init__()
        self._lock = lock

    def wait(self, timeout=None):
        if timeout is None:
            raise RuntimeError("deadlock: the one thread there is waits for itself")
        return False

    def notify(self, n=1):
        if n < 0:
            raise ValueError("n must not be negative")

    def notify_all(self):
        pass


class local:
    pass


class Timer(Thread):
    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__(target=function, args=args or (), kwargs=kwargs)
        self.interval = interval

    def run(self):
        _time.sleep(self.interval)
        super().run()

    def cancel(self):
        self._target = None
