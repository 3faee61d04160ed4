# Errors of shapes: JAX's classes and words.
import jax
import jax.numpy as jnp

a3, a4, a34, a43 = jnp.ones(3), jnp.ones(4), jnp.ones((3, 4)), jnp.ones((4, 3))
b = jnp.ones((2, 3, 4))
i3, i4 = a3.astype(int), a4.astype(int)


@jax.custom_vjp
def sine(x):
    return jnp.sin(x)


sine.defvjp(lambda x: (sine(x), jnp.cos(x)), lambda c, g: (c * g,))

for f in (
    lambda: a3 + a4, lambda: a3 * a34, lambda: a34 - a43, lambda: jnp.multiply(a3, a34), lambda: jnp.add(a34, a43), lambda: a3 / a34,
    lambda: a3 < a4, lambda: a3 ** a34, lambda: jnp.maximum(a3, a34), lambda: jnp.minimum(a3, a4), lambda: jnp.arctan2(a3, a34),
    lambda: jax.jit(lambda x, y: x + y)(a3, a4), lambda: jax.jit(lambda x, y: x + y)(a3, a34), lambda: jax.vmap(lambda x, y: x * y)(a34, jnp.ones((3, 5))),
    lambda: jnp.logical_and(a3, a4), lambda: jax.lax.add(a3, a4), lambda: jnp.equal(a3, a34), lambda: jnp.logaddexp(a3, a34), lambda: a3 % a4,
    lambda: a3 // a4, lambda: jnp.left_shift(i3, i4), lambda: jnp.bitwise_and(i3, i4), lambda: jnp.concatenate([a34, a43]), lambda: jnp.concatenate([a3, a34]),
    lambda: b @ b, lambda: a34 @ a3, lambda: jnp.dot(b, a3), lambda: jnp.dot(a34, a34), lambda: jnp.inner(a3, a4), lambda: jnp.tensordot(a34, a34, 1),
    lambda: a34[0, 0, 0], lambda: jax.jvp(sine, (3.0,), (1.0,)), lambda: jax.jacfwd(sine)(3.0), lambda: jax.jit(lambda x: jax.jvp(sine, (x,), (1.0,)))(3.0),
):
    try:
        print("no error", f())
    except (TypeError, ValueError, IndexError) as e:
        print(type(e).__name__, str(e).split("\n")[0])
