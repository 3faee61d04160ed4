# torch.distributions.negative_binomial -- how many trials succeed before a number of them has failed.
import torch
import torch.nn.functional as F
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.gamma import Gamma
from torch.distributions.utils import lazy_property, Odds


class NegativeBinomial(Odds, Distribution):
    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        self._param, self.total_count = self._odds(probs, logits, total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(NegativeBinomial, _instance, batch_shape, ("total_count", "probs", "logits", "_param"))

    mean = property(lambda self: self.total_count * torch.exp(self.logits))
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / torch.sigmoid(-self.logits))
    param_shape = property(lambda self: self._param.size())

    @lazy_property
    def _gamma(self):
        return Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        plain = self.total_count * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        ways = -torch.lgamma(self.total_count + value) + torch.lgamma(1.0 + value) + torch.lgamma(self.total_count)
        ways = torch.where(self.total_count + value == 0.0, torch.zeros_like(ways), ways)
        return plain - ways
