# torch.nn.utils.parametrize -- a parameter as a function of others: module.NAME is computed when it is read.
from contextlib import contextmanager

import torch
from torch.nn.modules.container import ModuleDict, ModuleList
from torch.nn.parameter import Parameter

_cache = {}
_cached = [0]


@contextmanager
def cached():
    _cached[0] += 1
    try:
        yield
    finally:
        _cached[0] -= 1
        if not _cached[0]:
            _cache.clear()


class ParametrizationList(ModuleList):
    def __init__(self, modules, original, unsafe=False):
        super().__init__(modules)
        self.unsafe = unsafe
        new = original
        with torch.no_grad():
            for m in reversed(list(self)):
                if hasattr(m, "right_inverse"):
                    new = m.right_inverse(new)
        self.is_tensor = isinstance(new, torch.Tensor)
        if self.is_tensor:
            original.data = new.detach() if new is not original else original.data
            if isinstance(original, Parameter):
                self.register_parameter("original", original)
            else:
                self.register_buffer("original", original)
        else:
            self.ntensors = len(new)
            for i, t in enumerate(new):
                if isinstance(original, Parameter):
                    self.register_parameter(f"original{i}", Parameter(t, original.requires_grad))
                else:
                    self.register_buffer(f"original{i}", t)

    def right_inverse(self, value):
        with torch.no_grad():
            for m in reversed(list(self)):
                if not hasattr(m, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(m).__name__} does not implement right_inverse.")
                value = m.right_inverse(value)
            if self.is_tensor:
                self.original.data = value.detach()
            else:
                for i, v in enumerate(value):
                    getattr(self, f"original{i}").data = v.detach()

    def forward(self):
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        for i in range(1, len(self)):
            x = self[i](x)
        return x


def _property(name):
    def get(self):
        if not _cached[0]:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache:
            _cache[key] = self.parametrizations[name]()
        return _cache[key]

    def put(self, value):
        self.parametrizations[name].right_inverse(value)
    return property(get, put)


def _give_class(module):
    # a class of its own, so that the property is this module's alone
    old = type(module)
    new = type(f"Parametrized{old.__name__}", (old,), {})
    new.__module__ = old.__module__
    module.__class__ = new


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        plist = module.parametrizations[tensor_name]
        if not unsafe:
            before = getattr(module, tensor_name)
            after = parametrization(before)
            if after.shape != before.shape:
                raise ValueError("Registering a parametrization may not change the shape of the tensor, unless the `unsafe` "
                                 f"flag is enabled.\ncurrent shape: {before.shape}\nnew shape: {after.shape}")
        plist.append(parametrization)
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        plist = ParametrizationList([parametrization], original, unsafe=unsafe)
        if not unsafe:
            with torch.no_grad():
                made = plist()
            if made.shape != original.shape:
                raise ValueError("Registering a parametrization may not change the shape of the tensor, unless the `unsafe` "
                                 f"flag is enabled.\nOriginal shape: {original.shape}\nParametrized shape: {made.shape}")
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_class(module)
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, _property(tensor_name))
        module.parametrizations[tensor_name] = plist
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    return module


def is_parametrized(module, tensor_name=None):
    all_of_it = module._modules.get("parametrizations")
    if not isinstance(all_of_it, ModuleDict):
        return False
    return len(all_of_it) > 0 if tensor_name is None else tensor_name in all_of_it


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    plist = module.parametrizations[tensor_name]
    if plist.is_tensor:
        original = plist.original
        if leave_parametrized:
            with torch.no_grad():
                t = getattr(module, tensor_name)
            original.data = t.detach()
    elif leave_parametrized:
        with torch.no_grad():
            t = getattr(module, tensor_name)
        original = Parameter(t) if t.is_floating_point() else t
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
                         "sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    return module


def type_before_parametrizations(module):
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
