# What TorchScript refuses is refused when it is scripted, and the text says why.
import math
import warnings
from typing import Dict, List, Optional, Tuple, Union

import torch
from torch import nn


def tried(make, *words):
    try:
        make()
        print("no error")
    except Exception as e:
        print(type(e).__name__, [w in str(e) for w in words])


def script(text, name):
    # The function, from its text in the file, so that both see the same source.
    return lambda: torch.jit.script(globals()[name])


def falls_off(x: int) -> int:
    if x > 1:
        return x


def alone(x: List):
    return x


def alone_dict(x: Dict) -> int:
    return 1


def not_a_value(x):
    return x.unsqueeze


def no_tuple(x):
    a, b = x + x
    return a


def not_callable(x):
    return x(3)


def unsupported(x: float):
    return math.hypot(x, 2.0)


def no_items(t: Tuple[int, int]):
    t[0] = 3
    return t


def added(t: Tuple[int, int]):
    t[0] += 3
    return t


def of_a_tuple(x):
    return not (x, x)


def deleted(x):
    del x
    return x


def too_big():
    return 99999999999999999999


def of_int(x):
    return torch.unsqueeze(3, 0)


def with_keyword(x):
    print(x, flush=True)
    return x


def inner_wrong(x: int):
    return x + "text"


def outer(x: int):
    return inner_wrong(x)


for name, *words in (
        ("falls_off", "does not return along all paths"), ("alone", "Attempted to use List without a contained type"),
        ("alone_dict", "Attempted to use Dict without contained types"), ("not_a_value", "cannot be used as a value"),
        ("no_tuple", "cannot be used as a tuple"), ("not_callable", "cannot call a value"),
        ("unsupported", "is currently not supported in Torchscript"), ("no_items", "subscripted assignment"),
        ("added", "augmented assign"), ("of_a_tuple", "Could not cast value of type Tuple[Tensor, Tensor] to bool"),
        ("deleted", "undefined value"), ("too_big", "out of range"), ("of_int", "but instead found type"),
        ("with_keyword", "print doesn't accept any keyword arguments"),
        ("outer", "'inner_wrong' is being compiled since it was called from 'outer'", "def outer(x: int):")):
    print(name, end=" ")
    tried(script("", name), *words)


class NoField:
    def __init__(self, x: int):
        self.x = x

    def get(self) -> int:
        return self.y


class Twice:
    def __init__(self, x):
        self.x = x
        self.x = 10


class Late:
    def __init__(self, x):
        if 1 == 1:
            self.x = x


class Derived(NoField):
    pass


for cls, word in ((NoField, "object has no attribute or method 'y'"), (Twice, "Wrong type for attribute assignment"),
                  (Late, "assignment cannot be in a control-flow block"), (Derived, "does not support inheritance")):
    tried(lambda: torch.jit.script(cls), word)


class Point:
    def __init__(self, x: int):
        self.x = x

    def twice(self) -> int:
        return self.x * 2


def takes_text():
    return Point("a").x


def no_method():
    return Point(1).thrice()


def added_points():
    return Point(1) + Point(2)


def fine(n: int):
    p = Point(n)
    p.x = p.twice()
    return p.x


tried(script("", "takes_text"), "Expected a value of type 'int' for argument 'x' but instead found type 'str'")
tried(script("", "no_method"), "object has no attribute or method 'thrice'")
tried(script("", "added_points"), "__add__")
print(torch.jit.script(fine)(4))


class Sets(nn.Module):
    def __init__(self):
        super().__init__()
        self.x: List[int] = []

    def forward(self, x: List[int]):
        self.x = x
        return 1


class SetsNone(nn.Module):
    def __init__(self):
        super().__init__()
        self.x = None

    def forward(self, x: Optional[str]):
        self.x = x
        return 1


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    tried(lambda: torch.jit.script(Sets()), "Tried to set nonexistent attribute")
    print(any(["instance-level annotations on empty non-base types" in str(w.message) for w in caught]))
tried(lambda: torch.jit.script(SetsNone()), "Wrong type for attribute assignment")


@torch.jit.script
def member(x: Union[int, str]) -> int:
    return 1


print(member(3), member("a"))
tried(lambda: member([1]), "Expected a member of Union[int, str] but instead found type List[int]")
module = torch.jit.script(nn.Sequential(nn.Linear(2, 2)))


def calls_module(x):
    return module(x)


tried(script("", "calls_module"), "Cannot call a ScriptModule that is not a submodule of the caller")
