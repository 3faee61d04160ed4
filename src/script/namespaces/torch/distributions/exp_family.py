# torch.distributions.exp_family -- distributions of an exponential family: the entropy from the log normaliser.
import torch
from torch.distributions.distribution import Distribution


class ExponentialFamily(Distribution):
    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        # log normaliser at the natural parameters less its gradient times them, by Bregman's divergence
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        normaliser = self._log_normalizer(*params)
        gradients = torch.autograd.grad(normaliser.sum(), params, create_graph=True)
        result = result + normaliser
        for p, g in zip(params, gradients):
            part = p * g
            result = result - part.reshape(self._batch_shape + (-1,)).sum(-1)
        return result
