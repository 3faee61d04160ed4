# A rule for the reverse that prints, checks or calls back does so where the gradient is computed: at once, under jit and vmap, in loops.
import jax
import jax.numpy as jnp
from jax.experimental import checkify


@jax.custom_vjp
def watched(x):
    return x


def watched_fwd(x):
    return x, None


def watched_bwd(_, g):
    jax.debug.print("gradient {}", g)
    return (g,)


watched.defvjp(watched_fwd, watched_bwd)


def f(x):
    return watched(x) * 2.0


print(jax.grad(f)(1.0))
print(jax.jit(jax.grad(f))(1.0))
print(jax.value_and_grad(lambda x: jnp.sum(f(x) ** 2))(jnp.arange(3.0)))
print(jax.jit(jax.grad(lambda x: jnp.sum(x * jax.jit(watched)(x * x))))(jnp.array([1.0, 2.0])))
print(jax.grad(lambda x: jax.lax.fori_loop(0, 3, lambda i, c: watched(c) * x, x))(2.0))
print(jax.jit(jax.grad(lambda x: jax.lax.scan(lambda c, _: (watched(c) * x, None), x, None, length=2)[0]))(2.0))
print(f(3.0), jax.jit(f)(3.0))

seen = []


@jax.custom_vjp
def kept(x):
    return x


kept.defvjp(lambda x: (x, x), lambda x, g: (jax.debug.callback(lambda a, b: seen.append((float(a), float(b))), x, g), (g,))[1])
print(jax.grad(lambda x: kept(x) ** 3)(2.0), jax.jit(jax.grad(lambda x: kept(kept(x) ** 2)))(3.0))
jax.effects_barrier()
print(seen)


@jax.custom_vjp
def falling(x):
    return x


def falling_bwd(_, g):
    checkify.check(g < 0, "the gradient is not negative: {g}", g=g)
    return (g,)


falling.defvjp(lambda x: (falling(x), None), falling_bwd)
print(checkify.checkify(jax.grad(lambda x: -falling(x)))(1.0)[0].get())
print(checkify.checkify(jax.jit(jax.grad(falling)))(1.0)[0].get().split("\n")[0])
