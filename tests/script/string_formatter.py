# string.Formatter: its steps, which subclasses change, and its errors.
import string
F = string.Formatter()
for t in ("a{}b{x!r:>5}{{c}}", "{0.real:.2f}{1[k]}{1[2]}", "", "}}x{{", "{a[b:c]}", "{:{}}", "{x!s}", "plain", "{!r}"):
    print(list(F.parse(t)))
for t in ("a{", "a}", "{x!}", "{x!rz}", "{a", "{a.}", "{}{0}", "{0}{}", "{a[1]x}"):
    try:
        print(F.format(t, 1, 2, a=[1, 2], x=3))
    except Exception as e:
        print(type(e).__name__, e)
print(F.format("{} {:>6} {x:{w}.{p}f} {y[k]} {z.real}", 1, "ab", x=3.14159, w=8, p=2, y={"k": 5}, z=2.5))
class Safe(string.Formatter):
    def get_value(self, key, args, kwargs):
        return kwargs.get(key, "<" + str(key) + ">") if isinstance(key, str) else super().get_value(key, args, kwargs)
    def check_unused_args(self, used, args, kwargs):
        print(sorted(map(str, used)))
print(Safe().format("{0} {who} {b!r}", "hi", b="c"), Safe().vformat("{n}", (), {"n": 4}))
