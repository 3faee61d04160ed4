# torch.distributions.beta -- see torch.distributions.
from torch.distributions import Beta
