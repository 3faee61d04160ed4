# What is static by name is so by place too, or the other way round.
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax


@partial(jax.jit, static_argnames="n")
def doubled(x, scale, n):
    assert isinstance(n, int)
    return lax.scan(lambda c, _: (c * 2, c * scale), x, None, length=n)


print(doubled(1.0, 3.0, 2), doubled(1.0, 3.0, n=3))


@partial(jax.jit, static_argnums=1)
def shaped(x, rows, *, flip=False):
    return x.reshape(rows, -1)[0]


print(shaped(jnp.arange(6), 2), shaped(jnp.arange(6), rows=3))


class Model:
    def __init__(self, power):
        self.power = power

    @partial(jax.jit, static_argnums=0, static_argnames=("flip",))
    def __call__(self, x, flip=False):
        return -x ** self.power if flip else x ** self.power


print(Model(2)(3.0), Model(3)(2.0, flip=True))


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def scaled(x, k):
    return x * k


scaled.defvjp(lambda x, k: (x * k, None), lambda k, _, g: (g * k * 10,))
print(jax.grad(lambda x: scaled(x, k=2.0))(1.0), jax.grad(lambda x: scaled(x, 3.0))(1.0))
