# Running combinations, both ways, and slopes at equal elements, NaN and zeros.
import jax
import jax.numpy as jnp
from jax import lax

nan, inf = float("nan"), float("inf")


def slopes(f, x):
    x = jnp.array(x)
    return f(x).tolist(), jax.grad(lambda t: f(t).sum())(x).tolist()


for x in ([1.0, nan, 3.0], [nan, nan], [1.0, 1.0, 0.0], [3.0, 2.0, 3.0], [-inf, -inf, 1.0], [0.0, 2.0, 0.0]):
    print(x, slopes(jnp.max, x), slopes(jnp.min, x))
    print(slopes(lax.cummax, x), slopes(lax.cummin, x), slopes(lax.cumprod, x))
x = jnp.array([[3.0, 1.0, 2.0], [0.5, 4.0, 4.0]])
print(lax.cummax(x, axis=0, reverse=True), lax.cummin(x, axis=1), lax.cumprod(x, axis=1, reverse=True))
print(jnp.round(lax.cumlogsumexp(x, axis=1), 4), jnp.round(lax.cumlogsumexp(x, axis=1, reverse=True), 4))
print(jax.vmap(lambda r: lax.cummax(r))(x), jax.jit(lambda r: lax.cumprod(r, axis=0))(x))
print(lax.top_k(jnp.array([1.0, nan, 3.0, 3.0]), 3), lax.top_k(jnp.array([[1, 5, 2], [7, 0, 7]]), 2))
print(jax.grad(lambda t: lax.top_k(t, 2)[0].sum())(jnp.array([1.0, 4.0, 3.0])))
print(slopes(lambda t: jnp.fmax(t, jnp.array([1.0, nan, 2.0])), [1.0, 3.0, nan]))
print(jax.scipy.special.digamma(jnp.array([0.0, -0.0, -1.0, nan, inf])), jax.scipy.special.gammaln(jnp.array([0.0, inf, -inf])))
print(jax.grad(jax.grad(lambda x, y: x**y, 0), 1)(4.0, 0.0))
