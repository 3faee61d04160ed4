# Containers, texts, optional values, in-place writes and views in scripted functions.
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import Tensor


class Box(NamedTuple):
    low: Tensor
    high: Tensor


@torch.jit.script
def area(b: Box) -> Tensor:
    return (b.high - b.low).prod()


@torch.jit.script
def grow(b: Box, by: float) -> Box:
    return Box(b.low - by, b.high + by)


@torch.jit.script
def tally(xs: List[Tensor], names: List[str]) -> Dict[str, Tensor]:
    out: Dict[str, Tensor] = {}
    for x, name in zip(xs, names):
        if name in out:
            out[name] = out[name] + x
        else:
            out[name] = x
    return out


@torch.jit.script
def describe(n: int, x: float, name: str) -> str:
    return "{} has {} items, mean {}".format(name.upper(), n, x) + ("!" if n > 3 else ".")


@torch.jit.script
def write(x: Tensor) -> Tensor:
    y = x.clone()
    y[0] = 10.0
    y[1:3] += 1.0
    y[-1] *= 2
    y[y > 9] = 0.0
    return y


@torch.jit.script
def in_place(x: Tensor) -> Tensor:
    x.add_(1)
    x *= 3
    return x.sum()


@torch.jit.script
def views(x: Tensor) -> Tensor:
    y = x.clone()
    row = y[0]
    row += 100.0
    y.view(-1)[1] = -1.0
    return y


@torch.jit.script
def matrix_power(a: Tensor, n: int) -> Tensor:
    result = torch.eye(a.size(0))
    base = a
    while n > 0:
        if n % 2 == 1:
            result = result @ base
        base = base @ base
        n = n // 2
    return result


@torch.jit.script
def default_or(x: Optional[int], other: int = 7) -> int:
    if x is None:
        x = other
    return x + 1


@torch.jit.script
def swap(pairs: List[Tuple[int, str]]) -> List[Tuple[str, int]]:
    return [(b, a) for a, b in pairs]


@torch.jit.script
def slices(x: Tensor, start: int, size: int) -> List[Tensor]:
    return [x[start:start + size], x[::2], x[..., None][:, 0], x[x > 1.5], x[[0, -1]]]


@torch.jit.script
def pad_to(x: Tensor, n: int) -> Tensor:
    if x.size(0) >= n:
        return x[:n]
    return torch.cat([x, torch.zeros(n - x.size(0))])


@torch.jit.script
def accumulate(x: Tensor, rounds: int) -> Tuple[Tensor, List[float]]:
    history: List[float] = []
    while rounds > 0:
        x = x * 0.9 + 0.1
        history.append(float(x.mean()))
        rounds -= 1
    return x, history


@torch.jit.script
def types(x: Tensor) -> Tuple[int, int, bool, Tensor]:
    n = x.dim()
    return n, len(x), x.is_floating_point(), torch.tensor(x.shape)


b = Box(torch.tensor([0.0, 1.0]), torch.tensor([2.0, 4.0]))
print(area(b), grow(b, 0.5).low, area(grow(b, 0.5)))
t = tally([torch.ones(2), torch.full((2,), 5.0), torch.ones(2)], ["a", "b", "a"])
print(t["a"], t["b"], sorted(t.keys()))
print(describe(4, 2.5, "box"), describe(1, 0.5, "bag"))
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
print(write(x), x)
y = torch.ones(3)
print(in_place(y), y)
print(views(torch.zeros(2, 2)))
print(matrix_power(torch.tensor([[1.0, 1.0], [1.0, 0.0]]), 10))
print(default_or(None), default_or(3), default_or(None, other=1))
print(swap([(1, "a"), (2, "b")]))
for part in slices(x, 1, 2):
    print(part)
print(pad_to(x, 2), pad_to(x, 6))
v, h = accumulate(torch.zeros(2), 3)
print(v, [f"{k:.4f}" for k in h])
print(types(torch.zeros(2, 3)))
