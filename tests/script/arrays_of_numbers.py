# array.array: numbers of one kind in a row.
from array import array, typecodes
import copy
import io

print(typecodes)
a = array("i", [1, 2, 3])
a.append(4)
a.extend([5, 6])
a += array("i", [7])
print(a, len(a), a.typecode, a.itemsize, a[0], a[-1], a[1:3], 3 in a, a.index(3), a.count(9))
a[0] = 10
a[1:3] = array("i", [8, 9, 9])
del a[-1]
a.insert(0, -1)
print(a, a.pop(), a.pop(0), a.tolist())
a.reverse()
a.remove(9)
print(a * 2, a + a, a == copy.copy(a), a < array("i", [100]), array("i") == array("d"))
b = a.tobytes()
print(b, array("i", b), bytes(array("B", b"xyz")))
c = array("h", [1, 2])
c.byteswap()
print(c, array("f", [0.1, 2]), array("d", [0.1]), array("u", "hey"), array("q", [2 ** 62]), array("Q", [2 ** 64 - 1]))
f = io.BytesIO()
array("d", [1.5, 2.5]).tofile(f)
f.seek(0)
d = array("d")
d.fromfile(f, 2)
print(d, sum(d), max(d), list(d), [x for x in d])
for bad in (lambda: array("x"), lambda: array("b", [200]), lambda: array("i", ["a"]), lambda: array("i", [1.5]), lambda: a[99], lambda: array("i").pop(),
            lambda: a.index(77), lambda: a + [1], lambda: array("H", [-1]), lambda: array("I", b"abc"), lambda: array("i", "abc"),
            lambda: array("d").extend(a)):
    try:
        print(bad())
    except (TypeError, ValueError, OverflowError, IndexError) as e:
        print(type(e).__name__, e)
