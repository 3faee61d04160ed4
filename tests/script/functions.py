def f(a, b=2, *args, c=3, **kw):
    return a, b, args, c, kw
print(f(1), f(1, 5, 6, 7, c=8, z=9), f(*[1, 2, 3], **{"c": 4, "q": 5}))
def mutable(x, acc=[]):
    acc.append(x)
    return acc
print(mutable(1), mutable(2))
fs = [lambda: i for i in range(3)]
print([g() for g in fs])
fs = [lambda i=i: i for i in range(3)]
print([g() for g in fs])
def counter():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
c = counter()
print(c(), c(5), c())
g = 10
def setg():
    global g
    g += 1
setg(); print(g)
def deco(tag):
    def wrap(fn):
        def inner(*a, **k):
            print("call", tag, fn.__name__)
            return fn(*a, **k)
        return inner
    return wrap
@deco("A")
@deco("B")
def add(x, y):
    """Adds."""
    return x + y
print(add(2, 3))
def gen(n):
    try:
        for i in range(n):
            got = yield i
            if got: print("got", got)
    finally:
        print("closed")
    return "done"
it = gen(3)
print(next(it), it.send("hi"), next(it))
try:
    next(it)
except StopIteration as e:
    print("stop", e.value)
def outer():
    r = yield from gen(2)
    print("r", r)
    yield 99
print(list(outer()))
print(sum(x * x for x in range(5)), list(x for x in "ab"))
def fact(n): return 1 if n <= 1 else n * fact(n - 1)
print(fact(15))
print((lambda *a, **k: (a, k))(1, 2, x=3))
def kwonly(*, key): return key
print(kwonly(key=1))
for bad in (lambda: f(), lambda: kwonly(), lambda: kwonly(1), lambda: fact(1, 2), lambda: f(1, a=2), lambda: fact(m=1)):
    try:
        bad()
    except TypeError as e:
        print("TypeError:", e)
def unbound():
    print(q)
    q = 1
try:
    unbound()
except UnboundLocalError as e:
    print(type(e).__name__, e)
def multi():
    for i in range(3):
        try:
            if i == 1: continue
            if i == 2: return "ret"
        finally:
            print("fin", i)
print(multi())
def nested():
    x = 1
    class A:
        y = x
        def m(self): return x + self.y
    x = 5
    return A().m()
print(nested())
a, (b, *c), d = 1, (2, 3, 4), 5
print(a, b, c, d)
print([*range(3), *"ab"], {*[1, 2], 3}, (*[1], 2))
x = y = [1]; x.append(2); print(y, x is y)
def rec(n):
    return rec(n + 1)
try:
    rec(0)
except RecursionError as e:
    print("RecursionError", e)
print(sorted(["bb", "a", "ccc"], key=len), sorted([(1, "b"), (0, "z"), (1, "a")], key=lambda p: p[0]))
print(max("apple", "fig", key=len), min([3, -4], key=abs), max([], default=0))
del x
try:
    x
except NameError as e:
    print(e)
print(f.__name__, add.__name__, fact.__doc__, nested.__qualname__)
def closures():
    out = []
    for i in range(3):
        def h(): return i
        out.append(h)
    return [h() for h in out]
print(closures())
print([[j for j in range(i)] for i in range(4)])
print({k: v for k, v in zip("abc", range(3)) if v}, [y for x in [[1], [2, 3]] for y in x])
total = 0
for i, (p, q) in enumerate([(1, 2), (3, 4)]):
    total += i * p + q
print(total)

# ---- defaults that are changed later


def changed(a, b=2, *, c=3, d):
    return a, b, c, d


print(changed.__defaults__, changed.__kwdefaults__)
changed.__defaults__ = (7, 8)
print(changed(d=1), changed(5, d=1), changed.__defaults__)
changed.__defaults__ = None
try:
    changed(1, d=1)
except TypeError as e:
    print(e)
try:
    changed.__defaults__ = 3
except TypeError as e:
    print(e)
Point = __import__("collections").namedtuple("Point", "x y z")
Point.__new__.__defaults__ = (None,) * len(Point._fields)
print(Point(), Point(1))

# ---- a class that binds a name which its methods take from the function around it


def around(T, n=2):
    class A:
        def __init__(self):
            self.n = n

        @property
        def T(self):
            return T

        class B:
            T = 7

            def both(self):
                return T, self.T

        def n(self):
            return n
    return A


A = around(5)
print(A().T, A.B().both(), A.n(None), A().n)
