# torch.nn.parallel.data_parallel -- the same module on the parts of a batch. It is run on the whole of it, on the module's device:
# the result is the same.
from torch.nn.modules.module import Module


class DataParallel(Module):
    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        if dim != 0:
            raise NotImplementedError("DataParallel: batches lie along axis 0")
        self.module, self.dim = module, dim
        self.device_ids, self.output_device = list(device_ids or []), output_device

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*inputs, **(module_kwargs or {}))


def scatter(inputs, target_gpus, dim=0):
    # one chunk for each device, of every tensor in inputs
    from torch.utils._pytree import tree_flatten, tree_unflatten
    flat, spec = tree_flatten(inputs)
    n = len(target_gpus)
    parts = [[c.to(d) for c, d in zip(x.chunk(n, dim), target_gpus)] if hasattr(x, "chunk") else [x] * n for x in flat]
    return [tree_unflatten([p[i] for p in parts], spec) for i in range(min([len(p) for p in parts] or [0]))]


def gather(outputs, target_device, dim=0):
    import torch
    first = outputs[0]
    if isinstance(first, torch.Tensor):
        return torch.cat([o.to(target_device) for o in outputs], dim)
    if isinstance(first, dict):
        return {k: gather([o[k] for o in outputs], target_device, dim) for k in first}
    return type(first)([gather(list(o), target_device, dim) for o in zip(*outputs)])


def replicate(network, devices, detach=False):
    import copy
    out = []
    for d in devices:
        m = copy.deepcopy(network).to(d)
        out.append(m.requires_grad_(False) if detach else m)
    return out


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    kwargs_tup = kwargs_tup or [{}] * len(modules)
    if devices is not None and len(devices) != len(modules):
        raise AssertionError("a device for each module")
    return [m(*(i if isinstance(i, (tuple, list)) else (i,)), **k) for m, i, k in zip(modules, inputs, kwargs_tup)]
