# Modules, classes, annotations and calls that TorchScript refuses when they are scripted: kind of exception and the line that says
# why; then a module that keeps its types in a file.
import io
import random
from typing import Dict, List, Union

import torch
from torch import nn


def show(f, *a):
    try:
        torch.jit.script(f) if not a else f(*a)
        print("accepted")
    except Exception as e:
        print(type(e).__name__, [l for l in str(e).split("\n") if l.strip()][0].split(" SourceRange")[0].split(" Only tensors")[0])


class BadModule:
    def __init__(self, x: int):
        self.x = x
    def set(self, val: int):
        self.x: int = val


show(BadModule)


class M(torch.jit.ScriptModule):
    __constants__ = ["foo"]
    def __init__(self, foo):
        super().__init__()
        self.foo = foo
m = M(5)


def setit(v):
    m.foo = v


show(setit, 6)


class MyModule(nn.Module):
    @torch.jit.ignore
    def call_np():
        # type: () -> int
        return 1
    def forward(self):
        return self.call_np()


show(MyModule())


def bad(a):
    #type: (Int) -> Int
    return a + 2


show(bad)


def bad2(a):
    # type: (int, int) -> int
    return a + 2


show(bad2)


def st(x: List[int]):
    return x[::-9223372036854775808]


show(st)


class Double(nn.Module):
    def forward(self, thing):
        return thing * 2


class Mod2(nn.Module):
    def __init__(self):
        super().__init__()
        self.mods = nn.ModuleList([Double(), Double()])
    def forward(self, x):
        for val, mod in zip(range(int(x)), self.mods):
            x = mod(x) * val
        return x


show(Mod2())


class M3(Mod2):
    def forward(self, x):
        i = 1
        return self.mods[i](x)


show(M3())


def rnd():
    return random.randint()


show(rnd)


def cat1(a):
    return torch.cat(a)


def sum2(a):
    return torch.sum(a, self=a)


show(cat1)
show(sum2)


@torch.jit.ignore
class C:
    def u(self):
        return "a"


def mk(x):
    return C()


show(mk)


class Attr(nn.Module):
    def __init__(self):
        super().__init__()
        self.foo = object
    def forward(self):
        return self.foo


show(Attr())


def uk(x: Dict[Union[int, str], int]):
    return x


show(uk)


class T:
    def __init__(self):
        self.a = 1


def de(x: int):
    t = T()
    del t[1]


show(de)


class Ign(nn.Module):
    __jit_ignored_attributes__ = ["b"]
    def __init__(self):
        super().__init__()
        self.b = 1
    def forward(self):
        return self.b


show(Ign())



class Named(nn.Module):
    def forward(self, x):
        out = torch.jit.annotate(List[int], [])
        for i in range(x.size(0)):
            out.append(i)
        return out


buffer = io.BytesIO()
torch.jit.save(torch.jit.script(Named()), buffer)
buffer.seek(0)
print(torch.jit.load(buffer)(torch.zeros(3)))
