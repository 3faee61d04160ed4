# Options of gradcheck: each is done, or refused as PyTorch refuses it.
import torch
from torch.autograd import gradcheck, gradgradcheck

a = torch.tensor([0.5, 1.5], dtype=torch.double, requires_grad=True)
count = [0]


class Unsteady(torch.autograd.Function):
    # its gradient is another one each time, by little
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        count[0] += 1
        return g * (2 + 1e-7 * count[0])


class Apart(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2 + 1e-7


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


for fn, options in ((lambda t: (t ** 3).sum(), dict(check_batched_grad=True)), (torch.sin, dict(check_batched_grad=True, fast_mode=True)),
                    (torch.sin, dict(check_forward_ad=True)), (torch.sin, dict(check_backward_ad=False)), (torch.sin, dict(check_sparse_nnz=True)),
                    (torch.sin, dict(check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)),
                    (torch.sin, dict(check_batched_forward_grad=True)), (torch.sin, dict(check_grad_dtypes=True, masked=False, nondet_tol=1e-9)),
                    (Unsteady.apply, dict(raise_exception=False)), (Unsteady.apply, dict(nondet_tol=1e-3)), (Unsteady.apply, {}),
                    (Apart.apply, {}), (Wrong.apply, {}), (Wrong.apply, dict(fast_mode=True, raise_exception=False))):
    try:
        print(sorted(options), gradcheck(fn, (a,), **options))
    except Exception as e:
        print(sorted(options), type(e).__name__, str(e)[:70].split("\n")[0])
for options in (dict(check_fwd_over_rev=True), dict(check_rev_over_rev=False), dict(check_forward_ad=True), dict(check_batched_grad=True), dict(fast_mode=True)):
    try:
        print(sorted(options), gradgradcheck(lambda t: t ** 3, (a,), **options))
    except Exception as e:
        print(sorted(options), type(e).__name__, str(e)[:100])
