"""ast.literal_eval, functools.singledispatch and partialmethod, threads that are daemons, Generic before another base."""
import ast
import functools
import threading
import unicodedata
from typing import Generic, NamedTuple, TypeVar

for s in ("1", "-2.5", "'a'", "[1, 2, (3,), {'a': None}]", "{1, 2}", "(1)", "()", "{}", "0x1F", "1_000", "b'x'", "True", "'a' 'b'", "1,2", "1+2j",
          "{'k': [1e3, -.5]}"):
    print(repr(ast.literal_eval(s)))
for s in ("f()", "a", "1+2", "[1", "__import__('os')"):
    try:
        print(ast.literal_eval(s))
    except (ValueError, SyntaxError):
        print("refused")


@functools.singledispatch
def show(x):
    return "other"


@show.register(int)
def _(x):
    return f"int {x}"


show.register(list, lambda x: f"list of {len(x)}")
print(show(3), show([1]), show("s"), show(True), show.__name__)


class C:
    def set(self, name, value):
        return (name, value)

    on = functools.partialmethod(set, "on")


print(C().on(5))
done = []
t = threading.Thread(target=lambda: done.append(1), daemon=True)
t.start()
t.join()
print(done, t.is_alive())
T = TypeVar("T")


class A(Generic[T]):
    pass


class B(Generic[T], A[list]):
    pass


class P(NamedTuple):
    x: int
    y: int = 2


class Q(P):
    y: float


print(B.__mro__[1] is A, Q(1, 3), Q(1).y, unicodedata.normalize("NFD", "é") == "e\u0301", unicodedata.normalize("NFC", "e\u0301"))
