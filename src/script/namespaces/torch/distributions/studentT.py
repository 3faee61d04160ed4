# torch.distributions.studentT -- Student's distribution.
import math

import torch
from torch.distributions import constraints
from torch.distributions.chi2 import Chi2
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all, standard_normal


class StudentT(Distribution):
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    mode = property(lambda self: self.loc)
    mean = property(lambda self: torch.where(self.df <= 1, torch.nan, self.loc))

    @property
    def variance(self):
        m = torch.where(self.df > 2, self.scale.pow(2) * self.df / (self.df - 2), torch.nan)
        m = torch.where((self.df <= 2) & (self.df > 1), torch.inf, m)
        return torch.where(self.df <= 1, torch.nan, m)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(StudentT, _instance, batch_shape, ("df", "loc", "scale"))
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    def rsample(self, sample_shape=torch.Size()):
        x = standard_normal(self._extended_shape(sample_shape), self.df)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * torch.rsqrt(z / self.df))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        z = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df)
             - torch.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * torch.log1p(y ** 2.0 / self.df) - z

    def entropy(self):
        half = 0.5 * self.df
        beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(half + 0.5)
        return (self.scale.log() + (half + 0.5) * (torch.digamma(half + 0.5) - torch.digamma(half)) + 0.5 * self.df.log() + beta)
