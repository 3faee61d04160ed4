# torch.Generator: its name, numbers of its own, and of the default one.
import torch

g = torch.Generator()
print(repr(torch.manual_seed(0))[:28], torch.Generator.__module__, type(g), isinstance(torch.default_generator, torch.Generator))
g.manual_seed(3)
print(torch.rand(2, generator=g), g.initial_seed())
s = g.get_state()
x = torch.randn(3, generator=g)
g.set_state(s)
print(torch.equal(torch.randn(3, generator=g), x))
torch.manual_seed(1)
x = torch.randn(3)
torch.manual_seed(1)
print(torch.equal(torch.randn(3, generator=torch.default_generator), x))
print([list(p) for p in torch.utils.data.random_split(range(10), [3, 7], generator=torch.Generator().manual_seed(42))])


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


try:
    torch.func.jvp(Sine.apply, (torch.ones(2),), (torch.ones(2),))
except NotImplementedError as e:
    print(e)

from importlib.metadata import PackageNotFoundError, version
print(version("torch"), version("jax"), version("Torchvision"))
try:
    version("no-such-package")
except PackageNotFoundError as e:
    print(type(e).__name__)
