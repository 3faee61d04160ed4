class classproperty(property):
    def __get__(self, obj, owner): return self.fget(owner)
class A:
    n = 3
    @classproperty
    def triple(cls): return cls.n * 3
print(A.triple, A().triple)
class Noted(property):
    def __init__(self, fget=None, fset=None, fdel=None, doc=None, note="none"):
        super().__init__(fget, fset, fdel, doc)
        self.note = note
class B:
    def _get(self): return self._x
    def _set(self, v): self._x = v * 2
    def _del(self): print("gone"); del self._x
    x = Noted(_get, _set, _del, "the x", note="n")
b = B(); b.x = 4; print(b.x, B.x.note, isinstance(B.x, property), B.x.fget(b)); del b.x
class C:
    @property
    def y(self): return 1
    @y.setter
    def y(self, v): print("set", v)
c = C(); c.y = 5; print(C.y.__get__(c), C.__dict__["y"].__get__(c, C)); C.y.__set__(c, 6)
class D:
    def __get__(self, obj, owner=None): return "got"
    def __set__(self, obj, v): print("D set", v)
    def __delete__(self, obj): print("D del")
class E: d = D()
e = E(); e.d = 1; print(e.d); del e.d
try: del c.y
except AttributeError as x: print("AttributeError")
class Lazy:
    def __init__(self, f): self.f = f
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner):
        if obj is None: return self
        v = obj.__dict__[self.name] = self.f(obj)
        return v
class F:
    @Lazy
    def z(self): print("once"); return 7
f = F(); print(f.z, f.z)
class H:
    def m(self):
        """Says it."""
print(H().m.__doc__, H.m.__doc__)
class K:
    def __init__(self, s): self.s = s
    def __eq__(self, o): return self.s == (o.s if isinstance(o, K) else o)
    def __hash__(self): return hash(self.s)
print({"k": 1, 3: 2, (1, 2): 4}[K("k")], {K(3): "x"}[3], K((1, 2)) in {(1, 2)}, len({K("a"), "a", K("b")}))
class Bad:
    def __hash__(self): return "x"
try: {Bad(): 1}
except TypeError as x: print(x)
async def co(x):
    async with x as y:
        await y
    return [i async for i in x]
print(callable(co))
