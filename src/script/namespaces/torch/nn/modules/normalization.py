# torch.nn.modules.normalization
from torch.nn.modules.norm import GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm
