# Gradients of gradients of scripted functions, through loops and branches.
import torch


@torch.jit.script
def power(x: torch.Tensor, n: int) -> torch.Tensor:
    result = torch.ones_like(x)
    for _ in range(n):
        result = result * x
    return result


@torch.jit.script
def settle(x: torch.Tensor, rate: torch.Tensor) -> torch.Tensor:
    while bool(x.abs().max() > 1.0):
        x = x * rate
    return (x * x * x).sum()


@torch.jit.script
def bend(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x ** 3
    else:
        y = torch.exp(x)
    return y.sum()


for n in (2, 4):
    x = torch.tensor([1.5, -2.0], requires_grad=True)
    (g,) = torch.autograd.grad(power(x, n).sum(), x, create_graph=True, allow_unused=True, materialize_grads=True)
    print(n, g.detach(), g.requires_grad)
    if g.requires_grad and n > 1:
        print(torch.autograd.grad(g.sum(), x, create_graph=True)[0].detach())

x = torch.tensor([3.0, -7.0], requires_grad=True)
rate = torch.tensor(0.5, requires_grad=True)
gx, gr = torch.autograd.grad(settle(x, rate), (x, rate), create_graph=True)
print(gx.detach(), gr.detach())
hx, hr = torch.autograd.grad(gx.sum() + gr, (x, rate))
print(hx, hr)

for s in (1.0, -1.0):
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    (g,) = torch.autograd.grad(bend(x * s), x, create_graph=True)
    (h,) = torch.autograd.grad(g.pow(2).sum(), x)
    print(g.detach(), h)
