# torch.autograd.forward_ad -- tensors with tangents. A dual tensor is one whose history is recorded; the tangent of what was
# computed of it is (u -> J'u)' t, the derivative of its gradient by the weight u of the gradient, which is linear in it.
from collections import namedtuple as _namedtuple

import _torch as _w
from torch._grad import grad as _grad, enable_grad as _enable_grad

UnpackedDualTensor = _namedtuple("UnpackedDualTensor", ["primal", "tangent"])
_levels = []        # of each level: [(the dual tensor, its tangent)]


def enter_dual_level():
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _levels.append([])
    return 0


def exit_dual_level(*, level=None):
    if not _levels or (level is not None and level != len(_levels) - 1):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not supported.")
    _levels.pop()


class dual_level:
    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, kind, value, trace):
        exit_dual_level()
        return False


def make_dual(tensor, tangent, *, level=None):
    if not _levels or (level is not None and level != len(_levels) - 1):
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() "
                           "first.")
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if tangent.shape != tensor.shape:
        raise RuntimeError(f"Expected tangent to have the same size as primal: {tuple(tensor.shape)} and {tuple(tangent.shape)}")
    with _enable_grad():
        dual = tensor.clone() if tensor.requires_grad else _w.wrap(tensor.detach()).requires_grad_()
    _levels[-1].append((dual, tangent))
    return dual


def unpack_dual(tensor, *, level=None):
    if level is not None and level >= len(_levels):
        raise RuntimeError(f"there is no level {level}")
    pairs = _levels[-1] if _levels else []
    for dual, tangent in pairs:
        if dual is tensor or _w.same(dual, tensor):
            return UnpackedDualTensor(tensor.detach(), tangent)
    if not pairs or not tensor.requires_grad:
        return UnpackedDualTensor(tensor, None)
    with _enable_grad():
        u = _w.wrap(_w.zeros_like(tensor.detach())).requires_grad_()
        gs = _grad(tensor, [d for d, _ in pairs], u, create_graph=True, allow_unused=True)
        used = [(g, t) for g, (_, t) in zip(gs, pairs) if g is not None]
        if not used:
            return UnpackedDualTensor(tensor.detach(), None)
        linear = [(g, t) for g, t in used if g.requires_grad]
        if not linear:
            return UnpackedDualTensor(tensor.detach(), _w.zeros_like(tensor.detach()))
        t = _grad([g for g, _ in linear], u, [t.to(g.dtype) for g, t in linear], allow_unused=True)[0]
    return UnpackedDualTensor(tensor.detach(), _w.zeros_like(u.detach()) if t is None else t.detach())


def applied(cls, ctx, args):
    # A Function with a jvp of its own, of dual tensors: its results are new dual tensors. None where no argument is one.
    if not _levels or not _levels[-1]:
        return None
    parts = [unpack_dual(a) if isinstance(a, _w.Tensor) and a.requires_grad else None for a in args]
    if not any([p is not None and p.tangent is not None for p in parts]):
        return None
    was = _w.recording(False)
    try:
        out = cls._call(ctx, [a if p is None else p.primal for a, p in zip(args, parts)])
        tangents = cls.jvp(ctx, *[None if p is None else p.tangent for p in parts])
    finally:
        _w.recording(was)
    many = isinstance(out, (tuple, list))
    outs, tangents = (list(out), list(tangents)) if many else ([out], [tangents])
    outs = [o if t is None else make_dual(o.detach(), t) for o, t in zip(outs, tangents)]
    return tuple(outs) if many else outs[0]
