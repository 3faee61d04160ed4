# torch.distributions.normal -- see torch.distributions.
from torch.distributions import Normal
