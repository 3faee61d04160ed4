# torch.nn.modules -- all modules.
from torch.nn.modules.module import Module
from torch.nn.modules.container import Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict
from torch.nn.modules.activation import *
from torch.nn.modules.linear import *
from torch.nn.modules.conv import *
from torch.nn.modules.norm import *
from torch.nn.modules.loss import *
from torch.nn.modules.rnn import *
from torch.nn.modules.transformer import *

MORE = ("AdaptiveLogSoftmaxWithLoss CrossMapLRN2d FractionalMaxPool2d FractionalMaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d "
        "MultiLabelMarginLoss NLLLoss2d").split()


_HOMES = {      # where PyTorch has classes that stand elsewhere here: type(layer) says it, and files of whole modules
    "activation": "MultiheadAttention",
    "batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm",
    "channelshuffle": "ChannelShuffle",
    "distance": "PairwiseDistance CosineSimilarity",
    "dropout": "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout",
    "flatten": "Flatten Unflatten",
    "fold": "Fold Unfold",
    "instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
    "normalization": "LocalResponseNorm LayerNorm GroupNorm RMSNorm",
    "padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d "
               "ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "pooling": "MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d LPPool3d AdaptiveMaxPool1d "
               "AdaptiveMaxPool2d AdaptiveMaxPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
    "sparse": "Embedding EmbeddingBag",
    "upsampling": "Upsample UpsamplingNearest2d UpsamplingBilinear2d",
}
for _home, _names in _HOMES.items():
    for _n in _names.split():
        globals()[_n].__module__ = "torch.nn.modules." + _home


_FILES = ("adaptive batchnorm channelshuffle distance dropout flatten fold instancenorm lazy normalization padding pixelshuffle pooling "
          "sparse upsampling utils").split()


def __getattr__(name):
    if name in MORE:
        return getattr(__import__("torch.nn.modules.more"), name)
    if name.startswith("Lazy"):
        return getattr(__import__("torch.nn.modules.lazy"), name)
    if name in _FILES:
        return __import__("torch.nn.modules." + name)
    raise AttributeError(f"module 'torch.nn.modules' has no attribute '{name}'")
