# Gradients: modes, hooks, Functions of one's own, functional forms, names of steps.
import torch
from torch import nn
from torch.autograd import Function, grad
from torch.autograd.functional import jacobian, hessian, vjp, jvp, hvp


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


class Relu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        g = g.clone()
        g[x < 0] = 0
        return g


class Scale(Function):
    @staticmethod
    def forward(x, factor, names=None):
        return x * factor, (x > 0).sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.factor, ctx.names = inputs
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _):
        print("  needs", ctx.needs_input_grad, g.tolist())
        return g * ctx.factor, None, None


class Reverse(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -g


x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
y = Exp.apply(x)
print(y, y.grad_fn.name(), y.is_leaf, y.requires_grad)
(g,) = grad(y.sum(), x, create_graph=True)
(h,) = grad((g * torch.tensor([1.0, 2.0, 3.0])).sum(), x)
print(g, h)
Relu.apply(x * 2).pow(2).sum().backward()
print(x.grad)
x.grad = None
out, count = Scale.apply(Exp.apply(x), 3.0, ["a"])
(out * 2 + x).sum().backward()
print(out, count, x.grad)
x.grad = None
(Reverse.apply(x) * x).sum().backward()
print(x.grad)
print(torch.autograd.gradcheck(Exp.apply, (torch.randn(3, dtype=torch.float64, requires_grad=True),)), torch.autograd.gradgradcheck(Exp.apply, (torch.randn(3, dtype=torch.float64, requires_grad=True),)))
try:
    torch.autograd.gradcheck(Reverse.apply, (torch.ones(2, dtype=torch.float64, requires_grad=True),))
except RuntimeError as error:
    print("gradcheck:", "Jacobian mismatch" in str(error))

a = torch.tensor([1.0, 2.0], requires_grad=True)
seen = []
handle = a.register_hook(lambda g: seen.append(g.tolist()))
b = a * 3
b.register_hook(lambda g: g * 10)
b.retain_grad()
(b ** 2).sum().backward()
print(seen, a.grad, b.grad)
handle.remove()
a.grad = None
(a * 2).sum().backward()
print(seen, a.grad)
a.grad.zero_()
print(a.grad, a.grad.requires_grad)

layer = nn.Linear(2, 1)
nn.init.constant_(layer.weight, 0.5)
nn.init.zeros_(layer.bias)
log = []
h1 = layer.register_forward_hook(lambda m, i, o: log.append(("out", o.tolist())))
h2 = layer.register_forward_pre_hook(lambda m, i: (i[0] * 2,))
layer(torch.ones(1, 2))
h1.remove()
h2.remove()
print(log, layer(torch.ones(1, 2)))
h3 = layer.register_forward_hook(lambda m, i, o: o + 100)
print(layer(torch.ones(1, 2)).item())
h3.remove()

f = lambda p: (p ** 3).sum() + p[0] * p[1]
p = torch.tensor([1.0, 2.0])
print(jacobian(lambda t: t ** 2 * torch.arange(2.0), p), hessian(f, p), vjp(f, p), jvp(f, p, torch.tensor([1.0, 0.0])), hvp(f, p, torch.tensor([0.0, 1.0])))
print(jacobian(lambda u, v: u * v, (p, p)))
w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print((w * 2).requires_grad, torch.is_grad_enabled())
    with torch.set_grad_enabled(True):
        print((w * 2).requires_grad)


@torch.inference_mode()
def quiet(t):
    return t * 2


@torch.enable_grad()
def loud(t):
    return t * 2


print(quiet(w).requires_grad)
with torch.no_grad():
    print(loud(w).requires_grad)
torch.set_grad_enabled(False)
print((w * 2).requires_grad)
torch.set_grad_enabled(True)
q = torch.tensor([2.0], requires_grad=True)
r = q.detach().clone().requires_grad_(True)
s = q * 2 + r.detach()
print(s.requires_grad, r.grad, s.grad_fn.next_functions[0][0].name() if s.grad_fn.next_functions else "", q.is_leaf)
z = (q ** 2).sum()
z.backward(retain_graph=True)
z.backward()
print(q.grad)
for bad in (lambda: z.backward(), lambda: torch.ones(2).sum().backward(), lambda: (w * 2).backward(), lambda: w.add_(1), lambda: w.numpy(), lambda: grad(w.sum(), torch.ones(1)), lambda: torch.ones(2, dtype=torch.int64, requires_grad=True), lambda: (w * 2).requires_grad_(False), lambda: grad((w * 2).sum(), q)):
    try:
        print(bad())
    except RuntimeError as error:
        print(str(error)[:90])
m = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
n = m * 2
k = n.exp()
n.add_(1)
try:
    n2 = m.sigmoid()
    n3 = n2 * 2
    n2.mul_(2)
    n3.sum().backward()
    n2.sum().backward()
except RuntimeError as error:
    print("modified by an inplace operation" in str(error))
buf = torch.zeros(3)
buf[0] = m[0] * 2
buf[1:] = m[1:] ** 2
buf.mul_(m)
buf.sum().backward()
print(m.grad, buf)
m.grad = None
v = m * 1
v[1:].mul_(10)
v.view(3, 1)[0] = 5
v.sum().backward()
print(m.grad)
m.grad = None
torch.autograd.backward([m.sum(), (m ** 2).sum()], [None, torch.tensor(2.0)])
print(m.grad, grad([m.sum(), m.prod()], m, [torch.tensor(1.0), torch.tensor(2.0)]))
loss = (m ** 2).sum()
loss.backward(inputs=[m])
print(m.grad)
d = torch.ones(2, dtype=torch.float64, requires_grad=True)
(d.float() * 2).sum().backward()
print(d.grad, d.grad.dtype)
