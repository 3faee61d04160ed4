# torch.distributions.independent -- see torch.distributions.
from torch.distributions import Independent
