# torch.nn.modules.adaptive
from torch.nn.modules.more import AdaptiveLogSoftmaxWithLoss
