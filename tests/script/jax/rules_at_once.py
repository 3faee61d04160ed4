# Functions with rules of their own are called as they are where nothing is traced; dimension numbers are a tuple by name.
import jax
import jax.numpy as jnp

dn = jax.lax.conv_dimension_numbers((1, 5, 5, 2), (3, 3, 2, 4), ("NHWC", "HWIO", "NHWC"))
lhs, rhs, out = dn
print(dn, lhs, dn == (lhs, rhs, out), dn._replace(out_spec=lhs).out_spec)
x, w = jnp.ones((1, 5, 5, 2)), jnp.ones((3, 3, 2, 4))
print(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", (1, 1), (1, 1), dn).sum())
try:
    jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=tuple(dn))
except TypeError as e:
    print(e)


@jax.custom_jvp
def f(p):
    return {"a": p ** 2, "b": (jnp.sin(p), 2)}


f.defjvps(lambda t, ans, p: ans)
print(f(1.))


@jax.custom_vjp
def g(x, n):
    return x * n


g.defvjp(lambda x, n: (x * n, n), lambda n, ct: (ct * n, None))
print(g(2, 3), g(2., 3), type(g(2, 3)).__name__, jax.grad(g)(2., 3.))
print(jax.jit(lambda x: g(x, 2.) + 1)(3.), jax.vmap(lambda x: g(x, 2.))(jnp.arange(3.)))


@jax.custom_jvp
def text(p):
    return p, "text"


text.defjvps(lambda t, ans, p: ans)
try:
    text(1.)
except TypeError as e:
    print("TypeError")
