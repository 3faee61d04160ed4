# torch.distributions.one_hot_categorical -- see torch.distributions.
from torch.distributions import OneHotCategorical
