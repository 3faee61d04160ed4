# What TorchScript accepts is accepted: types are checked when functions are scripted.
import math
from typing import *

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

found = []


def f1(x: float):
    return int(x), round(x), math.floor(x), math.sqrt(x), x ** 2, str(x), bool(x)


found.append(f1)


def f2(x):
    a = x.size()
    b = x.shape[0]
    c = list(x.shape)
    return a[0] + b + c[-1] + x.dim() + x.numel()


found.append(f2)


def f3(x, y: Optional[Tensor] = None):
    if y is not None:
        x = x + y
    return x


found.append(f3)


def f4(x, y: Optional[Tensor] = None):
    if y is None:
        return x
    return x + y


found.append(f4)


def f5(x, y: Optional[int] = None):
    z = 0
    if y is not None and y > 3:
        z = y
    w = y if y is not None else 5
    return x * z + w


found.append(f5)


def f6(x, y: Optional[Tensor]):
    assert y is not None
    return x + y


found.append(f6)


def f7(x, y: Optional[Tensor]):
    if y is None or x.sum() > 0:
        y = x
    return y + 1


found.append(f7)


def f8(xs: List[Tensor]):
    out: List[Tensor] = []
    for i, t in enumerate(xs):
        out.append(t * i)
    return torch.cat(out), len(out)


found.append(f8)


def f9(xs: List[int]):
    s = 0
    for v in xs:
        s += v
    return s, sorted(xs), xs[::2], [v * 2 for v in xs], sum(xs), xs + [1], xs * 2, 3 in xs


found.append(f9)


def f10(d: Dict[str, Tensor]):
    t = torch.zeros(1)
    for k, v in d.items():
        t = t + v
    for k in d.keys():
        t = t + d[k]
    if "a" in d:
        t = t + d["a"]
    g = d.get("q", t)
    return t + g, list(d.keys())


found.append(f10)


def f11(d: Dict[int, float]):
    d[3] = 2.0
    return d[1] + d.pop(3), len(d)


found.append(f11)


def f12(t: Tuple[Tensor, int]):
    a, b = t
    return a * b + t[0] + t[-1]


found.append(f12)


def f13(x):
    i = 0
    while i < 3:
        x = x + i
        i += 1
        if x.sum() > 10:
            break
        else:
            continue
    return x, i


found.append(f13)


def f14(x):
    y = x
    for i in range(x.size(0)):
        if i % 2 == 0:
            y = y + x[i]
        elif i == 3:
            y = y - 1
    return y


found.append(f14)


def f15(s: str):
    a = s + "b"
    b = "%s" % s
    c = "{} {}".format(s, 1)
    return a, b, c, s.upper(), len(s), s[0], s == "a", s in "abc", s.split(","), ",".join([s, a])


found.append(f15)


def f16(x: Any):
    if isinstance(x, int):
        return 1
    elif isinstance(x, str):
        return 2
    return 3


found.append(f16)


def f17(x: Union[int, List[int]]):
    if isinstance(x, int):
        return x + 1
    else:
        return x[0]


found.append(f17)


def g18(a, b: float = 2.0):
    return a * b
def f18(x):
    return g18(x) + g18(x, 3.0) + g18(a=x, b=1.0) + g18(x, b=x.sum())


found.append(f18)


def f19(x):
    return x.item() + 1, float(x), int(x), bool(x), x.tolist if False else 0


found.append(f19)


def f20(x):
    y = int(x.sum())
    z = y * 1.5
    return x.view(-1, 1).expand(-1, 3) * z


found.append(f20)


def f21(x) -> Tuple[Tensor, Optional[Tensor]]:
    return x, None


found.append(f21)


def f22(x) -> List[Optional[int]]:
    a: List[Optional[int]] = [1, None]
    a.append(3)
    return a


found.append(f22)


def f23(x):
    a: Optional[Tensor] = None
    for i in range(3):
        if a is None:
            a = x
        else:
            a = a + x
    assert a is not None
    return a


found.append(f23)


def f24(x):
    d: Dict[str, List[int]] = {}
    d["a"] = [1, 2]
    d["a"].append(3)
    return d


found.append(f24)


def f25(x):
    l = torch.jit.annotate(List[int], [])
    l.append(1)
    l.extend([2, 3])
    l.insert(0, 5)
    l.pop()
    l.reverse()
    l.sort()
    l.clear()
    return l


found.append(f25)


def f26(x):
    if x.sum() > 0:
        y = 1
        z = x
    else:
        y = 2
        z = x + 1
    return z + y


found.append(f26)


def f27(x):
    if x.sum() > 0:
        return x
    elif x.sum() < -1:
        return x + 1
    else:
        raise RuntimeError("bad")


found.append(f27)


def f28(x, n: int):
    if n > 3:
        raise ValueError("no")
    else:
        y = x * n
    return y


found.append(f28)


def f29(x):
    a = 1
    a = 2.0
    a = x
    a = "s"
    return a


found.append(f29)


def f30(x: List[Tuple[int, str]]):
    s = 0
    for a, b in x:
        s += a + len(b)
    return s


found.append(f30)


def f31(x: List[List[int]]):
    return [[j + 1 for j in i] for i in x]


found.append(f31)


def f32(x):
    for a, b in zip([1, 2], ["a", "b"]):
        x = x + a
    for i in (1, 2.0, "a"):
        print(i)
    return x


found.append(f32)


def f33(x):
    with torch.no_grad():
        y = x * 2
    return y


found.append(f33)


def f34(x):
    return x if x.sum() > 0 else x + 1


found.append(f34)


def f35(x: Optional[float]):
    return x if x is not None else 0.0


found.append(f35)


def f36(x: bool, y: bool):
    return x and not y or x == y


found.append(f36)


def f37(x):
    return (x > 0) & (x < 1) | ~(x == 2), x.dtype, x.device, x.is_cuda


found.append(f37)


def f38(x):
    return torch.zeros(x.size(), dtype=x.dtype, device=x.device), torch.zeros(2, x.shape[1]), torch.arange(x.size(0)), torch.tensor([1, 2]), torch.ones([2, 3])


found.append(f38)


def f39(x):
    return F.relu(x) + F.softmax(x, dim=-1) + F.pad(x, [1, 1]) + F.linear(x, x) + F.dropout(x, 0.5, True)


found.append(f39)


def f40(x):
    a, b = 1, 2
    a, b = b, a
    (c, d), e = (a, b), 3
    return a + b + c + d + e


found.append(f40)


def f42(x):
    x += 1
    x[0] = 2
    x[:, 1] *= 3
    x[0, 0] += x[1, 1]
    return x[None, ..., 0], x[1:], x[-1], x[x > 0], x[[0, 1]]


found.append(f42)


def f44(x: Optional[List[int]] = None):
    if x is None:
        x = [1]
    return x[0]


found.append(f44)


def f45(x: Optional[Tensor], y: Optional[Tensor]):
    if x is not None and y is not None:
        return x + y
    if x is None:
        return y
    return x


found.append(f45)


def f46(x):
    def_ = 3
    return len([1, 2]) + def_, range(3)[1] if False else 0


found.append(f46)


def f47(x: int) -> float:
    return float(x)


found.append(f47)


def f48(x: List[float]) -> float:
    return sum(x) / len(x) + max(x)


found.append(f48)


def f49(x: torch.device, y: torch.dtype):
    return torch.zeros(2, device=x, dtype=y)


found.append(f49)


def f50(x: "Tensor", y: "Optional[Tensor]" = None):
    return x if y is None else y


found.append(f50)


def f51(x, y):
    # type: (Tensor, int) -> Tensor
    return x * y


found.append(f51)


def f52(x):
    return torch.empty(0), [t for t in x], [i for i in range(3)], {i: i * 2 for i in range(3)}


found.append(f52)


def f53(x: Tuple[int, int]) -> List[int]:
    y: List[int] = [x[0], x[1]]
    return y


found.append(f53)


def f54(a: List[int], b: List[int]):
    return a == b, a + b, a[0] < b[0], len(a) == len(b) and a[0] == 1


found.append(f54)


def f55(x: complex):
    return x + 1j, x.real if False else 0


found.append(f55)


def f56(x):
    try_ = x.std(), x.var(0), x.norm(), x.mean(dim=(0, 1)), torch.std(x, 0), torch.max(x, x), torch.where(x > 0, x, x), x.where(x > 0, x)
    return try_


found.append(f56)


def f57(x, k: int = 3, s: str = "a", b: bool = True, fl: float = 1, l: Optional[int] = None):
    return x * k


found.append(f57)


class P58(NamedTuple):
    a: Tensor
    b: int
def f58(x):
    p = P58(x, 3)
    return p.a * p.b, p


found.append(f58)


class C59(object):
    def __init__(self, x: Tensor):
        self.x = x
        self.n = 0
    def add(self, y: Tensor):
        self.x = self.x + y
        self.n += 1
        return self
def f59(x):
    c = C59(x)
    c.add(x).add(x)
    return c.x, c.n


found.append(f59)


def f68(x, y: List[str]):
    return x * y


found.append(f68)


def g70(x: List[int]):
    return x
def f70(x):
    return g70([])


found.append(f70)


def g73(x: List[int]):
    return x
def f73(x):
    return g73((1, 2)), g73(x.shape), g73(x.size())


found.append(f73)


def f82(x):
    return [1, "a"][0]


found.append(f82)


def f84(x: int):
    return len(x)


found.append(f84)


def f85(x):
    if x.sum() > 0:
        def_ = 1
    return x


found.append(f85)


def f88(x: int):
    for x in range(3):
        pass
    return x


found.append(f88)


def f90(x: Tensor, n: int):
    n = x
    return n


found.append(f90)


def f91(x: Tensor, n: int):
    if n > 0:
        n = x.sum()
    return n


found.append(f91)


def f96(x: float) -> int:
    return int(x)


found.append(f96)


def f97(x: bool) -> float:
    return x


found.append(f97)


def f98(x: bool) -> int:
    return x


found.append(f98)


def f99(x: Tuple[Tensor, Tensor]) -> Tuple[Tensor, int]:
    return x


found.append(f99)


def f121(x: str):
    return x % 1


found.append(f121)


def f122(x: int):
    x **= 2
    return x


found.append(f122)


def f123(x: int):
    x %= 2
    return x


found.append(f123)


def f124(x: int):
    x |= 2
    return x


found.append(f124)


def f125(x: int):
    x <<= 2
    return x


found.append(f125)


def f128(x):
    return x * math.pi


found.append(f128)


def f134(x):
    z: List[int] = [] if x.sum() > 0 else [1]
    return z


found.append(f134)


def f135(x: int, y: Optional[int] = None) -> Tensor:
    z = torch.zeros([x])
    if y is not None:
        z = z + y
    else:
        y = 3
    return z + y


found.append(f135)


def f136(x: Optional[Tensor], n: int):
    for i in range(n):
        if x is None:
            x = torch.zeros(1)
        x = x + i
    return x


found.append(f136)


def f137(x: Optional[Tensor], n: int):
    while x is None:
        x = torch.zeros(1)
    return x


found.append(f137)


def f138(a: int, b: float):
    return max(a, b), min(1, 2.0), a if a > b else a


found.append(f138)


def f139(xs: List[Tensor], idx: int):
    x = xs[idx]
    xs[0] = x
    xs[idx] += 1
    y = xs[:2]
    return torch.stack(y), xs.index(x) if False else 0


found.append(f139)


def f140(x):
    a = x.unsqueeze(0).size(-1)
    b = (a + 1) // 2
    c = x[:, :b, None]
    d = torch.arange(b, device=x.device).view(1, -1).to(x.dtype)
    return c.sum() + d


found.append(f140)


def f141(x, dims: List[int]):
    return x.sum(dims), x.permute(dims), x.mean(dim=dims, keepdim=True), x.reshape(dims), x.view(dims[0], -1)


found.append(f141)


def f142(x):
    y = torch.rand(2) if x.sum() > 0 else None
    if y is None:
        return x
    return x + y


found.append(f142)


def f143(x) -> Dict[str, Tensor]:
    out = {}
    out["a"] = x
    return out


found.append(f143)


def f144(x) -> Dict[str, int]:
    return {}


found.append(f144)


def f145(x) -> List[int]:
    return []


found.append(f145)


def f146(x):
    print("a", x, 1, [1, 2], (x, 3))
    assert x.dim() == 2, "dim " + str(x.dim())
    assert isinstance(x, Tensor)
    return x


found.append(f146)


def f147(x: List[Optional[Tensor]]):
    n = 0
    for t in x:
        if t is not None:
            n += t.numel()
    return n


found.append(f147)


def f148(x: Dict[str, Optional[Tensor]]):
    t = x["a"]
    if t is not None:
        return t + 1
    return torch.zeros(1)


found.append(f148)


def f149(x: Optional[Dict[str, Tensor]] = None):
    if x is None or len(x) == 0:
        return 0
    return len(x)


found.append(f149)


def f150(x: Optional[Dict[str, Tensor]] = None):
    if x is not None and "a" in x:
        return x["a"]
    return torch.zeros(1)


found.append(f150)


def g151(x: Optional[Tensor]) -> Tensor:
    if x is None:
        return torch.zeros(1)
    return x
def f151(x):
    return g151(None) + g151(x)


found.append(f151)


def f152(x: int):
    s = 0
    for i in range(x):
        for j in range(i):
            if j == 2:
                continue
            if i == 5:
                break
            s += i * j
    return s


found.append(f152)


def f153(x: Tensor, m: Tensor):
    return x[m], x[m].sum(), x.masked_fill(m, float("-inf")), x.masked_fill(m == 0, -1e9)


found.append(f153)


def f154(x):
    out = torch.empty_like(x)
    for i in range(x.shape[0]):
        out[i] = x[i] if i > 0 else x[i] * 2
    return out


found.append(f154)


def f155(x):
    return torch.nn.functional.relu(x), nn.functional.gelu(x), torch.sigmoid(x), x.sigmoid().tanh()


found.append(f155)


def f156(x, y: float = 1):
    return x * y


found.append(f156)


def f158(x, y: Tuple[int, int] = (1, 2)):
    return x + y[0]


found.append(f158)


def f159(x, y: Optional[str] = "a"):
    return x


found.append(f159)


def f160(x, mode: str = "a"):
    if mode == "a":
        return x
    elif mode == "b":
        y = x * 2
    else:
        raise NotImplementedError(f"bad {mode}")
    return y


found.append(f160)


def f161(x):
    (a, b), c = (x.sum(), x.mean()), 1
    return a + b + c


found.append(f161)


def f162(x: int, y: int):
    return x == y, x != y and x > y, (x, y) == (1, 2), [x] == [y], "a" == "b", x is None, None is None


found.append(f162)


def f163(x: Union[int, float, str]) -> Union[int, str]:
    if isinstance(x, float):
        return int(x)
    return x


found.append(f163)


def f164(x: Any) -> Any:
    return x


found.append(f164)


def f165(x):
    return [x, x], [(x, 1)], {"a": x, "b": x}, ([1], "a"), [[1], [2]], [None, x]


found.append(f165)


def f166(x):
    a = []
    a.append(x)
    a += [x]
    b = [x] + a
    return torch.cat(b)


found.append(f166)

for f in found:
    torch.jit.script(f)
print(len(found), "accepted")
