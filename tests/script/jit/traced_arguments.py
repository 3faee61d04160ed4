# Arguments and results of traces: by name, dicts in another order, what cannot be traced.
import warnings

import torch
from torch import nn


def tried(f, word):
    try:
        f()
        print("no error")
    except Exception as e:
        print(type(e).__name__, word in str(e))


class Named(nn.Module):
    def forward(self, x, y):
        return x - y


a, b = torch.tensor([3.0]), torch.tensor([1.0])
m = torch.jit.trace(Named(), (a, b))
print(m(a, b), m(y=a, x=b), m(a, y=b))
k = torch.jit.trace(Named(), example_kwarg_inputs={"y": a, "x": b})
print(k(x=a, y=b))


def difference(d):
    return d["x"] - d["y"]


t = torch.jit.trace(difference, ({"x": a, "y": b},))
print(t({"x": a, "y": b}), t({"y": b, "x": a}), t({"z": a, "y": b, "x": a}))
tried(lambda: t({"x": a}), "")
tried(lambda: torch.jit.trace(lambda x: x, (1,)), "Type 'Tuple[int]' cannot be traced")
tried(lambda: torch.jit.trace(lambda x: x[0], ([],)), "List trace inputs must have elements")
tried(lambda: torch.jit.trace(lambda x: x, ([a, (a, b)],)), "consistent")
tried(lambda: torch.jit.trace(lambda x: [1, 2], (a,)), "can be output from traced functions")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.jit.trace(lambda x: [x, x + 1], (a,))
    print(any(["cause the trace to be incorrect" in str(w.message) for w in caught]))
torch.manual_seed(3)
print(torch.randn(2, dtype=torch.complex64), torch.rand(2, dtype=torch.complex128))
