# A Function of one's own under torch.func: its backward is what grad and vmap use.
import torch
from torch.autograd import Function


class Steep(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, k):
        return k * x ** 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.k = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return ctx.k * 20 * x * g, None


x = torch.tensor([1.0, 2.0])
print(torch.func.grad(lambda t: Steep.apply(t, 3.0).sum())(x))
print(torch.vmap(lambda t: Steep.apply(t, 3.0))(x))
print(torch.vmap(torch.func.grad(lambda t: Steep.apply(t, 2.0)))(x))

# random numbers: shared by the samples, drawn for each, or refused
def noisy(t):
    return t + torch.rand(2)


for kind in ("same", "different", "error", "none"):
    torch.manual_seed(3)
    try:
        drawn = torch.vmap(noisy, randomness=kind)(torch.zeros(2, 2))
        print(kind, drawn if kind == "different" else torch.equal(drawn[0], drawn[1]))
    except RuntimeError as e:
        print(kind, str(e).splitlines()[0])
for name, transform in (("hessian", torch.func.hessian), ("jacfwd", torch.func.jacfwd), ("jacrev", torch.func.jacrev)):
    try:
        print(name, transform(lambda t: noisy(t).sum())(torch.ones(2)))
    except RuntimeError as e:
        print(name, str(e).splitlines()[0][:61])
