# numbers, strings, containers, control flow
print(7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 % 2, 2 ** 10, 2 ** -1, 1 / 3)
print(round(0.5), round(1.5), round(2.5), round(-0.5), round(2.675, 2), round(1234, -2), round(1.0))
print(1e16, 1e15, 123456789.123, 1e-5, 0.1 + 0.2, -0.0, 1e100, float("inf"), float("nan"))
print(10 ** 18, 0x1F, 0b101, 0o17, 1_000_000, True + True, 5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, -16 >> 2)
print(int("42"), int("-7"), int("ff", 16), int(3.9), int(-3.9), float("1.5e3"), bool([]), bool("a"))
print(abs(-3), min(3, 1, 2), max([4, 9, 2]), sum([1, 2, 3]), sum([0.1] * 3), divmod(-7, 3), pow(3, 4, 5))
s = "héllo wörld"
print(len(s), s[1], s[-1], s[::-1], s.upper(), s[2:5], "ö" in s, s.index("w"))
print("a,b,,c".split(","), " x  y ".split(), "abc".replace("b", "--"), "-".join(["1", "2"]), "x".center(5, "*"))
print("%d %5.2f %s %r %x %e %%" % (3, 2.5, "a", "b", 255, 12345.678))
print("{} {0!r} {1:>5} {name:.3f}".format("a", 2, name=1.5) if False else "{0} {0!r} {1:>5} {name:.3f}".format("a", 2, name=1.5))
x = 3.14159
n = 42
print(f"{x:.2f} {n:5d}| {n:<5}| {n:^7}| {n:05d} {x:e} {n:x} {n:#b} {1234567:,} {0.25:.1%} {x!r} {n=} {x=:.1f}")
print(f"{'a':>3}{'b':*^5}{True}{None} {[1, 2]!s:>10} {{}}")
print(repr("it's"), repr('say "hi"'), repr("a\n\t\\"), "tab\there", r"raw\n", 'a' 'b')
l = [3, 1, 2]
l.append(5); l.extend([7, 8]); l.insert(0, 9); l.remove(1)
print(l, l.pop(), l.pop(0), l, l.index(2), l.count(3), sorted(l, reverse=True), l[::2], l[-2:])
l[1:3] = [10, 20, 30]; del l[0]; print(l, [1] * 3, [1, 2] + [3], [1, 2] < [1, 3], 2 in l)
t = (1, 2, 3); a, *b = t; (c, d), e = (1, 2), 3
print(t[1:], a, b, c, d, e, t + (4,), len(t), t.count(1), (), (1,))
d = {"x": 1, "y": 2}; d["z"] = 3; d.update(w=4); del d["x"]
print(d, d.get("q"), d.get("q", 0), list(d), list(d.items()), d.pop("y"), "z" in d, d.setdefault("k", []), {**d, "n": 1})
s1 = {1, 2, 3}; s2 = {2, 3, 4}
print(s1 & s2, s1 | s2, s1 - s2, s1 ^ s2, 2 in s1, {3, 1, 2}, set(), sorted({"b", "a"}), frozenset([1, 2]))
print(range(5), list(range(1, 10, 3)), list(range(5, 0, -2)), len(range(10)), 3 in range(5), range(10)[2:5])
print([i * i for i in range(5) if i % 2], {i: i * i for i in range(3)}, {i % 2 for i in range(5)}, [(i, j) for i in range(2) for j in range(2)])
print(list(zip([1, 2], "ab")), list(enumerate("ab", 1)), list(map(lambda v: v + 1, [1, 2])), list(filter(None, [0, 1, 2])), list(reversed([1, 2])))
print(any([0, 1]), all([]), 1 < 2 < 3, 1 < 3 < 2, not 1, 1 and 2, 0 or 3, None is None, 1 == 1.0, 1 is 1, "a" if n else "b")
i = 0
while True:
    i += 1
    if i == 2: continue
    if i > 4: break
else:
    print("no")
for k in range(3):
    pass
else:
    print("for else", k)
if (m := 5) > 3: print("walrus", m)
print(chr(65), ord("é"), hex(255), bin(5), oct(8), type(1), type("a").__name__, type(None), isinstance(True, int))
print(1, 2, sep="-", end="!\n")
print(str(1.0), str(True), str([1, "a"]), str(("x",)), repr({1: "a"}), [None, True, 1.5])
print("abc" < "abd", "a" * 3, "abc".find("z"), "Hello World".swapcase(), "hello world".title(), "x=1".partition("="), "  a ".strip() + "|")
print("a b c".rsplit(" ", 1), "line1\nline2".splitlines(), "abc".startswith(("x", "a")), "007".zfill(5), "-5".zfill(4), "aXbX".rstrip("X"), "12".isdigit())
print(slice(1, 2), [1, 2, 3, 4][slice(1, 3)], ... , Ellipsis, NotImplemented)
print(10 % 3.5, 2 ** 0.5, 1e308 * 10, -1 ** 2, (-1) ** 2, 3 - -3, +5)
print(f"{'nested ' + f'{n}'}", f"{n:>{4 + 2}}", f"{x:{'.3f'}}", f"{d['z']}")
