# torch._compile -- torch.compile never refuses: what it is given runs as it is.
import functools as _functools

from torch.nn.modules.module import Module


class OptimizedModule(Module):
    def __init__(self, mod):
        super().__init__()
        self._orig_mod = mod

    def forward(self, *args, **kwargs):
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self.__dict__["_modules"]["_orig_mod"]
        return getattr(self.__dict__["_modules"]["_orig_mod"], name)


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    if model is None:
        return lambda fn: compile(fn)
    if isinstance(model, Module):
        return OptimizedModule(model)

    @_functools.wraps(model)
    def inner(*args, **kwargs):
        return model(*args, **kwargs)

    return inner
