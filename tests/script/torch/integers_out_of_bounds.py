# An int that the dtype does not hold is refused where it is written, negative ones become unsigned, and arithmetic wraps.
import torch


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def put(a, v):
    a[0] = v
    return a


for dtype, values in ((torch.uint8, (300, 256, 255, -1, -255, -256)), (torch.int8, (128, -128, -129)), (torch.int32, (2**31, -2**31, 2**40))):
    for v in values:
        show(lambda: torch.tensor([v], dtype=dtype))
        show(lambda: torch.full((1,), v, dtype=dtype))
        show(lambda: put(torch.zeros(2, dtype=dtype), v))
show(lambda: torch.zeros(2, dtype=torch.uint8) + 300)
show(lambda: torch.full((2,), 2**62 + 1))
show(lambda: torch.full((), -2**62 - 1).item())
