# What a class prints: its module and its name with those that it stands in.
import collections
import enum
import pathlib


def make():
    class Inner:
        class Deeper:
            pass
    return Inner


class Outer:
    class Nested:
        pass


A = make()
print(A, A.Deeper, Outer.Nested, A.__name__, A.__qualname__)
print(repr(A()).partition(" at ")[0], repr(Outer.Nested()).partition(" at ")[0])
Outer.__module__ = "elsewhere"
print(Outer, Outer.__module__, repr(Outer()).partition(" at ")[0], Outer().__module__)
Outer.__name__ = "Renamed"
print(Outer, Outer.__name__)
Outer.__qualname__ = "Other"
print(Outer, Outer.__name__)
T = type("Made", (), {})
print(T, type("Placed", (), {"__module__": "m", "__qualname__": "a.b"}))
print(collections.namedtuple("Point", "x y"), enum.Enum("Colour", "RED"), type(pathlib.Path(".")))
try:
    print([Nested for Nested in ()], {int: Outer.Nested})
except NameError as e:
    print(e)
