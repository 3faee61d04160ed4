# Lists and dicts that are scripted are shared with scripts; their items are of one type.
from typing import Dict, List

import torch


@torch.jit.script
def append(x: List[int], v: int):
    x.append(v)


@torch.jit.script
def put(d: Dict[str, float], k: str, v: float):
    d[k] = v


@torch.jit.script
def scale(x: List[torch.Tensor]):
    x[0] = x[0] * 2
    return len(x)


def tried(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__)


plain, shared = [1, 2], torch.jit.script([1, 2])
append(plain, 3)
append(shared, 3)
print(plain, shared, len(shared), 3 in shared, shared[-1], shared[:2], list(shared))
shared[0] = 7
shared.extend([8, 9])
shared.insert(1, 5)
del shared[2]
print(shared, shared.count(8), shared.pop(), shared.pop(0), shared)
shared.remove(8)
print(shared)
tried(lambda: shared.append("x"))
tried(lambda: shared.__setitem__(0, "x"))
tried(lambda: shared[9])
tried(lambda: shared.remove(99))

d = torch.jit.script({"a": 1.0})
put(d, "b", 2.0)
print(d, len(d), "b" in d, d["b"], list(d), list(d.items()), bool(d))
tried(lambda: d["zz"])
tried(lambda: d.__setitem__(3, 1.0))
tried(lambda: d.__delitem__("zz"))
del d["a"]
print(d)

tensors = torch.jit.script([torch.ones(2), torch.zeros(1)])
print(scale(tensors), tensors[0])
