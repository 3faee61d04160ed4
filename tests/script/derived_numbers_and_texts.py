# Classes derived from float, str and dict; hexadecimal floats; texts that are hard to split, fold and encode.
import math


class Length(float):
    def __new__(cls, value, unit="m"):
        made = super().__new__(cls, value)
        made.unit = unit
        return made

    def __str__(self):
        return f"{float(self)}{self.unit}"

    def __add__(self, other):
        return Length(float(self) + other, self.unit)


x = Length(2.5, "km")
print(x, repr(x), f"{x}", f"{x:.2f}", "%s %r %.1f %d" % (x, x, x, x), x + 1, 1 + x, x * 2, -x, abs(x), type(x * 2).__name__)
print(x == 2.5, x < 3, 3 > x, hash(x) == hash(2.5), {2.5: "found"}[x], bool(Length(0)), round(x), int(x), divmod(x, 2), x ** 2, max(x, 1.0))
print(isinstance(x, float), x.is_integer(), x.hex(), Length.fromhex("0x1.8p1").unit, math.sqrt(Length(4)), math.floor(x), vars(x), sum([x, x]))
print(sorted([Length(3), 1.5, Length(2)]), [1, 2, 3][int(Length(1))], float(x).__class__.__name__, x.as_integer_ratio(), complex(x), 10 // x)
for v in (3.14159, 0.1, -0.0, 1e-320, 1e308, float("inf"), float("nan"), -1.5):
    print(v.hex(), float.fromhex(v.hex()))
print(float.fromhex(" -0x.8p+2 "), float.fromhex("1.8"), float.fromhex("Infinity"))
for bad in ("", "0x", "1.8p", "zz", "0x1p5000"):
    try:
        print(float.fromhex(bad))
    except Exception as e:
        print(type(e).__name__, e)


class Text(str):
    pass


t = Text("abc")
print([type(v).__name__ for v in (t.strip(), t.removeprefix("z"), t.ljust(2), t.center(1), t.zfill(1), t[:], t + "", str(t))])


class Kept(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


print(type(Kept(a=1).copy()).__name__, Kept.fromkeys("ab", 2), type(Kept.fromkeys("ab")).__name__ if False else "")
print(" a  b ".rsplit(None, 1), "a b  c d ".rsplit(None, 2), "  ".rsplit(None, 1), "a\u3000b c".rsplit(None, 1), " x".rsplit(None, 0))
print("Straße ΣΑΣ ﬁ İ ı ŉ".casefold(), "ß".casefold() == "SS".casefold(), "maße".casefold())
print("é\u20ac".encode("ascii", "xmlcharrefreplace"))
print(hash(3 - 4j), hash(1j), hash(2 + 0j) == hash(2), math.isqrt(10 ** 40), math.isqrt(2 ** 200 - 1), math.isqrt(24))
for f in (lambda: ~1.5, lambda: 1.5 & 1, lambda: 1.5 < "a", lambda: ~x, lambda: x & 1, lambda: 1 | x, lambda: x < "a", lambda: x - "a", lambda: +x):
    try:
        print(f())
    except TypeError as e:
        print(e)
