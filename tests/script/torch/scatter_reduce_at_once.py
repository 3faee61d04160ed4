# scatter_reduce by prod, amax and amin: places that coincide, ties, dtypes, traces, maps and many elements.
import time

import torch


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e)[:80])


torch.manual_seed(0)
for dt in (torch.float32, torch.float64, torch.int64):
    for how in ("prod", "amax", "amin"):
        x = torch.tensor([[1, -2, 3], [0, 5, 2], [4, 4, -1]]).to(dt)
        i = torch.tensor([[0, 2, 2], [0, 1, 2], [2, 1, 2]])
        s = torch.tensor([[2, -3, 4], [2, 6, -1], [4, 6, 4]]).to(dt)
        for dim in (0, 1):
            print(dt, how, dim, x.scatter_reduce(dim, i, s, how).tolist(), x.scatter_reduce(dim, i, s, how, include_self=False).tolist())
        if dt is not torch.int64:
            a, b = x.clone().requires_grad_(), s.clone().requires_grad_()
            (a.scatter_reduce(0, i, b, how) * torch.arange(1.0, 10.0).reshape(3, 3)).sum().backward()
            print(["%.5g" % (v + 0.0) for v in a.grad.flatten().tolist() + b.grad.flatten().tolist()])
show(lambda: torch.tensor(1.0).scatter_reduce(0, torch.tensor(0), torch.tensor(2.0), "amax"))
show(lambda: torch.ones(3).scatter_reduce(0, torch.tensor([0, 5]), torch.tensor([2.0, 3.0]), "amax").shape)
show(lambda: torch.ones(3).scatter_reduce(0, torch.tensor([0, 2]), torch.tensor([2.0, 3.0]), "nope"))
show(lambda: torch.ones(3, dtype=torch.bool).scatter_reduce(0, torch.tensor([0, 2]), torch.tensor([True, False]), "prod"))
show(lambda: torch.zeros(3, dtype=torch.bool).scatter_reduce(0, torch.tensor([0, 2]), torch.tensor([True, False]), "amax"))
show(lambda: torch.ones(3).half().scatter_reduce(0, torch.tensor([0, 2, 0]), torch.tensor([3.0, 0.5, 2]).half(), "prod"))
show(lambda: torch.zeros(0, 3).scatter_reduce(0, torch.zeros(0, 3, dtype=torch.long), torch.zeros(0, 3), "amin"))
show(lambda: torch.ones(3).scatter(0, torch.tensor([0, 2, 0]), torch.tensor([3.0, 0.5, 2]), reduce="multiply"))
f = lambda x, i, s: x.scatter_reduce(0, i, s, "amax")
args = torch.ones(3), torch.tensor([0, 2, 0]), torch.tensor([3.0, 0.5, 2])
show(lambda: torch.jit.trace(f, args)(torch.zeros(3), torch.tensor([0, 2, 1]), torch.tensor([3.0, 0.5, -2])))
show(lambda: torch.vmap(f)(torch.zeros(2, 3), torch.tensor([[0, 2], [1, 1]]), torch.tensor([[3.0, 0.5], [2.0, 4.0]])))
x = torch.ones(3)
x.scatter_reduce_(0, torch.tensor([0, 2, 0]), torch.tensor([3.0, 0.5, 2]), "amax")
print(x)
start = time.time()
y = torch.zeros(1000, 8).scatter_reduce(0, torch.randint(0, 1000, (20000, 8)), torch.rand(20000, 8), "amax")
print(bool((y > 0.5).all()), time.time() - start < 20)
