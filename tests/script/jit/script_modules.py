# Classes derived from ScriptModule: methods that are marked, methods from text, types that are checked once an instance is made.
from typing import List

import torch
from torch import nn


class Scaled(torch.jit.ScriptModule):
    def __init__(self, by):
        super().__init__()
        self.by = nn.Parameter(torch.full((2,), by))
        self.inner = nn.Linear(2, 2)

    @torch.jit.script_method
    def helper(self, x, n: int):
        if n > 1:
            x = x + n
        return x * self.by

    @torch.jit.script_method
    def forward(self, x):
        return self.helper(x, 2) + self.helper(x, 1)

    def plain(self, x):
        return x.tolist()


m = Scaled(3.0)
print(m(torch.ones(2)), m.helper(torch.ones(2), 5), m.plain(torch.ones(2)))
print(type(m.inner).__name__, sorted(m.state_dict()))


class Defined(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0]))
        self.define("""
            def twice(self, x):
                return x * self.w * 2
        """)
        self.define("""
            def total(self, xs: List[int]) -> int:
                n = 0
                for x in xs:
                    n += x
                return n
        """)

    @torch.jit.script_method
    def forward(self, x):
        return self.twice(x) + self.total([1, 2])


d = Defined()
print(d(torch.ones(2)).detach(), d.total([4, 5]), d.twice(torch.ones(2)).detach())
d.define("""
def later(self, x):
    return self.twice(x) - 1
""")
print(d.later(torch.ones(2)).detach())


class Wrong(torch.jit.ScriptModule):
    @torch.jit.script_method
    def forward(self, x):
        return x + "text"


try:
    Wrong()
except RuntimeError as e:
    print("refused", "Arguments for call are not valid" in str(e))
