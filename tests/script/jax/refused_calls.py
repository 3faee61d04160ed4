# What JAX refuses, by the same class of exception and in its words.
import jax
import jax.numpy as jnp

cases = """
jax.grad(lambda x: x)(1)
jnp.zeros((2, 3)).reshape(-1, -1)
jnp.reshape(jnp.zeros((2, 3)), (-1, -1))
jnp.zeros(3).sum(axis=2)
jax.nn.softmax(jnp.zeros(2), axis=3)
jax.nn.log_softmax(jnp.zeros(2), axis=-3)
jnp.ones((2,)) @ 3
3 @ jnp.ones((2,))
jnp.matmul(jnp.ones(()), jnp.ones(2))
jax.ops.segment_sum(jnp.zeros(3), jnp.zeros(2, int))
jnp.linalg.inv(jnp.zeros((2, 3)))
jax.lax.scan(lambda c, x: (c, x), 0., (jnp.ones(2), jnp.ones(3)))
jax.lax.scan(lambda c, x: (c, x), 0., (jnp.ones(2), jnp.ones(3)), length=2)
jax.lax.scan(lambda c, x: (c, x), 0.)
"""
for case in cases.strip().split("\n"):
    try:
        print(case, "->", eval(case))
    except Exception as e:
        print(case, "->", type(e).__name__, str(e).split("\n")[0])
