# aesara.gradient -- derivatives of expressions, as expressions: where a program is made of them, they
# are the transforms of what it holds.
import _aesara as _w
from _expression import ancestors, dependents, evaluate, partials, value_of
from aesara._graph import Op, Apply, TensorType, Variable, as_variable, apply


class DisconnectedInputError(ValueError):
    pass


class NullTypeGradError(TypeError):
    pass


class _Derivative(Op):
    # Operands: ys, xs, constants, then weights. params: how many of the first three.
    def __init__(self, name, show):
        super().__init__(name, None, show, name, 2)

    def _parts(self, node):
        ny, nx, nc = node.params
        at = ny + nx
        return node.inputs[:ny], node.inputs[ny:at], node.inputs[at:at + nc], node.inputs[at + nc:]


class _Grad(_Derivative):
    def run(self, node, values, env, subst):
        ys, xs, constants, weights = self._parts(node)
        gys = []
        for k, y in enumerate(values[:len(ys)]):
            if not y.dtype.is_floating:
                gys.append(None)
            elif weights:
                gys.append(_w.broadcast_to(_w.cast(value_of(weights[k], env, subst), y.dtype), y.shape))
            else:
                gys.append(_w.ones_like(y))
        out = partials(_w, ys, gys, xs, constants, env, subst)
        return [_w.full(v.shape, 0, v.dtype if v.dtype.is_floating else "float64") if g is None else g
                for g, v in zip(out, values[len(ys):])]


def _record(env, subst, ys, xs, constants):
    # ys as a function of values of xs
    fixed = [_w.stop_gradient(value_of(v, env, subst)) for v in constants]

    def run(*values):
        moving = dependents(ys, xs + constants)
        inner = {v: x for v, x in env.items() if v not in moving}
        inner.update(zip(constants, fixed))
        inner.update(zip(xs, values))
        return evaluate(ys, inner, subst)
    return _w.record(run, [value_of(x, env, subst) for x in xs])


class _Rop(_Derivative):
    def run(self, node, values, env, subst):
        ys, xs, constants, tangents = self._parts(node)
        dx = []
        for d, x in zip(tangents, values[len(ys):]):
            dx.append(_w.broadcast_to(_w.cast(value_of(d, env, subst), x.dtype), x.shape))
        return _record(env, subst, ys, xs, constants).jvp(dx)


class _Jacobian(_Derivative):
    # one row for each element of y
    def run(self, node, values, env, subst):
        ys, xs, constants, _ = self._parts(node)
        r = _record(env, subst, ys, xs, constants)
        n = values[0].shape[0]
        return _w.vmap(lambda g: r.vjp([g]), [_w.eye(n, n, 0, values[0].dtype)], [0])


_grad_op, _rop_op, _jacobian_op = _Grad("grad", "Grad"), _Rop("Rop", "Rop"), _Jacobian("jacobian", "Jacobian")


def _listed(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _float_type(v):
    return v.type if v.type.dtype.startswith("float") else TensorType("float64", v.type.shape)


def _check_wrt(wrt):
    for w in wrt:
        if not isinstance(w, Variable):
            raise TypeError(f"Expected Variable, got {w} of type {type(w)}")


def _connected(ys, xs, stop):
    # which xs reach ys, through real-valued expressions
    found = ancestors(ys, stop)
    return [x in found for x in xs]


def _node(op, ys, xs, weights, constants, types):
    return Apply(op, ys + xs + constants + weights, (len(ys), len(xs), len(constants)), types).outputs


def _same_kind(wrt, results):
    if isinstance(wrt, tuple):
        return tuple(results)
    return results if isinstance(wrt, list) else results[0]


def grad(cost, wrt, consider_constant=None, disconnected_inputs="raise", add_names=True, known_grads=None,
         return_disconnected="zero", null_gradients="raise"):
    if return_disconnected not in ("zero", "None"):
        raise NotImplementedError(f"grad: return_disconnected={return_disconnected!r}")
    xs = _listed(wrt)
    _check_wrt(xs)
    ys, weights = [], []
    if cost is not None:
        if cost.ndim != 0:
            raise TypeError("Cost must be a scalar.")
        if not cost.type.dtype.startswith("float"):
            raise TypeError(f"cost must be a real number, it is {cost.type.dtype}")
        ys.append(cost)
    if known_grads:
        if cost is not None:
            weights.append(as_variable(1.0))
        for k, v in known_grads.items():
            ys.append(k)
            weights.append(as_variable(v))
    elif cost is None:
        raise ValueError("cost and known_grads can't both be None.")
    constants = list(consider_constant) if consider_constant else []
    linked = _connected(ys, xs, constants)
    for x, ok in zip(xs, linked):
        if not ok and disconnected_inputs == "raise":
            raise DisconnectedInputError("grad method was asked to compute the gradient with respect to a variable that is not "
                                         f"part of the computational graph of the cost, or is used only by a non-differentiable "
                                         f"operator: {x}")
    live = [x for x, ok in zip(xs, linked) if ok]
    _check_defined(ys, live, constants, null_gradients)
    outs = _node(_grad_op, ys, live, weights, constants, [_float_type(x) for x in live]) if live else []
    results, at = [], 0
    for x, ok in zip(xs, linked):
        if ok:
            g = outs[at]
            at += 1
            if add_names and x.name is not None and cost is not None:
                g.name = f"(d{cost.name}/d{x.name})" if cost.name is not None else None
            results.append(g)
        else:
            results.append(_zeros(x) if return_disconnected == "zero" else None)
    return _same_kind(wrt, results)


def _check_defined(ys, xs, constants, null_gradients):
    if null_gradients != "raise":
        raise NotImplementedError("grad: null_gradients='return'")
    moving = dependents(ys, xs)
    for v in ancestors(ys, constants):
        if v.owner is not None and v.owner.op is _undefined_op and v in moving:
            raise NullTypeGradError("`grad` encountered a NaN. This variable is Null because the grad method for input 0 "
                                    f"({v.owner.inputs[0]}) of the UndefinedGrad op is not implemented. ")


_zeros_op = Op("zeros_like", lambda p, x: _w.full(x.shape, 0, x.dtype if x.dtype.is_floating else "float64"), "zeros_like")


def _zeros(x):
    return apply(_zeros_op, [x])


def subgraph_grad(wrt, end, start=None, cost=None, details=False):
    if details:
        raise NotImplementedError("subgraph_grad: details")
    g = grad(cost, end, known_grads=start)
    return grad(cost, wrt, consider_constant=end, known_grads=start), g


def Lop(f, wrt, eval_points, consider_constant=None, disconnected_inputs="raise"):
    ys, xs, ws = _listed(f), _listed(wrt), [as_variable(w) for w in _listed(eval_points)]
    if disconnected_inputs not in ("raise", "ignore", "warn"):
        raise ValueError("Invalid value for keyword 'disconnected_inputs', valid values are 'ignore', 'warn' and 'raise'.")
    outs = _node(_grad_op, ys, xs, ws, list(consider_constant or []), [_float_type(x) for x in xs])
    return _same_kind(wrt, outs)


def Rop(f, wrt, eval_points, disconnected_outputs="raise", return_disconnected="zero", use_op_rop_implementation=True):
    if disconnected_outputs != "raise" or return_disconnected != "zero":
        raise NotImplementedError(f"Rop: disconnected_outputs={disconnected_outputs!r}, return_disconnected={return_disconnected!r}")
    ys, xs, ds = _listed(f), _listed(wrt), [as_variable(d) for d in _listed(eval_points)]
    for x, d in zip(xs, ds):
        if x.ndim != d.ndim:
            raise ValueError(f"Elements {x} and {d} of wrt and eval_point have mismatched dimensionality: {x.ndim} versus {d.ndim}")
    outs = _node(_rop_op, ys, xs, ds, [], [_float_type(y) for y in ys])
    return _same_kind(f, outs)


def jacobian(expression, wrt, consider_constant=None, disconnected_inputs="raise"):
    if expression.ndim == 0:
        return grad(expression, wrt, consider_constant, disconnected_inputs)
    if expression.ndim != 1:
        raise ValueError("jacobian expects a 1 dimensional variable as `expression`. If not use flatten to make it a vector")
    xs = _listed(wrt)
    _check_wrt(xs)
    types = [TensorType(_float_type(x).dtype, (None,) * (x.ndim + 1)) for x in xs]
    return _same_kind(wrt, _node(_jacobian_op, [expression], xs, [], list(consider_constant or []), types))


def hessian(cost, wrt, consider_constant=None, disconnected_inputs="raise"):
    if cost.ndim != 0:
        raise ValueError("hessian: cost must be a scalar")
    out = []
    for x in _listed(wrt):
        if x.ndim != 1:
            raise ValueError("hessian expects a (list of) 1 dimensional variable as `wrt`")
        out.append(jacobian(grad(cost, x, consider_constant, disconnected_inputs), x, consider_constant, disconnected_inputs))
    return _same_kind(wrt, out)


def hessian_vector_product(cost, wrt, p):
    xs, ps = _listed(wrt), _listed(p)
    total = 0
    for g, v in zip(grad(cost, xs), ps):
        total = total + (g * v).sum()
    return grad(total, wrt)


_stop_op = Op("disconnected_grad", lambda p, x: _w.stop_gradient(x), "disconnected_grad")


def disconnected_grad(x):
    return apply(_stop_op, [x])


_undefined_op = Op("undefined_grad", lambda p, x: _w.stop_gradient(x), "UndefinedGrad")


def undefined_grad(x):
    # x; grad refuses to go through it
    return apply(_undefined_op, [x])


zero_grad = disconnected_grad
consider_constant = disconnected_grad


def _clipped(params, x):
    lo, hi = params
    slot = _w.Slot()
    return _w.custom_vjp(slot, lambda v: [_w.positive(v)], lambda v: [_w.positive(v)], lambda g: [_w.clip(g, lo, hi)], [x])[0]


def grad_clip(x, lower_bound, upper_bound):
    return apply(Op("grad_clip", _clipped, "grad_clip"), [x], (lower_bound, upper_bound), x.ndim, x.dtype)


def _scaled(params, x):
    slot = _w.Slot()
    return _w.custom_vjp(slot, lambda v: [_w.positive(v)], lambda v: [_w.positive(v)], lambda g: [g * params], [x])[0]


def grad_scale(x, multiplier):
    return apply(Op("grad_scale", _scaled, "grad_scale"), [x], multiplier, x.ndim, x.dtype)


def verify_grad(fun, pt, n_tests=2, rng=None, eps=None, abs_tol=1e-5, rel_tol=1e-5):
    # Central differences against grad, of the sum of fun's result.
    import numpy as np
    from aesara._function import function as function_of
    xs = [TensorType(np.asarray(p).dtype.name, (None,) * np.asarray(p).ndim)() for p in pt]
    total = fun(*xs).sum()
    f, g = function_of(xs, total), function_of(xs, grad(total, xs))
    pt = [np.asarray(p) for p in pt]
    eps = 1e-5 if eps is None else eps
    for k, slope in enumerate(g(*pt)):
        for i in np.ndindex(*pt[k].shape):
            hi, lo = [p.copy() for p in pt], [p.copy() for p in pt]
            hi[k][i] += eps
            lo[k][i] -= eps
            want = (f(*hi) - f(*lo)) / (2 * eps)
            if abs(want - slope[i]) > abs_tol * 10 + rel_tol * 10 * abs(want):
                raise Exception(f"GradientError: numeric gradient {want} and analytic gradient {slope[i]} differ at {i}")
