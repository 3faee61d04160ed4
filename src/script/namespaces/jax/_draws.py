# jax._draws -- draws that reject: the gamma distribution and those made of it, Poisson's. Number for
# number JAX's. They have no derivative by their parameters.
import _jax as _w
from jax import random as _r
from jax import _prng as _p
from jax._api import vmap as _vmap
from jax.lax._flow import map as _map, while_loop as _while_loop


def _numbers(shape, dtype, *parameters):
    # Parameters as arrays of the dtype, and the shape of the result.
    from jax.numpy import broadcast_shapes
    d = _r._float(dtype)
    parameters = [_w.cast(_w.stop_gradient(_r._asarray(p)), d) for p in parameters]
    shape = broadcast_shapes(*[tuple(p.shape) for p in parameters]) if shape is None else _r._shape(shape)
    return d, shape, [_w.broadcast_to(p, shape) for p in parameters]


def _positive(key, c, dtype):
    # x normal and v = 1 + c x, drawn until v is positive.
    def turn(s):
        pair = _p.key_split(s[0], 2)
        x = _r.normal(pair[1], (), dtype)
        return pair[0], x, 1 + x * c

    zero = _w.full((), 0.0, dtype)
    return _while_loop(lambda s: _w.le(s[2], 0), turn, (key, zero, zero - 1))[1:]


def _gamma_one(key, alpha, dtype, log_space):
    # Marsaglia and Tsang's squeeze; below 1 by the draw for alpha + 1 and a power of a uniform number.
    large = _w.ge(alpha, 1)
    d = _w.where(large, alpha, alpha + 1) - 1 / 3
    c = 1 / 3 / _w.sqrt(d)

    def rejected(s):
        _, x2, v, u = s
        return _w.logical_and(_w.ge(u, 1 - 0.0331 * (x2 * x2)),
                              _w.ge(_w.log(u), x2 * 0.5 + d * (1 - v + _w.log(v))))

    def turn(s):
        keys = _p.key_split(s[0], 3)
        x, v = _positive(keys[1], c, dtype)
        return keys[0], x * x, v * v * v, _r.uniform(keys[2], (), dtype)

    pair = _p.key_split(key, 2)
    zero = _w.full((), 0.0, dtype)
    v = _while_loop(rejected, turn, (pair[0], zero, zero + 1, zero + 2))[2]
    if log_space:
        e = -_r.exponential(pair[1], (), dtype)
        boost = _w.where(_w.logical_or(large, _w.eq(e, 0)), zero, e * (1 / alpha))
        return _w.log(d) + _w.log(v) + boost
    u = 1 - _r.uniform(pair[1], (), dtype)
    return d * v * _w.where(large, zero + 1, _w.pow(u, 1 / alpha))


def _gamma(key, a, shape, dtype, log_space):
    d, shape, (a,) = _numbers(shape, dtype, a)
    n = 1
    for size in shape:
        n *= size
    keys, a = _p.key_split(_r._data(key), n), _w.reshape(a, (n,))
    if keys.impl is _p.fry:
        draws = _vmap(lambda k, v: _gamma_one(k, v, d, log_space))(keys, a)
    else:                       # one after the other: under vmap the first key would draw for all
        draws = _map(lambda kv: _gamma_one(*kv, d, log_space), (keys, a))
    return _w.reshape(draws, shape)


def gamma(key, a, shape=None, dtype=None):
    return _gamma(key, a, shape, dtype, False)


def loggamma(key, a, shape=None, dtype=None):
    return _gamma(key, a, shape, dtype, True)


def beta(key, a, b, shape=None, dtype=None):
    d, shape, (a, b) = _numbers(shape, dtype, a, b)
    pair = _p.key_split(_r._data(key), 2)
    x, y = loggamma(pair[0], a, shape, d), loggamma(pair[1], b, shape, d)
    top = _w.maximum(x, y)
    x, y = _w.exp(x - top), _w.exp(y - top)
    return x / (x + y)


def dirichlet(key, alpha, shape=None, dtype=None):
    alpha = _r._asarray(alpha)
    shape = tuple(alpha.shape)[:-1] if shape is None else _r._shape(shape)
    return _w.softmax(loggamma(key, alpha, shape + tuple(alpha.shape)[-1:], dtype), -1)


def chisquare(key, df, shape=None, dtype=None):
    d, shape, (df,) = _numbers(shape, dtype, df)
    return 2 * _w.exp(loggamma(key, 0.5 * df, shape, d))


def t(key, df, shape=(), dtype=None):
    d, shape, (df,) = _numbers(shape or None, dtype, df)
    pair = _p.key_split(_r._data(key), 2)
    return _r.normal(pair[0], shape, d) * _w.sqrt(df / 2 / gamma(pair[1], df / 2, shape, d))


def f(key, dfnum, dfden, shape=None, dtype=None):
    d, shape, (m, n) = _numbers(shape, dtype, dfnum, dfden)
    pair = _p.key_split(_r._data(key), 2)
    return chisquare(pair[1], m, shape, d) / m / (chisquare(pair[0], n, shape, d) / n)


def ball(key, d, p=2, shape=(), dtype=None):
    pair = _p.key_split(_r._data(key), 2)
    dtype = _r._float(dtype)
    g = generalized_normal(pair[0], p, tuple(_r._shape(shape)) + (d,), dtype)
    e = _r.exponential(pair[1], _r._shape(shape), dtype)
    size = _w.pow(_w.sum(_w.pow(_w.abs(g), float(p)), -1) + e, 1.0 / p)
    return g / _w.expand_dims(size, -1)


def generalized_normal(key, p, shape=(), dtype=None):
    pair = _p.key_split(_r._data(key), 2)
    dtype = _r._float(dtype)
    g = gamma(pair[0], 1 / p, shape, dtype)
    return _r.rademacher(pair[1], shape, dtype) * _w.pow(g, 1.0 / p)


def _knuth(key, rate, shape):
    # So many factors until a product of uniform numbers falls below e^-rate.
    def turn(s):
        k, key, log_product = s
        pair = _p.key_split(key, 2)
        more = _w.gt(log_product, -rate)
        u = _r.uniform(pair[1], shape, _w.float32)
        return _w.where(more, k + 1, k), pair[0], log_product + _w.log(u)

    start = (_w.full(shape, 0, _w.int32), key, _w.full(shape, 0.0, _w.float32))
    return _while_loop(lambda s: _w.any(_w.gt(s[2], -rate)), turn, start)[0] - 1


def _rejection(key, rate, shape):
    # Hoermann's transformed rejection, for large rates.
    from jax.scipy.special import gammaln
    b = 0.931 + 2.53 * _w.sqrt(rate)
    a = -0.059 + 0.02483 * b
    alpha = 1.1239 + 1.1328 / (b - 3.4)
    limit = 0.9277 - 3.6224 / (b - 2)

    def turn(s):
        out, done, key = s
        keys = _p.key_split(key, 3)
        u = _r.uniform(keys[1], shape, rate.dtype) - 0.5
        v = _r.uniform(keys[2], shape, rate.dtype)
        inner = 0.5 - _w.abs(u)
        k = _w.floor((2 * a / inner + b) * u + rate + 0.43)
        left = _w.log(v * alpha / (a / (inner * inner) + b))
        right = -rate + k * _w.log(rate) - gammaln(k + 1)
        at_once = _w.logical_and(_w.ge(inner, 0.07), _w.le(v, limit))
        never = _w.logical_or(_w.lt(k, 0), _w.logical_and(_w.lt(inner, 0.013), _w.gt(v, inner)))
        accept = _w.logical_or(at_once, _w.logical_and(_w.logical_not(never), _w.le(left, right)))
        return _w.where(accept, k, out), _w.logical_or(done, accept), keys[0]

    start = (_w.full(shape, -1.0, rate.dtype), _w.full(shape, False, _w.bool_), key)
    return _w.cast(_while_loop(lambda s: _w.logical_not(_w.all(s[1])), turn, start)[0], _w.int32)


def poisson(key, lam, shape=None, dtype=None):
    if _r._data(key, "poisson").impl is not _p.fry:
        raise NotImplementedError(f"`poisson` is only implemented for the threefry2x32 RNG, not {_r._data(key).impl}")
    d, shape, (lam,) = _numbers(shape, None, lam)
    small = _w.logical_or(_w.is_nan(lam), _w.lt(lam, 10))
    k = _w.where(small, _knuth(_r._data(key), _w.where(small, lam, 0.0), shape),
                 _rejection(_r._data(key), _w.where(small, 1e5, lam), shape))
    return _w.cast(_w.where(_w.eq(lam, 0), 0, k), _r._default_int() if dtype is None else _r._as_dtype(dtype))
