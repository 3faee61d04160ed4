# itertools -- iterators, as generators.
def count(start=0, step=1):
    n = start
    while True:
        yield n
        n += step


def cycle(iterable):
    saved = []
    for x in iterable:
        yield x
        saved.append(x)
    while saved:
        for x in saved:
            yield x


def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    for _ in range(times):
        yield object


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
    pools = [tuple(p) for p in iterables] * repeat
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
    pool = tuple(iterable)
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
    pool = tuple(iterable)
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
    pool = tuple(iterable)
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
