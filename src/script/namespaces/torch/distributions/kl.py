# torch.distributions.kl -- divergences of pairs of distributions, found by their classes.
import math
import warnings

import torch
from torch.distributions import (Bernoulli, Beta, Binomial, Categorical, Cauchy, ContinuousBernoulli, Dirichlet, Exponential, Gamma,
                                 Geometric, Gumbel, HalfNormal, Independent, Laplace, LowRankMultivariateNormal,
                                 MultivariateNormal, Normal, OneHotCategorical, Pareto, Poisson, TransformedDistribution, Uniform)
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.utils import _sum_rightmost, batch_mahalanobis, euler_constant, half_log_det

_KL_REGISTRY = {}
_KL_MEMOIZE = {}


def register_kl(type_p, type_q):
    if not isinstance(type_p, type):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not isinstance(type_q, type):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def decorate(fun):
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun
    return decorate


def _dispatch_kl(type_p, type_q):
    # The nearest of the registered pairs: by the order of the classes of p first, of q first; they must agree.
    matches = [(a, b) for a, b in _KL_REGISTRY if issubclass(type_p, a) and issubclass(type_q, b)]
    if not matches:
        return None
    p, q = type_p.__mro__, type_q.__mro__
    left = min(matches, key=lambda m: (p.index(m[0]), q.index(m[1])))
    right = min(matches, key=lambda m: (q.index(m[1]), p.index(m[0])))
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, "
                      f"{right[1].__name__})", RuntimeWarning)
    return _KL_REGISTRY[left]


def kl_divergence(p, q):
    key = type(p), type(q)
    if key not in _KL_MEMOIZE:
        _KL_MEMOIZE[key] = _dispatch_kl(*key)
    fun = _KL_MEMOIZE[key]
    if fun is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")
    return fun(p, q)


def _infinite_like(x):
    return torch.full_like(x, torch.inf)


def _x_log_x(x):
    return torch.special.xlogy(x, x)


# ---- of one family

@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p, q):
    softplus = torch.nn.functional.softplus
    t1 = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    t1 = torch.where(q.probs == 0, torch.inf, t1)
    t1 = torch.where(p.probs == 0, 0.0, t1)
    t2 = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    t2 = torch.where(q.probs == 1, torch.inf, t2)
    t2 = torch.where(p.probs == 1, 0.0, t2)
    return t1 + t2


@register_kl(Beta, Beta)
def _kl_beta_beta(p, q):
    a, b = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = q.concentration1.lgamma() + q.concentration0.lgamma() + a.lgamma()
    t2 = p.concentration1.lgamma() + p.concentration0.lgamma() + b.lgamma()
    t3 = (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
    return t1 - t2 + t3 + t4 + (b - a) * torch.digamma(a)


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p, q):
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return torch.where(p.total_count > q.total_count, torch.inf, kl)


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t = torch.where((q.probs == 0).expand_as(t), torch.inf, t)
    t = torch.where((p.probs == 0).expand_as(t), 0.0, t)
    return t.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p, q):
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p, q):
    t1 = p.mean * (p.logits - q.logits)
    t2 = p._cont_bern_log_norm() + torch.log1p(-p.probs)
    t3 = -q._cont_bern_log_norm() - torch.log1p(-q.probs)
    return t1 + t2 + t3


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    t1 = total.lgamma() - b.sum(-1).lgamma()
    t2 = (a.lgamma() - b.lgamma()).sum(-1)
    t4 = a.digamma() - total.digamma().unsqueeze(-1)
    return t1 - t2 + ((a - b) * t4).sum(-1)


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p, q):
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed using "
                                  "Bregman divergences")
    params = [x.detach().requires_grad_() for x in p._natural_params]
    normaliser = p._log_normalizer(*params)
    gradients = torch.autograd.grad(normaliser.sum(), params, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normaliser
    for a, b, g in zip(params, q._natural_params, gradients):
        result = result - _sum_rightmost((b - a) * g, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(p, q):
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    t3 = (p.concentration - q.concentration) * torch.digamma(p.concentration)
    return t1 + t2 + t3 + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p, q):
    a, b, c = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t1 = a.log() - b + c
    return -t1 + a * euler_constant + torch.exp(b + (1 + a).lgamma() - c) - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _kl_halfnormal_halfnormal(p, q):
    return _kl_normal_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(p, q):
    ratio = p.scale / q.scale
    away = (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * torch.exp(-away / p.scale) - 1


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two Multivariate Normals with different event shapes cannot be computed")
    a, b = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    half = half_log_det(b) - half_log_det(a)
    shape = torch.broadcast_shapes(b.shape[:-2], a.shape[:-2])
    n = p.event_shape[0]
    t2 = _trace_xxt(torch.linalg.solve_triangular(b.expand(shape + (n, n)), a.expand(shape + (n, n)), upper=False))
    return half + 0.5 * (t2 + batch_mahalanobis(b, q.loc - p.loc) - n)


def _trace_xxt(m):
    return m.pow(2).sum((-2, -1))


def _lowrank_parts(d):
    from torch.distributions.lowrank_multivariate_normal import _log_det
    w, g, c = d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag, d._capacitance_tril
    return w, g, c, _log_det(g, c)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_lowrank_lowrank(p, q):
    from torch.distributions.lowrank_multivariate_normal import _mahalanobis
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two Low Rank Multivariate Normals with different event shapes cannot be computed")
    pw, pg, _, p_log_det = _lowrank_parts(p)
    qw, qg, qc, q_log_det = _lowrank_parts(q)
    t3 = _mahalanobis(qw, qg, q.loc - p.loc, qc)
    wt = qw.mT / qg.unsqueeze(-2)
    a = torch.linalg.solve_triangular(qc, wt, upper=False)
    t2 = ((pg / qg).sum(-1) + _trace_xxt(pw * qg.rsqrt().unsqueeze(-1)) - _trace_xxt(a * pg.sqrt().unsqueeze(-2))
          - _trace_xxt(a.matmul(pw)))
    return 0.5 * (q_log_det - p_log_det + t2 + t3 - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrank(p, q):
    from torch.distributions.lowrank_multivariate_normal import _mahalanobis
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot be computed")
    qw, qg, qc, q_log_det = _lowrank_parts(q)
    low = p._unbroadcasted_scale_tril
    wt = qw.mT / qg.unsqueeze(-2)
    a = torch.linalg.solve_triangular(qc, wt, upper=False)
    t2 = _trace_xxt(low * qg.rsqrt().unsqueeze(-1)) - _trace_xxt(a.matmul(low))
    return 0.5 * (q_log_det - 2 * half_log_det(low) + t2 + _mahalanobis(qw, qg, q.loc - p.loc, qc) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrank_multivariatenormal(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot be computed")
    pw, pg, _, p_log_det = _lowrank_parts(p)
    low = q._unbroadcasted_scale_tril
    n = p.event_shape[0]
    shape = torch.broadcast_shapes(low.shape[:-2], pw.shape[:-2])
    wide = low.expand(shape + (n, n))
    t2 = (_trace_xxt(torch.linalg.solve_triangular(wide, pw.expand(shape + (n, pw.size(-1))), upper=False))
          + _trace_xxt(torch.linalg.solve_triangular(wide, torch.diag_embed(pg.sqrt()).expand(shape + (n, n)), upper=False)))
    return 0.5 * (2 * half_log_det(low) - p_log_det + t2 + batch_mahalanobis(low, q.loc - p.loc) - n)


@register_kl(Normal, Normal)
def _kl_normal_normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(p, q):
    ratio, alphas = p.scale / q.scale, q.alpha / p.alpha
    kl = q.alpha * ratio.log() - alphas.log() + alphas - 1
    return torch.where(p.support.lower_bound < q.support.lower_bound, torch.inf, kl)


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p, q):
    if p.transforms != q.transforms:
        raise NotImplementedError
    if p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p, q):
    kl = ((q.high - q.low) / (p.high - p.low)).log()
    return torch.where((q.low > p.low) | (q.high < p.high), torch.inf, kl)


@register_kl(Independent, Independent)
def _kl_independent_independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p, q):
    t = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return t - (4 * p.scale * q.scale).log()


# ---- of two families

@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _kl_beta_continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _kl_beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p, q):
    t1 = -p.entropy()
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (q.concentration - 1) * (p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma())
    return t1 + t2 - t3 + q.rate * p.concentration1 / (p.concentration1 + p.concentration0)


@register_kl(Beta, Normal)
def _kl_beta_normal(p, q):
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    var = q.scale.pow(2)
    t1 = -p.entropy() + 0.5 * (var * 2 * math.pi).log()
    t2 = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    return t1 + (t2 - mean * q.loc + q.loc.pow(2) * 0.5) / var


@register_kl(Beta, Uniform)
def _kl_beta_uniform(p, q):
    return torch.where((q.high < p.support.upper_bound) | (q.low > p.support.lower_bound), torch.inf,
                       -p.entropy() + (q.high - q.low).log())


@register_kl(ContinuousBernoulli, Exponential)
def _kl_continuous_bernoulli_exponential(p, q):
    return -p.entropy() - torch.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _kl_continuous_bernoulli_normal(p, q):
    t2 = 0.5 * (math.log(2.0 * math.pi) + torch.square(q.loc / q.scale)) + torch.log(q.scale)
    t3 = (p.variance + torch.square(p.mean) - 2.0 * q.loc * p.mean) / (2.0 * torch.square(q.scale))
    return -p.entropy() + t2 + t3


@register_kl(ContinuousBernoulli, Uniform)
def _kl_continuous_bernoulli_uniform(p, q):
    return torch.where((q.high < p.support.upper_bound) | (q.low > p.support.lower_bound), torch.inf,
                       -p.entropy() + (q.high - q.low).log())


@register_kl(Exponential, Gamma)
def _kl_exponential_gamma(p, q):
    ratio = q.rate / p.rate
    return (-q.concentration * torch.log(ratio) + ratio + q.concentration.lgamma() + q.concentration * euler_constant
            - (1 + euler_constant))


@register_kl(Exponential, Gumbel)
def _kl_exponential_gumbel(p, q):
    product = p.rate * q.scale
    offset = q.loc / q.scale
    t3 = torch.exp(offset) * product / (product + 1)
    return product.log() - offset + product.reciprocal() + t3 - 1


@register_kl(Exponential, Normal)
def _kl_exponential_normal(p, q):
    var, squared = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * torch.log(squared * var * 2 * math.pi)
    return t1 - 1 + (squared.reciprocal() - q.loc / p.rate + q.loc.pow(2) / 2) / var


@register_kl(Gamma, Exponential)
def _kl_gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _kl_gamma_gumbel(p, q):
    product, offset = p.rate * q.scale, q.loc / q.scale
    t1 = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    t2 = product.log() + p.concentration / product
    return t1 + t2 + torch.exp(offset) * (1 + product.reciprocal()).pow(-p.concentration) - offset


@register_kl(Gamma, Normal)
def _kl_gamma_normal(p, q):
    var, squared = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * torch.log(squared * var * 2 * math.pi) - p.concentration - p.concentration.lgamma()
    t2 = 0.5 * (p.concentration.pow(2) + p.concentration) / squared
    t3, t4 = q.loc * p.concentration / p.rate, 0.5 * q.loc.pow(2)
    return t1 + (p.concentration - 1) * p.concentration.digamma() + (t2 - t3 + t4) / var


@register_kl(Gumbel, Normal)
def _kl_gumbel_normal(p, q):
    ratio = p.scale / q.scale
    t1 = (ratio / math.sqrt(2 * math.pi)).log()
    t2 = (math.pi * ratio * 0.5).pow(2) / 3
    t3 = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -t1 + t2 + t3 - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _kl_laplace_normal(p, q):
    var = q.scale.pow(2)
    ratio = p.scale.pow(2) / var
    t1 = 0.5 * torch.log(2 * ratio / math.pi)
    return -t1 + ratio + (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / var - 1


@register_kl(Normal, Gumbel)
def _kl_normal_gumbel(p, q):
    mean, spread = p.loc / q.scale, (p.scale / q.scale).pow(2)
    offset = q.loc / q.scale
    t2 = torch.exp(-mean + 0.5 * spread + offset)
    return mean - offset + t2 - 0.5 * torch.log(2 * math.pi * spread) - 0.5


@register_kl(Normal, Laplace)
def _kl_normal_laplace(p, q):
    diff = p.loc - q.loc
    away = diff / p.scale
    t1 = torch.log(q.scale / p.scale)
    t2 = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * away.pow(2))
    t3 = diff * torch.erf(math.sqrt(0.5) * away)
    return t1 + (t2 + t3) / q.scale - 0.5 * (1 + math.log(2 * math.pi)) + math.log(2)


@register_kl(Pareto, Exponential)
def _kl_pareto_exponential(p, q):
    product = p.scale * q.rate
    kl = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return torch.where(p.alpha <= 1, torch.inf, kl)


@register_kl(Pareto, Gamma)
def _kl_pareto_gamma(p, q):
    common = p.scale.log() + p.alpha.reciprocal()
    t1 = p.alpha.log() - common
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * common
    kl = t1 + t2 + t3 + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    return torch.where(p.alpha <= 1, torch.inf, kl)


@register_kl(Pareto, Normal)
def _kl_pareto_normal(p, q):
    var = 2 * q.scale.pow(2)
    common = p.scale / (p.alpha - 1)
    t1 = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    t3 = p.alpha * common.pow(2) / (p.alpha - 2)
    kl = t1 + (t3 + (p.alpha * common - q.loc).pow(2)) / var - 1
    return torch.where(p.alpha <= 2, torch.inf, kl)


@register_kl(Uniform, Beta)
def _kl_uniform_beta(p, q):
    common = p.high - p.low
    t1 = torch.log(common)
    t2 = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - common) / common
    t3 = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + common) / common
    t4 = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    return torch.where((p.high > q.support.upper_bound) | (p.low < q.support.lower_bound), torch.inf, t3 + t4 - t1 - t2)


@register_kl(Uniform, ContinuousBernoulli)
def _kl_uniform_continuous_bernoulli(p, q):
    kl = (-p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm())
    outside = torch.max(torch.ge(p.high, q.support.upper_bound), torch.le(p.low, q.support.lower_bound))
    return torch.where(outside, torch.ones_like(kl) * torch.inf, kl)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponential(p, q):
    kl = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return torch.where(p.low < q.support.lower_bound, torch.inf, kl)


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p, q):
    common = p.high - p.low
    t1 = common.log()
    t2 = q.concentration.lgamma() - q.concentration * q.rate.log()
    t3 = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - common) / common
    kl = -t1 + t2 + t3 + q.rate * (p.high + p.low) / 2
    return torch.where(p.low < q.support.lower_bound, torch.inf, kl)


@register_kl(Uniform, Gumbel)
def _kl_uniform_gumbel(p, q):
    common = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    t1 = common.log() + 0.5 * (high + low)
    return t1 - common * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Normal)
def _kl_uniform_normal(p, q):
    common = p.high - p.low
    t1 = (math.sqrt(math.pi * 2) * q.scale / common).log()
    return t1 + 0.5 * (common.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p, q):
    support = p.high - p.low
    t1 = (q.alpha * q.scale.pow(q.alpha) * support).log()
    t2 = (_x_log_x(p.high) - _x_log_x(p.low) - support) / support
    return torch.where(p.low < q.support.lower_bound, torch.inf, t2 * (q.alpha + 1) - t1)


def _register_infinite():
    # the mean of the log density is -inf: q is 0 where p is not
    def infinite(p, _q):
        for name in ("loc", "rate", "scale", "concentration", "low", "probs"):
            value = getattr(p, name, None)
            if isinstance(value, torch.Tensor):
                return _infinite_like(value)
        return _infinite_like(p.concentration1)
    outside = {Beta: (Pareto,), ContinuousBernoulli: (Pareto,), Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
               Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform), Pareto: (Beta, ContinuousBernoulli, Uniform),
               Poisson: (Bernoulli, Binomial)}
    for p in (Gumbel, Laplace, Normal):
        outside[p] = (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
    for p, others in outside.items():
        for q in others:
            register_kl(p, q)(infinite)


_register_infinite()
