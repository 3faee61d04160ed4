# Slopes where a formula has 0/0, sums of halves, powers of integers, and results of compiled functions that are their arguments.
import numpy as np
import torch
import torch.nn.functional as F


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__, e)


z = torch.zeros(3, requires_grad=True)
grad = lambda y: torch.autograd.grad(y, z)[0].tolist()
print(grad(z.std()), grad((z + torch.tensor([1.0, 2.0, 4.0])).std()), grad(torch.std(torch.stack([z, z]), 0).sum()))
print(grad(torch.atan2(z, z).sum()), grad(torch.atan2(z + 1, z).sum()), grad(torch.atan2(z, z - 1).sum()))
print(grad(F.cosine_similarity(z, torch.ones(3), dim=0)), z.std(), torch.atan2(-z, -z).tolist())
for d in (torch.float16, torch.bfloat16):
    x = torch.full((4, 300), 300.0, dtype=d)
    print(F.avg_pool1d(x * 200, 4)[0, :3], F.adaptive_avg_pool1d(x * 200, 2)[0],
          F.kl_div(torch.log_softmax(x, 1), torch.softmax(x, 1), reduction="batchmean"))
b = torch.tensor([2, 3])
t("operator", lambda: b ** -1)
t("method", lambda: b.pow(-1))
t("function", lambda: torch.pow(b, -1))
t("in place", lambda: b.clone().pow_(-1))
t("of tensors", lambda: b ** torch.tensor(-1))
t("floats", lambda: (b ** -1.0, b.float() ** -1, b**2))
a = np.array([2, 3])
t("numpy", lambda: a ** -1)
t("of an array", lambda: 2 ** -np.arange(3))
t("of nothing", lambda: np.zeros(0, int) ** -1)
t("of floats", lambda: 2.0 ** -np.arange(3))

x = torch.ones(2)
c = torch.compile(lambda x, keep: x if keep else x.clone(), backend="eager")
print(c(x, True) is x, c(x, True) is x, c(x, False) is x)
c = torch.compile(lambda x: x.add_(1), backend="eager")
print(c(x) is x, c(x) is x, x)
c = torch.compile(lambda x, y: (y * 2, x, [y, x]), backend="eager")
r = c(x, x + 1)
print(r[1] is x, r[2][1] is x)
w = torch.nn.Parameter(torch.ones(2))
print(torch.compile(lambda x: (w, x * w), backend="eager")(x)[0] is w)
print(torch.logit(torch.tensor([0, 5, 1], dtype=torch.uint8)), torch.logit(torch.tensor([0.0, 1.0, 2.0]), eps=0.1))
