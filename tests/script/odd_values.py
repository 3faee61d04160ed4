# Values that user code gives where natives expect others: an exception, never a crash.
import traceback


def kind(f):
    try:
        return repr(f())
    except (Exception, MemoryError) as e:
        return type(e).__name__


def words(f):
    try:
        f()
    except Exception as e:
        return f"{type(e).__name__}: {e}"


# What a special method gives.
class Formats:
    def __format__(self, spec):
        return 5


print(words(lambda: f"{Formats()}"), words(lambda: "{:>3}".format(Formats())), words(lambda: format(Formats())))
print(bool.from_bytes(b""), bool.from_bytes(b"\1\2", "big"))


class Small(int):
    def __new__(cls, v):
        print("new", v)
        return int.__new__(cls, v)


print(Small.from_bytes(b"\1\2", "big"), type(Small.from_bytes(b"\1", "big")).__name__)


# Tuples of tuples of tuples.
deep = (int,)
for _ in range(200000):
    deep = (deep,)
print(kind(lambda: isinstance("a", deep)), kind(lambda: issubclass(str, deep)), isinstance(1, (str, (float, (int,)))))
print(words(lambda: "abc".startswith((("a",),))), words(lambda: "abc".endswith(("x", 5))))
print(words(lambda: b"abc".startswith(((b"a",),))), "abc".startswith(("x", "a")), b"abc".endswith((b"x", b"c")))


def caught(spec):
    try:
        raise ValueError("v")
    except spec:
        return "caught"


print(caught((KeyError, ValueError)), words(lambda: caught(((ValueError,),))), words(lambda: caught((ValueError, 5))))


# Chains of exceptions.
a, b = ValueError("a"), ValueError("b")
for v in ([], 5, ValueError):
    print(words(lambda: setattr(a, "__context__", v)), words(lambda: setattr(a, "__cause__", v)))
print(kind(lambda: delattr(a, "__context__")), kind(lambda: delattr(a, "__cause__")))
a.__context__, b.__context__ = b, a
try:
    raise a
except ValueError:
    try:
        raise KeyError("inside")
    except KeyError as e:
        print(repr(e.__context__), repr(e.__context__.__context__))
print("".join(traceback.format_exception(a)).count("During handling"))
a.__cause__, b.__cause__ = b, a
print("".join(traceback.format_exception(a)).count("direct cause"))


# Mappings whose keys are no names.
class Numbers:
    def keys(self):
        return [1, 2]

    def __getitem__(self, k):
        return k


def takes(*args, **named):
    return args, named


print(kind(lambda: takes(**Numbers())), kind(lambda: takes(**{1: 2})), kind(lambda: dict(**Numbers())))

# Widths.
for f in (lambda: "a".zfill(2**62), lambda: "a".ljust(2**62), lambda: b"a".zfill(2**62), lambda: "-a".zfill(5),
          lambda: "a".zfill(-2**63), lambda: "a".center(-2**63), lambda: "a".zfill(0)):
    print(kind(f))


# The bases of a class, a throw through many generators, and a generator that is alive at the end.
class A:
    pass


class B(A):
    pass


print(kind(lambda: setattr(A, "__bases__", (B,))) in ("TypeError", "AttributeError"), A.__mro__[1:])


def inner():
    try:
        yield 1
    except ValueError:
        yield "inside"


def wraps(g):
    yield from g


g = inner()
for _ in range(100):
    g = wraps(g)
print(next(g), g.throw(ValueError("x")))


def cycle():
    def f():
        keep = g
        yield keep

    g = f()
    next(g)
    return g


held = cycle()


# Sets that change while they are walked.
def walked(s, change):
    try:
        for x in s:
            change(x)
        return sorted(s)
    except RuntimeError as e:
        return str(e)


for values in ({1, 2, 3}, {"a", "b"}, {5}):
    print(walked(set(values), lambda x: None) == sorted(values))
numbers = {1, 2, 3}
print(walked(numbers, lambda x: numbers.add(x + 10)))
numbers = {1, 2, 3}
print(walked(numbers, numbers.discard))
print(list({3, 1, 2}), [x for x in {30, 10, 20}], {1, 2} | {3})

# Numbers of all classes are compared by value.
from decimal import Decimal
from fractions import Fraction
import math, operator, struct
for vals in ((2 ** 70, float(2 ** 70), Fraction(2 ** 70), Decimal(2 ** 70), complex(2.0 ** 70)), (1, 1.0, True, Fraction(1), Decimal(1), 1 + 0j),
             (Decimal("0.5"), Fraction(1, 2), 0.5, 0.5 + 0j), (2 ** 70 + 1, complex(2.0 ** 70)), (Fraction(1, 3), Decimal("0.3"), 1j)):
    print([[a == b for b in vals] for a in vals])
print(Decimal("0.3") < Fraction(1, 3) < Decimal("0.4"), Fraction(1, 3) > Decimal("-Infinity"), Decimal(1) >= Fraction(1))
# Bounds past 64 bits, what a range counts, numbers past doubles.
print([1, 2, 3][-2 ** 128:3], (1, 2)[:2 ** 70], "abc".find("c", -2 ** 70, 2 ** 70), [1, 2, 3].index(2, -2 ** 70, 2 ** 70), b"abc".count(b"c", 0, 2 ** 70),
      (1, 2, 1).index(1, 1), (1, 2, 1).index(1, -1, 2 ** 70), range(0, 10, 2).index(4), range(5).count(3), range(5).count("a"), range(3).index(2.0))
print(math.log10(10 ** 400), math.log2(2 ** 2000), round(math.log(3 ** 2000), 9), math.floor(1e20), math.ceil(-1e30), math.trunc(1e25))
class Two:
    def __index__(self): return 2
print("abcd"[Two()], "abcd"[True], int("0", 0), int("00_0", 0))
class No: __bool__ = __contains__ = __len__ = __iter__ = __add__ = None
class Empty: __len__ = None
for f in (lambda: bool(No()), lambda: 1 in No(), lambda: len(Empty()), lambda: bool(Empty()), lambda: list(No()), lambda: No() + 1, lambda: operator.matmul(42, 42),
          lambda: 1.5 @ True, lambda: int("08", 0), lambda: range(5).index(7), lambda: (1, 2).index(1, 1), lambda: "abc"["a"], lambda: math.log(-10 ** 400),
          lambda: struct.pack_into("<I", bytearray(3), 0, 1), lambda: struct.pack_into("<I", bytearray(10), -2, 1),
          lambda: struct.pack_into("<I", bytearray(10), 8, 1), lambda: struct.pack_into("<I", bytearray(2), -9, 1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
b = bytearray(8)
struct.Struct("<H").pack_into(b, -5, 513)
print(b)
