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


def __getattr__(name):
    if name in MORE:
        return getattr(__import__("torch.nn.modules.more"), name)
    if name.startswith("Lazy"):
        return getattr(__import__("torch.nn.modules.lazy"), name)
    raise AttributeError(f"module 'torch.nn.modules' has no attribute '{name}'")
