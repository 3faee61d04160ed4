# torch.autograd._gradcheck -- derivatives against central differences.
import _torch as _w
from torch import _grad


class GradcheckError(RuntimeError):
    pass


def _results(func, inputs):
    out = func(*inputs)
    out = out if isinstance(out, (tuple, list)) else (out,)
    return [y for y in out if isinstance(y, _w.Tensor) and y.dtype.is_floating_point]


def _numerical(func, inputs, k, eps):
    # d result / d inputs[k]: for each result a matrix [elements of the input, of the result]
    x = _w.copy(_w.detach(inputs[k]))
    flat = _w.reshape(x, (-1,))
    rows = []
    for i in range(flat.shape[0]):
        values = []
        for sign in (1, -1):
            moved = _w.index_add(flat, i, _w.full((), sign * eps, flat.dtype))
            args = list(inputs)
            args[k] = _w.reshape(moved, x.shape)
            with _grad.no_grad():
                values.append([_w.reshape(y, (-1,)) for y in _results(func, args)])
        rows.append([(a - b) / (2 * eps) for a, b in zip(values[0], values[1])])
    return [_w.stack([r[j] for r in rows], 0) for j in range(len(rows[0]))]


def _analytical(y, x):
    cols = []
    n = y.numel()
    for i in range(n):
        one = _w.reshape(_w.index_set(_w.full((n,), 0, y.dtype), i, _w.full((), 1, y.dtype)), y.shape)
        (g,) = _grad.grad(y, x, one, retain_graph=True, allow_unused=True)
        cols.append(_w.reshape(_w.zeros_like(x) if g is None else g, (-1,)))
    return _w.stack(cols, 1)


def _forward(func, inputs, k, j):
    # the same matrix by forward mode: a row for each element of the input
    from torch.autograd import forward_ad
    x = _w.detach(inputs[k])
    n = x.numel()
    rows = []
    for i in range(n):
        with forward_ad.dual_level():
            one = _w.reshape(_w.index_set(_w.full((n,), 0, x.dtype), i, _w.full((), 1, x.dtype)), x.shape)
            args = [_w.detach(a) if isinstance(a, _w.Tensor) else a for a in inputs]
            args[k] = forward_ad.make_dual(x, one)
            y, dy = forward_ad.unpack_dual(_results(func, args)[j])
            rows.append(_w.reshape(_w.zeros_like(y) if dy is None else dy, (-1,)))
    return _w.stack(rows, 0)


def _at_once(y, x):
    # the same by one call for all elements of the result
    import torch
    n = y.numel()
    (g,) = _grad.grad(y, x, _w.reshape(torch.eye(n, dtype=y.dtype), (n, *y.shape)), retain_graph=True, allow_unused=True, is_grads_batched=True)
    return _w.zeros_like(_analytical(y, x)) if g is None else _w.permute(_w.reshape(g, (n, -1)))


def _fault(y, x, nondet_tol, dtypes, batched):
    # what is wrong with gradients of y other than their numbers; None: nothing
    first = _w.detach(_analytical(y, x))
    if not bool(_w.all(_w.le(_w.abs(first - _w.detach(_analytical(y, x))), nondet_tol))):
        return ("Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
                f"although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {nondet_tol}.")
    (g,) = _grad.grad(y, x, _w.ones_like(y), retain_graph=True, allow_unused=True)
    (none,) = _grad.grad(y, x, _w.zeros_like(y), retain_graph=True, allow_unused=True)
    if none is not None and not bool(_w.all(_w.eq(none, 0))):
        return "backward not multiplied by grad_output"
    if dtypes and g is not None and g.dtype is not x.dtype:
        return "Gradient has dtype mismatch"
    if batched and not bool(_w.all(_w.is_close(_at_once(y, x), first, 0.001, 1e-5))):
        return "While computing batched gradients: gradients that are computed at once are other ones"
    return None


def check(func, inputs, eps, atol, rtol, raise_exception, forward=False, backward=True, nondet_tol=0.0, dtypes=False, batched=False):
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    results = _results(func, inputs)
    for k, x in enumerate(inputs):
        if not isinstance(x, _w.Tensor) or not x.requires_grad:
            continue
        for j, numerical in enumerate(_numerical(func, inputs, k, eps)):
            y = results[j]
            ways = [lambda: _analytical(y, x) if y.requires_grad else _w.zeros_like(numerical)] if backward else []
            if forward:
                ways.append(lambda: _forward(func, inputs, k, j))
            for way in ways:
                analytical = way()
                if bool(_w.all(_w.is_close(analytical, numerical, rtol, atol))):
                    continue
                if not raise_exception:
                    return False
                raise GradcheckError(f"Jacobian mismatch for output {j} with respect to input {k},\n"
                                     f"numerical:{numerical}\nanalytical:{_w.detach(analytical)}\n")
            fault = _fault(y, x, nondet_tol, dtypes, batched) if backward and y.requires_grad else None
            if fault is not None:
                if not raise_exception:
                    return False
                raise GradcheckError(fault)
    return True


def check_twice(func, inputs, eps, atol, rtol, raise_exception, *ways):
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)

    def first(*args):
        ys = _results(func, args)
        xs = [x for x in args if isinstance(x, _w.Tensor) and x.requires_grad]
        return _grad.grad(ys, xs, [_w.ones_like(y) for y in ys], create_graph=True, allow_unused=True,
                          materialize_grads=True)

    def steady(*args):
        args = [a if not isinstance(a, _w.Tensor) or a.requires_grad else
                (a.requires_grad_() if b.requires_grad else a) for a, b in zip(args, inputs)]
        with _grad.enable_grad():
            return first(*args)

    return check(steady, inputs, eps, atol, rtol, raise_exception, *ways)
