# torch.autograd.gradcheck is a function of torch.autograd and a module to import it from.
import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck

print(gradcheck is torch.autograd.gradcheck, gradgradcheck is torch.autograd.gradgradcheck)
x = torch.tensor([0.5, 1.0], dtype=torch.double, requires_grad=True)
print(gradcheck(torch.sin, [x], eps=1e-6, atol=1e-4), gradgradcheck(torch.sin, [x]))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


try:
    gradcheck(Wrong.apply, [x])
except GradcheckError as e:
    print(type(e).__module__ in ("torch.autograd.gradcheck", "torch.autograd._gradcheck"), str(e).split(",")[0])
