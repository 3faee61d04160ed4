# What torch.func refuses, in PyTorch's words, and writes inside what it maps and differentiates.
import torch
import torch.nn as nn
from torch.func import functional_call, grad, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, repr(str(e)))


o = torch.ones
t(lambda: vmap(lambda x: x.item())(o(2)))
t(lambda: vmap(lambda x: x if x > 0 else -x)(o(2)))
t(lambda: vmap(lambda x: x, in_dims=(0, 0))(o(2)))
t(lambda: vmap(lambda x: x, in_dims=({"a": 0},))({"b": o(2)}))
t(lambda: vmap(lambda x: (x, [x, x]), out_dims=(0,))(o(2)))
t(lambda: vmap(lambda x: (x, [x, x]), out_dims=(0, 1, 2))(o(2)))
t(lambda: vmap(lambda: 3)())
t(lambda: vmap(lambda x: x, in_dims=1.5)(o(2)))
t(lambda: vmap(lambda x: x, in_dims=(1.5,))(o(2)))
t(lambda: vmap(lambda x: x, in_dims=(None,))(o(2)))
t(lambda: vmap(lambda x: x, out_dims=None)(o(2)))
t(lambda: vmap(lambda x: x, randomness="x")(o(2)))
t(lambda: vmap(lambda x: x)(3))
t(lambda: vmap(lambda x: x)([o(2), 3]))
t(lambda: jacrev(lambda x: 3)(o(2)))
t(lambda: jacfwd(lambda x: 3)(o(2)))
t(lambda: jacrev(lambda x: (x, 3))(o(2)))
t(lambda: jacfwd(lambda x: (x, 3))(o(2)))
t(lambda: vjp(lambda x: 3, o(2)))
t(lambda: vjp(lambda x: x, o(2))[1](3))
t(lambda: vjp(lambda x: (x, x), o(2))[1](o(2)))
t(lambda: vjp(lambda x: x, o(2))[1](o(3)))
t(lambda: jvp(lambda x: x, o(2), (o(2),)))
t(lambda: jvp(lambda x: x, (o(2),), o(2)))
t(lambda: jvp(lambda x: x, (o(2),), (o(3),)))
t(lambda: jvp(lambda x: x, (o(2),), (3,)))
t(lambda: jvp(lambda x: x, (o(2),), ()))
t(lambda: jvp(lambda x: 3, (o(2),), (o(2),)))
t(lambda: jvp(lambda x: x, (), ()))
t(lambda: grad(lambda x: x.sum(), argnums=1)(o(2)))
t(lambda: grad(lambda x: x.sum(), argnums=(0, 3))(o(2)))
t(lambda: grad(lambda x: x.sum(), argnums=())(o(2)))
t(lambda: grad(lambda x: x.sum(), argnums=1.5)(o(2)))
t(lambda: grad(lambda x: x.sum(), has_aux=True)(o(2)))
t(lambda: grad(lambda x: (x.sum(), 1, 2), has_aux=True)(o(2)))
t(lambda: grad(lambda x: torch.ones(2, dtype=torch.int64).sum())(o(2)))
t(lambda: grad(lambda x: torch.ones(2).sum())(o(2)))
n = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
t(lambda: functional_call(n, {"0.weight": o(4, 3)}, (o(1, 3),), strict=True))
t(lambda: functional_call(n, {"zz": o(4, 3), "0.q": o(1)}, (o(1, 3),), strict=True))
t(lambda: functional_call(n, [{"0.weight": o(4, 3)}, {"0.weight": o(4, 3)}], (o(1, 3),)))
t(lambda: functional_call(n, 3, (o(1, 3),)))
t(lambda: stack_module_state([nn.Linear(1, 1), nn.Linear(1, 1).eval()]))
t(lambda: stack_module_state([nn.Linear(1, 1), nn.ReLU()]))
t(lambda: stack_module_state([nn.Linear(1, 1), nn.Linear(1, 1).requires_grad_(False)]))
def f8(x): y = torch.zeros_like(x); y += x; y[0] = 1; return y
t(lambda: vmap(f8)(o(2, 2)))
x0 = o(2)
def g1(x): x.add_(1); return x.sum()
t(lambda: grad(g1)(x0)); t(lambda: vmap(g1)(o(2, 2))); t(lambda: jvp(g1, (o(2),), (o(2),))); t(lambda: vjp(g1, o(2))[0]); t(lambda: jacrev(g1)(o(2))); t(lambda: jacfwd(g1)(o(2)))
t(lambda: vmap(lambda x: float(x))(o(2)))
t(lambda: vmap(lambda x: range(int(x)))(o(2)))
t(lambda: grad(lambda x: x.item() * x)(torch.tensor(2.)))
t(lambda: grad(lambda x: x if x > 0 else -x)(torch.tensor(2.)))
t(lambda: print(x0))


def written(x):
    y = torch.zeros_like(x)
    y[0] = x[1]
    z = y[1:]
    z += x[:1] * 2
    y[1] *= 3
    return y


def kept(x):
    y = torch.zeros_like(x)
    views = y.view(-1)
    views[0] = x[1]
    return y * 2


for f in (written, kept):
    t(lambda: vmap(f)(torch.arange(4.0).reshape(2, 2)))
    t(lambda: vmap(grad(lambda x: (f(x) * x).sum()))(torch.arange(4.0).reshape(2, 2)))
    t(lambda: jacfwd(f)(torch.arange(1.0, 3.0)))
    t(lambda: jacrev(f)(torch.arange(1.0, 3.0)))
    traced = torch.jit.trace(f, torch.ones(2))
    t(lambda: traced(torch.arange(1.0, 3.0)))


def strided(x):
    y = torch.zeros(3, 4)
    y.t()[1::2] = x
    y[:, 0].add_(x[0])
    y[torch.tensor([0, 2])] *= 2
    return y


traced = torch.jit.trace(strided, torch.ones(3))
t(lambda: traced(torch.arange(1.0, 4.0)))
t(lambda: traced(torch.arange(2.0, 5.0)))
