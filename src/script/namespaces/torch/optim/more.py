# torch.optim.more -- Adafactor and Muon: steps whose size depends on norms of the whole parameter.
import math as _math

import _torch as _w
from torch._types import bfloat16, finfo
from torch.optim.optimizer import Optimizer


def _check(name, value, ok):
    if not ok:
        raise ValueError(f"{name} should be >= 0 but is: {value}")


class Adafactor(Optimizer):
    # Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost" (2018)
    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        _check("Learning rate", lr, lr >= 0.0)
        if beta2_decay > 0.0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        _check("epsilon1", eps[0], eps[0] is None or eps[0] >= 0.0)
        _check("epsilon2", eps[1], eps[1] >= 0.0)
        if d < 1.0:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        _check("weight_decay", weight_decay, weight_decay >= 0.0)
        super().__init__(params, {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
                                  "foreach": foreach, "maximize": maximize})

    def update(self, p, g, state, group):
        if not state:
            state["step"] = _w.tensor(0.0)
            if g.ndim > 1:
                state["row_var"] = _w.full(tuple(g.shape[:-1]) + (1,), 0, g.dtype)
                state["col_var"] = _w.full(tuple(g.shape[:-2]) + (1, g.shape[-1]), 0, g.dtype)
            else:
                state["variance"] = _w.zeros_like(g)
        g = _w.neg(g) if group["maximize"] else g
        state["step"] += 1
        step, lr = state["step"].item(), group["lr"]
        eps1 = finfo(p.dtype).eps if group["eps"][0] is None else group["eps"][0]
        new = step ** group["beta2_decay"]
        size = max(group["eps"][1], p.norm().item() / p.numel() ** 0.5) * min(lr, 1 / step ** 0.5)
        if group["weight_decay"] != 0:
            p.mul_(1 - lr * group["weight_decay"])
        if g.ndim > 1:
            square = g * g
            state["row_var"].lerp_(_w.mean(square, -1, True), new)
            state["col_var"].lerp_(_w.mean(square, -2, True), new)
            spread = _w.matmul(state["row_var"], state["col_var"])
            spread = spread / _w.clip(_w.mean(state["row_var"], -2, True), eps1, None)
        else:
            state["variance"].lerp_(g * g, new)
            spread = state["variance"]
        change = _w.rsqrt(_w.clip(spread, eps1 * eps1, None)) * g
        limit = max(1.0, change.norm().item() / (change.numel() ** 0.5 * group["d"]))
        p.add_(change, alpha=-size / limit)


class Muon(Optimizer):
    # Jordan et al., "Muon: An optimizer for hidden layers in neural networks" (2024): the momentum of a matrix made orthogonal
    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.7750, 2.0315),
                 eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        _check("Learning rate", lr, lr >= 0.0)
        _check("momentum", momentum, momentum >= 0.0)
        _check("weight decay", weight_decay, weight_decay >= 0.0)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
                                  "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
                                  "adjust_lr_fn": adjust_lr_fn})
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}")

    def update(self, p, g, state, group):
        if not state:
            state["momentum_buffer"] = _w.zeros_like(g)
        held, m = state["momentum_buffer"], group["momentum"]
        held.lerp_(g, 1 - m)
        change = _orthogonal(g.lerp(held, m) if group["nesterov"] else held, group)
        rows, columns = p.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            ratio = 0.2 * _math.sqrt(max(rows, columns))
        else:
            ratio = _math.sqrt(max(1, rows / columns))
        p.mul_(1 - group["lr"] * group["weight_decay"])
        p.add_(_w.cast(change, p.dtype), alpha=-group["lr"] * ratio)


def _orthogonal(g, group):
    # Newton's and Schulz' iteration, in bfloat16
    if group["ns_steps"] >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    a, b, c = group["ns_coefficients"]
    x = _w.cast(g, bfloat16)
    turned = g.shape[0] > g.shape[1]
    x = _w.swap_axes(x, 0, 1) if turned else x
    x = x / _w.clip(x.norm(), group["eps"], None)
    for _ in range(group["ns_steps"]):
        gram = _w.matmul(x, _w.swap_axes(x, 0, 1))
        x = x * a + _w.matmul(gram * b + _w.matmul(gram, gram) * c, x)
    return _w.swap_axes(x, 0, 1) if turned else x
