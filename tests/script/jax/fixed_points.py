# A rule that calls its own function on something new: implicit differentiation of a fixed point.
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def fixed_point(f, a, x):
    def going(state):
        return jnp.abs(state[0] - state[1]) > 1e-6

    return jax.lax.while_loop(going, lambda s: (s[1], f(a, s[1])), (x, f(a, x)))[1]


def forward(f, a, x):
    y = fixed_point(f, a, x)
    return y, (a, y)


def backward(f, saved, g):
    a, y = saved
    _, by_a = jax.vjp(lambda a: f(a, y), a)
    _, by_y = jax.vjp(lambda y: f(a, y), y)
    u = fixed_point(lambda _, u: g + by_y(u)[0], a, g)
    return by_a(u)[0], jnp.zeros_like(y)


fixed_point.defvjp(forward, backward)
root = lambda a: fixed_point(lambda a, x: 0.5 * (x + a / x), a, a)
print(f"{root(2.0):.5f} {jax.grad(root)(2.0):.5f} {jax.jit(jax.grad(root))(9.0):.5f}")
print(" ".join(f"{g:.5f}" for g in jax.vmap(jax.grad(root))(jnp.array([2.0, 4.0, 9.0]))))
