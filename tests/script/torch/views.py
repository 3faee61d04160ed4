# What shares memory with what it was made of, and what does not; writes through it, in every way of running.
import copy
import torch
import torch.nn.functional as F
from torch.autograd import Variable


def T(*s):
    return torch.arange(1., 1 + torch.Size(s).numel()).reshape(s)


VIEWS = {
    "diagonal": (lambda x: x.diagonal(), (3, 3)), "diagonal 1": (lambda x: torch.diagonal(x, 1), (3, 4)),
    "diagonal -2": (lambda x: torch.diagonal(x, -2), (3, 4)),
    "diagonal 3d": (lambda x: x.diagonal(dim1=-2, dim2=-1), (2, 3, 3)),
    "diagonal of T": (lambda x: x.T.diagonal(1), (3, 3)), "diagonal dims": (lambda x: x.diagonal(0, 2, 0), (2, 3, 2)),
    "unfold": (lambda x: x.unfold(0, 2, 2), (4,)), "unfold overlap": (lambda x: x.unfold(0, 2, 1), (4,)),
    "unfold 2d": (lambda x: x.unfold(0, 2, 2)[1], (4, 3)), "as_strided": (lambda x: x.as_strided((2,), (2,)), (4,)),
    "as_strided offset": (lambda x: x.as_strided((2, 2), (3, 1), 1), (3, 3)),
    "as_strided of a slice": (lambda x: x[1:].as_strided((2,), (1,)), (4,)),
    "as_strided of T": (lambda x: x.t().as_strided((2, 2), (1, 2)), (2, 3)),
    "T": (lambda x: x.T, (2, 3)), "mT": (lambda x: x.mT, (2, 3)), "movedim": (lambda x: x.movedim(0, 1), (2, 3)),
    "view_as": (lambda x: x.view_as(torch.zeros(2, 2)), (4,)), "reshape T": (lambda x: x.T.reshape(-1), (2, 3)),
    "flatten T": (lambda x: x.T.flatten(), (2, 3)), "x[..., 0]": (lambda x: x[..., 0], (2, 3)),
    "x[1:, None]": (lambda x: x[1:, None], (4,)), "unflatten": (lambda x: x.unflatten(0, (2, 2)), (4,)),
    "split": (lambda x: x.split([1, 3])[1], (4,)), "tensor_split": (lambda x: x.tensor_split(2)[1], (4,)),
    "dsplit": (lambda x: x.dsplit(2)[0], (1, 1, 4)), "unbind": (lambda x: x.unbind(1)[1], (2, 3)),
    "rows": (lambda x: [r for r in x][1], (2, 3)), "view(dtype)": (lambda x: x.view(torch.int32), (2,)),
    "detach": (lambda x: x[0].detach(), (2, 2)), "data": (lambda x: x.data[0], (2, 2)),
    "numpy": (lambda x: torch.from_numpy(x.numpy()[0]), (2, 2)), "contiguous T": (lambda x: x.T.contiguous(), (2, 3)),
    "adjoint": (lambda x: x.adjoint(), (2, 3)), "unsafe_chunk": (lambda x: torch.unsafe_chunk(x, 2)[0], (4,)),
    "index_select": (lambda x: x.index_select(0, torch.tensor([0])), (2, 2)),
}
for name, (f, shape) in VIEWS.items():
    x = T(*shape)
    f(x).zero_()
    print(name, x.tolist())

# Functions whose result is a new tensor, at arguments that leave nothing to do.
COPIES = {
    "roll": (lambda x: torch.roll(x, 1, 1), (3, 1)), "roll 0": (lambda x: torch.roll(x, 0, 0), (3,)),
    "roll all": (lambda x: x.roll(3, 0), (3,)), "roll flat": (lambda x: x.roll(0), (3, 1)),
    "flip": (lambda x: x.flip(1), (3, 1)), "flip none": (lambda x: torch.flip(x, ()), (3, 1)),
    "fliplr": (torch.fliplr, (3, 1)), "flipud": (torch.flipud, (1, 3)), "cat": (lambda x: torch.cat([x]), (3,)),
    "cat empty": (lambda x: torch.cat([x, torch.zeros(0)]), (3,)), "stack": (lambda x: torch.stack([x]), (3,)),
    "hstack": (lambda x: torch.hstack([x]), (3,)), "vstack": (lambda x: torch.vstack([x]), (1, 3)),
    "repeat": (lambda x: x.repeat(1), (3,)), "repeat 1 1": (lambda x: x.repeat(1, 1), (3,)),
    "tile": (lambda x: torch.tile(x, (1,)), (3,)), "repeat_interleave": (lambda x: x.repeat_interleave(1), (3,)),
    "pad": (lambda x: F.pad(x, (0, 0)), (3,)), "+ 0": (lambda x: x + 0, (3,)), "* 1": (lambda x: x * 1, (3,)),
    "/ 1": (lambda x: x / 1, (3,)), "** 1": (lambda x: x ** 1, (3,)), "positive": (lambda x: +x, (3,)),
    "sum": (lambda x: x.sum(1), (3, 1)), "sum of a number": (lambda x: x.sum(), ()), "mean": (lambda x: x.mean(1), (3, 1)),
    "amax": (lambda x: x.amax(1), (3, 1)), "max": (lambda x: x.max(1)[0], (3, 1)), "prod": (lambda x: x.prod(1), (3, 1)),
    "cumsum": (lambda x: x.cumsum(1), (3, 1)), "cumprod": (lambda x: x.cumprod(1), (3, 1)),
    "cummax": (lambda x: x.cummax(1)[0], (3, 1)), "cummin": (lambda x: x.cummin(1)[0], (3, 1)),
    "sort": (lambda x: x.sort(1)[0], (3, 1)), "topk": (lambda x: x.topk(1, 1)[0], (3, 1)),
    "median": (lambda x: x.median(1)[0], (3, 1)), "gather": (lambda x: x.gather(0, torch.arange(3)), (3,)),
    "x[i]": (lambda x: x[torch.arange(3)], (3,)), "x[mask]": (lambda x: x[torch.ones(3, dtype=torch.bool)], (3,)),
    "where": (lambda x: torch.where(x > 0, x, x), (3,)), "clamp": (lambda x: x.clamp(min=0), (3,)),
    "relu": (lambda x: x.relu(), (3,)), "round": (lambda x: x.round(), (3,)), "tril": (lambda x: x.tril(), (1, 1)),
    "diag": (lambda x: torch.diag(x), (1,)), "diag of a matrix": (lambda x: torch.diag(x), (2, 2)),
    "trace": (torch.trace, (1, 1)), "rot90": (lambda x: torch.rot90(x, 0), (3, 3)),
    "rot90 4": (lambda x: torch.rot90(x, 4), (3, 3)), "rot90 2": (lambda x: torch.rot90(x, 2), (1, 1)),
    "dropout": (lambda x: F.dropout(x, 0.5, False), (3,)), "Dropout": (lambda x: torch.nn.Dropout(0.5).eval()(x), (3,)),
    "avg_pool": (lambda x: F.avg_pool2d(x, 1), (1, 1, 2, 2)), "max_pool": (lambda x: F.max_pool2d(x, 1), (1, 1, 2, 2)),
    "interpolate": (lambda x: F.interpolate(x, size=(2, 2)), (1, 1, 2, 2)), "to": (lambda x: x.to(torch.float32), (3,)),
    "to copy": (lambda x: x.to(torch.float32, copy=True), (3,)), "contiguous": (lambda x: x.contiguous(), (3,)),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 1), (1, 1, 2, 2)),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 1), (1, 1, 2, 2)), "diff": (lambda x: torch.diff(x, n=0), (3,)),
    "nan_to_num": (torch.nan_to_num, (3,)), "einsum": (lambda x: torch.einsum('i->i', x), (3,)),
    "block_diag": (torch.block_diag, (1, 3)), "deepcopy": (copy.deepcopy, (3,)), "copy": (copy.copy, (3,)),
    "as_tensor": (torch.as_tensor, (3,)), "new_tensor": (lambda x: x.new_tensor(x.tolist()), (3,)),
    "expand": (lambda x: x.expand(3), (3,)), "squeeze": (lambda x: x.squeeze(), (3,)), "renorm": (lambda x: x.renorm(2, 0, 100.), (3, 1)),
}
for name, (f, shape) in COPIES.items():
    x = T(*shape)
    f(x).fill_(99)
    print(name, "shares" if (x == 99).any().item() else "copies")
    if name not in ("x[mask]", "deepcopy", "copy", "as_tensor", "new_tensor"):
        y = torch.func.vmap(lambda x: (f(x).fill_(99), x)[1])(T(*shape)[None] * 1)
        print("   batched", "shares" if (y == 99).any().item() else "copies")


def slice_of_view(x):
    y = (x * 1).reshape(-1)
    y.view(-1)[:1].add_(x.flatten()[0])
    return y


def last_rows(x):
    y = x * 1
    y[-1:] *= 3
    y.view(-1)[:1].add_(x.sum())
    return y


def diagonal(x):
    y = x * 2
    y.diagonal().mul_(x[0])
    return y


def windows(x):
    y = x * 2
    y.unfold(0, 1, 2)[1] += x[0].unsqueeze(-1)
    return y * y


def stepped(x):
    y = x + 1
    v = y[:, ::2]
    v *= x[:, :2]
    return y + v.sum()


def other_view(x):
    y = x * 1
    a, b = y[0], y.T
    y.mul_(x)
    a.add_(1)
    return b.sum(0)


def copy_of_transpose(x):
    y = (x * 1).t()
    y.flatten().mul_(100)
    y.reshape(-1)[:2].zero_()
    return y


def strided(x):
    y = x * 1
    y.as_strided((2,), (4,), 1).copy_(x.sum())
    return y


def filled(x):
    y = x * 2
    y.fill_(3.0)
    return y


x = torch.linspace(0.2, 1.4, 9).reshape(3, 3)
for f in (slice_of_view, last_rows, diagonal, windows, stepped, other_view, copy_of_transpose, strided, filled):
    z = x.clone().requires_grad_()
    w = torch.arange(1., f(x).numel() + 1).reshape(f(x).shape)
    (f(z) * w).sum().backward()
    print(f.__name__, f(x).tolist(), z.grad.tolist())
    print(torch.func.grad(lambda x: (f(x) * w).sum())(x))
    print(torch.func.jacrev(f)(x).sum(0), torch.func.vjp(f, x)[1](w)[0])
    print(torch.func.jvp(f, (x,), (torch.ones(3, 3),))[1])
    print(torch.func.vmap(f)(torch.stack([x, x * 2])))
    if f is not copy_of_transpose:  # of any size that would depend on the size
        print(torch.jit.trace(f, (x,), check_trace=False)(x * 3))

out, pull = torch.func.vjp(lambda x: x * x, x)
out.zero_()
print(pull(torch.ones(3, 3))[0])

# reading and scattering where a stride belongs to an axis of size 1
v = torch.arange(12.).reshape(2, 2, 3)[:, ::2]
i = torch.zeros(2, 1, 3, dtype=torch.long)
print(v.scatter(0, i, 9.0), v.scatter_add(0, i, torch.zeros(2, 1, 3)), v.index_fill(0, torch.tensor([0]), 9.0))
print(v.index_add(0, torch.tensor([0]), torch.zeros(1, 1, 3)), v.reshape(-1), v.flatten(1), v.reshape(1, 6))
w = torch.arange(24.).reshape(2, 4, 3)[:, ::4]
print(w.reshape(-1), w.view(2, 3), torch.arange(8.).reshape(2, 2, 2)[:, ::2, ::2].reshape(-1))

# leaves over the memory of another
p = torch.ones(2, requires_grad=True)
y = p * 3
u = Variable(y)
print(u.requires_grad, u.is_leaf, isinstance(p, Variable), type(u))
z = torch.zeros(2)
u = Variable(z)
u += 1
print(z, Variable(torch.arange(3)), Variable(torch.ones(1), requires_grad=True))
print(isinstance(z, torch.FloatTensor), isinstance(z, torch.LongTensor))
i = torch.arange(3)
i.requires_grad = False
print(i.requires_grad_(False))
