# Views of complex numbers' parts and of other dtypes; results that `out` takes the shape of.
import torch


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, e)


c = torch.tensor([1 + 2j, 3 - 4j])
c.real = torch.tensor([9.0, 8.0])
c.imag[0] = 5
print(c)
v = torch.view_as_real(c)
v[0, 1] = 4
print(c, v.shape, v.stride())
w = torch.view_as_complex(v)
w[1] = 0
print(c, v)
r = torch.zeros(2)
print(r.real is r)
x = torch.arange(6, dtype=torch.int32).view(2, 3)
print(x.view(torch.int16), x.view(torch.uint8).shape, x.view(torch.int16).view(torch.int32))
x.view(torch.int16)[0, 0] = 77
print(x)
t("turned", lambda: x.t().view(torch.int16))
t("a number", lambda: torch.tensor(1).view(torch.int8))
t("odd", lambda: x.view(torch.int64))
t("floats", lambda: x.view(torch.float32))
t("parts", lambda: c.view(torch.float32))
t("pairs", lambda: torch.arange(4.0).view(torch.complex64))
t("wide", lambda: torch.arange(4.0).view(torch.float64))
z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
(z.real.sum() + (z.imag**2).sum()).backward()
print(z.grad)
a = torch.ones(2, 2, requires_grad=True)
torch.view_as_complex(a * 2).abs().sum().backward()
print(a.grad)
print(torch.func.vmap(lambda z: z.real)(c))
f = torch.fft.fft(torch.arange(4.0))
f.real[1:] = 0
print(f, f.real.is_contiguous())
o = torch.empty(0)
print(torch.add(torch.ones(2), 1, out=o) is o, o)
o = torch.zeros(3, 2)
torch.mul(torch.ones(2), 3, out=o)
print(o)
torch.clamp(torch.tensor([4.0, -1.0]), 0, 1, out=o)
print(o)
t("more than one", lambda: torch.zeros(3, 1).expand(3, 4).add_(1))
