# Random numbers in scripts and traces: drawn anew at each call, and the same as without them.
import torch
from torch import nn


@torch.jit.script
def add_noise(x):
    return x + torch.rand(2)


@torch.jit.script
def dropped(x):
    return torch.nn.functional.dropout(x, 0.5, True)


@torch.jit.script
def in_a_loop(x, n: int):
    for i in range(n):
        x = x + torch.randn(2)
    return x


def normal(mean, std):
    return torch.normal(mean, std)


x = torch.zeros(2)
print(bool((add_noise(x) == add_noise(x)).all()))
ones = torch.ones(64)
print(dropped(ones).tolist() == dropped(ones).tolist())
for f in (add_noise, lambda x: in_a_loop(x, 3)):
    torch.manual_seed(0)
    a = f(x)
    b = f(x)
    torch.manual_seed(0)
    print(a, b, torch.equal(f(x), a))
torch.manual_seed(0)
t = torch.jit.trace(normal, (torch.zeros(2, 3), torch.ones(2, 3)), check_trace=False)
print(torch.rand(2))
m, s = torch.zeros(5), torch.ones(5)
print(t(m, s))
torch.manual_seed(1)
a = t(m, s)
torch.manual_seed(1)
print(torch.equal(a, normal(m, s)), torch.equal(t(m, s), a))
d = torch.jit.trace(nn.Dropout(0.5), (ones,), check_trace=False)
print(d(ones).tolist() == d(ones).tolist())
s = torch.jit.script(nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5)))
x = torch.ones(3, 4)
print(torch.equal(s(x), s(x)), s.eval() is s, torch.equal(s(x), s(x)))


def packed(x, lengths):
    p = nn.utils.rnn.pack_padded_sequence(x, lengths)
    o, n = nn.utils.rnn.pad_packed_sequence(p)
    return o


t = torch.jit.trace(packed, (torch.ones(3, 3, 1), torch.tensor([3, 2, 1])))
y = t(torch.ones(5, 3, 1), torch.tensor([5, 4, 2]))
print(y.shape, y.sum())
