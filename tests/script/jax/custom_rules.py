# Derivative rules of one's own: values, every mode, nested transforms, static arguments, trees.
from functools import partial
import jax
import jax.numpy as jnp
from jax import lax


def show(*values):
    for v in values:
        print(repr(v))


@jax.custom_jvp
def f(x, y):
    return jnp.sin(x) * y


@f.defjvp
def f_rule(primals, tangents):
    x, y = primals
    dx, dy = tangents
    return f(x, y), jnp.cos(x) * dx * y + jnp.sin(x) * dy


show(f(2.0, 3.0), jax.jvp(f, (2.0, 3.0), (1.0, 0.0)), jax.grad(f)(2.0, 3.0), jax.grad(f, argnums=1)(2.0, 3.0))
show(jax.grad(jax.grad(f))(2.0, 3.0), jax.vmap(jax.grad(f), (0, None))(jnp.arange(3.0), 2.0), jax.jit(jax.grad(f))(2.0, 3.0))
show(jax.hessian(lambda v: f(v[0], v[1]))(jnp.array([1.0, 2.0])))


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def app(g, x):
    return g(x)


@app.defjvp
def app_rule(g, primals, tangents):
    (x,), (t,) = primals, tangents
    return g(x), 2.0 * t


show(float(app(lambda x: x ** 3, 3.0)), jax.grad(app, argnums=1)(lambda x: x ** 3, 3.0))


@jax.custom_vjp
def clip(x, lo, hi):
    return jnp.clip(x, lo, hi)


clip.defvjp(lambda x, lo, hi: (jnp.clip(x, lo, hi), (x, lo, hi)),
            lambda res, g: (jnp.where((res[0] > res[1]) & (res[0] < res[2]), g, 0.5 * g), None, None))
x = jnp.array([-2.0, 0.5, 3.0])
show(clip(x, -1.0, 1.0), jax.grad(lambda x: clip(x, -1.0, 1.0).sum())(x), jax.grad(lambda x: clip(x, -1.0, 1.0).sum() * 2)(x))
show(jax.vmap(jax.grad(clip), (0, None, None))(x, -1.0, 1.0), jax.jit(jax.vmap(jax.grad(clip), (0, None, None)))(x, -1.0, 1.0))
show(jax.jacrev(lambda x: clip(x, -1.0, 1.0))(x))


# trees in, out and saved; integers among them
@jax.custom_vjp
def affine(p, x, n):
    return {"y": p["w"] * x + p["b"], "n": n}


affine.defvjp(lambda p, x, n: (affine(p, x, n), (p, x)),
              lambda s, g: ({"w": jnp.sum(g["y"] * s[1]), "b": jnp.sum(g["y"])}, g["y"] * s[0]["w"], None))
p = {"w": jnp.float32(2.0), "b": jnp.float32(1.0)}
show(affine(p, x, 3)["y"], jax.grad(lambda p: affine(p, x, 3)["y"].sum())(p), jax.grad(lambda x: (affine(p, x, 3)["y"] ** 2).sum())(x))


# inside loops and branches
@jax.custom_jvp
def safe(x):
    return jnp.where(x == 0, 1.0, jnp.sin(x) / jnp.where(x == 0, 1.0, x))


safe.defjvps(lambda t, ans, x: jnp.where(x == 0, 0.0, (jnp.cos(x) - ans) / jnp.where(x == 0, 1.0, x)) * t)
show(jax.grad(lambda x: lax.scan(lambda c, t: (c + safe(t * x), None), 0.0, jnp.arange(3.0))[0])(0.7))
show(jax.grad(lambda x: lax.cond(x > 0, safe, lambda x: x, x))(0.7), jax.vmap(jax.grad(safe))(jnp.array([0.0, 1.0])))
show(jax.checkpoint(safe)(0.5), jax.grad(jax.checkpoint(lambda x: safe(x) ** 2))(0.5))

# a rule that stops the tangent, and an optimisation layer's implicit derivative
@jax.custom_vjp
def fixed_point(a):
    return lax.while_loop(lambda s: jnp.abs(s[0] - s[1]) > 1e-6, lambda s: (jnp.cos(s[0]) * a, s[0]), (a, a + 1.0))[0]


def fwd(a):
    y = fixed_point(a)
    return y, (a, y)


def bwd(res, g):
    a, y = res
    _, pull = jax.vjp(lambda a, y: jnp.cos(y) * a, a, y)
    da, dy = pull(1.0)
    return (g * da / (1.0 - dy),)


fixed_point.defvjp(fwd, bwd)
show(fixed_point(0.5), jax.grad(fixed_point)(0.5), jax.jit(jax.grad(fixed_point))(0.5))
