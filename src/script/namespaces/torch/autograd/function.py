# torch.autograd.function -- operations whose derivative the user writes.
#
# On values, forward runs unrecorded and its results become steps of the history that
# torch._grad runs when gradients come by. Inside a trace, forward and backward are traced.
import sys as _sys

import _torch as _w
from torch import _grad


class FunctionCtx:
    def __init__(self):
        self._saved = ()
        self._results = ()
        self._dirty = self._plain = ()
        self._materialize = True
        self.needs_input_grad = ()

    def save_for_backward(self, *tensors):
        self._saved = tensors

    save_for_forward = save_for_backward

    @property
    def saved_tensors(self):
        if self._saved is None:
            raise RuntimeError(_grad.TWICE)
        return tuple([self._results[s[0]] if isinstance(s, list) else s for s in self._saved])

    saved_variables = saved_tensors

    def mark_dirty(self, *tensors):
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        self._plain = tensors

    def set_materialize_grads(self, value):
        self._materialize = value


class _Step(_grad.Node):
    # One use of a Function: what turns gradients of its results into those of its inputs.
    home = "torch.autograd.function"

    def __init__(self, name, cls, ctx, args, needs, shapes):
        self.serial = 0
        self.cls, self.ctx, self.args, self.needs, self.shapes = cls, ctx, args, needs, shapes
        self.outputs = len(shapes)
        self.freed = False
        self.before, self.after = {}, {}        # hooks

    def name(self):
        return self.cls.__name__ + "Backward"

    def __repr__(self):
        return f"<torch.autograd.function.{self.name()} object at 0x{id(self):x}>"

    def _key(self):
        return self.serial

    @property
    def next_functions(self):
        return tuple([(_grad._before(x), 0) if needed else (None, 0) for x, needed in zip(self.args, self.needs) if isinstance(x, _w.Tensor)])

    def register_hook(self, fn):
        return _grad.new_handle(self.after, fn)

    def register_prehook(self, fn):
        return _grad.new_handle(self.before, fn)

    def run(self, grads, create, keep, results):
        if self.freed:
            raise RuntimeError(_grad.TWICE)
        ctx, grads = self.ctx, [_grad.conjugated(g) for g in grads]
        for hook in list(self.before.values()):
            r = hook(tuple(grads))
            grads = grads if r is None else list(r)
        seen = tuple(grads)
        if ctx._materialize:
            grads = [_w.full(s[0], 0, s[1]) if g is None else g for g, s in zip(grads, self.shapes)]
        ctx._results = results
        out = self.cls.backward(ctx, *grads)
        ctx._results = ()
        out = out if isinstance(out, (tuple, list)) else (out,)
        for hook in list(self.after.values()):
            tensors = [k for k, x in enumerate(self.args) if isinstance(x, _w.Tensor)]
            r = hook(tuple([out[k] for k in tensors if k < len(out)]), seen)
            if r is not None:
                out = tuple([r[tensors.index(k)] if k in tensors else g for k, g in enumerate(out)])
        if len(out) > len(self.args) and all([g is None for g in out[len(self.args):]]):
            out = out[:len(self.args)]
        if len(out) != len(self.args):
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected "
                               f"{len(self.args)}, got {len(out)})")
        xs, gs = [], []
        for x, g, needed in zip(self.args, out, self.needs):
            if g is None or not needed:
                continue
            if g.shape != x.shape:
                if g.numel() != x.numel():
                    raise RuntimeError(f"Function {self.name()} returned an invalid gradient at index "
                                       f"{len(xs)} - got {list(g.shape)} but expected shape compatible with "
                                       f"{list(x.shape)}")
                g = _w.reshape(g, x.shape)
            xs.append(x)
            gs.append(_grad.conjugated(g if g.dtype == x.dtype else _w.real(g) if g.dtype.is_complex else _w.cast(g, x.dtype)))
        if not keep:
            self.freed = True
            ctx._saved = None
        return xs, gs


def _is_recorded(x):
    return isinstance(x, _w.Tensor) and x.dtype.is_inexact and _w.about(x, "requires_grad")


def _traced(args):
    for a in args:
        if isinstance(a, _w.Tensor) and (_w.about(a, "symbolic") or _w.about(a, "need") > 1):
            return True
    return False


class Function:
    def __call__(self, *args, **kwargs):
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
                           "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")

    vjp = backward

    @classmethod
    def _call(cls, ctx, args):
        if hasattr(cls, "setup_context"):
            out = cls.forward(*args)
            cls.setup_context(ctx, args, out)
            return out
        return cls.forward(ctx, *args)

    @classmethod
    def apply(cls, *args):
        func = _sys.modules.get("torch.func")
        if func is not None and (func.kit.levels or func.kit.mapping) and not hasattr(cls, "setup_context"):
            raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
                               "setup_context staticmethod. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html")
        if _traced(args):
            return _apply_traced(cls, args)
        if hasattr(cls, "jvp") and "torch.autograd.forward_ad" in _sys.modules:
            out = _sys.modules["torch.autograd.forward_ad"].applied(cls, FunctionCtx(), args)
            if out is not None:
                return out
        ctx = FunctionCtx()
        recording = _w.recording()
        needs = tuple([recording and _is_recorded(a) for a in args])
        ctx.needs_input_grad = needs
        was = _w.recording(False)
        try:
            out = cls._call(ctx, args)
        finally:
            _w.recording(was)
        if True not in needs:
            return out
        many = isinstance(out, (tuple, list))
        outs = list(out) if many else [out]
        dirty = [(a, _w.wrap(a)) for a in args if any([a is d for d in ctx._dirty])]
        for a, _ in dirty:
            if _w.about(a, "leaf") and _w.about(a, "requires_grad"):
                raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        shapes = [(o.shape, o.dtype) if isinstance(o, _w.Tensor) else ((), _w.float32) for o in outs]
        before = [next((old for a, old in dirty if a is x), x) for x in args]
        step = _Step.named(cls.__name__ + "Backward", cls, ctx, tuple(before), needs, shapes)
        results = []
        for k, o in enumerate(outs):
            plain = not isinstance(o, _w.Tensor) or not o.dtype.is_inexact
            if plain or any([o is p for p in ctx._plain]):
                results.append(o)
                continue
            y = _w.host(o, (step, k))
            for a, _ in dirty:
                if a is o:      # the argument itself is the result from now on
                    _w.Tensor.__init__(a, y)
                    y = a
            y._step = step
            step.serial = step.serial or _w.about(y, "serial")
            results.append(y)
        # Saved results are looked up when they are needed: they would hold themselves.
        saved = []
        for s in ctx._saved:
            at = [k for k, o in enumerate(outs) if o is s]
            saved.append([at[0]] if at and not any([a is s for a in args]) else s)
        ctx._saved = tuple(saved)
        return tuple(results) if many else results[0]


def _apply_traced(cls, args):
    # As one operation with a derivative rule of its own.
    if any([isinstance(a, _w.Tensor) and a.dtype.is_complex and _w.about(a, "requires_grad") for a in args]):
        raise NotImplementedError("autograd.Function of complex tensors that require gradients, inside a trace")
    places = [k for k, a in enumerate(args) if isinstance(a, _w.Tensor)]
    many = [False]

    def filled(xs):
        full = list(args)
        for k, x in zip(places, xs):
            full[k] = x
        return full

    def results(out):
        many[0] = isinstance(out, (tuple, list))
        return list(out) if many[0] else [out]

    kept = []

    def primal(*xs):
        return results(cls._call(FunctionCtx(), filled(xs)))

    def forward(*xs):
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple([isinstance(a, _w.Tensor) for a in args])
        outs = results(cls._call(ctx, filled(xs)))
        kept.append((ctx, ctx._saved, [o.dtype.is_floating_point for o in outs]))
        return outs + [s for s in ctx._saved if s is not None]

    def backward(*xs):  # what was saved, then the gradients of the floats
        ctx, saved, floats = kept[-1]
        it = iter(xs)
        ctx._saved = tuple([None if s is None else next(it) for s in saved])
        out = cls.backward(ctx, *[next(it) if f else None for f in floats])
        out = out if isinstance(out, (tuple, list)) else (out,)
        gs = []
        for k in places:
            g = out[k] if k < len(out) else None
            if args[k].dtype.is_floating_point:
                gs.append(_w.full(args[k].shape, 0, args[k].dtype) if g is None else g)
        return gs

    out = _w.custom_vjp(_w.Slot(), primal, forward, backward, [args[k] for k in places])
    return tuple(out) if many[0] else out[0]


def once_differentiable(fn):
    def inner(ctx, *args):
        with _grad.no_grad():
            out = fn(ctx, *args)
        if not (_w.recording() and any([isinstance(a, _w.Tensor) and a.requires_grad for a in args])):
            return out
        many = isinstance(out, (tuple, list))
        outs = [_Once.apply(g, *args) if isinstance(g, _w.Tensor) else g for g in (out if many else (out,))]
        return tuple(outs) if many else outs[0]
    return inner


class _Once(Function):
    @staticmethod
    def forward(ctx, g, *args):
        return g.clone()

    @staticmethod
    def backward(ctx, g):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


class InplaceFunction(Function):
    pass
