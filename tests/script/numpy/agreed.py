# Calls in which random ones once differed from NumPy without a word.
import numpy as np
nan = float("nan")
u = np.array([1, 200], np.uint8)
print(u >= -1, u < 300, -1 < u, u == -1, u != 256, np.array([1], np.int8) > 1000)
for f in (lambda: u + -1, lambda: -1 * u, lambda: u & 256, lambda: np.array([1], np.int8) + 200):
    try:
        print(f())
    except OverflowError as e:
        print(e)
print(np.array([-2.37, 2.59, 300.5, nan, np.inf, -1e20]).astype(np.uint8), np.array([-2.37, 200.0, nan, np.inf]).astype(np.int8), np.array([-2.7, nan, 1e20]).astype(np.int64), np.array([-2.7, nan, 1e20]).astype(np.int32))
for d in (np.bool_, np.int8, np.uint8, np.int16, np.int32, np.int64):
    x = np.array([0, 1], d)
    print(np.exp(x).dtype, np.log10(x + x).dtype, np.sqrt(x).dtype, np.rint(x).dtype, np.hypot(x, x).dtype, np.arctan2(x, np.float32(1)).dtype, np.fabs(x).dtype, np.copysign(x, x).dtype, np.true_divide(x, x).dtype, np.logaddexp2(x, x).dtype, np.heaviside(x, x).dtype, np.reciprocal(np.array([1, 2], d)), np.ldexp(x, 2).dtype)
print(np.copysign(np.float16(2), np.array([-1.0], np.float32)).dtype, np.sum(u, dtype=np.uint8), np.prod(u, dtype=np.int32).dtype, np.mean(u, dtype=np.int32), np.cumsum(u, dtype=np.int16).dtype, u.sum(dtype=np.int32).dtype, u.mean(dtype=np.float16).dtype)
print(np.max(np.zeros((0, 3), np.int8), axis=0, initial=2), np.max(np.array([True]), initial=0), np.nanmax(np.array([[nan, nan], [1, nan]]), axis=1), np.nanmin(np.array([nan])))
print(np.histogram(np.array([0.5, 1.5], np.float32), 2, (0, 2)), np.digitize([nan, 0.5], [0.0, 1.0]), np.digitize([nan, 0.5], [1.0, 0.0]))
print(np.nanquantile(np.array([[1.0, nan, 3.0], [4.0, 5.0, 6.0]]), 0.5, axis=1), np.nanpercentile(np.array([1.0, nan, 3.0]), [25, 50]), np.nancumprod(np.array([2.0, nan, 3.0])), np.polyadd([1, 2], [1, 2, 3]), np.polysub([1, 2], [1, 2, 3]), np.polymul([1, 2], [1, 2, 3]))
u = np.array([1, 200], np.uint8)
for f in (lambda: u / 300, lambda: u // 300, lambda: u ** -1, lambda: u << 300, lambda: 300 / u, lambda: u % 300, lambda: np.int8(3) * 200, lambda: u - 1, lambda: u * 2):
    try:
        print(f(), f().dtype)
    except (OverflowError, ValueError) as e:
        print(type(e).__name__, e)
v = u.copy()
try:
    v += 300
except OverflowError as e:
    print(e)
print(np.conj(np.array([True])), np.angle(np.array([True])).dtype, np.ascontiguousarray(3).shape, np.fmod(np.array([5]), np.array([False])))
