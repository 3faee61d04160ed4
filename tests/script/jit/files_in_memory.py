# Scripted and traced modules and functions in buffers; functions from their text.
import io
import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.arange(3.0))
        self.register_buffer("n", torch.tensor(2.0))

    def forward(self, x):
        return x * self.w + self.n


def copied(m, **more):
    b = io.BytesIO()
    torch.jit.save(m, b)
    b.seek(0)
    return torch.jit.load(b, **more)


@torch.jit.script
def more(x, n: int):
    y = x
    for i in range(n):
        y = y + i
    return y


x = torch.ones(3)
for m in (torch.jit.script(Scale()), torch.jit.trace(Scale(), (x,))):
    c = copied(m)
    print(c(x), sorted(c.state_dict()))
    c = copied(m, map_location="cpu")
    print(torch.jit.load(io.BytesIO(m.save_to_buffer()))(x), c.n.device)
print(copied(more)(x, 3), copied(torch.jit.trace(lambda x: x * 2, (x,)))(x))
b = io.BytesIO()
torch.jit.save(torch.jit.script(Scale()), b, _extra_files={"note": "hello"})
b.seek(0)
extra = {"note": ""}
torch.jit.load(b, _extra_files=extra)
print(extra)

unit = torch.jit.CompilationUnit("""
def twice(x):
    return x * 2

def both(x, ys: List[int]) -> Tensor:
    r = twice(x)
    for y in ys:
        if y > 1:
            r = r + y
    return r
""")
print(unit.twice(x), unit.both(x, [1, 2, 3]))
unit.define("""
    def third(x):
        return x / 3
""")
print(unit.third(x))
try:
    unit.missing
except AttributeError as e:
    print(e)
try:
    torch.jit.CompilationUnit("""
def bad(x: int) -> str:
    return x
""")
except RuntimeError as e:
    print("RuntimeError")
