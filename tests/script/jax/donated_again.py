# Arguments given away, call after call: their memory is the results', and they are gone.
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=(0,))
def step(params, x):
    return {k: v + x for k, v in params.items()}, jnp.sum(params["w"])


p = {"w": jnp.ones(3), "b": jnp.zeros(2000)}
for i in range(5):
    q, s = step(p, 1.0)
    print(p["w"].is_deleted(), p["b"].is_deleted(), float(s), float(q["w"][0]), float(q["b"][7]))
    old, p = p, q
for i in range(2):
    try:
        step(old, 1.0)
    except (RuntimeError, ValueError):
        print("gone")
kept = jnp.arange(3.0)


@partial(jax.jit, donate_argnums=1)
def second(x, y):
    return x + y


for i in range(3):
    given = jnp.full(3, i, jnp.float32)
    print(second(kept, given), kept.is_deleted(), given.is_deleted())
