# torch.nn.modules.lazy -- modules whose sizes come from the first input.
#
# Until then their parameters are uninitialised ones. A hook before forward gives them their sizes and the object its class.
import torch
from torch.nn.modules import conv as _conv, linear as _linear, norm as _norm
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy


class LazyModuleMixin:
    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _members(self):
        return list(self._parameters.items()) + list(self._buffers.items())

    def _lazy_load_hook(self, state_dict, prefix, *args):
        for name, x in self._members():
            stored = state_dict.get(prefix + name)
            if is_lazy(x) and stored is not None and not is_lazy(stored):
                x.materialize(stored.shape)

    def initialize_parameters(self, *args, **kwargs):
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self):
        return any(is_lazy(x) for _, x in self._members())

    def _infer_parameters(self, module, args, kwargs=None):
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def __deepcopy__(self, memo):
        # the hooks of a copy are its own
        new = super().__deepcopy__(memo)
        new._initialize_hook.remove()
        new._load_hook.remove()
        new._load_hook = new._register_load_state_dict_pre_hook(new._lazy_load_hook)
        new._initialize_hook = new.register_forward_pre_hook(new._infer_parameters, with_kwargs=True)
        return new


class _Sized(LazyModuleMixin):
    # One number, `count`, that the input gives: _axis of its shape.
    _axis = 1

    def _shape_of(self, name):
        return (getattr(self, self._count),)

    def _uninitialised(self, names, device, dtype):
        for name in names:
            setattr(self, name, UninitializedParameter(device=device, dtype=dtype))

    def reset_parameters(self):
        if not self.has_uninitialized_params() and getattr(self, self._count) != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        if self.has_uninitialized_params():
            self._look(input)
            setattr(self, self._count, input.shape[self._axis])
            for name, x in self._members():
                if is_lazy(x):
                    x.materialize(self._shape_of(name))
            self.reset_parameters()
        elif getattr(self, self._count) == 0:       # loaded
            setattr(self, self._count, input.shape[self._axis])

    def _look(self, input):
        pass


class LazyLinear(_Sized, _linear.Linear):
    cls_to_become = _linear.Linear
    _axis, _count = -1, "in_features"

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.out_features = out_features
        self._uninitialised(("weight", "bias") if bias else ("weight",), device, dtype)

    def _shape_of(self, name):
        return (self.out_features, self.in_features) if name == "weight" else (self.out_features,)


class _LazyConv(_Sized):
    _count = "in_channels"

    def __init__(self, out_channels, kernel_size, *args, device=None, dtype=None, **kwargs):
        names = self._arguments[:len(args)]
        kwargs.update(zip(names, args))
        bias = kwargs.pop("bias", True)
        super().__init__(0, 0, kernel_size, bias=False, **kwargs)
        self.out_channels = out_channels
        self._uninitialised(("weight", "bias") if bias else ("weight",), device, dtype)

    def _shape_of(self, name):
        a, b = self.out_channels, self.in_channels
        if self.transposed:
            a, b = b, a
        return (a, b // self.groups) + tuple(self.kernel_size) if name == "weight" else (self.out_channels,)

    def _look(self, input):
        if input.ndim not in (self.n + 1, self.n + 2):
            raise RuntimeError(f"Expected {self.n + 1}D (unbatched) or {self.n + 2}D (batched) input to {type(self).__name__}, but got input "
                               f"of size: {input.shape}")

    @property
    def _axis(self):
        return -self.n - 1


class _LazyNorm(_Sized):
    _count = "num_features"

    def __init__(self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, bias=True):
        super().__init__(0, eps, momentum, False, False)
        self.affine, self.track_running_stats, self._with_bias = affine, track_running_stats, bias and affine
        if affine:
            self._uninitialised(("weight", "bias") if bias else ("weight",), device, dtype)
        if track_running_stats:
            for name in ("running_mean", "running_var"):
                setattr(self, name, UninitializedBuffer(device=device, dtype=dtype))
            self.num_batches_tracked = torch.tensor(0, dtype=torch.long, device=device)


class _LazyInstanceNorm(_LazyNorm):
    def __init__(self, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype)


def _define(base, kind, **more):
    name = "Lazy" + base.__name__
    globals()[name] = type(name, (kind, base), {"cls_to_become": base, "__module__": base.__module__, **more})


_PLAIN = ("stride", "padding", "dilation", "groups", "bias", "padding_mode")
_TURNED = ("stride", "padding", "output_padding", "groups", "bias", "dilation", "padding_mode")
for _n in "123":
    _define(getattr(_conv, f"Conv{_n}d"), _LazyConv, _arguments=_PLAIN)
    _define(getattr(_conv, f"ConvTranspose{_n}d"), _LazyConv, _arguments=_TURNED)
    _define(getattr(_norm, f"BatchNorm{_n}d"), _LazyNorm)
    _define(getattr(_norm, f"InstanceNorm{_n}d"), _LazyInstanceNorm)
LazyLinear.__module__ = "torch.nn.modules.linear"
