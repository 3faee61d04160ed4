# Names in class bodies: what comprehensions see, private names, annotations that are not evaluated, := in generators.
from __future__ import annotations


class A:
    x: Undefined[str, 'q'] | None = 3
    y: B
    __p = 4
    n = 2

    class __In:
        __z = 5

        def f(self):
            return self.__z, f"{self.__z}"

    def g(self, __q=2):
        return self.__p, __q, f"{self.__p:>{self.__p}}", A.__In().f()

    try:
        row = [n for _ in range(2)]
    except NameError as e:
        print(e)
    first = [i for i in range(n)]


class Base:
    def __init__(self):
        self.__v = "base"

    def base(self):
        return self.__v


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.__v = "derived"

    def derived(self):
        return self.__v


def around():
    n = 9

    class B:
        n = 3
        row = [n for _ in range(2)]
        calls = [(lambda: n)() for _ in range(2)]
        own = n
    return B.row, B.calls, B.own


def walrus():
    r = any((hit := x) > 2 for x in range(5))
    s = [list((last := y) for y in range(x)) for x in range(3)]
    return hit, r, s, last


def walrus_global():
    global seen
    return list((seen := i) for i in range(3))


class Passes:
    def __init__(self, **kw):
        self.kw = kw

    def again(self):
        return Passes(__kept=1).kw


print(Passes().again())
print(A.__annotations__, A().g(), A.first, sorted(k for k in vars(A) if k.startswith("_A")), hasattr(A, "e"))
print(Derived().base(), Derived().derived(), sorted(vars(Derived())))
print(around(), walrus(), walrus_global(), seen)
print(any((found := x) > 2 for x in range(5)), found)


class Meta(type):
    @classmethod
    def __prepare__(meta, name, bases, **kw):
        return {"prepared": (name, bases, kw)}

    def __new__(meta, name, bases, space, **kw):
        return super().__new__(meta, name, bases, space)

    def __init__(cls, name, bases, space, **kw):
        super().__init__(name, bases, space)


class Made(metaclass=Meta, tag=1):
    pass


print(Made.prepared)
for text in ("class C(Base, tag=1): pass", "class C(int, Base, int): pass", "raise ValueError('x') from 5", "'{!z}'.format(1)", "b'%s' % 'text'"):
    try:
        exec(text)
    except Exception as e:
        print(type(e).__name__, e)
try:
    print(**{"sep": ""}, sep="-")
except TypeError as e:
    print(str(e).rpartition("got")[2])


class Asked:
    def __init__(self):
        self.there = 1

    def __getattribute__(self, name):
        if name == "raises":
            raise AttributeError(name)
        return name, object.__getattribute__(self, name) if name == "there" else None

    def __getattr__(self, name):
        return "asked for " + name


for _ in range(3):
    print(Asked().there, Asked().other, Asked().raises)


class Doc:
    @property
    def p(self):
        "what p is"
        return 1


def cells():
    c = 5

    def inner():
        return c
    return inner


print(Doc.p.__doc__, cells().__closure__[0].cell_contents, len.__name__)
e = ValueError("x")
e.add_note("one")
e.add_note("two")
print(e.__notes__)


def stops():
    yield 1
    raise StopIteration(7)


try:
    list(stops())
except RuntimeError as e:
    print(e, repr(e.__cause__), repr(e.__context__))
