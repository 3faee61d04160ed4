# torch.distributions.distribution -- see torch.distributions.
from torch.distributions import Distribution
