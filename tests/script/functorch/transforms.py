# torch.func and functorch: values, trees, nesting, modules as functions, errors.
import torch
import functorch
from torch import nn
from torch.func import (functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize,
                        stack_module_state, vjp, vmap)


def show(*values):
    for v in values:
        print(v)


x = torch.tensor([0.5, -1.0, 2.0])
w = torch.tensor([[1.0, 2.0, 3.0], [0.5, -0.5, 1.0]])
f = lambda t: (t.sin() * t).sum()
show(grad(f)(x), grad(grad(lambda t: t ** 4))(torch.tensor(2.0)), grad_and_value(f)(x))
show(vjp(f, x)[1](torch.tensor(2.0)), jvp(f, (x,), (torch.ones(3),)), hessian(f)(x))
show(jacrev(lambda t: w @ t)(x), jacfwd(lambda t: w @ t)(x), jacrev(lambda a, b: a * b, argnums=(0, 1))(x, x))
out, push = linearize(lambda t: t.exp(), x)
show(out, push(torch.ones(3)))
show(vmap(torch.sum)(w), vmap(lambda a, b: a @ b, in_dims=(0, None))(w, x), vmap(lambda a: a * 2, in_dims=1, out_dims=1)(w))
show(vmap(grad(f))(w), grad(lambda t: vmap(f)(t).sum())(w), vmap(vmap(torch.mul))(w, w))
show(vmap(jacrev(lambda t: t ** 2))(w).shape, jacrev(vmap(lambda t: t.sum()))(w).shape)
show(vmap(lambda a: {"s": a.sum(), "m": (a.max(), a.min())})(w))
show(grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": x, "b": [x, x]}))
show(grad(lambda a, n: (a ** n).sum())(x, 3), grad(lambda a, scale=1.0: (a * scale).sum())(x, scale=4.0))
show(grad(lambda a: ((a * 2).sum(), {"seen": a * 1}), has_aux=True)(x))

# branches on values, and values from outside that require gradients
show(grad(lambda t: t.sum() if t[0] > 0 else -t.sum())(x), grad(lambda t: t.sum() if t[0] > 0 else -t.sum())(-x))
p = torch.tensor(3.0, requires_grad=True)
g = grad(lambda t: (p * t ** 2).sum())(x)
g.sum().backward()
show(g.detach(), p.grad)
with torch.no_grad():
    show(grad(f)(x))

# modules
model = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))
with torch.no_grad():
    for i, q in enumerate(model.parameters()):
        q.copy_(torch.cos(torch.arange(q.numel()) + i).reshape(q.shape))
params = {k: v.detach() for k, v in model.named_parameters()}
show(functional_call(model, params, (x,)), functional_call(model, {"0.bias": torch.zeros(2)}, x).detach())
loss = lambda p, x: functional_call(model, p, (x,)).pow(2).sum()
show(grad(loss)(params, x)["0.weight"], {k: v.shape for k, v in vmap(grad(loss), in_dims=(None, 0))(params, w).items()})
fn, ps = functorch.make_functional(model)
show(fn(ps, x).detach(), len(ps))
bn = nn.BatchNorm1d(3).eval()
fb, pb, bb = functorch.make_functional_with_buffers(bn)
show(fb(pb, bb, w).detach(), len(pb), len(bb))
states, buffers = stack_module_state([nn.Linear(3, 2), nn.Linear(3, 2)])
show({k: tuple(v.shape) for k, v in states.items()}, buffers)
gm = functorch.make_fx(lambda a, b: {"sum": a + b, "prod": a * b})(x, x.clone())
show(gm(x, x * 2))

for bad in (lambda: grad(lambda t: t)(x), lambda: vmap(lambda a, b: a + b)(torch.ones(2), torch.ones(3)),
            lambda: vmap(torch.sum, in_dims=(0, 0))(w), lambda: functional_call(model, {"nope": x}, (x,)),
            lambda: jvp(f, x, x), lambda: grad(lambda t: 3.0)(x), lambda: vmap(lambda a: 3.0)(w)):
    try:
        bad()
        print("accepted")
    except Exception as e:
        print(type(e).__name__)
