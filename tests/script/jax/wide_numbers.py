# 64-bit numbers switched on, and off again.
import jax, jax.numpy as jnp
from jax import lax
jax.config.update("jax_enable_x64", True)
x = jnp.arange(3.0)
print(x.dtype, jnp.array(1).dtype, jnp.array(1.0).dtype, jnp.zeros(2).dtype, jnp.arange(3).dtype, (x * 2).dtype, jnp.float32(1).dtype)
print(jax.grad(lambda t: jnp.sin(t) ** 2)(1.0), repr(jax.grad(lambda t: t ** 3)(2.0)))
print(jnp.linspace(0, 1, 3), jnp.pi * x, jax.random.normal(jax.random.key(0), (2,)), jax.random.uniform(jax.random.key(1), (2,), dtype=jnp.float32))
print(jax.hessian(lambda v: jnp.sum(v ** 4))(x), lax.scan(lambda c, t: (c + t, c), 0, jnp.arange(4)))
print(jnp.sum(jnp.full(10, 0.1)), jnp.mean(jnp.arange(4)), jnp.argmax(x).dtype, (x > 1).dtype)
def f(x):
    return jnp.sum(jnp.exp(-x) * jnp.cos(x))
eps = 1e-6
num = [(f(x.at[i].add(eps)) - f(x.at[i].add(-eps))) / (2 * eps) for i in range(3)]
print(jnp.allclose(jax.grad(f)(x), jnp.array(num), rtol=1e-7))
print(jnp.linalg.inv(jnp.array([[2.0, 1.0], [1.0, 3.0]])), jax.jit(lambda a: a / 3)(1.0), x.astype(jnp.float32).dtype)
jax.config.update("jax_enable_x64", False)
print(jnp.arange(3.0).dtype)
