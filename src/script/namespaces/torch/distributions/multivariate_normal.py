# torch.distributions.multivariate_normal -- see torch.distributions.
from torch.distributions import MultivariateNormal
