# torch.distributions.uniform -- see torch.distributions.
from torch.distributions import Uniform
