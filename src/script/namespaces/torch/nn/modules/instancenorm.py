# torch.nn.modules.instancenorm
from torch.nn.modules.norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, _InstanceNorm
