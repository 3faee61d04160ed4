# torch.autograd.functional -- Jacobians, Hessians and products with them.
import _torch as _w
from torch import _grad


def _not_strict(strict):
    if strict:
        raise NotImplementedError("torch.autograd.functional: strict=True")


def _prepared(inputs):
    single = isinstance(inputs, _w.Tensor)
    xs = [inputs] if single else list(inputs)
    return single, [x.view_as(x) if x.requires_grad else _w.copy(_w.detach(x)).requires_grad_() for x in xs]


def _called(func, xs):
    with _grad.enable_grad():
        out = func(*xs)
    single = isinstance(out, _w.Tensor)
    return single, [out] if single else list(out)


def _done(values, create_graph):
    return values if create_graph else [_w.detach(v) for v in values]


def _gradients(ys, xs, gys, create):
    gs = _grad.grad(ys, xs, gys, retain_graph=True, create_graph=create, allow_unused=True)
    return [_w.zeros_like(x) if g is None else g for g, x in zip(gs, xs)]


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    _strategy(strategy, vectorize)
    _not_strict(strict)
    single_in, xs = _prepared(inputs)
    single_out, ys = _called(func, xs)
    out = []
    for y in ys:
        n = y.numel()
        flat = _w.reshape(y, (-1,))
        rows = []
        for i in range(n):
            if flat.requires_grad:
                rows.append(_gradients([flat[i]], xs, [_w.full((), 1, y.dtype)], create_graph))
            else:
                rows.append([_w.zeros_like(x) for x in xs])
        parts = []
        for k, x in enumerate(xs):
            shape = tuple(y.shape) + tuple(x.shape)
            parts.append(_w.reshape(_w.stack([r[k] for r in rows], 0), shape))
        out.append(tuple(_done(parts, create_graph)))
    if single_in:
        out = [o[0] for o in out]
    return out[0] if single_out else tuple(out)


def _strategy(name, vectorize):
    # both give the same numbers
    if name not in ("reverse-mode", "forward-mode"):
        raise RuntimeError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
                           'than inputs, "forward-mode" tends to be more performant.')
    if name == "forward-mode" and not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for `vectorize=True`.")


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    _strategy(outer_jacobian_strategy, vectorize)
    _not_strict(strict)
    single = isinstance(inputs, _w.Tensor)
    xs = (inputs,) if single else tuple(inputs)

    def gradient(*xs):
        y = func(*xs)
        if y.numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        gs = _grad.grad(y.reshape(()), xs, create_graph=True, allow_unused=True)
        return tuple([_w.zeros_like(x) if g is None else g for g, x in zip(gs, xs)])

    out = jacobian(gradient, xs, create_graph)
    return out[0][0] if single else out


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    _not_strict(strict)
    single_in, xs = _prepared(inputs)
    single_out, ys = _called(func, xs)
    gys = [_w.ones_like(y) for y in ys] if v is None else [v] if isinstance(v, _w.Tensor) else list(v)
    gs = _done(_gradients(ys, xs, gys, create_graph), create_graph)
    ys = _done(ys, create_graph)
    return ys[0] if single_out else tuple(ys), gs[0] if single_in else tuple(gs)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    _not_strict(strict)
    # By two backward passes: the product is linear in the cotangent of the first.
    single_in, xs = _prepared(inputs)
    single_out, ys = _called(func, xs)
    vs = [_w.ones_like(x) for x in xs] if v is None else [v] if isinstance(v, _w.Tensor) else list(v)
    us = [_w.zeros_like(y).requires_grad_() for y in ys]
    gs = _gradients(ys, xs, us, True)
    tangents = _gradients(gs, us, vs, create_graph)
    tangents, ys = _done(tangents, create_graph), _done(ys, create_graph)
    return ys[0] if single_out else tuple(ys), tangents[0] if single_out else tuple(tangents)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    _not_strict(strict)
    single, xs = _prepared(inputs)
    _, ys = _called(func, xs)
    vs = [_w.ones_like(x) for x in xs] if v is None else [v] if isinstance(v, _w.Tensor) else list(v)
    gs = _gradients(ys, xs, [_w.ones_like(y) for y in ys], True)
    hs = _done(_gradients(gs, xs, vs, create_graph), create_graph)
    return _done(ys, create_graph)[0], hs[0] if single else tuple(hs)


vhp = hvp
