# Classes derived from lists, sets, dicts and bytearrays change in place by +=, |= and so on, whatever __add__ they have.
class A(list):
    def __add__(self, o): return "add"
    def __mul__(self, o): return "mul"
a = A([1]); b = a
a += [2]
print(type(a).__name__, list(a) if isinstance(a, list) else a, a is b)
a *= 2
print(a is b, a if isinstance(a, str) else list(a))
class S(set):
    def __or__(self, o): return "or"
    def __and__(self, o): return "and"
    def __sub__(self, o): return "sub"
    def __xor__(self, o): return "xor"
for op in ("|=", "&=", "-=", "^="):
    s = S([1, 2]); t = s
    d = {"s": s}
    exec("s %s {2, 3}" % op, d)
    print(op, d["s"] is t, sorted(d["s"]))
class D(dict):
    def __or__(self, o): return "or"
d = D(a=1); e = d
d |= {"b": 2}
print(d is e, d)
class B(bytearray):
    def __add__(self, o): return "add"
x = B(b"ab"); y = x
x += b"c"
print(x is y, x)
class M:
    def __add__(self, o): return "M add"
class MA(M, list): pass
m = MA([1]); n = m
m += [5]
print(m is n, m)
class T(tuple):
    def __add__(self, o): return "tadd"
t = T((1,)); t += (2,)
print(t)
try:
    m += 3
except TypeError as e:
    print(e)
class R(list):
    def __radd__(self, o): return "radd"
z = [1]; z += R([2]); print(z)
z = A([1]); z += R([3]); print(z)

# numbers in long texts, and words for what is no number
for t in ("1." + "0" * 500 + "e5", "1" * 600, "0." + "0" * 450 + "1", " -inf ", "nan", "1_0.5", "1." + "0" * 500 + "x", "1" + "_" * 2 + "0", "-" * 300):
    try:
        print(float(t))
    except ValueError as e:
        print(str(e)[:60])
for f in (lambda: float("nan").as_integer_ratio(), lambda: float("-inf").as_integer_ratio(), lambda: divmod(7, 0.0), lambda: divmod(7.5, 0), lambda: divmod(7.5, False), lambda: {}.update([(1, 2), 3]), lambda: dict([1]),
          lambda: "%x" % 1.5, lambda: "%o" % "a", lambda: "%i" % float("-inf"), lambda: "%d" % float("nan"), lambda: "%d" % "a",
          lambda: "a,b".isprintable(), lambda: "".isprintable(), lambda: "a\n".isprintable(), lambda: "é\u2028".isprintable()):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

import collections
import random
c = collections.ChainMap({"a": 1}, {"b": 2, "a": 3})
print(c, len(c), dict(c), list(c), c.parents, c.new_child({"z": 0}), c == {"a": 1, "b": 2}, sorted(c.items()))
c["q"] = 5
del c["q"]
try:
    del c["b"]
except KeyError as e:
    print(e)
random.seed(0.5)
print([random.vonmisesvariate(0, 1) for _ in range(3)], random.vonmisesvariate(1, 0) > 0)
print([random.paretovariate(3) for _ in range(2)], [random.weibullvariate(2, 3) for _ in range(2)])
print("\u2028a\u1680b".split(), "[%0+*.s]" % (-1, 5), "[%*d]" % (-4, 5), "[%*d]" % (4, 5))
for f in (lambda: 1.5 * "a", lambda: [1] * 1.5, lambda: (1,) * "a", lambda: "a" * "b", lambda: int("1__0", 0), lambda: int("", 0), lambda: int("z", 16)):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
