# torch.distributions.laplace -- see torch.distributions.
from torch.distributions import Laplace
