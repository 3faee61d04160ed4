# torch.distributions.dirichlet -- see torch.distributions.
from torch.distributions import Dirichlet
