# torch.utils.checkpoint -- values computed again in the backward pass instead of kept.
#
# The gradients of a module reach its parameters as those of further arguments. What a plain function reads besides
# its arguments is not known: with use_reentrant=True gradients go there by backward(), as in PyTorch; otherwise it
# is run as it is, and keeps its values, which changes no number.
import _torch as _w
import torch
from torch import nn
from torch._grad import enable_grad
from torch.autograd.function import Function


class CheckpointError(RuntimeError):
    pass


class _Recomputed(Function):
    @staticmethod
    def forward(ctx, again, inner, *tensors):
        ctx.again, ctx.inner = again, inner
        ctx.save_for_backward(*tensors)
        return again(tensors)

    @staticmethod
    def backward(ctx, *grads):
        create = torch.is_grad_enabled()
        tensors = ctx.saved_tensors
        if ctx.inner or not create:     # what is behind the arguments belongs to the pass that runs; with inner, gradients of
            tensors = [t if t.is_leaf and not ctx.inner else t.detach().requires_grad_(t.requires_grad)
                       for t in tensors]    # what it reads besides them go there
        with enable_grad():
            out = ctx.again(tensors)
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        pairs = [(o, g) for o, g in zip(outs, grads) if isinstance(o, _w.Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        ys, gys = [p[0] for p in pairs], [p[1] for p in pairs]
        if ctx.inner:
            torch.autograd.backward(ys, gys)
            return (None, None) + tuple([t.grad for t in tensors])
        wanted = [t for t in tensors if t.requires_grad]
        it = iter(torch.autograd.grad(ys, wanted, gys, create_graph=create, allow_unused=True))
        return (None, None) + tuple([next(it) if t.requires_grad else None for t in tensors])


def _again(function, args, kwargs, places, preserve):
    # A function of the tensors among the arguments (and parameters, which come behind them and are read where they
    # are), which draws the same numbers each time.
    state = torch.get_rng_state() if preserve else None
    runs = []

    def run(tensors):
        full = list(args)
        for k, t in zip(places, tensors):
            full[k] = t
        runs.append(1)
        if len(runs) == 1 or state is None:
            return function(*full, **kwargs)
        now = torch.get_rng_state()
        torch.set_rng_state(state)
        try:
            return function(*full, **kwargs)
        finally:
            torch.set_rng_state(now)

    return run


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, determinism_check="default", debug=False,
               context_fn=None, **kwargs):
    if use_reentrant and kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(list(kwargs)))
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    if context_fn is not None or debug:
        raise NotImplementedError("checkpoint: context_fn and debug are not done")
    module = function if isinstance(function, nn.Module) else getattr(function, "__self__", None)
    is_module = isinstance(module, nn.Module)
    if _w.in_trace() or not _w.recording() or not (use_reentrant or is_module):
        return function(*args, **kwargs)
    places = [k for k, a in enumerate(args) if isinstance(a, _w.Tensor)]
    tensors = [args[k] for k in places]
    if is_module and not use_reentrant:
        if any([isinstance(v, _w.Tensor) for v in kwargs.values()]):
            return function(*args, **kwargs)
        tensors += [p for p in module.parameters()]
    again = _again(function, args, kwargs, places, preserve_rng_state)
    return _Recomputed.apply(again, bool(use_reentrant), *tensors)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, preserve_rng_state=True):
    # All segments but the last are computed again.
    parts = list(functions.children()) if isinstance(functions, nn.Sequential) else list(functions)
    size = len(parts) // segments
    end = -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(nn.Sequential(*parts[start:end + 1]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve_rng_state)
    for f in parts[end + 1:]:
        input = f(input)
    return input


def get_device_states(*args):
    # The devices of the arguments besides the host, and the states of their generators.
    at = []
    for x in torch.utils._pytree.tree_leaves(args):
        if isinstance(x, _w.Tensor) and x.is_cuda and x.get_device() not in at:
            at.append(x.get_device())
    return at, [torch.cuda.get_rng_state(k) for k in at]


def set_device_states(devices, states, *, device_type=None):
    if device_type not in (None, "cpu", "cuda"):
        raise NotImplementedError(f"set_device_states: there are no devices of the type {device_type}")
    for k, state in zip(devices, states):
        torch.cuda.set_rng_state(state, k)
