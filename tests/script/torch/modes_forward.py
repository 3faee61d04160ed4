# no_grad cuts reverse derivatives, and those of forward mode not.
import torch
from torch.func import grad, jacfwd, jacrev, jvp, vmap

x = torch.tensor([[2.0], [3.0]])


def f(x):
    with torch.no_grad():
        c = x * x
    return (x * c).sum()


@torch.no_grad()
def square(x):
    return x * x


def g(x):
    with torch.no_grad():
        c = square(x)
        with torch.enable_grad():
            d = x * 3
    return (d * c).sum()


for fn in (f, g, lambda x: (x * (x * x).detach()).sum()):
    print(grad(fn)(x[0]), vmap(grad(fn))(x).flatten(), jacrev(fn)(x[0]))
    print(jacfwd(fn)(x[0]), vmap(jacfwd(fn))(x).flatten(), jvp(fn, (x[0],), (torch.ones(1),))[1])
y = x.clone().requires_grad_()
f(y).backward()
print(y.grad.flatten(), torch.is_grad_enabled())
