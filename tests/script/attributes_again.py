# An instruction that reads an attribute remembers where it was: what it remembers must not outlive what it was true for.
class Base:
    kind = "class"
    calls = 0

    @property
    def size(self):
        Base.calls += 1
        return self._size

    def say(self):
        return "base"


class Other(Base):
    kind = "other"

    def say(self):
        return "other"


class Fallback:
    asked = 0

    @property
    def broken(self):
        Fallback.asked += 1
        raise AttributeError("inner")

    @property
    def wrong(self):
        raise ValueError("wrong")

    def __getattr__(self, name):
        return "fallback " + name


def kind(o):
    return o.kind


def size(o):
    return o.size


def say(o):
    return o.say()


a, b, c = Base(), Other(), Base()
print([kind(o) for o in (a, b, a, c, a)])
a.kind = "own"
print([kind(o) for o in (a, c, b, a)])
del a.kind
print([kind(o) for o in (a, c)])
Base.kind = "changed"
print([kind(o) for o in (a, b, c)])
Other.kind = property(lambda self: "made")
print([kind(o) for o in (b, a, b)])
b.__dict__["kind"] = "hidden by the property"
print(kind(b))
del Other.kind
print(kind(b), kind(Other()))

a._size, b._size = 1, 2
print([size(o) for o in (a, a, b, a)], Base.calls)
a.__dict__["size"] = 5
print(size(a))
Base.size = 7
print(size(a), size(c), size(b))

print([say(o) for o in (a, b, a)])
a.say = lambda: "own"
print([say(o) for o in (a, c, b, a)])
Base.say = lambda self: "new"
print([say(o) for o in (c, a, b)])
b.say = lambda: "own of b"
print([say(o) for o in (b, b, Other())])
del b.say
print(say(b))


def broken(o):
    return o.broken


f = Fallback()
print([broken(f) for _ in range(3)], Fallback.asked)
for _ in range(3):
    try:
        f.wrong
    except ValueError as e:
        print(e)


class Plain:
    @property
    def broken(self):
        raise AttributeError("no luck")


for o in [f, Plain(), Plain(), f]:
    try:
        print(broken(o))
    except AttributeError as e:
        print("AttributeError", e)


# functions of modules, called as methods are
import math
import types

m = types.ModuleType("m")
m.f = lambda x: x + 1


def call(where, x):
    return where.f(x)


class Holder:
    def f(self, x):
        return (type(self).__name__, x)

    g = staticmethod(lambda x: -x)


h = Holder()
print([call(o, 1) for o in (m, m, h, h, m)])
m.f = lambda x: x * 10
print(call(m, 3))
h.f = lambda x: "own"
print(call(h, 1), call(Holder(), 2), call(m, 1))
del m.f
try:
    call(m, 1)
except AttributeError as e:
    print(e)
m.f = abs
print(call(m, -4), math.floor(2.5), Holder.g(3), h.g(4))


# attributes that fresh objects get
class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


class Checked:
    def __init__(self, v):
        self.v = v

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, value):
        self._v = value * 2


class Grows:
    def __init__(self, n):
        for i in range(n):
            self.last = i
        if n > 1:
            self.more = n


print([(p.x, p.y) for p in [Point(1, 2), Point(3, 4)]], [k.v for k in [Checked(1), Checked(2)]])
print([vars(g) for g in [Grows(1), Grows(2), Grows(1), Grows(3)]])
for p in [Point(1, 2), Point(5, 6)]:
    try:
        p.z = 1
    except AttributeError as e:
        print("AttributeError")


# arguments left out
def defaults(a, b=2, c=[]):
    c.append(a)
    return a, b, list(c)


print(defaults(1), defaults(1, 3), defaults(2, c=[]), defaults(4, 5, [6]))
