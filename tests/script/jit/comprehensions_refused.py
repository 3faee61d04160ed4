# Comprehensions: what TorchScript makes lists of, and what it refuses; what is no function, and no result of a trace.
from typing import Dict, List

import torch
from torch import Tensor


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).strip().split("\n")[0])


@torch.jit.script
def numbers(x: List[int], t: List[Tensor]):
    return (sum(i * i for i in x), any(i > 2 for i in x), all(i > 0 for i in x), ", ".join(str(i) for i in x), max(i for i in x),
            list(i + 1 for i in x), torch.stack(v * 2 for v in t))


print(numbers([1, 2, 3], [torch.ones(2), torch.ones(2)]))


def condition(x: List[int]):
    return [i for i in x if i > 0]


def keys(x: List[int]):
    return {i: i for i in x if i > 0}


def two(x: List[int]):
    return [i + j for i in x for j in x]


def sets(x: List[int]):
    return {i for i in x}


def otherwise(x: Tensor):
    for k in [1, 2]:
        pass
    else:
        x = x + 1
    return x


def named(x: Tensor):
    return (y := x)


for f in (condition, keys, two, sets, otherwise, named):
    attempt(lambda: torch.jit.script(f))
for what in (3, "a", len, None):
    attempt(lambda: torch.jit.script(what))
try:
    torch.jit.script(lambda x: x)
except RuntimeError as e:
    print(str(e).split(":")[0])
attempt(lambda: torch.jit.trace(lambda x: 3, torch.ones(2)))
attempt(lambda: torch.jit.trace(lambda x: None, torch.ones(2)))
attempt(lambda: torch.jit.trace(lambda x: {"a": x}, torch.ones(2)))
attempt(lambda: torch.jit.trace(lambda x: "a", torch.ones(2)))
