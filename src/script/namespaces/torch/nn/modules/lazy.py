# torch.nn.modules.lazy -- convolutions and normalisations whose number of channels comes from the first input.
from torch.nn.modules import conv as _conv, norm as _norm
from torch.nn.modules.module import Module


class LazyModuleMixin:
    pass        # _make_for(the numbers stored for it, by name): load_state_dict gives it its sizes


def _lazy(name, base, channels, names):
    class Lazy(LazyModuleMixin, base):
        def __init__(self, *args, **kwargs):
            Module.__init__(self)
            object.__setattr__(self, "_given", (args, kwargs))

        def has_uninitialized_params(self):
            return True

        def _make(self, count):
            args, kwargs = self._given
            training = self.training
            base.__init__(self, count, *args, **kwargs)
            self.training = training
            self.__class__ = base

        def _make_for(self, stored):
            # The channels that stored numbers have.
            if "Conv" not in name:
                self._make(stored["weight" if "weight" in stored else "running_mean"].shape[0])
            elif "Transpose" in name:
                self._make(stored["weight"].shape[0])
            else:
                args, kwargs = self._given
                groups = kwargs["groups"] if "groups" in kwargs else args[5] if len(args) > 5 else 1
                self._make(stored["weight"].shape[1] * groups)

        def forward(self, input):
            self._make(input.shape[1])
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
