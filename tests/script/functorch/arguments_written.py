# What a mapped function writes into its arguments, the caller's have; and derivatives are by what an argument was.
import torch
from torch.func import functional_call, grad, jvp, stack_module_state, vmap
from torch import nn


def attempt(f):
    try:
        return f()
    except RuntimeError as e:
        return str(e)[:60]


def drop(a, i):
    a[i] = 0
    return a.sum()


x = torch.arange(6.).view(2, 3)
print(vmap(drop, (0, None))(x, 1), x)
x = torch.arange(6.).view(2, 3)
print(vmap(drop, (1, None))(x, 1), x)


def both(a, b):
    b.add_(a.sum())
    a.mul_(2)
    a[0] = b[0]
    return a, b


x, y = torch.arange(6.).view(2, 3), torch.zeros(2, 2)
print(vmap(both)(x, y), x, y)
b = torch.zeros(3)
print(vmap(lambda a, b: a + b.fill_(3.), (0, None))(x, b), b)
print(vmap(lambda a: a.fill_(3.))(x), x)
print(attempt(lambda: vmap(lambda a, b: b.mul_(a.sum()), (0, None))(x, torch.ones(()))) is not None)
x = torch.arange(8.).view(2, 2, 2)
print(vmap(vmap(lambda a: a.add_(1).sum()))(x), x)
print(vmap(lambda a: a.zero_())(x[:, 0]), x)
print(vmap(lambda d: d["k"].mul_(5)[0])({"k": x[:, 1]}), x)
w = torch.ones(2, 3, requires_grad=True)
print(attempt(lambda: vmap(lambda a: a.mul_(2))(w)), w)
v = w * 1
vmap(lambda a: a.mul_(3).sum())(v).sum().backward()
print(v.detach(), w.grad)


def unit(a):
    n = a.norm()
    a /= n
    return n


x = torch.tensor([[3., 4.], [6., 8.]])
print(vmap(unit)(x), x)
x = torch.arange(3)
print(vmap(lambda a: a.add_(5))(x), x)
x = torch.arange(6.).view(2, 3)
print(vmap(lambda a: a.masked_fill_(a > 3, -1.), chunk_size=1)(x), x)


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return x * self.calls


nets = [Counted(), Counted()]
params, buffers = stack_module_state(nets)
for i in range(2):
    print(vmap(lambda p, b, x: functional_call(nets[0], (p, b), (x,)), (0, 0, None))(params, buffers, torch.ones(2)), buffers)

x = torch.tensor([1., 2., 3.])


def doubled(a):
    a.mul_(2)
    a[0] = 7
    return a.sum()


def added(a, b):
    b.add_(a)
    return (a * b).sum(), {"b": b * 1}


y = x.clone()
print(jvp(doubled, (y,), (x.clone(),)), y)
y, z = x.clone(), x.clone()
print(jvp(added, (y, z), (x.clone(), x.clone()), has_aux=True), y, z)
y = x.clone()
print(jvp(lambda a: vmap(lambda b: b.add_(1))(a), (y,), (x.clone(),)), y)
print(grad(lambda a: vmap(lambda b: b.mul_(2))(a * 1).sum())(x))
