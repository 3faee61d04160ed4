# torch.distributions.gamma -- see torch.distributions.
from torch.distributions import Gamma
