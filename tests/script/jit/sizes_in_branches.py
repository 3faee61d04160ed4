# A branch of a saved program makes tensors of a size of the program around it, which is free.
import os
import tempfile
import torch


def like(x):
    if bool(x.sum() > 0):
        x = x + torch.ones_like(x)
    return x


def new(x):
    if bool(x.sum() > 0):
        x = x + torch.zeros(x.shape[0], 3) + torch.arange(x.shape[0]).reshape(-1, 1)
    else:
        x = x.reshape(x.shape[0] * 3).reshape(x.shape) * 2
    return x


def turns(x):
    while bool(x.sum() > 0):
        if bool(x[0, 0] > 0):
            x = x - torch.full((x.shape[0], 3), 0.5)
    return x


for f in (like, new, turns):
    s = torch.jit.script(f)
    s(torch.ones(2, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.weft")
        torch.jit.save(s, path)
        back = torch.jit.load(path)
    for x in (torch.ones(4, 3), -torch.ones(5, 3)):
        print(f.__name__, torch.equal(back(x), f(x)), tuple(back(x).shape))
