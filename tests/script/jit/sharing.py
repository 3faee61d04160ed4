# What a script does to its arguments, and what its results share with them, as seen by the caller;
# modules that share a class, a parameter or nothing.
import copy
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor, nn


@torch.jit.script
def add_row(a, b):
    a[0] += b
    return a


@torch.jit.script
def through_chunk(x):
    c = torch.chunk(x, 2)
    c[1].add_(5)
    return x


@torch.jit.script
def in_place_then_more(x):
    x.mul_(2)
    y = x * 3
    x.sub_(1)
    return y


@torch.jit.script
def fill_view(x):
    x[0].fill_(7.)
    x.t()[1].zero_()
    return x.sum()


@torch.jit.script
def in_a_branch(x, n: int):
    total = torch.zeros(())
    for i in range(n):
        if bool(x[i] > 0):
            total += x[i]
            x[i] = -1.
    return total


a = torch.zeros(2, 3)
r = add_row(a, torch.ones(3))
r2 = add_row(a, torch.ones(3))
print(a, r, r2, r.data_ptr() == a.data_ptr())
x = torch.zeros(4)
print(through_chunk(x), x)
x = torch.ones(2)
print(in_place_then_more(x), x, in_place_then_more(x), x)
x = torch.ones(2, 2)
print(fill_view(x), x)
x = torch.tensor([1., -2., 3.])
print(in_a_branch(x, 3), x, in_a_branch(x, 2), x)


@torch.jit.script
def flat(a):
    return a.view(-1)


@torch.jit.script
def same(a):
    return a


@torch.jit.script
def parts(a):
    return a[0], a.t(), a[:, 1:], a + 1, a.clone(), a.detach()


@torch.jit.script
def written_view(a):
    a += 1
    return a[1], a.reshape(4)


a = torch.zeros(2, 2)
flat(a)[0] = 5.
print(a)
y = same(a)
y += 1
print(a, y is a)
for i, p in enumerate(parts(a)):
    p.mul_(2)
    print(i, a.tolist())
u, v = written_view(a)
u.zero_()
v[0] = 100.
print(a, u, v)


def turned(a):
    return a.t(), a[1]


t = torch.jit.trace(turned, (torch.zeros(2, 2),))
z, w = t(a)
z[0, 1] = -1.
w[1] = -2.
print(a)
b = torch.ones(3, 2)
z, w = t(b)
z += 1
print(b, z.shape)


def stepped(a, b):
    a.add_(b)
    return a * 2


t = torch.jit.trace(stepped, (torch.zeros(2), torch.ones(2)))
a = torch.zeros(3)
print(t(a, torch.ones(3)), a, t(a, torch.ones(3)), a)


# ---- lists and dicts are the script's own ----

@torch.jit.script
def dict_in(a: Dict[str, Tensor]) -> Dict[str, Tensor]:
    a['a'] += 1
    a['b'] = a['a'] * 2
    return a


@torch.jit.script
def list_in(a: List[int]) -> List[int]:
    a.append(3)
    return a


@torch.jit.script
def tensors_in(a: List[Tensor]) -> List[Tensor]:
    a[0].add_(1)
    a.append(a[0] * 2)
    return a


@torch.jit.script
def nested_in(a: List[List[int]]) -> int:
    a[0].append(1)
    a.append([5])
    return len(a) + len(a[0])


d = {'a': torch.ones(1)}
print(dict_in(d), d)
l = [1, 2]
print(list_in(l), l)
l = [torch.zeros(1)]
print(tensors_in(l), l)
l = [[1]]
print(nested_in(l), l)


# ---- modules ----

class Scale(nn.Module):
    def __init__(self, k, n=1):
        super().__init__()
        self.k = k
        self.n = n

    def forward(self, x):
        for i in range(self.n):
            x = x * self.k
        return x


class Choose(nn.Module):
    def __init__(self, what: str):
        super().__init__()
        self.what = what

    def forward(self, x):
        if self.what == "a":
            return x + 1
        return x - 1


x = torch.ones(2)
s1, s2 = torch.jit.script(Scale(2.0)), torch.jit.script(Scale(3.0, 2))
print(s1(x), s2(x), s1(x), torch.jit.script(Scale(4))(x), torch.jit.script(Scale(5))(x))
print(torch.jit.script(Choose("a"))(x), torch.jit.script(Choose("b"))(x))
s1.k = 7.0
print(s1(x), s2(x))
c1 = copy.deepcopy(s2)
c1.k = 10.0
print(c1(x), s2(x))
print([list(torch.jit.script(nn.Linear(4, n))(torch.ones(2, 4)).shape) for n in (4, 8, 2)])
y = torch.tensor([[-1., 2., -3., 4.]])
for m1, m2 in [(nn.LeakyReLU(0.1), nn.LeakyReLU(0.5)), (nn.ELU(1.0), nn.ELU(2.0)), (nn.LayerNorm(4), nn.LayerNorm(4, eps=1.0)),
               (nn.MaxPool1d(2, 2), nn.MaxPool1d(2, 1)), (nn.Softmax(dim=0), nn.Softmax(dim=1)), (nn.GELU(), nn.GELU(approximate='tanh'))]:
    a, b = torch.jit.script(m1), torch.jit.script(m2)
    print(type(m1).__name__, bool(torch.allclose(a(y), m1(y))), bool(torch.allclose(b(y), m2(y))))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight
        self.register_buffer("seen", torch.zeros(1))
        self.also = self.seen

    def forward(self, x):
        self.seen += 1
        return self.b(torch.relu(self.a(x))) + self.also


torch.manual_seed(0)
m = Tied()
with torch.no_grad():
    m.a.weight.copy_(torch.tensor([[1., 2.], [3., 4.]]))
x = torch.tensor([[1., -0.5]])
m(x).sum().backward()
want, m.a.weight.grad = m.a.weight.grad, None
s = torch.jit.script(m)
print(s(x).detach(), s.seen, m.seen, len(list(s.parameters())))
s(x).sum().backward()
print(torch.equal(m.a.weight.grad, want), s.b.weight is s.a.weight)
with torch.no_grad():
    m.a.weight.mul_(2)
print(s(x).detach(), m.seen)
m.a.weight.grad = None
t = torch.jit.trace(m.eval(), (x,), check_trace=False)
t(x).sum().backward()
print(m.a.weight.grad is not None, torch.equal(t.b.weight, m.a.weight))
c = copy.deepcopy(s)
with torch.no_grad():
    c.a.weight.zero_()
c.seen.fill_(50)
print(c(x).detach(), c.seen, c.also, m.seen)


class Holds(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = torch.ones(2)
        self.l = [1, 2]
        self.n = 3

    def forward(self, x):
        self.t += 1
        self.n += 1
        self.l.append(self.n)
        return x + self.t


m = Holds()
s = torch.jit.script(m)
print(s(torch.zeros(2)), s.t, m.t, s.n, s.l, m.l)
s.t.fill_(10)
print(s(torch.zeros(2)), s.l, s.n, m.n)


class Adds(nn.Module):
    def forward(self, x):
        return x + 10


class Mods(nn.Module):
    def __init__(self):
        super().__init__()
        self.mods = nn.ModuleList([Adds(), Adds()])

    def forward(self, x):
        for m in self.mods:
            x += m(x)
        return x


m = Mods()
s = torch.jit.script(m)
x = torch.ones(2)
print(s(x), x)


class Ready(nn.SELU):
    def __prepare_scriptable__(self):
        return nn.ReLU()


print(torch.jit.script(nn.Sequential(Ready(), nn.Tanh()))(torch.tensor([-1., 0.])))


@torch.jit.script
def corner(a):
    return a.diagonal()


a = torch.zeros(2, 2)
corner(a).fill_(3.)
torch.jit.trace(lambda a: a.diagonal(), (a,))(a)[0] = 9.
print(a)
