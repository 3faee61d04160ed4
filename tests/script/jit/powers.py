# A power of ints is a float, in programs and where the machine runs a function; arguments that share memory.
from typing import List

import torch


@torch.jit.script
def power(n: int, x: torch.Tensor):
    return n ** 2, x * n ** 2, 2 ** 3, 2 ** -1


@torch.jit.script
def on_the_machine(n: List[int]):
    m = n[0]
    return m ** 2, [v ** 2 for v in n]


@torch.jit.script
def written(a, b):
    a.add_(1)
    return b * 2


print(power(3, torch.ones(2)))
print(on_the_machine([3, 4]))
x = torch.arange(4.0).view(2, 2)
print(written(x, x.clone()), written(x, x.view(-1)), written(x, x), x)
