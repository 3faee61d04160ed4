# torch.distributions.wishart -- Wishart's distribution of positive definite matrices.
import math

import torch
from torch.distributions import constraints
from torch.distributions.chi2 import Chi2
from torch.distributions.distribution import Distribution
from torch.distributions.multivariate_normal import _precision_to_scale_tril
from torch.distributions.utils import half_log_det, lazy_property


def _mvdigamma(x, p):
    return torch.digamma(x.unsqueeze(-1) - torch.arange(p, dtype=x.dtype, device=x.device).div(2).expand(x.shape + (-1,))).sum(-1)


def _clamp_above_eps(x):
    return x.clamp(min=torch.finfo(x.dtype).eps)


class Wishart(Distribution):
    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = [(k, v) for k, v in (("scale_tril", scale_tril), ("covariance_matrix", covariance_matrix),
                                     ("precision_matrix", precision_matrix)) if v is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, param = given[0]
        if param.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        df = torch.tensor(df, dtype=param.dtype, device=param.device) if isinstance(df, (int, float)) else df
        batch_shape = torch.broadcast_shapes(param.shape[:-2], df.shape)
        event_shape = param.shape[-2:]
        self.df = df.expand(batch_shape)
        if bool(self.df.le(event_shape[-1] - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event_shape[-1] - 1}.")
        setattr(self, name, param.expand(batch_shape + (-1, -1)))
        self._event_shape = event_shape
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = scale_tril
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(covariance_matrix)
        else:
            self._unbroadcasted_scale_tril = _precision_to_scale_tril(precision_matrix)
        p = event_shape[-1]
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - torch.arange(p, dtype=self._unbroadcasted_scale_tril.dtype,
                                                                       device=param.device).expand(batch_shape + (-1,)))

    def expand(self, batch_shape, _instance=None):
        names = ("df", "covariance_matrix", "scale_tril", "precision_matrix")
        new = self._expanded(Wishart, _instance, batch_shape, names, covariance_matrix=2, scale_tril=2, precision_matrix=2)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        new._dist_chi2 = self._dist_chi2.expand(torch.Size(batch_shape) + self.event_shape[-1:])
        return new

    def _full(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        return self._full(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        return self._full(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    mean = property(lambda self: self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix)

    @property
    def mode(self):
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor <= 0, torch.nan, factor)
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        d = v.diagonal(dim1=-2, dim2=-1)
        return self.df.view(self._batch_shape + (1, 1)) * (v.pow(2) + d.unsqueeze(-1) * d.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape=torch.Size()):
        p = self._event_shape[-1]
        noise = _clamp_above_eps(self._dist_chi2.rsample(sample_shape).sqrt()).diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(p, p, offset=-1)
        noise[..., i, j] = torch.randn(torch.Size(sample_shape) + self._batch_shape + (int(p * (p - 1) / 2),),
                                       dtype=noise.dtype, device=noise.device)
        chol = self._unbroadcasted_scale_tril @ noise
        return chol @ chol.mT

    def rsample(self, sample_shape=torch.Size(), max_try_correction=10):
        sample_shape = torch.Size(sample_shape)
        sample = self._bartlett_sampling(sample_shape)
        axes = list(range(-len(self._batch_shape), 0))
        again = self.support.check(sample)      # PyTorch draws once more where the first was positive definite
        again = again.amax(axes) if axes else again
        if not bool(again.any()):
            return sample
        for _ in range(max_try_correction):
            new = self._bartlett_sampling(again[again].shape)
            sample[again] = new
            bad = ~self.support.check(new)
            again[again.clone()] = bad.amax(axes) if axes else bad
            if not bool(again.any()):
                break
        return sample

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p = self.df, self._event_shape[-1]
        return (-nu * (p * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril)) - torch.mvlgamma(nu / 2, p=p)
                + (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet
                - torch.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2)

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        return ((p + 1) * (p * math.log(2) / 2 + half_log_det(self._unbroadcasted_scale_tril)) + torch.mvlgamma(nu / 2, p=p)
                - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p) + nu * p / 2)
