# torch.utils.hooks -- handles of hooks.
from torch._grad import RemovableHandle


def unserializable_hook(f):
    f.__torch_unserializable__ = True
    return f
