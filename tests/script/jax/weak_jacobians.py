# Jacobians of weak results are weak, under jit too; what is no array is refused by the function's name; the class of arrays.
import jax
import jax.numpy as jnp
from jax import grad, jacfwd, jacrev, jit


def f(x, y):
    return x**2 + y**2


def g(x):
    return x**2


print(repr(jacfwd(g)(1.0)), repr(jit(jacfwd(g))(1.0)), repr(jacrev(g)(1.0)), repr(jax.hessian(g)(1.0)), repr(jit(jax.hessian(g))(1.0)))
print(repr(jacfwd(grad(f), argnums=1)(1.0, 1.0)), repr(jit(jacfwd(grad(f), argnums=1))(1.0, 1.0)), repr(jit(jacfwd(jacrev(f, argnums=(0, 1)), argnums=(0, 1)))(1.0, 1.0)))
print(repr(jacfwd(lambda x: x * jnp.arange(2.0))(3.0)), repr(jacfwd(lambda x: jnp.stack([x, x * 2]))(3.0)), repr(jacfwd(lambda v: v**2)(jnp.arange(2.0))))
print(repr(jacfwd(lambda d: d["a"] * d["b"])({"a": 1.0, "b": jnp.ones(2)})), repr(jacfwd(jnp.sin, holomorphic=True)(1 + 0j)))
for name in ("sum", "mean", "max", "argmax", "reshape", "transpose", "prod", "squeeze"):
    try:
        getattr(jnp, name)([1, 2], *((1, 2),) if name == "reshape" else ())
    except TypeError as e:
        print(e)
print(type(jnp.arange(2)), type(jnp.arange(2)).__name__, isinstance(jnp.arange(2), jax.Array))
