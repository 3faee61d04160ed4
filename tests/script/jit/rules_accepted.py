# What TorchScript accepts is accepted: the same calls, annotations and loops, as they should be.
import torch
from torch import nn, Tensor
from typing import *
from collections import OrderedDict, namedtuple
found = []
def case(f):
    found.append(f)
    return f
class P(NamedTuple):
    a: Tensor
    b: int = 3
@case
def a1(x):
    d = dict(zip(["a", "b"], [1, 2])); return d["a"] + d["b"]
@case
def a2(x):
    v, i = x.max(dim=1); w = x.max(1); return v + w.values + w[0], i
@case
def a3(x):
    return torch.cat((x, x)), torch.cat([x, x], 1), torch.stack([x] * 2), torch.cat(x.unbind(0))
@case
def a4(x):
    return x.sum(0), x.sum((0, 1)), x.sum([0]), x.mean(-1), x.sum(dim=0), x.amax(dim=(0, 1)), x.sum(dtype=torch.float64)
@case
def a5(x):
    for i in range(2):
        y: List[int] = []
        y.append(i)
    return x
@case
def a6(x: Optional[Tensor]):
    if x is not None:
        y: Tensor = x + 1
    else:
        y: Tensor = torch.zeros(2)
    return y
@case
def a7(x):
    return x.expand(2, 3), x.expand([2, 3]), x.expand(size=(2, 3)), x.expand(-1, -1)
@case
def a8(x):
    l: List[Tensor] = []
    l.append(x); del l[0]; l += [x]; k = [x, x]; del k[1]
    return l, k
@case
def a9(x):
    p = P(x, 4); return p.a + p.b
@case
def b1(x):
    t = (x, 1, 2.0); return t[0], t[1], t[-1]
@case
def b2(x):
    d: Dict[str, Tensor] = {}; d["a"] = x
    e: Dict[int, List[int]] = dict(); e[1] = [2]
    return d, e
@case
def b3(x, y: Optional[int] = None, z: Tuple[int, int] = (1, 2)):
    if y is None:
        y = 3
    return x + y + z[0]
@case
def b4(x):
    a = [1, 2.0]
    return torch.tensor([1, 2]), torch.tensor([1.5]), x[:, ::2], x[1:-1], x[..., None]
@case
def b5(x):
    if x.sum() > 0:
        raise ValueError("positive", 3)
    assert x.dim() == 2, "two"
    return x
@case
def b6(x: List[int]) -> Tuple[int, int]:
    a, b = x; c = tuple((a, b)); return c
@case
def b7(x: Any):
    if isinstance(x, Tensor):
        return 1
    elif isinstance(x, int):
        return 2
    elif torch.jit.isinstance(x, List[int]):
        return 3
    return 0
@case
def b8(x):
    return torch.min(x), torch.min(x, x), torch.min(x, 0)[0], torch.max(x, dim=1, keepdim=True).values, x.median(), x.sort()[0], x.topk(1).values
@case
def b9(x: Dict[str, int]):
    s = 0
    for k, v in x.items():
        s += v
    for k in x: s += len(k)
    return s, list(x.keys()), sorted(x.values())
@case
def c1(x):
    torch._check(x.dim() > 0, "m"); torch._check(True); return x
@case
def c2(x):
    y = 0
    for i, v in enumerate([1, 2, 3]):
        if v == 2: continue
        y += i * v
        if y > 5: break
    return y, [i for i in range(3)], {i: str(i) for i in range(2)}
@case
def c3(x: Optional[List[int]] = None, y: Union[int, str] = 1):
    return x is None
@case
def c4(x: torch.Tensor, d: torch.device, t: torch.dtype, n: "int" = 2, s: str = "a"):
    return x.to(d), n
@case
def c5(x):
    # type: (Tensor) -> Tuple[Tensor, int]
    return x, 1
@case
def c6(x: Tensor, *, dim: int) -> Tensor:
    return x.sum(dim)
@case
def c7(x):
    return getattr(x, "T"), torch.zeros(2, dtype=torch.int32), torch.full((2,), 1.0), torch.randn([2, 2]).shape, torch.LongTensor([1]), torch.FloatTensor(2, 2).shape
@case
def c8(x):
    o = OrderedDict([("a", x)]); return o["a"]
@case
def c9(x):
    return torch.where(x > 0, x, 0.0), torch.clamp(x, min=0.0), x.masked_fill(x > 0, 1.0), x.scatter_add(0, x.long(), x), torch.nn.functional.pad(x, [1, 1])
class M(nn.Module):
    def __init__(self):
        super().__init__(); self.l = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)]); self.d = nn.ModuleDict({"a": nn.Linear(3, 3)}); self.n = 2; self.f = torch.relu; self.e: List[int] = [1]
    def forward(self, x):
        for i, l in enumerate(self.l): x = l(x) * i
        for l, k in zip(self.l, range(2)): x = l(x) + k
        for k, l in self.d.items(): x = l(x)
        if hasattr(self, "n"): x = x * self.n
        return self.f(self.l[0](self.d["a"](x))) + self.e[0]
for f in found + [M()]:
    n = getattr(f, "__name__", "M")
    try: torch.jit.script(f); print(n, "accepted")
    except Exception as e: print(n, type(e).__name__, [l for l in str(e).split("\n") if l.strip()][:1])
