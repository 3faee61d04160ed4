# Objects of classes, shared and recursive ones, as pickles.
import pickle, collections, functools, enum
class A:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return self.x == o.x
class S:
    __slots__ = ("a", "b")
    def __init__(self): self.a, self.b = 1, [2]
class G:
    def __init__(self): self.v, self.f = 3, lambda: 1
    def __getstate__(self): return {"v": self.v}
    def __setstate__(self, d): self.v = d["v"] + 1
class R:
    def __init__(self, n): self.n = n
    def __reduce__(self): return R, (self.n * 2,)
class D(dict): pass
class L(list): pass
P = collections.namedtuple("P", "x y")
class E(enum.Enum):
    X = 1
    Y = 2
def top(x): return x + 1
for proto in (2, 4):
    def back(o): return pickle.loads(pickle.dumps(o, protocol=proto))
    a = A([1, 2]); both = back([a, a, a.x])
    print(both[0] is both[1], both[0].x is both[2], both[0] == a)
    s = back(S()); print(s.a, s.b)
    print(back(G()).v, back(R(2)).n, back(E.Y), back(P(1, [2])), back(top)(3), back(functools.partial(top, 4))())
    d = D(k=1); d.z = [d]; e = back(d); print(type(e).__name__, e, e.z[0] is e)
    l = L([1, 2]); l.n = "t"; m = back(l); print(type(m).__name__, m, m.n)
    r = []; r.append(r); q = back(r); print(q[0] is q)
    print(back(collections.OrderedDict(b=1, a=2)), back(collections.Counter("aab")), back(collections.defaultdict(list, {1: [2]})), back(collections.deque([1, 2], 3)))
    print(back(ValueError("x", 1)).args, back({1, 2}), back(frozenset([3])), back(bytearray(b"q")), back(1 << 70), back(range(3)), back(1 + 2j), back(len)([1]), back(A) is A)
for bad in (lambda: 1, (i for i in ())):
    try: pickle.dumps(bad)
    except (pickle.PicklingError, TypeError, AttributeError) as e: print(type(e).__name__ in ("PicklingError", "TypeError", "AttributeError"))
