# Gamma functions, signs, slopes, sampling at places, distributions of gammas, lazy modules.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import distributions as d

x = torch.tensor([0.3, 1.0, 2.5, 10.0], dtype=torch.float64)
print(torch.lgamma(x), x.digamma(), torch.polygamma(1, x), torch.polygamma(2, x), torch.mvlgamma(x + 3, 2))
print(torch.special.gammainc(x, x + 0.5), torch.special.gammaincc(x, 2 * x), torch.special.zeta(x + 1.5, x))
y = x.clone().requires_grad_()
(torch.lgamma(y) * torch.digamma(y)).sum().backward()
print(y.grad)
print(torch.lgamma(torch.tensor([1.0, 2.0, -0.5, 0.0])), torch.tensor([3]).lgamma())
print(torch.sign(torch.tensor([float("nan"), -0.0, -3.0])), torch.tensor([1, -2]).sign())
print(torch.copysign(torch.tensor([1.0, 2.0]), torch.tensor([-0.0, 3.0])), torch.signbit(torch.tensor([-0.0, 0.0, -1.0])))

v = torch.tensor([1.0, 2.0, 4.0, 7.0])
print(torch.gradient(v), torch.gradient(v, spacing=(torch.tensor([0.0, 1.0, 3.0, 4.0]),)), torch.gradient(v ** 2, edge_order=2))
print(torch.gradient(torch.tensor([[1.0, 2.0, 4.0], [3.0, 5.0, 9.0]]), spacing=2.0))

image = torch.arange(16.0, dtype=torch.float64).view(1, 1, 4, 4)
theta = torch.tensor([[[0.8, 0.1, 0.2], [-0.1, 0.9, -0.3]]], dtype=torch.float64)
places = F.affine_grid(theta, (1, 1, 3, 3), align_corners=False)
print(places, F.affine_grid(theta, (1, 1, 2, 3), align_corners=True))
for mode in ("bilinear", "nearest"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (True, False):
            print(F.grid_sample(image, places * 1.7, mode, padding, corners))
a, b = image.clone().requires_grad_(), (places * 1.2).detach().requires_grad_()
F.grid_sample(a, b, align_corners=False).pow(2).sum().backward()
print(a.grad, b.grad)

t = torch.tensor
print(d.Beta(2.0, 3.0).log_prob(t(0.5)), d.Beta(2.0, 3.0).mean, d.Beta(2.0, 3.0).entropy(), d.Beta(2.0, 3.0).variance)
print(d.Gamma(2.0, 1.0).log_prob(t(0.5)), d.Gamma(2.0, 3.0).entropy(), d.Chi2(3.0).log_prob(t(2.0)), d.Gamma(2.0, 4.0).stddev)
print(d.Poisson(2.0).log_prob(t(3.0)), d.Binomial(10, t(0.3)).log_prob(t(4.0)), d.Binomial(5, logits=t(0.2)).mean)
print(d.Dirichlet(t([2.0, 2.0])).log_prob(t([0.4, 0.6])), d.Dirichlet(t([1.0, 2.0])).entropy(), d.StudentT(3.0).log_prob(t(0.5)))
print(d.kl_divergence(d.Gamma(2.0, 1.0), d.Gamma(3.0, 2.0)), d.kl_divergence(d.Beta(2.0, 1.0), d.Beta(1.0, 2.0)),
      d.kl_divergence(d.Poisson(2.0), d.Poisson(3.0)))

m = nn.Sequential(nn.LazyLinear(3), nn.ReLU())
print(m)
m(torch.ones(2, 5))
print(m)
p = nn.Parameter(t([1.0, 2.0]))
o = torch.optim.ASGD([p], lr=0.1, t0=1.0)
for _ in range(4):
    o.zero_grad()
    (p ** 2).sum().backward()
    o.step()
print(p.data, o.state[p]["ax"], o.state[p]["mu"])
print(torch.optim.SGD([{"params": [p]}, {"params": [nn.Parameter(torch.ones(1))], "lr": 0.5}], lr=0.1))
try:
    torch.arange(3).softmax(0)
except RuntimeError as e:
    print(e)
