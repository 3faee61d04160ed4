# torch.distributions.studentT -- see torch.distributions.
from torch.distributions import StudentT
