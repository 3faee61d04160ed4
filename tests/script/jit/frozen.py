# Frozen modules are copies whose parameters are constants; forked calls give futures.
from typing import List

import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.register_buffer("shift", torch.ones(2))
        self.scale = 3

    def forward(self, x):
        return self.lin(x) * self.scale + self.shift


m = Net()
with torch.no_grad():
    m.lin.weight.copy_(torch.tensor([[1., 2.], [3., 4.]]))
    m.lin.bias.zero_()
s = torch.jit.script(m)
x = torch.tensor([[1., -1.]])
try:
    torch.jit.freeze(s)
except RuntimeError as e:
    print(str(e).split(".")[0])
f = torch.jit.freeze(s.eval())
print(f(x), f(x).requires_grad, len(list(f.parameters())), list(f.state_dict()), list(s.state_dict()))
with torch.no_grad():
    m.lin.weight.zero_()
    m.shift.fill_(5.)
print(f(x), s(x).detach())
k = torch.jit.freeze(s, ["shift"])
print(hasattr(k, "shift"), k(x))
o = torch.jit.optimize_for_inference(torch.jit.script(Net()))
print(len(list(o.parameters())))
try:
    torch.jit.freeze(m)
except RuntimeError as e:
    print(str(e).split(".")[0])


def double(x: Tensor, n: int) -> Tensor:
    return x * n


@torch.jit.script
def forks(x: Tensor) -> Tensor:
    a = torch.jit.fork(double, x, 2)
    b = torch.jit.fork(double, x, 3)
    return torch.jit.wait(a) + torch.jit.wait(b)


print(forks(torch.ones(2)))
future = torch.jit.fork(double, torch.ones(1), 4)
print(torch.jit.wait(future), isinstance(future, Tensor))
