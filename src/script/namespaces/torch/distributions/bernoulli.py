# torch.distributions.bernoulli -- see torch.distributions.
from torch.distributions import Bernoulli
