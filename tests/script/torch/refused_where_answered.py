# What PyTorch refuses and was answered: a second tensor by position, results with a history in `out`, backward slices, keys of another
# shape, functions of users under torch.func that have no setup_context, parameters of modules that are not there.
import torch
from torch.func import functional_call, grad, jacrev, jvp, vmap


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, str(e)[:150])


x = torch.full((2, 2), 0.5)
for name in ("exp", "sigmoid", "sqrt", "tanh", "sin", "log", "neg", "reciprocal", "isnan", "relu", "floor", "erf", "rsqrt", "clone", "detach"):
    y = torch.zeros(2, 2)
    try:
        getattr(torch, name)(x, y)
        print(name, "answered")
    except TypeError:
        print(name, "refused", y.abs().sum().item())

w, o = torch.ones(3, requires_grad=True), torch.empty(3)
t("mul", lambda: torch.mul(w, 2, out=o))
t("exp", lambda: torch.exp(w, out=o))
t("sub", lambda: torch.sub(w, w, out=torch.empty(3)))
t("detached", lambda: torch.mul(w.detach(), 2, out=o))
with torch.no_grad():
    t("no_grad", lambda: torch.mul(w, 3, out=o))

x = torch.arange(6.).view(2, 3)
t("back", lambda: x[::-1])
t("back along", lambda: x[:, ::-1])
t("no step", lambda: x[::0])
t("put back", lambda: x.__setitem__(slice(None, None, -1), 0))
t("forth", lambda: x[::2, 1::2])
print(x)
t("keys", lambda: torch.searchsorted(x, torch.ones(3)))
t("keys of rows", lambda: torch.searchsorted(x, torch.ones(3, 3)))
t("key", lambda: torch.searchsorted(x, 1.0))
t("keys that fit", lambda: torch.searchsorted(x, torch.ones(2, 1) * 4))
t("keys of one", lambda: torch.searchsorted(torch.arange(3.), x))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a ** 2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * 2


class Apart(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(a):
        return a ** 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * 2


for f in (Square, Apart):
    t("grad", lambda: grad(lambda a: f.apply(a).sum())(x))
    t("vmap", lambda: vmap(f.apply)(x))
    t("jacrev", lambda: jacrev(lambda a: f.apply(a).sum())(x))
    t("jacobian", lambda: torch.autograd.functional.jacobian(lambda a: f.apply(a).sum(), x))
    v = x.clone().requires_grad_()
    t("backward", lambda: f.apply(v).sum().backward())
    print(v.grad)

m = torch.nn.Sequential(torch.nn.Linear(3, 1))
t("no module", lambda: functional_call(m, {"9.weight": x}, (x,)))
t("no module", lambda: functional_call(m, {"0.inner.weight": x}, (x,)))
t("module", lambda: functional_call(m, {"0.weight": torch.ones(1, 3), "0.bias": torch.zeros(1)}, (x,)).tolist())
