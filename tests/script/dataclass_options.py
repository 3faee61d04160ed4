# Options of dataclass, namedtuple, wraps, lru_cache and DirEntry do what they say.
import collections
import dataclasses
import functools
import os
import tempfile
from dataclasses import KW_ONLY, InitVar, asdict, astuple, dataclass, field, fields, make_dataclass, replace


@dataclass(slots=True)
class P:
    x: int
    y: int = 2


p = P(1)
print(p, P.__slots__, P.__match_args__)
try:
    p.z = 3
except AttributeError as e:
    print("AttributeError")
match p:
    case P(a, b):
        print("matched", a, b)


@dataclass(match_args=False)
class Q:
    x: int


print(hasattr(Q, "__match_args__"))
try:
    hash(Q(1))
except TypeError as e:
    print(e)


@dataclass(frozen=True)
class F:
    x: int
    y: list = field(default_factory=list, hash=False)


print(hash(F(1, [2])) == hash(F(1, [3])), F(1, [2]) == F(1, [3]))


@dataclass(unsafe_hash=True)
class U:
    x: int
    y: int = field(default=0, compare=False)


print(hash(U(1, 2)) == hash(U(1, 3)), U(1, 2) == U(1, 3))


@dataclass
class C:
    a: int
    scale: InitVar[int] = 10
    _: KW_ONLY
    b: int = 0
    c: int = field(init=False)

    def __post_init__(self, scale):
        self.c = self.a * scale


c = C(3, 5, b=4)
print(c, [f.name for f in fields(C)], C.__match_args__)
try:
    C(1, 2, 3)
except TypeError as e:
    print("TypeError")
try:
    replace(c, c=1, scale=2)
except (TypeError, ValueError) as e:
    print("refused")


@dataclass
class Tree:
    name: str
    kids: list


t = Tree("a", [Tree("b", []), (Tree("c", []), {"k": Tree("d", [])})])
print(asdict(t))
print(astuple(t))
print(type(asdict(t, dict_factory=collections.OrderedDict)).__name__)
d = asdict(t)
d["kids"].append(1)
print(len(t.kids))
try:
    dataclass(order=True, eq=False)(type("X", (), {}))
except ValueError as e:
    print(e)
M = make_dataclass("M", [("x", int), ("y", float, 0.5), "z"][:2], frozen=True)
print(M(1))

N = collections.namedtuple("N", "a class _b a", rename=True, defaults=(7,), module="some.where")
print(N._fields, N(1, 2, 3), N.__module__)
for bad in ("a class", "_x", "a a"):
    try:
        collections.namedtuple("B", bad)
    except ValueError as e:
        print(e)
try:
    collections.namedtuple("B", "a", defaults=(1, 2))
except TypeError as e:
    print(e)


def inner():
    "doc"


inner.mark = 1


@functools.wraps(inner, assigned=("__doc__",), updated=())
def outer():
    pass


print(outer.__name__, outer.__doc__, hasattr(outer, "mark"), outer.__wrapped__ is inner)


@functools.lru_cache(typed=True)
def f(x):
    return type(x).__name__


print(f(1), f(1.0), f(True), f.cache_info().currsize, f.cache_parameters())


@functools.lru_cache
def g(x):
    return type(x).__name__


print(g(1), g(1.0))

with tempfile.TemporaryDirectory() as here:
    open(os.path.join(here, "file"), "w").close()
    os.symlink(os.path.join(here, "file"), os.path.join(here, "link"))
    for e in sorted(os.scandir(here), key=lambda e: e.name):
        print(e.name, e.is_file(), e.is_file(follow_symlinks=False))
