# What a call of a module comes to: its forward, that of the instance, hooks, an own __call__; blocks without gradients.
import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 2.0

    def forward(self, x, *rest, scale=1.0):
        return x * self.k * scale + sum(rest)


x, m = torch.ones(2), M()
print(m(x), m(x, 3.0), m(x, scale=0.5), m(*[x, 1.0], **{"scale": 2.0}), nn.Module.__call__(m, x), m.__call__(x, 4.0))
h = m.register_forward_hook(lambda mod, args, out: out + 100)
print(m(x), nn.Module.__call__(m, x, 1.0))
h.remove()
print(m(x))
m.forward = lambda y: y - 7
print(m(x), m.__call__(x), nn.Module.__call__(m, x), m(y=x))
del m.forward
print(m(x))


class Own(M):
    def __call__(self, x):
        return ("own", super().__call__(x))


class Held(nn.Module):
    @property
    def forward(self):
        return lambda x: x + 0.25


class None_(nn.Module):
    pass


print(Own()(x), Held()(x), nn.Sequential(M(), M())(x))
for wrong in (lambda: None_()(x), lambda: M()(), lambda: M()(x, size=1)):
    try:
        wrong()
    except (NotImplementedError, TypeError) as e:
        print(type(e).__name__, e)

w = torch.ones(2, requires_grad=True)
mode = torch.no_grad()


@mode
def twice(n):
    return [torch.is_grad_enabled()] + (twice(n - 1) if n else []) + [torch.is_grad_enabled()]


@torch.no_grad
def plain(y):
    return (y * 2).requires_grad


@torch.enable_grad()
def on(y):
    return (y * 2).requires_grad


with torch.no_grad() as block:
    print(type(block).__name__, (w * 2).requires_grad, on(w))
    with torch.enable_grad():
        print((w * 2).requires_grad, plain(w))
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled(), set(twice(20)), torch.is_grad_enabled())
try:
    with torch.no_grad():
        raise ValueError("out of it")
except ValueError as e:
    print(e, torch.is_grad_enabled())

f = torch.compile(lambda a, b=1.0: a * 2 + b)
print(f(x), f(x, 3.0), f(a=x, b=x), f(*[x], **{"b": 2.0}), f.__name__)


class C:
    @torch.compile
    def method(self, a):
        return a + 1


c = torch.compile(M())
print(C().method(x), c(x), c(x), c(x, scale=3.0), c.k, sorted(c.state_dict()))
c.register_forward_hook(lambda mod, args, out: out - 1)
print(c(x))
