# A number where BroadcastingListN stands is a list of N.
from typing import List

import torch
from torch.jit.annotations import BroadcastingList2, BroadcastingList3


@torch.jit.script
def floats(x, y):
    # type: (float, BroadcastingList3[float]) -> List[float]
    return y


@torch.jit.script
def ints(x: BroadcastingList2[int]):
    return x


print(floats(2.0, 1.0), floats(2.0, [1.0, 2.0, 3.0]), floats(2.0, (1.0, 1.0, 1.0)))
print(ints(1), ints([3, 4]), ints((5, 6)))
try:
    print(ints("a"))
except RuntimeError as e:
    print("refused")


def dynamic(a):
    # type: (Any) -> int
    b = 0
    if isinstance(a, (int, float)):
        b += 1
    if isinstance(a, (int, str)):
        b += 10
    if isinstance(a, (List[int], str)):
        b += 100
    return b


from typing import Any, Dict

print([torch.jit.script(dynamic)(v) for v in (1, 1.5, "a", [1, 2])])


@torch.jit.script
def of_dict(x: Any):
    assert isinstance(x, Dict[str, torch.Tensor])
    return x["a"] * 2


print(of_dict({"a": torch.ones(1)}))
try:
    isinstance([1], List[int])
except TypeError as e:
    print(e)


@torch.jit.script
def masked(x, y):
    a = torch.exp(x)
    b = x == 1
    a[b] += y[b]
    return a


print(masked(torch.ones(2, 2), torch.ones(2, 2)), masked(torch.arange(3.0), torch.arange(3.0)))
