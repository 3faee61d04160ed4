# Recursion through C calls goes as deep as recursion does; code whose values are shown; examples in docstrings.
import contextlib
import doctest
import functools
import io
import re


@functools.lru_cache(None)
def cached(n):
    return 0 if n == 0 else 1 + cached(n - 1)


def by_map(n):
    return 0 if n == 0 else 1 + max(map(by_map, [n - 1]))


def by_key(n):
    return 0 if n == 0 else 1 + len(sorted([n - 1], key=by_key)) + by_max(n - 1)


def by_max(n):
    return 0 if n == 0 else 1 + max(by_max(n - 1) for _ in range(1))


def endless(n):
    return max(map(endless, [n]))


print(cached(400), by_map(450), by_max(300))
try:
    endless(1)
except RecursionError as e:
    print("RecursionError")

exec(compile("1; None; 'a'", "f", "single"))
exec(compile("for i in range(2): i\n", "f", "single"))
exec(compile("class A:\n    5\ndef f(): 6\n".split("def")[0], "f", "single"))
for source in ["a = 1\nb = 2", "if"]:
    try:
        compile(source, "dir/name.py", "single")
    except SyntaxError as e:
        print(type(e.msg) is str, e.msg.startswith("multiple") or e.lineno)
e = SyntaxError("said", ("dir/f.py", 3, 4, "text"))
print(e.msg, e.filename, e.lineno, e.offset, e.text, e.args, "|", e)
print(SyntaxError("a"), SyntaxError("a").msg, SyntaxError("a").lineno, SyntaxError().msg, repr(SyntaxError("a")))
try:
    compile("a\nb = = 2\n", "ff.py", "exec")
except SyntaxError as e:
    e.msg = "new"
    print(e)


def described(x):
    """Says things.

    >>> described(1)
    2
    >>> a = 3; described(a); a
    4
    3
    >>> described('a')
    Traceback (most recent call last):
        ...
    TypeError: can only concatenate str (not "int") to str
    >>> print(1, end=',')
    1,
    >>> described(2)
    4
    >>> described(2)
    >>> if True:
    ...     described(7)
    8
    """
    return x + 1


class Described:
    """
    >>> Described().five
    6
    """
    five = 5

    def untold(self):
        pass


said = io.StringIO()
with contextlib.redirect_stdout(said):
    for verbose in (False, True):
        print(tuple(doctest.testmod(verbose=verbose)))
    doctest.run_docstring_examples(described, globals(), name="one")
print(re.sub('File ".*"', "File", said.getvalue()))
