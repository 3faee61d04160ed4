# numpy.random -- the legacy functions on one RandomState, and Generator by default_rng; the
# numbers are NumPy's for the same seed.
import math as _math

import _numpy as _w

_int, _float, _range = int, float, range


def _shape(size):
    return () if size is None else size


def _sized(args, size):
    # the shape of parameters that are arrays
    if size is not None:
        return size
    s = ()
    for a in args:
        if not isinstance(a, (_int, _float)):
            s = _w.broadcast_to(_w.wrap(a), _w.add(_w.full(s, 0), a).shape).shape
    return s


def _plain(*args):
    for a in args:
        if not isinstance(a, (_int, _float)):
            return False
    return True


def _one(x, size):
    # without a size the legacy functions give Python's own numbers
    return x.item() if size is None else x


def _into(out, size, draw):
    # numbers into an array that is given
    if out is None:
        return draw(size)
    if size is not None and tuple(_shape(size)) != tuple(out.shape):
        raise ValueError("size must match out.shape when used together")
    out[...] = draw(tuple(out.shape))
    return out


def _shuffle(rng, x, axis=0):
    if isinstance(x, list):
        order = rng.permutation(len(x)).tolist()
        x[:] = [x[i] for i in order]
        return
    x[...] = _w.copy(_w.take(x, rng.permutation(x.shape[axis]), axis))


def _permutation(rng, x, axis=0):
    if isinstance(x, _int):
        return rng.permutation(x)
    x = _w.wrap(x)
    if x.ndim == 0:
        return rng.permutation(_int(x))
    return _w.take(x, rng.permutation(x.shape[axis]), axis)


def _choice(rng, a, size, replace, p, axis=0, shuffle=True):
    n = a
    if not isinstance(a, _int):
        a = _w.wrap(list(a) if isinstance(a, range) else a)
        n = a.shape[axis] if a.ndim else _int(a)
    at = rng.choice(_shape(size), n, replace, p, shuffle)
    return at if isinstance(a, _int) or a.ndim == 0 else _w.take(a, at, axis)


class RandomState:
    def __init__(self, seed=None):
        self._rng = _w.Rng(seed, True)

    def seed(self, seed=None):
        self._rng = _w.Rng(seed, True)

    def rand(self, *shape):
        return _one(self._rng.uniform(shape), shape or None)

    def randn(self, *shape):
        return _one(self._rng.normal(shape), shape or None)

    def random_sample(self, size=None):
        return _one(self._rng.uniform(_shape(size)), size)

    def random(self, size=None):
        return self.random_sample(size)

    def uniform(self, low=0.0, high=1.0, size=None):
        if _plain(low, high):
            return _one(self._rng.uniform(_shape(size), low, high), size)
        return low + (_w.wrap(high) - low) * self._rng.uniform(_sized((low, high), size))

    def normal(self, loc=0.0, scale=1.0, size=None):
        if _plain(loc, scale):
            return _one(self._rng.normal(_shape(size), loc, scale), size)
        return loc + _w.wrap(scale) * self._rng.normal(_sized((loc, scale), size))

    def standard_normal(self, size=None):
        return _one(self._rng.normal(_shape(size)), size)

    def exponential(self, scale=1.0, size=None):
        return _one(self._rng.exponential(_shape(size), scale), size)

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def zipf(self, a, size=None):
        # by rejection (Devroye 1986, X.6), two numbers a trial
        if a <= 1.0:
            raise ValueError("a <= 1 or a is NaN")
        n, out = 1, []
        shape = () if size is None else (size,) if isinstance(size, _int) else tuple(size)
        for k in shape:
            n *= k
        am1 = a - 1.0
        b, least = 2.0 ** am1, 9223372036854775807.0 ** -am1
        while len(out) < n:
            u01 = float(self._rng.uniform(()))
            v = float(self._rng.uniform(()))
            x = _math.floor((u01 * least + (1 - u01)) ** (-1.0 / am1))
            if not 1.0 <= x <= 9223372036854775807:
                continue
            t = (1.0 + 1.0 / x) ** am1
            if v * x * (t - 1.0) / (b - 1.0) <= t / b:
                out.append(_int(x))
        return out[0] if size is None else _w.reshape(_w.array(_w.tensor(out, _w.int64)), shape)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return _one(_w.exp(self._rng.normal(_shape(size), mean, sigma)), size)

    def randint(self, low, high=None, size=None, dtype=_int):
        if high is None:
            low, high = 0, low
        return _one(self._rng.integers(_shape(size), low, high, dtype), size)

    def random_integers(self, low, high=None, size=None):
        return self.randint(1 if high is None else low, (low if high is None else high) + 1, size)

    def permutation(self, x):
        return _permutation(self._rng, x)

    def shuffle(self, x):
        _shuffle(self._rng, x)

    def choice(self, a, size=None, replace=True, p=None):
        return _choice(self._rng, a, size, replace, p)

    def binomial(self, n, p, size=None):
        u = self._rng.uniform((n,) + ((size,) if isinstance(size, _int) else tuple(_shape(size))))
        return _w.sum(_w.cast(u < p, _w.int64), 0)

    def multivariate_normal(self, mean, cov, size=None):
        u, s, v = _w.svd(_w.div(cov, 1), False)
        n = len(mean)
        shape = (size,) if isinstance(size, _int) else tuple(_shape(size))
        x = self._rng.normal(shape + (n,))
        return _w.matmul(x, _w.expand_dims(_w.sqrt(s), 1) * v) + mean


class Generator:
    def __init__(self, bit_generator=None):
        self._rng = bit_generator if isinstance(bit_generator, _w.Rng) else _w.Rng(bit_generator)

    def __repr__(self):
        return "Generator(PCG64)"

    def random(self, size=None, dtype=_float, out=None):
        return _into(out, size, lambda n: _one(self._rng.uniform(_shape(n), 0, 1, dtype), n))

    def uniform(self, low=0.0, high=1.0, size=None):
        if _plain(low, high):
            return _one(self._rng.uniform(_shape(size), low, high), size)
        return low + (_w.wrap(high) - low) * self._rng.uniform(_sized((low, high), size))

    def standard_normal(self, size=None, dtype=_float, out=None):
        return _into(out, size, lambda n: _one(self._rng.normal(_shape(n), 0, 1, dtype), n))

    def normal(self, loc=0.0, scale=1.0, size=None):
        if _plain(loc, scale):
            return _one(self._rng.normal(_shape(size), loc, scale), size)
        return loc + _w.wrap(scale) * self._rng.normal(_sized((loc, scale), size))

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return _one(_w.exp(self._rng.normal(_shape(size), mean, sigma)), size)

    def integers(self, low, high=None, size=None, dtype=_w.int64, endpoint=False):
        if high is None:
            low, high = 0, low
        return self._rng.integers(_shape(size), low, high + 1 if endpoint else high, dtype)

    def permutation(self, x, axis=0):
        return _permutation(self._rng, x, axis)

    def permuted(self, x, axis=None):
        x = _w.wrap(x)
        return _w.reshape(_permutation(self._rng, _w.reshape(x, -1)), x.shape) if axis is None else _permutation(self._rng, x, axis)

    def shuffle(self, x, axis=0):
        _shuffle(self._rng, x, axis)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        return _choice(self._rng, a, size, replace, p, axis, shuffle)

    def spawn(self, n):
        raise NotImplementedError("spawn is not offered: seed several generators instead")


def PCG64(seed=None):
    return _w.Rng(seed)


def MT19937(seed=None):
    return _w.Rng(seed, True)


def default_rng(seed=None):
    return seed if isinstance(seed, Generator) else Generator(seed)


_state = RandomState()
mtrand = _state


def seed(seed=None):
    _state.seed(seed)


def get_state():
    return _state._rng


rand = _state.rand
randn = _state.randn
random_sample = ranf = sample = random = _state.random_sample
uniform = _state.uniform
normal = _state.normal
standard_normal = _state.standard_normal
exponential = _state.exponential
standard_exponential = _state.standard_exponential
lognormal, zipf = _state.lognormal, _state.zipf
randint = _state.randint
random_integers = _state.random_integers
permutation = _state.permutation
shuffle = _state.shuffle
choice = _state.choice
binomial = _state.binomial
multivariate_normal = _state.multivariate_normal
