# functorch -- torch.func under the names it had as a package of its own.
import _torch as _w
from torch.func import (grad, grad_and_value, vjp, jvp, vmap, jacrev, jacfwd, hessian, functionalize, linearize,
                        functional_call, stack_module_state)
from functorch._graphs import make_fx


def _functional(model, disable_autograd_tracking, with_buffers):
    from torch.func import functional_call as call
    names = [k for k, _ in model.named_parameters()]
    params = tuple([_w.requires_grad(_w.copy(_w.detach(p)), p.requires_grad and not disable_autograd_tracking)
                    for _, p in model.named_parameters()])
    buffer_names = [k for k, _ in model.named_buffers()]
    buffers = tuple([_w.copy(_w.detach(b)) for _, b in model.named_buffers()])

    def plain(parameters, *args, **kwargs):
        return call(model, dict(zip(names, parameters)), args, kwargs)

    def full(parameters, bufs, *args, **kwargs):
        state = dict(zip(names, parameters))
        state.update(dict(zip(buffer_names, bufs)))
        return call(model, state, args, kwargs)

    return (full, params, buffers) if with_buffers else (plain, params)


def make_functional(model, disable_autograd_tracking=False):
    if len(list(model.buffers())) > 0:
        raise RuntimeError("make_functional(model): `model` has buffers. Please use "
                           "make_functional_with_buffers(model) instead.")
    return _functional(model, disable_autograd_tracking, False)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    return _functional(model, disable_autograd_tracking, True)


def combine_state_for_ensemble(models):
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    parts = [make_functional_with_buffers(m) for m in models]
    params = tuple([_w.requires_grad(_w.detach(_w.stack(list(ps), 0)), True) for ps in zip(*[p[1] for p in parts])])
    buffers = tuple([_w.stack(list(bs), 0) for bs in zip(*[p[2] for p in parts])])
    return parts[0][0], params, buffers


def jacobian(func, argnums=0):
    return jacrev(func, argnums)
