"""match statements."""
import enum
from dataclasses import dataclass


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


@dataclass
class Line:
    a: Point
    b: Point


def f(v):
    match v:
        case 0:
            return "zero"
        case -1 | 1:
            return "unit"
        case 1.5:
            return "float"
        case "a" | "b" as s:
            return "letter " + s
        case None:
            return "none"
        case True:
            return "true"
        case Color.RED:
            return "red"
        case []:
            return "empty"
        case [x]:
            return f"one {x}"
        case [1, *rest]:
            return f"from one {rest}"
        case (first, *_, last) if first == last:
            return f"ends {first}"
        case [a, [b, c]]:
            return f"nested {a} {b} {c}"
        case {"kind": "k", "v": v2, **more}:
            return f"map {v2} {more}"
        case {}:
            return "mapping"
        case Point(x=0, y=y):
            return f"on axis {y}"
        case Point(x, y) if x == y:
            return f"diagonal {x}"
        case Point():
            return "point"
        case str(s):
            return f"str {s}"
        case int() | float() as n:
            return f"number {n}"
        case bytes():
            return "bytes"
        case _:
            return "other"


for v in (0, 1, -1, 1.5, "a", "b", "zz", None, True, False, Color.RED, Color.BLUE, [], [7], [1, 2, 3], (5, 6, 5), [1], (2, [3, 4]), (2, 3),
          {"kind": "k", "v": 2, "w": 3}, {"q": 1}, Point(0, 4), Point(3, 3), Point(1, 2), 42, 2.5, b"x", {1}, range(3), "abc"):
    print(repr(v) if not isinstance(v, Point) else (v.x, v.y), f(v))


def g(cmd):
    match cmd.split():
        case ["go", ("north" | "south") as d]:
            print("going", d)
        case ["go", other]:
            print("no way", other)
        case ["drop", *things]:
            for t in things:
                match t:
                    case "x":
                        print("not x")
                    case _:
                        print("drop", t)
        case [] | ["quit"]:
            print("bye")


for c in ("go north", "go up", "drop a x b", "", "quit", "what"):
    g(c)
match Line(Point(1, 2), Point(3, 4)):
    case Line(a=Point(x=1), b=Point(y=q)):
        print("line", q)
match 1, 2:
    case 3, _:
        print("no")
    case a, b:
        print(a, b)
match = 5
case = match + 1
print(match, case)
match (lambda x: x)(3):
    case 3:
        print("three")
try:
    match Point(1, 2):
        case Point(1, 2, 3):
            pass
except TypeError as e:
    print(e)
