# torch.distributions.generalized_pareto -- the generalised Pareto distribution.
import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all, rand


class GeneralizedPareto(Distribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(GeneralizedPareto, _instance, batch_shape, ("loc", "scale", "concentration"))

    def rsample(self, sample_shape=torch.Size()):
        return self.icdf(rand(self._extended_shape(sample_shape), self.loc))

    def _zero(self):
        return torch.isclose(self.concentration, torch.tensor(0.0, dtype=self.concentration.dtype))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        zero = self._zero()
        c = torch.where(zero, torch.ones_like(self.concentration), self.concentration)
        y = 1 / c + torch.ones_like(z)
        far = -torch.log(self.scale) - torch.where(y == 0, torch.zeros_like(z), y * torch.log1p(c * z))
        return torch.where(zero, -z - torch.log(self.scale), far)

    def log_survival_function(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = (value - self.loc) / self.scale
        zero = self._zero()
        c = torch.where(zero, torch.ones_like(self.concentration), self.concentration)
        return torch.where(zero, -z, -torch.log1p(c * z) / c)

    def log_cdf(self, value):
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        zero = self._zero()
        c = torch.where(zero, torch.ones_like(self.concentration), self.concentration)
        logu = torch.log1p(-value)
        return torch.where(zero, self.loc - self.scale * logu, self.loc + self.scale * torch.expm1(-c * logu) / c)

    @property
    def mean(self):
        safe = torch.where(self.concentration < 1, self.concentration, 0.5)
        return torch.where(self.concentration < 1, self.loc + self.scale / (1 - safe), torch.inf)

    @property
    def variance(self):
        safe = torch.where(self.concentration < 0.5, self.concentration, 0.25)
        return torch.where(self.concentration < 0.5, self.scale ** 2 / ((1 - safe) ** 2 * (1 - 2 * safe)), torch.inf)

    def entropy(self):
        return torch.broadcast_to(torch.log(self.scale) + self.concentration + 1, self._batch_shape)

    mode = property(lambda self: self.loc)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        upper = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration, torch.inf)
        return constraints.interval(self.loc, upper)
