# torch.distributions.lowrank_multivariate_normal -- normal vectors whose covariance is a few outer products and a diagonal.
import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import LOG_2PI, batch_mahalanobis, batch_mv, half_log_det, lazy_property, standard_normal


def _capacitance_tril(w, d):
    # the Cholesky factor of I + W' D^-1 W
    wt = w.mT / d.unsqueeze(-2)
    k = torch.matmul(wt, w)
    return torch.linalg.cholesky(k + torch.eye(w.size(-1), dtype=w.dtype, device=w.device))


def _log_det(d, capacitance):
    return 2 * half_log_det(capacitance) + d.log().sum(-1)


def _mahalanobis(w, d, x, capacitance):
    wt = w.mT / d.unsqueeze(-2)
    return (x.pow(2) / d).sum(-1) - batch_mahalanobis(capacitance, batch_mv(wt, x))


class LowRankMultivariateNormal(Distribution):
    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        batch = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc, self.cov_diag = loc.expand(batch + event), cov_diag.expand(batch + event)
        self.cov_factor = cov_factor.expand(batch + cov_factor.shape[-2:])
        super().__init__(batch, event, validate_args=validate_args)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _capacitance_tril(cov_factor, cov_diag)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(LowRankMultivariateNormal, _instance, batch_shape, ("loc", "cov_diag", "cov_factor"), loc=1,
                             cov_diag=1, cov_factor=2)
        new._unbroadcasted_cov_factor, new._unbroadcasted_cov_diag = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        new._capacitance_tril = self._capacitance_tril
        return new

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self):
        v = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return v.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        return torch.linalg.cholesky(self.covariance_matrix)

    @lazy_property
    def covariance_matrix(self):
        w = self._unbroadcasted_cov_factor
        c = torch.matmul(w, w.mT) + torch.diag_embed(self._unbroadcasted_cov_diag)
        return c.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self):
        wt = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        a = torch.linalg.solve_triangular(self._capacitance_tril, wt, upper=False)
        p = torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - a.mT @ a
        return p.expand(self._batch_shape + self._event_shape + self._event_shape)

    def rsample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        few = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc)
        all_ = standard_normal(shape, self.loc)
        return self.loc + batch_mv(self._unbroadcasted_cov_factor, few) + self._unbroadcasted_cov_diag.sqrt() * all_

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        w, d, c = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril
        m = _mahalanobis(w, d, value - self.loc, c)
        return -0.5 * (self._event_shape[0] * LOG_2PI + _log_det(d, c) + m)

    def entropy(self):
        h = 0.5 * (self._event_shape[0] * (1.0 + LOG_2PI)
                   + _log_det(self._unbroadcasted_cov_diag, self._capacitance_tril))
        return h if len(self._batch_shape) == 0 else h.expand(self._batch_shape)
