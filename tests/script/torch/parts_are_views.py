# Parts of complex tensors, and pairs of reals as complex ones, are views: in what is recorded, traced, scripted and mapped, too.
import torch


def real(a, b):
    z = torch.complex(a, b)
    z.real.add_(1)
    return z


def place(a, b):
    z = torch.complex(a, b)
    z.real[1:] = 7.0
    z.imag[0] *= 3
    return z


def named(a, b):
    z = torch.complex(a, b)
    r = z.real
    r *= a
    return z * r


def pairs(a, b):
    z = torch.complex(a, b)
    v = torch.view_as_real(z)
    v[0] = 2.0
    v.view(-1)[3] *= 5
    return z


def exchanged(a, b):
    z = torch.complex(a, b)
    z.real.copy_(z.imag.clone() * b)
    return z


def numbers(a, b):
    x = torch.stack([a, b * 2], -1)
    z = torch.view_as_complex(x)
    z.mul_(2j)
    z[1:] += 1 + a[0]
    return torch.view_as_complex(x * x)


def turned(a, b):
    z = torch.complex(a, b).reshape(1, -1).T
    z.imag[::2] = 4 * a[::2].unsqueeze(1)
    return z.flatten()


a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])
for f in (real, place, named, pairs, exchanged, numbers, turned):
    print(f.__name__, f(a, b))
    x, y = a.clone().requires_grad_(), b.clone().requires_grad_()
    g = torch.autograd.grad(torch.view_as_real(f(x, y)).pow(2).sum(), (x, y))
    print(*g)
    print(torch.jit.trace(f, (a, b))(a + 1, b * 2))
    print(torch.jit.script(f)(a, b))
    print(torch.func.vmap(f)(torch.stack([a, b]), torch.stack([b, a])))
    print(torch.func.jacfwd(lambda a: torch.view_as_real(f(a, b)))(a).sum((0, 1)))
    print(torch.func.jacrev(lambda a: torch.view_as_real(f(a, b)))(a).sum((0, 1)))

# the view is made before anything is recorded
z = torch.complex(a, b)
r = z.real
w = torch.tensor(2.0, requires_grad=True)
r.mul_(w)
z.abs().sum().backward()
print(w.grad, z.requires_grad, r.requires_grad)
