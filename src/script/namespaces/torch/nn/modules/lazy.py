# torch.nn.modules.lazy -- convolutions and normalisations whose number of channels comes from the first input.
from torch.nn.modules import conv as _conv, norm as _norm
from torch.nn.modules.module import Module


class LazyModuleMixin:
    pass


def _lazy(name, base, channels, names):
    class Lazy(LazyModuleMixin, base):
        def __init__(self, *args, **kwargs):
            Module.__init__(self)
            object.__setattr__(self, "_given", (args, kwargs))

        def has_uninitialized_params(self):
            return True

        def forward(self, input):
            args, kwargs = self._given
            training = self.training
            base.__init__(self, input.shape[1], *args, **kwargs)
            self.training = training
            self.__class__ = base
            return base.forward(self, input)

        def extra_repr(self):
            args, kwargs = self._given
            return ", ".join([channels] + [str(a) for a in args] + [f"{k}={v}" for k, v in kwargs.items()])
    Lazy.__name__ = Lazy.__qualname__ = name
    names[name] = Lazy


for _n in ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"):
    _lazy("Lazy" + _n, getattr(_conv, _n), "0", globals())
for _n in ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"):
    _lazy("Lazy" + _n, getattr(_norm, _n), "0", globals())
