# torch.nn -- modules, functions and first values of neural networks.
from torch.nn.parameter import Parameter, Buffer
from torch.nn import functional, init
from torch.nn.modules import *
from torch.nn import modules, parameter


def __getattr__(name):
    if name.startswith("Uninit"):
        return getattr(parameter, name)
    if name in ("utils", "attention", "parallel"):
        return __import__("torch.nn." + name)
    if name in modules.MORE:
        return getattr(__import__("torch.nn.modules.more"), name)
    if name.startswith("Lazy"):
        return getattr(__import__("torch.nn.modules.lazy"), name)
    if name == "DataParallel":
        return __import__("torch.nn.parallel").DataParallel
    raise AttributeError(f"module 'torch.nn' has no attribute '{name}'")
