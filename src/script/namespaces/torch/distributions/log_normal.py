# torch.distributions.log_normal -- see torch.distributions.
from torch.distributions import LogNormal
