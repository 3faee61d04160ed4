# scipy.spatial.distance -- distances of vectors, of all pairs, and the two forms of a matrix of them.
import numpy as _np


def minkowski_distance(x, y, p=2):
    d = _np.abs(_np.asarray(x, dtype="float64") - _np.asarray(y, dtype="float64"))
    if p == _np.inf:
        return d.max(-1)
    return d.sum(-1) if p == 1 else _np.sqrt((d * d).sum(-1)) if p == 2 else (d ** p).sum(-1) ** (1 / p)


def _cosine(x, y):
    return 1 - (x * y).sum(-1) / _np.sqrt((x * x).sum(-1) * (y * y).sum(-1))


def _correlation(x, y):
    return _cosine(x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True))


def _canberra(x, y):
    size = _np.abs(x) + _np.abs(y)
    return (_np.abs(x - y) / _np.where(size == 0, 1, size)).sum(-1)


_KINDS = {
    "euclidean": minkowski_distance,
    "sqeuclidean": lambda x, y: ((x - y) ** 2).sum(-1),
    "cityblock": lambda x, y: _np.abs(x - y).sum(-1),
    "chebyshev": lambda x, y: _np.abs(x - y).max(-1),
    "cosine": _cosine,
    "correlation": _correlation,
    "canberra": _canberra,
    "braycurtis": lambda x, y: _np.abs(x - y).sum(-1) / _np.abs(x + y).sum(-1),
    "hamming": lambda x, y: (x != y).mean(-1),
}


def _kind(metric, p):
    if callable(metric):
        return None
    if metric == "minkowski":
        return lambda x, y: minkowski_distance(x, y, p)
    if metric not in _KINDS:
        raise ValueError(f"Unknown Distance Metric: {metric}")
    return _KINDS[metric]


def _of_two(name):
    def between(u, v):
        kind = None if name in ("cityblock", "chebyshev") else "float64"    # these stay integers
        return _KINDS[name](_np.asarray(u, dtype=kind), _np.asarray(v, dtype=kind))
    between.__name__ = between.__qualname__ = name
    return between


euclidean, sqeuclidean, cityblock, chebyshev, cosine, correlation, canberra, braycurtis, hamming = [_of_two(n) for n in _KINDS]


def minkowski(u, v, p=2):
    return minkowski_distance(u, v, p)


def cdist(XA, XB, metric="euclidean", *, p=2.0):
    a, b = _np.asarray(XA, dtype="float64"), _np.asarray(XB, dtype="float64")
    for x, name in ((a, "XA"), (b, "XB")):
        if x.ndim != 2:
            raise ValueError(f"{name} must be a 2-dimensional array.")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    f = _kind(metric, p)
    if f is None:
        return _np.array([[metric(u, v) for v in b] for u in a], dtype="float64").reshape(len(a), len(b))
    return f(a[:, None, :], b[None, :, :])


def pdist(X, metric="euclidean", *, p=2.0):
    x = _np.asarray(X, dtype="float64")
    if x.ndim != 2:
        raise ValueError("A 2-dimensional array must be passed.")
    return cdist(x, x, metric, p=p)[_np.triu_indices(len(x), 1)]


def squareform(X):
    x = _np.asarray(X)
    if x.ndim == 2:
        return x[_np.triu_indices(len(x), 1)]
    n = int((1 + (1 + 8 * len(x)) ** 0.5) / 2)
    if n * (n - 1) // 2 != len(x):
        raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2.")
    out = _np.zeros((n, n), x.dtype)
    at = _np.triu_indices(n, 1)
    out[at] = x
    return out + out.T
