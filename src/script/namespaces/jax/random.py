# jax.random -- random numbers by key, number for number JAX's. A key made by key() looks like a scalar; its data is an
# array of uint32, which PRNGKey() gives as it is (_prng).
import _jax as _w
from jax._api import refuse as _refuse
import _tree
from jax._dtypes import as_dtype as _as_dtype, default_float as _default_float, default_int as _default_int
from jax.numpy import asarray as _asarray
from jax.numpy._create import _shape
from jax import _prng as _p
from jax._prng import KeyArray, KeyDtype


def key(seed, *, impl=None, dtype=None):
    return _seeded(seed, _chosen(impl, dtype), "key")


def PRNGKey(seed, *, impl=None):
    return _seeded(seed, _p.impl_of(impl), "PRNGKey").data


def _chosen(impl, dtype):
    if impl is not None and dtype is not None:
        raise ValueError("Cannot specify both `impl` and `dtype`: they are two ways to say which generator")
    return _p.impl_of(impl if dtype is None else dtype)


def _seeded(seed, impl, name):
    if isinstance(seed, KeyArray):
        raise TypeError(f"{name} accepts a scalar seed, but was given a PRNG key array. Use jax.random.fold_in or split instead.")
    if getattr(seed, "shape", ()):
        raise TypeError(f"{name} accepts a scalar seed, but was given an array of shape {tuple(seed.shape)} != (). Use jax.vmap for "
                         "batching")
    if isinstance(seed, _w.Tensor) and _w.about(seed, "symbolic"):
        low = _w.bitcast(_w.cast(seed, _w.int32), _w.uint32)
        return _p.seeded(_w.stack([_w.zeros_like(low), low], 0), impl)
    if not (isinstance(seed, int) or getattr(getattr(seed, "dtype", None), "name", "").find("int") >= 0):
        raise TypeError(f"PRNG key seed must be an integer; got {seed!r}")
    return _p.seeded(_w.key(int(seed)), impl)


def key_data(keys):
    return _keys(keys).data


def wrap_key_data(key_bits_array, *, impl=None, dtype=None):
    impl = _chosen(impl, dtype)
    data = _asarray(key_bits_array)
    if data.dtype != _w.uint32:
        raise TypeError(f"JAX encountered a PRNG key of dtype {data.dtype.name}: uint32 is needed")
    if tuple(data.shape)[-1:] != impl.key_shape:
        raise TypeError(f"JAX encountered a key array of shape {tuple(data.shape)}; implementation {impl.name!r} needs keys of shape "
                         f"{impl.key_shape}")
    return KeyArray(data, impl)


def key_dtype(impl=None):
    return _p.dtype_of(_p.impl_of(impl))


def key_impl(keys):
    if not hasattr(keys, "dtype"):
        raise TypeError(f"key_impl: expected keys, got {type(keys).__name__}")
    return _keys(keys).impl.name


def clone(key):
    return key


def _keys(k):
    # Keys as such: uint32 are those of the default generator.
    if isinstance(k, KeyArray):
        return k
    if not hasattr(k, "dtype"):
        raise TypeError(f"JAX encountered invalid PRNG key data: expected key_data to have ndim, shape, and dtype attributes. Got {k}")
    k, impl = _asarray(k), _p.impl_of(None)
    if k.dtype != _w.uint32:
        raise TypeError(f"JAX encountered invalid PRNG key data: expected key_data.dtype = uint32; got dtype={k.dtype.name}")
    if tuple(k.shape)[-1:] != impl.key_shape:
        other = [i for i in _p.impls.values() if i.key_shape == tuple(k.shape)[-1:]]
        if not other:
            raise TypeError(f"JAX encountered a key array of shape {tuple(k.shape)}; {impl.name!r} needs keys of shape {impl.key_shape}")
        raise TypeError(f"JAX encountered a key array of shape {tuple(k.shape)}, which is not one of the default generator "
                        f"({impl.name!r}): use jax.random.key, or wrap_key_data with impl={other[0].name!r}")
    return KeyArray(k, impl)


def _data(k, name=None):
    k = _keys(k)
    if k.ndim:
        if name is None:    # the function that was called
            frame = __import__("sys")._getframe(1)
            while frame.f_back is not None and frame.f_code.co_name not in globals():
                frame = frame.f_back
            name = frame.f_code.co_name
        raise ValueError(f"{name} accepts a single key, but was given a key array of shape {k.shape} != (). Use jax.vmap for batching.")
    return k


def _like(k, keys):
    return keys if isinstance(k, KeyArray) else keys.data


def split(key, num=2):
    shape = (num,) if isinstance(num, int) else tuple(num)
    n = 1
    for d in shape:
        n *= d
    keys = _p.key_split(_data(key, "split"), n)
    return _like(key, keys if len(shape) == 1 else keys.reshape(shape))


def fold_in(key, data):
    if getattr(data, "shape", ()):
        raise TypeError(f"fold_in accepts a scalar, but was given an array of shape {tuple(data.shape)} != (). Use jax.vmap for batching.")
    return _like(key, _p.key_fold_in(_data(key, "fold_in"), data))




def _float(dtype):
    d = _default_float() if dtype is None else _as_dtype(dtype)
    if not d.is_floating_point:
        raise ValueError(f"dtype argument to a random function must be a float dtype, got {d.name}")
    return d


def _lie(made, out_sharding):
    if out_sharding is None:
        return made
    from jax._layout import reshard
    return reshard(made, out_sharding)


def bits(key, shape=(), dtype=None, *, out_sharding=None):
    d = _w.uint32 if dtype is None else _as_dtype(dtype)
    if d.kind != "u":
        raise ValueError(f"dtype argument to `bits` must be an unsigned int dtype, got {d.name}")
    return _lie(_p.key_bits(_data(key, "bits"), _shape(shape), d), out_sharding)


def uniform(key, shape=(), dtype=None, minval=0.0, maxval=1.0, *, out_sharding=None):
    d = _float(dtype)
    if isinstance(minval, (int, float)) and isinstance(maxval, (int, float)):
        return _lie(_p.key_uniform(_data(key), _shape(shape), d, minval, maxval), out_sharding)
    u = _p.key_uniform(_data(key), _shape(shape), d)
    lo, hi = _w.cast(_asarray(minval), d), _w.cast(_asarray(maxval), d)
    return _lie(_w.maximum(lo, u * (hi - lo) + lo), out_sharding)


def _plain(fn):
    def draw(key, shape=(), dtype=None, *, out_sharding=None):
        return _lie(fn(_data(key), _shape(shape), _float(dtype)), out_sharding)
    return draw


def normal(key, shape=(), dtype=None, *, out_sharding=None):
    d = _default_float() if dtype is None else _as_dtype(dtype)
    if not d.is_complex:
        return _lie(_p.key_normal(_data(key), _shape(shape), _float(d)), out_sharding)
    real = _w.float64 if d == _w.complex128 else _w.float32      # both parts of variance 1/2
    parts = _p.key_split(_data(key), 2)
    return _lie(_w.complex(*[_p.key_normal(parts[i], _shape(shape), real) * 0.7071067811865476 for i in range(2)]), out_sharding)


exponential = _plain(_p.key_exponential)
laplace, logistic, cauchy = _plain(_p.key_laplace), _plain(_p.key_logistic), _plain(_p.key_cauchy)


def gumbel(key, shape=(), dtype=None, mode=None, *, out_sharding=None):
    _refuse("gumbel", mode=("low" if mode is None else mode, "low"))
    return _lie(_p.key_gumbel(_data(key), _shape(shape), _float(dtype)), out_sharding)


def truncated_normal(key, lower, upper, shape=None, dtype=None, *, out_sharding=None):
    d = _float(dtype)
    if isinstance(lower, (int, float)) and isinstance(upper, (int, float)):
        return _lie(_p.key_truncated_normal(_data(key), () if shape is None else _shape(shape), d, lower, upper), out_sharding)
    from jax.numpy import broadcast_shapes
    lo, hi = _w.cast(_asarray(lower), d), _w.cast(_asarray(upper), d)
    if shape is None:
        shape = broadcast_shapes(lo.shape, hi.shape)
    r2 = 1.4142135623730951
    a, b = _w.erf(lo / r2), _w.erf(hi / r2)
    u = uniform(key, shape, d, a, b)
    return _lie(_w.clip(r2 * _w.erf_inv(u), lo, hi), out_sharding)


def rademacher(key, shape=(), dtype=None):
    return _p.key_rademacher(_data(key), _shape(shape), _default_int() if dtype is None else dtype)


def randint(key, shape, minval, maxval, dtype=int, *, out_sharding=None):
    d = _as_dtype(dtype)
    lo, hi = [v if isinstance(v, int) else int(v) if isinstance(v, float) else (int(v) if not _w.about(v, "symbolic") and len(v.shape) == 0 else v)
              for v in (minval, maxval)]
    if isinstance(lo, int) and isinstance(hi, int):
        return _lie(_p.key_randint(_data(key), _shape(shape), d, lo, hi), out_sharding)
    # bounds that are arrays: the same arithmetic as for numbers, on two draws of bits
    k1, k2 = _p.key_split(_data(key), 2)
    high, low = _p.key_bits(k1, _shape(shape), _w.uint32), _p.key_bits(k2, _shape(shape), _w.uint32)
    lo, hi = _w.cast(_asarray(lo), _w.int32), _w.cast(_asarray(hi), _w.int32)
    span = _w.bitcast(_w.maximum(hi - lo, 1), _w.uint32)
    half = _w.remainder(_w.cast(65536, _w.uint32), span)
    factor = _w.remainder(half * half, span)
    offset = _w.remainder(_w.remainder(high, span) * factor + _w.remainder(low, span), span)
    return _lie(_w.cast(lo + _w.bitcast(offset, _w.int32), d), out_sharding)


def bernoulli(key, p=0.5, shape=None, *, out_sharding=None):
    p = _asarray(p)
    if not p.dtype.is_floating_point:
        raise TypeError(f"bernoulli probability `p` must have a floating dtype, got {p.dtype.name}.")
    p = _w.set_weak(p, False)
    return _lie(_p.key_bernoulli(_data(key), p, tuple(p.shape) if shape is None else _shape(shape)), out_sharding)


def categorical(key, logits, axis=-1, shape=None, replace=True, mode=None):
    _refuse("categorical", mode=("low" if mode is None else mode, "low"))
    logits = _asarray(logits)
    rank = len(logits.shape)
    batch = tuple([d for i, d in enumerate(logits.shape) if i != axis % rank])
    shape = batch if shape is None else _shape(shape)
    axis = axis % rank - rank
    more = shape[:len(shape) - len(batch)]
    if not replace:
        k = 1
        for d in more:
            k *= d
        noisy = logits + _p.key_gumbel(_data(key), tuple(logits.shape), logits.dtype)
        found = _w.move_axis(_w.top_k(noisy, k, axis)[1], axis, 0)
        return _w.cast(_w.reshape(found, shape), _default_int())
    full = list(shape[len(more):])
    full.insert(axis + rank, logits.shape[axis])
    if tuple(full) != tuple(logits.shape):
        logits = _w.broadcast_to(logits, tuple(full))
    return _p.key_categorical(_data(key), logits, axis, shape)


def permutation(key, x, axis=0, independent=False, *, out_sharding=None):
    if isinstance(x, int) or (isinstance(x, _w.Tensor) and len(x.shape) == 0):
        return _lie(_p.key_permutation(_data(key), _w.arange(0, int(x)), 0), out_sharding)
    x = _asarray(x)
    if len(x.shape) == 1:
        return _lie(_p.key_permutation(_data(key), x, axis), out_sharding)
    if independent:
        return _lie(_p.shuffled(_data(key), x, axis % len(x.shape)), out_sharding)
    order = _p.key_permutation(_data(key), _w.arange(0, x.shape[axis]), 0)
    return _lie(_w.take(x, order, axis), out_sharding)


def choice(key, a, shape=(), replace=True, p=None, axis=0, mode=None):
    _refuse("choice", mode=("low" if mode is None else mode, "low"))
    shape = _shape(shape)
    arr = None if isinstance(a, int) else _asarray(a)
    if arr is not None and len(arr.shape) == 0:
        a, arr = int(arr), None
    n = a if arr is None else arr.shape[axis]
    draws = 1
    for d in shape:
        draws *= d
    if p is not None and tuple(_asarray(p).shape) != (n,):
        raise ValueError(f"p must be None or a 1D vector with the same size as a.shape[axis]. p has shape {tuple(_asarray(p).shape)} and "
                         f"a.shape[axis] is {n}.")
    if n <= 0:
        raise ValueError("a must be greater than 0 unless no samples are taken")
    if not replace and draws > n:
        raise ValueError(f"Cannot take a larger sample (size {draws}) than population (size {n}) when 'replace=False'")
    if p is None:
        if replace:
            index = randint(key, shape, 0, n)
        else:
            if arr is None:
                return _w.reshape(permutation(key, n)[:draws], shape)
            picked = permutation(key, arr, axis)
            picked = _w.narrow(picked, axis, 0, draws)
            s = tuple(picked.shape)
            return _w.reshape(picked, s[:axis] + shape + s[axis + 1:])
    elif replace:
        p = _asarray(p)
        cum = _w.cumsum(p, 0)
        r = cum[-1] * (1 - uniform(key, shape, p.dtype))
        index = _w.cast(_w.searchsorted(cum, r), _default_int())
    else:
        p = _asarray(p)
        g = gumbel(key, (n,), p.dtype) + _w.log(p)
        index = _w.reshape(_w.cast(_w.top_k(g, draws, 0)[1], _default_int()), shape)
    return index if arr is None else _w.take(arr, index, axis)


def multivariate_normal(key, mean, cov, shape=None, dtype=None, method="cholesky"):
    _refuse("multivariate_normal", method=(method, "cholesky"))
    d = _float(dtype)
    mean, cov = _w.cast(_asarray(mean), d), _w.cast(_asarray(cov), d)
    from jax.numpy import broadcast_shapes
    batch = broadcast_shapes(tuple(mean.shape)[:-1], tuple(cov.shape)[:-2])
    shape = batch if shape is None else _shape(shape)
    factor = _w.cholesky(cov)
    z = normal(key, tuple(shape) + tuple(mean.shape)[-1:], d)
    return mean + _w.einsum("...ij,...j->...i", [factor, z])


_draws = ("gamma", "loggamma", "beta", "dirichlet", "chisquare", "t", "f", "ball", "generalized_normal", "poisson")


def __getattr__(name):
    if name in _draws:
        return getattr(__import__("jax._draws"), name)
    raise AttributeError(f"module 'jax.random' has no attribute '{name}'")


def _shape_for(shape, *parameters):
    # The shape that is asked for, or that of the parameters together.
    if shape is not None:
        return shape
    from jax.numpy import broadcast_shapes
    return broadcast_shapes(*[tuple(getattr(p, "shape", ())) for p in parameters])


def pareto(key, b, shape=None, dtype=None):
    e = exponential(key, _shape_for(shape, b), dtype)
    return _w.exp(e / b)


def rayleigh(key, scale, shape=None, dtype=None):
    u = uniform(key, _shape_for(shape, scale), dtype)
    return scale * _w.sqrt(_w.log(u) * -2)


def weibull_min(key, scale, concentration, shape=(), dtype=None):
    u = uniform(key, shape, dtype)
    return _w.pow(-_w.log1p(-u), 1.0 / concentration) * scale


def lognormal(key, sigma=1.0, shape=None, dtype=None):
    return _w.exp(normal(key, _shape_for(shape, sigma), dtype) * sigma)


def geometric(key, p, shape=None, dtype=int):
    u = uniform(key, _shape_for(shape, p), minval=1.1754943508222875e-38)
    return _w.cast(_w.floor(_w.log(u) / _w.log1p(-_asarray(p))) + 1, dtype)


def maxwell(key, shape=(), dtype=None):
    z = normal(key, tuple(_shape(shape)) + (3,), dtype)
    return _w.norm(z, 2.0, -1)


def double_sided_maxwell(key, loc, scale, shape=(), dtype=None):
    k1, k2 = _p.key_split(_data(key), 2)
    own = tuple(_shape_for(None, loc, scale))
    shape = (tuple(_shape(shape)) or own) + own
    return loc + scale * rademacher(k2, shape, _float(dtype)) * maxwell(k1, shape, dtype)


def triangular(key, left, mode, right, shape=None, dtype=None):
    u = uniform(key, _shape_for(shape, left, mode, right), dtype)
    fc = (mode - left) / (right - left)
    return _w.where(_w.lt(u, fc), left + _w.sqrt(u * (right - left) * (mode - left)),
                    right - _w.sqrt((1 - u) * (right - left) * (right - mode)))


def orthogonal(key, n, shape=(), dtype=None, m=None):
    _refuse("orthogonal", m=(n if m is None else m, n))
    from jax.numpy.linalg import qr
    z = normal(key, tuple(shape) + (n, n), dtype)
    q, r = qr(z)
    return q * _w.expand_dims(_w.sign(_w.diagonal(r, 0)), -2)
