# Control flow of scripted functions in many forms.
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor


@torch.jit.script
def search(table: Tensor, key: float) -> Tuple[int, int]:
    for i in range(table.size(0)):
        for j in range(table.size(1)):
            if float(table[i, j]) == key:
                return i, j
    return -1, -1


@torch.jit.script
def bisect(low: float, high: float, goal: float) -> Tuple[float, int]:
    steps = 0
    mid = 0.0
    while True:
        mid = (low + high) / 2
        if abs(mid * mid - goal) < 1e-6 or steps >= 100:
            break
        if mid * mid < goal:
            low = mid
        else:
            high = mid
        steps += 1
    return mid, steps


@torch.jit.script
def clip_each(x: Tensor, low: float, high: float) -> Tensor:
    out = torch.zeros_like(x)
    for i in range(x.numel()):
        v = x[i]
        out[i] = v if low < float(v) < high else torch.tensor(0.0)
    return out


@torch.jit.script
def sign(x: Tensor) -> int:
    if x.item() > 0:
        return 1
    elif x.item() < 0:
        return -1
    return 0


@torch.jit.script
def power_iteration(a: Tensor, tolerance: float, limit: int) -> Tuple[Tensor, int]:
    v = torch.ones(a.size(0))
    n = 0
    while n < limit:
        w = a @ v
        w = w / w.norm()
        change = (w - v).abs().max()
        v = w
        n += 1
        if bool(change < tolerance):
            break
    return v, n


@torch.jit.script
def primes(n: int) -> List[int]:
    found: List[int] = []
    for k in range(2, n):
        composite = False
        for p in found:
            if p * p > k:
                break
            if k % p == 0:
                composite = True
                break
        if not composite:
            found.append(k)
    return found


@torch.jit.script
def both(x: Tensor, y: Optional[Tensor]) -> Tensor:
    if y is not None and bool((y > 0).all()):
        return x * y
    return x if y is None else x - y


@torch.jit.script
def nested(x: Tensor, n: int) -> Tensor:
    total = torch.zeros(())
    for i in range(n):
        row = x[i]
        for j in range(n):
            if i == j:
                continue
            elif row[j] < 0:
                break
            total += row[j] * (i + 1)
        else_value = total * 0.5
        if bool(else_value > 50):
            return else_value
    return total


@torch.jit.script
def fib(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@torch.jit.script
def floats(x: float, n: int) -> float:
    y = x
    for i in range(n):
        y = y * 0.5 + float(i) / 3 - x // 2.0 + x % 0.7
    return y if y > 0.0 else -y


@torch.jit.script
def ints(a: int, b: int) -> List[int]:
    return [a // b, a % b, -a // b, -a % b, a & b, a | b, a ^ b, a << 2, b >> 1, max(a, b), min(a, b)]


@torch.jit.script
def reversed_cumsum(x: Tensor) -> Tensor:
    out: List[Tensor] = []
    total = torch.zeros_like(x[0])
    for i in range(x.size(0) - 1, -1, -1):
        total = total + x[i]
        out.append(total)
    return torch.stack(out)


table = torch.arange(12.0).reshape(3, 4)
print(search(table, 6.0), search(table, 99.0))
r, n = bisect(0.0, 4.0, 2.0)
print(f"{r:.5f}", n)
print(clip_each(torch.tensor([-2.0, 0.5, 3.0, 0.9]), -1.0, 1.0))
print(sign(torch.tensor(3.0)), sign(torch.tensor(-0.1)), sign(torch.tensor(0.0)))
v, n = power_iteration(torch.tensor([[2.0, 1.0], [1.0, 3.0]]), 1e-4, 100)
print(v, n)
print(power_iteration(torch.tensor([[2.0, 1.0], [1.0, 3.0]]), 1e-4, 2))
print(primes(40))
x = torch.tensor([1.0, 2.0])
print(both(x, None), both(x, torch.tensor([3.0, 4.0])), both(x, torch.tensor([-3.0, 4.0])))
m = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, -6.0], [7.0, 8.0, 9.0]])
print(nested(m, 3), nested(m, 2), nested(m * 10, 3), nested(m, 0))
print([fib(k) for k in range(12)], fib(60))
print(f"{floats(2.3, 5):.6f} {floats(-0.4, 3):.6f}")
print(ints(17, 5))
print(reversed_cumsum(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])))
