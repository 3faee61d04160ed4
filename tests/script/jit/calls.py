# Calls of scripts: what arguments become by their types, what is refused; what a script knows of
# itself; which values have gradients.
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor, nn


def tried(f, *args, **kwargs):
    try:
        r = f(*args, **kwargs)
        print(r.detach() if isinstance(r, Tensor) else r)
    except Exception as e:
        print(type(e).__name__, str(e).split("\nCast error")[0])


@torch.jit.script
def g(x, n: int, s: float):
    return x * n * s


for args in [(torch.ones(1), 2, 3), (torch.ones(1), torch.tensor(2), torch.tensor(2)), (torch.ones(1), torch.tensor(2.7), 1.),
             (torch.ones(1), True, 1.0), (torch.ones(1), 2.5, 1.0), (3, 2, 1.0), (torch.ones(1), "a", 1.0), (torch.ones(1),),
             (torch.ones(1), None, 1.0)]:
    tried(g, *args)


@torch.jit.script
def h(x: Optional[Tensor], b: bool, t: Tuple[int, int], d: Dict[str, int]):
    return b, t, d


for args in [(None, True, (1, 2), {'a': 1}), (None, 1, (1, 2), {'a': 1}), (None, True, [1, 2], {'a': 1}),
             (None, True, (1, 2.), {}), (None, True, (1, 2), {1: 2}), (None, "b", (1, 2), {})]:
    try:
        print(h(*args))
    except RuntimeError as e:
        print(str(e).split("\n")[0])


def commented(a, b):
    # type: (int, float) -> float
    return a + b


c = torch.jit.script(commented)
print(c(torch.tensor(3), torch.tensor(4.5)), c(1, 2))


@torch.jit.script
def sizes(x):
    return x.shape, x.size(), x.size(0), x.dim(), x.numel()


print(sizes(torch.ones(2, 3)))


@torch.jit.script
def text(x: int, y: float):
    return str((x, x)), f"{x} and {y}", "{}:{}".format(x, y), str([y])


print(text(1, 2.5), text(7, -1.5))


@torch.jit.script
def union(x: Union[List[int], int]) -> int:
    if torch.jit.isinstance(x, int):
        return 1
    else:
        return 100


@torch.jit.script
def several(x: Any) -> int:
    if torch.jit.isinstance(x, List[int]):
        return 1
    elif torch.jit.isinstance(x, Dict[str, Tensor]):
        return 2
    elif torch.jit.isinstance(x, Tuple[int, str]):
        return 3
    elif isinstance(x, Tensor):
        return 4
    elif isinstance(x, float):
        return 5
    return 6


print(union(1), union([1]))
print([several(x) for x in ([1], {"a": torch.ones(1)}, (1, "a"), torch.ones(1), 2.0, "t")])


@torch.jit.script
def tracing(x):
    if torch.jit.is_tracing():
        return x + 1
    if torch.jit.is_scripting():
        return x - 1
    return x


@torch.jit.script
def scripting_with_lists(x: List[int]):
    x.append(1)
    return torch.jit.is_scripting(), torch.jit.is_tracing(), len(x)


print(tracing(torch.zeros(2)), scripting_with_lists([4]), torch.jit.is_scripting(), torch.jit.is_tracing())
print(torch.jit.trace(lambda x: x + 1 if torch.jit.is_tracing() else x, (torch.zeros(1),))(torch.zeros(1)))


@torch.jit.script
def hashes(a, b):
    return hash(a) == hash(b)


a = torch.tensor(1)
print(hashes(a, a), hashes(a, torch.tensor(1)))
tried(lambda: torch.zeros(2).unsqueeze(torch.tensor(1)).shape)
try:
    torch.zeros(2).unsqueeze(torch.tensor(1.1))
except TypeError:
    print("TypeError")


# ---- gradients ----

@torch.jit.script
def half_cut(x, y):
    with torch.no_grad():
        w = x + y
        v = x.view(-1)
    return w * x + v


@torch.jit.script
def detached(x):
    return x.detach() * x


@torch.jit.script
def data_of(x):
    return x.data


@torch.jit.script
def pair(a, c):
    return a.relu(), c.relu(), a.detach() + c, c.long()


@torch.jit.script
def asks(x):
    return x.requires_grad


@torch.jit.script
def by_grad(x):
    if x.requires_grad:
        return x * 2
    return x


@torch.jit.script
def all_cut(x):
    with torch.no_grad():
        w = x + 1
    return w


@torch.jit.script
def unused(a, b):
    return a * 2


x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    half_cut(x, torch.ones(2))
half_cut(x, torch.ones(2)).sum().backward()
print(x.grad)
x = torch.full((2,), 3., requires_grad=True)
detached(x).sum().backward()
print(x.grad, data_of(x).requires_grad, data_of(x))
print([p.requires_grad for p in pair(torch.ones(2), x)], [p.requires_grad for p in pair(x, torch.ones(2))])
print(asks(x), asks(torch.ones(2)), by_grad(x).detach(), by_grad(torch.ones(2)), all_cut(x).requires_grad)
t = torch.jit.trace(lambda x: (x * 2).detach(), (torch.ones(2),))
print(t(x).requires_grad)
b = torch.ones(2, requires_grad=True)
print(torch.autograd.grad(unused(x, b).sum(), (x, b), allow_unused=True))
unused(x, b).sum().backward()
print(b.grad)


def of_dict(d: Dict[str, Tensor]):
    return d['a'] * 2


d = {'a': torch.ones(2, requires_grad=True), 'b': torch.ones(2, requires_grad=True)}
t = torch.jit.trace(of_dict, (d,))
print(torch.autograd.grad(t(d).sum(), (d['a'], d['b']), allow_unused=True))


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x):
        with torch.no_grad():
            self.mean.data.mul_(0.5).add_(0.5 * x.mean(0))
        return (x - self.mean) * self.w


s = torch.jit.script(Keeps())
for _ in range(2):
    y = s(torch.tensor([[1., 2.], [3., 4.]]))
y.sum().backward()
print(y.detach(), s.mean, s.mean.requires_grad, s.w.grad)
