# Places in long sorted vectors, at and between their elements and beyond their ends.
import numpy as np

r = np.random.RandomState(0)
for n in (31, 32, 33, 63, 64, 65, 1000):
    x = np.sort(r.randint(0, n, n).astype("float64"))
    v = np.concatenate([x, x - 0.5, [-1.0, n + 1.0, np.inf, -np.inf, np.nan]])
    for side in ("left", "right"):
        i = np.searchsorted(x, v, side=side)
        print(n, side, i.sum(), i[:3], i[-5:], i.dtype)
    k = np.searchsorted(x.astype("int64"), np.arange(0, n, 7).reshape(1, -1))
    print(k.shape, k.sum())
