# torch.distributed.nn -- exchanges that have derivatives.
from torch.distributed.nn import functional
from torch.distributed.nn.functional import *
