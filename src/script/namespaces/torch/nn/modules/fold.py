# torch.nn.modules.fold
from torch.nn.modules.conv import Fold, Unfold
