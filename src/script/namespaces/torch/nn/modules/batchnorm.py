# torch.nn.modules.batchnorm
from torch.nn.modules.norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm, _BatchNorm, _NormBase
