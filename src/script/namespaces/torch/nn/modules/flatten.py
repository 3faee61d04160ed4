# torch.nn.modules.flatten
from torch.nn.modules.linear import Flatten, Unflatten
