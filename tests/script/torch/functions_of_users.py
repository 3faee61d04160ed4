# autograd.Function: arguments written in place, complex numbers, several results, what backward gives wrongly.
import torch
from torch.autograd import Function
class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        r = i.exp(); ctx.save_for_backward(r); return r
    @staticmethod
    def backward(ctx, g):
        r, = ctx.saved_tensors; return g * r
x = torch.tensor([1., 2.], requires_grad=True, dtype=torch.double)
print(Exp.apply(x)); print(torch.autograd.gradcheck(Exp.apply, (x,)), torch.autograd.gradgradcheck(Exp.apply, (x,)))
class Bad(Function):
    @staticmethod
    def forward(ctx, i): return i * 2
    @staticmethod
    def backward(ctx, g): return g * 3
try: torch.autograd.gradcheck(Bad.apply, (x,))
except Exception as e: print(type(e).__name__, str(e))
class Two(Function):
    @staticmethod
    def forward(ctx, a, b, k):
        ctx.k = k; ctx.save_for_backward(a, b); ctx.mark_non_differentiable(); return a * b * k, a + b
    @staticmethod
    def backward(ctx, g1, g2):
        a, b = ctx.saved_tensors; print(ctx.needs_input_grad); return g1 * b * ctx.k + g2, g1 * a * ctx.k + g2, None
a = torch.ones(2, requires_grad=True); b = torch.full((2,), 3.)
u, v = Two.apply(a, b, 2); print(u, v); (u.sum() + v.sum()).backward(); print(a.grad, b.grad)
u, v = Two.apply(a, b, 2); u.sum().backward(); print(a.grad)
class NoneGrad(Function):
    @staticmethod
    def forward(ctx, a): ctx.set_materialize_grads(False); return a.clone(), a * 2
    @staticmethod
    def backward(ctx, g1, g2): print(g1, g2); return g1
p, q = NoneGrad.apply(a); p.sum().backward()
class Wrong(Function):
    @staticmethod
    def forward(ctx, a, b): return a + b
    @staticmethod
    def backward(ctx, g): return g
try: Wrong.apply(a, b).sum().backward()
except Exception as e: print(type(e).__name__, e)
try: Wrong.apply(a, a).sum().backward()
except Exception as e: print(type(e).__name__, e)
class Shape(Function):
    @staticmethod
    def forward(ctx, a): return a.sum()
    @staticmethod
    def backward(ctx, g): return torch.ones(3)
try: Shape.apply(a).backward()
except Exception as e: print(type(e).__name__, e)
class Setup(Function):
    @staticmethod
    def forward(x, n): return x ** n
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(inputs[0]); ctx.n = inputs[1]
    @staticmethod
    def backward(ctx, g): return g * ctx.n * ctx.saved_tensors[0] ** (ctx.n - 1), None
y = Setup.apply(a, 3); print(y, y.grad_fn.name()); print(torch.autograd.grad(y.sum(), a))
class InPlace(Function):
    @staticmethod
    def forward(ctx, x): ctx.mark_dirty(x); x.mul_(2); return x
    @staticmethod
    def backward(ctx, g): return g * 2
z = a * 1; w = InPlace.apply(z); print(w is z, z); w.sum().backward()
class Cplx(Function):
    @staticmethod
    def forward(ctx, z): ctx.save_for_backward(z); return z.real ** 2 + z.imag ** 2
    @staticmethod
    def backward(ctx, g): z, = ctx.saved_tensors; return 2 * g * z
zc = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
r = Cplx.apply(zc); print(r); r.sum().backward(); print(zc.grad)
try: Exp.apply(a).backward()
except Exception as e: print(type(e).__name__, e)
try: Exp()(a)
except Exception as e: print(type(e).__name__, e)
class Once(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 2
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g): return g * 2 * ctx.saved_tensors[0]
g, = torch.autograd.grad(Once.apply(a).sum(), a, create_graph=True); print(g)
try: g.sum().backward()
except Exception as e: print(type(e).__name__, e)
class STE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return (x > 0.5).float()
    @staticmethod
    def backward(ctx, g): return torch.nn.functional.hardtanh(g)
s = torch.tensor([0.2, 0.7], requires_grad=True); STE.apply(s).mul(torch.tensor([3., -.2])).sum().backward(); print(s.grad)
print(type(y.grad_fn).__name__, y.grad_fn.name(), type(y.grad_fn.next_functions[0][0]).__name__)
