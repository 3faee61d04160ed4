# torch._grad -- when operations are recorded, and how gradients are asked for.
#
# Histories are the engine's. Steps that a script differentiates itself (autograd.Function)
# and hooks are put in between by `_staged`.
import functools as _functools
import weakref as _weakref

import _torch as _w

# ---- modes


class _Mode:
    # A block, or the calls of a decorated function, in which recording is on or off.
    mode = True

    def __init__(self, fn=None):
        self.fn = fn
        self.before = []

    def __enter__(self):
        was = _w.mode(self.mode)
        if was > 1:
            was -= 2
            # Where derivatives are taken in forward mode alone nothing changes: the modes are for reverse ones.
            if not self.mode and __import__("torch.func").kit.forward:
                _w.recording(was > 0)
        self.before.append(was > 0)

    def __exit__(self, kind, value, trace):
        _w.recording(self.before.pop())
        return False

    def __call__(self, *args, **kwargs):
        if self.fn is not None:  # @no_grad without parentheses
            with type(self)():
                return self.fn(*args, **kwargs)
        fn, mode = args[0], self

        @_functools.wraps(fn)
        def inner(*args, **kwargs):
            with mode:
                return fn(*args, **kwargs)

        return inner


class no_grad(_w.NoGrad):
    fn, __call__ = None, _Mode.__call__

    def elsewhere(self, was):
        # Where derivatives are taken in forward mode alone nothing changes: the modes are for reverse ones.
        if __import__("torch.func").kit.forward:
            _w.recording(was)


class enable_grad(_w.EnableGrad):
    fn, __call__ = None, _Mode.__call__


class inference_mode(_Mode):
    # What is made there is of no derivative's concern: the engine notes it in its memory.
    def __init__(self, mode=True):
        fn = None if isinstance(mode, bool) else mode
        _Mode.__init__(self, fn)
        self.mode = False if fn is not None else not mode
        self.outside = []

    def __enter__(self):
        self.outside.append(_w.inference(not self.mode))
        _Mode.__enter__(self)

    def __exit__(self, kind, value, trace):
        _w.inference(self.outside.pop())
        return _Mode.__exit__(self, kind, value, trace)


class set_grad_enabled(_Mode):
    # Takes effect at once; as a block it is undone at its end.
    def __init__(self, mode):
        _Mode.__init__(self)
        self.mode = mode
        self.first = _w.recording(mode)

    def __enter__(self):
        _w.recording(self.mode)
        self.before.append(self.first)

    def __call__(self, fn):
        _w.recording(self.first)
        return _Mode.__call__(self, fn)


def is_grad_enabled():
    return _w.recording()


def is_inference_mode_enabled():
    return _w.inference()


# ---- names of steps

_NAMES = {
    "linear": "Addmm", "max_at": "Max", "min_at": "Min", "sum": "Sum", "sum_dim": "Sum", "swap_axes": "Transpose", "expand_dims": "Unsqueeze",
    "concat": "Cat", "index_get": "Index", "take": "IndexSelect", "take_along": "Gather", "clip": "Clamp",
    "broadcast_to": "Expand", "copy": "Clone", "norm": "LinalgVectorNorm", "conv": "Convolution",
    "conv_transpose": "Convolution", "max_pool": "MaxPool2DWithIndices", "avg_pool": "AvgPool2D",
    "adaptive_avg_pool": "AdaptiveAvgPool2D", "batch_norm": "NativeBatchNorm", "layer_norm": "NativeLayerNorm",
    "group_norm": "NativeGroupNorm", "cross_entropy": "NllLoss", "nll_loss": "NllLoss", "mse_loss": "MseLoss",
    "l1_loss": "Mean", "smooth_l1_loss": "SmoothL1Loss", "bce_loss": "BinaryCrossEntropy",
    "bce_with_logits": "BinaryCrossEntropyWithLogits", "kl_div": "Mean", "dropout": "Mul", "tile": "Repeat",
    "top_k": "Topk", "narrow": "Slice", "cast": "ToCopy", "det": "LinalgDet", "inv": "LinalgInvEx",
    "solve": "LinalgSolveEx", "cholesky": "LinalgCholeskyEx", "pad": "ConstantPadNd", "square": "Pow",
    "flatten": "View", "reshape": "View", "outer": "Mul", "index_set": "IndexPut", "index_add": "IndexAdd",
    "floor_div": "Div", "gradients": "Mul", "history_vjp": "Mul", "diagonal_sum": "Trace", "erf_inv": "Erfinv", "move_axis": "Permute", "rms_norm": "Mul",
    "masked_fill": "MaskedFill", "stack": "Stack", "tensordot": "View", "einsum": "View", "repeat": "Index",
}
_ONES = ("max", "min", "sum_dim", "mean_dim", "prod_dim", "rsub", "clip", "clamp", "squeeze", "roll_dim")
_OF_PROGRAMS = {"dot_general": "MmBackward0", "reduce_sum": "SumBackward0", "logistic": "SigmoidBackward0",
                "transpose": "TransposeBackward0", "copy_slices": "CopySlices"}  # steps of traced and scripted functions


def step_name(x):
    # PyTorch's name of the step that made x; None of a leaf.
    op = _w.about(x, "op")
    if not _w.about(x, "requires_grad") or not op:
        return None
    if op == "squeeze4":
        return "SqueezeBackward4"
    if op in _OF_PROGRAMS:
        return _OF_PROGRAMS[op]
    base = op[:-4] if op.endswith("_dim") else op
    name = _NAMES.get(op) or "".join([p.capitalize() for p in base.split("_")])
    return name + ("Backward1" if op in _ONES else "Backward0")


_OF_TARGETS = ("mse_loss", "smooth_l1_loss", "huber_loss", "bce_loss", "bce_with_logits")  # steps of a target that has no history

_SAVED = {"_saved_self": 0, "_saved_other": 1, "_saved_result": -1, "_saved_input": 0, "_saved_weight": 1, "_saved_mat1": 0,
          "_saved_mat2": 1, "_saved_base": 0, "_saved_exponent": 1}


class Node:
    # A step of a history: its class is named as the step is.
    __module__ = "torch.autograd.graph"
    _classes = {}

    @classmethod
    def named(cls, name, *args):
        made = Node._classes.get((cls, name))
        if made is None:
            made = Node._classes[cls, name] = type(name, (cls,), {"__module__": cls.home})
        return made(name, *args)

    def __eq__(self, other):
        return self is other or (isinstance(other, Node) and self._key() == other._key())

    def __hash__(self):
        return hash(self._key())


class _Fn(Node):
    # x.grad_fn
    home = "builtins"

    def __init__(self, name, tensor):
        self._name = name
        self._tensor = tensor

    def _key(self):
        step = _w.about(self._tensor, "step")
        return (self._name, step) if step else (self._name, _w.about(self._tensor, "address"))

    def name(self):
        return "torch::autograd::AccumulateGrad" if self._name == "AccumulateGrad" else self._name

    def __repr__(self):
        return f"<{self._name} object at 0x{id(self):x}>"

    def __getattr__(self, name):
        # What the step saved, by PyTorch's names for its operands and its result.
        at = _SAVED.get(name)
        x = self.__dict__.get("_tensor")
        if at is None or x is None:
            raise AttributeError(f"'{self._name}' object has no attribute '{name}'")
        try:
            v = _w.saved(x, at)
        except RuntimeError:
            raise RuntimeError(TWICE)
        if v is None:
            raise AttributeError(f"'{self._name}' object has no attribute '{name}'")
        return v

    def register_prehook(self, fn):
        return register_hook(self._tensor, lambda g: (fn((g,)) or (None,))[0])

    def register_hook(self, fn):
        x = self._tensor
        if self._name == "AccumulateGrad":
            return register_post_accumulate_grad_hook(x, lambda p: fn((), (p.grad,)))

        def told(g):
            xs = [y for y in _w.parents(x)]
            found = [conjugated(v) for v in _w.gradients([x], [conjugated(g)], xs, True, False, True)]
            if fn(tuple(found), (g,)) is not None:
                raise NotImplementedError(f"{self._name}.register_hook: a hook that gives other gradients; use a hook of the tensor")
        return register_hook(x, told)

    @property
    def variable(self):
        if self._name != "AccumulateGrad":
            raise AttributeError(f"'{self._name}' object has no attribute 'variable'")
        return _w.leaves([self._tensor])[0]

    @property
    def next_functions(self):
        before = [_before(x) for x in _operands(self._tensor)]
        op = _w.about(self._tensor, "op")
        if op == "cross_entropy":
            return ((_Within.named("LogSoftmaxBackward0", self._tensor, before), 0),)
        if op in ("linear", "addmm") and len(before) == 3:
            return ((before[2], 0), (before[0], 0), (_Within.named("TBackward0", self._tensor, before[1:2]), 0))
        if op in _OF_TARGETS and len(before) == 1:
            before.append(None)
        return tuple([(f, 0) for f in before])


class _Within(_Fn):
    # a step that is part of another one here
    def __init__(self, name, tensor, before):
        _Fn.__init__(self, name, tensor)
        self._list = before

    @property
    def next_functions(self):
        return tuple([(f, 0) for f in self._list])


def _before(x):
    return grad_fn(x) or _Fn.named("AccumulateGrad", x)


def _operands(x):
    # What the function that made x was called with: steps within it have no name.
    found = []
    for p in _w.parents(x):
        for q in [p] if _w.about(p, "leaf") or _w.about(p, "named") else _operands(p):
            if not any([_w.about(q, "step") == _w.about(r, "step") for r in found]):
                found.append(q)
    return found


def grad_fn(x):
    host = getattr(x, "_step", None)
    if host is not None and not _w.about(x, "op"):
        return host
    name = step_name(x)
    return None if name is None else _Fn.named(name, x)


# ---- backward

hooked = []  # of _Hooked
after_backward = []  # functions of the leaves that a backward pass has reached
within = [None]      # by which a module of several processes carries the pass out itself, if it says so
TWICE = ("Trying to backward through the graph a second time (or directly access saved tensors after they have "
         "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
         "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
         "you need to access saved tensors after calling backward.")


def conjugated(g):
    # PyTorch's gradients of complex tensors are conjugates of the engine's; a part that is 0 has no sign.
    return g if g is None or not g.dtype.is_complex else _w.complex(_w.real(g), _w.sub(0.0, _w.imag(g)))


def _first_gradients(ys, gys):
    out = []
    for i, (y, g) in enumerate(zip(ys, gys)):
        if not _w.about(y, "requires_grad"):
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if g is None:
            if y.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if y.dtype.is_complex:
                raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {y.dtype}")
            g = _w.ones_like(y)
        elif g.shape != y.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has "
                               f"a shape of {y.shape}.")
        out.append(conjugated(g if g.dtype == y.dtype else _w.cast(g, y.dtype)))
    return out


def _accumulate(leaf, g, create):
    mine = [e for e in hooked if _w.same(e.tensor, leaf)]
    for entry in mine:
        for hook in list(entry.hooks.values()):
            r = hook(conjugated(g))
            g = g if r is None else conjugated(r)
    _w.add_grad(leaf, g if create else _w.detach(g), create)
    for entry in mine:
        for hook in list(entry.after.values()):
            hook(entry.tensor)


def _plus(a, b):
    return b if a is None else a if b is None else a + b


class _Sums:
    # Gradients of tensors, added up as they come.
    def __init__(self, tensors):
        self.tensors, self.values = list(tensors), [None] * len(tensors)

    def add(self, x, g):
        for k, t in enumerate(self.tensors):
            if t is x or _w.same(t, x):
                self.values[k] = _plus(self.values[k], g)
                return
        self.tensors.append(x)
        self.values.append(g)


_passing = [None]    # the leaves that the backward pass which runs has reached, with those that it starts


class _Waiting:
    # A step of a script, or a value in between that has hooks, whose gradients come in.
    def __init__(self, outputs, step=None, entry=None):
        self.step, self.entry = step, entry
        self.grads, self.results = [None] * outputs, [None] * outputs

    def add(self, k, g, result):
        self.grads[k], self.results[k] = _plus(self.grads[k], g), result


def _staged(ys, gys, wanted, keep, create, reached=None):
    # wanted None: gradients go to the leaves, which reached is told. Steps of scripts and hooks are run last made first, each when its gradient is whole.
    sums = _Sums(wanted or [])
    hooked[:] = [e for e in hooked if e.tensor is not None]
    inner = [e for e in hooked if not _w.about(e.tensor, "leaf")]
    waiting, roots = {}, []     # by serial number
    changed = None              # whose own gradient is the one before its hooks
    was = _w.recording(create)
    try:
        while ys:
            roots += ys
            leaves = _w.leaves(ys) if wanted is None else wanted
            if reached is not None:
                reached += leaves
            steps = _w.hosts(ys)
            targets = leaves + [e.tensor for e in inner] + [s[1] for s in steps]
            gs = _w.gradients(ys, gys, targets, True, create, True) if targets else []
            n, m = len(leaves), len(inner)
            for x, g in zip(leaves, gs[:n]):
                if g is not None and not (changed is not None and _w.same(x, changed)):
                    sums.add(x, g)
            for e, g in zip(inner, gs[n:n + m]):
                if g is not None:
                    at = (_w.about(e.tensor, "serial"), id(e))
                    waiting.setdefault(at, _Waiting(1, entry=e)).add(0, g, None)
            for (record, result), g in zip(steps, gs[n + m:]):
                step, k = record
                if g is not None:
                    waiting.setdefault((step.serial, -1), _Waiting(step.outputs, step)).add(k, g, result)
            ys, changed = [], None
            while waiting and not ys:
                next_ = waiting.pop(max(waiting))
                if next_.entry is None:
                    ys, gys = next_.step.run(next_.grads, create, keep, next_.results)
                else:
                    inner.remove(next_.entry)
                    changed = next_.entry.tensor
                    ys, gys = _inner_hooks(next_.entry, next_.grads[0], keep)
    finally:
        _w.recording(was)
    if not keep and not create:
        _w.history_free(roots)
    if wanted is not None:
        return sums.values[:len(wanted)]
    for x, g in zip(sums.tensors, sums.values):
        _accumulate(x, g, create)


def _inner_hooks(entry, g, keep):
    # What the hooks of a value change goes on from there as a difference.
    x, new = entry.tensor, g
    for hook in list(entry.hooks.values()):
        r = hook(conjugated(new))
        new = new if r is None else conjugated(r)
    if entry.keep:
        x._kept = _plus(getattr(x, "_kept", None), _w.detach(new))
    if keep:
        entry.loosen()
    else:
        _forget(entry)
    return ([], []) if new is g else ([x], [new - g])


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    single = isinstance(tensors, _w.Tensor)
    ys = [tensors] if single else list(tensors)
    gys = [grad_tensors] if single or grad_tensors is None else list(grad_tensors)
    if len(gys) < len(ys):
        gys = gys + [None] * (len(ys) - len(gys))
    keep = create_graph if retain_graph is None else retain_graph
    gys = _first_gradients(ys, gys)
    reached = _w.leaves(ys) if after_backward or _passing[0] is not None else None
    if inputs is not None:
        reached = inputs = [inputs] if isinstance(inputs, _w.Tensor) else list(inputs)
        for x, g in zip(inputs, _staged(ys, gys, inputs, keep, create_graph)):
            if g is not None:
                _accumulate(x, g, create_graph)
    elif len(ys) == 1 and not hooked and not _w.hosts(ys):
        if not (len(after_backward) == 1 and not create_graph and within[0] and within[0](ys, gys, keep, reached)):
            _w.backward(ys[0], gys[0], keep, create_graph)
    else:
        reached = []
        outer, _passing[0] = _passing[0], reached
        try:
            _staged(ys, gys, None, keep, create_graph, reached)
        finally:
            _passing[0] = outer
    if _passing[0] is not None:    # a step of another pass runs this one
        _passing[0] += reached
        return
    for fn in list(after_backward):
        fn(reached)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    if not only_inputs:
        import warnings
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
                      "other parts of the graph, please use torch.autograd.backward.", FutureWarning)
    ys = [outputs] if isinstance(outputs, _w.Tensor) else list(outputs)
    xs = [inputs] if isinstance(inputs, _w.Tensor) else list(inputs)
    if grad_outputs is None:
        gys = [None] * len(ys)
    else:
        gys = [grad_outputs] if isinstance(grad_outputs, _w.Tensor) else list(grad_outputs)
    keep = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        rows = [grad(ys, xs, [g[i] for g in gys], True, create_graph, allow_unused=allow_unused)
                for i in range(gys[0].shape[0])]
        return tuple([_w.stack([r[k] for r in rows], 0) for k in range(len(xs))])
    gys = _first_gradients(ys, gys)
    for x in xs:
        if not _w.about(x, "requires_grad"):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    if hooked or _w.hosts(ys):
        out = _staged(ys, gys, xs, keep, create_graph)
    else:
        was = _w.recording(create_graph)
        try:
            out = _w.gradients(ys, gys, xs, keep, create_graph, True)
        finally:
            _w.recording(was)
    if None in [g if g is None else 0 for g in out]:
        if materialize_grads:
            out = [_w.zeros_like(x) if g is None else g for g, x in zip(out, xs)]
        elif not allow_unused:
            k = [g is None for g in out].index(True)
            raise RuntimeError(f"The differentiated Tensor at index {k} appears to not have been used in the graph. Set "
                               "allow_unused=True if this is the desired behavior.")
    return tuple([conjugated(g) for g in out])


# ---- hooks

class RemovableHandle:
    def __init__(self, hooks, number):
        self.hooks = hooks
        self.id = number

    def remove(self):
        if self.id in self.hooks:
            del self.hooks[self.id]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.remove()


_count = [-1]


def new_handle(hooks, hook):
    _count[0] += 1
    hooks[_count[0]] = hook
    return RemovableHandle(hooks, _count[0])


class _Hooked:
    # A tensor whose gradient is looked at: hooks, whether it is kept, hooks after that.
    def __init__(self, tensor):
        self.held, self.ref, self.hooks, self.keep, self.after = tensor, None, {}, False, {}

    @property
    def tensor(self):
        return self.held if self.ref is None else self.ref()

    def loosen(self):
        # after a pass that kept the history: as long as the script has the tensor
        self.ref = _weakref.ref(self.tensor)
        self.held = None


def _entry(x):
    for e in hooked:
        if e.tensor is not None and _w.same(e.tensor, x):
            return e
    e = _Hooked(x)
    hooked.append(e)
    return e


def _forget(entry):
    for k in range(len(hooked)):
        if hooked[k] is entry:
            hooked.pop(k)
            return


def register_hook(x, hook):
    if not _w.about(x, "requires_grad"):
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    return new_handle(_entry(x).hooks, hook)


def register_post_accumulate_grad_hook(x, hook):
    return new_handle(_entry(x).after, hook)


def retain_grad(x):
    if not _w.about(x, "leaf"):
        _entry(x).keep = True
