# jax.numpy: reductions, running reductions, statistics.
import _jax as _w
from jax._api import refuse as _refuse
from jax.numpy._math import _float as _real
from jax.numpy._core import core as _core, floats as _floats
from jax.numpy._create import arraylike as _asarray, asarray as _any_array, known
from jax import _dtypes
from jax._dtypes import default_float as _default_float, default_int as _default_int, float_of as _float_of

__all__ = """sum prod mean average var std min max amin amax all any ptp argmax argmin count_nonzero
    nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmax nanargmin nanmedian nancumsum nancumprod
    cumsum cumprod cumulative_sum cumulative_prod diff gradient trapezoid median quantile percentile
    nanquantile nanpercentile cov corrcoef histogram histogram_bin_edges histogram2d histogramdd trace bincount
    logsumexp""".split()

diff, trapezoid = _core.diff, _core.trapezoid


def _given(name, dtype, *xs):
    if dtype is not None and not _w.full((), 0, dtype).dtype.is_inexact:
        raise ValueError(f"{name}: dtype must be a subclass of float or complex; got {dtype}")
    return [x if x is None or dtype is None else _w.cast(_asarray(x), dtype) for x in xs]


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    return _core.cov(*_given("cov", dtype, m, y), rowvar, bias, ddof, fweights, aweights)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    return _core.corrcoef(*_given("corrcoef", dtype, x, y), rowvar)

_range, _some = range, any


def _lowest(d):
    if d.is_inexact:
        return float("-inf")
    return False if d == _w.bool_ else _dtypes.iinfo(d).min


def _highest(d):
    if d.is_inexact:
        return float("inf")
    return True if d == _w.bool_ else _dtypes.iinfo(d).max


def _mask(where, name):
    if where is None:
        return None
    where = _any_array(where)
    if where.dtype != _w.bool_:
        raise ValueError(f"jnp.{name}: where must be None or a boolean array; got dtype={where.dtype.name}.")
    return where


def _fill(x, where, value, name="sum"):
    if where is None:
        return x
    return _w.where(_mask(where, name), x, _w.cast(value, x.dtype))


def _with(y, initial, fn):
    if initial is None:
        return y
    initial = _any_array(initial)
    if len(initial.shape):
        raise ValueError("initial value must be a scalar. Got array of shape " + str(tuple(initial.shape)))
    return fn(y, _w.cast(initial, y.dtype))


def _check(x, axis):
    if axis is None:
        return
    n = len(x.shape)
    axes = (axis,) if isinstance(axis, int) else axis
    for a in axes:
        if not -n <= a < n:
            raise ValueError(f"axis {a} is out of bounds for array of dimension {n}")
    if len(set([a % n for a in axes])) < len(axes):
        raise ValueError(f"duplicate value in 'axis': {tuple(axes)}")


def _wide(x):
    # bool and small integers are added up in the default integer
    whole = _default_int()
    if x.dtype.kind == "b" or (x.dtype.kind == "i" and x.dtype.itemsize < whole.itemsize):
        return _w.cast(x, whole)
    if x.dtype.kind == "u" and x.dtype.itemsize < whole.itemsize:
        return _w.cast(x, _w.uint64)
    return x


def _no_out(name, out):
    if out is not None:
        raise NotImplementedError(f"The 'out' argument to jnp.{name} is not supported.")


def _strong(a):
    # What is reduced: its dtype is no weak one from now on, and not of 64 bits unless these are switched on.
    x = _asarray(a)
    if x.dtype.name in ("float64", "int64", "uint64", "complex128"):
        x = _w.cast(x, _dtypes.canonical(x.dtype))
    return _w.set_weak(x, False) if _w.about(x, "weak") else x


def _prepare(a, dtype, widen=True):
    a = _strong(a)
    if dtype is not None:
        return _w.cast(a, dtype)
    return _wide(a) if widen or a.dtype == _w.bool_ else a


def _in_steps(x, axis, keepdims, fn, start):
    # Floats of 8 bits as XLA's CPU adds them: one after another, each result rounded, by windows of at most 32 of an axis, half of
    # what fills the last one before the first, until no axis has more.
    n = len(x.shape)
    axes = sorted([a % n for a in (_range(n) if axis is None else (axis,) if isinstance(axis, int) else axis)])
    sizes = tuple([1 if i in axes else s for i, s in enumerate(x.shape)])
    start = _w.cast(_w.full((), start, _w.float32), x.dtype)
    while axes and x.size and x.shape != sizes:
        several = _some([x.shape[a] > 32 for a in axes])
        for a in axes:
            count = -(-x.shape[a] // 32) if several else 1
            width = x.shape[a] if x.shape[a] < 32 else 32
            low = (count * width - x.shape[a]) // 2
            edges = [_w.broadcast_to(start, x.shape[:a] + (k,) + x.shape[a + 1:]) for k in (low, count * width - x.shape[a] - low)]
            x = _w.concat([edges[0], x, edges[1]], a)
        counts = [-(-x.shape[a] // 32) if several else 1 for a in axes]
        for i, a in reversed(list(enumerate(axes))):
            x = _w.reshape(x, x.shape[:a] + (counts[i], x.shape[a] // counts[i]) + x.shape[a + 1:])
        inner = [a + i + 1 for i, a in enumerate(axes)]
        x = _w.permute(x, inner + [i for i in _range(len(x.shape)) if i not in inner])
        x = _w.cast(_w.reshape(x, (-1,) + x.shape[len(inner):]), _w.float32)
        y = start
        for i in _range(x.shape[0]):
            y = _w.cast(fn(_w.cast(y, _w.float32), x[i]), start.dtype)
        x = y
    return x if keepdims or not axes else _w.reshape(x, tuple([s for i, s in enumerate(sizes) if i not in axes]))


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    _no_out("sum", out)
    x = _prepare(a, dtype, promote_integers)
    _check(x, axis)
    x = _fill(x, where, 0)
    y = _in_steps(x, axis, keepdims, _w.add, 0) if _of_eight(x) else _w.sum(x, axis, keepdims)
    return _asked(_with(y, initial, _w.add), dtype)


def _of_eight(x):
    return x.dtype.name.startswith("float8") and 0 < x.size <= 1 << 16


def _asked(y, dtype):
    # bools are added and multiplied as integers, but given back as bools where these are asked for
    return _w.cast(y, dtype) if dtype is not None and y.dtype.kind != "b" and _w.full((), 0, dtype).dtype.kind == "b" else y


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    _no_out("prod", out)
    x = _prepare(a, dtype, promote_integers)
    _check(x, axis)
    x = _fill(x, where, 1, "prod")
    y = _in_steps(x, axis, keepdims, _w.mul, 1) if _of_eight(x) else _w.prod(x, axis, keepdims)
    return _asked(_with(y, initial, _w.mul), dtype)


def _empty(x, axis):
    axes = range(len(x.shape)) if axis is None else ((axis,) if isinstance(axis, int) else axis)
    for a in axes:
        if x.shape[a] == 0:
            return True
    return False


def _folded(x, axis, keepdims, fn, first):
    # By a function of two, for what the reductions themselves have not: complex numbers, nothing at all.
    from jax.lax._ops import _fold
    axes = _core.axes(axis, len(x.shape))
    y = _fold(x, _w.full((), first, x.dtype), fn, axes)
    return _w.reshape(y, [1 if i in axes else n for i, n in enumerate(x.shape)]) if keepdims else y


def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    _no_out("max", out)
    x = _strong(a)
    _check(x, axis)
    if where is not None and initial is None:
        raise ValueError("reduction operation max does not have an identity, so to use a where mask one has to specify 'initial'")
    if _empty(x, axis) and initial is None:
        raise ValueError("zero-size array to reduction operation max which has no identity")
    x = _fill(x, where, _lowest(x.dtype), "max")
    if x.dtype.is_complex or _empty(x, axis):
        from jax.lax import max as fn
        return _with(_folded(x, axis, keepdims, fn, _lowest(x.dtype)), initial, fn)
    if x.dtype.name == "float8_e8m0fnu":    # XLA starts from an infinity, which this dtype has as NaN
        return _with(_in_steps(x, axis, keepdims, _w.maximum, -float("inf")), initial, _w.maximum)
    return _with(_w.max(x, axis, keepdims), initial, _w.maximum)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    _no_out("min", out)
    x = _strong(a)
    _check(x, axis)
    if where is not None and initial is None:
        raise ValueError("reduction operation min does not have an identity, so to use a where mask one has to specify 'initial'")
    if _empty(x, axis) and initial is None:
        raise ValueError("zero-size array to reduction operation min which has no identity")
    x = _fill(x, where, _highest(x.dtype), "min")
    if x.dtype.is_complex or _empty(x, axis):
        from jax.lax import min as fn
        return _with(_folded(x, axis, keepdims, fn, _highest(x.dtype)), initial, fn)
    if x.dtype.name == "float8_e8m0fnu":    # XLA starts from an infinity, which this dtype has as NaN
        return _with(_in_steps(x, axis, keepdims, _w.minimum, float("inf")), initial, _w.minimum)
    return _with(_w.min(x, axis, keepdims), initial, _w.minimum)


amax, amin = max, min


def all(a, axis=None, out=None, keepdims=False, where=None):
    _no_out("all", out)
    x = _w.ne(_asarray(a), 0) if _asarray(a).dtype != _w.bool_ else _asarray(a)
    _check(x, axis)
    return _w.all(_fill(x, where, True, "all"), axis, keepdims)


def any(a, axis=None, out=None, keepdims=False, where=None):
    _no_out("any", out)
    x = _w.ne(_asarray(a), 0) if _asarray(a).dtype != _w.bool_ else _asarray(a)
    _check(x, axis)
    return _w.any(_fill(x, where, False, "any"), axis, keepdims)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    _no_out("mean", out)
    x = _floats(_strong(a), dtype)
    _check(x, axis)
    where = _mask(where, "mean")
    if where is None and _of_eight(x):
        y = _in_steps(x, axis, keepdims, _w.add, 0)
        y = y / _w.cast(_w.full((), x.size // y.size, _w.float32), x.dtype)
    elif where is None:
        y = _w.mean(x, axis, keepdims)
    else:
        count = _w.sum(_w.cast(_w.broadcast_to(where, x.shape), x.dtype), axis, keepdims)
        y = _w.sum(_fill(x, where, 0), axis, keepdims) / count
    return y if dtype is None else _w.cast(y, dtype)


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    x = _floats(_strong(a))
    if weights is None:
        y = _w.mean(x, axis, keepdims)
        scale = _w.full(y.shape, _w.about(x, "count") / _builtin_max(_w.about(y, "count"), 1), x.dtype)
    else:
        w = _floats(weights)
        if tuple(w.shape) != tuple(x.shape) and (axis is None or isinstance(axis, int) and len(w.shape) != 1):
            raise ValueError(f"{'Axis must be specified' if axis is None else '1D weights expected'} when shapes of a and weights differ.")
        y, scale = _core.average(x, axis, w, keepdims)
    return (y, scale) if returned else y


def _builtin_max(a, b):
    return a if a > b else b


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, correction=None, mean=None):
    _no_out("var", out)
    where = _mask(where, "var")
    x = _floats(a, dtype)
    if dtype is not None and not x.dtype.is_complex and _asarray(a).dtype.is_complex:
        raise ValueError(f"jnp.var does not yet support real dtype parameters when computing the variance of an array of complex "
                         f"values. The variance is complex-valued; requested dtype={x.dtype.name}.")
    if dtype is not None and not x.dtype.is_inexact:    # in whole numbers all the way
        n = _degrees(x, axis)
        d = x - _w.cast(_w.mean(_w.cast(x, _float_of(x.dtype)), axis, True), x.dtype)
        return _w.cast(_w.floor_div(_w.sum(d * d, axis, keepdims), n - ddof), _float_of(x.dtype))
    if dtype is not None and x.dtype.is_complex and not _asarray(a).dtype.is_complex:
        return _w.cast(var(a, axis, None, None, ddof, keepdims, where, correction, mean), x.dtype)
    _check(x, axis)
    if correction is not None and ddof:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    ddof = ddof if correction is None else correction
    if where is None and mean is None and _degrees(x, axis) > ddof:
        return _w.var(x, axis, ddof, keepdims)
    w = _w.ones_like(_w.real(x)) if where is None else _w.cast(_w.broadcast_to(where, x.shape), _w.real(x).dtype)
    n = _w.sum(w, axis, keepdims) - ddof
    mu = _w.sum(x * w, axis, True) / _w.sum(w, axis, True) if mean is None else mean
    square = _w.square(_w.abs(x - mu))
    square = square if where is None else _w.where(where, square, _w.zeros_like(square))
    return _w.where(_w.gt(n, 0), _w.sum(square, axis, keepdims) / n, float("nan"))


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, correction=None, mean=None):
    _no_out("std", out)
    return _w.sqrt(var(a, axis, dtype, None, ddof, keepdims, where, correction, mean))


def _degrees(x, axis):
    # How many elements there are for each of the results.
    n = 1
    for k in range(len(x.shape)) if axis is None else ((axis,) if isinstance(axis, int) else axis):
        n *= x.shape[k]
    return n


def ptp(a, axis=None, out=None, keepdims=False):
    _no_out("ptp", out)
    return _w.max(_asarray(a), axis, keepdims) - _w.min(_asarray(a), axis, keepdims)


def argmax(a, axis=None, out=None, keepdims=None):
    _no_out("argmax", out)
    return _place("argmax", _w.argmax, _asarray(a), axis, keepdims)


def argmin(a, axis=None, out=None, keepdims=None):
    _no_out("argmin", out)
    return _place("argmin", _w.argmin, _asarray(a), axis, keepdims)


def _place(name, of, a, axis, keepdims):
    if axis is not None:
        _check(a, axis)
    if 0 in a.shape:
        if axis is None or a.shape[axis] == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        return _w.cast(_w.sum(a, axis, bool(keepdims)), _default_int())     # of no elements
    return _w.cast(of(a, axis, bool(keepdims)), _default_int())


def count_nonzero(a, axis=None, keepdims=False):
    return _w.sum(_w.cast(_w.ne(_asarray(a), 0), _default_int()), axis, keepdims)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    from jax.nn import logsumexp as f
    return f(a, axis, b, keepdims, return_sign, where)


# ---- without NaN

_core.sum, _core.prod, _core.max, _core.min, _core.mean = sum, prod, max, min, mean
nansum, nanprod, nancumsum, nancumprod = _core.nansum, _core.nanprod, _core.nancumsum, _core.nancumprod
nanmax, nanmin, nanmean = _core.nanmax, _core.nanmin, _core.nanmean


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None):
    _no_out("nanvar", out)
    x = _asarray(a)
    if dtype is not None:
        target = _w.full((), 0, dtype).dtype
        if x.dtype.is_complex and not target.is_complex:
            raise ValueError("jnp.nanvar does not yet support real dtype parameters when computing the variance of an array of complex "
                             f"values. The variance is complex-valued; requested dtype={target.name}.")
        if target.is_complex and not x.dtype.is_complex:
            return _w.cast(_core.nanvar(x, axis, None, None, ddof, keepdims, where=_mask(where, "nanvar"), mean=mean), target)
    return _core.nanvar(x, axis, dtype, None, ddof, keepdims, where=_mask(where, "nanvar"), mean=mean)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None):
    _no_out("nanstd", out)
    return _w.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims, where, mean))


def nanargmax(a, axis=None, keepdims=False):
    x, bad = _core.nans(a)
    if not x.dtype.is_inexact:
        return argmax(x, axis, None, keepdims)
    i = argmax(_w.where(bad, float("-inf"), x), axis, None, keepdims)
    return _w.where(_w.all(bad, axis, bool(keepdims)), -1, i)


def nanargmin(a, axis=None, keepdims=False):
    x, bad = _core.nans(a)
    if not x.dtype.is_inexact:
        return argmin(x, axis, None, keepdims)
    i = argmin(_w.where(bad, float("inf"), x), axis, None, keepdims)
    return _w.where(_w.all(bad, axis, bool(keepdims)), -1, i)


# ---- running


def _running(a, dtype):
    # of running reductions only bools are widened
    x = _strong(a)
    if dtype is not None:
        return _w.cast(x, dtype)
    return _w.cast(x, _default_int()) if x.dtype == _w.bool_ else x


def _as_asked(y, dtype):
    # bools are counted as ints
    return y if dtype is None or y.dtype == dtype else _w.cast(y, dtype)


def cumsum(a, axis=None, dtype=None, out=None):
    _no_out("cumsum", out)
    x = _running(a, dtype)
    if axis is None:
        x, axis = _w.reshape(x, (-1,)), 0
    return _as_asked(_w.cumsum(x, axis), dtype)


def cumprod(a, axis=None, dtype=None, out=None):
    _no_out("cumprod", out)
    x = _running(a, dtype)
    if axis is None:
        x, axis = _w.reshape(x, (-1,)), 0
    return _as_asked(_w.cumprod(x, axis), dtype)


_core.cumsum, _core.cumprod = cumsum, cumprod


def _cumulative(name, fn, first):
    def call(x, axis=None, dtype=None, include_initial=False):
        x = _asarray(x)
        if not x.shape:
            raise ValueError(f"The input must be non-scalar to take a cumulative {name}, however a scalar value or scalar array was "
                             "given.")
        if axis is None and len(x.shape) > 1:
            raise ValueError(f"The input array has rank {len(x.shape)}, however axis was not set to an explicit value. The axis "
                             "argument is only optional for one-dimensional arrays.")
        axis = _core.axis(0 if axis is None else axis, len(x.shape))
        y = fn(_wide(x) if dtype is None else x, axis, dtype)
        start = _w.full([1 if i == axis else n for i, n in enumerate(y.shape)], first, y.dtype)
        return _w.concat([start, y], axis) if include_initial else y
    call.__name__ = "cumulative_" + name
    return call


cumulative_sum, cumulative_prod = _cumulative("sum", cumsum, 0), _cumulative("prod", cumprod, 1)


def gradient(f, *varargs, axis=None, edge_order=None):
    _refuse("gradient", edge_order=(edge_order, None))
    return _core.gradient(f, *varargs, axis=axis)


# ---- order statistics


def _quantile(a, q, axis, method, keepdims, skip, weights=None):
    if weights is not None:
        raise NotImplementedError("jnp.quantile: weights")
    if method not in _core.quantile_methods:
        raise ValueError("method can only be 'linear', 'lower', 'higher', 'midpoint', or 'nearest'")
    x = _floats(a)
    q = _real(q)
    if len(q.shape) > 1:
        raise ValueError(f"q must be have rank <= 1, got shape {tuple(q.shape)}")
    d = _w.add(_w.full((), 0, x.dtype), _w.full((), 0, q.dtype)).dtype if not _w.about(q, "weak") else x.dtype
    x, q = _w.cast(x, d), _w.cast(q, d)
    if _core.rows(x, axis)[0].shape[-1] == 0:
        raise TypeError("Slice size at index 0 in gather op is out of range, must be within [0, 0 + 1), got 1.")
    return _core.quantile(x, q, axis, method, keepdims, skip)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    _no_out("quantile", out or overwrite_input or None)
    return _quantile(a, q, axis, method, keepdims, False, weights)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    _no_out("nanquantile", out or overwrite_input or None)
    return _quantile(a, q, axis, method, keepdims, True, weights)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    _no_out("percentile", out or overwrite_input or None)
    return _quantile(a, _real(q) / 100, axis, method, keepdims, False, weights)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    _no_out("nanpercentile", out or overwrite_input or None)
    return _quantile(a, _real(q) / 100, axis, method, keepdims, True, weights)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    _no_out("median", out or overwrite_input or None)
    return _quantile(a, 0.5, axis, "midpoint", keepdims, False)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    _no_out("nanmedian", out or overwrite_input or None)
    return _quantile(a, 0.5, axis, "midpoint", keepdims, True)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    if isinstance(bins, _w.Tensor):
        return bins
    x = _floats(a)
    if range is None:
        lo, hi = _w.min(x), _w.max(x)
        same = _w.eq(lo, hi)
        lo, hi = _w.where(same, lo - 0.5, lo), _w.where(same, hi + 0.5, hi)
    else:
        lo, hi = _w.cast(range[0], x.dtype), _w.cast(range[1], x.dtype)
    from jax.numpy._create import linspace
    return _w.cast(linspace(lo, hi, bins + 1), x.dtype)     # whose last is hi, which the last bin has


def histogram(a, bins=10, range=None, weights=None, density=None):
    x = _w.reshape(_floats(a), (-1,))
    edges = _floats(_asarray(bins)) if not isinstance(bins, (int, str)) else histogram_bin_edges(x, bins, range)
    counts = _core.counted(x, edges, _w.ones_like(x) if weights is None else _w.reshape(_floats(weights), (-1,)))
    if density:
        counts = counts / (edges[1:] - edges[:-1]) / _w.sum(counts)
    elif weights is None and not _asarray(a).dtype.is_inexact:
        counts = _w.cast(counts, _default_float())
    return counts, edges


def histogramdd(sample, bins=10, range=None, weights=None, density=None):
    x = _core.floats(sample) if hasattr(sample, "shape") else _w.stack([_core.floats(c) for c in sample], -1)
    if len(x.shape) != 2:
        raise ValueError("sample must be an array of shape (N, D)")
    n = x.shape[1]
    if weights is not None and tuple(_asarray(weights).shape) != (x.shape[0],):
        raise ValueError("should have one weight for each sample.")
    if range is not None and len(range) != n:
        raise ValueError(f"For sample with {n} columns, range should be length {n}, got {len(range)}.")
    if isinstance(bins, int):
        bins = [bins] * n
    elif len(bins) != n:
        raise ValueError("should be a bin for each dimension.")
    edges = [_core.floats(histogram_bin_edges(x[:, k], bins[k], None if range is None else range[k])) for k in _range(n)]
    counted = _w.full((x.shape[0],), 1, _default_int()) if weights is None else _asarray(weights)
    h = _core.histogramdd(x, edges, counted, density)
    return h, edges


def histogram2d(x, y, bins=10, range=None, weights=None, density=None):
    x, y = _core.floats(x), _core.floats(y)
    if not isinstance(bins, int) and len(bins) != 2:
        bins = [_asarray(bins)] * 2
    h, edges = histogramdd(_w.stack([x, y], 1), bins, range, weights, density)
    return h, edges[0], edges[1]


def bincount(x, weights=None, minlength=0, *, length=None):
    x = _w.reshape(_asarray(x), (-1,))
    if length is None:
        known(x, "The error occurred because of argument 'x' of jnp.bincount. To avoid this error, pass a static `length` argument.")
        top = int(_w.max(x)) + 1 if x.shape[0] else 0
        length = top if top > minlength else minlength
    from jax._index import update
    if weights is None:
        return update(_w.full((length,), 0, int), _w.maximum(x, 0), 1, "add")
    w = _asarray(weights)
    return update(_w.full((length,), 0, w.dtype), _w.maximum(x, 0), w, "add")


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    _no_out("trace", out)
    from jax.numpy._select import diagonal
    x = diagonal(a, offset, axis1, axis2)
    return sum(x, -1, dtype)
