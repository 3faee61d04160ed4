# jax.random -- random numbers by key, number for number JAX's (threefry). A key made by key()
# looks like a scalar; its data is an array of two uint32, which PRNGKey() gives as it is.
import _jax as _w
from jax._api import refuse as _refuse
import _tree
from jax._dtypes import as_dtype as _as_dtype, default_float as _default_float, default_int as _default_int
from jax.numpy import asarray as _asarray


class KeyDtype:
    name = "key<fry>"
    itemsize = 8

    def __repr__(self):
        return "key<fry>"


_key_dtype = KeyDtype()


class KeyArray:
    # Keys as values of their own: data has one more axis, of size 2.
    def __init__(self, data):
        self.data = data

    @property
    def shape(self):
        return tuple(self.data.shape)[:-1]

    @property
    def ndim(self):
        return len(self.data.shape) - 1

    @property
    def size(self):
        return _w.about(self.data, "count") // 2

    @property
    def dtype(self):
        return _key_dtype

    def __len__(self):
        if len(self.data.shape) == 1:
            raise TypeError("len() of unsized object")
        return self.data.shape[0]

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        return KeyArray(self.data[key + (slice(None),)] if Ellipsis in key or len(key) == self.ndim else self.data[key])

    def __iter__(self):
        for i in range(len(self)):
            yield KeyArray(self.data[i])

    def reshape(self, *shape):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return KeyArray(_w.reshape(self.data, tuple(shape) + (2,)))

    def _moved(self, f):
        # What moves elements, of numbers that stand for keys.
        at = f(_w.reshape(_w.iota(_w.int32, (self.size,)), self.shape))
        return KeyArray(_w.take(_w.reshape(self.data, (-1, 2)), at, 0) if len(at.shape) else _w.reshape(self.data, (-1, 2))[at])

    def flatten(self):
        return self.reshape(-1)

    ravel = flatten

    def squeeze(self, axis=None):
        return self._moved(lambda x: x.squeeze(axis))

    def transpose(self, *axes):
        return self._moved(lambda x: x.transpose(*axes))

    @property
    def T(self):
        return self.transpose()

    def swapaxes(self, a, b):
        return self._moved(lambda x: x.swapaxes(a, b))

    def take(self, *args, **kwargs):
        return self._moved(lambda x: x.take(*args, **kwargs))

    def copy(self):
        return KeyArray(_w.copy(self.data))

    def block_until_ready(self):
        return self

    def is_deleted(self):
        return _w.is_donated(self.data)

    @property
    def itemsize(self):
        return _key_dtype.itemsize

    @property
    def nbytes(self):
        return self.size * _key_dtype.itemsize

    @property
    def device(self):
        return self.data.device

    @property
    def sharding(self):
        return self.data.sharding

    @property
    def is_fully_addressable(self):
        return self.data.is_fully_addressable

    @property
    def at(self):
        return _KeysAt(self)

    def __repr__(self):
        return f"Array({self.shape}, dtype=key<fry>) overlaying:\n{self.data}"


class _KeysAt:
    def __init__(self, keys, index=None):
        self.keys, self.index = keys, index

    def __getitem__(self, index):
        return _KeysAt(self.keys, index if isinstance(index, tuple) else (index,))

    def _whole(self):
        return self.index if Ellipsis in self.index else self.index + (Ellipsis,)

    def set(self, values, **options):
        if not isinstance(values, KeyArray):
            raise TypeError(f"keys are set to keys, not to {type(values).__name__}")
        return KeyArray(self.keys.data.at[self._whole() + (slice(None),)].set(values.data, **options))

    def get(self, **options):
        return KeyArray(self.keys.data.at[self._whole() + (slice(None),)].get(**options))

    def _refused(self, *args, **kwargs):
        raise TypeError("keys have no arithmetic")

    add = multiply = mul = divide = power = min = max = apply = subtract = _refused


_tree.register(KeyArray, lambda k: ((k.data,), None), lambda aux, kids: KeyArray(kids[0]))


def _threefry(impl):
    if impl is not None and str(impl) not in ("threefry2x32", "fry"):
        raise NotImplementedError(f"jax.random: keys of {impl}; only threefry2x32")


def key(seed, *, impl=None):
    _threefry(impl)
    return KeyArray(_seeded(seed))


def PRNGKey(seed, *, impl=None):
    _threefry(impl)
    return _seeded(seed)


def _seeded(seed):
    if isinstance(seed, _w.Tensor) and _w.about(seed, "symbolic"):
        low = _w.bitcast(_w.cast(seed, _w.int32), _w.uint32)
        return _w.stack([_w.zeros_like(low), low], 0)
    if not (isinstance(seed, int) or isinstance(seed, _w.Tensor) and seed.dtype.name.find("int") >= 0):
        raise TypeError(f"PRNG key seed must be an integer; got {seed!r}")
    return _w.key(int(seed))


def key_data(keys):
    return keys.data if isinstance(keys, KeyArray) else keys


def wrap_key_data(data, *, impl=None):
    _threefry(impl)
    return KeyArray(data)


def key_dtype(impl=None):
    _threefry(impl)
    return _key_dtype


def key_impl(keys):
    if not hasattr(keys, "dtype"):
        raise TypeError(f"key_impl: expected keys, got {type(keys).__name__}")
    return "fry"


def clone(key):
    return key


def _data(k):
    if isinstance(k, KeyArray):
        k = k.data
    if not isinstance(k, _w.Tensor):
        raise TypeError(f"unexpected PRNG key type {type(k)}")
    if tuple(k.shape) != (2,):
        raise ValueError("a single PRNG key is needed: accepts a single key, but was given a key array of shape "
                         f"{tuple(k.shape)[:-1]}; use jax.vmap for batching.")
    return k


def _like(k, data):
    return KeyArray(data) if isinstance(k, KeyArray) else data


def split(key, num=2):
    shape = (num,) if isinstance(num, int) else tuple(num)
    n = 1
    for d in shape:
        n *= d
    data = _w.key_split(_data(key), n)
    return _like(key, data if len(shape) == 1 else _w.reshape(data, shape + (2,)))


def fold_in(key, data):
    return _like(key, _w.key_fold_in(_data(key), data))


def _shape(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _float(dtype):
    d = _default_float() if dtype is None else _as_dtype(dtype)
    if not d.is_floating_point:
        raise ValueError(f"dtype argument to a random function must be a float dtype, got {d.name}")
    return d


def bits(key, shape=(), dtype=None, *, out_sharding=None):
    return _w.key_bits(_data(key), _shape(shape), _w.uint32 if dtype is None else dtype)


def uniform(key, shape=(), dtype=None, minval=0.0, maxval=1.0, *, out_sharding=None):
    d = _float(dtype)
    if isinstance(minval, (int, float)) and isinstance(maxval, (int, float)):
        return _w.key_uniform(_data(key), _shape(shape), d, minval, maxval)
    u = _w.key_uniform(_data(key), _shape(shape), d)
    lo, hi = _w.cast(_asarray(minval), d), _w.cast(_asarray(maxval), d)
    return _w.maximum(lo, u * (hi - lo) + lo)


def _plain(fn):
    def draw(key, shape=(), dtype=None, *, out_sharding=None):
        return fn(_data(key), _shape(shape), _float(dtype))
    return draw


def normal(key, shape=(), dtype=None, *, out_sharding=None):
    d = _default_float() if dtype is None else _as_dtype(dtype)
    if not d.is_complex:
        return _w.key_normal(_data(key), _shape(shape), _float(d))
    real = _w.float64 if d == _w.complex128 else _w.float32      # both parts of variance 1/2
    parts = _w.key_split(_data(key), 2)
    return _w.complex(*[_w.key_normal(parts[i], _shape(shape), real) * 0.7071067811865476 for i in range(2)])


exponential = _plain(_w.key_exponential)
laplace, logistic, cauchy = _plain(_w.key_laplace), _plain(_w.key_logistic), _plain(_w.key_cauchy)


def gumbel(key, shape=(), dtype=None, mode=None, *, out_sharding=None):
    _refuse("gumbel", mode=("low" if mode is None else mode, "low"))
    return _w.key_gumbel(_data(key), _shape(shape), _float(dtype))


def truncated_normal(key, lower, upper, shape=None, dtype=None, *, out_sharding=None):
    d = _float(dtype)
    if isinstance(lower, (int, float)) and isinstance(upper, (int, float)):
        return _w.key_truncated_normal(_data(key), () if shape is None else _shape(shape), d, lower, upper)
    from jax.numpy import broadcast_shapes
    lo, hi = _w.cast(_asarray(lower), d), _w.cast(_asarray(upper), d)
    if shape is None:
        shape = broadcast_shapes(lo.shape, hi.shape)
    r2 = 1.4142135623730951
    a, b = _w.erf(lo / r2), _w.erf(hi / r2)
    u = uniform(key, shape, d, a, b)
    return _w.clip(r2 * _w.erf_inv(u), lo, hi)


def rademacher(key, shape=(), dtype=None):
    return _w.key_rademacher(_data(key), _shape(shape), _default_int() if dtype is None else dtype)


def randint(key, shape, minval, maxval, dtype=int, *, out_sharding=None):
    d = _as_dtype(dtype)
    lo, hi = [v if isinstance(v, int) else (int(v) if not _w.about(v, "symbolic") and len(v.shape) == 0 else v)
              for v in (minval, maxval)]
    if isinstance(lo, int) and isinstance(hi, int):
        return _w.key_randint(_data(key), _shape(shape), d, lo, hi)
    # bounds that are arrays: the same arithmetic as for numbers, on two draws of bits
    k1, k2 = _w.key_split(_data(key), 2)
    high, low = _w.key_bits(k1, _shape(shape), _w.uint32), _w.key_bits(k2, _shape(shape), _w.uint32)
    lo, hi = _w.cast(_asarray(lo), _w.int32), _w.cast(_asarray(hi), _w.int32)
    span = _w.bitcast(_w.maximum(hi - lo, 1), _w.uint32)
    half = _w.remainder(_w.cast(65536, _w.uint32), span)
    factor = _w.remainder(half * half, span)
    offset = _w.remainder(_w.remainder(high, span) * factor + _w.remainder(low, span), span)
    return _w.cast(lo + _w.bitcast(offset, _w.int32), d)


def bernoulli(key, p=0.5, shape=None, *, out_sharding=None):
    p = _asarray(p)
    if not p.dtype.is_floating_point:
        raise TypeError(f"bernoulli probability `p` must have a floating dtype, got {p.dtype.name}.")
    p = _w.set_weak(p, False)
    return _w.key_bernoulli(_data(key), p, tuple(p.shape) if shape is None else _shape(shape))


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
        noisy = logits + _w.key_gumbel(_data(key), tuple(logits.shape), logits.dtype)
        found = _w.move_axis(_w.top_k(noisy, k, axis)[1], axis, 0)
        return _w.cast(_w.reshape(found, shape), _default_int())
    full = list(shape[len(more):])
    full.insert(axis + rank, logits.shape[axis])
    if tuple(full) != tuple(logits.shape):
        logits = _w.broadcast_to(logits, tuple(full))
    return _w.key_categorical(_data(key), logits, axis, shape)


def permutation(key, x, axis=0, independent=False, *, out_sharding=None):
    if isinstance(x, int) or (isinstance(x, _w.Tensor) and len(x.shape) == 0):
        return _w.key_permutation(_data(key), _w.arange(0, int(x)), 0)
    x = _asarray(x)
    if len(x.shape) == 1:
        return _w.key_permutation(_data(key), x, axis)
    if independent:
        return _shuffled(_data(key), x, axis % len(x.shape))
    order = _w.key_permutation(_data(key), _w.arange(0, x.shape[axis]), 0)
    return _w.take(x, order, axis)


def _shuffled(key, x, axis):
    # Every row for itself, by sorting with random keys, so often that ties do not matter.
    import math
    n = max(_w.about(x, "count"), 1)
    for _ in range(math.ceil(3 * math.log(n) / math.log(4294967295.0))):
        pair = _w.key_split(key, 2)
        key, sub = pair[0], pair[1]
        keys = _w.key_bits(sub, tuple(x.shape), _w.uint32)
        x = _w.op("sort", [keys, x], {"axis": axis, "keys": 1})[1]
    return x


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
    k1, k2 = _w.key_split(_data(key), 2)
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
