# numpy._reduce -- reductions, cumulative functions, statistics, sorting, sets and comparison.
from collections import namedtuple as _named
import _numpy as _w
from numpy._array import clipped, ndarray, as_asked, written, rounded, summable, reduced, typed, within
from numpy._shape import _core

_int, _sum, _max, _min, _range, _all, _any, _float, _sorted, _abs = int, sum, max, min, range, all, any, float, sorted, abs
_pi = 3.141592653589793
diff, ediff1d, gradient, unwrap = _core.diff, _core.ediff1d, _core.gradient, _core.unwrap
trapezoid = trapz = _core.trapezoid
isin, in1d = _core.isin, _core.in1d
lexsort, union1d, setdiff1d, setxor1d = _core.lexsort, _core.union1d, _core.setdiff1d, _core.setxor1d
_core.above = lambda at: _w.floor(at) + 1      # NaN where the next one is infinite, as NumPy


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
    r, n = _core.average(x, axis, weights, keepdims)
    if _w.any(n == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return (r, _w.broadcast_to(_w.cast(n, r.dtype), r.shape)) if returned else r


def _median(a, axis, out, keepdims, skip):
    # The mean of the two in the middle; of nothing NaN.
    x = _w.div(a, 1)
    if 0 in _core.rows(x, axis)[0].shape[-1:]:
        return written(_w.full(_w.sum(x, axis, keepdims).shape, _float("nan"), x.dtype), out)
    return written(_core.quantile(x, _w.wrap(0.5), axis, "median", keepdims, skip), out)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return _median(a, axis, out, keepdims, False)


def _quantile(a, q, axis, out, method, keepdims, skip, of_100=False):
    if method not in _core.quantile_methods:
        raise NotImplementedError(f"np.quantile: method {method!r}")
    x, q = _w.div(a, 1), _w.cast(_w.wrap(q), _w.float64)
    if _w.any(q < 0) or _w.any(q > 1):
        raise ValueError(f"{'Percentiles' if of_100 else 'Quantiles'} must be in the range [0, {100 if of_100 else 1}]")
    if _core.rows(x, axis)[0].shape[-1] == 0:
        if not skip:
            raise IndexError("index -1 is out of bounds for axis 0 with size 0")
        return _median(a, axis, out, keepdims, True)
    y = _core.quantile(x, _w.reshape(q, (-1,)) if q.ndim > 1 else q, axis, method, keepdims, skip)
    return written(_w.reshape(y, tuple(q.shape) + tuple(y.shape)[1:]) if q.ndim > 1 else y, out)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return _quantile(a, q, axis, out, method, keepdims, False)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return _quantile(a, _w.div(q, 100), axis, out, method, keepdims, False, True)


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
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        lo, hi = (x.min(), x.max()) if range is None and x.size else (0, 1) if range is None else range
        if x.dtype.kind != "f" and x.size and range is None:
            lo, hi = lo.item(), hi.item()
        if lo > hi:
            raise ValueError("max must be larger than min in range parameter.")
        if lo == hi:
            lo, hi = lo - 0.5, hi + 0.5
        from numpy import linspace      # of scalars of 32 bits it is computed in these
        edges = linspace(lo, hi, bins + 1)
        if x.dtype.kind == "f":
            edges = _w.cast(edges, x.dtype)
    else:
        edges = _w.wrap(bins)
    w = _w.full(x.shape, 1, _w.int64) if weights is None else _w.cast(_w.reshape(_w.wrap(weights), -1), _w.float64)
    counts = _core.counted(x, edges, w)
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
    if period == 0:
        raise ValueError("period must be a non-zero value")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.shape != fp.shape and period is None:
        raise ValueError("fp and xp are not of the same length.")
    line = lambda x, a, b, fa, fb: (fb - fa) / (b - a) * (x - a) + fa
    y = _core.interp(x, xp, fp, left, right, period if period is None else _abs(period), line)
    if period is None:
        y = _w.where(x == xp[0], fp[0], _w.where(x == xp[-1], fp[-1], y))
    return y


def _signals(a, v, names):
    a, v = [_w.reshape(x, (1,)) if x.ndim == 0 else x for x in (_w.wrap(a), _w.wrap(v))]
    for x, name in zip((a, v), names):
        if x.ndim > 1:
            raise ValueError("object too deep for desired array")
        if not x.size:
            raise ValueError(f"{name} cannot be empty")
    return a, v


def convolve(a, v, mode="full"):
    return _core.convolve(*_signals(a, v, ("a", "v")), mode)


def correlate(a, v, mode="valid"):
    return _core.correlate(*_signals(a, v, ("first array argument", "second array argument")), mode)


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    from numpy.linalg import lstsq
    x = _w.div(x, 1)
    rcond = x.shape[0] * _eps(x.dtype) if rcond is None and x.ndim else rcond
    c, (residuals, rank, s), v = _core.polyfit(x, _w.div(y, 1), deg, rcond, None if w is None else _w.div(w, 1), False if full else cov, lstsq)
    if rank != deg + 1 and not full:
        import warnings
        from numpy.exceptions import RankWarning
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    return (c, residuals, rank, s, rcond) if full else (c, v) if cov else c


def roots(p):
    from numpy.linalg import eigvals
    return _core.roots(_w.div(p, 1), eigvals, _w.float64)


def clip(a, a_min=None, a_max=None, out=None, min=None, max=None):
    lo, hi = a_min if min is None else min, a_max if max is None else max
    return written(clipped(a, lo, hi), out)


def round(a, decimals=0, out=None):
    return written(rounded(a, decimals), out)


around = round


def fix(x, out=None):
    x = _w.wrap(x)
    return written(_w.trunc(x) if x.dtype.is_inexact else _w.copy(x), out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy and isinstance(x, ndarray):
        x[...] = nan_to_num(x, True, nan, posinf, neginf)
        return x
    x = _w.wrap(x)
    if x.dtype.kind == "c":
        return _w.complex(*[nan_to_num(part, True, nan, posinf, neginf) for part in (_w.real(x), _w.imag(x))])
    if x.dtype.kind != "f":
        return x
    return _core.nan_to_num(x, nan, posinf, neginf, {2: 65504.0, 4: 3.4028234663852886e38, 8: 1.7976931348623157e308}[x.dtype.itemsize])


# ---- NaN is left out ----

_core.sum, _core.prod, _core.max, _core.min, _core.mean, _core.cumsum, _core.cumprod = sum, prod, max, min, mean, cumsum, cumprod
nansum, nanprod, nancumsum, nancumprod = _core.nansum, _core.nanprod, _core.nancumsum, _core.nancumprod
nanmax, nanmin, nanmean, nanvar, nanstd = _core.nanmax, _core.nanmin, _core.nanmean, _core.nanvar, _core.nanstd


def nanargmax(a, axis=None):
    return _w.argmax(_core.without_nan(a, -_float("inf")), axis)


def nanargmin(a, axis=None):
    return _w.argmin(_core.without_nan(a, _float("inf")), axis)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return _quantile(a, q, axis, out, method, keepdims, True)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    return nanquantile(a, _w.div(q, 100), axis, out, overwrite_input, method, keepdims)


# ---- polynomials: of poly1d the results are that, too

def _of_polynomials(fn):
    def call(a, b=1):
        kinds = [type(v) for v in (a, b) if hasattr(v, "coeffs")]
        y = fn(getattr(a, "coeffs", a), getattr(b, "coeffs", b))
        return kinds[0](y) if kinds else y
    return call


polyadd, polysub = _of_polynomials(_core.polyadd), _of_polynomials(_core.polysub)
polymul = _of_polynomials(lambda a, b: convolve(a, b))
_polyder = _of_polynomials(_core.polyder)


def polyder(p, m=1):
    return _polyder(p, m)


def polyval(p, x):
    p = getattr(p, "coeffs", p)
    if not hasattr(x, "coeffs"):
        return _core.polyval(p, x)
    y = type(x)(0)
    for c in _w.wrap(p):
        y = y * x + c
    return y


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return _median(a, axis, out, keepdims, True)


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


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True):
    x = _w.wrap(ar)
    if axis is not None and x.ndim > 1:     # rows with NaN are never the same
        return _core.chosen(_core.distinct(x, axis, False), None, return_index, return_inverse, return_counts)
    return _core.chosen(_core.distinct(x, None, equal_nan), x.shape, return_index, return_inverse, return_counts)


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
    found = _core.intersect1d(_w.wrap(ar1), _w.wrap(ar2))
    return found if return_indices else found[0]


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
    from numbers import Number
    return isinstance(element, (_int, _float, complex, str, bytes, bool, generic, Number)) or hasattr(element, "_home") and not element.shape


def sinc(x):
    x = _w.mul(x, _pi)
    return _w.where(x == 0, 1.0, _w.sin(x) / _w.where(x == 0, 1.0, x))


def _eps(d):
    from numpy._limits import finfo
    return finfo(d).eps
