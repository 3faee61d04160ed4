# torch.distributions.dirichlet -- Dirichlet's distribution.
import torch
from torch.distributions import constraints
from torch._creation import _sample_dirichlet
from torch.distributions.exp_family import ExponentialFamily


class Dirichlet(ExponentialFamily):
    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Dirichlet, _instance, batch_shape, ("concentration",), concentration=1)

    def rsample(self, sample_shape=()):
        return _sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        a = self.concentration
        return torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self):
        less = (self.concentration - 1).clamp(min=0.0)
        mode = less / less.sum(-1, True)
        mask = (self.concentration < 1).all(dim=-1)
        corner = torch.nn.functional.one_hot(mode[mask].argmax(dim=-1), less.shape[-1]).to(mode)
        mode[mask] = corner
        return mode

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        k, a = self.concentration.size(-1), self.concentration
        total = a.sum(-1)
        return (torch.lgamma(a).sum(-1) - torch.lgamma(total) - (k - total) * torch.digamma(total)
                - ((a - 1.0) * torch.digamma(a)).sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
