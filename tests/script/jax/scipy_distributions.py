# Every distribution of jax.scipy.stats, and statistics of samples.
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import stats

x = jnp.array([-1.5, -0.2, 0.0, 0.3, 0.9, 1.0, 2.5, 7.0])
q = jnp.array([0.05, 0.3, 0.5, 0.99])
k = jnp.array([-1, 0, 1, 2, 5, 6])


def show(name, *values):
    for v in values:
        print(name, np.round(np.asarray(v, np.float64), 3).tolist())


plain = {"norm": (), "uniform": (), "expon": (), "laplace": (), "logistic": (), "cauchy": (), "gumbel_r": (), "gumbel_l": (),
         "gamma": (2.5,), "chi2": (3.0,), "beta": (2.0, 1.5), "t": (4.0,), "pareto": (1.5,), "truncnorm": (-1.0, 2.0)}
for name, shape in plain.items():
    d = getattr(stats, name)
    for f in ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf"):
        if hasattr(d, f):
            show(f"{name}.{f}", getattr(d, f)(x, *shape), getattr(d, f)(x, *shape, loc=0.25, scale=2.0))
    for f in ("ppf", "isf"):
        if hasattr(d, f):
            show(f"{name}.{f}", getattr(d, f)(q, *shape, loc=0.25, scale=2.0))
show("gennorm", stats.gennorm.logpdf(x, 1.5), stats.gennorm.cdf(x, 1.5))
show("vonmises", stats.vonmises.logpdf(x, 30.0), stats.vonmises.pdf(x, 0.5))
show("wrapcauchy", stats.wrapcauchy.logpdf(x, 0.4), stats.wrapcauchy.pdf(x, 0.4))
show("bernoulli", stats.bernoulli.logpmf(k, 0.3), stats.bernoulli.cdf(k, 0.3), stats.bernoulli.ppf(q, 0.7))
show("poisson", stats.poisson.logpmf(k, 2.0), stats.poisson.pmf(k, 2.0, loc=1), stats.poisson.cdf(k, 2.0),
     stats.poisson.entropy(jnp.array([0.0, 0.5, 3.0, 49.0, 80.0])))
show("binom", stats.binom.logpmf(k, 5, 0.3), stats.binom.pmf(k, 5, 0.3, loc=1))
show("betabinom", stats.betabinom.logpmf(k, 5, 2.0, 1.5))
show("geom", stats.geom.logpmf(k, 0.3), stats.geom.pmf(k, 0.3))
show("nbinom", stats.nbinom.logpmf(k, 4, 0.3), stats.nbinom.pmf(k, 4, 0.3, loc=1))
show("multinomial", stats.multinomial.logpmf(jnp.array([1, 2, 0]), 3, jnp.array([0.2, 0.5, 0.3])),
     stats.multinomial.pmf(jnp.array([1, 2, 1]), 3, jnp.array([0.2, 0.5, 0.3])))
show("dirichlet", stats.dirichlet.logpdf(jnp.array([0.2, 0.3, 0.5]), jnp.array([1.0, 2.0, 3.0])),
     stats.dirichlet.logpdf(jnp.array([0.2, 0.3]), jnp.array([1.0, 2.0, 3.0])),
     stats.dirichlet.pdf(jnp.array([0.2, 0.3, 0.6]), jnp.array([1.0, 2.0, 3.0])))
cov = jnp.array([[2.0, 0.3], [0.3, 1.0]])
show("multivariate_normal", stats.multivariate_normal.logpdf(x.reshape(4, 2), jnp.array([0.5, -0.5]), cov),
     stats.multivariate_normal.logpdf(x, 0.5, 2.0), stats.multivariate_normal.pdf(x.reshape(4, 2), jnp.array([0.5, -0.5]), 2.0))

# invalid parameters give NaN
show("invalid", stats.beta.logpdf(0.5, -1.1, -1.1), stats.truncnorm.cdf(0.5, 2.0, 1.0), stats.gamma.cdf(1.0, -2.0),
     stats.uniform.ppf(1.5))

# derivatives
show("d gamma", jax.grad(lambda v: stats.gamma.logpdf(v, 2.5))(1.5), jax.grad(lambda a: stats.norm.logcdf(0.3, a))(1.5))
show("vmap", jax.vmap(lambda v: stats.pareto.logpdf(v, 1.5))(x), jax.jit(stats.truncnorm.logsf)(x, -1.0, 2.0))

samples = jnp.array([[3.0, 1.0, 4.0, 1.0], [5.0, 9.0, 2.0, 6.0], [5.0, 3.0, 5.0, 1.0]])
m = stats.mode(samples, axis=0)
show("mode", m.mode, m.count, stats.mode(samples, axis=None).mode, stats.mode(samples, axis=1, keepdims=True).count)
for method in ("average", "min", "max", "dense", "ordinal"):
    show(f"rankdata {method}", stats.rankdata(samples, method), stats.rankdata(samples, method, axis=1))
show("sem", stats.sem(samples), stats.sem(samples, axis=None), stats.sem(samples, axis=1, ddof=0, keepdims=True),
     stats.sem(samples.at[0, 0].set(jnp.nan), nan_policy="omit"))
kde = stats.gaussian_kde(samples[:2])
other = stats.gaussian_kde(samples[1:], weights=jnp.array([1.0, 2.0, 3.0, 1.0]), bw_method="silverman")
show("kde", kde.evaluate(samples[1:]), kde.logpdf(samples[1:]), kde.neff, kde.covariance, kde.integrate_kde(other), other.neff,
     kde.integrate_gaussian(jnp.array([3.0, 4.0]), cov), stats.gaussian_kde(samples[0]).integrate_box_1d(1.0, 3.5))
