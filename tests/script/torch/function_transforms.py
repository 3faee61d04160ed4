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
