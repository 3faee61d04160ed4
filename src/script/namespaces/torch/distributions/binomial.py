# torch.distributions.binomial -- see torch.distributions.
from torch.distributions import Binomial
