# Traces: other sizes, trees, buffers, in-place writes, scripted parts inside.
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Pool(nn.Module):
    def forward(self, x):
        n, c, h, w = x.shape
        return x.view(n, c, h * w).mean(2), x.amax(dim=(2, 3))


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.cos(torch.arange(p.numel()) * 0.9 + i).reshape(p.shape) * 0.5)
    return m


block = fill(Block(4))
traced = torch.jit.trace(block, torch.ones(2, 3, 4))
for shape in ((2, 3, 4), (1, 7, 4), (5, 1, 4)):
    x = torch.sin(torch.arange(float(torch.Size(shape).numel()))).reshape(shape)
    print(shape, torch.allclose(traced(x), block(x), atol=1e-6), traced(x).shape)
traced(torch.ones(2, 3, 4)).sum().backward()
print([f"{p.grad.norm():.3f}" for p in block.parameters()])

pool = torch.jit.trace(Pool(), torch.ones(2, 3, 4, 4))
a, b = pool(torch.arange(2.0 * 5 * 6 * 6).reshape(2, 5, 6, 6))
print(a.shape, b[0], pool(torch.ones(1, 3, 2, 2))[0])


def tree(pair, scale):
    a, b = pair
    return {"sum": (a + b) * scale, "mean": a.mean()}


t = torch.jit.trace(tree, ((torch.ones(2), torch.zeros(2)), torch.tensor(2.0)), strict=False)
r = t((torch.tensor([1.0, 2.0]), torch.tensor([3.0, -1.0])), torch.tensor(0.5))
print(r["sum"], r["mean"])

bn = nn.Sequential(nn.Conv1d(2, 3, 1), nn.BatchNorm1d(3))
fill(bn)
bn.train()
traced_bn = torch.jit.trace(bn, torch.rand(4, 2, 5), check_trace=False)
before = bn[1].running_mean.clone()
x = torch.sin(torch.arange(30.0)).reshape(3, 2, 5)
y = traced_bn(x)
print(y.mean().abs().item() < 1e-5, torch.equal(before, bn[1].running_mean), bn[1].num_batches_tracked)


@torch.jit.script
def damp(x: torch.Tensor, limit: float):
    while bool(x.abs().max() > limit):
        x = x * 0.5
    return x


inner = torch.jit.trace(lambda x: damp(x, 1.0) + 1, torch.tensor([8.0]))
print(inner(torch.tensor([8.0])), inner(torch.tensor([0.5])), inner(torch.tensor([100.0])))


def writes(x):
    y = torch.zeros_like(x)
    y[:, 0] = x[:, 1]
    y[:, 1] -= x.sum(1)
    return y * 2


w = torch.jit.trace(writes, torch.ones(2, 2))
print(w(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])))


def loops(x):
    total = torch.zeros(x.shape[0])
    for column in range(x.shape[1]):
        total = total + x[:, column] * column
    return total


l = torch.jit.trace(loops, torch.ones(2, 3))
print(l(torch.arange(12.0).reshape(4, 3)))
both = torch.jit.trace_module(fill(Pool2 := nn.Linear(2, 2)), {"forward": (torch.ones(1, 2),)})
print(both(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).detach())
