# The last edge of a histogram is the greatest number, which its last bin has; dtypes of special functions of halves.
import jax, jax.numpy as jnp
x = jnp.array([-0.65, 1.01, 2.8, -0.62])
print(jnp.histogram2d(x, x, bins=2)); print(jnp.histogram(x, bins=2), jnp.histogram_bin_edges(x, 3), jnp.histogramdd(jnp.stack([x, x], 1), bins=2)[0])
print(jnp.linspace(-0.65, 2.8, 3), jnp.linspace(x[0], x[2], 3), jnp.linspace(x[0], x[2], 7)[-1])
print(jax.scipy.special.dawsn(jnp.zeros(0, jnp.bfloat16)).dtype, jax.scipy.special.owens_t(jnp.ones(2, jnp.bfloat16), jnp.ones(2, jnp.bfloat16)).dtype, jax.scipy.special.owens_t(jnp.ones(2, jnp.float16), jnp.ones(2, jnp.float16)).dtype, jax.scipy.special.owens_t(jnp.ones(2, jnp.bfloat16), jnp.ones(2, jnp.float32)).dtype)
for seed in range(5):
    v = jax.random.normal(jax.random.key(seed), (50,))
    for b in (2, 3, 7, 10): print(jnp.histogram(v, bins=b)[0], jnp.histogram2d(v, v * 3, bins=b)[0].sum(), end=" ")
