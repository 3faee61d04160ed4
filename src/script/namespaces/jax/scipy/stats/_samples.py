# jax.scipy.stats: the most frequent value, ranks, the error of the mean.
from collections import namedtuple as _namedtuple
import _jax as _w
import jax.numpy as _jnp
from jax.scipy.stats._base import floats

ModeResult = _namedtuple("ModeResult", ["mode", "count"])


def _propagate(policy, what):
    if policy not in ("propagate", "omit", "raise"):
        raise ValueError(f"Illegal nan_policy value {policy!r}; expected one of {{'propagate', 'omit', 'raise'}}")
    if policy == "raise" or (policy == "omit" and what != "sem"):
        raise NotImplementedError(f"{what}: nan_policy={policy!r}")


def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    _propagate(nan_policy, "mode")
    a = _jnp.asarray(a)
    rank = max(len(a.shape), 1)
    flat = axis is None
    x = _jnp.reshape(a, -1) if flat else _jnp.moveaxis(_jnp.atleast_1d(a), axis, 0)
    n, rest = x.shape[0], tuple(x.shape)[1:]
    if n == 0:
        d = _jnp.result_type(float)
        value, count = _w.full(rest, float("nan"), d), _w.full(rest, 0.0, d)
    else:
        s = _jnp.sort(x, axis=0)
        same = _w.eq(_w.expand_dims(s, 1), _w.expand_dims(s, 0))
        if s.dtype.is_floating_point:
            nans = _w.is_nan(s)
            same = _w.logical_or(same, _w.logical_and(_w.expand_dims(nans, 1), _w.expand_dims(nans, 0)))
        counts = _jnp.sum(same, axis=1)
        at = _w.argmax(counts, 0)
        pick = lambda y: _w.squeeze(_w.take_along(y, _w.expand_dims(at, 0), 0), 0)
        value, count = pick(s), pick(counts)
    if keepdims:
        shape = (1,) * rank if flat else rest[:axis % rank] + (1,) + rest[axis % rank:]
        value, count = _w.reshape(value, shape), _w.reshape(count, shape)
    return ModeResult(value, count)


def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    _propagate(nan_policy, "rankdata")
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise ValueError(f"unknown method '{method}'")
    a = _jnp.asarray(a)
    if axis is None:
        return _ranks(_jnp.reshape(a, -1), method)
    return _jnp.apply_along_axis(_ranks, axis, a, method)


def _ranks(x, method):
    y = _places(x, method)
    if not x.dtype.is_floating_point:
        return y
    return _w.where(_w.any(_w.is_nan(x)), float("nan"), _w.cast(y, _jnp.result_type(float)))


def _places(x, method):
    order = _jnp.argsort(x, stable=True)
    inverse = _jnp.argsort(order, stable=True)
    if method == "ordinal":
        return inverse + 1
    s = x[order]
    first = _w.concat([_w.full((1,), True, bool), _w.ne(s[1:], s[:-1])], 0) if s.shape[0] else _w.full((0,), True, bool)
    dense = _jnp.cumsum(first)[inverse]
    if method == "dense":
        return dense
    n = s.shape[0]
    starts = _w.concat([_jnp.nonzero(first, size=n, fill_value=n)[0], _w.tensor([n])], 0)
    if method == "max":
        return starts[dense]
    if method == "min":
        return starts[dense - 1] + 1
    return _w.cast(0.5 * (starts[dense] + starts[dense - 1] + 1), _jnp.result_type(float))


def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    _propagate(nan_policy, "sem")
    b = floats(a)[0]
    if axis is None:
        axis, b = 0, (b if keepdims else _jnp.reshape(b, -1))
        axis = tuple(range(len(b.shape))) if keepdims else 0
    if nan_policy == "omit":
        count = _jnp.sum(_w.logical_not(_w.is_nan(b)), axis=axis, keepdims=keepdims)
        return _w.cast(_jnp.nanstd(b, axis=axis, ddof=ddof, keepdims=keepdims) / _w.sqrt(_w.cast(count, b.dtype)), b.dtype)
    n = _w.about(b, "count") // max(_w.about(_jnp.sum(b, axis=axis), "count"), 1)
    return _jnp.std(b, axis=axis, ddof=ddof, keepdims=keepdims) / float(n) ** 0.5
