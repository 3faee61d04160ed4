# Sums, products and means of floats of 8 bits are rounded at every step, in windows of 32, as XLA adds them on a CPU.
import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.RandomState(3)
for d in (jnp.float8_e5m2, jnp.float8_e4m3fn, jnp.float8_e5m2fnuz, jnp.float8_e8m0fnu):
    for shape in ((7,), (32,), (33,), (100,), (2000,), (5, 6), (40, 3), (3, 40), (2, 3, 4), (33, 34)):
        x = jnp.asarray((rng.randint(1, 9, size=shape) * 0.5).astype(np.float32)).astype(d)
        for axis in [None] + list(range(len(shape))):
            for fn in (jnp.sum, jnp.mean, jnp.prod) + ((jnp.max, jnp.min) if d == jnp.float8_e8m0fnu else ()):
                y = fn(x, axis=axis)
                print(np.dtype(d).name, fn.__name__, shape, axis, y.shape, np.asarray(y.astype(jnp.float32)).tolist())
x = jnp.asarray(rng.randint(1, 9, size=40).astype(np.float32)).astype(jnp.float8_e5m2)
print(jnp.sum(x, keepdims=True).astype(jnp.float32), jax.jit(jnp.sum)(x).astype(jnp.float32))
f = lambda x: jnp.sum(x.astype(jnp.float8_e5m2)).astype(jnp.float32)
x = jnp.arange(1., 41.) * 0.5
print(jax.grad(f)(x), jax.vmap(f)(x.reshape(4, 10)))
