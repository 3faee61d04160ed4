# Every native method and property of every type, on wrong selfs and with wrong arguments:
# each gives a value or raises, and the process lives.
import collections, contextlib, copy, functools, itertools, json, math, os, random, sys, tempfile, time, typing


def gen():
    yield 1


class Plain:
    def method(self):
        pass


class Sub(list):
    pass


native = type(len)
samples = [
    None, True, 5, -1, 1.5, float('nan'), ..., NotImplemented, '', 'text', 'ü', [], [1, 2], (), (1, 'a'),
    {}, {'a': 1}, set(), {1}, frozenset([2]), range(3), slice(1, 2, 3), len, [].append, gen, gen(),
    Plain, Plain(), Plain().method, Sub(), int, type, object, object(), property(len), staticmethod(len),
    classmethod(len), iter([1]), iter((1,)), iter('a'), iter({1: 2}), iter(range(2)), {}.keys(), {}.values(),
    {}.items(), enumerate([]), zip([]), map(len, []), filter(None, []), reversed([1]), ValueError('x'),
    StopIteration(3), KeyError('k'), sys, sys.stdout, open('/dev/null'), super(Plain, Plain()),
    collections.OrderedDict(a=1), collections.deque([1]), collections.Counter('aab'),
    collections.defaultdict(list), functools.partial(len), itertools.chain(), random.Random(1),
]


def types_of(values):
    seen = []
    for v in values:
        for c in type(v).__mro__ + (v.__mro__ if isinstance(v, type) else ()):
            if not any(c is k for k in seen):
                seen.append(c)
    return seen


def attempt(f, args):
    try:
        f(*args)
    except (Exception, GeneratorExit):
        pass


SKIP = {'exit', 'sleep', 'input', 'remove', 'rmdir', 'unlink', 'rename', 'replace', 'makedirs', 'mkdir', 'print', 'breakpoint',
        'removedirs', 'setrecursionlimit', 'chdir', 'system', 'count', 'repeat', 'cycle', 'write', 'writelines', 'quit'}


def walk(values, modules):
    """Calls everything; how much there was"""
    methods = properties = functions = 0
    few = [None, 5, 'text', [1, 2], {}, Plain, Plain()]
    for c in types_of(values):
        for name in dir(c):
            try:
                f = getattr(c, name)
            except AttributeError:
                continue
            if type(f) is native and name not in SKIP:
                methods += 1
                attempt(f, ())
                for self in values:
                    attempt(f, (self,))
                    for x in few:
                        attempt(f, (self, x))
                    attempt(f, (self, 5, 'text'))
                    attempt(f, (self, 5, 'text', None))
                bare = None
                try:
                    bare = c.__new__(c)
                except Exception:
                    pass
                for args in ((), (5,), ('text', 5), ([], {}, 3)):
                    attempt(f, (bare,) + args)
            elif type(f).__name__ == 'getset_descriptor':
                properties += 1
                holder = type('Holder', (), {'p': f})()
                attempt(getattr, (holder, 'p'))
                attempt(setattr, (holder, 'p', 5))
                attempt(delattr, (holder, 'p'))
                for self in values:
                    attempt(getattr, (self, name))
        attempt(c, ())
        for x in values:
            attempt(c, (x,))
    for m in modules:
        for name in dir(m):
            f = getattr(m, name)
            if type(f) is native and name not in SKIP:
                functions += 1
                attempt(f, ())
                for x in values:
                    attempt(f, (x,))
                    for y in few:
                        attempt(f, (x, y))
                        attempt(f, (x, y, 5))
    return methods > 100, properties > 10, functions > 50


print(walk(samples, [sys, math, random, json, copy, functools, itertools, os.path, time]))

for call in ('list.append(5, 5)', 'sorted(["a", None], key=str.lower)', 'dict.update()', 'object().__format__(5)'):
    try:
        {'list.append(5, 5)': lambda: list.append(5, 5),
         'sorted(["a", None], key=str.lower)': lambda: sorted(["a", None], key=str.lower),
         'dict.update()': lambda: dict.update(),
         'object().__format__(5)': lambda: object().__format__(5)}[call]()
    except TypeError as e:
        print(call, e)
for t in (type(gen()), type(gen), type(len), type(iter([]))):
    try:
        t()
    except TypeError as e:
        print(e)
print(type(None)(), type(...)(), type(NotImplemented)())
