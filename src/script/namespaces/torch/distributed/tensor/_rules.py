# torch.distributed.tensor._rules -- what processes do on their parts of DTensors, and how they exchange them.
#
# A rule gives the placements that operands are brought to, and those of the result. Gradients are those of parts: of a part where
# the value is divided, and the whole one, the same everywhere, where it is a copy or a part of a sum; so that every exchange has
# one that takes gradients back, and a copy of which each process computes a part of the result (`shared`) adds them up. Parts along an axis of length n are of
# ceil(n / processes) elements, the last ones fewer, as torch.chunk has them.
import torch
import torch.distributed as dist
from torch.autograd.function import Function
from torch.distributed.tensor.placement_types import Partial, Replicate, Shard

_unary = set("""abs neg exp expm1 log log1p sin cos tan tanh sigmoid relu sqrt rsqrt square floor ceil round sign reciprocal erf clone
    detach contiguous isnan isfinite logical_not pow clamp to float double long half bfloat16 type""".split())
_linear = {"neg", "clone", "detach", "contiguous"}      # of a sum: the sum of the parts' own
_binary = set("add sub mul div gt ge lt le eq ne maximum minimum pow fmod remainder logical_and logical_or".split())
_reductions = {"sum": "sum", "mean": "avg", "max": "max", "min": "min", "amax": "max", "amin": "min"}
_aten = {"matmul": "mm"}


# ---- exchanges


class _Exchange(Function):
    # there(x); gradients go the way `back`.
    @staticmethod
    def forward(ctx, x, there, back):
        ctx.back = back
        made = there(x)
        return x.detach() if made is x else made

    @staticmethod
    def backward(ctx, g):
        return ctx.back(g), None, None


def _moved(x, there, back):
    return _Exchange.apply(x, there, back) if x.requires_grad and torch.is_grad_enabled() else there(x)


def _same(x):
    return x


def _refused(how):
    def back(g):
        raise NotImplementedError(f"DTensor.redistribute: the gradient of Partial({how})")
    return back


def shared(x, mesh, axes):
    # x, of whose gradient every process along these axes of the mesh has a part.
    def back(g):
        for k in axes:
            g = _summed(g, "sum", mesh, k)
        return g
    return _moved(x, _same, back) if axes else x


def _bounds(n, parts, k):
    step = -(-n // parts)
    return min(k * step, n), min(k * step + step, n)


def _own(x, dim, mesh, k):
    at, end = _bounds(x.shape[dim], mesh.size(k), mesh.get_coordinate()[k])
    return x.narrow(dim, at, end - at).contiguous()


def _gathered(x, dim, n, mesh, k):
    # The parts along dim, of n elements in all; parts travel filled up to one size.
    parts, group = mesh.size(k), mesh.get_group(k)
    step = -(-n // parts)
    shape = list(x.shape)
    shape[dim] = step - x.shape[dim]
    filled = torch.cat([x, torch.zeros(shape, dtype=x.dtype)], dim) if shape[dim] else x.contiguous()
    got = [torch.empty_like(filled) for _ in range(parts)]
    dist.all_gather(got, filled, group=group)
    cut = [_bounds(n, parts, i) for i in range(parts)]
    return torch.cat([g.narrow(dim, 0, end - at) for g, (at, end) in zip(got, cut)], dim)


def _summed(x, how, mesh, k):
    ops = {"sum": dist.ReduceOp.SUM, "avg": dist.ReduceOp.SUM, "max": dist.ReduceOp.MAX, "min": dist.ReduceOp.MIN,
           "product": dist.ReduceOp.PRODUCT}
    x = x.clone()
    dist.all_reduce(x, op=ops[how], group=mesh.get_group(k))
    return x / mesh.size(k) if how == "avg" else x


def _whole_along(x, dim, n, mesh, k):
    return _moved(x, lambda v: _gathered(v, dim, n, mesh, k), lambda g: _own(g, dim, mesh, k))


def _part_along(x, dim, mesh, k):
    n = x.shape[dim]
    return _moved(x, lambda v: _own(v, dim, mesh, k), lambda g: _gathered(g, dim, n, mesh, k))


def _sum_along(x, how, mesh, k):
    back = _same if how == "sum" else (lambda g: g / mesh.size(k)) if how == "avg" else _refused(how)
    return _moved(x, lambda v: _summed(v, how, mesh, k), back)


def _as_sum(x, p, mesh, k):
    if p.reduce_op not in ("sum", "avg"):
        raise NotImplementedError(f"DTensor.redistribute: to {p!r}")
    if p.reduce_op == "avg":
        return _moved(x, _same, lambda g: g * mesh.size(k))
    return _moved(x, lambda v: v if mesh.get_coordinate()[k] == 0 else torch.zeros_like(v), _same)


def redistributed(x, placements):
    # Axes of the mesh that change are made whole from the last to the first, and divided from the first to the last.
    mesh, local = x.device_mesh, x._local_tensor
    change = [k for k in range(mesh.ndim) if x.placements[k] != placements[k]]
    if not change:
        return x
    now = list(x.placements)
    divided = [p.dim for p in list(now) + list(placements) if isinstance(p, Shard)]
    first = min(change)
    # an axis of the tensor that several axes of the mesh divide: all of them from the first that changes on
    redo = change if len(set(divided)) == len(divided) or mesh.ndim == 1 else range(first, mesh.ndim)
    for k in reversed(list(redo)):
        p = now[k]
        if isinstance(p, Shard):
            local = _whole_along(local, p.dim, _length(x, now, p.dim, k), mesh, k)
        elif isinstance(p, Partial) and p != placements[k]:
            local = _sum_along(local, p.reduce_op, mesh, k)
        now[k] = p if isinstance(p, Partial) and p == placements[k] else Replicate()
    for k in redo:
        p = placements[k]
        if isinstance(p, Shard):
            local = _part_along(local, p.dim, mesh, k)
        elif isinstance(p, Partial) and now[k] != p:
            local = _as_sum(local, p, mesh, k)
        now[k] = p
    return DTensor(local, mesh, placements, x.shape)


def _length(x, now, dim, k):
    # Of what the processes along axis k of the mesh have together: axes before it have divided it already.
    n = x.shape[dim]
    for j in range(k):
        if isinstance(now[j], Shard) and now[j].dim == dim:
            at, end = _bounds(n, x.device_mesh.size(j), x.device_mesh.get_coordinate()[j])
            n = end - at
    return n


# ---- calls


def of_gradients(placements):
    return tuple([Replicate() if isinstance(p, Partial) else p for p in placements])


def _no_partial(x):
    return redistributed(x, of_gradients(x.placements))


def whole(name, args, kwargs):
    # Every process does all of it.
    mesh = [a for a in _flat(args) if isinstance(a, DTensor)][0].device_mesh
    made = _method(name)(*[_full(a) for a in args], **{k: _full(v) for k, v in kwargs.items()})
    return _wrapped(made, mesh)


def _flat(args):
    return [v for a in args for v in (a if isinstance(a, (list, tuple)) else [a])]


def _full(a):
    if isinstance(a, DTensor):
        return a.full_tensor()
    return type(a)([_full(v) for v in a]) if isinstance(a, (list, tuple)) and any([isinstance(v, DTensor) for v in a]) else a


def _wrapped(made, mesh):
    if isinstance(made, torch.Tensor):
        return DTensor(made, mesh, [Replicate()] * mesh.ndim, made.shape)
    if isinstance(made, (list, tuple)) and any([isinstance(v, torch.Tensor) for v in made]):
        return tuple([_wrapped(v, mesh) for v in made])
    return made


def _method(name):
    return originals.get(name) or getattr(torch.Tensor, name)


def call(name, args, kwargs):
    tensors = [a for a in _flat(args) if isinstance(a, (DTensor, torch.Tensor))]
    if any([isinstance(a, torch.Tensor) and a.ndim for a in tensors]):
        raise RuntimeError(f"aten.{_aten.get(name, name)}.{'Tensor' if name in _binary else 'default'} got mixed torch.Tensor and DTensor, need to "
                           "convert all torch.Tensor to DTensor before calling distributed operators!")
    for a in tensors[1:]:
        if isinstance(a, DTensor) and a.device_mesh != tensors[0].device_mesh:
            raise NotImplementedError(f"{name}: DTensors on different meshes")
    if name.endswith("_") and not name.endswith("__"):
        raise NotImplementedError(f"DTensor.{name}: writes into DTensors are not there")
    made = None
    if len(tensors) == 1 and isinstance(args[0], DTensor):
        made = _of_one(name, args, kwargs)
    elif len(args) == 2 and len(tensors) == 2:
        made = _of_two(name, args[0], args[1], kwargs)
    return whole(name, args, kwargs) if made is None else made


def _local(name, x, args, kwargs, placements, shape=None):
    made = _method(name)(x._local_tensor, *args, **kwargs)
    return DTensor(made, x.device_mesh, placements, x.shape if shape is None else shape)


def _of_one(name, args, kwargs):
    x, rest = args[0], args[1:]
    if name in _unary or (name in _binary and len(rest) == 1) or (name in ("mul", "div") and not rest):
        keep = name in _linear or (name in ("mul", "div") and all([p.is_partial("sum") or not p.is_partial() for p in x.placements]))
        x = x if keep else _no_partial(x)
        return _local(name, x, rest, kwargs, x.placements)
    if name in _reductions:
        return _reduced(name, x, rest, kwargs)
    if name in ("softmax", "log_softmax", "cumsum"):
        dim = (rest[0] if rest else kwargs["dim"]) % x.ndim
        x = _no_partial(x)
        if not any([p.is_shard(dim) for p in x.placements]):
            return _local(name, x, rest, kwargs, x.placements)
        return None
    if name in ("t", "transpose"):
        a, b = (0, 1) if name == "t" else [d % x.ndim for d in rest]
        if x.ndim < 2:
            return _local(name, x, rest, kwargs, x.placements)
        swap = {a: b, b: a}
        shape = list(x.shape)
        shape[a], shape[b] = shape[b], shape[a]
        return _local(name, x, rest, kwargs, [Shard(swap.get(p.dim, p.dim)) if isinstance(p, Shard) else p for p in x.placements], shape)
    return None


def _parts(x, dim):
    n = 1
    for k, p in enumerate(x.placements):
        n *= x.device_mesh.size(k) if p.is_shard(dim) else 1
    return n


def _reduced(name, x, rest, kwargs):
    if len(rest) + len(kwargs) > 2 or (name in ("max", "min") and (rest or kwargs)) or set(kwargs) - {"dim", "keepdim"}:
        return None
    dims = rest[0] if rest else kwargs.get("dim")
    keep = rest[1] if len(rest) > 1 else kwargs.get("keepdim", False)
    if isinstance(dims, torch.dtype):
        return None
    dims = list(range(x.ndim)) if dims is None else [d % x.ndim for d in ([dims] if isinstance(dims, int) else dims)]
    how, op = [], _reductions[name]
    if any([p.is_partial() and not (p.is_partial("sum") and name == "sum") for p in x.placements]):
        x = _no_partial(x)
    for p in x.placements:
        if not isinstance(p, Shard):
            how.append(p)
        elif p.dim in dims:
            if op != "sum" and x.shape[p.dim] % _parts(x, p.dim):
                return None    # parts of different sizes
            how.append(Partial(op))
        else:
            how.append(Shard(p.dim if keep else p.dim - len([d for d in dims if d < p.dim])))
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keep or d not in dims]
    return _local(name, x, rest, kwargs, how, shape)


def _of_two(name, x, y, kwargs):
    if not isinstance(x, DTensor) or not isinstance(y, DTensor):    # a scalar tensor
        return None
    if name in ("matmul", "mm") and x.ndim == 2 and y.ndim == 2:
        return _product(x, y)
    if name not in _binary or x.shape != y.shape:
        return None
    x, y = [a if name in ("add", "sub") and x.placements == y.placements and not kwargs else _no_partial(a) for a in (x, y)]
    to = [p if isinstance(p, Shard) else q if isinstance(q, Shard) else p for p, q in zip(x.placements, y.placements)]
    x, y = redistributed(x, tuple(to)), redistributed(y, tuple(to))
    made = _method(name)(x._local_tensor, y._local_tensor, **kwargs)
    return DTensor(made, x.device_mesh, to, x.shape)


def _product(x, y):
    x, y = _no_partial(x), _no_partial(y)
    left, right, how = [], [], []
    for p, q in zip(x.placements, y.placements):
        if p.is_shard(1) or q.is_shard(0):        # parts of the sum
            p, q, r = Shard(1), Shard(0), Partial()
        elif p.is_shard(0):
            q, r = Replicate(), Shard(0)
        elif q.is_shard(1):
            r = Shard(1)
        else:
            r = Replicate()
        left.append(p)
        right.append(q)
        how.append(r)
    x, y = redistributed(x, tuple(left)), redistributed(y, tuple(right))
    divided = [k for k, p in enumerate(how) if isinstance(p, Shard)]
    a = shared(x._local_tensor, x.device_mesh, [k for k in divided if left[k].is_replicate()])
    b = shared(y._local_tensor, x.device_mesh, [k for k in divided if right[k].is_replicate()])
    return DTensor(a @ b, x.device_mesh, how, (x.shape[0], y.shape[1]))


# ---- functions of torch take DTensors once this module is there


originals = {}
_functions = sorted(_unary | _binary | set(_reductions) | {"matmul", "mm", "softmax", "log_softmax", "cumsum", "t", "transpose", "cat",
                                                           "stack", "where", "allclose", "equal"})


def _taking(name, plain):
    def f(*args, **kwargs):
        if any([isinstance(a, DTensor) for a in _flat(args)]):
            return call(name, list(args), kwargs)
        return plain(*args, **kwargs)
    f.__name__ = name
    return f


def take_part():
    for name in _functions:
        plain = getattr(torch, name, None)
        if plain is not None and not isinstance(plain, type):
            originals[name] = plain
            setattr(torch, name, _taking(name, plain))
