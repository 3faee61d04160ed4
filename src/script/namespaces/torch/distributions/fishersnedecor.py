# torch.distributions.fishersnedecor -- Fisher's and Snedecor's distribution.
import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.gamma import Gamma
from torch.distributions.utils import broadcast_all


class FisherSnedecor(Distribution):
    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(FisherSnedecor, _instance, batch_shape, ("df1", "df2"))
        new._gamma1, new._gamma2 = self._gamma1.expand(batch_shape), self._gamma2.expand(batch_shape)
        return new

    mean = property(lambda self: torch.where(self.df2 <= 2, torch.nan, self.df2 / (self.df2 - 2)))

    @property
    def mode(self):
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return torch.where(self.df1 <= 2, torch.nan, mode)

    @property
    def variance(self):
        a, b = self.df1, torch.where(self.df2 <= 4, torch.nan, self.df2)
        return 2 * b.pow(2) * (a + b - 2) / (a * (b - 2).pow(2) * (b - 4))

    def rsample(self, sample_shape=torch.Size((0,))):
        x = self._gamma1.rsample(sample_shape).view(self._extended_shape(sample_shape))
        y = self._gamma2.rsample(sample_shape).view(self._extended_shape(sample_shape))
        tiny = torch.finfo(y.dtype).tiny
        return (x / y.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        a, b = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        return ((a + b).lgamma() - a.lgamma() - b.lgamma() + a * ratio.log() + (a - 1) * torch.log(value)
                - (a + b) * torch.log1p(ratio * value))
