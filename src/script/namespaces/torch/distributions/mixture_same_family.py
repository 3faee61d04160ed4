# torch.distributions.mixture_same_family -- a mixture of one family's distributions.
import torch
from torch.distributions import constraints
from torch.distributions.categorical import Categorical
from torch.distributions.distribution import Distribution


class MixtureSameFamily(Distribution):
    arg_constraints = {}
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        mdbs, cdbs = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(mdbs), reversed(cdbs)):
            if a != 1 and b != 1 and a != b:
                raise ValueError(f"`mixture_distribution.batch_shape` ({mdbs}) is not compatible with "
                                 f"`component_distribution.batch_shape`({cdbs})")
        km, kc = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if km != kc:
            raise ValueError(f"`mixture_distribution component` ({km}) does not equal `component_distribution.batch_shape[-1]` "
                             f"({kc})")
        self._num_component = km
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(cdbs, event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = torch.Size(batch_shape)
        new = self._expanded(MixtureSameFamily, _instance, batch_shape, ())
        new._component_distribution = self._component_distribution.expand(batch_shape + (self._num_component,))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        return new

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = property(lambda self: self._mixture_distribution)
    component_distribution = property(lambda self: self._component_distribution)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def _probs(self):
        p = self._mixture_distribution.probs
        return p.reshape(p.shape + (1,) * self._event_ndims)

    @property
    def mean(self):
        return torch.sum(self._probs() * self._component_distribution.mean, dim=-1 - self._event_ndims)

    @property
    def variance(self):
        p, dim = self._probs(), -1 - self._event_ndims
        inner = torch.sum(p * self._component_distribution.variance, dim=dim)
        return inner + torch.sum(p * (self._component_distribution.mean - self._pad(self.mean)).pow(2.0), dim=dim)

    def cdf(self, x):
        p = self._component_distribution.cdf(self._pad(x))
        return torch.sum(p * self._mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        log_x = self._component_distribution.log_prob(self._pad(x))
        return torch.logsumexp(log_x + torch.log_softmax(self._mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            n, at = len(sample_shape) + len(self.batch_shape), len(sample_shape) + len(self.batch_shape)
            mix = self._mixture_distribution.sample(sample_shape)
            comp = self._component_distribution.sample(sample_shape)
            index = mix.reshape(mix.shape + (1,) * (self._event_ndims + 1))
            index = index.repeat((1,) * n + (1,) + tuple(self.event_shape))
            return torch.gather(comp, at, index).squeeze(at)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self._mixture_distribution!r},\n  {self._component_distribution!r})"
