# Quantiles of every method and shape of q, sets, polynomials and bits: what the array core shares among the libraries.
import numpy as np

x = np.array([[3.0, 1.0, np.nan, 8.0], [2.0, 7.0, 5.0, 4.0], [0.5, np.inf, 6.0, 9.0]])
for method in ("linear", "lower", "higher", "midpoint", "nearest"):
    print(method, np.quantile(x, 0.4, axis=1, method=method), np.nanquantile(x, [0.2, 0.9], axis=0, method=method).tolist())
print(np.quantile(x[1], [[0.1, 0.5], [0.7, 1.0]]).tolist(), np.quantile(x[1:], [[0.1, 0.9]], axis=1).shape)
print(np.quantile([1, 2, np.inf], 0.5), np.quantile([-np.inf, 1, 2], 0.5), np.median([1, 2, np.inf]), np.nanmedian(x, axis=0))
print(np.quantile(x[1].astype(np.float32), 0.3), np.percentile(x[1].astype(np.float32), 62.5), np.median(np.zeros((0, 3)), axis=1).shape)
print(np.unique([3.0, np.nan, 1.0, np.nan, 3.0], True, True, True))
print(np.unique([[1, 2], [0, 5], [1, 2]], True, True, True, axis=0), np.unique(np.array([[1.0, np.nan]] * 2), axis=0).shape)
print(np.intersect1d([1, 2, 3, 3], [3, 2, 5], return_indices=True), np.union1d([1, 2], [2, 7.5]), np.setxor1d([1, 2], [2, 3]))
print(np.average(np.arange(6.0).reshape(2, 3), axis=(0, 1), weights=np.ones((2, 3))))
t = np.arange(7.0)
print(np.polyfit(t, np.stack([t * t, 1 - t], 1), 2, cov="unscaled")[1].shape, np.polydiv([1, 2, 3], [3, 1]), np.roots([0, 1, -3, 2, 0]))
print(np.interp([-1, 1, 3, 9], [1.0, 2, 4], [0.0, 5, 1], period=5), np.packbits([1, 0, 1], bitorder="little"), np.histogram([1, 2, 2, 9], 3))
for call in (lambda: np.quantile([1, 2], 1.5), lambda: np.average([1, 2], weights=[0, 0]), lambda: np.polyfit(t, t[:2], 1), lambda: np.lexsort(())):
    try:
        print(call())
    except (ValueError, TypeError, ZeroDivisionError) as e:
        print(type(e).__name__, e)
