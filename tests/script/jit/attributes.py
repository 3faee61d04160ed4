# Lists and dicts that are attributes of a scripted module grow by its methods.
from typing import Dict, List

import torch
from torch import nn


class Log(nn.Module):
    values: List[float]
    counts: Dict[str, int]
    rows: List[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.values = []
        self.counts = {}
        self.rows = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.rows.append(x * 2)
        return torch.stack(self.rows).sum(0)

    @torch.jit.export
    def remember(self, v: float) -> int:
        kept = self.values
        kept.append(v)
        return len(self.values)

    @torch.jit.export
    def extend(self, v: float):
        self.values += [v, v * 2]

    @torch.jit.export
    def count(self, name: str, n: int) -> int:
        if name not in self.counts:
            self.counts[name] = 0
        self.counts[name] += n
        return self.counts[name]


log = torch.jit.script(Log())
print(log.remember(0.5), log.remember(1.5), log.values)
log.extend(2.0)
log.extend(3.0)
print(log.values)
print(log.count("a", 2), log.count("b", 1), log.count("a", 5), dict(log.counts))
print(log(torch.ones(2)), log(torch.tensor([1.0, -1.0])), len(log.rows))


@torch.jit.script
class Pair:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def plus(self, other: "Pair") -> "Pair":
        return Pair(self.x + other.x, self.y + other.y)


@torch.jit.script
def walk(n: int, step: float) -> float:
    p = Pair(0.0, 0.0)
    for i in range(n):
        p = p.plus(Pair(step, 1.0))
    return p.x * p.y


@torch.jit.script
def filled(n: int, value: float):
    return torch.full((n,), value)


print(walk(3, 0.5), filled(2, 1.5), filled(1, 2.0).dtype)
