# Derivatives that depend on whether one is wanted: by backward, by functions of functions, in programs.
import torch
import torch.nn.functional as F

x = torch.tensor([[3., 1., 2.], [7., 5., 4.]])
ties = torch.tensor([1., 2., 2., 3.])
bad = torch.tensor([1., float("nan"), 2., 3.])


def pad(w):
    return (F.embedding(torch.tensor([0, 1, 1]), w, padding_idx=1) * 2).sum()


def by_backward(f, x):
    x = x.clone().requires_grad_()
    f(x).backward()
    return x.grad


def scripted(x):
    return x.median()


ways = {"backward": by_backward, "func": lambda f, x: torch.func.grad(f)(x),
        "compiled": lambda f, x: by_backward(torch.compile(f), x)}
for name, way in ways.items():
    for f in (lambda x: x.median(), lambda x: x.max(), lambda x: x.nanmedian(), lambda x: x.amax(), lambda x: torch.dist(x, x * 0)):
        print(name, [way(f, v).tolist() for v in (x, ties)])
    print(name, way(pad, torch.ones(3, 2)), way(lambda x: x.median(), bad).tolist())
print(by_backward(torch.jit.script(scripted), x), torch.func.jvp(lambda x: x.median(), (x,), (torch.ones_like(x),)))
print(torch.func.vmap(torch.func.grad(lambda x: x.median()))(x))
