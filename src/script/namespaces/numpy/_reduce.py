# numpy._reduce -- reductions, cumulative functions, statistics, sorting, sets and comparison.
from collections import namedtuple as _named
import _numpy as _w
from numpy._array import ndarray, as_asked, written, rounded, summable, reduced, typed, within
from numpy._shape import _core

_int, _sum, _max, _min, _range, _all, _any, _float, _sorted, _abs = int, sum, max, min, range, all, any, float, sorted, abs
_pi = 3.141592653589793
diff, ediff1d, gradient, unwrap = _core.diff, _core.ediff1d, _core.gradient, _core.unwrap
trapezoid = trapz = _core.trapezoid
polyadd, polysub, polyder, isin, in1d = _core.polyadd, _core.polysub, _core.polyder, _core.isin, _core.in1d


def _where(x, where, fill):
    return _w.wrap(x) if where is True else _w.where(where, x, fill)


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    r = as_asked(_w.sum(summable(_where(a, where, 0), dtype), axis, keepdims), dtype)
    return written(r if initial is None else r + initial, out)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    r = as_asked(_w.prod(summable(_where(a, where, 1), dtype), axis, keepdims), dtype)
    return written(r if initial is None else r * initial, out)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    if where is not True:
        x = typed(_w.div(a, 1), dtype)
        n = _w.sum(_w.cast(_w.broadcast_to(_w.wrap(where), x.shape), x.dtype), axis, keepdims)
        return written(_w.sum(_where(x, where, 0), axis, keepdims) / n, out)
    return written(as_asked(_w.mean(typed(_w.wrap(a), dtype), axis, keepdims), dtype), out)


def max(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    x = _where(a, where, initial)
    if initial is None:
        return reduced(_w.max, x, axis, keepdims, out, "maximum")
    if x.size == 0:     # the shape is that of a sum
        return written(_w.full(_w.sum(x, axis, keepdims).shape, initial, x.dtype), out)
    return written(_w.maximum(reduced(_w.max, x, axis, keepdims, None, "maximum"), _w.cast(initial, x.dtype)), out)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    x = _where(a, where, initial)
    if initial is None:
        return reduced(_w.min, x, axis, keepdims, out, "minimum")
    if x.size == 0:     # the shape is that of a sum
        return written(_w.full(_w.sum(x, axis, keepdims).shape, initial, x.dtype), out)
    return written(_w.minimum(reduced(_w.min, x, axis, keepdims, None, "minimum"), _w.cast(initial, x.dtype)), out)


amax, amin = max, min


def all(a, axis=None, out=None, keepdims=False, where=True):
    return written(_w.all(_where(a, where, True), axis, keepdims), out)


def any(a, axis=None, out=None, keepdims=False, where=True):
    return written(_w.any(_where(a, where, False), axis, keepdims), out)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    x, ddof = typed(_w.wrap(a), dtype), ddof if correction is None else correction
    if where is True and mean is None:
        return written(_w.var(x, axis, ddof, keepdims), out)
    x = _w.div(x, 1)
    counted = _w.broadcast_to(_w.wrap(where), x.shape)
    n = _w.sum(_w.cast(counted, _w.real(x).dtype), axis, keepdims)
    mean = _mean_of(x, axis, counted) if mean is None else mean
    d = _w.square(_w.abs(x - mean))
    return written(_w.sum(_w.where(counted, d, 0), axis, keepdims) / _w.maximum(n - ddof, 0), out)


def _mean_of(x, axis, counted):
    return _w.sum(_w.where(counted, x, 0), axis, True) / _w.sum(_w.cast(counted, x.dtype), axis, True)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    if where is True and mean is None:
        return written(_w.std(typed(_w.wrap(a), dtype), axis, ddof if correction is None else correction, keepdims), out)
    return written(_w.sqrt(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)), out)


def argmax(a, axis=None, out=None, keepdims=False):
    return written(_some("argmax", a, axis, _w.argmax)(a, axis, keepdims), out)


def argmin(a, axis=None, out=None, keepdims=False):
    return written(_some("argmin", a, axis, _w.argmin)(a, axis, keepdims), out)


def _some(name, a, axis, of):
    shape = _w.wrap(a).shape
    if not len(shape) and axis in (0, -1):      # one number has an axis to look along
        return lambda a, axis, keepdims: of(a, None, keepdims)
    if 0 in shape and (axis is None or shape[axis] == 0):
        raise ValueError(f"attempt to get {name} of an empty sequence")
    return of if 0 not in shape else lambda a, axis, keepdims: _w.cast(_w.sum(_w.wrap(a), axis, keepdims), _w.int64)


def ptp(a, axis=None, out=None, keepdims=False):
    return _w.wrap(a).ptp(axis, out, keepdims)


def count_nonzero(a, axis=None, keepdims=False):
    r = _w.sum(_w.cast(_w.ne(a, 0), _w.int64), axis, keepdims)
    return r


def cumsum(a, axis=None, dtype=None, out=None):
    return _w.wrap(a).cumsum(axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    return _w.wrap(a).cumprod(axis, dtype, out)


def _cumulative(fn, first):
    def call(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        x = _w.wrap(x)
        if axis is None and x.ndim != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        y = fn(x, 0 if axis is None else axis, dtype)
        if include_initial:
            axis = _core.axis(0 if axis is None else axis, x.ndim)
            y = _w.concat([_w.full([1 if i == axis else n for i, n in enumerate(y.shape)], first, y.dtype), y], axis)
        return written(y, out)
    return call


cumulative_sum, cumulative_prod = _cumulative(cumsum, 0), _cumulative(cumprod, 1)


def logsumexp(a, axis=None, keepdims=False):
    return _w.logsumexp(a, axis, keepdims)


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    x = _w.wrap(a)
    if weights is None:
        r = _w.mean(x, axis, keepdims)
        return (r, _w.full_like(r, x.size / r.size)) if returned else r
    w = _w.wrap(weights)
    if w.shape != x.shape:
        if w.ndim != 1 or axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        w = _w.reshape(w, [(-1 if i == axis % x.ndim else 1) for i in _range(x.ndim)])
        w = _w.broadcast_to(w, x.shape)
    n = _w.sum(w, axis, keepdims)
    if _w.any(n == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    r = _w.sum(x * w, axis, keepdims) / n
    return (r, _w.broadcast_to(_w.cast(n, r.dtype), r.shape)) if returned else r


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    # The mean of the two in the middle; of nothing NaN.
    x, kept = _core.rows(_w.div(a, 1), axis)
    n = x.shape[-1]
    if n == 0:
        r = _w.full(x.shape[:-1], _float("nan"), x.dtype)
    else:
        s = _w.sort(x, -1)[0]
        r = _w.mean(_w.narrow(s, -1, (n - 1) // 2, 2 - n % 2), -1)
        r = _w.where(_w.any(_w.is_nan(s), -1), _float("nan"), r)
    return written(_w.reshape(r, kept) if keepdims else r, out)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    if method not in ("linear", "lower", "higher", "nearest", "midpoint"):
        raise NotImplementedError(f"np.quantile: method {method!r}")
    x, kept = _core.rows(_w.div(a, 1), axis)
    axis = x.ndim - 1
    s = _w.sort(x, axis)[0]
    n = s.shape[axis]
    if n == 0:
        raise IndexError("index -1 is out of bounds for axis 0 with size 0")
    qs = _w.cast(_w.wrap(q), _w.float64)
    if _w.any(qs < 0) or _w.any(qs > 1):
        raise ValueError("Quantiles must be in the range [0, 1]")
    rows = []
    for p in _w.reshape(qs, -1).tolist():
        at = p * (n - 1)
        lo = _min(_int(at), n - 1)
        hi = _min(lo + 1, n - 1)
        t = at - lo
        if method == "lower":
            t = 0.0
        elif method == "higher":
            t = 1.0 if t > 0 else 0.0
        elif method == "nearest":
            t = 0.0 if t < 0.5 or t == 0.5 and lo % 2 == 0 else 1.0
        elif method == "midpoint":
            t = 0.5 if t > 0 else 0.0
        a0, a1 = _w.take(s, lo, axis), _w.take(s, hi, axis)
        # as NumPy: from the nearer end, so that it is monotonic
        if method in ("lower", "higher", "nearest"):
            r = a0 if t == 0 else a1
        else:
            r = a0 + (a1 - a0) * t if t < 0.5 else a1 - (a1 - a0) * (1 - t)
        r = _w.where(_w.any(_w.is_nan(s), axis), _float("nan"), r)
        rows.append(_w.reshape(r, kept) if keepdims else r)
    r = rows[0] if qs.ndim == 0 else _w.stack(rows, 0)
    return written(r, out)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return quantile(a, _w.div(q, 100), axis, out, overwrite_input, method, keepdims)


def _observed(*given):
    # NumPy computes covariances with 64 bits.
    kind = _w.complex128 if "c" in [_w.wrap(v).dtype.kind for v in given if v is not None] else _w.float64
    return [None if v is None else _w.cast(_w.wrap(v), kind) for v in given]


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    weights = [None if w is None else _w.cast(_w.wrap(w), _w.float64) for w in (fweights, aweights)]
    return typed(_w.array(_core.cov(*_observed(m, y), rowvar, bias, ddof, *weights)), dtype)


def corrcoef(x, y=None, rowvar=True):
    return _core.corrcoef(*_observed(x, y), rowvar)


def histogram(a, bins=10, range=None, density=None, weights=None):
    x = _w.reshape(_w.wrap(a), -1)
    if isinstance(bins, _int):
        lo, hi = (x.min().item(), x.max().item()) if range is None and x.size else (0, 1) if range is None else range
        if lo > hi:
            raise ValueError("max must be larger than min in range parameter.")
        if lo == hi:
            lo, hi = lo - 0.5, hi + 0.5
        edges = _w.linspace(lo, hi, bins + 1)
        if x.dtype.kind == "f":
            edges = _w.cast(edges, x.dtype)
    else:
        edges = _w.wrap(bins)
    n = edges.shape[0] - 1
    at = _w.searchsorted(edges, x, True) - 1
    at = _w.where(x == edges[-1], n - 1, at)
    ok = _w.logical_and(at >= 0, at < n)
    at = at[ok]
    counts = bincount(at, None if weights is None else _w.reshape(_w.wrap(weights), -1)[ok], n)
    if density:
        counts = counts / (edges[1:] - edges[:-1]) / _w.sum(counts)
    return counts, edges


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    return histogram(a, bins, range, weights=weights)[1]


def bincount(x, weights=None, minlength=0):
    x = _w.wrap(x)
    if x.size and x.min() < 0:
        raise ValueError("'list' argument must have no negative elements")
    n = _max(_int(x.max()) + 1 if x.size else 0, minlength)
    ones = _w.full(x.shape, 1, _w.int64) if weights is None else _w.cast(_w.wrap(weights), _w.float64)
    out = _w.full((n,), 0, ones.dtype)
    return _w.index_add(out, x, ones) if x.size else out


def digitize(x, bins, right=False):
    bins, x = _w.wrap(bins), _w.wrap(x)
    if bins.shape[0] > 1 and bins[0] > bins[-1]:
        return _w.where(_w.is_nan(x), 0, bins.shape[0] - _w.searchsorted(_w.flip(bins), x, not right))
    return _w.where(_w.is_nan(x), bins.shape[0], _w.searchsorted(bins, x, not right))


def searchsorted(a, v, side="left", sorter=None):
    return _w.wrap(a).searchsorted(v, side, sorter)


def interp(x, xp, fp, left=None, right=None, period=None):
    x, xp, fp = _w.div(x, 1), _w.div(xp, 1), _w.div(fp, 1)
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = _abs(period)
        x = x % period
        xp, order = _w.sort(xp % period, 0)
        fp = _w.take(fp, order)
        xp = _w.concat([xp[-1:] - period, xp, xp[:1] + period], 0)
        fp = _w.concat([fp[-1:], fp, fp[:1]], 0)
        left = right = None
    n = xp.shape[0]
    hi = _w.clip(_w.searchsorted(xp, x, True), 1, n - 1)
    a, b = _w.take(xp, hi - 1), _w.take(xp, hi)
    fa, fb = _w.take(fp, hi - 1), _w.take(fp, hi)
    r = (fb - fa) / (b - a) * (x - a) + fa
    r = _w.where(x <= xp[0], fp[0] if left is None else left, r)
    r = _w.where(x == xp[0], fp[0], r)
    r = _w.where(x > xp[-1], fp[-1] if right is None else right, r)
    return _w.where(x == xp[-1], fp[-1], r)


def convolve(a, v, mode="full"):
    a, v = _w.wrap(a), _w.wrap(v)
    if a.size < v.size:
        a, v = v, a
    n, m = a.size, v.size
    full = _w.full((n + m - 1,), 0, (a[:1] * v[:1]).dtype)
    for i in _range(m):
        full = full + _w.pad(a * v[i], (i,), (m - 1 - i,))
    if mode == "full":
        return full
    if mode == "same":
        return full[(m - 1) // 2:(m - 1) // 2 + n]
    return full[m - 1:n]


def correlate(a, v, mode="valid"):
    v = _w.wrap(v)
    return convolve(a, _w.conj(_w.flip(v)), mode)


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    # Least squares of the powers of x, each scaled to length 1.
    x, y = _w.div(x, 1), _w.div(y, 1)
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1 or x.size == 0 or y.ndim not in (1, 2) or x.shape[0] != y.shape[0]:
        raise TypeError("expected 1D vector for x" if x.ndim != 1 else "expected non-empty vector for x" if x.size == 0 else
                        "expected 1D or 2D array for y" if y.ndim not in (1, 2) else "expected x and y to have same length")
    rcond = x.shape[0] * _eps(x.dtype) if rcond is None else rcond
    V, b = _w.pow(_w.expand_dims(x, 1), _w.flip(_w.arange(0, deg + 1))), y
    if w is not None:
        w = _w.div(w, 1)
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        V, b = V * _w.expand_dims(w, 1), b * (_w.expand_dims(w, 1) if y.ndim == 2 else w)
    scale = _w.sqrt(_w.sum(V * V, 0))
    from numpy.linalg import lstsq
    c, residuals, rank, s = lstsq(V / scale, b, rcond)
    c = _w.permute(_w.permute(c) / scale)
    if rank != deg + 1 and not full:
        import warnings
        from numpy.exceptions import RankWarning
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    if full:
        return c, residuals, rank, s, rcond
    if not cov:
        return c
    V = V / scale
    base = _w.inv(_w.matmul(_w.permute(V), V)) / _w.outer(scale, scale)
    if cov == "unscaled":
        return c, base
    if x.shape[0] <= deg + 1:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    f = residuals / (x.shape[0] - (deg + 1))
    return c, base * f if y.ndim == 1 else _w.expand_dims(base, -1) * f


def polyval(p, x):
    x = _w.wrap(x)
    r = _w.zeros_like(x)
    for c in _w.wrap(p):
        r = r * x + c
    return r


def roots(p):
    # The eigenvalues of the companion matrix; zeros at the end of p are roots 0.
    p = _w.wrap(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    at = [i for i, c in enumerate(p.tolist()) if c != 0]
    if not at:
        return _w.full((0,), 0.0)
    zeros = p.shape[0] - at[-1] - 1
    p = _w.div(p[at[0]:at[-1] + 1], 1)
    n = p.shape[0] - 1
    if n == 0:
        return _w.full((zeros,), 0.0)
    from numpy.linalg import eigvals
    first = _w.expand_dims(-p[1:] / p[0], 0)
    r = eigvals(_w.concat([first, _w.eye(n - 1, n, 0, p.dtype)], 0))
    return _w.concat([r, _w.full((zeros,), 0, r.dtype)], 0) if zeros else r


def clip(a, a_min=None, a_max=None, out=None, min=None, max=None):
    lo, hi = a_min if min is None else min, a_max if max is None else max
    return written(_w.clip(a, lo, hi), out)


def round(a, decimals=0, out=None):
    return written(rounded(a, decimals), out)


around = round


def fix(x, out=None):
    return written(_w.trunc(_w.div(x, 1)), out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy and isinstance(x, ndarray):
        x[...] = nan_to_num(x, True, nan, posinf, neginf)
        return x
    x = _w.wrap(x)
    if x.dtype.kind != "f":
        return x
    big = {2: 65504.0, 4: 3.4028234663852886e38, 8: 1.7976931348623157e308}[x.dtype.itemsize]
    r = _w.where(_w.is_nan(x), nan, x)
    r = _w.where(x == _float("inf"), big if posinf is None else posinf, r)
    return _w.where(x == -_float("inf"), -big if neginf is None else neginf, r)


# ---- NaN is left out ----

_core.sum, _core.prod, _core.max, _core.min, _core.mean, _core.cumsum, _core.cumprod = sum, prod, max, min, mean, cumsum, cumprod
nansum, nanprod, nancumsum, nancumprod = _core.nansum, _core.nanprod, _core.nancumsum, _core.nancumprod
nanmax, nanmin, nanmean, nanvar, nanstd = _core.nanmax, _core.nanmin, _core.nanmean, _core.nanvar, _core.nanstd


def nanargmax(a, axis=None):
    return _w.argmax(_core.without_nan(a, -_float("inf")), axis)


def nanargmin(a, axis=None):
    return _w.argmin(_core.without_nan(a, _float("inf")), axis)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    # Row by row, without the NaN of each.
    x, kept = _core.rows(_w.div(a, 1), axis)
    lead = tuple(x.shape[:-1])
    more = tuple(_w.wrap(q).shape)
    found = []
    for row in _w.reshape(x, (-1, x.shape[-1])):
        row = row[_w.logical_not(_w.is_nan(row))]
        found.append(quantile(row, q, 0, None, False, method) if row.size else _w.full(more, _float("nan"), x.dtype))
    r = _w.reshape(_w.stack(found, -1), more + lead)
    return written(_w.reshape(r, more + tuple(kept)) if keepdims else r, out)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return nanquantile(a, _w.div(q, 100), axis, out, overwrite_input, method, keepdims)


def polymul(a1, a2):
    return convolve(a1, a2)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = _w.div(a, 1)
    rows, kept = _core.rows(x, axis)
    lead = rows.shape[:-1]
    each = [median(r[_w.logical_not(_w.is_nan(r))]) for r in _w.reshape(rows, (-1, rows.shape[-1]))]
    y = _w.reshape(_w.stack(each, 0), lead) if lead else each[0]
    return written(_w.reshape(y, kept) if keepdims else y, out)


# ---- sorting and sets ----

def sort(a, axis=-1, kind=None, order=None, stable=None):
    return _w.sort(_w.reshape(_w.wrap(a), -1), 0)[0] if axis is None else _w.sort(a, axis)[0]


def argsort(a, axis=-1, kind=None, order=None, stable=None):
    return _w.wrap(a).argsort(axis)


def partition(a, kth, axis=-1):
    within(_w.wrap(a), kth, axis)
    return sort(a, axis)


def argpartition(a, kth, axis=-1):
    within(_w.wrap(a), kth, axis)
    return argsort(a, axis)


def lexsort(keys, axis=-1):
    # By the last key, then by those before it.
    order = None
    for k in keys:
        k = _w.wrap(k)
        if order is None:
            order = _w.sort(k, axis)[1]
        else:
            order = _w.take_along(order, _w.sort(_w.take_along(k, order, axis), axis)[1], axis)
    if order is None:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    return order


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True):
    x = _w.wrap(ar)
    if axis is not None and x.ndim > 1:
        return _unique_rows(x, axis, return_index, return_inverse, return_counts)
    shape = x.shape
    x = _w.reshape(x, -1)
    s, order = _w.sort(x, 0)
    n = s.shape[0]
    if n == 0:
        first = _w.full((0,), True, _w.bool_)
    else:
        new = _w.ne(s[1:], s[:-1])
        if x.dtype.kind == "f" and equal_nan:
            new = _w.logical_and(new, _w.logical_not(_w.logical_and(_w.is_nan(s[1:]), _w.is_nan(s[:-1]))))
        first = _w.concat([_w.full((1,), True, _w.bool_), new], 0)
    out = [s[first]]
    if return_index:
        out.append(order[first])
    if return_inverse:
        rank = _w.cumsum(_w.cast(first, _w.int64), 0) - 1
        out.append(_w.reshape(_w.index_set(_w.full((n,), 0, _w.int64), order, rank), shape))
    if return_counts:
        at = _w.reshape(_w.nonzero(first), -1)
        out.append(_w.concat([at, _w.tensor([n], _w.int64)], 0)[1:] - at)
    return out[0] if len(out) == 1 else tuple(out)


def _unique_rows(x, axis, index, inverse, counts):
    x = _w.move_axis(x, axis, 0)
    rows = [tuple(_w.reshape(r, -1).tolist()) for r in x]
    seen = {}
    for i, r in enumerate(rows):
        seen.setdefault(r, []).append(i)
    keys = _sorted(seen)
    first = [seen[k][0] for k in keys]
    out = [_w.move_axis(_w.take(x, _w.tensor(first, _w.int64), 0), 0, axis)]
    if index:
        out.append(_w.tensor(first, _w.int64))
    if inverse:
        place = {k: i for i, k in enumerate(keys)}
        out.append(_w.tensor([place[r] for r in rows], _w.int64))
    if counts:
        out.append(_w.tensor([len(seen[k]) for k in keys], _w.int64))
    return out[0] if len(out) == 1 else tuple(out)


def unique_values(x):
    return unique(x, equal_nan=False)


UniqueAllResult = _named("UniqueAllResult", ["values", "indices", "inverse_indices", "counts"])
UniqueCountsResult = _named("UniqueCountsResult", ["values", "counts"])
UniqueInverseResult = _named("UniqueInverseResult", ["values", "inverse_indices"])


def unique_all(x):
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    (u, i), (v, j) = unique(ar1, return_index=True), unique(ar2, return_index=True)
    inside = isin(u, v)
    return (u[inside], i[inside], j[isin(v, u)]) if return_indices else u[inside]


def union1d(ar1, ar2):
    return unique(_w.concat([_w.reshape(_w.wrap(ar1), -1), _w.reshape(_w.wrap(ar2), -1)], 0))


def setdiff1d(ar1, ar2, assume_unique=False):
    a = _w.reshape(_w.wrap(ar1), -1) if assume_unique else unique(ar1)
    return a[isin(a, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    return union1d(setdiff1d(ar1, ar2), setdiff1d(ar2, ar1))


# ---- comparison ----

def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = _w.wrap(a), _w.wrap(b)
    if a.dtype == _w.bool_ and b.dtype == _w.bool_:
        return _w.eq(a, b)
    r = _w.is_close(a, b, rtol, atol)
    if equal_nan:
        r = _w.logical_or(r, _w.logical_and(_w.is_nan(_w.div(a, 1)), _w.is_nan(_w.div(b, 1))))
    return r


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_w.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    return bool(_core.equal(a1, a2, equal_nan))


def array_equiv(a1, a2):
    try:
        return bool(_w.all(_w.eq(a1, a2)))
    except ValueError:
        return False


def isposinf(x, out=None):
    return written(_w.eq(x, _float("inf")), out)


def isneginf(x, out=None):
    return written(_w.eq(x, -_float("inf")), out)


def isreal(x):
    return _w.eq(_w.imag(_w.wrap(x)), 0)


def iscomplex(x):
    return _w.ne(_w.imag(_w.wrap(x)), 0)


def iscomplexobj(x):
    return x is not None and _w.wrap(x).dtype.is_complex


def isrealobj(x):
    return not iscomplexobj(x)


def real(val):
    return _w.real(_w.wrap(val))


def imag(val):
    return _w.imag(_w.wrap(val))


def angle(z, deg=False):
    z = _w.wrap(z)
    a = _w.angle(_w.cast(z, _w.float64) if z.dtype.kind == "b" else z)
    return a * (180 / 3.141592653589793) if deg else a


def isscalar(element):
    from numpy._array import generic
    return isinstance(element, (_int, _float, complex, str, bool, generic))


def sinc(x):
    x = _w.mul(x, _pi)
    return _w.where(x == 0, 1.0, _w.sin(x) / _w.where(x == 0, 1.0, x))


def _eps(d):
    from numpy._limits import finfo
    return finfo(d).eps
