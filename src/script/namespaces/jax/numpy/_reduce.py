# jax.numpy: reductions, running reductions, statistics.
import _jax as _w
from jax.numpy._create import asarray as _asarray
from jax._dtypes import default_float as _default_float, default_int as _default_int, iinfo as _iinfo

__all__ = """sum prod mean average var std min max amin amax all any ptp argmax argmin count_nonzero
    nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmax nanargmin nanmedian nancumsum
    cumsum cumprod cumulative_sum cumulative_prod diff gradient trapezoid median quantile percentile
    nanquantile nanpercentile cov corrcoef histogram histogram_bin_edges histogram2d trace bincount
    logsumexp""".split()


def _lowest(d):
    if d.is_floating_point:
        return float("-inf")
    return False if d == _w.bool_ else _iinfo(d).min


def _highest(d):
    if d.is_floating_point:
        return float("inf")
    return True if d == _w.bool_ else _iinfo(d).max


def _fill(x, where, value):
    return x if where is None else _w.where(where, x, _w.cast(value, x.dtype))


def _with(y, initial, fn):
    return y if initial is None else fn(y, _w.cast(_asarray(initial), y.dtype))


def _check(x, axis):
    if axis is None:
        return
    n = len(x.shape)
    for a in ((axis,) if isinstance(axis, int) else axis):
        if not -n <= a < n:
            raise ValueError(f"axis {a} is out of bounds for array of dimension {n}")


def _wide(x):
    # bool and small integers are added up in the default integer
    if x.dtype.kind == "b" or (x.dtype.kind == "i" and x.dtype.itemsize < 4):
        return _w.cast(x, _default_int())
    if x.dtype.kind == "u" and x.dtype.itemsize < 4:
        return _w.cast(x, _w.uint32)
    return x


def _prepare(a, dtype):
    a = _asarray(a)
    return _wide(a) if dtype is None else _w.cast(a, dtype)


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    x = _prepare(a, dtype)
    _check(x, axis)
    return _with(_w.sum(_fill(x, where, 0), axis, keepdims), initial, _w.add)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    x = _prepare(a, dtype)
    _check(x, axis)
    return _with(_w.prod(_fill(x, where, 1), axis, keepdims), initial, _w.mul)


def _empty(x, axis):
    axes = range(len(x.shape)) if axis is None else ((axis,) if isinstance(axis, int) else axis)
    for a in axes:
        if x.shape[a] == 0:
            return True
    return False


def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    x = _asarray(a)
    _check(x, axis)
    if _empty(x, axis) and initial is None:
        raise ValueError("zero-size array to reduction operation max which has no identity")
    return _with(_w.max(_fill(x, where, _lowest(x.dtype)), axis, keepdims), initial, _w.maximum)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    x = _asarray(a)
    _check(x, axis)
    if _empty(x, axis) and initial is None:
        raise ValueError("zero-size array to reduction operation min which has no identity")
    return _with(_w.min(_fill(x, where, _highest(x.dtype)), axis, keepdims), initial, _w.minimum)


amax, amin = max, min


def all(a, axis=None, out=None, keepdims=False, where=None):
    x = _w.ne(_asarray(a), 0) if _asarray(a).dtype != _w.bool_ else _asarray(a)
    _check(x, axis)
    return _w.all(_fill(x, where, True), axis, keepdims)


def any(a, axis=None, out=None, keepdims=False, where=None):
    x = _w.ne(_asarray(a), 0) if _asarray(a).dtype != _w.bool_ else _asarray(a)
    _check(x, axis)
    return _w.any(_fill(x, where, False), axis, keepdims)


def _floats(a, dtype=None):
    x = _asarray(a)
    if dtype is not None:
        return _w.cast(x, dtype)
    return x if x.dtype.is_floating_point else _w.cast(x, _default_float())


def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    x = _floats(a, dtype)
    _check(x, axis)
    if where is None:
        return _w.mean(x, axis, keepdims)
    count = _w.sum(_w.cast(_w.broadcast_to(where, x.shape), x.dtype), axis, keepdims)
    return _w.sum(_fill(x, where, 0), axis, keepdims) / count


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    x = _floats(a)
    if weights is None:
        y = _w.mean(x, axis, keepdims)
        scale = _w.full(y.shape, _w.about(x, "count") / _builtin_max(_w.about(y, "count"), 1), x.dtype)
    else:
        w = _floats(weights)
        if len(w.shape) == 1 and len(x.shape) > 1:
            shape = [1] * len(x.shape)
            shape[axis] = w.shape[0]
            w = _w.reshape(w, shape)
        scale = _w.sum(_w.broadcast_to(w, x.shape), axis, keepdims)
        y = _w.sum(x * w, axis, keepdims) / scale
    return (y, scale) if returned else y


def _builtin_max(a, b):
    return a if a > b else b


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, correction=None, mean=None):
    x = _floats(a, dtype)
    _check(x, axis)
    ddof = ddof if correction is None else correction
    if where is None:
        return _w.var(x, axis, ddof, keepdims)
    w = _w.cast(_w.broadcast_to(where, x.shape), x.dtype)
    n = _w.sum(w, axis, True)
    mu = _w.sum(x * w, axis, True) / n
    return _w.sum((x - mu) ** 2 * w, axis, keepdims) / (_w.sum(w, axis, keepdims) - ddof)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, correction=None, mean=None):
    return _w.sqrt(var(a, axis, dtype, None, ddof, keepdims, where, correction))


def ptp(a, axis=None, out=None, keepdims=False):
    return _w.max(_asarray(a), axis, keepdims) - _w.min(_asarray(a), axis, keepdims)


def argmax(a, axis=None, out=None, keepdims=None):
    return _w.cast(_w.argmax(_asarray(a), axis, bool(keepdims)), _default_int())


def argmin(a, axis=None, out=None, keepdims=None):
    return _w.cast(_w.argmin(_asarray(a), axis, bool(keepdims)), _default_int())


def count_nonzero(a, axis=None, keepdims=False):
    return _w.sum(_w.cast(_w.ne(_asarray(a), 0), _default_int()), axis, keepdims)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    from jax.nn import logsumexp as f
    return f(a, axis, b, keepdims, return_sign, where)


# ---- without NaN


def _nans(a):
    x = _asarray(a)
    return x, (_w.is_nan(x) if x.dtype.is_floating_point else _w.zeros_like(_w.eq(x, x)))


def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    x, bad = _nans(a)
    return sum(_w.where(bad, _w.zeros_like(x), x), axis, dtype, None, keepdims, initial, where)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    x, bad = _nans(a)
    return prod(_w.where(bad, _w.ones_like(x), x), axis, dtype, None, keepdims, initial, where)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    x, bad = _nans(a)
    good = _w.logical_not(bad)
    return mean(x, axis, dtype, None, keepdims, good if where is None else _w.logical_and(good, where))


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None):
    x, bad = _nans(a)
    clean = _w.where(bad, _w.zeros_like(x), x)
    return var(clean, axis, dtype, None, ddof, keepdims, _w.logical_not(bad))


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None):
    return _w.sqrt(nanvar(a, axis, dtype, None, ddof, keepdims, where))


def _all_bad(bad, axis, keepdims, y):
    return _w.where(_w.all(bad, axis, keepdims), float("nan"), y)


def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    x, bad = _nans(a)
    y = max(_w.where(bad, float("-inf"), x), axis, None, keepdims, initial, where)
    return _all_bad(bad, axis, keepdims, y) if x.dtype.is_floating_point else y


def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    x, bad = _nans(a)
    y = min(_w.where(bad, float("inf"), x), axis, None, keepdims, initial, where)
    return _all_bad(bad, axis, keepdims, y) if x.dtype.is_floating_point else y


def nanargmax(a, axis=None, keepdims=False):
    x, bad = _nans(a)
    return argmax(_w.where(bad, float("-inf"), x), axis, None, keepdims)


def nanargmin(a, axis=None, keepdims=False):
    x, bad = _nans(a)
    return argmin(_w.where(bad, float("inf"), x), axis, None, keepdims)


def nancumsum(a, axis=None, dtype=None):
    x, bad = _nans(a)
    return cumsum(_w.where(bad, _w.zeros_like(x), x), axis, dtype)


# ---- running


def _running(a, dtype):
    # of running reductions only bools are widened
    x = _asarray(a)
    if dtype is not None:
        return _w.cast(x, dtype)
    return _w.cast(x, _default_int()) if x.dtype == _w.bool_ else x


def cumsum(a, axis=None, dtype=None, out=None):
    x = _running(a, dtype)
    if axis is None:
        x, axis = _w.reshape(x, (-1,)), 0
    return _w.cumsum(x, axis)


def cumprod(a, axis=None, dtype=None, out=None):
    x = _running(a, dtype)
    if axis is None:
        x, axis = _w.reshape(x, (-1,)), 0
    return _w.cumprod(x, axis)


def cumulative_sum(x, axis=None, dtype=None, include_initial=False):
    axis = 0 if axis is None else axis
    y = cumsum(x, axis, dtype)
    return _w.concat([_w.zeros_like(_w.narrow(y, axis, 0, 1)), y], axis) if include_initial else y


def cumulative_prod(x, axis=None, dtype=None, include_initial=False):
    axis = 0 if axis is None else axis
    y = cumprod(x, axis, dtype)
    return _w.concat([_w.ones_like(_w.narrow(y, axis, 0, 1)), y], axis) if include_initial else y


def diff(a, n=1, axis=-1, prepend=None, append=None):
    x = _asarray(a)
    parts = [x]
    for extra, at in ((prepend, 0), (append, 1)):
        if extra is not None:
            e = _asarray(extra)
            if len(e.shape) == 0:
                shape = list(x.shape)
                shape[axis] = 1
                e = _w.broadcast_to(_w.cast(e, x.dtype), shape)
            parts = [e] + parts if at == 0 else parts + [e]
    if len(parts) > 1:
        x = _w.concat(parts, axis)
    for _ in range(n):
        m = x.shape[axis]
        a, b = _w.narrow(x, axis, 1, m - 1), _w.narrow(x, axis, 0, m - 1)
        x = _w.ne(a, b) if x.dtype == _w.bool_ else a - b
    return x


def _gradient(x, h, axis):
    n = x.shape[axis]
    part = lambda lo, hi: _w.narrow(x, axis, lo, hi - lo)
    if isinstance(h, _w.Tensor) and len(h.shape) == 1:
        shape = [1] * len(x.shape)
        shape[axis] = -1
        d = h[1:] - h[:-1]
        d0, d1 = _w.reshape(d[:-1], shape), _w.reshape(d[1:], shape)
        mid = -d1 / (d0 * (d0 + d1)) * part(0, n - 2) + (d1 - d0) / (d0 * d1) * part(1, n - 1) \
            + d0 / (d1 * (d0 + d1)) * part(2, n)
        first, last = (part(1, 2) - part(0, 1)) / d[0], (part(n - 1, n) - part(n - 2, n - 1)) / d[-1]
    else:
        mid = (part(2, n) - part(0, n - 2)) * 0.5 / h
        first, last = (part(1, 2) - part(0, 1)) / h, (part(n - 1, n) - part(n - 2, n - 1)) / h
    return _w.concat([first, mid, last], axis)


def gradient(f, *varargs, axis=None, edge_order=None):
    x = _floats(f)
    axes = list(range(len(x.shape))) if axis is None else ([axis] if isinstance(axis, int) else list(axis))
    steps = list(varargs) if varargs else [1.0]
    if len(steps) == 1:
        steps = steps * len(axes)
    out = [_gradient(x, h, a) for h, a in zip(steps, axes)]
    return out[0] if len(axes) == 1 else out


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = _floats(y)
    n = y.shape[axis]
    pair = _w.narrow(y, axis, 1, n - 1) + _w.narrow(y, axis, 0, n - 1)
    if x is None:
        return 0.5 * dx * _w.sum(pair, axis)
    x = _floats(x)
    if len(x.shape) == 1:
        shape = [1] * len(y.shape)
        shape[axis] = -1
        return 0.5 * _w.sum(pair * _w.reshape(x[1:] - x[:-1], shape), axis)
    return 0.5 * _w.sum(pair * diff(x, axis=axis), axis)


# ---- order statistics


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, interpolation=None):
    x = _floats(a)
    rank = len(x.shape)
    if axis is None or not isinstance(axis, int):
        axes = list(range(rank)) if axis is None else [i % rank for i in axis]
        rest = [i for i in range(rank) if i not in axes]
        kept = [1 if i in axes else d for i, d in enumerate(x.shape)]
        x = _w.reshape(_w.permute(x, rest + axes), tuple([x.shape[i] for i in rest]) + (-1,))
        axis = -1
    else:
        kept = [1 if i == axis % rank else d for i, d in enumerate(x.shape)]
    x = _w.sort(_w.move_axis(x, axis, -1), -1)[0]
    n = x.shape[-1]
    q = _w.cast(_asarray(q), x.dtype)
    at = q * (n - 1)
    lo, hi = _w.floor(at), _w.ceil(at)
    t = at - lo
    if method == "lower":
        hi = lo
    elif method == "higher":
        lo = hi
    elif method == "nearest":
        lo = hi = _w.round(at)
    elif method == "midpoint":
        t = _w.where(_w.eq(lo, hi), _w.zeros_like(t), _w.full(t.shape, 0.5, t.dtype))
    pick = lambda i: x[..., _w.cast(_w.clip(i, 0, n - 1), _w.int32)]
    low, high = pick(lo), pick(hi)
    y = low * (1 - t) + high * t if method in ("linear", "midpoint") else low
    y = _w.where(_w.any(_w.is_nan(x), -1, len(q.shape) > 0), float("nan"), y)
    y = _w.move_axis(y, -1, 0) if len(q.shape) else y
    if keepdims:
        y = _w.reshape(y, tuple(q.shape) + tuple(kept))
    return y


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, interpolation=None):
    return quantile(a, _w.div(_asarray(q), 100), axis, None, False, method, keepdims)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return quantile(a, 0.5, axis, None, False, "midpoint", keepdims)


def _without_nan(a, axis, fn):
    x = _floats(a)
    flat = _w.reshape(x, (-1,))
    return fn(flat[_w.logical_not(_w.is_nan(flat))])


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    x = _floats(a)
    if axis is None:
        x, axis = _w.reshape(x, (-1,)), 0
    x = _w.sort(_w.move_axis(x, axis, -1), -1)[0]
    n = _w.sum(_w.cast(_w.logical_not(_w.is_nan(x)), x.dtype), -1, True)
    at = _w.cast(_asarray(q), x.dtype) * (n - 1)
    lo, hi = _w.cast(_w.floor(at), _w.int32), _w.cast(_w.ceil(at), _w.int32)
    t = at - _w.floor(at)
    y = _w.take_along(x, lo, -1) * (1 - t) + _w.take_along(x, hi, -1) * t
    return _w.squeeze(y, -1)


def nanpercentile(a, q, axis=None, **kwargs):
    return nanquantile(a, _w.div(_asarray(q), 100), axis)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return nanquantile(a, 0.5, axis)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    x = _floats(m)
    x = _w.reshape(x, (1, -1)) if len(x.shape) < 2 else x
    if not rowvar and x.shape[0] != 1:
        x = _w.permute(x)
    if y is not None:
        z = _floats(y)
        z = _w.reshape(z, (1, -1)) if len(z.shape) < 2 else z
        x = _w.concat([x, z if rowvar else _w.permute(z)], 0)
    if ddof is None:
        ddof = 0 if bias else 1
    n = x.shape[1]
    weights = fweights if fweights is not None else aweights
    if weights is not None:
        w = _floats(weights)
        total = _w.sum(w)
        x = x - _w.sum(x * w, 1, True) / total
        scale = total - ddof if fweights is not None else total - ddof * _w.sum(w * w) / total
        return _w.squeeze(_w.matmul(x * w, _w.permute(x)) / scale)
    x = x - _w.mean(x, 1, True)
    c = _w.matmul(x, _w.permute(x)) / (n - ddof)
    return _w.reshape(c, ()) if c.shape[0] == 1 else c


def corrcoef(x, y=None, rowvar=True):
    c = cov(x, y, rowvar)
    if len(c.shape) == 0:
        return c / c
    s = _w.sqrt(_w.diagonal(c))
    return _w.clip(c / _w.expand_dims(s, 1) / s, -1.0, 1.0)


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
    t = _w.linspace(0.0, 1.0, bins + 1)
    return lo + (hi - lo) * t


def histogram(a, bins=10, range=None, weights=None, density=None):
    x = _w.reshape(_floats(a), (-1,))
    edges = _floats(bins) if isinstance(bins, (_w.Tensor, list, tuple)) else histogram_bin_edges(x, bins, range)
    k = edges.shape[0] - 1
    w = _w.ones_like(x) if weights is None else _w.reshape(_floats(weights), (-1,))
    i = _w.searchsorted(edges, x, True) - 1
    i = _w.where(_w.eq(x, edges[-1]), k - 1, i)
    inside = _w.logical_and(_w.ge(i, 0), _w.lt(i, k))
    counts = _w.sum(_w.cast(_w.eq(_w.expand_dims(_w.where(inside, i, -1), 1), _w.arange(0, k)), x.dtype)
                    * _w.expand_dims(w, 1), 0)
    if density:
        counts = counts / (edges[1:] - edges[:-1]) / _w.sum(counts)
    elif weights is None and not _asarray(a).dtype.is_floating_point:
        counts = _w.cast(counts, _default_float())
    return counts, edges


def histogram2d(x, y, bins=10, range=None, weights=None, density=None):
    nx, ny = (bins, bins) if isinstance(bins, int) else bins
    ex = histogram_bin_edges(x, nx, None if range is None else range[0])
    ey = histogram_bin_edges(y, ny, None if range is None else range[1])

    def bucket(v, e):
        k = e.shape[0] - 1
        i = _w.searchsorted(e, v, True) - 1
        i = _w.where(_w.eq(v, e[-1]), k - 1, i)
        return _w.cast(_w.eq(_w.expand_dims(i, 1), _w.arange(0, k)), _default_float())

    return _w.matmul(_w.permute(bucket(_floats(x), ex)), bucket(_floats(y), ey)), ex, ey


def bincount(x, weights=None, minlength=0, *, length=None):
    x = _w.reshape(_asarray(x), (-1,))
    if length is None:
        top = int(_w.max(x)) + 1 if x.shape[0] else 0
        length = top if top > minlength else minlength
    from jax._index import update
    if weights is None:
        return update(_w.full((length,), 0, int), _w.maximum(x, 0), 1, "add")
    w = _asarray(weights)
    return update(_w.full((length,), 0, w.dtype), _w.maximum(x, 0), w, "add")


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    x = _w.move_axis(_w.move_axis(_asarray(a), axis1, -1), axis2 if axis2 < axis1 or axis2 < 0 else axis2 - 1, -1)
    return _w.sum(_w.diagonal(_w.swap_axes(x, -1, -2), offset), -1)
