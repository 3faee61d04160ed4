# Divergences of every pair of distributions.
import torch
from torch.distributions import *
torch.manual_seed(0)
def show(name, f):
    try:
        v = f()
        if isinstance(v, torch.Tensor): v = ["%.4g" % (float(x) + 0.0) if abs(float(x)) > 1e-6 else "0" for x in v.detach().double().reshape(-1)]
        print(name, v)
    except Exception as e:
        print(name, type(e).__name__, str(e)[:60])
t = torch.tensor
a, b = t([0.5, 2.5]), t([1.5, 0.7])
cov = t([[2.0, 0.3], [0.3, 1.0]])
pairs = [Normal(a, b), Gamma(a, b), Exponential(b), Laplace(a, b), Gumbel(a, b), Uniform(a * 0.1, a * 0.3), Pareto(a, b + 3), Beta(a, b), ContinuousBernoulli(t([0.3, 0.6])), Poisson(b), Bernoulli(t([0.2, 0.9])), Geometric(t([0.2, 0.9])), HalfNormal(b), LogNormal(a, b), Cauchy(a, b), Binomial(3, t([0.2, 0.9])), Dirichlet(t([0.5, 1.0, 2.0])), Categorical(t([0.2, 0.8])), MultivariateNormal(a, cov), LowRankMultivariateNormal(a, t([[1.0], [0.5]]), b), OneHotCategorical(t([0.2, 0.8])), Independent(Normal(a, b), 1)]
for p in pairs:
    for q in pairs:
        show(f"KL {type(p).__name__} {type(q).__name__}", lambda: kl_divergence(p, q))
print(kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)))
