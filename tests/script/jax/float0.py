# Derivatives by integers are arrays of float0: shapes without numbers. Tracers that escape are refused.
import jax
import jax.numpy as jnp
import numpy as np
from jax import float0

z = np.zeros((), float0)


def show(tree):
    for x in jax.tree.leaves(tree):
        print(x.shape, "float0" if x.dtype == float0 else x.dtype, end="; ")
    print()


print(z, np.zeros(3, dtype=float0), np.zeros((2, 3), float0).reshape(3, 2).shape, np.zeros((2, 3), float0).T.shape)
show(jax.grad(lambda x: x + 0.0, allow_int=True)(1))
show(jax.grad(lambda x: jnp.sum(x + 0.0), allow_int=True)(jnp.ones((2, 3), int)))
show(jax.jvp(lambda x: x + 1, (jnp.int32(1),), (z,))[1])
show(jax.vjp(lambda x: x * 2, 3)[1](z))
show(jax.vjp(lambda x, i: (x * 2.0, i), 3.0, 1)[1]((1.0, z)))
show(jax.jvp(lambda x: (x * 2.0, jnp.int32(3)), (1.0,), (2.0,)))
show(jax.grad(lambda p: p["a"] * 2.0, allow_int=True)({"a": 1.0, "b": 2}))


@jax.custom_jvp
def g(x, i):
    return x * i


@g.defjvp
def g_jvp(p, t):
    print(t[1].dtype == float0, t[1].shape)
    return g(*p), t[0] * p[1]


print(*[float(v) for v in jax.jvp(lambda x: g(x, 3), (2.0,), (1.0,))])


@jax.custom_vjp
def h(x):
    return x * 2.0, jnp.int32(3)


def h_bwd(_, ct):
    print(ct[1].dtype == float0)
    return (ct[0] * 2.0,)


h.defvjp(lambda x: (h(x), None), h_bwd)
print(jax.grad(lambda x: h(x)[0])(1.0))
for f in (lambda: z + 1, lambda: z * jnp.ones(3), lambda: jax.vjp(lambda x: x * 2.0, 3.0)[1](z)):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print("TypeError" if isinstance(e, TypeError) else "ValueError")

escaped = []


@jax.jit
def leak(x):
    escaped.append(x)
    return x


leak(1.0)
try:
    escaped[0] + 1
except jax.errors.UnexpectedTracerError:
    print("leaked")
