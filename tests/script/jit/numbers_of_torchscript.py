# Numbers as TorchScript has them: a bool is no int, the larger of an int and a float is a float, round gives a float.
from typing import Any, List

import torch


@torch.jit.script
def kind(x: Any):
    if isinstance(x, int):
        return "int"
    if isinstance(x, float):
        return "float"
    if isinstance(x, bool):
        return "bool"
    if isinstance(x, (list, tuple)):
        return "several"
    return "another"


print([kind(x) for x in (1, 1.5, True, [1], (1, 2), "a", None)])


@torch.jit.script
def numbers(x: int, y: float, b: bool):
    return max(x, y), min(y, x), max(x, 2), round(y), isinstance(b, int), isinstance(b, bool), isinstance(x, int)


print(numbers(5, 2.5, True), numbers(1, 3.5, False))


@torch.jit.script
def with_tensors(t: torch.Tensor, y: float):
    n = t.size(0)
    return t * max(n, y) + round(y) / 2


print(with_tensors(torch.ones(3), 1.5), with_tensors(torch.ones(2), 7.25))
