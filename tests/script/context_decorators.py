# Context managers as decorators; where print writes.
import io
import sys
from contextlib import ContextDecorator, contextmanager, redirect_stderr, redirect_stdout


@contextmanager
def around(name):
    "Says when."
    print("enter", name)
    try:
        yield name
    finally:
        print("leave", name)


@around("f")
def f(x, *, y=2):
    "Adds."
    return x + y


print(f(1), f(1, y=5), f.__name__, f.__doc__, around.__name__, around.__doc__)


class C:
    @around("method")
    def g(self, x):
        return self, x


c = C()
print(c.g(3)[0] is c)


@around("failing")
def fails():
    raise KeyError("k")


try:
    fails()
except KeyError as e:
    print("KeyError", e)


class Count(ContextDecorator):
    n = 0

    def __enter__(self):
        Count.n += 1
        return self

    def __exit__(self, *exc):
        return False


@Count()
def h():
    return Count.n


print(h(), h(), h.__name__)
with around("plain") as name:
    print(name)

text, other = io.StringIO(), io.StringIO()
with redirect_stdout(text) as to, redirect_stderr(other):
    print("kept", to is text)
    with redirect_stdout(sys.__stdout__):
        print("shown")
    print("gone", file=sys.stderr)
print(repr(text.getvalue()), repr(other.getvalue()))
