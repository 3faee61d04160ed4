# Running extremes and sums with NaN, infinities and equal elements, and the slopes of max, min and median there.
import torch

nan, inf = float("nan"), float("inf")


def slopes(f, x):
    t = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = f(t)
    y.sum().backward()
    return y.tolist(), t.grad.tolist()


for x in ([1.0, nan, 3.0], [nan, nan], [1.0, 1.0, 0.0], [3.0, 2.0, 3.0], [2.0, 2.0]):
    for f in (torch.max, torch.min, torch.amax, torch.amin, torch.median):
        print(f.__name__, x, slopes(f, x))
    print("max at", slopes(lambda t: torch.max(t, 0).values, x), slopes(lambda t: torch.median(t, 0).values, x))
    print("cummax", slopes(lambda t: torch.cummax(t, 0).values, x), slopes(lambda t: torch.cummin(t, 0).values, x))
for x in ([-inf, -inf, 1.0], [1.0, inf, 2.0], [inf, inf], [-inf, -inf], [nan, 1.0], [1.0, nan, 2.0], [-inf, inf, -inf]):
    print("logcumsumexp", x, slopes(lambda t: torch.logcumsumexp(t, 0), x))
for x in ([2.0, 0.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0]):
    print("cumprod", x, slopes(lambda t: torch.cumprod(t, 0), x))
t = torch.tensor([[1.0, nan, 2.0, nan, 5.0], [3.0, 1.0, 3.0, 1.0, 0.0]])
print(torch.cummax(t, 1))
print(torch.cummin(t, -1))
print(torch.topk(t, 3), torch.topk(t, 2, largest=False), torch.topk(torch.arange(6).view(2, 3), 1, 0))
print(torch.cummax(torch.tensor([3, 1, 3, 7]), 0), torch.cumprod(torch.arange(1, 6), 0))
for f in (torch.fmax, torch.fmin):
    a = torch.tensor([1.0, nan, 1.0, nan, 2.0], requires_grad=True)
    b = torch.tensor([nan, 1.0, 1.0, nan, 1.0], requires_grad=True)
    f(a, b).sum().backward()
    print(f.__name__, f(a, b).tolist(), a.grad.tolist(), b.grad.tolist())
x = torch.tensor([0.0, -0.0, -1.0, nan, inf, -inf, 1.0, 2.0], dtype=torch.float64)
print(torch.digamma(x[:6]), torch.lgamma(x))
try:
    torch.cummax(t, 2)
except IndexError as e:
    print(e)
