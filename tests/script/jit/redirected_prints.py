# What scripted functions print goes where sys.stdout is; numbers are of a union.
import io
from contextlib import redirect_stdout
from typing import List, Optional, Union
import torch


@torch.jit.script
def said(n: int):
    print("n", n)
    return n + 1


@torch.jit.script
def shown(x):
    y = x + 1
    print("sum", int(y.sum()))
    return y


text = io.StringIO()
with redirect_stdout(text):
    print(said(3))
    shown(torch.ones(2))
print(repr(text.getvalue()))
said(4)


@torch.jit.script
def kind(x: int) -> str:
    if torch.jit.isinstance(x, Union[int, str]):
        return "of the union"
    else:
        return "of another type"


@torch.jit.script
def kinds(x: int) -> List[bool]:
    return [torch.jit.isinstance(x, (Union[int, str], float)), torch.jit.isinstance(x, Union[float, str]),
            torch.jit.isinstance(x, Optional[int]), torch.jit.isinstance(x, List[int])]


print(kind(1), kinds(2))
print([torch.jit.isinstance(v, Union[int, List[str]]) for v in (1, ["a"], [1], 1.5)])
