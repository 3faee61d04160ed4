# Classes say the module that PyTorch has them in, and can be imported from there; stored numbers give lazy modules their sizes.
import torch
from torch import nn
from torch.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss
from torch.nn.modules.channelshuffle import ChannelShuffle
from torch.nn.modules.fold import Fold, Unfold
from torch.nn.modules.padding import ReflectionPad2d
from torch.nn.modules.pooling import AdaptiveAvgPool2d, MaxUnpool2d
from torch.nn.modules.upsampling import Upsample

print(AdaptiveAvgPool2d(1), ReflectionPad2d(2), Upsample(scale_factor=2), Unfold(3), ChannelShuffle(2), MaxUnpool2d(2))
for m in (nn.MaxPool2d(2), nn.Dropout(), nn.BatchNorm2d(3), nn.LayerNorm(3), nn.Embedding(3, 4), nn.Flatten(), nn.Upsample(2), nn.Fold(2, 1),
          nn.MultiheadAttention(4, 2), nn.ZeroPad2d(1), nn.Conv2d(1, 2, 3), nn.LSTM(2, 3), nn.CrossEntropyLoss(), nn.GELU(),
          nn.Sequential(), nn.InstanceNorm2d(3), nn.PixelShuffle(2), nn.CosineSimilarity(), nn.Linear(2, 3), nn.AvgPool1d(2)):
    print(type(m))


def make():
    return nn.Sequential(nn.LazyConv2d(4, 3, groups=2), nn.LazyBatchNorm2d(), nn.LazyConvTranspose2d(3, 2), nn.Flatten(), nn.LazyLinear(5))


torch.manual_seed(0)
a, x = make().eval(), torch.randn(2, 4, 6, 6)
y = a(x)
b = make().eval()
print(b.load_state_dict(a.state_dict()), torch.equal(b(x), y), [tuple(p.shape) for p in b.parameters()])
