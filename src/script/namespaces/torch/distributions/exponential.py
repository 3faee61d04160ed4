# torch.distributions.exponential -- see torch.distributions.
from torch.distributions import Exponential
