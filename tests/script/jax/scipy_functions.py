# jax.scipy: special functions, distributions, linear algebra.
import jax
import jax.numpy as jnp
import jax.scipy.special as sp
import jax.scipy.stats as st


def show(*values):
    for v in values:
        print(repr(v))


x = jnp.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
v = jnp.array([3.0, 1.0, 2.0, 1.0])
i = jnp.array([3, 1, 2, 1])
b = jnp.array([True, False, True, True])
u = jnp.array([1, 200, 30], dtype=jnp.uint8)
h = jnp.array([1.5, 2.5], dtype=jnp.float16)
n = jnp.array([1.0, jnp.nan, 3.0, jnp.inf])

show(jax.scipy.special.logsumexp(v), jax.scipy.special.expit(v), jax.scipy.special.erf(v))
show(jax.scipy.special.gammaln(v), jax.scipy.special.logit(v / 4), jax.scipy.special.xlogy(v, v))
show(jax.scipy.special.entr(v / 4), jax.scipy.special.ndtr(v), jax.scipy.special.erfc(v))
show(jax.scipy.special.ndtri(v / 4), jax.scipy.special.gamma(v), jax.scipy.special.digamma(v))
show(jax.scipy.special.betaln(v, v), jax.scipy.special.log_ndtr(-v * 5), jax.scipy.special.i0(v))
show(jax.scipy.special.softmax(v), jax.scipy.special.factorial(v), jax.scipy.special.kl_div(v, v + 1))
show(jax.scipy.special.rel_entr(v, v + 1))
show(jax.scipy.stats.norm.logpdf(v), jax.scipy.stats.norm.pdf(v, 1.0, 2.0), jax.scipy.stats.norm.cdf(v))
show(jax.scipy.stats.uniform.pdf(v, 0, 2), jax.scipy.stats.expon.logpdf(v))
show(jax.scipy.stats.multivariate_normal.logpdf(v[:2], jnp.zeros(2), jnp.eye(2)))
show(jax.scipy.stats.bernoulli.logpmf(b, 0.3), jax.scipy.stats.poisson.logpmf(v, 2.0))
show(jax.scipy.stats.beta.logpdf(v / 4, 2.0, 3.0), jax.scipy.stats.t.logpdf(v, 3.0))
show(jax.scipy.stats.gamma.logpdf(v, 2.0), jax.scipy.stats.laplace.logpdf(v))
show(jax.scipy.stats.logistic.logpdf(v), jax.scipy.stats.cauchy.logpdf(v))
show(jax.scipy.linalg.solve_triangular(jnp.tril(jnp.ones((2, 2))), v[:2], lower=True))
show(jax.scipy.linalg.cholesky(jnp.eye(2) * 2), jax.scipy.linalg.expm(jnp.array([[0.0, 1.0], [0.0, 0.0]])))
show(jax.scipy.linalg.block_diag(jnp.ones((1, 2)), jnp.ones((2, 1))))
show(jax.scipy.linalg.lu(jnp.array([[1.0, 2.0], [3.0, 4.0]])))
show(jax.scipy.linalg.toeplitz(jnp.array([1.0, 2.0, 3.0])), jax.scipy.linalg.inv(jnp.eye(2)))
show(jax.scipy.linalg.det(jnp.eye(2) * 2))
show(jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(jnp.array([[1.0, 2.0], [3.0, 4.0]])), v[:2]))
show(jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(jnp.eye(2) * 2), v[:2]))
show(sp.xlogy(v, v), sp.entr(v / 4), sp.ndtr(v), sp.erfc(v))
show(sp.ndtri(v / 4))
show(sp.gamma(v), sp.gammaln(v), sp.gammaln(jnp.array([0.1, 0.5, 7.5, 30.0, -0.5, -1.5])))
show(sp.digamma(v), sp.digamma(jnp.array([0.1, -0.5, 20.0])))
show(sp.betaln(v, v))
show(sp.log_ndtr(-v * 5), sp.log_ndtr(v))
show(sp.i0(v), sp.i1(v), sp.i0e(v), sp.i1e(v))
show(sp.factorial(v), sp.kl_div(v, v + 1), sp.rel_entr(v, v + 1), sp.xlog1py(v, v), sp.multigammaln(v + 1, 2))
show(st.norm.ppf(v / 4), st.norm.sf(v), st.norm.logcdf(-v))
show(st.bernoulli.logpmf(b, 0.3))
show(st.beta.logpdf(v / 4, 2.0, 3.0), st.t.logpdf(v, 3.0), st.gamma.logpdf(v, 2.0))
show(st.laplace.logpdf(v), st.logistic.logpdf(v), st.cauchy.logpdf(v), st.expon.logpdf(v))
show(st.multivariate_normal.logpdf(v[:2], jnp.zeros(2), jnp.eye(2)))
