# torch.func -- functions of functions over tensors and trees of them: grad, vjp, jvp, vmap,
# Jacobians, and modules as functions of their parameters.
import _torch as _w
import _transform
import _tree


_READS = {
    "a traced tensor has no concrete value": "It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
    "Tensor, please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please "
    "file a bug report.",
    "the truth value of a traced tensor": "It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support "
    "that yet, please file an issue at https://github.com/pytorch/pytorch/issues .",
}


def _said(e):
    # What reads numbers inside vmap is told so in PyTorch's words, where it stands.
    for start, text in _READS.items():
        if str(e).startswith(start):
            e.args = ("vmap: " + text,)


class _Transforms(_transform.Transforms):
    writes = True
    mapping = 0         # open calls of vmap

    def __init__(self, w, sort):
        _transform.Transforms.__init__(self, w, sort)
        self.error = ValueError

    def is_float(self, x):
        return isinstance(x, _w.Tensor) and x.dtype.is_floating_point

    def check_argument(self, x, what):
        if what in ("grad", "jacrev", "jacfwd") and isinstance(x, _w.Tensor) and not x.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")

    def check_result(self, x, what):
        if isinstance(x, _w.Tensor) or what == "vmap":    # which looks at them itself
            return
        if what == "grad":
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(x)}")
        what = {"jacrev": "vjp(f, *primals)", "vjp": "vjp(f, *primals)"}.get(what, "jvp(f, primals, tangents)")
        raise RuntimeError(f"{what}: expected f(*primals) to return only tensors, got unsupported type {type(x)}")

    def check_scalar(self, run, what):
        y = run.y
        if not isinstance(y, _w.Tensor):
            raise RuntimeError(f"{what}_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(y)}")
        if len(y.shape) != 0:
            raise RuntimeError(f"{what}_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor "
                               f"with {len(y.shape)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")

    def mapped_size(self, leaves, axes, what):
        sizes = [x.shape[a] for x, a in zip(leaves, axes) if a is not None and -x.ndim <= a < x.ndim] if what == "vmap" else []
        if len(set(sizes)) > 1:
            raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                             f"{list(dict.fromkeys(sizes))} for the mapped dimension")
        return super().mapped_size(leaves, axes, what)

    def seen(self, xs):
        for x in xs if not self.forward else ():
            if not _w.about(x, "symbolic"):
                _w.lock(x, True)

    def bad_argnum(self, what, i, n):
        return RuntimeError(f"Got argnum={i}, but only {n} positional inputs")

    def bad_pair(self, what, y):
        return RuntimeError("grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True")

    def no_derivative(self, x):
        return _w.zeros_like(x) if isinstance(x, _w.Tensor) else None

    def match(self, spec, tree, what):
        raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                           f"to the function. cotangents: {_in_brackets(_tree.flatten(tree)[1])}, primal output: {_in_brackets(spec)}")

    def write(self, x, y, axis):
        # What a mapped function wrote into its argument x, mapped along axis: all slices of it are y.
        if axis is None and y.ndim > x.ndim:
            raise RuntimeError("vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
                               "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
                               "over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being "
                               "called inside the PyTorch framework, please file a bug report instead.")
        if y.ndim < x.ndim and axis is not None:
            y = _w.broadcast_to(y, (x.shape[axis],) + tuple(y.shape))
        y = y if axis is None else _w.move_axis(y, 0, axis)
        if y.shape != x.shape:
            raise NotImplementedError("vmap: a function that changes the shape of its argument in place")
        x.copy_(y)

    def mapped_result(self, y, what):
        raise ValueError(f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None")


def _in_brackets(spec):
    return "*" if spec == _tree.LEAF else "(" + ", ".join([_in_brackets(s) for s in spec[3]]) + ")"


kit = _Transforms(_w, False)


def _check_argnums(argnums):
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if argnums == ():
        raise RuntimeError("argnums must be non-empty")


def grad(func, argnums=0, has_aux=False):
    def call(*args, **kwargs):
        _check_argnums(argnums)
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
        for k, (y, g) in enumerate(zip(kit.flatten(got[0])[0], kit.flatten(cotangents)[0])):
            if not isinstance(g, _w.Tensor):
                raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
            if g.shape != y.shape:
                raise RuntimeError(f"Mismatch in shape: grad_output[{k}] has a shape of {g.shape} and output[{k}] has a shape of {y.shape}.")
        return pull(cotangents)

    return (got[0], vjp_fn, got[2]) if has_aux else (got[0], vjp_fn)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    if strict:
        raise NotImplementedError("jvp: strict=True")
    if not isinstance(primals, tuple):
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    xs, spec = _leaves(primals)
    ts, its = _leaves(tangents)
    if spec != its:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if "
                           "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
                           f"{spec} and tangents with structure {its}")
    for name, leaves in (("primals", xs), ("tangents", ts)):
        if not leaves:
            raise RuntimeError(f"jvp(f, primals, tangents): Expected {name} to contain at least one Tensor.")
        for x in leaves:
            if not isinstance(x, _w.Tensor):
                raise RuntimeError(f"jvp(f, primals, tangents): Expected {name} to only contain Tensors, got {type(x)}")
    for x, t in zip(xs, ts):
        if x.shape != t.shape:
            raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
                               f"supported. Tensor is of size {list(x.shape)} while the given forward gradient is of size {list(t.shape)}.")
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


def _leaves(tree):
    # As PyTorch sees a tree: None is a leaf, too.
    leaves, spec = _tree.flatten(tree, lambda x: x is None, False)
    return leaves, _shown(spec)


def _shown(spec, depth=1):
    if spec == _tree.LEAF:
        return "*"
    keys = list(spec[2]) if spec[0] == "dict" else None
    parts = (",\n" + "  " * depth).join([_shown(s, depth + 1) for s in spec[3]])
    return f"TreeSpec({spec[1].__name__}, {keys}, [{parts}])"


def _prefix(spec, dims, tree, text):
    # A number for each leaf; dims is a tree of them, or a prefix of one.
    try:
        return _tree.prefix(spec, dims)
    except (ValueError, KeyError, TypeError):
        pass
    ours, its = _leaves(dims)[1], _leaves(tree)[1]
    raise ValueError(text.format(ours, its))


def _axes(spec, in_dims, args, name):
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    dims = tuple(in_dims) if isinstance(in_dims, list) else in_dims
    if not isinstance(dims, (int, tuple)):
        raise ValueError(f"{start}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
                         f"{type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
                         "with no inputs. The latter is unsupported.")
    axes = _prefix(spec, (dims,) * len(args) if isinstance(dims, int) else dims, args, start.replace("{", "{{").replace("}", "}}") +
                   "in_dims is not compatible with the structure of `inputs`. in_dims has structure {} but inputs has structure {}.")
    for x, a in zip(kit.flatten(args)[0], axes):
        if a is None:
            continue
        if not isinstance(a, int):
            raise ValueError(f"{start}Got in_dim={a} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(x, _w.Tensor):
            raise ValueError(f"{start}Got in_dim={a} for an input but the input is of type {type(x)}. We cannot vmap over non-Tensor "
                             "arguments, please use None as the respective in_dim")
        if not -x.ndim <= a < x.ndim:
            raise ValueError(f"{start}Got in_dim={a} for some input, but that input is a Tensor of dimensionality {x.ndim} so expected in_dim "
                             f"to satisfy -{x.ndim} <= in_dim < {x.ndim}.")
    if all([a is None for a in axes]):
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    return axes


def _checked(func, out_dims, name):
    # func, whose results must be tensors, each with its place in out_dims.
    def call(*args, **kwargs):
        out = func(*args, **kwargs)
        leaves, spec = kit.flatten(out)
        to = _prefix(spec, out_dims, out, f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
                     "of `outputs`. out_dims has structure {} but outputs has structure {}.")
        for x in _leaves(out)[0] if out_dims is not None else []:
            if not isinstance(x, _w.Tensor) and not (len(to) == len(leaves) and any([x is y and a is None for y, a in zip(leaves, to)])):
                raise ValueError(f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(x)}. Did you mean to set out_dims= "
                                 "to None for output?")
        return out
    return call


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")

    def call(*args, **kwargs):
        name = getattr(func, "__name__", repr(func))
        axes = _axes(kit.flatten(args)[1], in_dims, args, name)
        extra = kit.flatten(kwargs)[0]
        axes = axes + [0 if isinstance(x, _w.Tensor) and len(x.shape) else None for x in extra]
        checked, kit.name = _checked(func, out_dims, name), name
        if randomness == "different":
            return _one_by_one(checked, args, kwargs, axes, out_dims)
        kit.mapping += 1
        try:
            return kit.vmap_call(checked, args, kwargs, axes, out_dims)
        except RuntimeError as e:
            _said(e)
            raise
        finally:
            kit.mapping -= 1
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
        inner = module._modules.get(part)
        if inner is None:
            raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
        module = inner
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
    elif not isinstance(parameter_and_buffer_dicts, (list, tuple)):
        raise ValueError("Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
                         f"{type(parameter_and_buffer_dicts)}")
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
        wrong = [("Unexpected", [k for k in tensors if k not in have]), ("Missing", [k for k in have if k not in tensors])]
        lines = [f"\t{what} key(s): {', '.join([repr(k) for k in sorted(keys)])}." for what, keys in wrong if keys]
        if lines:
            raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n" + "\n".join(lines))
    with _Swapped(module, tensors, strict):
        return module(*args, **(kwargs or {}))


def stack_module_state(models):
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    kind = type(models[0])
    for m in models:
        if type(m) is not kind:
            raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    if any([m.training != models[0].training for m in models]):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")

    import torch

    def stacked(named, requires):
        rows = [dict(named(m)) for m in models]
        out = {}
        for k in rows[0]:
            if any([r[k].requires_grad != rows[0][k].requires_grad for r in rows]):
                raise RuntimeError(f"Expected {k} from each model to have the same .requires_grad")
            x = torch.stack([r[k] for r in rows]).detach()
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
