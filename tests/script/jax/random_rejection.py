# Draws that reject, number for number; special functions of them.
import jax
import jax.numpy as jnp
from jax import lax, random
from jax.scipy import special

k = random.key(7)
print(random.gamma(k, 2.0, (4,)), random.gamma(k, jnp.array([0.3, 1.0, 5.0])), random.loggamma(k, 0.5, (3,)))
print(random.beta(k, 1.0, 2.0, (3,)), random.beta(random.PRNGKey(1), 2.0, 0.5))
print(random.dirichlet(k, jnp.ones(3)), random.dirichlet(k, jnp.array([0.5, 2.0]), (2,)))
print(random.chisquare(k, 3.0, shape=(2,)), random.t(k, 3.0), random.t(k, 4.0, (2,)), random.f(k, 2.0, 3.0, (2,)))
print(random.ball(k, 3), random.ball(k, 2, shape=(2,)), random.generalized_normal(k, 1.5, (2,)))
print(random.poisson(k, 3.0, (8,)), random.poisson(k, 50.0, (6,)), random.poisson(k, jnp.array([0.0, 1.0, 12.0])))
print(jax.jit(lambda q: random.gamma(q, 2.0, (2,)))(k), jax.vmap(lambda q: random.poisson(q, 4.0))(random.split(k, 4)))

x = jnp.array([0.3, 1.0, 2.5, 10.0])
print(special.gammainc(x, x + 0.5), special.gammaincc(x, 2 * x), special.zeta(x + 1.5, x))
print(special.betainc(x, 2.0, jnp.array([0.1, 0.5, 0.9, 0.7])), special.polygamma(1, x), special.digamma(x))
print(lax.igamma(1.0, 2.0), lax.igammac(2.0, 2.0), lax.betainc(1.0, 2.0, 0.5))
print(jax.grad(lambda v: special.gammainc(2.0, v))(1.5), jax.grad(lambda v: special.betainc(2.0, 3.0, v))(0.4))
print(jnp.r_[1:3, 5, jnp.array([7, 8])], jnp.c_[jnp.arange(2), jnp.arange(2) + 5], jnp.arange(6).reshape(2, 3).item(4), jnp.arange(6).reshape(2, 3).item(1, 2))
w, v = jnp.linalg.eigh(jnp.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]]))
print(w, jnp.abs(v))
print(jnp.linalg.svd(jnp.array([[3.0, 1.0], [1.0, 2.0], [0.0, 1.0]]), compute_uv=False))
print(jax.grad(lambda a: jnp.linalg.svd(a, compute_uv=False)[0])(jnp.array([[3.0, 1.0], [1.0, 2.0]])))
