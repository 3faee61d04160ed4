# Copies, shallow and deep, as classes say how they are made: slots, states, reductions, builtin kinds derived.
import copy, collections, enum, functools, datetime, decimal, fractions, re, random, array, pathlib, types
class S:
    __slots__ = ("a", "b")
    def __init__(self): self.a = [1]
class T:
    def __init__(self): self.a = [1]; self.h = 5
    def __getstate__(self): d = dict(self.__dict__); d.pop("h"); return d
    def __setstate__(self, d): self.__dict__.update(d); self.h = "restored"
class R:
    def __init__(self, v): self.v = v
    def __reduce__(self): return R, (("again", self.v),)
class L(list):
    def __init__(self, *a): list.__init__(self, *a); self.tag = ["t"]
class D(dict):
    pass
class SD(S):
    def __init__(self): S.__init__(self); self.z = [3]
class N:
    def __new__(cls, *a):
        self = object.__new__(cls); self.made = a; return self
    def __getnewargs__(self): return (9,)
class C(enum.Enum): A = 1
class I(int): pass
for f in (copy.copy, copy.deepcopy):
    s = S(); t = f(s); print(type(t).__name__, t.a, t.a is s.a, hasattr(t, "b"))
    s = SD(); t = f(s); print(t.a, t.z, t.a is s.a, t.z is s.z)
    t = f(T()); print(sorted(t.__dict__.items(), key=str))
    print(f(R(1)).v)
    l = L([1, [2]]); m = f(l); print(m, m.tag, type(m).__name__, m[1] is l[1], m.tag is l.tag)
    d = collections.defaultdict(list, a=[1]); e = f(d); print(e, e["a"] is d["a"], e["q"])
    print(f(collections.Counter("abca")), f(collections.deque([1, [2]], 5)), f(collections.OrderedDict(a=1)))
    print(f(N(3)).made)
    print(f(C.A) is C.A, f(functools.partial(int, base=2))("11"))
    print(f(datetime.datetime(2020, 1, 2)), f(datetime.timedelta(3)), f(decimal.Decimal("1.5")), f(fractions.Fraction(1, 3)))
    x = I(5); x.q = [1]; y = f(x); print(y, type(y).__name__, y.q, y.q is x.q)
    print(f(pathlib.PurePosixPath("a/b")), f(re.compile("a+")).pattern, f(array.array("i", [1, 2])))
    e = ValueError("a", 2); e.extra = [1]; g = f(e); print(repr(g), g.extra, g.extra is e.extra)
    r = random.Random(3); q = f(r); print(r.random() == q.random())
    print(f(types.SimpleNamespace(a=[1])), f(slice(1, 2)), f(bytearray(b"ab")), f(Ellipsis), f(NotImplemented), f(int), f(len) is len)
    nt = collections.namedtuple("P", "x y")([1], 2); g = f(nt); print(g, g.x is nt.x, type(g).__name__)
    t = (1, [2]); print(f(t) is t, f((1, 2)) is not None)
    fz = frozenset([1, 2]); print(f(fz) is fz)
a = []; a.append(a); b = copy.deepcopy(a); print(b[0] is b)
tt = ([],); tt[0].append(tt); u = copy.deepcopy(tt); print(u[0][0] is u)
t = (1, 2, (3,)); print(copy.deepcopy(t) is t)
class W:
    def __init__(self): self.me = self; self.f = self.g
    def g(self): return id(self)
w = W(); v = copy.deepcopy(w); print(v.me is v, v.f() == id(v), v.f() == id(w))
class G:
    def __reduce_ex__(self, p): return (G.make, (), {"k": [p]}, None, None)
    @staticmethod
    def make(): return G()
print(copy.copy(G()).k, copy.deepcopy(G()).k)
memo = {}; z = [1]; c = copy.deepcopy(z, memo); print(memo[id(z)] is c)
try: copy.copy((i for i in "a"))
except TypeError as e: print(e)
import threading
for bad in (threading.Lock(), (i for i in "a"), open("/dev/null")):
    try: print(copy.deepcopy({"k": bad}))
    except TypeError as e: print(str(e)[:13])
print(copy.error is copy.Error)
