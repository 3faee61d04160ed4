# Code of the script that runs inside an operation on a container, and changes that
# container: every special method, every change, every operation. Each gives a value or
# raises; with sanitizers, or WEFT_POOLS=off and valgrind, nothing freed is read.
import copy, collections, functools, json

victim = None
change = None
left = 0


def strike():
    """Changes the victim, a few times in a run"""
    global left
    if left > 0:
        left -= 1
        change(victim)


class Evil:
    def __init__(self, method):
        self.method = method

    def __eq__(self, other):
        if self.method == 'eq':
            strike()
        return self is other

    def __lt__(self, other):
        if self.method == 'lt':
            strike()
        return id(self) < id(other)

    def __hash__(self):
        if self.method == 'hash':
            strike()
        return 1

    def __index__(self):
        if self.method == 'index':
            strike()
        return 1

    def __repr__(self):
        if self.method == 'repr':
            strike()
        return 'evil'

    def __iter__(self):
        if self.method == 'iter':
            strike()
        return iter([1, 2])

    def __len__(self):
        if self.method == 'len':
            strike()
        return 2

    def __bool__(self):
        if self.method == 'bool':
            strike()
        return True

    def __add__(self, other):
        if self.method == 'add':
            strike()
        return 1

    __radd__ = __add__

    def __call__(self, *args):
        if self.method == 'call':
            strike()
        return 1

    def __del__(self):
        if self.method == 'del':
            strike()

    def __getitem__(self, k):
        if self.method == 'getitem':
            strike()
        if k > 1:
            raise IndexError
        return k

    def __deepcopy__(self, memo):
        if self.method == 'deepcopy':
            strike()
        return self


METHODS = ['eq', 'lt', 'hash', 'index', 'repr', 'iter', 'len', 'bool', 'add', 'call', 'del', 'getitem', 'deepcopy']


def grow(c):
    for i in range(40):
        if isinstance(c, list):
            c.append(i)
        elif isinstance(c, dict):
            c[i] = i
        else:
            c.add(i)


def shrink(c):
    if len(c):
        c.pop() if not isinstance(c, dict) else c.popitem()


def remake(c):
    c.clear()
    grow(c)
    c.clear()


CHANGES = [grow, shrink, remake, lambda c: c.clear()]
LISTS = [
    lambda l, e: l < [e] * 5, lambda l, e: l == [Evil(e.method) for _ in range(5)], lambda l, e: l >= l[:],
    lambda l, e: e in l, lambda l, e: l.index(Evil(e.method)), lambda l, e: l.count(e), lambda l, e: l.remove(Evil('')),
    lambda l, e: l[e], lambda l, e: l[e:], lambda l, e: l[:e], lambda l, e: l[::e], lambda l, e: l[e:e:e],
    lambda l, e: l.__setitem__(e, 5), lambda l, e: l.pop(e), lambda l, e: l.insert(e, 5), lambda l, e: l.sort(),
    lambda l, e: l.sort(key=e), lambda l, e: sorted(l, key=e), lambda l, e: l.extend(e), lambda l, e: l.extend(l),
    lambda l, e: repr(l), lambda l, e: l + [e], lambda l, e: l * 2, lambda l, e: sum(l, 0), lambda l, e: min(l),
    lambda l, e: max(l, key=e), lambda l, e: list(map(e, l)), lambda l, e: list(filter(e, l)), lambda l, e: tuple(l),
    lambda l, e: set(l), lambda l, e: dict.fromkeys(l), lambda l, e: list(zip(l, e)), lambda l, e: any(l),
    lambda l, e: copy.deepcopy(l), lambda l, e: copy.copy(l), lambda l, e: [x for x in l if x],
    lambda l, e: list(reversed(l)), lambda l, e: functools.reduce(lambda a, b: e + 1, l), lambda l, e: json.dumps(l),
    lambda l, e: '%s %r' % (l, l), lambda l, e: f'{l}', lambda l, e: collections.Counter(l), lambda l, e: (lambda *a: a)(*l),
    lambda l, e: slice(e, e, e).indices(5), lambda l, e: ' '.join(str(x) for x in l), lambda l, e: l.reverse(),
    lambda l, e: (tuple(l) < tuple(l[:])), lambda l, e: hash(tuple(l)), lambda l, e: collections.deque(l),
]
DICTS = [
    lambda d, e: dict(d), lambda d, e: {**d}, lambda d, e: {**d, e: 1}, lambda d, e: d.copy(), lambda d, e: d == dict(d),
    lambda d, e: d == {Evil(e.method): Evil(e.method) for _ in range(3)}, lambda d, e: d.update({e: 1}),
    lambda d, e: {}.update(d), lambda d, e: d[e], lambda d, e: d.get(Evil(e.method)), lambda d, e: d.pop(e),
    lambda d, e: d.setdefault(Evil(e.method), 5), lambda d, e: d.popitem(), lambda d, e: e in d,
    lambda d, e: repr(d), lambda d, e: list(d.items()), lambda d, e: (e, e) in d.items(), lambda d, e: e in d.values(),
    lambda d, e: d.keys() & [e], lambda d, e: d.keys() == {e}, lambda d, e: d | {e: 1}, lambda d, e: sorted(d.values()),
    lambda d, e: copy.deepcopy(d), lambda d, e: [k for k in d], lambda d, e: [v for v in d.values() if v],
    lambda d, e: dict(sorted(d.items())), lambda d, e: set(d), lambda d, e: list(reversed(d)),
    lambda d, e: collections.OrderedDict(d), lambda d, e: json.dumps(d), lambda d, e: max(d, key=d.get),
    lambda d, e: (lambda **k: k)(**d), lambda d, e: collections.OrderedDict(d).move_to_end(e),
    lambda d, e: dict.fromkeys(d), lambda d, e: d.__delitem__(e), lambda d, e: d.__setitem__(Evil(e.method), 1),
]
SETS = [
    lambda s, e: frozenset(s), lambda s, e: set(s), lambda s, e: s | {e}, lambda s, e: s & {Evil(e.method), e},
    lambda s, e: s - {Evil(e.method)}, lambda s, e: s ^ {Evil(e.method), e}, lambda s, e: s == {Evil(e.method) for _ in range(3)},
    lambda s, e: s <= s.copy(), lambda s, e: s.issubset([e]), lambda s, e: s.issuperset([Evil(e.method)]),
    lambda s, e: s.isdisjoint([Evil(e.method)]), lambda s, e: s.update([Evil(e.method)]), lambda s, e: s.add(Evil(e.method)),
    lambda s, e: s.discard(Evil(e.method)), lambda s, e: s.remove(e), lambda s, e: e in s, lambda s, e: repr(s),
    lambda s, e: s.intersection_update([Evil(e.method), e]), lambda s, e: s.difference_update([Evil(e.method)]),
    lambda s, e: s.symmetric_difference_update([Evil(e.method)]), lambda s, e: sorted(s), lambda s, e: hash(frozenset(s)),
    lambda s, e: [x for x in s if x], lambda s, e: s.union([Evil(e.method)], [e]), lambda s, e: copy.deepcopy(s),
    lambda s, e: s.pop(), lambda s, e: sum(s), lambda s, e: list(map(e, s)),
]


def delete_stepped(l, e):
    del l[::2]


def delete_sliced(l, e):
    del l[e:]


def assign_sliced(l, e):
    l[e:4] = [Evil(e.method) for _ in range(7)]


def assign_stepped(l, e):
    l[::2] = [0] * 4


def assign_iterable(l, e):
    l[1:3] = e


def unpack(l, e):
    a, *b, c = l


def unpack_all(l, e):
    a, b, c, d, f, g, h = l


def multiply(l, e):
    l *= 3


def extend(l, e):
    l += e


def walk(l, e):
    for x in l:
        x + 1


def update_in_place(s, e):
    s |= {Evil(e.method)}
    s -= {e}


LISTS += [delete_stepped, delete_sliced, assign_sliced, assign_stepped, assign_iterable, unpack, unpack_all, multiply, extend, walk]
SETS += [update_in_place, walk]
DICTS += [walk]


def run(make, operations):
    global victim, change, left
    n = 0
    for method in METHODS:
        for change in CHANGES:
            for operation in operations:
                left = 0
                victim = make(method)
                e = Evil(method)
                left = 3
                try:
                    operation(victim, e)
                except (TypeError, ValueError, IndexError, KeyError, RuntimeError, AttributeError):
                    pass
                n += 1
    return n


def make_dict(method):
    d = {Evil(method): Evil(method) for _ in range(5)}
    d['k'] = Evil(method)
    return d


print(run(lambda m: [Evil(m) for _ in range(7)], LISTS) > 2000)
print(run(make_dict, DICTS) > 1000)
print(run(lambda m: {Evil(m) for _ in range(5)}, SETS) > 1000)


# A list being sorted is empty, and what is put there meanwhile is an error.
l = [3, 1, 2]
seen = []


def key(x):
    seen.append(len(l))
    return x


l.sort(key=key)
print(l, seen)
try:
    l.sort(key=lambda x: l.append(x) or x)
except ValueError as e:
    print(e, l)


# What __del__ of a cycle brings back lives on, and its __del__ has run once.
kept = []


class Back:
    def __init__(self):
        self.me = self
        self.data = [1, 2, 3]

    def __del__(self):
        kept.append(self)


def rounds():
    for i in range(3):
        Back()
        for k in range(30000):
            x = []
            x.append(x)


rounds()
print(len(kept) > 0, all(b.data == [1, 2, 3] and b.me is b for b in kept))
a = b = [1, 2]
a *= 2
print(b)

# An iterator that loses its __next__ on the way; a name whose end names the class again.
class Once:
    def __iter__(self): return self
    def __next__(self):
        del Once.__next__
        return 1
try:
    for i in Once(): print(i)
except TypeError as e: print(type(e).__name__)
class Last(str):
    def __del__(self): Named.__name__ = "other"
class Named: pass
Named.__name__ = Last("abc")
Named.__name__ = "normal"
print(Named.__name__)
