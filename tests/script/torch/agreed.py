# Calls in which random ones once differed from PyTorch without a word.
import torch
import torch.nn.functional as F


def kind(fn):
    try:
        print(fn())
    except (RuntimeError, TypeError, NotImplementedError) as e:
        print(type(e).__name__)


nan, inf = float("nan"), float("inf")
x = torch.arange(20.0).reshape(1, 1, 5, 4)
for p, s, k, c in [(0, 1, 2, True), (1, 2, 2, True), (1, 2, 3, True), (1, 3, 2, False), (1, 3, 3, True), (0, 3, 3, True)]:
    y, i = F.max_pool2d(x, k, s, p, ceil_mode=c, return_indices=True)
    a = F.avg_pool2d(x, k, s, p, ceil_mode=c)
    b = F.avg_pool2d(x, k, s, p, ceil_mode=c, count_include_pad=False, divisor_override=3)
    print(tuple(y.shape), i.flatten().tolist(), [round(v, 3) for v in a.flatten().tolist()], round(b.sum().item(), 2))
print(F.adaptive_max_pool2d(x, (2, 3), return_indices=True)[1].flatten(), F.adaptive_max_pool1d(x[0, 0], 3, return_indices=True)[1])
print(F.lp_pool2d(-x, 3, 2).flatten(), F.lp_pool2d(-x, 1, 2).flatten())
kind(lambda: F.avg_pool2d(x, 1, padding=1))
kind(lambda: F.conv2d(x, torch.ones(1, 1, 2, 2), stride=2, padding="same"))

m = torch.tensor([[1.0, nan, 3.0], [2.0, 5.0, 4.0]])
print(torch.nanquantile(m, 0.3, dim=1), torch.nanquantile(m, 0.3, dim=0, interpolation="higher"), torch.quantile(m, 0.5, dim=1))
print(torch.quantile(m[1:], torch.tensor([0.1, 0.6]), dim=1, keepdim=True).shape)
kind(lambda: torch.quantile(m.half(), 0.5))

print(torch.cosine_similarity(torch.ones(2, 3), torch.tensor([[2.0], [3.0]]), dim=1))
print(torch.cosine_similarity(torch.ones(2, 3), torch.tensor([1, 2, 3]), dim=1))
one = torch.tensor([7])
print(torch.addcmul(one, one, one, value=0.5), torch.addcmul(one, one, one * 1.5, value=2))
kind(lambda: torch.addcdiv(one, one, one))
h = torch.tensor([0.337], dtype=torch.bfloat16)
print(torch.addcmul(h, h, h, value=2.7), torch.lerp(h, h * 3, 0.7), torch.lerp(one * 0.1, one * inf, 1.0))
print(torch.hypot(torch.ones(2, dtype=torch.bfloat16), torch.tensor([3, 4])), torch.atan2(h, one).dtype)
print(torch.logaddexp2(h, one).dtype, torch.result_type(torch.ones(2, 3), torch.ones(4)))
print(torch.sum(torch.tensor([200, 100], dtype=torch.uint8), dtype=torch.uint8), torch.prod(one, dtype=torch.bool))
print(torch.cumsum(torch.tensor([200, 100]), 0, dtype=torch.uint8))
print(torch.cat([torch.zeros(0, dtype=torch.int32), torch.zeros(0)]).dtype, torch.diagflat(torch.tensor([[1, 2], [3, 4]]), 1))
print(torch.lcm(torch.tensor([4, 6]), torch.tensor([True, False])), torch.mode(torch.tensor(2.0), 0))
print(torch.masked_select(torch.tensor(1.5), torch.tensor(True)), torch.transpose(torch.tensor(1), 0, 0))
print(torch.special.gammainc(torch.tensor([-1.0, 1.0]), torch.tensor([0.5, 0.5])))

x = torch.tensor([-0.5, 0.25, nan, 1.5], requires_grad=True)
print(torch.autograd.grad(torch.logit(x).sum(), x), torch.autograd.grad(torch.logit(x, eps=0.1).sum(), x))
t = torch.tensor([[0.1, inf, 0.3]])
print(F.multi_margin_loss(t, torch.tensor([1])), F.gaussian_nll_loss(t, t * 0, torch.full((1, 3), inf), reduction="none"))
b = torch.tensor([True, False])
for fn in (torch.abs, torch.floor, torch.ceil, torch.fix, torch.median, lambda v: torch.kthvalue(v, 1), torch.norm,
           lambda v: torch.logcumsumexp(v, 0), lambda v: F.one_hot(v.int()), lambda v: torch.logical_and(v, 1),
           lambda v: torch.dist(v * 1.0, 2)):
    kind(lambda: fn(b))

print(torch.tensor([-2.37, 2.9, 300.5]).to(torch.uint8), torch.tensor([-2.37, 200.0]).char(), torch.cumprod(torch.tensor([-2.5]), 0, dtype=torch.uint8))
print(torch.clamp(torch.tensor([5, 1], dtype=torch.uint8), -1, 2.5), torch.add(torch.tensor([5], dtype=torch.int8), b[:1], alpha=-1))
print(torch.addcmul(torch.tensor([1], dtype=torch.int8), h[0], torch.tensor(2.5, dtype=torch.float16)).dtype)
print(F.threshold(torch.tensor([nan, 1.0, 0.0]), 0.5, 7.0), torch.polygamma(1, torch.tensor([nan, 1.0])), torch.special.zeta(torch.tensor([0.5, 2.0]), torch.tensor([2.0, 2.0])))
x = torch.tensor([[[1.0, 3.0, 3.0, 2.0]]], requires_grad=True)
print(torch.autograd.grad(F.adaptive_max_pool1d(x, 2).sum(), x), torch.autograd.grad(F.adaptive_max_pool1d(x, 1).sum(), x))
out = torch.zeros(3)
torch.arange(3, out=out), print(out), torch.linspace(0, 1, 3, out=out), print(out)
torch.full((3,), 2.5, out=out), print(out)
at = torch.zeros(3, dtype=torch.int64)
torch.sort(torch.tensor([3.0, 1.0, 2.0]), out=(out, at)), print(out, at)
torch.max(torch.tensor([[1.0, 4.0], [3.0, 2.0], [0.0, 5.0]]), 1, out=(out, at)), print(out, at)
print(torch.bucketize(torch.tensor([1.5]), torch.tensor([1.0, 2.0]), out_int32=True).dtype)
print(torch.zeros(7, 3).fill_diagonal_(5, wrap=True)[:, 0], torch.empty_strided((2, 3), (1, 2)).stride())
kind(lambda: torch.repeat_interleave(at, torch.tensor([1, 2, 1]), output_size=9))
kind(lambda: torch.autograd.functional.jacobian(lambda v: v * 2, torch.ones(1), strict=False))
u = torch.tensor([2, 0, 1], dtype=torch.uint8)
print(torch.add(torch.tensor([0.5]), u, alpha=-1), torch.sub(torch.tensor([5]), u, alpha=300), torch.add(b, b, alpha=2), torch.rsub(u, 1.5, alpha=-2))
print(b.square(), h.atan2(one).dtype, h.hypot(one).dtype, u.maximum(torch.tensor([1.5])), b.logical_and(u[:2]))
print(torch.cosine_similarity(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 1.0]], dtype=torch.float16)))
print(torch.clamp(u, -1, 1), torch.clamp(u, -5, 300), torch.clamp(u, 1, 300))

x = torch.tensor([[2.5, -1.0, nan], [-2.5, 1.0, 3.0]], requires_grad=True)
print(torch.autograd.grad(F.prelu(x, torch.tensor([inf, 0.25, 2.0])).sum(), x))
print(torch.searchsorted(torch.tensor([1.0, 2.0]), torch.tensor([nan, 1.5])), torch.bucketize(torch.tensor([nan, 0.0]), torch.tensor([1.0, 2.0]), right=True))
print(torch.special.gammaincc(torch.tensor([-1.0, 2.0]), torch.tensor([1.0, -1.0])))
for q in (0.05, 0.15, 0.25, 0.35, 0.75, 0.95):
    print(torch.quantile(torch.arange(11.0), q, interpolation="nearest").item(), torch.quantile(torch.arange(11.0), q).item(), end=" ")
print()
