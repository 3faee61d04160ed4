# checkpoint computes again in the backward pass: how often, with which random numbers, and the gradients.
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

calls = []


class Block(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.a = nn.Linear(3, 3)
        with torch.no_grad():
            self.a.weight.copy_(torch.cos(torch.arange(9.0) + k).reshape(3, 3))
            self.a.bias.copy_(torch.sin(torch.arange(3.0)))
        self.drop = nn.Dropout(0.5)

    def forward(self, x, scale=1.0):
        calls.append(self.k)
        return self.drop(torch.tanh(self.a(x))) * scale


def show(*ts):
    for t in ts:
        print([round(v, 3) for v in t.flatten().tolist()])


x0 = torch.sin(torch.arange(6.0)).reshape(2, 3)
for reentrant in (True, False):
    torch.manual_seed(3)
    b = Block(1)
    x = x0.clone().requires_grad_()
    y = checkpoint(b, x, use_reentrant=reentrant)
    print(calls, y.requires_grad)
    (y * y).sum().backward()
    print(calls)
    show(y, x.grad, b.a.weight.grad, b.a.bias.grad, torch.rand(2))
    calls.clear()

b = Block(2).eval()
y = checkpoint(b, x0, scale=2.0, use_reentrant=False)       # no argument has a gradient, parameters do
g, = torch.autograd.grad(y.sum(), [b.a.bias])
show(y, g)
print(calls)
calls.clear()
with torch.no_grad():
    show(checkpoint(b, x0, use_reentrant=False))
print(calls)
calls.clear()

w = torch.tensor([2.0, 3.0], requires_grad=True)


def f(x):
    calls.append("f")
    return x * w, x.exp()


x = torch.tensor([0.5, 1.0], requires_grad=True)
u, v = checkpoint(f, x * 2, use_reentrant=True)
(u.sum() + v.sum()).backward()
show(w.grad, x.grad)
print(calls)
calls.clear()
u, v = checkpoint(f, x, use_reentrant=False)
show(*torch.autograd.grad((u * v).sum(), [x, w]))

calls.clear()
net = nn.Sequential(Block(1), Block(2), Block(3), Block(4), Block(5)).eval()
x = x0.clone().requires_grad_()
y = checkpoint_sequential(net, 2, x, use_reentrant=False)
y.pow(2).sum().backward()
show(y, x.grad, net[0].a.bias.grad, net[4].a.bias.grad)
print(calls)

try:
    checkpoint(f, x0, use_reentrant=True, extra=1)
except ValueError as e:
    print(e)
