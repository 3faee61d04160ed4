class Point:
    count = 0
    def __init__(self, x, y=0):
        self.x = x; self.y = y
        Point.count += 1
    def __repr__(self): return f"Point({self.x}, {self.y})"
    def __add__(self, o): return Point(self.x + o.x, self.y + o.y)
    def __mul__(self, k): return Point(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __eq__(self, o): return isinstance(o, Point) and (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __neg__(self): return Point(-self.x, -self.y)
    def __getitem__(self, i): return (self.x, self.y)[i]
    def __len__(self): return 2
    def __iter__(self): return iter((self.x, self.y))
    def __contains__(self, v): return v in (self.x, self.y)
    def __call__(self, z): return self.x + z
    def __bool__(self): return bool(self.x or self.y)
    def __lt__(self, o): return self.x < o.x
    @property
    def norm2(self): return self.x ** 2 + self.y ** 2
    @norm2.setter
    def norm2(self, v): self.x = v; self.y = 0
    @staticmethod
    def origin(): return Point(0)
    @classmethod
    def diag(cls, v): return cls(v, v)
p = Point(1, 2)
print(p, p + p, p * 3, 3 * p, p == Point(1, 2), p != Point(1, 2), -p, p[0], len(p), list(p), 2 in p, p(10), bool(Point.origin()))
print(p.norm2, Point.diag(4), Point.count, sorted([Point(3), Point(1)]), {p: 1}[Point(1, 2)])
p.norm2 = 9; print(p)
a, b = p; print(a, b)
class Animal:
    def __init__(self, name): self.name = name
    def speak(self): return "..."
    def __str__(self): return f"{type(self).__name__} {self.name}: {self.speak()}"
class Dog(Animal):
    def speak(self): return "Woof"
class Puppy(Dog):
    def __init__(self, name, age):
        super().__init__(name)
        self.age = age
    def speak(self): return super().speak().lower() + "!"
print(Dog("Rex"), Puppy("Bit", 1), isinstance(Puppy("a", 1), Animal), issubclass(Dog, Animal), Puppy.__mro__)
class A:
    def who(self): return "A"
class B(A):
    def who(self): return "B" + super().who()
class C(A):
    def who(self): return "C" + super().who()
class D(B, C):
    def who(self): return "D" + super().who()
print(D().who(), [k.__name__ for k in D.__mro__])
try:
    class X(A, B): pass
except TypeError as e:
    print("TypeError")
class Lazy:
    def __getattr__(self, name):
        if name.startswith("x"): return name * 2
        raise AttributeError(f"no {name}")
    def __setattr__(self, k, v): object.__setattr__(self, k, ("set", v))
z = Lazy(); z.q = 1
print(z.xa, z.q, hasattr(z, "foo"), getattr(z, "foo", "dflt"))
class CM:
    def __enter__(self): print("enter"); return self
    def __exit__(self, t, v, tb): print("exit", t.__name__ if t else None); return t is ValueError
with CM() as c: print("body")
with CM(): raise ValueError("swallowed")
try:
    with CM(): raise KeyError("k")
except KeyError as e: print("caught", e)
class Stack(list):
    def peek(self): return self[-1]
s = Stack([1, 2]); s.append(3); print(s.peek(), s, len(s), isinstance(s, list))
class MyDict(dict):
    def __missing__(self, k): return k * 2
print(MyDict(a=1)["zz"], MyDict(a=1))
class It:
    def __init__(self, n): self.n = n
    def __iter__(self): self.i = 0; return self
    def __next__(self):
        if self.i >= self.n: raise StopIteration
        self.i += 1; return self.i
print(list(It(3)), sum(It(4)), [x for x in It(2)])
class E(Exception):
    def __init__(self, code): super().__init__(f"code {code}"); self.code = code
try: raise E(5)
except E as e: print(e, e.code, e.args, repr(e))
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise RuntimeError("wrapped") from e
except RuntimeError as e: print(e, repr(e.__cause__))
try: {}["k"]
except (IndexError, KeyError) as e: print(type(e).__name__, e)
def t():
    try: return "try"
    finally: print("finally")
print(t())
try: raise ValueError("a", 1)
except ValueError as e: print(e, e.args)
else: print("no")
try: pass
except ValueError: pass
else: print("else")
finally: print("fin")
class Acc:
    def __init__(self): self.v = [0]
    def __iadd__(self, o): self.v.append(o); return self
    def __setitem__(self, k, v): self.v[k] = v
    def __getitem__(self, k): return self.v[k]
    def __delitem__(self, k): del self.v[k]
acc = Acc(); acc += 5; acc[0] = 7; acc[1] += 1; print(acc.v); del acc[0]; print(acc.v)
print(Point.__name__, p.__class__.__name__, p.__dict__, type(p) is Point, callable(p), vars(z))
class S:
    x: int = 1
    y: "str"
print(S.x, S.__annotations__)
class Base:
    registry = []
    def __init_subclass__(cls, **kw): Base.registry.append((cls.__name__, kw))
class Sub1(Base): pass
class Sub2(Base, tag="t"): pass
print(Base.registry)
o = object(); print(type(o))
f = p.origin; print(f()); m = Dog("a").speak; print(m())
class P2:
    __slots__ = ("a",)
    def __init__(self): self.a = 1
print(P2().a)
for bad in (lambda: 1 + "a", lambda: "a" + 1, lambda: [1][5], lambda: None.x, lambda: 5(), lambda: len(5), lambda: {}["a"], lambda: int("x"), lambda: [1, 2] + (3,), lambda: -"a", lambda: 1 < "a", lambda: (1, 2)[3], lambda: "abc"[10], lambda: [].pop(), lambda: {1}.remove(2), lambda: [1].remove(2), lambda: iter(5), lambda: next(iter([])), lambda: 1 // 0, lambda: 1 % 0, lambda: 1.0 / 0, lambda: float("q"), lambda: {[]: 1}, lambda: "%d" % "a", lambda: D().nope, lambda: max([])):
    try: bad()
    except Exception as e: print(type(e).__name__ + ":", str(e).split(". Did")[0].replace("object has", "has"))


# An object may change its class for one of the same layout.
class Cold:
    def __init__(self):
        self.heat = 1

    def say(self):
        return "cold"


class Warm(Cold):
    def say(self):
        return f"warm {self.heat}"


thing = Cold()
print(thing.say())
thing.__class__ = Warm
print(thing.say(), type(thing).__name__, isinstance(thing, Warm))
for other in (3, int):
    try:
        thing.__class__ = other
    except TypeError as error:
        print(error)
