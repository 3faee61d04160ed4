# Gradients through samples, transforms, constraints, what is refused.
import torch
from torch.distributions import *
import torch.distributions as D
from torch.distributions import constraints
t = torch.tensor
def show(name, f, digits=4):
    try:
        v = f()
        if isinstance(v, torch.Tensor): v = ["%.*g" % (digits, float(x) + 0.0) for x in v.detach().double().reshape(-1)]
        print(name, v)
    except Exception as e:
        print(name, type(e).__name__, str(e)[:230])
for al in (0.1, 0.5, 1.0, 3.0, 20.0, 300.0):
    torch.manual_seed(1)
    a = torch.full((6,), al, requires_grad=True)
    z = Gamma(a, 1.0).rsample()
    show("gamma grad", lambda: torch.autograd.grad(z.sum(), a)[0], 2)
    torch.manual_seed(1)
    a = torch.full((4, 3), al, requires_grad=True)
    z = Dirichlet(a).rsample()
    show("dirichlet grad", lambda: torch.autograd.grad((z * torch.arange(3.)).sum(), a)[0], 2)
    torch.manual_seed(1)
    a = torch.full((4,), al, requires_grad=True)
    show("beta grad", lambda: torch.autograd.grad(Beta(a, 2.0).rsample().sum(), a)[0], 2)
    show("student grad", lambda: torch.autograd.grad(StudentT(a + 1).rsample().sum(), a)[0], 2)
x = torch.linspace(-3, 3, 7)
for T in [ExpTransform(), SigmoidTransform(), TanhTransform(), SoftplusTransform(), AffineTransform(1.0, -2.0), AffineTransform(t(1.0), t(2.0)), ComposeTransform([AffineTransform(0.5, 2.0), ExpTransform()]), StickBreakingTransform(), SoftmaxTransform(), AbsTransform(), IndependentTransform(ExpTransform(), 1), ReshapeTransform((7,), (7, 1)), CatTransform([ExpTransform(), AffineTransform(0.0, 3.0)], 0, [3, 4]), CumulativeDistributionTransform(Normal(0.0, 1.0))]:
    y = T(x)
    print(T)
    show("  y", lambda: y)
    show("  inv", lambda: T.inv(y))
    show("  logdet", lambda: T.log_abs_det_jacobian(x, y))
    show("  sign", lambda: T.sign)
    print("  ", T.domain, T.codomain, T.bijective, T.forward_shape(torch.Size((2, 7))))
    show("  cache", lambda: T.with_cache().inv(T.with_cache()(x)))
v = torch.linspace(-1, 1, 6)
T = CorrCholeskyTransform(); y = T(v)
show("corr", lambda: y); show("corr inv", lambda: T.inv(y)); show("corr det", lambda: T.log_abs_det_jacobian(v, y))
T = LowerCholeskyTransform(); m = torch.arange(9.).reshape(3, 3) / 5
show("lower", lambda: T(m)); show("pd", lambda: PositiveDefiniteTransform()(m)); show("pdi", lambda: PositiveDefiniteTransform().inv(PositiveDefiniteTransform()(m)))
T = StackTransform([ExpTransform(), TanhTransform()], dim=1); s = torch.arange(6.).reshape(3, 2) / 3
show("stack", lambda: T(s)); show("stackd", lambda: T.log_abs_det_jacobian(s, T(s)))
for c in [constraints.real, constraints.positive, constraints.unit_interval, constraints.interval(-1.0, 2.0), constraints.greater_than(2.0), constraints.less_than(3.0), constraints.simplex, constraints.lower_cholesky, constraints.positive_definite, constraints.real_vector, constraints.corr_cholesky, constraints.boolean, constraints.nonnegative_integer]:
    print(c, c.event_dim, c.is_discrete)
    show(" biject", lambda: repr(biject_to(c)))
    show(" transform", lambda: repr(transform_to(c)))
    show(" check", lambda: c.check(x) if c.event_dim < 2 else c.check(m))
for f in (lambda: Normal(0.0, -1.0), lambda: Normal(t([0.0, 1.0]), t([1.0, float("nan")])), lambda: Gamma(0.0, 1.0), lambda: Bernoulli(1.5), lambda: Bernoulli(0.5, 0.5), lambda: Bernoulli(), lambda: Categorical(t([[-1.0, 2.0]])), lambda: Categorical(t(1.0)), lambda: Uniform(1.0, 0.0), lambda: Beta(1.0, 1.0).log_prob(t(2.0)), lambda: Poisson(2.0).log_prob(t(1.5)), lambda: Normal(t([0.0, 1.0]), 1.0).log_prob(torch.zeros(3)), lambda: Normal(0.0, 1.0).log_prob(1.0), lambda: MultivariateNormal(torch.zeros(2), -torch.eye(2)), lambda: MultivariateNormal(torch.zeros(2)), lambda: Dirichlet(t(1.0)), lambda: Independent(Normal(0.0, 1.0), 1), lambda: Normal("a", 1), lambda: kl_divergence(Cauchy(0.0, 1.0), Normal(0.0, 1.0)), lambda: Normal(0.0, 1.0).enumerate_support(), lambda: Normal(0.0, -1.0, validate_args=False).scale, lambda: Bernoulli(0.3).rsample(), lambda: TransformedDistribution(Normal(0.0, 1.0), 3), lambda: Multinomial(t([1, 2]), t([0.5, 0.5]))):
    show("refused", f)
show("enum", lambda: Bernoulli(t([0.3, 0.4])).enumerate_support()); show("enum", lambda: Categorical(t([0.3, 0.4])).enumerate_support(False)); show("enum", lambda: Binomial(3, t([0.2])).enumerate_support())
d = TransformedDistribution(Normal(torch.zeros(3), 1.0), [AffineTransform(1.0, 2.0), ExpTransform()])
show("td", lambda: d.log_prob(t([1.0, 2.0, 3.0]))); show("cdf", lambda: d.cdf(t([1.0, 2.0, 3.0]))); show("icdf", lambda: d.icdf(t([0.1, 0.2, 0.3])))
print(d.support, d.event_shape, d.expand((2, 3)).batch_shape)
class Mine(Distribution):
    arg_constraints = {"k": constraints.positive}
    def __init__(self, k): self.k = k; super().__init__(k.shape)
print(Mine(t([1.0])).batch_shape)
show("mine", lambda: Mine(t([-1.0])))
@register_kl(Mine, Normal)
def _k(p, q): return p.k + q.loc
show("mykl", lambda: kl_divergence(Mine(t([1.0])), Normal(2.0, 1.0)))
