# torch.func -- functions of functions over tensors and trees of them: grad, vjp, jvp, vmap,
# Jacobians, and modules as functions of their parameters.
import _torch as _w
import _transform
import _tree


class _Transforms(_transform.Transforms):
    def __init__(self, w, sort):
        _transform.Transforms.__init__(self, w, sort)
        self.error = ValueError

    def is_float(self, x):
        return isinstance(x, _w.Tensor) and x.dtype.is_floating_point

    def check_argument(self, x, what):
        if what in ("grad", "jacrev", "jacfwd") and isinstance(x, _w.Tensor) and not x.dtype.is_floating_point:
            raise RuntimeError(f"{what}: only Tensors of floating point dtype can require gradients, got {x.dtype}")

    def check_result(self, x, what):
        if isinstance(x, _w.Tensor):
            return
        if what == "vmap":
            raise ValueError(f"vmap(f, ...): `f` must only return Tensors, got type {type(x)}.")
        raise RuntimeError(f"{what}(f, ...): Expected f to return Tensors, got {type(x).__name__}")

    def check_scalar(self, run, what):
        y = run.y
        if not isinstance(y, _w.Tensor):
            raise RuntimeError(f"{what}_and_value(f)(*args): Expected f(*args) to return a tensor, got "
                               f"{type(y).__name__}")
        if len(y.shape) != 0:
            raise RuntimeError(f"{what}_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor "
                               f"with {len(y.shape)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")

    def mapped_size(self, leaves, axes, what):
        sizes = [x.shape[a] for x, a in zip(leaves, axes) if a is not None and -x.ndim <= a < x.ndim] if what == "vmap" else []
        if len(set(sizes)) > 1:
            raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                             f"{list(dict.fromkeys(sizes))} for the mapped dimension")
        return super().mapped_size(leaves, axes, what)

    def no_derivative(self, x):
        return _w.zeros_like(x) if isinstance(x, _w.Tensor) else None

    def match(self, spec, tree, what):
        raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                           "to the function.")


kit = _Transforms(_w, False)


def grad(func, argnums=0, has_aux=False):
    def call(*args, **kwargs):
        g, run = kit.grads_and_run(func, args, kwargs, argnums, has_aux, "grad")
        return (g, run.aux) if has_aux else g
    return call


def grad_and_value(func, argnums=0, has_aux=False):
    def call(*args, **kwargs):
        g, run = kit.grads_and_run(func, args, kwargs, argnums, has_aux, "grad")
        return (g, (run.y, run.aux)) if has_aux else (g, run.y)
    return call


def vjp(func, *primals, has_aux=False):
    got = kit.vjp(func, primals, has_aux)
    pull = got[1]

    def vjp_fn(cotangents, retain_graph=True, create_graph=None):
        return pull(cotangents)

    return (got[0], vjp_fn, got[2]) if has_aux else (got[0], vjp_fn)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    if strict:
        raise NotImplementedError("jvp: strict=True")
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to be tuples. E.g. it should be "
                           "valid to call f(*primals).")
    if len(primals) == 0:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to be a non-empty tuple")
    return kit.jvp(func, primals, tangents, has_aux)


def linearize(func, *primals):
    return kit.linearize(func, primals)


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    return kit.jacrev(func, argnums, has_aux)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if randomness == "different":
        raise NotImplementedError(f"jacfwd: randomness={randomness!r}")
    call = kit.jacfwd(func, argnums, has_aux)
    return _no_draws(call) if randomness == "error" else call


def hessian(func, argnums=0):
    return _no_draws(kit.hessian(func, argnums))


# ---- vmap


def _no_draws(call):
    # call, in which random numbers are errors: vmap was not told whether samples share them.
    def guarded(*args, **kwargs):
        refused = _w.refuse_random(True, True)
        try:
            return call(*args, **kwargs)
        except RuntimeError:
            _w.refuse_random(False, True)
            if _w.refuse_random(True, True) != refused:
                raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the "
                                   "'same' or 'different' randomness flags on vmap or perform the randomness operation "
                                   "out of vmap") from None
            raise
        finally:
            _w.refuse_random(False, True)
    return guarded


def _axes(spec, in_dims, n):
    if isinstance(in_dims, int):
        in_dims = (in_dims,) * n
    if isinstance(in_dims, list):
        in_dims = tuple(in_dims)
    if in_dims is None or not isinstance(in_dims, tuple):
        raise ValueError("vmap(f, in_dims=...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
                         f"tuple matching the structure of inputs, got: {type(in_dims)}.")
    if len(in_dims) != n:
        raise ValueError("vmap(f, in_dims=...)(<inputs>): in_dims is not compatible with the structure of inputs: "
                         f"in_dims has {len(in_dims)} entries but there are {n} inputs")
    return _tree.prefix(spec, in_dims)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")

    def call(*args, **kwargs):
        spec = kit.flatten(args)[1]
        axes = _axes(spec, in_dims, len(args))
        extra, kw_spec = kit.flatten(kwargs)
        axes = axes + [0 if isinstance(x, _w.Tensor) and len(x.shape) else None for x in extra]
        leaves = kit.flatten(args)[0]
        for x, a in zip(leaves, axes):
            if a is not None and not isinstance(x, _w.Tensor):
                raise ValueError(f"vmap(f, in_dims={in_dims}, ...)(<inputs>): Got in_dim={a} for an input but the input "
                                 f"is of type {type(x)}. We cannot vmap over non-Tensor arguments, please use None as "
                                 "the respective in_dim")
        if randomness == "different":
            return _one_by_one(func, args, kwargs, axes, out_dims)
        return kit.vmap_call(func, args, kwargs, axes, out_dims)
    return _no_draws(call) if randomness == "error" else call


def _one_by_one(func, args, kwargs, axes, out_dims):
    # Every sample draws its own numbers: run sample after sample.
    leaves, spec = kit.flatten((args, kwargs))
    n = kit.mapped_size(leaves, axes, "vmap")
    rows = []
    for i in range(n):
        here = [x if a is None else _w.squeeze(_w.narrow(x, a, i, 1), a) for x, a in zip(leaves, axes)]
        a, k = _tree.unflatten(spec, here)
        ys, out = kit.flatten(func(*a, **k))
        rows.append(ys)
    to = _tree.prefix(out, out_dims)
    return _tree.unflatten(out, [_w.stack([r[j] for r in rows], to[j] or 0) for j in range(len(to))])


# ---- modules


def _holder(module, name):
    # The dict that holds a parameter or buffer, and its name there.
    path = name.split(".")
    for part in path[:-1]:
        module = module._modules.get(part)
        if module is None:
            return None, None
    for held in (module._parameters, module._buffers):
        if path[-1] in held:
            return held, path[-1]
    return None, None


class _Swapped:
    # The module with other tensors in place of its own, for a while.
    def __init__(self, module, tensors, strict):
        self.module, self.tensors, self.strict = module, tensors, strict

    def __enter__(self):
        self.old = []
        for name, value in self.tensors.items():
            held, last = _holder(self.module, name)
            if held is None:
                continue   # no such tensor: nothing to stand in for
            self.old.append((held, last, held[last]))
            held[last] = value

    def __exit__(self, kind, value, trace):
        for held, last, old in self.old[::-1]:
            held[last] = old
        self.old = []
        return False


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    if not tie_weights:
        raise NotImplementedError("functional_call: tie_weights=False")
    if isinstance(parameter_and_buffer_dicts, dict):
        tensors = parameter_and_buffer_dicts
    else:
        tensors = {}
        for d in parameter_and_buffer_dicts:
            for k in d:
                if k in tensors:
                    raise ValueError(f"[{k!r}] appeared in multiple dictionaries; behavior of functional call is "
                                     "ambiguous")
            tensors.update(d)
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    if strict:
        have = [k for k, _ in module.named_parameters()] + [k for k, _ in module.named_buffers()]
        missing = [k for k in have if k not in tensors]
        extra = [k for k in tensors if k not in have]
        if missing or extra:
            raise RuntimeError(f"Missing key(s): {missing}. Unexpected key(s): {extra}.")
    with _Swapped(module, tensors, strict):
        return module(*args, **(kwargs or {}))


def stack_module_state(models):
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    kind = type(models[0])
    for m in models:
        if type(m) is not kind:
            raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(named, requires):
        rows = [dict(named(m)) for m in models]
        out = {}
        for k in rows[0]:
            x = _w.detach(_w.stack([r[k] for r in rows], 0))
            out[k] = _w.requires_grad(x, True) if requires and rows[0][k].requires_grad else x
        return out

    return (stacked(lambda m: m.named_parameters(), True), stacked(lambda m: m.named_buffers(), False))


def functionalize(func, *, remove="mutations"):
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
                           "     remove='mutations'\n     remove='mutations_and_views'")
    return func


def debug_unwrap(tensor, *, recurse=True):
    return tensor


def replace_all_batch_norm_modules_(root):
    # norms that keep no running numbers, so that they can be mapped over
    import torch
    if isinstance(root, torch.nn.modules.norm._BatchNorm):
        raise NotImplementedError("replace_all_batch_norm_modules_ of a norm itself")
    for m in root.modules():
        if isinstance(m, torch.nn.modules.norm._BatchNorm):
            m.running_mean = m.running_var = m.num_batches_tracked = None
            m.track_running_stats = False
    return root
