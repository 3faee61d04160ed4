# What a file keeps of a scripted module: attributes of every kind, hooks, functions, instances, methods from text.
import io
from typing import List, Tuple

import torch
from torch import nn


class Point:
    def __init__(self, x: int, y: float):
        self.x = x
        self.y = y

    def total(self) -> float:
        return self.x + self.y


def twice(x):
    return x * 2


def before(self, input: Tuple[torch.Tensor]) -> Tuple[torch.Tensor]:
    return (input[0] + self.shift[0],)


def after(self, input: Tuple[torch.Tensor], output: torch.Tensor) -> torch.Tensor:
    return output - 0.5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = (3, 4)
        self.names = {1: "one", 2: "two"}
        self.sizes: List[int] = [1, 2]
        self.point = Point(2, 0.5)
        self.fn = twice
        self.act = torch.sigmoid
        self.big = float("inf")
        self.tensors = [torch.ones(2), torch.zeros(1)]

    @property
    def level(self):
        return self.shift[0]

    @level.setter
    def level(self, value: int):
        self.shift = (value, self.shift[1])

    @staticmethod
    def halved(x):
        return x / 2

    def forward(self, x):
        x = self.halved(x) + self.level + int(hasattr(self, "spare"))
        y = self.fn(x) + self.point.total() + self.tensors[0]
        if self.big > 1e300:
            y = y + len(self.names[1])
        return self.act(y * 0.01) + self.shift[1]

    def spare(self):
        return 1


def again(m):
    file = io.BytesIO()
    torch.jit.save(m, file)
    file.seek(0)
    return torch.jit.load(file)


net = Net()
net.register_forward_pre_hook(before)
net.register_forward_hook(after)
scripted = torch.jit.script(net)
loaded = again(scripted)
x = torch.tensor([1.0, 2.0])
print(net(x), scripted(x), loaded(x))
print(loaded.shift, loaded.names, loaded.sizes, loaded.big, [t.tolist() for t in loaded.tensors])


class Marked(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0]))
        self.define("""
            def more(self, x):
                return x * self.w + 1
        """)

    @torch.jit.script_method
    def forward(self, x):
        return self.more(x) + self.w


m = again(Marked())
print(m(x).detach(), m.more(x).detach())
