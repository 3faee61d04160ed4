# grad, jvp, vjp, Jacobians, vmap with named axes, jit.
import jax
import jax.numpy as jnp
from jax import lax


def show(*values):
    for v in values:
        print(repr(v))


x = jnp.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
v = jnp.array([3.0, 1.0, 2.0, 1.0])
i = jnp.array([3, 1, 2, 1])
b = jnp.array([True, False, True, True])
u = jnp.array([1, 200, 30], dtype=jnp.uint8)
h = jnp.array([1.5, 2.5], dtype=jnp.float16)
n = jnp.array([1.0, jnp.nan, 3.0, jnp.inf])

show(jax.grad(lambda t: t ** 2)(3.0), jax.grad(lambda t: jnp.sum(t ** 2))(v))
show(jax.value_and_grad(lambda t: t * 2.0)(1.0))
show(jax.grad(lambda a, b: a * b, argnums=(0, 1))(2.0, 3.0))
show(jax.grad(lambda d: d["a"] * d["b"])({"a": 1.0, "b": 2.0}))
show(jax.jvp(jnp.sin, (1.0,), (1.0,)), jax.vjp(jnp.sin, 1.0)[1](1.0), jax.jacfwd(lambda t: t ** 2)(v))
show(jax.jacrev(lambda t: t[:2] * 2)(v), jax.hessian(lambda t: jnp.sum(t ** 3))(v[:2]))
show(jax.vmap(lambda a: a + 1)(v), jax.vmap(lambda a, c: a * c, in_axes=(0, None))(x, 2.0))
show(jax.vmap(lambda a: a.sum(), in_axes=1)(x), jax.vmap(lambda a: (a, a.sum()), out_axes=(1, 0))(x))
show(jax.vmap(lambda a: a / lax.psum(a, "i"), axis_name="i")(v))
show(jax.vmap(lambda a: lax.pmean(a, "i"), axis_name="i")(v))
show(jax.vmap(lambda a: lax.axis_index("i"), axis_name="i")(v))
show(jax.vmap(lambda a: lax.all_gather(a, "i"), axis_name="i")(v[:2]))
show(jax.vmap(lambda a: lax.pmax(a, "i"), axis_name="i")(v))
show(jax.vmap(lambda a: lax.ppermute(a, "i", [(0, 1), (1, 0)]), axis_name="i")(v[:2]))
show(jax.jit(lambda a: a + 1)(1), jax.jit(lambda a: a * 2)(v))
show(jax.jit(lambda a, n: a * n, static_argnums=1)(v, 3), jax.jit(lambda d: {"s": d["a"]})({"a": v}))
show(jax.linearize(jnp.sin, v)[1](jnp.ones(4)), jax.linear_transpose(lambda t: 2 * t, v)(v))
show(jax.checkpoint(jnp.sin)(v), jax.grad(jax.remat(lambda t: jnp.sum(jnp.sin(t))))(v))
show(jax.make_jaxpr(lambda a: jnp.sin(a) * 2.0)(v).jaxpr.eqns[0].primitive.name)
show([e.primitive.name for e in jax.make_jaxpr(lambda a: jnp.sum(jnp.tanh(a) * a + 1.0))(v).jaxpr.eqns])
show([str(q.aval) for q in jax.make_jaxpr(lambda a: a + 1)(v).jaxpr.invars])
show(jax.grad(lambda t: jnp.sum(jnp.where(t > 1.5, t ** 2, t)))(v), jax.grad(lambda t: jnp.max(t))(v))
show(jax.grad(lambda t: jnp.sort(t)[0])(v), jax.grad(lambda t: jnp.prod(t))(v))
show(jax.grad(lambda t: jnp.linalg.norm(t))(v), jax.grad(lambda t: jnp.var(t))(v))
show(jax.grad(lambda t: jnp.cumprod(t)[-1])(v), jax.grad(lambda t: t[jnp.array([0, 0])].sum())(v))
show(jax.grad(lambda t: jnp.std(t))(v), jax.grad(lambda t: jnp.median(t))(v))
show(jax.grad(lambda t: jax.nn.logsumexp(t))(v), jax.grad(lambda t: jnp.interp(1.5, jnp.arange(4.0), t))(v))
show(jax.grad(lambda t: jnp.sum(jnp.clip(t, 1.5, 2.5)))(v), jax.grad(lambda t: jnp.sum(jnp.abs(t - 1)))(v))
show(jax.grad(lambda t: (t ** t).sum())(v), jax.grad(lambda t: jnp.sum(t // 2))(v))
show(jax.grad(lambda t: jnp.sum(t % 2))(v), jax.grad(lambda t: jnp.sum(jnp.sign(t)))(v))
show(jax.grad(lambda t: jnp.linalg.det(t @ t.T))(x))
