# concurrent.futures -- what is submitted runs at once, in order.
FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = "FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"


class CancelledError(Exception):
    pass


class InvalidStateError(Exception):
    pass


class BrokenExecutor(RuntimeError):
    pass


TimeoutError = TimeoutError


class Future:
    def __init__(self):
        self._done, self._cancelled, self._value, self._error, self._calls = False, False, None, None, []

    def cancel(self):
        if self._done:
            return False
        self._cancelled = self._done = True
        return True

    def cancelled(self):
        return self._cancelled

    def running(self):
        return False

    def done(self):
        return self._done

    def _need(self, timeout):
        if self._cancelled:
            raise CancelledError
        if not self._done:
            raise TimeoutError(f"nobody else runs that could set this result (timeout {timeout})")

    def result(self, timeout=None):
        self._need(timeout)
        if self._error is not None:
            raise self._error
        return self._value

    def exception(self, timeout=None):
        self._need(timeout)
        return self._error

    def _finish(self, value, error):
        if self._done:
            raise InvalidStateError("FINISHED")
        self._value, self._error, self._done = value, error, True
        for f in self._calls:
            f(self)

    def set_result(self, result):
        self._finish(result, None)

    def set_exception(self, exception):
        self._finish(None, exception)

    def add_done_callback(self, fn):
        if self._done:
            fn(self)
        else:
            self._calls.append(fn)


class Executor:
    def __init__(self, max_workers=None, initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._max_workers, self._shut = max_workers, False
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn, /, *args, **kwargs):
        if self._shut:
            raise RuntimeError("cannot schedule new futures after shutdown")
        f = Future()
        try:
            value = fn(*args, **kwargs)
        except Exception as e:
            f.set_exception(e)
        else:
            f.set_result(value)
        return f

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        futures = [self.submit(fn, *args) for args in zip(*iterables)]

        def results():
            for f in futures:
                yield f.result(timeout)
        return results()

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._shut = True

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.shutdown()
        return False


class ThreadPoolExecutor(Executor):
    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        Executor.__init__(self, max_workers, initializer, initargs)


class ProcessPoolExecutor(Executor):
    def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
        Executor.__init__(self, max_workers, initializer, initargs)


def as_completed(fs, timeout=None):
    return iter(list(fs))


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    from collections import namedtuple
    fs = list(fs)
    if return_when not in (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED):
        raise ValueError(f"Invalid return condition: {return_when!r}")
    return namedtuple("DoneAndNotDoneFutures", "done not_done")(set([f for f in fs if f.done()]),
                                                                set([f for f in fs if not f.done()]))
