# A traced function may look at numbers: it sees the example's, and what it did with them stays.
import torch


def signed(x, y):
    if x.sum() > 0:
        return x + y
    return x - y


a, b = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
for example in (a, -a):
    traced = torch.jit.trace(signed, (example, b), check_trace=False)
    print(traced(a, b), traced(-a, b))


def halved(x):
    n = 0
    while x.norm().item() > 1:
        x = x / 2
        n += 1
    return x * n + float(x.max()), torch.tensor(x.tolist())


traced = torch.jit.trace(halved, torch.tensor([3.0, 4.0]), check_trace=False)
print(traced(torch.tensor([3.0, 4.0])), traced(torch.tensor([6.0, 8.0])))
print([int(v) for v in torch.jit.trace(lambda x: x * int(x[1]), torch.tensor([1, 3]))(torch.tensor([5, 7]))])
