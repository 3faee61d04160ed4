# Products that wrap, axes of arrays of other ranks, dtypes that stay, digits of one number.
import numpy as np

print(np.lcm(np.array([100, 90, 7, -128], np.int8), np.array([14, 70, 0, 3], np.int8)))
print(np.lcm(np.array([100000, 90], np.int32), np.array([14000001, 70], np.int32)), np.lcm(4, 6), np.lcm(-4, 6))
a, b = np.arange(8.0).reshape(2, 2, 2), np.arange(4.0).reshape(2, 2) + 1
for axis in (0, 1, -1):
    print(np.vecdot(a, b, axis=axis).tolist(), np.linalg.vecdot(a, b, axis=axis).tolist())
print(np.unwrap(np.arange(6, dtype="i2"), period=4), np.unwrap(np.arange(6, dtype="i2"), period=4).dtype, np.unwrap(np.arange(6)).dtype)
print(np.array2string(np.asarray(12.312883632140), precision=4), np.array2string(np.float64(1) / 3), np.array2string(np.asarray(2.0)))
for d in ("float32", "float16", "int32", "float64"):
    y = np.polyint(np.array([1.96, 0.78, 3.45]).astype(d), 2)
    print(y.dtype, y.tolist() if d != "float16" else "")
print(np.argmax(np.float32(2), axis=0), np.argmin(np.array(3), axis=-1), np.polyint(np.poly1d([1, 2])))
z = np.array([-0.0, 0.0, np.nan, -2.5, np.inf])
print(np.sign(z), np.sign(z.astype(np.float16)), np.sign(-0.0), np.signbit(np.sign(z)), np.sign(np.array([-3, 0, 4])), np.sign(z.astype(np.float32)).dtype)

# edges of bins have the type of what they are of; complex numbers of halves are wide
x=np.array([1.65, 2.29, 1.95],np.float32)
print(np.histogram2d(x,x,bins=3)); print(np.histogramdd(np.array([[1,2],[3,5],[2,2]]),bins=2)); print(np.histogram2d([1,2,3],[1,2,2],bins=[2,[0,2,3]]))
print(np.histogram2d(x,x,bins=2,range=[[0,3],[1,3]],weights=[1,2,3],density=True))
print([np.sort_complex(np.array([2, 1], d)).dtype for d in "bhiefdBH?"])
print(np.logical_or.reduceat(np.array([0.5, 0, 0, 2]), [0, 2, 1]), np.add.reduceat([1, 2, 3], [2, 0]))

# bools to powers, parts of infinities, whole parts of integers
b = np.array([True, False])
print([(b ** e).dtype.name for e in (2, 2.5, True, np.int8(2), np.int32(2), 3)], (b ** b).dtype, np.power(b, b).dtype, np.power(b, 2).dtype)
print(type(np.True_ ** 2).__name__, type(np.True_ ** np.True_).__name__, np.modf(np.array([np.inf, -np.inf, 1.5, -0.0])))
print(np.fix(np.array([1, 2])).dtype, np.fix([True]).dtype, np.fix(-1.7), np.asfortranarray(3).shape)
