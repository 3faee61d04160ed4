# What a caller sees of an error inside a script: the class, and the last line of the text.
from typing import Dict, List

import torch


class Mine(ValueError):
    def __init__(self, text):
        super().__init__(text)


@torch.jit.script
def raises(x: int):
    if x > 0:
        raise ValueError("bad " + str(x))
    return x


@torch.jit.script
def raises_mine(x: int):
    if x > 0:
        raise Mine("mine")
    return x


@torch.jit.script
def raises_by_value(x):
    if bool(x.sum() > 0):
        raise IndexError("too much")
    return x


@torch.jit.script
def asserts(x: int):
    assert x < 0, "neg"
    return x


@torch.jit.script
def item(x: List[int], i: int):
    return x[i]


@torch.jit.script
def key(x: Dict[str, int]):
    return x["q"]


@torch.jit.script
def sizes(x):
    return x + torch.ones(9)


@torch.jit.script
def calls(x: int):
    return sizes(torch.ones(x))


@torch.jit.script
def changes(x: List[int], what: int):
    if what == 0:
        x.remove(9)
    if what == 1:
        return x.index(9)
    return x.pop()


@torch.jit.script
def divides(x: int, y: int):
    return x // y


class Transposed(torch.nn.Module):
    def forward(self, x):
        return x.t()


def tried(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        lines = [line for line in str(e).split("\n") if line]
        print(type(e).__module__, type(e).__name__, isinstance(e, RuntimeError), lines[0][:64], lines[-1],
              [line.split(",")[-1].strip() for line in lines if line.strip().startswith("File")])


tried(raises, 3)
tried(raises_mine, 3)
tried(raises_by_value, torch.ones(2))
tried(raises_by_value, -torch.ones(2))
tried(asserts, 3)
tried(asserts, -3)
tried(item, [1], 4)
tried(key, {})
tried(sizes, torch.ones(10))
tried(calls, 4)
tried(changes, [1], 0)
tried(changes, [1], 1)
tried(changes, [], 2)
tried(divides, 1, 0)
tried(torch.jit.script(Transposed()), torch.ones(1, 2, 3))
