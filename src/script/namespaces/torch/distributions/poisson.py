# torch.distributions.poisson -- see torch.distributions.
from torch.distributions import Poisson
