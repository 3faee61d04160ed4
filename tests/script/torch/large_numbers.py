# Python's ints beside tensors: all their digits, and none that a dtype does not hold.
import torch

k, big = torch.arange(3, dtype=torch.int32), 10 ** 30
w = torch.arange(3)
print(w.masked_fill(w > 0, 2 ** 60 + 1), w.masked_fill_(w > 1, -2 ** 62 - 3), torch.where(w > 0, w, 2 ** 55 + 1))
for name, f in {"add": lambda: k + big, "eq": lambda: k == big, "float": lambda: torch.ones(2) + big, "bool": lambda: torch.tensor([True]) * big,
                "full": lambda: torch.full((2,), big), "where": lambda: torch.where(k > 0, k, 2 ** 40),
                "where left": lambda: torch.where(k > 0, -2 ** 40, k), "masked_fill": lambda: k.masked_fill(k > 0, 2 ** 40),
                "masked_fill_": lambda: k.masked_fill_(k > 0, 2 ** 40), "fill_": lambda: k.fill_(2 ** 40),
                "uint8": lambda: torch.zeros(2, dtype=torch.uint8).masked_fill(torch.tensor([True, False]), 300)}.items():
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, e)
