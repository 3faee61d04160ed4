# jax.random: number for number.
import jax
import jax.numpy as jnp
from jax import random


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

k = random.key(0)
show(random.key_data(k), random.PRNGKey(7), random.normal(k, (3,)), random.uniform(k, (2,)))
show(random.randint(k, (3,), 0, 10), random.bernoulli(k, 0.5, (4,)), random.permutation(k, 5))
show(random.choice(k, 5, (3,)), random.categorical(k, v), random.exponential(k), random.gumbel(k))
show(random.laplace(k), random.logistic(k), random.cauchy(k), random.truncated_normal(k, -1.0, 1.0))
show(random.rademacher(k, (3,)), random.bits(k))
show(random.normal(k, (2,), dtype=jnp.float16))
show(random.choice(k, v, (2,), replace=False))
show(random.choice(k, v, (2,), p=v / v.sum()))
show(random.multivariate_normal(k, jnp.zeros(2), jnp.eye(2)))
show(random.permutation(k, x))
show(random.permutation(k, x, axis=1))
show(random.permutation(k, x, independent=True))
show(random.lognormal(k), random.rayleigh(k, 1.0), random.pareto(k, 2.0))
show(random.weibull_min(k, 1.0, 2.0))
show(random.maxwell(k))
show(random.geometric(k, 0.3))
show(random.triangular(k, 0.0, 0.5, 1.0))
show(random.choice(k, 5, (3,), replace=False, p=jnp.array([0.1, 0.2, 0.3, 0.2, 0.2])))
