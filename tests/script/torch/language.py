from __future__ import annotations

import math
import itertools

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field, asdict
from functools import lru_cache, reduce, partial
from typing import Callable, Iterator, Protocol, TypeVar, Generic

import torch
from torch import Tensor, nn

T = TypeVar("T")


@dataclass(frozen=True)
class Config:
    width: int = 4
    depth: int = 2
    rates: list[float] = field(default_factory=lambda: [0.1, 0.01])

    @property
    def size(self) -> int:
        return self.width * self.depth


@dataclass
class Meter:
    name: str
    total: float = 0.0
    count: int = 0

    def update(self, v: float, n: int = 1) -> Meter:
        self.total += v * n
        self.count += n
        return self

    @property
    def avg(self) -> float:
        return self.total / max(1, self.count)

    def __str__(self):
        return f"{self.name}: {self.avg:.4f} ({self.count})"


class Strategy(ABC):
    @abstractmethod
    def apply(self, x: Tensor) -> Tensor: ...

    def __call__(self, x):
        return self.apply(x)


class Scale(Strategy):
    def __init__(self, k): self.k = k
    def apply(self, x): return x * self.k


class Chain(Strategy):
    def __init__(self, *parts: Strategy): self.parts = parts
    def apply(self, x): return reduce(lambda a, f: f(a), self.parts, x)


@contextmanager
def section(title):
    print(f"<{title}>")
    try:
        yield title.upper()
    finally:
        print(f"</{title}>")


def batches(x: Tensor, n: int) -> Iterator[Tensor]:
    for i in range(0, len(x), n):
        yield x[i:i + n]


@lru_cache(maxsize=None)
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)


cfg = Config(width=3)
print(cfg, cfg.size, asdict(cfg))
try:
    cfg.width = 5
except Exception as e:
    print(type(e).__name__, e)
try:
    Strategy()
except TypeError as e:
    print(str(e).split(" with")[0])
with section("scale") as s:
    print(s, Chain(Scale(2), Scale(torch.tensor([1.0, 10.0])))(torch.ones(2)))
m = Meter("loss")
for b in batches(torch.arange(7.0), 3):
    m.update(b.mean().item(), len(b))
print(m, [fact(i) for i in range(6)])
grid = {"lr": [0.1, 0.01], "wd": [0, 1e-4]}
for combo in (dict(zip(grid, v)) for v in itertools.product(*grid.values())):
    print(combo, end="; ")
print()
print(f"{'name':<10}|{'value':>8}|{3.14159:^10.3f}|{1234567:,}|{0.5:.1%}|{255:#x}|{7:03d}|{1e-7:.2e}|{True!s:>6}")
a, *rest, z = torch.arange(5).unbind()
print(a, rest, z)
xs = [t.item() for t in torch.linspace(0, 1, 5)]
print(sorted(xs, key=lambda v: -v)[:2], max(enumerate(xs), key=lambda p: p[1]), list(itertools.accumulate([1, 2, 3])), list(itertools.pairwise([1, 2, 3])))
if (n := len(xs)) > 3:
    print(f"{n=} {xs[1]=:.2f}")
def gen():
    got = yield 1
    while got is not None:
        got = yield got * 2
g = gen(); next(g)
print(g.send(5), g.send(torch.tensor(3)))
try:
    try:
        torch.ones(2) @ torch.ones(3)
    except RuntimeError as e:
        raise ValueError("wrapped") from e
except ValueError as e:
    print(e, type(e.__cause__).__name__)
class Registry(dict):
    def __missing__(self, k):
        self[k] = len(self)
        return self[k]
r = Registry()
print([r[w] for w in "a b a c".split()], dict(r))
print(" ".join(f"{k}={v}" for k, v in sorted(vars(m).items())), isinstance(Scale(1), Strategy), hasattr(m, "avg"), getattr(m, "nope", None))
print(*map(lambda p: tuple(p.shape), nn.Linear(2, 3).parameters()), sep=" | ")
matrix = [[1, 2], [3, 4]]
print([list(c) for c in zip(*matrix)], any(x > 3 for r in matrix for x in r), sum(map(sum, matrix)), {i: c for i, c in enumerate("ab")}, {x % 2 for x in range(5)})
match_ = {"a": 1, **{"b": 2}, "c": [*range(2), 9]}
print(match_, divmod(17, 5), round(2.675, 2), 7 // -2, -7 % 3, 2 ** 10, int("0x1f", 16), float("1e3"), "abc"[::-1], "a,b".split(","), "x".join(["1", "2"]), "%5.2f|%-4s|%d" % (2.5, "a", 3))
assert isinstance(cfg.rates, list), "rates"
print(torch.tensor(2.0) == 2, torch.tensor([1]) in [torch.tensor([1])], torch.tensor(1) and "yes", not torch.tensor(0))
