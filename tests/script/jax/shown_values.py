# What programs show of values: lines printed from compiled functions, types of keys, dtypes of scalars, texts of jaxprs.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

x = jnp.sin(1.0)
jax.jit(lambda y: jax.debug.print("in {} and {} of {}", y, y * 3, jnp.arange(2.0) / 3 + y))(x)
jax.jit(lambda y: jax.debug.print("{a} {b} {c} {d}", a=y.astype(jnp.bfloat16), b=y.astype(jnp.float16), c=y > 0, d=y.astype(int)))(x)
jax.debug.print("out {} {:.3f}", x, x)
jax.effects_barrier()

key = jax.random.key(0)
print(repr(jax.typeof(key)), jax.typeof(key), jax.typeof(jax.random.split(key)), jax.typeof(jnp.ones(3)))

print(np.dtype(np.float64(2)), np.dtype(np.int32(1) + np.float32(1)), np.zeros(2, dtype=np.int8(3)), np.dtype(np.bool_(1)))


class Kind:
    dtype = np.dtype("int16")


print(np.dtype(Kind()), np.dtype(Kind), np.ones(1, Kind()).dtype)
try:
    print(np.dtype(np.zeros(2)))
except TypeError:
    print("TypeError")

v = jnp.ones(3)
for f in (lambda x: lax.broadcast_in_dim(x, (2, 3), (1,)), lambda x: lax.broadcast_in_dim(x.sum(), (2,), ()), lambda x: x * 1.67 + 0.1, lambda x: x,
          lambda x: (1, x), lambda x: x * jnp.float32(jnp.inf), lambda x: x.astype(jnp.bfloat16) * 0.1, lambda x: lax.full((2,), 7, jnp.int32),
          lambda x: x ** 3, lambda x: x ** -1, lambda x: jnp.power(x, 4), lambda x: x ** 0.5, lambda x: lax.integer_pow(x, 3), lambda x: x ** 2,
          lambda x: x * x, lambda x: x.reshape(3, 1)):
    print(jax.make_jaxpr(f)(v))
