# torch.optim -- optimisers, by PyTorch's formulas and in its order of operations.
import math as _math

import _torch as _w
from torch._grad import no_grad, enable_grad, new_handle
from torch.optim.optimizer import Optimizer, required


def _check(name, value, ok):
    if not ok:
        raise ValueError(f"Invalid {name}: {value}")


_WORDS = {"lr": "learning rate", "eps": "epsilon value"}


def _check_all(**numbers):
    # in PyTorch's order: numbers that may not be less than 0, and betas
    for name, value in numbers.items():
        if name == "betas":
            for i in range(2):
                _check(f"beta parameter at index {i}", value[i], 0.0 <= value[i] < 1.0)
        else:
            _check(_WORDS.get(name, name + " value"), value, value >= 0.0)


def _decayed(g, p, group):
    return _turned(g, p, (group["maximize"], group["weight_decay"] != 0), group["weight_decay"])


def _turned(g, p, way, decay):
    # way: (is it maximised?, does it decay?, ...)
    g = _w.neg(g) if way[0] else g
    return g + p * decay if way[1] else g


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        _check_all(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening,
                                  "weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize,
                                  "foreach": foreach, "differentiable": differentiable, "fused": fused})

    steps = None

    def way(self, group):
        return (group["maximize"], group["weight_decay"] != 0, group["momentum"] != 0, group["nesterov"])

    def slots(self, way):
        return ("momentum_buffer",) if way[2] else ()

    def start(self, p, state, group):
        pass            # the buffer is the first gradient

    def numbers(self, group, step):
        return group["lr"], group["weight_decay"], group["momentum"], 1 - group["dampening"]

    def rule(self, p, g, s, way, lr, decay, momentum, part):
        g = _turned(g, p, way, decay)
        if way[2]:
            buf = s.get("momentum_buffer")
            if buf is None:
                buf = s["momentum_buffer"] = _w.copy(g)
            else:
                buf.mul_(momentum).add_(g * part)
            g = g + buf * momentum if way[3] else buf
        p.sub_(g * lr)


class Adam(Optimizer):
    decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        _check_all(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach,
                                  "capturable": capturable, "differentiable": differentiable, "fused": fused,
                                  "decoupled_weight_decay": decoupled_weight_decay or self.decoupled})

    def way(self, group):
        return (group["maximize"], group["weight_decay"] != 0, group["decoupled_weight_decay"], group["amsgrad"])

    def slots(self, way):
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if way[3] else ("exp_avg", "exp_avg_sq")

    def numbers(self, group, step):
        (b1, b2), lr, decay = group["betas"], group["lr"], group["weight_decay"]
        return (1 - lr * decay if group["decoupled_weight_decay"] else decay, 1 - b1, b2, 1 - b2,
                lr / (1 - b1 ** step), _math.sqrt(1 - b2 ** step), group["eps"])

    def rule(self, p, g, s, way, decay, new1, b2, new2, size, correction, eps):
        if way[2]:
            g = _w.neg(g) if way[0] else g
            if way[1]:
                p.mul_(decay)
        else:
            g = _turned(g, p, way, decay)
        m, v = s["exp_avg"], s["exp_avg_sq"]
        _w.write(m, m + (g - m) * new1)
        _w.write(v, v * b2 + g * g * new2)
        if way[3]:
            most = s["max_exp_avg_sq"]
            _w.write(most, _w.maximum(most, v))
            v = most
        p.sub_(m / (_w.sqrt(v) / correction + eps) * size)


class AdamW(Adam):
    decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, **options):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options)


class RMSprop(Optimizer):
    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        _check_all(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                                  "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable})

    def way(self, group):
        return (group["maximize"], group["weight_decay"] != 0, group["momentum"] > 0, group["centered"])

    def slots(self, way):
        return ("square_avg",) + ("momentum_buffer",) * way[2] + ("grad_avg",) * way[3]

    def numbers(self, group, step):
        return group["weight_decay"], group["alpha"], 1 - group["alpha"], group["eps"], group["momentum"], group["lr"]

    def rule(self, p, g, s, way, decay, a, new, eps, momentum, lr):
        g = _turned(g, p, way, decay)
        v = s["square_avg"]
        _w.write(v, v * a + g * g * new)
        if way[3]:
            m = s["grad_avg"]
            _w.write(m, m + (g - m) * new)
            v = v - m * m
        avg = _w.sqrt(v) + eps
        if way[2]:
            buf = s["momentum_buffer"]
            _w.write(buf, buf * momentum + g / avg)
            p.sub_(buf * lr)
        else:
            p.sub_(g / avg * lr)


class Adagrad(Optimizer):
    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        _check_all(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, eps=eps)
        super().__init__(params, {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                                  "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable, "fused": fused})
        for group in self.param_groups:
            for p in group["params"]:
                self.start(p, self.state[p], group)

    def start(self, p, state, group):
        state["step"] = _w.tensor(0.0)
        state["sum"] = _w.full(p.shape, group["initial_accumulator_value"], p.dtype)

    def way(self, group):
        return (group["maximize"], group["weight_decay"] != 0)

    def slots(self, way):
        return ("sum",)

    def numbers(self, group, step):
        return group["weight_decay"], group["eps"], group["lr"] / (1 + (step - 1) * group["lr_decay"])

    def rule(self, p, g, s, way, decay, eps, rate):
        g = _turned(g, p, way, decay)
        total = s["sum"]
        _w.write(total, total + g * g)
        p.sub_(g / (_w.sqrt(total) + eps) * rate)


class Adadelta(Optimizer):
    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        _check_all(lr=lr)
        _check("rho value", rho, 0.0 <= rho <= 1.0)
        _check_all(eps=eps, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize, "capturable": capturable, "foreach": foreach,
                                  "differentiable": differentiable})

    def way(self, group):
        return (group["maximize"], group["weight_decay"] != 0)

    def slots(self, way):
        return ("square_avg", "acc_delta")

    def numbers(self, group, step):
        return group["weight_decay"], group["rho"], 1 - group["rho"], group["eps"], group["lr"]

    def rule(self, p, g, s, way, decay, rho, new, eps, lr):
        g = _turned(g, p, way, decay)
        v, d = s["square_avg"], s["acc_delta"]
        _w.write(v, v * rho + g * g * new)
        delta = _w.sqrt(d + eps) / _w.sqrt(v + eps) * g
        _w.write(d, d * rho + delta * delta * new)
        p.sub_(delta * lr)


class Adamax(Optimizer):
    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        _check_all(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
                                  "capturable": capturable})

    def way(self, group):
        return (group["maximize"], group["weight_decay"] != 0)

    def slots(self, way):
        return ("exp_avg", "exp_inf")

    def numbers(self, group, step):
        b1, b2 = group["betas"]
        return group["weight_decay"], 1 - b1, b2, group["eps"], group["lr"] / (1 - b1 ** step)

    def rule(self, p, g, s, way, decay, new, b2, eps, size):
        g = _turned(g, p, way, decay)
        m, u = s["exp_avg"], s["exp_inf"]
        _w.write(m, m + (g - m) * new)
        _w.write(u, _w.maximum(u * b2, _w.abs(g) + eps))
        p.sub_(m / u * size)


class NAdam(Optimizer):
    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        _check_all(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "differentiable": differentiable})

    def update(self, p, g, state, group):
        if not state:
            state["step"] = _w.tensor(0.0)
            state["mu_product"] = _w.tensor(1.0)
            state["exp_avg"] = _w.zeros_like(p)
            state["exp_avg_sq"] = _w.zeros_like(p)
        b1, b2 = group["betas"]
        if group["decoupled_weight_decay"]:
            g = _w.neg(g) if group["maximize"] else g
            p.mul_(1 - group["lr"] * group["weight_decay"])
        else:
            g = _decayed(g, p, group)
        state["step"] += 1
        step = state["step"].item()
        decay = group["momentum_decay"]
        mu = b1 * (1.0 - 0.5 * 0.96 ** (step * decay))
        mu_next = b1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * decay))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        m, v = state["exp_avg"], state["exp_avg_sq"]
        _w.write(m, m + (g - m) * (1 - b1))
        _w.write(v, v * b2 + g * g * (1 - b2))
        denom = _w.sqrt(v / (1 - b2 ** step)) + group["eps"]
        lr = group["lr"]
        p.sub_(g / denom * (lr * (1.0 - mu) / (1.0 - product)))
        p.sub_(m / denom * (lr * mu_next / (1.0 - product * mu_next)))


class RAdam(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        _check_all(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "maximize": maximize, "foreach": foreach, "capturable": capturable,
                                  "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable})

    def update(self, p, g, state, group):
        if not state:
            state["step"] = _w.tensor(0.0)
            state["exp_avg"] = _w.zeros_like(p)
            state["exp_avg_sq"] = _w.zeros_like(p)
        b1, b2 = group["betas"]
        if group["decoupled_weight_decay"]:
            p.mul_(1 - group["lr"] * group["weight_decay"])
        else:
            g = _decayed(g, p, group)
        state["step"] += 1
        step = state["step"].item()
        m, v = state["exp_avg"], state["exp_avg_sq"]
        _w.write(m, m + (g - m) * (1 - b1))
        _w.write(v, v * b2 + g * g * (1 - b2))
        c1, c2 = 1 - b1 ** step, 1 - b2 ** step
        most = 2 / (1 - b2) - 1
        length = most - 2 * step * b2 ** step / c2
        if length > 5.0:
            rect = _math.sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))
            p.sub_(m / c1 * group["lr"] * (_math.sqrt(c2) / (_w.sqrt(v) + group["eps"])) * rect)
        else:
            p.sub_(m / c1 * group["lr"])


class Rprop(Optimizer):
    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        _check_all(lr=lr)
        _check("eta values", f"{etas[0]}, {etas[1]}", 0.0 < etas[0] < 1.0 < etas[1])
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach,
                                  "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def update(self, p, g, state, group):
        if not state:
            state["step"] = _w.tensor(0.0)
            state["prev"] = _w.zeros_like(p)
            state["step_size"] = _w.full(p.shape, group["lr"], p.dtype)
        if group["maximize"]:
            g = _w.neg(g)
        state["step"] += 1
        less, more = group["etas"]
        low, high = group["step_sizes"]
        sign = g * state["prev"]
        factor = _w.where(_w.gt(sign, 0), more, _w.where(_w.lt(sign, 0), less, 1.0))
        size = state["step_size"]
        _w.write(size, _w.clip(size * factor, low, high))
        g = _w.where(_w.lt(sign, 0), 0.0, g)
        p.sub_(_w.sign(g) * size)
        _w.write(state["prev"], g)


class ASGD(Optimizer):
    # Steps that shrink, and the average of the parameters from step t0 on (in the state: ax).
    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        _check_all(lr=lr, lambd=lambd, alpha=alpha, weight_decay=weight_decay)
        super().__init__(params, {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
                                  "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
                                  "capturable": capturable})

    def update(self, p, g, state, group):
        if not state:
            state["step"], state["eta"] = _w.tensor(0.0), _w.tensor(float(group["lr"]))
            state["mu"], state["ax"] = _w.tensor(1.0), _w.zeros_like(p)
        if group["maximize"]:
            g = _w.neg(g)
        state["step"] += 1
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        eta, mu, step = state["eta"].item(), state["mu"].item(), state["step"].item()
        p.mul_(1 - group["lambd"] * eta)
        p.sub_(g * eta)
        ax = state["ax"]
        _w.write(ax, p if mu == 1 else ax + (p - ax) * mu)
        state["eta"] = _w.tensor(group["lr"] / (1 + group["lambd"] * group["lr"] * step) ** group["alpha"])
        state["mu"] = _w.tensor(1 / max(1, step - group["t0"]))


def __getattr__(name):
    if name == "lr_scheduler":
        return __import__("torch.optim.lr_scheduler")
    if name == "LBFGS":
        return __import__("torch.optim.lbfgs").LBFGS
    if name in ("Adafactor", "Muon"):
        return getattr(__import__("torch.optim.more"), name)
    if name == "swa_utils":
        return __import__("torch.optim.swa_utils")
    raise AttributeError(name)
