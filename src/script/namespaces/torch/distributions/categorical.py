# torch.distributions.categorical -- see torch.distributions.
from torch.distributions import Categorical
