# Arrays: creation, dtypes, promotion, scalars, views, indexing, printing.
import numpy as np

a = np.array([[1, 2, 3], [4, 5, 6]])
print(a, a.shape, a.dtype, a.ndim, a.size, a.itemsize, a.nbytes, len(a))
print(repr(a), repr(a * 1.5), repr(a.astype(np.float32)), repr(a > 2))
print(np.array([1.0, 2.5, np.nan, np.inf]), np.array([1e-10, 1.0, 1e10]), np.array([]), np.array([True, False]))
print(np.zeros((2, 3)), np.ones(3, dtype=np.int32), np.full((2, 2), 7), np.full(2, 1.5), np.empty((0, 3)).shape)
print(np.arange(5), np.arange(2, 10, 3), np.arange(0, 1, 0.25), np.arange(5.0), np.linspace(0, 1, 5), np.linspace(0, 10, 4, endpoint=False))
print(np.eye(3), np.identity(2), np.diag([1, 2, 3]), np.diag(np.arange(9).reshape(3, 3), 1), np.tri(3), np.tril(np.ones((3, 3)), -1))
print(np.logspace(0, 3, 4), np.geomspace(1, 1000, 4), np.zeros_like(a), np.ones_like(a, dtype=float), np.full_like(a, 9))
print(np.linspace(0, 1, 3, retstep=True), np.array(3.5), repr(np.array(3.5)), np.array(3.5).shape)

# scalars
s = a.sum()
print(s, repr(s), type(s), s.dtype, isinstance(s, np.integer), isinstance(s, int), [a.mean(), a.max(), a[0, 1]])
print(np.float64(3), repr(np.float64(3)), repr(np.float32(0.1)), np.float32(0.1) + np.float64(0.2), np.float32(1) / 3)
print(np.int8(100) + 27, np.uint8(200), repr(np.int16(5) * 2), np.float16(1.5) * 2, repr(np.bool_(False)), np.True_ & False)
x = np.float64(2.5)
x += 1
print(x, -x, abs(-x), x ** 2, x // 2, x % 2, round(x, 1), int(x), float(x), x > 3, not x, x == 3.5, 10 - x, 2 * x, hash(x) == hash(3.5))
print(f"{x:.3f} {x:8.2e} {s:5d}|", "%.2f %d" % (x, s), x.item(), type(x.item()).__name__, x.is_integer())
print(isinstance(x, float), isinstance(np.float32(1), float), isinstance(x, np.floating), isinstance(x, np.number), np.issubdtype(a.dtype, np.integer), np.issubdtype(np.float32, np.floating))
print({np.int64(3): "three"}[3], sorted([np.float64(2), 1.5, np.int64(3)]), max(np.arange(3)), sum(np.arange(4)), [1, 2, 3][np.int64(1)])

# promotion (NEP 50)
f, i, b = np.ones(2, np.float32), np.ones(2, np.int32), np.array([True, False])
print((f + 1).dtype, (f + 1.5).dtype, (f * np.float64(2)).dtype, (i + 1).dtype, (i + 1.0).dtype, (i / 2).dtype, (i // 2).dtype)
print((f + i).dtype, (f + np.ones(2, np.int16)).dtype, (b + b).dtype, (b + 1).dtype, (b * 1.0).dtype, (i + np.int64(1)).dtype, (np.uint8(3) + np.int8(1)).dtype)
print(np.result_type(np.float32, np.int64), np.promote_types(np.int8, np.uint8), np.array([1, 2.5]).dtype, np.array([True, 2]).dtype, np.exp(i).dtype, np.sqrt(f).dtype)
print(i.sum().dtype, b.sum().dtype, f.sum().dtype, f.mean().dtype, i.mean().dtype, np.float16(1).dtype, i.prod().dtype, i.cumsum().dtype, np.sum(f, dtype=np.float64).dtype)
print(np.dtype("float32"), np.dtype(int), np.dtype("float32") == np.float32, repr(np.dtype("int64")), np.dtype(np.int16).itemsize, np.dtype("float64").kind, np.dtype("bool").name)

# views and writing
v = np.arange(10)
w = v[2:8:2]
w[:] = -1
print(v, w.base is None or True, np.shares_memory(v, w), v[::-1][:3])
v[[0, 1]] = [50, 60]
v[v < 0] = 0
v[-1] += 5
print(v)
m = np.zeros((3, 4))
m[1] = [1, 2, 3, 4]
m[:, 2] = 9
m[0, :2] = m[1, :2] * 10
m[2, ...] += 0.5
print(m, m.T.shape, m.T[2])
c = m.copy()
c[:] = 0
print(m.sum(), c.sum(), m.ravel()[:5], m.reshape(2, -1).shape, m.flatten().shape)
z = np.arange(3)
z = z + 1
z -= 1
z *= 3
print(z, z.dtype)
y = np.arange(3.0)
y /= 2
y **= 2
print(y)

# indexing
g = np.arange(24).reshape(2, 3, 4)
print(g[1, 2, 3], g[0], g[:, 1], g[..., 0], g[1, ::-1, 1:3], g[:, np.newaxis].shape, g[-1, -1, -1])
print(g[[0, 1], [1, 2]], g[:, [0, 2]].shape, g[g % 7 == 0], g[0][np.array([True, False, True])], g[np.ix_([0, 1], [0, 2], [1])].ravel())
print(np.where(v > 5), np.where(v > 5, v, -v), np.nonzero(np.array([0, 3, 0, 4])), np.argwhere(np.eye(2)), np.flatnonzero([0, 1, 1]))
print(3 in v, 50 in v, [int(q) for q in v[:3]], list(a), a.tolist(), v.item(0), a.item(1, 2))
for row in a:
    print(row, row.sum(), end=" ")
print()
for bad in (lambda: a[5], lambda: a[0, 9], lambda: np.array([1, 2]) + np.array([1, 2, 3]), lambda: a.reshape(4, 2), lambda: bool(a), lambda: np.ones((2, 3)) @ np.ones((2, 3)), lambda: np.array([[1, 2], [3]]), lambda: np.concatenate([np.ones((2, 2)), np.ones((2, 3))]), lambda: a.nothing):
    try:
        bad()
        print("no error")
    except Exception as e:
        print(type(e).__name__)

# printing
print(np.arange(2000), np.arange(10000).reshape(100, 100))
print(np.array([1.123456789, 2.1, 3.0]), np.array([0.1, 1000000.0]), np.array([1e-5, 1.0]), np.array([123456.789, 0.001]))
print(np.array([[1.5, -2.25], [100.0, 0.125]]), np.array([1, -100, 10000]), np.float32([0.1, 0.2]), np.array([1e300, 1e-300]))
np.set_printoptions(precision=3, suppress=True)
print(np.array([1.123456789, 2.1, 1e-9]), np.array([3.14159]))
np.set_printoptions(precision=8, suppress=False)
with np.printoptions(precision=2):
    print(np.array([1.23456]), np.pi)
print(np.array2string(np.array([1.23456, 2.0]), precision=2), np.finfo(np.float32).eps, np.finfo(float).max, np.iinfo(np.int32).max, np.iinfo(np.int8).min)
print(np.arange(12).reshape(2, 2, 3), np.array([[True], [False]]), np.array([-0.0, 0.0]), np.array([np.nan, 1]), np.arange(30) * 1.5)
