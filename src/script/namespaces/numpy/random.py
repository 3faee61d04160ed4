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


def _held(x):
    # as an array, of numbers or of texts and objects
    try:
        return _w.wrap(x)
    except TypeError:
        from numpy._create import asarray
        return asarray(x)


def _taken(x, at, axis):
    return x.take(at, axis) if hasattr(x, "_cells") else _w.take(x, at, axis)


def _shuffle(rng, x, axis=0):
    if isinstance(x, list):
        order = rng.permutation(len(x)).tolist()
        x[:] = [x[i] for i in order]
        return
    x[...] = _taken(x, rng.permutation(x.shape[axis]), axis).copy()


def _permutation(rng, x, axis=0):
    if isinstance(x, _int):
        return rng.permutation(x)
    x = _held(x)
    if x.ndim == 0:
        return rng.permutation(_int(x))
    return _taken(x, rng.permutation(x.shape[axis]), axis)


def _choice(rng, a, size, replace, p, axis=0, shuffle=True):
    n = a
    if not isinstance(a, _int):
        a = _held(list(a) if isinstance(a, range) else a)
        n = a.shape[axis] if a.ndim else _int(a)
    at = rng.choice(_shape(size), n, replace, p, shuffle)
    return at if isinstance(a, _int) or a.ndim == 0 else _taken(a, at, axis)


# ---- distributions of numpy_kinds.c, the same of both generators

def _number(name, value, kind):
    # What NumPy takes for this parameter: kind "" anything, ">" above 0, ">=" not below it, "p" a probability.
    v = _w.wrap(value)
    if kind == "p":
        bad, why = _w.logical_not(_w.logical_and(v >= 0.0, v <= 1.0)), f"{name} < 0, {name} > 1 or {name} is NaN"
    elif kind == ">":
        bad, why = v <= 0, f"{name} <= 0"
    elif name == "lam":
        bad, why = _w.logical_not(v >= 0), "lam < 0 or lam is NaN"
    else:
        bad, why = v < 0, f"{name} < 0"
    if kind and bool(_w.any(bad)):
        raise ValueError(why)


def _kind(name, *params):
    # params: (name, what it must be, default or nothing); triangular's order and other rules stand with their functions.
    def draw(self, *args, size=None, **named):
        if len(args) > len(params):
            *args, size = args
        values = list(args)
        for n, _, *default in params[len(args):]:
            if n not in named and not default:
                raise TypeError(f"{name}() missing a required argument: '{n}'")
            values.append(named.pop(n) if n in named else default[0])
        if named:
            raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
        for (n, must, *_), v in zip(params, values):
            _number(n, v, must)
        return self._draw(name, size, *values)
    draw.__name__ = name
    return draw


_LOC, _SCALE = ("loc", "", 0.0), ("scale", ">=", 1.0)


class _Drawing:
    def _draw(self, kind, size, *values):
        if _plain(*values):
            return _one(self._rng.draw(kind, _shape(size), *[_float(v) for v in values]), size)
        shape = _sized(values, size)
        return self._rng.draw(kind, shape, *[_w.copy(_w.broadcast_to(_w.wrap(v), shape)) for v in values])

    beta = _kind("beta", ("a", ">"), ("b", ">"))
    binomial = _kind("binomial", ("n", ">="), ("p", "p"))
    chisquare = _kind("chisquare", ("df", ">"))
    exponential = _kind("exponential", ("scale", ">=", 1.0))
    f = _kind("f", ("dfnum", ">"), ("dfden", ">"))
    gamma = _kind("gamma", ("shape", ">="), ("scale", ">=", 1.0))
    gumbel = _kind("gumbel", _LOC, _SCALE)
    laplace = _kind("laplace", _LOC, _SCALE)
    logistic = _kind("logistic", _LOC, _SCALE)
    lognormal = _kind("lognormal", ("mean", "", 0.0), ("sigma", ">=", 1.0))
    logseries = _kind("logseries", ("p", "p"))
    negative_binomial = _kind("negative_binomial", ("n", ">"), ("p", "p"))
    noncentral_chisquare = _kind("noncentral_chisquare", ("df", ">"), ("nonc", ">="))
    noncentral_f = _kind("noncentral_f", ("dfnum", ">"), ("dfden", ">"), ("nonc", ">="))
    pareto = _kind("pareto", ("a", ">"))
    poisson = _kind("poisson", ("lam", ">=", 1.0))
    power = _kind("power", ("a", ">"))
    rayleigh = _kind("rayleigh", ("scale", ">=", 1.0))
    standard_cauchy = _kind("standard_cauchy")
    standard_t = _kind("standard_t", ("df", ">"))
    vonmises = _kind("vonmises", ("mu", ""), ("kappa", ">="))
    wald = _kind("wald", ("mean", ">"), ("scale", ">"))
    weibull = _kind("weibull", ("a", ">="))

    def standard_exponential(self, size=None):
        return self._draw("exponential", size, 1.0)

    def standard_gamma(self, shape, size=None):
        return self.gamma(shape, 1.0, size)

    def geometric(self, p, size=None):
        v = _w.wrap(p)
        if not bool(_w.all(_w.logical_and(v > 0.0, v <= 1.0))):
            raise ValueError("p <= 0, p > 1 or p contains NaNs")
        return self._draw("geometric", size, p)

    def zipf(self, a, size=None):
        if not bool(_w.all(_w.wrap(a) > 1.0)):
            raise ValueError("a <= 1 or a is NaN")
        return self._draw("zipf", size, a)

    def triangular(self, left, mode, right, size=None):
        left_, mode_, right_ = _w.wrap(left), _w.wrap(mode), _w.wrap(right)
        if bool(_w.any(left_ > mode_)):
            raise ValueError("left > mode")
        if bool(_w.any(mode_ > right_)):
            raise ValueError("mode > right")
        if bool(_w.any(left_ == right_)):
            raise ValueError("left == right")
        return self._draw("triangular", size, left, mode, right)

    def hypergeometric(self, ngood, nbad, nsample, size=None):
        for n, v in (("ngood", ngood), ("nbad", nbad), ("nsample", nsample)):
            _number(n, v, ">=")
        if bool(_w.any(_w.wrap(ngood) + nbad < nsample)):
            raise ValueError("ngood + nbad < nsample")
        return self._draw("hypergeometric", size, ngood, nbad, nsample)

    def multinomial(self, n, pvals, size=None):
        p = [_float(v) for v in pvals]
        if sum(p[:-1]) > 1.0 + 1e-12:
            raise ValueError("sum(pvals[:-1]) > 1.0")
        rows = []
        for _ in _range(_count(size)):
            left, total, row = n, 1.0, [0] * len(p)
            for j in _range(len(p) - 1):
                row[j] = self._rng.draw("binomial", (), _float(left), p[j] / total).item() if left and p[j] else 0
                left -= row[j]
                if left <= 0:
                    break
                total -= p[j]
            row[-1] += left
            rows.append(row)
        return _w.reshape(_w.array(_w.tensor(rows, _w.int64)), _tuple(size) + (len(p),))

    def dirichlet(self, alpha, size=None):
        a = [_float(v) for v in alpha]
        if min(a) < 0.0 or (self._legacy and min(a) == 0.0):
            raise ValueError("alpha <= 0" if self._legacy else "alpha < 0")
        shape = _tuple(size) + (len(a),)
        if not self._legacy and max(a) < 0.1:
            rows = [self._broken_stick(a) for _ in _range(_count(size))]
            return _w.reshape(_w.array(_w.tensor(rows, _w.float64)), shape)
        g = self._draw("gamma", shape, _w.wrap(a), 1.0)
        total = g[..., 0]
        for j in _range(1, len(a)):
            total = total + g[..., j]
        return g * _w.expand_dims(1.0 / total, -1)

    def _broken_stick(self, a):
        # parts of what is left, by beta numbers: gamma numbers of small shapes would all be 0
        left, row = 1.0, []
        for j in _range(len(a) - 1):
            v = self._draw("beta", None, a[j], sum(reversed(a[j + 1:])))
            row.append(left * v)
            left *= 1.0 - v
        return row + [left]


def _check_covariance(mean, cov, check_valid, tol):
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    cov = _w.div(cov, 1)
    if len(mean) != cov.shape[0]:
        raise ValueError("mean and cov must have same length")
    if check_valid != "ignore":
        from numpy import linalg
        if bool(_w.any(linalg.eigvalsh(cov) < -tol)) or bool(_w.any(_w.abs(cov - _w.swap_axes(cov, 0, 1)) > tol)):
            if check_valid == "raise":
                raise ValueError("covariance is not symmetric positive-semidefinite.")
            import warnings
            warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning)


def _tuple(size):
    return () if size is None else (size,) if isinstance(size, _int) else tuple(size)


def _count(size):
    return _math.prod(_tuple(size))


class RandomState(_Drawing):
    _legacy = True

    def __init__(self, seed=None):
        self._rng = _w.Rng(seed, True)

    def seed(self, seed=None):
        self._rng = _w.Rng(seed, True)

    def get_state(self, legacy=True):
        words, (at, waits, gauss) = self._rng.words(), self._rng.place()
        if not legacy:
            return {"bit_generator": "MT19937", "state": {"key": words, "pos": at}, "has_gauss": waits, "gauss": gauss}
        return ("MT19937", words, at, waits, gauss)

    def set_state(self, state):
        if isinstance(state, dict):
            kind, words, at = state["bit_generator"], state["state"]["key"], state["state"]["pos"]
            waits, gauss = state.get("has_gauss", 0), state.get("gauss", 0.0)
        else:
            kind, words, at = state[:3]
            waits, gauss = state[3:5] if len(state) > 3 else (0, 0.0)
        if kind != "MT19937":
            raise ValueError("set_state can only be used with legacy MT19937 state instances.")
        self._rng.go_on(_w.wrap(words).astype("uint32"), at, waits, gauss)

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
        _number("scale", scale, ">=")
        if _plain(loc, scale):
            return _one(self._rng.normal(_shape(size), loc, scale), size)
        return loc + _w.wrap(scale) * self._rng.normal(_sized((loc, scale), size))

    def standard_normal(self, size=None):
        return _one(self._rng.normal(_shape(size)), size)

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

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8):
        _check_covariance(mean, cov, check_valid, tol)
        from numpy import linalg
        u, s, v = linalg.svd(_w.div(cov, 1))
        return _w.add(_w.matmul(self._rng.normal(_tuple(size) + (len(mean),)), _w.expand_dims(_w.sqrt(s), 1) * v), mean)


class Generator(_Drawing):
    _legacy = False

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
        _number("scale", scale, ">=")
        if _plain(loc, scale):
            return _one(self._rng.normal(_shape(size), loc, scale), size)
        return loc + _w.wrap(scale) * self._rng.normal(_sized((loc, scale), size))

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

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        if method not in ("svd", "eigh", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        _check_covariance(mean, cov, check_valid, tol)
        from numpy import linalg
        cov = _w.div(cov, 1)
        if method == "cholesky":
            root = linalg.cholesky(cov)
        elif method == "eigh":
            s, u = linalg.eigh(cov)
            root = u * _w.sqrt(_w.abs(s))
        else:
            u, s, _ = linalg.svd(cov)
            root = u * _w.sqrt(_w.abs(s))
        x = self._rng.normal(_tuple(size) + (len(mean),))
        return _w.add(mean, _w.matmul(x, _w.swap_axes(root, -1, -2)))

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


get_state, set_state = _state.get_state, _state.set_state


rand = _state.rand
randn = _state.randn
random_sample = ranf = sample = random = _state.random_sample
uniform = _state.uniform
normal = _state.normal
standard_normal = _state.standard_normal
beta = _state.beta
binomial = _state.binomial
chisquare = _state.chisquare
dirichlet = _state.dirichlet
exponential = _state.exponential
f = _state.f
gamma = _state.gamma
geometric = _state.geometric
gumbel = _state.gumbel
hypergeometric = _state.hypergeometric
laplace = _state.laplace
logistic = _state.logistic
lognormal = _state.lognormal
logseries = _state.logseries
multinomial = _state.multinomial
negative_binomial = _state.negative_binomial
noncentral_chisquare = _state.noncentral_chisquare
noncentral_f = _state.noncentral_f
pareto = _state.pareto
poisson = _state.poisson
power = _state.power
rayleigh = _state.rayleigh
standard_cauchy = _state.standard_cauchy
standard_exponential = _state.standard_exponential
standard_gamma = _state.standard_gamma
standard_t = _state.standard_t
triangular = _state.triangular
vonmises = _state.vonmises
wald = _state.wald
weibull = _state.weibull
zipf = _state.zipf
randint = _state.randint
random_integers = _state.random_integers
permutation = _state.permutation
shuffle = _state.shuffle
choice = _state.choice
multivariate_normal = _state.multivariate_normal
