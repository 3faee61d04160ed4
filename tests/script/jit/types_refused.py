# What TorchScript refuses is refused when it is scripted, with the place.
import math
from typing import *

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

found = []


def f0(x: int, y: int):
    return x // y, x % y, x / y, -x, ~x, x & y, x << 1, abs(x), min(x, y), max(x, 3)


found.append(f0)


def f41(x: int):
    y = x
    y += 1
    y *= 2
    y //= 3
    z = 1.0
    z /= 2
    return y, z


found.append(f41)


N43 = 3
W43 = 2.5
NAMES43 = ["a"]
def f43(x):
    return x * N43 + W43


found.append(f43)


def f60(x: int):
    return x + 'a'


found.append(f60)


def f61(x: Optional[int]):
    return x + 1


found.append(f61)


def f62(x: List[int]):
    return x + 1


found.append(f62)


def f63(x):
    for i in range(3):
        y = x
    return y


found.append(f63)


def f64(x):
    while True:
        y = 1
        break
    return y


found.append(f64)


def f65(x: Optional[Tensor]):
    if x is None:
        y = 1
    else:
        y = x
    return y


found.append(f65)


def f66(x: Dict[str, int], k: int):
    return x[k]


found.append(f66)


def f67(x):
    return x.shape.foo


found.append(f67)


def g69(x: List[int]):
    return x
def f69(x):
    return g69([1.0])


found.append(f69)


def g71(x: Optional[int]):
    return x
def f71(x):
    return g71(None), g71(3), g71(2.0)


found.append(f71)


def g72(x: Tuple[int, int]):
    return x
def f72(x):
    return g72((1, 2)), g72((1, 2.0))


found.append(f72)


def f74(x: int):
    if x > 0:
        return 1
    return 2.0


found.append(f74)


def f75(x: int):
    if x > 0:
        return "a"
    return x


found.append(f75)


def f76(x) -> str:
    return x


found.append(f76)


def f77(x: str) -> Tensor:
    return torch.zeros(1) if x == "a" else None


found.append(f77)


def f78(x: int) -> Optional[Tensor]:
    return x


found.append(f78)


def f79(x):
    y: List[int] = [1.0]
    return y


found.append(f79)


def f80(x):
    y: Dict[str, int] = {"a": 1.0}
    return y


found.append(f80)


def f81(x):
    x.y = 3
    return x


found.append(f81)


def f83(x):
    return x[1.5]


found.append(f83)


def f86(x):
    return undefined_function(x)


found.append(f86)


def f87(x):
    return not_defined.attr


found.append(f87)


def f89(x):
    for x in range(3):
        pass
    return x


found.append(f89)


def f92(x: Tensor, n: int):
    if n > 0:
        x = n
    return x


found.append(f92)


def f93(x: Optional[int]):
    y = 0
    if x:
        y = x
    return y


found.append(f93)


def f94(x: Optional[Tensor]):
    if x:
        return 1
    return 0


found.append(f94)


def f95(x: float) -> int:
    return x


found.append(f95)


def f100(x: Tuple[Tensor, Tensor]) -> Tensor:
    return x


found.append(f100)


def f101(x: Tuple[Tensor, Tensor]):
    a, b, c = x
    return a


found.append(f101)


def f102(x):
    return -None


found.append(f102)


def f103(x):
    return x + None


found.append(f103)


def f104(x):
    return x < "a"


found.append(f104)


def f105(x):
    return x.shape[0] + x.shape


found.append(f105)


def f106(x: int):
    return x @ x


found.append(f106)


def f107(x: float):
    return x & 1


found.append(f107)


def f108(x: str):
    return x * 2, x + "a", x % 1


found.append(f108)


def f109(x: str):
    return x - "a"


found.append(f109)


def f110(x, *args):
    return x


found.append(f110)


def f111(x, **kw):
    return x


found.append(f111)


def f112(x):
    try:
        return x
    except Exception:
        return x


found.append(f112)


def f113(x):
    return (lambda y: y)(x)


found.append(f113)


def f114(x):
    return {1, 2}


found.append(f114)


def f115(x):
    del x
    return x


found.append(f115)


def f116(x):
    global z
    return x


found.append(f116)


def f117(x): yield x


found.append(f117)


FLAG118 = True
def f118(x):
    if FLAG118:
        return x
    return x + 1


found.append(f118)


def f119(x: int):
    return ~x


found.append(f119)


def f120(x: str):
    return x * 2


found.append(f120)


def f126(x):
    x @= x
    return x


found.append(f126)


def f127(x):
    x //= 2
    return x


found.append(f127)


T129 = torch.zeros(2)
def f129(x):
    return x + T129


found.append(f129)


L130 = [1, 2]
def f130(x):
    return x + L130[0]


found.append(f130)


S131 = "a"
def f131(x):
    return S131


found.append(f131)


D132 = torch.float32
def f132(x):
    return x.to(D132)


found.append(f132)


def f133(x):
    y = x.sum()
    if y > 0 and x.size(0) > 1:
        z = [1, 2]
    else:
        z = []
    return z


found.append(f133)


def f157(x, y: List[int] = [1, 2]):
    return x + y[0]


found.append(f157)

for f in found:
    try:
        torch.jit.script(f)
        print(f.__name__, "accepted")
    except Exception as e:
        print(f.__name__, type(e).__name__, [l for l in str(e).split("\n") if l.strip()][0])
try:
    torch.jit.script(found[-1])
except Exception as e:
    print(str(e)[str(e).find('def f'):])
