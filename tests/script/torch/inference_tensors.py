# Tensors made in inference mode: what they say of themselves, and what is refused of them outside of it.
import torch
with torch.inference_mode():
    a = torch.ones(3); print(a.is_inference(), torch.is_inference_mode_enabled(), torch.is_inference(a), a.requires_grad)
    b = a + 1; b += 1; print(b.is_inference())
    w = torch.ones(3, requires_grad=True); print(w.requires_grad, w.is_inference(), w.is_leaf)
    try: print(a._version)
    except Exception as e: print(type(e).__name__, e)
n = torch.ones(3)
with torch.inference_mode():
    v = n[:2]; print(v.is_inference()); v.add_(1); n.mul_(2); print(n.is_inference(), n)
    c = n.clone(); print(c.is_inference())
    with torch.inference_mode(False):
        d = torch.ones(2); print(d.is_inference(), torch.is_inference_mode_enabled(), torch.is_grad_enabled())
    print(torch.is_grad_enabled())
for f in (lambda: a.add_(1), lambda: a.requires_grad_(), lambda: a._version, lambda: torch.ones(3, requires_grad=True) * a, lambda: (torch.ones(3, requires_grad=True) + a).sum().backward(),
          lambda: a[0].is_inference(), lambda: a.clone().is_inference(), lambda: (a + 1).is_inference(), lambda: a.detach().is_inference(), lambda: a.view(3,1).is_inference(), lambda: a.__setitem__(0, 5), lambda: torch.nn.functional.linear(a[None], torch.ones(2,3,requires_grad=True)), lambda: a.requires_grad_(False).shape, lambda: a.zero_(), lambda: torch.nn.Parameter(a), lambda: setattr(a, 'requires_grad', True), lambda: torch.ones(3).copy_(a).shape, lambda: torch.add(torch.ones(3), 1, out=a)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
@torch.inference_mode()
def g(x): return x * 2
y = g(torch.ones(2, requires_grad=True)); print(y.is_inference(), y.requires_grad)
m = torch.nn.Linear(2, 2)
with torch.inference_mode(): o = m(torch.ones(1, 2))
print(o.is_inference(), o.requires_grad)
try: m(o)
except Exception as e: print(type(e).__name__, e)
m(o.clone()).sum().backward(); print(m.weight.grad.shape)
class N(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = torch.nn.Conv2d(1, 4, 3); self.b = torch.nn.BatchNorm2d(4); self.l = torch.nn.LSTM(4, 3)
    def forward(self, x):
        x = torch.relu(self.b(self.c(x))).mean((2, 3))
        return self.l(x[None])[0].sum()
k = N()
with torch.inference_mode(): k(torch.ones(2, 1, 5, 5))
opt = torch.optim.Adam(k.parameters())
for i in range(2):
    k(torch.ones(2, 1, 5, 5)).backward(); opt.step(); opt.zero_grad()
    with torch.inference_mode(): k(torch.ones(2, 1, 5, 5))
print("trained")
