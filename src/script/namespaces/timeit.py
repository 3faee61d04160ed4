# timeit -- how long a statement takes.
import time as _time

default_timer = _time.perf_counter
default_number = 1000000


class Timer:
    def __init__(self, stmt="pass", setup="pass", timer=default_timer, globals=None):
        self._timer, self._space = timer, dict(globals) if globals is not None else {}
        self._setup, self._stmt = self._function(setup), self._function(stmt)

    def _function(self, what):
        if callable(what):
            return what
        space = self._space
        return lambda: exec(what, space)

    def timeit(self, number=default_number):
        self._setup()
        stmt, timer = self._stmt, self._timer
        start = timer()
        for _ in range(number):
            stmt()
        return timer() - start

    def repeat(self, repeat=5, number=default_number):
        return [self.timeit(number) for _ in range(repeat)]

    def autorange(self, callback=None):
        i = 1
        while True:
            for j in (1, 2, 5):
                t = self.timeit(i * j)
                if callback:
                    callback(i * j, t)
                if t >= 0.2:
                    return (i * j, t)
            i *= 10


def timeit(stmt="pass", setup="pass", timer=default_timer, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(stmt="pass", setup="pass", timer=default_timer, repeat=5, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)
