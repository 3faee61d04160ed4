# torch.distributions.kl -- see torch.distributions.
from torch.distributions import kl_divergence
