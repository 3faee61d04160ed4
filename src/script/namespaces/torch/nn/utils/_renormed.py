# torch.nn.utils._renormed -- weight_norm and spectral_norm by hooks before forward, the older form of both.
import torch
import torch.nn.functional as F
from torch.nn.parameter import Parameter


class _Hook:
    def __init__(self, name):
        self.name = name


def _add(module, hook):
    for h in module._forward_pre_hooks.values():
        if type(h) is type(hook) and h.name == hook.name:
            raise RuntimeError(f"Cannot register two {hook.what} hooks on the same parameter {hook.name}")


def _remove(module, kind, name):
    for k, h in module._forward_pre_hooks.items():
        if isinstance(h, kind) and h.name == name:
            h.remove(module)
            del module._forward_pre_hooks[k]
            return module
    raise ValueError(f"{kind.what} of '{name}' not found in {module}")


class _WeightNorm(_Hook):
    what = "weight_norm"

    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim

    def norm(self, v):
        if self.dim == -1:
            return v.norm()
        return v.norm(dim=[i for i in range(v.ndim) if i != self.dim % v.ndim], keepdim=True)

    def weight(self, module):
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / self.norm(v))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.weight(module))

    def remove(self, module):
        w = self.weight(module).detach()
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(w))


def weight_norm(module, name="weight", dim=0):
    hook = _WeightNorm(name, dim)
    _add(module, hook)
    w = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(hook.norm(w).detach()))
    module.register_parameter(name + "_v", Parameter(w.detach()))
    setattr(module, name, hook.weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module, name="weight"):
    return _remove(module, _WeightNorm, name)


class _SpectralNorm(_Hook):
    what = "spectral_norm"

    def __init__(self, name, n, dim, eps):
        self.name, self.n, self.dim, self.eps = name, n, dim, eps

    def matrix(self, w):
        if self.dim != 0:
            w = w.permute(self.dim, *[d for d in range(w.dim()) if d != self.dim])
        return w.reshape(w.shape[0], -1)

    def weight(self, module, iterate):
        w, u, v = [getattr(module, self.name + end) for end in ("_orig", "_u", "_v")]
        m = self.matrix(w)
        if iterate:
            with torch.no_grad():
                for _ in range(self.n):
                    v.copy_(F.normalize(torch.mv(m.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(torch.mv(m, v), dim=0, eps=self.eps))
                if self.n > 0:
                    u, v = u.clone(), v.clone()
        return w / torch.dot(u, torch.mv(m, v))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.weight(module, module.training))

    def remove(self, module):
        with torch.no_grad():
            w = self.weight(module, False)
        delattr(module, self.name)
        for end in ("_u", "_v"):
            del module._buffers[self.name + end]
        del module._parameters[self.name + "_orig"]
        setattr(module, self.name, Parameter(w.detach()))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    hook = _SpectralNorm(name, n_power_iterations, dim, eps)
    _add(module, hook)
    w = getattr(module, name)
    m = hook.matrix(w.detach())
    u = F.normalize(w.new_empty(m.shape[0]).normal_(0, 1), dim=0, eps=eps)
    v = F.normalize(w.new_empty(m.shape[1]).normal_(0, 1), dim=0, eps=eps)
    del module._parameters[name]
    module.register_parameter(name + "_orig", w)
    setattr(module, name, w.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module, name="weight"):
    return _remove(module, _SpectralNorm, name)
