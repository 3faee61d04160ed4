# Programs that are made for values of numbers: 0.0 and -0.0 are two; unions written with |.
import math

import torch


@torch.jit.script
def signed(x: float, y: float) -> float:
    return math.copysign(x, y)


@torch.jit.script
def rest(x: float, y: float) -> float:
    return math.fmod(x, y)


for y in (-0.0, 0.0, -0.0):
    print(signed(2.5, y), rest(y, 3.0))


@torch.jit.script
def either(x: int | str | None) -> int:
    return 1


print(either(3), either("a"), either(None))
try:
    either([2.5])
except RuntimeError as e:
    print("Expected a member of Union[int, NoneType, str] but instead found type List[float]" in str(e), "Expected a member of" in str(e))


def adds(x, y):
    x.add_(1)
    y.add_(1)
    return x + y


traced = torch.jit.trace(adds, (torch.zeros(2), torch.zeros(2)))
a = torch.zeros(2)
print(traced(a, a), a)
