# Calls, annotations and declarations that TorchScript refuses when a function is scripted: kind of exception and first line.
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

found = []


def case(f):
    found.append(f)
    return f


@case
def check_many(x):
    torch._check(True, "msg", "extra")
    return x


@case
def check_keyword(x):
    torch._check(True, invalid_arg="msg")
    return x


@case
def check_twice(x):
    torch._check(True, cond=False)
    return x


@case
def check_without(x):
    torch._check(message="msg only")
    return x


@case
def check_nothing(x):
    torch._check()
    return x


@case
def hasattr_name(x, name: str):
    return hasattr(x, name)


@case
def hasattr_tensor(x):
    return hasattr(x, "shape")


@case
def getattr_tuple(x: Tuple[str, int]) -> int:
    return getattr(x, "x", 2)


@case
def fork_of_tensor(x):
    return torch.jit._fork(x)


@case
def future_without(x):
    futs = torch.jit.annotate(List[torch.jit.Future], [])
    return x


@case
def slice_keyword(x: List[int]):
    return x[slice(1, stop=2)]


@case
def delete_slice(x: List[int]) -> List[int]:
    del x[1:3]
    return x


@case
def delete_unknown(x):
    del b
    return x


@case
def list_for_int():
    b: int = [2, 3]
    return b


@case
def dict_for_tuple():
    d: Tuple[int, str] = {i: chr(i + 65) for i in range(4)}
    return d


@case
def dict_of_pairs():
    x: Dict[int, str] = dict([("foo", 1), ("bar", 2)])
    return x


@case
def dict_of_mixed_keys():
    l1 = [1, 2, "foo", 3]
    l2 = ["foo", "bar", "baz", "qux"]
    d: Dict[int, str] = dict(zip(l1, l2))
    return d


@case
def dict_of_mixed_values():
    l1 = ["foo", "bar", "baz", "qux"]
    l2 = [1, 2, "foo", 3]
    d: Dict[str, int] = dict(zip(l1, l2))
    return d


@case
def dict_without_type():
    a = dict()
    a[1] = 2
    return a


@case
def legacy_mixed():
    return torch.LongTensor(1, [2])


@case
def legacy_keyword():
    return torch.LongTensor(hello="1")


@case
def tuple_of_two():
    return tuple(1, 2)


@case
def tuple_of_list():
    return tuple([1, 2, 3])


@case
def annotated_again():
    x = 5
    if 1 == 1:
        x: Optional[int] = 7


@case
def factory_ones():
    return torch.ones([2], requires_grad=True)


@case
def factory_randn():
    return torch.randn([2], requires_grad=True)


@case
def reduced_by_tensor(points, query, dim):
    return (points * query).sum(dim)


@case
def tuple_by_variable(a: bool):
    if a:
        b = 1
    else:
        b = 0
    c = (0, 1.1)
    print(c[b])


@case
def tuple_attribute(x):
    print((x, x, x).__doc__)
    return x


@case
def result_attribute(x):
    return x.max(dim=1).unknown_symbol


@case
def tuple_not_refined(t: Any):
    if isinstance(t, tuple):
        a, b = t
    return a + b


@case
def range_of_float():
    for i in range(0.3):
        print(i)


@case
def range_without():
    for i in range():
        print(i)


@case
def break_in_tuple(x):
    for a in (1, "2", 1.5):
        b = a
        if x:
            break
    return b


@case
def exception_as_value():
    a = Exception()
    print(a)


@case
def raised_number():
    raise 3 + 4


@case
def filled_without_value(x):
    return x.masked_fill(True)


@case
def unknown_operator(x):
    torch.set_anomaly_enabled(True)
    return x


@case
def item_without(inp: torch.Tensor):
    return inp.__getitem__()


@case
def added_to_tuple(a: Tuple[int, int]) -> None:
    a[0] += a[1]


@case
def of_ignored(x):
    return ignored("2")


@torch.jit.ignore
def ignored(my_arg):
    return my_arg + 10


@case
def unknown_type(x: "Foo") -> int:
    return 1


@case
def unknown_inner(x: Dict[str, nn.Linear]):
    return


class Mixed(Enum):
    RED = 1
    GREEN = "green"


@case
def mixed_enum(x: Mixed, y: Mixed) -> bool:
    return x == y


class Point(NamedTuple):
    x: torch.Tensor = torch.zeros(2)


@case
def tensor_default(p: Point):
    return p.x


@case
def default_of_lists(x: Tuple[int, List[int]] = (1, [])):
    return x


@case
def contained_list(x: Any):
    assert torch.jit.isinstance(x, List)


@case
def contained_dict(x: Any):
    assert torch.jit.isinstance(x, Dict)


for f in found:
    try:
        torch.jit.script(f)
        print(f.__name__, "accepted")
    except Exception as e:
        print(f.__name__, type(e).__name__, [l for l in str(e).split("\n") if l.strip()][0].split(" at ")[0].split(" since ")[0])
