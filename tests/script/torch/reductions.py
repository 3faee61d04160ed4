# Reductions: over everything, some axes, with indices; gradients; statistics.
import torch

x = torch.tensor([[3.0, -1.0, 2.0, 2.0], [0.5, 4.0, -6.0, 4.0], [1.0, 1.0, 1.0, 1.0]])
for f in (torch.sum, torch.mean, torch.prod, torch.var, torch.std, torch.amax, torch.amin, torch.logsumexp, torch.norm):
    name = f.__name__
    args = (x,) if name != "logsumexp" else (x, (0, 1))
    print(name, f(*args), f(x, dim=1), f(x, dim=0, keepdim=True))
for f in ("max", "min", "median", "mode", "sort", "cummax", "cummin"):
    r = getattr(x, f)(dim=1) if f not in ("cummax", "cummin") else getattr(x, f)(1)
    print(f, r.values.tolist(), r.indices.shape)
print(x.max(), x.min(), x.median(), x.argmax(), x.argmin(1), x.argmax(0, keepdim=True))
print(torch.max(x, dim=0), torch.max(x, torch.zeros(4)))
t = torch.tensor([1.0, 3.0, 3.0, 2.0], requires_grad=True)
t.max().backward()
print(t.grad)
t.grad = None
t.amax().backward()
print(t.grad)
t.grad = None
t.max(0).values.backward()
print(t.grad)
t.grad = None
(t.std() + t.var() + t.norm() + t.prod().log() + t.logsumexp(0) + t.cumsum(0).sum() + t.cumprod(0)[2]).backward()
print(t.grad)
t.grad = None
t.median().backward()
print(t.grad)
z = torch.zeros(3, requires_grad=True)
z.norm().backward()
print(z.grad)
z.grad = None
z.abs().sum().backward()
print(z.grad)
print(x.sum(dtype=torch.float64).dtype, torch.tensor([True, True]).sum(), torch.tensor([1, 2], dtype=torch.uint8).sum().dtype)
print(x.mean(dim=(0, 1)), x.sum((0,)), x.var(1, unbiased=False), x.std(dim=0, correction=0), torch.var_mean(x))
print(torch.std_mean(x, dim=1), x.norm(p=1), x.norm(float("inf")), x.norm(2, dim=1), torch.linalg.norm(x), torch.linalg.vector_norm(x, 3))
print(torch.quantile(x, 0.5), torch.quantile(x, torch.tensor([0.25, 0.75]), dim=1), x.quantile(0.3, dim=0, keepdim=True))
print(torch.nanmean(torch.tensor([1.0, float("nan"), 3.0])), torch.nansum(torch.tensor([1.0, float("nan")])))
print((x > 0).all(), (x > 0).any(1), (x > 0).all(dim=0, keepdim=True), torch.count_nonzero(x), torch.count_nonzero(x, dim=0))
print(torch.cumsum(torch.tensor([1, 2, 3], dtype=torch.int32), 0).dtype, torch.logcumsumexp(x[0], 0), torch.diff(x), torch.diff(x, n=2, dim=0))
print(torch.trapezoid(torch.tensor([1.0, 2.0, 3.0])), torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0])))
print(torch.histc(torch.tensor([1.0, 2.0, 1.0, 4.0]), bins=4, min=0, max=4), torch.bincount(torch.tensor([1, 1, 4]), minlength=7), torch.bincount(torch.tensor([0, 1, 1]), weights=torch.tensor([0.5, 1.0, 2.0])))
print(torch.unique(torch.tensor([3, 1, 2, 3, 1])), torch.unique(torch.tensor([3, 1, 2, 3, 1]), return_inverse=True, return_counts=True))
print(torch.unique(torch.tensor([[1, 2], [1, 2], [0, 5]]), dim=0), torch.unique_consecutive(torch.tensor([1, 1, 2, 2, 1]), return_counts=True))
print(torch.softmax(x, 1), x.log_softmax(0), torch.cov(x), torch.corrcoef(x[:2]))
print(torch.aminmax(x), x[:2, :3].kthvalue(2), torch.topk(x, 2, dim=0), torch.dist(x[0], x[1], 1), torch.renorm(x, 2, 0, 2.0))
