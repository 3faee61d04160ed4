# Copies, casts and joins are differentiated, whatever makes them.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

x = jnp.arange(1.0, 5.0)
functions = [
    lambda x: jnp.array(x) * x, lambda x: jnp.array(x, copy=True), lambda x: jnp.array(x, jnp.float16).astype(jnp.float32),
    lambda x: jnp.array([x, x]), lambda x: jnp.array([[x[0], 2.0], [x[1], x[2]]]), lambda x: jnp.asarray([x[0], 1]),
    lambda x: jnp.array(x, ndmin=2), lambda x: jnp.array((x, x), jnp.float32), lambda x: jnp.array(x[0]) * 3,
    lambda x: jax.device_put(x) * 2, lambda x: x.astype(jnp.float16).astype(float), lambda x: jnp.float32(x) * 2, lambda x: x.copy(),
    lambda x: jnp.zeros_like(x).at[0].set(jnp.array(x)[1]), lambda x: lax.concatenate([x[1:], x[:1] * 2], 0),
    lambda x: lax.concatenate([lax.reshape(x[0], (1,)), lax.reshape(x[1] * x[1], (1,))], 0), lambda x: lax.reduce_precision(x, 8, 10) * 2,
]
for f in functions:
    print(jax.grad(lambda x: jnp.sum(f(x)).astype(jnp.float32))(x), jax.jvp(f, (x,), (x,))[1].ravel(), jax.jit(jax.jacrev(f))(x).sum())
a = np.ones(3)
b = jnp.array(a)
a[0] = 5
print(b)
