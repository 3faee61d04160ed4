# Hooks of values and of steps: in the order of the history, each time it is gone through, with what later ones changed.
import torch, torch.nn as nn
torch.manual_seed(0)
x = torch.ones(3, requires_grad=True)
h = x.register_hook(lambda g: g * 2)
y = x * 3; y.retain_grad(); y.register_hook(lambda g: print('y', g))
z = y.sum(); z.backward(); print(x.grad, y.grad); h.remove()
x.grad = None; (x * 2).sum().backward(); print(x.grad)
x.register_post_accumulate_grad_hook(lambda p: print('acc', p.grad)); (x * 2).sum().backward()
t = torch.ones(2)
try: t.register_hook(print)
except Exception as e: print(type(e).__name__, e)
y = (x * 2).exp(); print(y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
hh = y.grad_fn.register_hook(lambda gi, go: print('node', gi, go)); y.sum().backward()
hp = y.grad_fn
m = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
acts = {}
def save(name):
    def hook(mod, inp, out): acts[name] = out.detach()
    return hook
for n, l in m.named_modules(): l.register_forward_hook(save(n))
m(torch.ones(1, 3)); print({k: v.shape for k, v in acts.items()})
m[0].register_forward_pre_hook(lambda mod, inp: (inp[0] * 2,)); m[2].register_forward_hook(lambda mod, i, o: o * 0)
print(m(torch.ones(1, 3)))
m[1].register_forward_hook(lambda mod, a, kw, o: print('kw', kw), with_kwargs=True); m(torch.ones(1, 3))
grads = []
m[0].register_full_backward_hook(lambda mod, gi, go: grads.append((gi, go))); m(torch.ones(1, 3)).sum().backward(); print(grads)
from torch.utils.hooks import RemovableHandle
h = m[0].register_forward_hook(lambda *a: None); print(isinstance(h, RemovableHandle)); h.remove(); print(len(m[0]._forward_hooks))
with m[0].register_forward_hook(lambda *a: print('in with')): m(torch.ones(1, 3))
def fwd_err(mod, i, o): raise ValueError('hook')
h = m[0].register_forward_hook(fwd_err)
try: m(torch.ones(1, 3))
except ValueError as e: print(e)
h.remove()
# grad hooks on params
for n, p in m.named_parameters(): p.register_hook(lambda g, n=n: print(n, tuple(g.shape)))
m(torch.ones(1, 3)).sum().backward()
with torch.autograd.graph.saved_tensors_hooks(lambda t: (print('pack', tuple(t.shape)), t)[1], lambda t: (print('unpack'), t)[1]):
    q = (x * x).sum()
q.backward()
a = torch.ones(2, requires_grad=True); b = (a * 2); c = b.clone()
handle = torch.autograd.graph.register_multi_grad_hook((a, b), lambda gs: print('multi', gs)); c.sum().backward()
print(torch.autograd.graph.get_gradient_edge(c).node.name())
with torch.autograd.graph.save_on_cpu(): q = (x * x).sum()
q.backward(); 

x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: print('y hook', g))
z = y.sum()
z.backward(retain_graph=True)
z.backward(); print(x.grad)
a = x * 3; a.retain_grad(); b = a * a; b.retain_grad()
b.sum().backward(retain_graph=True); b.sum().backward(retain_graph=True); print(a.grad, b.grad)
h = a.register_hook(lambda g: g * 0)
c = (a * 2).sum(); x.grad = None; c.backward(); print(x.grad)
print(type(a.grad_fn), a.grad_fn == a.grad_fn, len({a.grad_fn, a.grad_fn}))
w = x * 2; w.register_hook(lambda g: g + 1); w.register_hook(lambda g: g * 10); x.grad = None; w.sum().backward(); print(x.grad)
p = x.exp(); q = p * 2; p.register_hook(lambda g: print('p', g)); q.register_hook(lambda g: print('q', g)); (q + p).sum().backward()

class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 2
    @staticmethod
    def backward(ctx, g): print("bw", g); return g.sign() * 2 * ctx.saved_tensors[0]
x = torch.tensor([1., 2.], requires_grad=True)
p = x * 1; p.retain_grad()
f = Sq.apply(p)
f.register_hook(lambda g: print("f", g))
q = f * 2
q.register_hook(lambda g: (print("q", g), -g)[1])
q.retain_grad()
q.sum().backward(retain_graph=True)
print(x.grad, p.grad, q.grad)
q.sum().backward()
print(x.grad, p.grad, q.grad)
l = (x * 3).sum(); l.register_hook(lambda g: g * 5); x.grad = None; l.backward(); print(x.grad)
a = x * 2; b = a * 3; c = a + b
for n, t in dict(a=a, b=b, c=c).items(): t.register_hook(lambda g, n=n: (print(n, g), g + 1)[1])
print(torch.autograd.grad(c.sum(), [x, a]))
