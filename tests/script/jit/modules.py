# Scripted modules: attributes, buffers, lists of parts, several methods, nesting, copies.
from typing import Dict, List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.sin(torch.arange(p.numel()) * 0.7 + i).reshape(p.shape))
    return m


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        n, t, w = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(n, t, self.heads, w // self.heads).transpose(1, 2)
        k = k.view(n, t, self.heads, w // self.heads).transpose(1, 2)
        v = v.view(n, t, self.heads, w // self.heads).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / (w // self.heads) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        y = torch.softmax(scores, dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(n, t, w))


class Memory(nn.Module):
    decay: float

    def __init__(self, width: int):
        super().__init__()
        self.decay = 0.5
        self.register_buffer("state", torch.zeros(width))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        self.state = self.state * self.decay + x.mean(dim=0) * (1 - self.decay)
        self.count += 1
        return x - self.state

    @torch.jit.export
    def reset(self):
        self.state = torch.zeros_like(self.state)
        self.count.zero_()

    @torch.jit.export
    def peek(self, scale: float = 1.0) -> Tuple[Tensor, int]:
        return self.state * scale, int(self.count)


class Experts(nn.Module):
    def __init__(self, width: int, n: int):
        super().__init__()
        self.gate = nn.Linear(width, n)
        self.parts = nn.ModuleList([nn.Sequential(nn.Linear(width, width), nn.Tanh()) for _ in range(n)])
        self.memory = Memory(width)
        self.names: List[str] = ["e%d" % i for i in range(n)]

    def forward(self, x: Tensor) -> Tuple[Tensor, Dict[str, float]]:
        weights = F.softmax(self.gate(x), dim=-1)
        y = torch.zeros_like(x)
        for i, part in enumerate(self.parts):
            y = y + weights[:, i:i + 1] * part(x)
        report: Dict[str, float] = {}
        for i, name in enumerate(self.names):
            report[name] = float(weights[:, i].mean())
        return self.memory(y), report


class Early(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])

    def forward(self, x: Tensor, limit: float) -> Tuple[Tensor, int]:
        depth = 0
        for layer in self.layers:
            if bool(x.norm() <= limit):
                x = torch.relu(layer(x)) + 0.1
                depth += 1
        return x, depth


a = torch.jit.script(fill(Attention(4, 2)))
x = torch.cos(torch.arange(24.0)).reshape(2, 3, 4)
print(a(x).detach()[0])
causal = torch.tril(torch.ones(3, 3))
print(a(x, causal).detach()[1])
a(x, causal).pow(2).sum().backward()
print([f"{p.grad.norm():.4f}" for p in a.parameters()])

m = torch.jit.script(Memory(2))
for k in range(3):
    print(m(torch.tensor([[1.0, 2.0], [3.0, 4.0]]) * k), m.count)
print(m.peek(), m.peek(2.0))
m.reset()
print(m.peek(), m.decay, list(m.state_dict()))

e = torch.jit.script(fill(Experts(2, 3)))
y, report = e(torch.tensor([[0.5, -1.0], [2.0, 0.25]]))
print(y.detach(), [f"{k} {v:.4f}" for k, v in sorted(report.items())])
print(e.memory.state.detach(), len(e.parts), e.names)
print([n for n, _ in e.named_parameters()])

d = torch.jit.script(fill(Early()))
for limit in (0.5, 2.0, 100.0):
    y, depth = d(torch.tensor([1.0, 0.5, -0.5]), limit)
    print(y.detach(), depth)
y.sum().backward()
print([p.grad is not None for p in d.parameters()])
d.train(False)
print(d.training, isinstance(d, torch.jit.ScriptModule))
