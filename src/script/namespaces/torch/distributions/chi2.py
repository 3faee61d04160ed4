# torch.distributions.chi2 -- see torch.distributions.
from torch.distributions import Chi2
