# nditer over several arrays, by orders, with places, writing; views of rank 0; ranges as arrays; texts; emath.
import warnings

import numpy as np

warnings.simplefilter("ignore")

a = np.arange(6).reshape(2, 3)
print([int(x) for x in np.nditer(a)], [int(x) for x in np.nditer(a.T)], [int(x) for x in np.nditer(a.T.copy(), order="C")], [int(x) for x in np.nditer(a, order="F")])
print([f"{x}:{y}" for x, y in np.nditer([np.arange(3), a])])
with np.nditer(a, op_flags=["readwrite"]) as it:
    for x in it:
        x[...] = 2 * x
print(a)
it = np.nditer(a, flags=["multi_index"])
for x in it:
    print("%d <%s>" % (x, it.multi_index), end=" ")
it = np.nditer(a, flags=["c_index"], order="F")
while not it.finished:
    print(it[0], it.index, end=" ")
    it.iternext()
print()
it = np.nditer([np.arange(3).reshape(3, 1), np.arange(3).reshape(1, 3), None])
for x, y, z in it:
    z[...] = x + y
print(it.operands[2], it.operands[2].dtype, it.nop)
for x in np.nditer(a, flags=["external_loop"]):
    print(x)
for x in np.nditer(a, flags=["external_loop"], order="F"):
    print(x)
v = np.zeros(3)
w = v[1, ...]
w[...] = 5
print(v, w.ndim, type(w).__name__, type(v[1]).__name__)
print(np.sum(range(5), -1), np.mean(range(10)), np.array([range(i, i + 3) for i in [2, 4, 6]]), np.array([(0, 1), range(2)]), np.cumsum(range(4)))
print(np.indices(k for k in (1, 2)), np.partition(np.array([3, 1, 2]), range(2)))
print(np.emath.sqrt(-1), np.emath.sqrt([4, -1]), np.emath.log(-np.e), np.emath.power(-8, 1 / 2), np.emath.arccos(2), np.emath.log2(8), np.emath.sqrt(4))
t = np.array(["a", "bb ", "ccc"])
print(np.char.ljust(t, 5, fillchar="_"), np.char.rjust(t, 4), np.char.center(t, width=5, fillchar="*"), np.char.less_equal(t, np.array(["a", "bb", "b"])))
print(np.char.encode(t, encoding="utf-8"), np.char.decode(np.char.encode(t)), np.char.equal(t, ["a", "bb", "x"]), np.char.replace(t, "c", "d", count=2))
