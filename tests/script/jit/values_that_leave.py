# What comes out of a script: dtypes are ints, tensors are numbers where the result is one; arguments that require a gradient are written
# to where the modes inside allow it; the instance of a method has any name; what is divided by 0 is inf.
import io
import torch
from torch import Tensor, nn
from typing import Any, Callable, Dict, List, Optional, Set


def t(name, f, *args):
    try:
        print(name, torch.jit.script(f)(*args))
    except Exception as e:
        lines = [l for l in str(e).strip().split("\n") if l.strip()]
        print(name, type(e).__name__, lines[-1] if lines[0].startswith("The following") else lines[0])


def dtypes(x):
    return x.dtype, x.layout, torch.float16, torch.contiguous_format, [x.dtype], x.device


def by_dtype(x, d: torch.dtype, v: torch.device):
    return x.to(d), x.dtype == d, torch.zeros(2, dtype=x.dtype, device=v), d


t("dtypes", dtypes, torch.ones(2, 3))
t("by_dtype", by_dtype, torch.ones(2), torch.int32, torch.device("cpu"))
t("by_dtype", by_dtype, torch.ones(2), 3, torch.device("cpu"))


def an_int(x) -> int:
    return x


def a_float(x) -> float:
    return x.sum()


def a_bool(x) -> bool:
    return x


for v in (torch.tensor(3), torch.ones(1), torch.tensor(2.5), torch.tensor(True)):
    t("an_int", an_int, v)
    t("a_float", a_float, v)
t("a_bool", a_bool, torch.tensor(True))


def emptied(x):
    y = x.detach()
    y.zero_()
    return x


def stepped(x, lr: float):
    with torch.no_grad():
        x -= lr * x


def raised(x):
    x += 1
    return x * 1


w = torch.ones(2, requires_grad=True)
t("stepped", stepped, w, 0.5)
print(w)
t("raised", raised, w)
t("emptied", emptied, w)
print(w)


class Body(nn.Module):
    def __init__(this):
        super().__init__()
        this.scale = 2
        this.linear = nn.Linear(2, 2)
        with torch.no_grad():
            for i, p in enumerate(this.parameters()):
                p.copy_(torch.arange(p.numel()).view(p.shape) + i)

    def forward(this, x, k: int = 3):
        return this.linear(x) + this.more(x, k)

    @torch.jit.export
    def more(me, x, k: int):
        return x * k * me.scale


class Whole(nn.Module):
    def __init__(s):
        super().__init__()
        s.body = Body()

    def forward(s, x):
        for i in range(2):
            x = s.body(x, i)
        return x, s.body.more(x, 1)


for m in (Body(), Whole()):
    scripted = torch.jit.script(m)
    print([v.detach() for v in scripted(torch.ones(1, 2))])
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    print([v.detach() for v in torch.jit.load(file)(torch.ones(1, 2))])


def divided(a: float, b: float):
    return a / b, -a / b, a // b, a % b, (a - a) / b


def ints(a: int):
    return a / 0


def by_nothing(x, b: float):
    return x * (1.0 / b)


t("divided", divided, 1.0, 0.0)
t("divided", divided, 7.5, 2.0)
t("ints", ints, 3)
t("by_nothing", by_nothing, torch.ones(2), 0.0)


def turned(x: List[int]):
    return list(reversed(x))


def part(x: complex):
    return x.real


def behind(x):
    return x[..., [0, 1]]


def before(x):
    return x[0, ..., 1:], x[None, ..., 0]


def put(x: List[int]):
    x[1:3] = [9, 9, 9]
    return x


def one_of(x: Set[int]):
    return 1


def called(x: Callable):
    return 1


def shown(x: int):
    return repr(x)


def array(x):
    return x.numpy()


def listed(x):
    return x.tolist()


def listed_well(x):
    y: List[float] = x.tolist()
    return y


def none(x):
    return x == None


def same(x: int):
    return x is 1, x is None, x is not None


def keyword(x, *, k: int = 2):
    return x * k


def spaced(x: int):
    return f"{x:>5}"


x = torch.arange(8.).view(2, 2, 2)
for f, v in ((turned, [1]), (part, 1j), (behind, x), (before, x), (put, [1, 2]), (one_of, {1}), (called, abs), (shown, 1), (array, x),
             (listed, x), (listed_well, torch.ones(2)), (none, x), (same, 1), (same, 2), (keyword, x), (spaced, 1)):
    t(f.__name__, f, v)
