# Arrays that were made with x64 keep their type where it is off, as far as nothing promotes them.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

with jax.enable_x64(True):
    x = jnp.asarray([0.5, 1.5], dtype=jnp.float64)
    i = jnp.arange(3)
    z = jnp.asarray(1 + 2j)
print(x.dtype, i.dtype, z.dtype)
print(lax.sin(x).dtype, lax.mul(x, x).dtype, (x * x).dtype, jnp.sin(x).dtype, x.reshape(2, 1).dtype, jnp.asarray(x).dtype, (i * i).dtype)
print((x + 1).dtype, (x + np.float32(1)).dtype, (x * i[:2]).dtype, (i + 1).dtype, jax.jit(lambda v: v + 1)(x).dtype)
print(jax.grad(lambda v: jnp.sin(v[0]) * v[1])(x).dtype, jax.jit(lambda v: v * v)(x))
print(jnp.asarray(np.arange(3.0)).dtype, jnp.sin(np.float64(1)).dtype, x.astype("float64").dtype)


@jax.jit
def f(a):
    with jax.enable_x64():
        return 2 + a


print(f(1).dtype)
