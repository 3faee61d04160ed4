# __slots__: the attributes an object may have.
class A:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x


a = A(1)
a.y = 2
print(a.x, a.y)
try:
    a.z = 3
except AttributeError as e:
    print("AttributeError", str(e).split(" and ")[0])
del a.y
print(hasattr(a, "y"))
a.y = 5
print(a.y)


class B(A):
    __slots__ = ["z"]
    kind = "b"


b = B(1)
b.y, b.z = 2, 3
print(b.x, b.y, b.z, b.kind)
for name in ("w", "kind"):
    try:
        setattr(b, name, 1)
    except AttributeError as e:
        print(str(e).split(" and ")[0])


class C(A):
    pass


c = C(1)
c.anything = 4
print(c.anything)


class D:
    __slots__ = ("x", "__dict__")


d = D()
d.x, d.free = 1, 2
print(d.x, d.free)


class One:
    __slots__ = "only"


o = One()
o.only = 1
try:
    o.other = 2
except AttributeError as e:
    print("refused")
E = type("E", (), {"__slots__": ("x",)})
e = E()
e.x = 1
try:
    e.q = 1
except AttributeError:
    print("refused")
try:
    class F:
        __slots__ = ("x",)
        x = 1
except ValueError as err:
    print(err)
print(A.__slots__, One.__slots__)


class P(tuple):
    __slots__ = ()


p = P((1, 2))
try:
    p.x = 1
except AttributeError:
    print("refused")
print(p)


class Getter:
    __slots__ = ("_v",)

    def __init__(self):
        self._v = 1

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, x):
        self._v = x


g = Getter()
g.v = 7
print(g.v)


# a slot hides what a base says of its name
class Seen:
    @property
    def aval(self):
        raise NotImplementedError

    kind = "class"


class Held(Seen):
    __slots__ = ["aval"]

    def __init__(self, aval):
        self.aval = aval


class Kind(Seen):
    __slots__ = "kind"


h = Held(3)
print(h.aval)
h.aval = 4
print(h.aval)
del h.aval
try:
    h.aval
except AttributeError:
    print("unset")
k = Kind()
try:
    k.kind
except AttributeError:
    print("unset too")
k.kind = 5
print(k.kind, Seen().kind)
