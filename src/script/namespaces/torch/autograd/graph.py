# torch.autograd.graph -- what is kept for backward: hooks that keep it elsewhere.
from collections import namedtuple as _namedtuple

import _torch as _w
from torch import _grad
from torch._grad import Node

_hooks = []         # (pack, unpack) of the blocks that are open; the innermost is in force
_disabled = []      # messages of the blocks in which there may be none


def _put_in_force():
    if _hooks:
        _w.saved_hooks(*_hooks[-1])
    else:
        _w.saved_hooks(None, None)


class saved_tensors_hooks:
    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        if _disabled:
            raise RuntimeError(_disabled[-1])
        _hooks.append((self.pack_hook, self.unpack_hook))
        _put_in_force()

    def __exit__(self, kind, value, trace):
        _hooks.pop()
        _put_in_force()


class save_on_cpu(saved_tensors_hooks):
    def __init__(self, pin_memory=False, device_type="cuda"):
        if device_type not in ("cuda", "cpu", "xpu"):
            raise ValueError(f"unknown device type {device_type}")
        super().__init__(lambda x: (x.device, x.cpu()), lambda packed: packed[1].to(packed[0]))


class disable_saved_tensors_hooks:
    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        if _hooks:
            raise RuntimeError(self.error_message)
        _disabled.append(self.error_message)

    def __exit__(self, kind, value, trace):
        _disabled.pop()

    def __call__(self, fn):
        def wrapped(*args, **kwargs):
            with self:
                return fn(*args, **kwargs)
        return wrapped


def increment_version(tensor):
    for t in [tensor] if hasattr(tensor, "shape") else tensor:
        t.data = t.data


GradientEdge = _namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"], defaults=(None,))


def get_gradient_edge(tensor):
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(_grad._before(tensor), tensor.output_nr, None)


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    # fn is told when all of them (mode "all"), or the first (mode "any"), have a gradient in one backward pass
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = [t for t in tensors]
    watched = [k for k, t in enumerate(tensors) if t.requires_grad]
    seen = {}

    def told(k, g):
        seen[k] = g
        if mode == "any":
            if len(seen) == 1:
                fn(g)
        elif len(seen) == len(watched):
            grads = [seen.get(k) for k in range(len(tensors))]
            seen.clear()
            fn(grads)

    handles = [_grad.register_hook(tensors[k], lambda g, k=k: told(k, g)) for k in watched]

    class Handle:
        def remove(self):
            for h in handles:
                h.remove()

        def __enter__(self):
            return self

        def __exit__(self, kind, value, trace):
            self.remove()
    return Handle()


def increment_version(tensor):
    for t in [tensor] if isinstance(tensor, _w.Tensor) else tensor:
        with _grad.no_grad():
            t.add_(0)
