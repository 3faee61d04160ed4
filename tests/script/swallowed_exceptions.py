# What is being handled, after a with has swallowed an exception and while it leaves.
import unittest
def bad(): raise ValueError("inner")
def show(n):
    try: raise KeyError(1)
    except KeyError as e: print(n, repr(e.__context__))
class T(unittest.TestCase):
    def test(self):
        with self.assertRaises(ValueError):
            bad()
        show("a")
        with self.assertRaises(ValueError) as c:
            [bad() for x in (1,)]
        show("b")
        with self.assertRaises(ValueError):
            def g():
                try: bad()
                except ValueError: raise
            g()
        show("c")
class M:
    def __enter__(self): return self
    def __exit__(self, t, v, tb): return True
with M(): bad()
show(1)
with M(): [bad() for x in (1,)]
show(2)
def w():
    with M():
        [bad() for x in (1,)]
    show(3)
w()
def w2():
    with M():
        raise ValueError("y")
    show(4)
w2()
def g():
    for x in [1]:
        for y in [2]:
            bad()
def w3():
    with M(): g()
    show(5)
w3()
t = T("test"); t.run(unittest.TestResult())
import sys, contextlib
class S:
    def __enter__(self): return self
    def __exit__(self, t, v, tb):
        print("exit", repr(sys.exc_info()[1]))
        return self.eat
for eat in (True, False):
    s = S(); s.eat = eat
    try:
        try:
            raise ValueError("outer")
        except ValueError:
            with s:
                raise KeyError("in")
            print("after", repr(sys.exc_info()[1]))
    except KeyError as e:
        print("out", repr(e), repr(e.__context__))
    print(repr(sys.exc_info()[1]))
class R(S):
    def __exit__(self, t, v, tb): raise TypeError("of exit")
try:
    with R(): raise KeyError("in")
except TypeError as e: print(repr(e.__context__), repr(sys.exc_info()[1]))
show("end")
def gen():
    with contextlib.suppress(ValueError):
        yield 1
        raise ValueError("g")
    yield 2
print(list(gen())); show("gen")
def ret():
    with S() as s2:
        s2.eat = True
        return 5
print(ret())
def loop():
    for i in range(3):
        with contextlib.suppress(ValueError):
            if i == 1: continue
            raise ValueError(i)
    return i
print(loop()); show("loop")
def ends(n):
    try:
        try:
            if n: raise ValueError(n)
        finally:
            print("finally", n)
            if n == 2: return "left"
    except ValueError as e:
        return repr(e)
    return "whole"
print(ends(0), ends(1), ends(2))
