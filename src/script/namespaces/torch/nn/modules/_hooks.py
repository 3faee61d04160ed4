# torch.nn.modules._hooks -- hooks of the backward pass of a module.
#
# Tensors that go into the module, and those that come out of it, go through one step of the history each: the second sees all
# gradients of the results, before any reaches the module, the first all gradients of the inputs.
import warnings

import _torch as _w
from torch.autograd.function import Function


class BackwardHookFunction(Function):
    @staticmethod
    def forward(ctx, told, *tensors):
        ctx.told = told
        ctx.set_materialize_grads(False)
        results = [x.view_as(x) for x in tensors]
        ctx.mark_non_differentiable(*[y for x, y in zip(tensors, results) if not x.requires_grad])
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        return (None,) + tuple(ctx.told(grads))


def _through(told, values):
    # The values with their tensors through a step, and at which places these are; none where nothing is recorded.
    at = [k for k, x in enumerate(values) if isinstance(x, _w.Tensor)]
    if not _w.recording() or not any(values[k].requires_grad for k in at):
        return values, []
    for k, x in zip(at, BackwardHookFunction.apply(told, *[values[k] for k in at])):
        values[k] = x
    return values, at


def _placed(grads, at, count):
    out = [None] * count
    for k, g in zip(at, grads):
        out[k] = g
    return tuple(out)


class Watch:
    # One call of a module: what its hooks are told.
    def __init__(self, module, before, after):
        self.module, self.before, self.after = module, before, after
        self.outputs = None

    def _zeros(self, grads):
        return [_w.full_like(x, 0) if g is None else g for g, x in zip(grads, self.tensors)]

    def inputs(self, args):
        self.count = len(args)
        values = list(args)
        if not self.after:
            return args
        self.tensors = [_w.detach(x) for x in values if isinstance(x, _w.Tensor)]
        values, self.at = _through(self._at_inputs, values)
        return tuple(values)

    def _at_inputs(self, grads):
        grads = self._zeros(grads)
        if self.outputs is None:        # the gradient came by another way than the module's results
            return grads
        seen = self._call(_placed(grads, self.at, self.count))
        return [seen[k] for k in self.at]

    def _call(self, seen):
        for hook in self.after:
            out = hook(self.module, seen, self.outputs)
            if out is not None:
                out = tuple(out) if isinstance(out, (tuple, list)) else (out,)
                if len(out) != len(seen):
                    raise RuntimeError(f"Backward hook returned an invalid number of grad_input, got {len(out)}, but expected {len(seen)}")
                seen = out
        self.outputs = None
        return seen

    def results(self, out):
        many = isinstance(out, (tuple, list))
        values, at = _through(self._at_outputs, list(out) if many else [out])
        self.out_at, self.out_count, self.out_like = at, len(values), [_w.detach(values[k]) for k in at]
        return type(out)(values) if many and type(out) in (tuple, list) else tuple(values) if many else values[0]

    def _at_outputs(self, grads):
        seen = _placed(grads, self.out_at, self.out_count)
        for hook in self.before:
            out = hook(self.module, seen)
            if out is not None:
                out = tuple(out) if isinstance(out, (tuple, list)) else (out,)
                if len(out) != len(seen):
                    raise RuntimeError(f"Backward pre hook returned an invalid number of grad_output, got {len(out)}, but expected "
                                       f"{len(seen)}")
                seen = out
        self.outputs = seen
        if self.after and not self.at:
            warnings.warn("Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
                          "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
                          "register_full_backward_hook for more details.", stacklevel=5)
            self._call((None,) * self.count)
        return [_w.full_like(x, 0) if seen[k] is None else seen[k] for k, x in zip(self.out_at, self.out_like)]
