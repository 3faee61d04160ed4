# torch.distributions.von_mises -- von Mises' distribution of angles.
import math

import torch
from torch.distributions import constraints
from torch.distributions.distribution import Distribution
from torch.distributions.utils import broadcast_all, lazy_property


class VonMises(Distribution):
    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        log_i0 = torch.special.i0e(self.concentration).log() + self.concentration
        return self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi) - log_i0

    @lazy_property
    def _proposal_r(self):
        kappa = self.concentration.double()
        tau = 1 + (1 + 4 * kappa ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        near = 1 / kappa + kappa
        return torch.where(kappa < 1e-5, near, (1 + rho ** 2) / (2 * rho))

    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        # Best and Fisher, "Efficient simulation of the von Mises distribution" (1979)
        shape = self._extended_shape(sample_shape)
        loc, kappa, r = self.loc.double(), self.concentration.double(), self._proposal_r
        x = torch.empty(shape, dtype=torch.float64, device=self.loc.device)
        done = torch.zeros(shape, dtype=torch.bool, device=self.loc.device)
        while not done.all():
            u1, u2, u3 = torch.rand((3,) + tuple(shape), dtype=torch.float64, device=self.loc.device).unbind()
            z = torch.cos(math.pi * u1)
            f = (1 + r * z) / (r + z)
            c = kappa * (r - f)
            accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
            if accept.any():
                x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
        return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def expand(self, batch_shape, _instance=None):
        return type(self)(self.loc.expand(batch_shape), self.concentration.expand(batch_shape), validate_args=False)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self):
        return 1 - torch.special.i1e(self.concentration) / torch.special.i0e(self.concentration)
