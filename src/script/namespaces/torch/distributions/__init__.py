# torch.distributions -- the common ones: samples with PyTorch's numbers, densities, entropies,
# divergences.
import math as _math

import _torch as _w
from torch._creation import as_size, bernoulli as _bernoulli, multinomial as _multinomial
from torch._math import digamma, lgamma, logit as _logit, xlogy as _xlogy
from torch._shape import broadcast_tensors
from torch._types import Size, default_generator, float32, float64, int64
from torch.nn import functional as F


def _all(*values):
    # Numbers and tensors as tensors of one shape.
    like = [v for v in values if isinstance(v, _w.Tensor)]
    dtype = like[0].dtype if like else float32
    return broadcast_tensors(*[v if isinstance(v, _w.Tensor) else _w.full((), float(v), dtype) for v in values])


class Distribution:
    has_rsample = False
    _event = ()

    def __init__(self, batch_shape, event_shape=()):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)

    batch_shape = property(lambda self: self._batch_shape)
    event_shape = property(lambda self: self._event_shape)
    stddev = property(lambda self: _w.sqrt(self.variance))

    def _shape(self, sample_shape):
        sample_shape = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        return sample_shape + tuple(self._batch_shape) + tuple(self._event_shape)

    def sample(self, sample_shape=()):
        was = _w.recording(False)
        try:
            return _w.detach(self.rsample(sample_shape))
        finally:
            _w.recording(was)

    def sample_n(self, n):
        return self.sample((n,))

    def perplexity(self):
        return _w.exp(self.entropy())

    def __repr__(self):
        parts = [f"{k}: {getattr(self, k)}" if getattr(self, k).numel() == 1 else f"{k}: {getattr(self, k).shape}"
                 for k in self.names]
        return type(self).__name__ + "(" + ", ".join(parts) + ")"


def _drawn(kind, shape, dtype, a=0.0, b=1.0):
    return _w.draw(kind, shape, dtype, a, b, default_generator)


class Normal(Distribution):
    has_rsample = True
    names = ("loc", "scale")

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _all(loc, scale)
        if validate_args is not False and not bool(_w.all(_w.gt(self.scale, 0))):
            raise ValueError(f"Expected parameter scale ({type(self.scale).__name__} of shape "
                             f"{tuple(self.scale.shape)}) of distribution Normal(loc: {self.loc}, scale: {self.scale}) "
                             f"to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid "
                             f"values:\n{self.scale}")
        super().__init__(self.loc.shape)

    mean = property(lambda self: self.loc)
    mode = mean
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale ** 2)

    def rsample(self, sample_shape=()):
        return self.loc + _drawn("normal", self._shape(sample_shape), self.loc.dtype) * self.scale

    def sample(self, sample_shape=()):
        shape = self._shape(sample_shape)
        noise = _drawn("normal", shape, self.loc.dtype)
        return _w.detach(noise * self.scale + self.loc)

    def log_prob(self, value):
        var = self.scale ** 2
        return -((value - self.loc) ** 2) / (2 * var) - _w.log(self.scale) - _math.log(_math.sqrt(2 * _math.pi))

    def cdf(self, value):
        return 0.5 * (1 + _w.erf((value - self.loc) / self.scale / _math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * _w.erf_inv(2 * value - 1) * _math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * _math.log(2 * _math.pi) + _w.log(self.scale)


class LogNormal(Normal):
    def rsample(self, sample_shape=()):
        return _w.exp(Normal.rsample(self, sample_shape))

    def sample(self, sample_shape=()):
        return _w.exp(Normal.sample(self, sample_shape))

    def log_prob(self, value):
        return Normal.log_prob(self, _w.log(value)) - _w.log(value)

    mean = property(lambda self: _w.exp(self.loc + self.scale ** 2 / 2))


class Uniform(Distribution):
    has_rsample = True
    names = ("low", "high")

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = _all(low, high)
        super().__init__(self.low.shape)

    mean = property(lambda self: (self.high + self.low) / 2)
    variance = property(lambda self: (self.high - self.low) ** 2 / 12)

    def rsample(self, sample_shape=()):
        return self.low + _drawn("uniform", self._shape(sample_shape), self.low.dtype) * (self.high - self.low)

    def log_prob(self, value):
        inside = _w.logical_and(_w.le(self.low, value), _w.gt(self.high, value))
        return _w.log(_w.cast(inside, self.low.dtype)) - _w.log(self.high - self.low)

    def cdf(self, value):
        return _w.clip((value - self.low) / (self.high - self.low), 0, 1)

    def entropy(self):
        return _w.log(self.high - self.low)


class Exponential(Distribution):
    has_rsample = True
    names = ("rate",)

    def __init__(self, rate, validate_args=None):
        (self.rate,) = _all(rate)
        super().__init__(self.rate.shape)

    mean = property(lambda self: 1 / self.rate)
    variance = property(lambda self: self.rate ** -2)

    def rsample(self, sample_shape=()):
        return _drawn("exponential", self._shape(sample_shape), self.rate.dtype) / self.rate

    def log_prob(self, value):
        return _w.log(self.rate) - self.rate * value

    def cdf(self, value):
        return 1 - _w.exp(-self.rate * value)

    def entropy(self):
        return 1.0 - _w.log(self.rate)


class Laplace(Distribution):
    has_rsample = True
    names = ("loc", "scale")

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _all(loc, scale)
        super().__init__(self.loc.shape)

    mean = property(lambda self: self.loc)
    variance = property(lambda self: 2 * self.scale ** 2)

    def rsample(self, sample_shape=()):
        u = _drawn("uniform", self._shape(sample_shape), self.loc.dtype, 1.1920928955078125e-07 - 1, 1.0)
        return self.loc - self.scale * _w.sign(u) * _w.log1p(-_w.abs(u))

    def log_prob(self, value):
        return -_w.log(2 * self.scale) - _w.abs(value - self.loc) / self.scale

    def entropy(self):
        return 1 + _w.log(2 * self.scale)


# ---- by gamma functions: densities, moments and entropies; PyTorch's numbers of their samples are not known here

class _Gammas(Distribution):
    def rsample(self, sample_shape=()):
        raise NotImplementedError(f"samples of {type(self).__name__} are outside this version")


class Gamma(_Gammas):
    names = ("concentration", "rate")

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = _all(concentration, rate)
        super().__init__(self.concentration.shape)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: _w.clip((self.concentration - 1) / self.rate, 0, None))
    variance = property(lambda self: self.concentration / self.rate ** 2)

    def log_prob(self, value):
        a, b = self.concentration, self.rate
        return _xlogy(a, b) + _xlogy(a - 1, value) - b * value - lgamma(a)

    def entropy(self):
        a = self.concentration
        return a - _w.log(self.rate) + lgamma(a) + (1.0 - a) * digamma(a)


class Chi2(Gamma):
    names = ("df",)

    def __init__(self, df, validate_args=None):
        (df,) = _all(df)
        super().__init__(0.5 * df, 0.5)

    df = property(lambda self: self.concentration * 2)


class Dirichlet(_Gammas):
    names = ("concentration",)

    def __init__(self, concentration, validate_args=None):
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    _total = property(lambda self: _w.sum(self.concentration, -1, True))
    mean = property(lambda self: self.concentration / self._total)
    variance = property(lambda self: self.mean * (1 - self.mean) / (self._total + 1))

    def log_prob(self, value):
        a = self.concentration
        return _w.sum(_xlogy(a - 1.0, value), -1) + lgamma(_w.sum(a, -1)) - _w.sum(lgamma(a), -1)

    def entropy(self):
        a, total = self.concentration, _w.sum(self.concentration, -1)
        return (_w.sum(lgamma(a), -1) - lgamma(total) - (a.shape[-1] - total) * digamma(total)
                - _w.sum((a - 1.0) * digamma(a), -1))


class Beta(_Gammas):
    names = ("concentration1", "concentration0")

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = _all(concentration1, concentration0)
        self._both = Dirichlet(_w.stack([self.concentration1, self.concentration0], -1))
        super().__init__(self.concentration1.shape)

    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    variance = property(lambda self: self._both.variance[..., 0])

    def log_prob(self, value):
        value = value if isinstance(value, _w.Tensor) else _w.tensor(float(value))
        return self._both.log_prob(_w.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._both.entropy()


class StudentT(_Gammas):
    names = ("df", "loc", "scale")

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = _all(df, loc, scale)
        super().__init__(self.df.shape)

    mean = property(lambda self: _w.where(_w.gt(self.df, 1), self.loc, float("nan")))

    def log_prob(self, value):
        y = (value - self.loc) / self.scale
        z = (_w.log(self.scale) + 0.5 * _w.log(self.df) + 0.5 * _math.log(_math.pi) + lgamma(0.5 * self.df)
             - lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * _w.log1p(y ** 2.0 / self.df) - z


class Poisson(_Gammas):
    names = ("rate",)

    def __init__(self, rate, validate_args=None):
        (self.rate,) = _all(rate)
        super().__init__(self.rate.shape)

    mean = variance = property(lambda self: self.rate)

    def log_prob(self, value):
        return _xlogy(value, self.rate) - self.rate - lgamma(value + 1)


class Binomial(_Gammas):
    names = ("total_count", "probs")

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        p = _all(probs if logits is None else logits)[0]
        self.probs = p if logits is None else _w.sigmoid(p)
        self.logits = _logit(self.probs) if logits is None else p
        self.total_count = _w.cast(_all(total_count, self.probs)[0], p.dtype)
        super().__init__(self.total_count.shape)

    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def log_prob(self, value):
        n = self.total_count
        ways = lgamma(n + 1) - lgamma(value + 1) - lgamma(n - value + 1)
        return ways + value * self.logits - n * F.softplus(self.logits)


# ---- discrete ones with samples

class _Discrete(Distribution):
    def rsample(self, sample_shape=()):
        raise NotImplementedError(f"{type(self).__name__} has no rsample")


class Bernoulli(_Discrete):
    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            (self.probs,) = _all(probs)
            self.logits = _logit(self.probs, 1.1920928955078125e-07)
        else:
            (self.logits,) = _all(logits)
            self.probs = _w.sigmoid(self.logits)
        self.names = ("probs",) if probs is not None else ("logits",)
        super().__init__(self.probs.shape)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape=()):
        return _w.draw_bernoulli(_w.broadcast_to(_w.detach(self.probs), self._shape(sample_shape)), default_generator)

    def log_prob(self, value):
        logits, value = broadcast_tensors(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


class Categorical(_Discrete):
    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            self.probs = probs / _w.sum(probs, -1, True)
            eps = 1.1920928955078125e-07
            self.logits = _w.log(_w.clip(self.probs, eps, 1 - eps))
        else:
            self.logits = logits - _w.logsumexp(logits, -1, True)
            self.probs = _w.softmax(self.logits, -1)
        self.names = ("probs",) if probs is not None else ("logits",)
        self._num_events = self.probs.shape[-1]
        super().__init__(self.probs.shape[:-1])

    param_shape = property(lambda self: self.probs.shape)
    mode = property(lambda self: _w.argmax(self.probs, -1))

    def sample(self, sample_shape=()):
        shape = self._shape(sample_shape)
        count = 1
        for n in ((sample_shape,) if isinstance(sample_shape, int) else sample_shape):
            count *= n
        rows = _w.reshape(_w.detach(self.probs), (-1, self._num_events))
        picked = _multinomial(rows, count, True)
        return _w.reshape(_w.swap_axes(picked, 0, 1), shape)

    def log_prob(self, value):
        value = _w.expand_dims(_w.cast(value, int64), -1)
        shape = _w.add(value, _w.zeros_like(self.logits[..., :1]).long()).shape[:-1]
        value = _w.broadcast_to(value, tuple(shape) + (1,))
        logits = _w.broadcast_to(self.logits, tuple(shape) + (self._num_events,))
        return _w.squeeze(_w.take_along(logits, value, -1), -1)

    def entropy(self):
        return -_w.sum(_w.clip(self.logits, -3.4e38, None) * self.probs, -1)

    def __repr__(self):
        k = self.names[0]
        return f"Categorical({k}: {getattr(self, k).shape})"


class OneHotCategorical(Categorical):
    def sample(self, sample_shape=()):
        index = Categorical.sample(self, sample_shape)
        return _w.one_hot(index, self._num_events, self.probs.dtype)

    def log_prob(self, value):
        return Categorical.log_prob(self, _w.argmax(value, -1))


class MultivariateNormal(Distribution):
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if scale_tril is None:
            cov = covariance_matrix if precision_matrix is None else _w.inv(precision_matrix)
            scale_tril = _w.cholesky(cov)
        self.loc, self.scale_tril = loc, scale_tril
        super().__init__(loc.shape[:-1], loc.shape[-1:])

    mean = property(lambda self: self.loc)
    covariance_matrix = property(lambda self: _w.matmul(self.scale_tril, _w.swap_axes(self.scale_tril, -1, -2)))
    variance = property(lambda self: _w.sum(self.scale_tril ** 2, -1))

    def rsample(self, sample_shape=()):
        eps = _drawn("normal", self._shape(sample_shape), self.loc.dtype)
        return self.loc + _w.squeeze(_w.matmul(self.scale_tril, _w.expand_dims(eps, -1)), -1)

    def _half_log_det(self):
        return _w.sum(_w.log(_w.diagonal(self.scale_tril, 0)), -1)

    def log_prob(self, value):
        d = _w.expand_dims(value - self.loc, -1)
        low = _w.broadcast_to(self.scale_tril, tuple(d.shape[:-2]) + tuple(self.scale_tril.shape[-2:]))
        z = _w.solve_triangular(low, d, True, False, False)
        m = _w.sum(_w.squeeze(z, -1) ** 2, -1)
        return -0.5 * (self.loc.shape[-1] * _math.log(2 * _math.pi) + m) - self._half_log_det()

    def entropy(self):
        return 0.5 * self.loc.shape[-1] * (1.0 + _math.log(2 * _math.pi)) + self._half_log_det()

    def __repr__(self):
        return f"MultivariateNormal(loc: {self.loc.shape}, covariance_matrix: {self.covariance_matrix.shape})"


class Independent(Distribution):
    # The last axes of a distribution's batch count as one event.
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist, self.n = base_distribution, reinterpreted_batch_ndims
        shape = tuple(base_distribution.batch_shape)
        cut = len(shape) - self.n
        super().__init__(shape[:cut], shape[cut:] + tuple(base_distribution.event_shape))

    mean = property(lambda self: self.base_dist.mean)
    variance = property(lambda self: self.base_dist.variance)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def _summed(self, x):
        return _w.sum(x, list(range(-self.n, 0))) if self.n else x

    def log_prob(self, value):
        return self._summed(self.base_dist.log_prob(value))

    def entropy(self):
        return self._summed(self.base_dist.entropy())


def kl_divergence(p, q):
    if isinstance(p, Normal) and isinstance(q, Normal):
        ratio = (p.scale / q.scale) ** 2
        t = ((p.loc - q.loc) / q.scale) ** 2
        return 0.5 * (ratio + t - 1 - _w.log(ratio))
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        return _w.sum(p.probs * (p.logits - q.logits), -1)
    if isinstance(p, Bernoulli) and isinstance(q, Bernoulli):
        a = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
        b = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
        return a + b
    if isinstance(p, Exponential) and isinstance(q, Exponential):
        ratio = q.rate / p.rate
        return ratio - _w.log(ratio) - 1
    if isinstance(p, Gamma) and isinstance(q, Gamma):
        a, b = p.concentration, q.concentration
        return (b * _w.log(p.rate / q.rate) + lgamma(b) - lgamma(a) + (a - b) * digamma(a)
                + (q.rate - p.rate) * (a / p.rate))
    if isinstance(p, Beta) and isinstance(q, Beta):
        return kl_divergence(p._both, q._both)
    if isinstance(p, Dirichlet) and isinstance(q, Dirichlet):
        a, b = p.concentration, q.concentration
        total = _w.sum(a, -1)
        t = lgamma(total) - lgamma(_w.sum(b, -1)) - _w.sum(lgamma(a) - lgamma(b), -1)
        return t + _w.sum((a - b) * (digamma(a) - _w.expand_dims(digamma(total), -1)), -1)
    if isinstance(p, Poisson) and isinstance(q, Poisson):
        return p.rate * (_w.log(p.rate) - _w.log(q.rate)) - (p.rate - q.rate)
    if isinstance(p, Independent) and isinstance(q, Independent):
        return p._summed(kl_divergence(p.base_dist, q.base_dist))
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
                              f"{type(q).__name__}")
