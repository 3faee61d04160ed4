# itertools -- iterators, as generators.
class count:
    def __init__(self, start=0, step=1):
        if not (hasattr(start, "__add__") and not isinstance(start, (str, bytes, list, tuple))):
            raise TypeError("a number is required")
        self._n, self._step = start, step
        self._it = self._go()

    def _go(self):
        while True:
            n = self._n
            self._n = n + self._step
            yield n

    def __iter__(self):
        return self._it

    def __next__(self):
        return next(self._it)

    def __repr__(self):
        return f"count({self._n!r})" if self._step == 1 and isinstance(self._step, int) else f"count({self._n!r}, {self._step!r})"


def cycle(iterable):
    saved = []
    for x in iterable:
        yield x
        saved.append(x)
    while saved:
        for x in saved:
            yield x


class repeat:
    def __init__(self, object, times=None):
        self._object, self._left = object, None if times is None else max(times.__index__(), 0)
        self._it = self._go()

    def _go(self):
        object = self._object
        if self._left is None:
            while True:
                yield object
        while self._left > 0:
            self._left -= 1
            yield object

    def __iter__(self):
        return self._it

    def __next__(self):
        return next(self._it)

    def __length_hint__(self):
        if self._left is None:
            raise TypeError("len() of unsized object")
        return self._left

    def __repr__(self):
        return f"repeat({self._object!r})" if self._left is None else f"repeat({self._object!r}, {self._left})"


class chain:
    def __init__(self, *iterables):
        self._it = _chain(iterables)

    def __iter__(self):
        return self._it

    def __next__(self):
        return next(self._it)

    @classmethod
    def from_iterable(cls, iterables):
        return _chain(iterables)


def _chain(iterables):
    for it in iterables:
        for x in it:
            yield x


def islice(iterable, *args):
    if len(args) == 1:
        start, stop, step = 0, args[0], 1
    else:
        start, stop, step = (*args, None)[:3]
        start = 0 if start is None else start
        step = 1 if step is None else step
    if len(args) == 1 and (not isinstance(stop, (int, type(None))) or (stop is not None and stop < 0)):
        raise ValueError("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if start < 0 or (stop is not None and stop < 0) or step < 1:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    return _islice(iter(iterable), start, stop, step)


def _islice(it, start, stop, step):
    i = 0
    wanted = start
    if stop is not None and start >= stop:
        return
    for x in it:
        if i == wanted:
            yield x
            wanted += step
        i += 1
        if stop is not None and i >= stop:
            return


def takewhile(predicate, iterable):
    for x in iterable:
        if not predicate(x):
            break
        yield x


def dropwhile(predicate, iterable):
    it = iter(iterable)
    for x in it:
        if not predicate(x):
            yield x
            break
    for x in it:
        yield x


def filterfalse(predicate, iterable):
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def accumulate(iterable, func=None, *, initial=None):
    it = iter(iterable)
    total = initial
    if initial is None:
        for total in it:
            break
        else:
            return
    yield total
    for x in it:
        total = total + x if func is None else func(total, x)
        yield total


def compress(data, selectors):
    for d, s in zip(data, selectors):
        if s:
            yield d


def pairwise(iterable):
    it = iter(iterable)
    for a in it:
        break
    else:
        return
    for b in it:
        yield a, b
        a = b


def zip_longest(*args, fillvalue=None):
    its = [iter(a) for a in args]
    live = len(its)
    if not live:
        return
    done = object()
    while True:
        values = []
        for i, it in enumerate(its):
            v = fillvalue if it is None else next(it, done)
            if v is done:
                live -= 1
                if not live:
                    return
                its[i] = None
                v = fillvalue
            values.append(v)
        yield tuple(values)


def product(*iterables, repeat=1):
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    return _product([tuple(p) for p in iterables] * repeat)


def _product(pools):
    n = len(pools)
    if any(not p for p in pools):
        return
    at = [0] * n
    while True:
        yield tuple(pools[i][at[i]] for i in range(n))
        i = n - 1
        while i >= 0:
            at[i] += 1
            if at[i] < len(pools[i]):
                break
            at[i] = 0
            i -= 1
        if i < 0:
            return


def permutations(iterable, r=None):
    if r is not None and r < 0:
        raise ValueError("r must be non-negative")
    return _permutations(tuple(iterable), r)


def _permutations(pool, r):
    n = len(pool)
    r = n if r is None else r
    if r > n:
        return
    indices = list(range(n))
    cycles = list(range(n, n - r, -1))
    yield tuple(pool[i] for i in indices[:r])
    while n:
        for i in reversed(range(r)):
            cycles[i] -= 1
            if cycles[i] == 0:
                indices[i:] = indices[i + 1:] + indices[i:i + 1]
                cycles[i] = n - i
            else:
                j = cycles[i]
                indices[i], indices[-j] = indices[-j], indices[i]
                yield tuple(pool[i] for i in indices[:r])
                break
        else:
            return


def combinations(iterable, r):
    if r is not None and r < 0:
        raise ValueError("r must be non-negative")
    return _combinations(tuple(iterable), r)


def _combinations(pool, r):
    n = len(pool)
    if r > n:
        return
    at = list(range(r))
    while True:
        yield tuple(pool[i] for i in at)
        for i in reversed(range(r)):
            if at[i] != i + n - r:
                break
        else:
            return
        at[i] += 1
        for j in range(i + 1, r):
            at[j] = at[j - 1] + 1


def combinations_with_replacement(iterable, r):
    if r is not None and r < 0:
        raise ValueError("r must be non-negative")
    return _combinations_with_replacement(tuple(iterable), r)


def _combinations_with_replacement(pool, r):
    n = len(pool)
    if not n and r:
        return
    at = [0] * r
    while True:
        yield tuple(pool[i] for i in at)
        for i in reversed(range(r)):
            if at[i] != n - 1:
                break
        else:
            return
        at[i:] = [at[i] + 1] * (r - i)


def groupby(iterable, key=None):
    group = []
    current = None
    for x in iterable:
        k = x if key is None else key(x)
        if group and k == current:
            group.append(x)
        else:
            if group:
                yield current, iter(group)
            group = [x]
            current = k
    if group:
        yield current, iter(group)


def tee(iterable, n=2):
    it = iter(iterable)
    queues = [[] for _ in range(n)]

    def one(mine):
        while True:
            if not mine:
                try:
                    v = next(it)
                except StopIteration:
                    return
                for q in queues:
                    q.append(v)
            yield mine.pop(0)
    return tuple(one(q) for q in queues)


def batched(iterable, n):
    batch = []
    for x in iterable:
        batch.append(x)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)
