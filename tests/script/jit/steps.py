# The step that made a result of a traced or scripted function, as it prints.
import torch
from torch import nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
x = torch.ones(1, 2)
t = torch.jit.trace(m, x)
print(t(x))
s = torch.jit.script(m)
print(s(x))
@torch.jit.script
def f(x):
    return (x * 2).sum()
print(f(torch.ones(2, requires_grad=True)))
@torch.jit.script
def g(x):
    return torch.sigmoid(x @ x)
print(g(torch.eye(2, requires_grad=True)))
lin = torch.jit.script(nn.Linear(2, 1))
print(lin(x))
