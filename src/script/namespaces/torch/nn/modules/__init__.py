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


def __getattr__(name):
    if name.startswith("Lazy"):
        return getattr(__import__("torch.nn.modules.lazy"), name)
    raise AttributeError(f"module 'torch.nn.modules' has no attribute '{name}'")
