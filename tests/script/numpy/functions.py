# Functions: elementwise, reductions, shapes, joining, sorting, sets, statistics.
import numpy as np

x = np.array([[1.0, -2.5, 3.0], [0.5, 4.0, -1.0]])
p = np.array([0.5, 1.0, 2.0])
for fn in (np.exp, np.log, np.sqrt, np.sin, np.cos, np.tan, np.tanh, np.arctan, np.log1p, np.expm1, np.log2, np.log10, np.square, np.cbrt, np.sinh, np.cosh, np.arcsinh, np.exp2, np.reciprocal, np.degrees, np.radians):
    print(fn.__name__, fn(p), np.round(fn(2.0), 12))
for fn in (np.abs, np.sign, np.floor, np.ceil, np.rint, np.trunc, np.negative, np.isnan, np.isfinite, np.signbit):
    print(fn.__name__, fn(x))
print(np.add(p, 1), np.subtract(p, p), np.multiply(2, p), np.divide(p, 2), np.power(p, 2), np.mod(7, 3), np.fmod(-7, 3), np.floor_divide(7, 2), np.maximum(p, 1), np.minimum(p, [1, 0, 5]))
print(np.arctan2(1, 2), np.hypot(3, 4), np.logaddexp(0, 1), np.heaviside([-1, 0, 2], 0.5), np.copysign(3, -1), np.gcd(12, 18), np.lcm(4, 6), np.divmod(7, 3), np.modf(2.5), np.clip(x, -1, 2), np.sinc(0.5))
print(np.logical_and([True, False], True), np.logical_not([1, 0]), np.bitwise_and(6, 3), np.left_shift(1, 4), np.equal(p, 1), np.greater(p, 1), np.isclose(p, p + 1e-9), np.allclose(p, p), np.array_equal(p, p))
out = np.zeros(3)
np.add(p, 1, out=out)
print(out, np.exp(p, where=[True, False, True], out=np.zeros(3)), np.add.reduce(x), np.add.reduce(x, axis=1), np.multiply.reduce(p), np.add.accumulate(p), np.multiply.outer([1, 2], [3, 4]), np.maximum.reduce(x, axis=1), np.logical_or.reduce([False, True]))
np.add.at(out, [0, 0, 1], 1)
print(out, np.add.__name__, np.minimum.accumulate([3, 1, 2]), np.subtract.outer([1, 2], [1, 1]))

# reductions
print(x.sum(), x.sum(axis=0), x.sum(axis=1, keepdims=True), x.mean(axis=0), x.prod(), x.max(), x.min(axis=1), x.std(), x.var(axis=1), x.var(ddof=1), x.argmax(), x.argmin(axis=1), np.ptp(x, axis=0))
print(np.sum([1, 2, 3]), np.mean([1, 2]), np.any(x > 3), np.all(x > -3, axis=1), np.count_nonzero(x > 0), np.cumsum(x), np.cumsum(x, axis=1), np.cumprod([1, 2, 3]), np.median(x), np.median([1, 2, 3, 4]), np.average([1, 2, 3], weights=[3, 2, 1]))
print(np.percentile(x, 25), np.percentile(x, [25, 75], axis=1), np.quantile(p, 0.3), np.nansum([1, np.nan]), np.nanmean([1, np.nan, 3]), np.nanmax([1, np.nan]), np.max([1, 2], initial=5), np.sum(x, where=x > 0))
print(np.diff([1, 4, 9]), np.diff(x, axis=0), np.gradient([1.0, 4.0, 9.0]), np.trapezoid([1, 2, 3]), np.interp([0.5, 1.5, 9], [0, 1, 2], [10, 20, 30]), np.convolve([1, 2, 3], [0, 1, 0.5]), np.correlate([1, 2, 3], [0, 1, 0.5], "same"))
print(np.cov(x), np.corrcoef([1, 2, 3], [1, 2, 4]), np.histogram([1, 2, 1, 4], bins=3), np.bincount([0, 1, 1, 3]), np.bincount([0, 1], weights=[0.5, 2]), np.digitize([0.5, 1.5], [0, 1, 2]), np.polyval([1, 2, 3], 2), np.round(np.polyfit([0, 1, 2], [1, 3, 7], 2), 6))
print(np.round(2.567, 2), np.round([1.5, 2.5, -0.5]), np.around(123.456, -1), np.nan_to_num([np.nan, np.inf, 1.0]), np.fix([1.7, -1.7]), np.unwrap([0, 3.0, 6.5]))

# shapes
a = np.arange(6).reshape(2, 3)
print(np.concatenate([a, a]), np.concatenate([a, a], axis=1).shape, np.vstack([a, [9, 9, 9]]), np.hstack([[1, 2], [3]]), np.stack([p, p], axis=1), np.column_stack([p, p]), np.dstack([a, a]).shape, np.append(p, 5), np.block([[a, a], [a, a]]).shape)
print(np.split(np.arange(6), 3), np.array_split(np.arange(5), 2), np.split(np.arange(6), [1, 4]), np.hsplit(a, 3)[1], np.vsplit(a, 2)[0])
print(np.transpose(a), np.swapaxes(a, 0, 1).shape, np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape, np.expand_dims(p, 0).shape, np.squeeze(np.ones((1, 3, 1))).shape, np.ravel(a), np.reshape(a, (3, 2)), np.broadcast_to(p, (2, 3)), a.reshape(3, 2, order="F"))
print(np.tile([1, 2], 2), np.tile([[1], [2]], (1, 3)), np.repeat([1, 2], 2), np.repeat(a, [1, 2], axis=0), np.roll(np.arange(5), 2), np.roll(a, 1, axis=1), np.flip(p), np.fliplr(a), np.rot90(a), np.pad([1, 2], 1), np.pad(a, ((1, 0), (0, 2)), constant_values=7), np.pad([1, 2, 3], 2, mode="reflect"), np.pad([1, 2], (1, 2), mode="edge"))
print(np.delete(np.arange(5), [1, 3]), np.insert([1, 2, 3], 1, 9), np.insert(a, 1, 0, axis=1), np.atleast_2d(p).shape, np.meshgrid([1, 2], [3, 4, 5]), np.indices((2, 2)), np.mgrid[0:2, 0:3].shape, np.r_[1:4, 0, 9], np.c_[p, p], np.unravel_index(4, (2, 3)), np.triu_indices(3, 1))
print(np.take(p, [0, 2]), np.take_along_axis(a, np.array([[0], [2]]), 1), np.choose([0, 1], [[1, 2], [3, 4]]), np.select([p < 1, p > 1], [p, p * 10], -1), np.extract(p > 0.6, p), np.compress([0, 1, 1], p), np.apply_along_axis(np.sum, 1, a), np.vectorize(lambda q: q * 2)(p), np.piecewise(p, [p < 1, p >= 1], [lambda q: -q, 5]))

# sorting and sets
u = np.array([3, 1, 2, 3, 1])
print(np.sort(u), np.argsort(u, kind="stable"), np.sort(x, axis=0), np.sort(x, axis=None), np.unique(u), np.unique(u, return_counts=True), np.unique(u, return_index=True, return_inverse=True), np.searchsorted([1, 2, 3], [0, 2, 5]), np.searchsorted([1, 2, 3], 2, side="right"), np.lexsort(([1, 2, 1], [3, 3, 1])))
u.sort()
print(u, np.isin([1, 5], u), np.intersect1d([1, 2, 3], [2, 3, 4]), np.union1d([1, 2], [2, 3]), np.setdiff1d([1, 2, 3], [2]), np.partition([3, 1, 2], 1), np.unique([[1, 2], [1, 2], [3, 4]], axis=0))

# products and linear algebra
m = np.array([[2.0, 1.0], [1.0, 3.0]])
print(m @ m, np.dot(m, [1, 2]), np.inner([1, 2], [3, 4]), np.outer([1, 2], [3, 4]), np.vdot(m, m), np.tensordot(m, m, 1), np.einsum("ij,jk->ik", m, m), np.einsum("ii", m), np.kron([1, 2], [1, 1]), np.cross([1, 0, 0], [0, 1, 0]), np.trace(m), np.matmul(m, m).shape)
print(np.linalg.inv(m), np.round(np.linalg.det(m), 12), np.linalg.solve(m, [1, 2]), np.linalg.cholesky(m), np.linalg.norm(m), np.linalg.norm([3, 4]), np.linalg.norm(m, axis=1), np.linalg.norm(m, 1), np.linalg.norm([1, -2, 3], np.inf), np.linalg.matrix_power(m, 3), np.linalg.slogdet(m)[0])
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as e:
    print(e)
np.testing.assert_allclose(m, m + 1e-9, rtol=1e-6)
try:
    np.testing.assert_allclose([1.0, 2.0], [1.0, 2.5])
except AssertionError as e:
    print("not close", "Mismatched elements: 1 / 2 (50%)" in str(e))
print(list(np.ndindex(2, 2)), [(i, int(v)) for i, v in np.ndenumerate(a)][:3], np.pi, np.e, np.inf, np.newaxis, np.size(a), np.ndim(3), np.ndim(None), np.ndim(object()), np.shape([[1]]), np.isscalar(3.0))
print(np.fromiter((q * q for q in range(4)), dtype=int), np.array(range(3)), np.fromfunction(lambda i, j: i + j, (2, 2)), np.vander([1, 2, 3], 3), np.array([[1, 2]] * 2), np.asarray(a) is a, np.array([np.float32(1), np.float32(2)]).dtype)
