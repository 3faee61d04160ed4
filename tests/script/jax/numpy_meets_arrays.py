# NumPy's functions and JAX's arrays: traced ones have no numbers, others never change, and reductions are asked of the array.
import jax
import jax.numpy as jnp
import numpy as np


def t(name, f):
    try:
        print(name, repr(f()))
    except Exception as e:
        print(name, type(e).__name__, str(e).split("\n")[0])


t("sin", lambda: jax.jit(lambda x: np.sin(x))(1.0))
t("array", lambda: jax.jit(lambda x: np.array(x))(1.0))
t("grad", lambda: jax.grad(lambda x: np.sin(x))(1.0))
t("asarray", lambda: jax.jit(lambda x: np.asarray(x))(2.0))
t("dot", lambda: jax.jit(lambda x: np.dot(np.ones(2), x))(jnp.ones(2)))
t("concatenate", lambda: jax.jit(lambda x: np.concatenate([x, x]))(jnp.ones(1)))
t("sum", lambda: jax.vmap(lambda x: np.sum(x))(jnp.ones((2, 2))))
t("mean", lambda: jax.jit(lambda x: np.mean(x, axis=0) + np.max(x))(jnp.ones((2, 2))))
t("reshape", lambda: jax.grad(lambda x: np.reshape(x, (2, 1)).sum())(jnp.ones(2)))
t("shape", lambda: jax.jit(lambda x: x * np.shape(x)[0] + np.ndim(x) + np.size(x))(jnp.ones(2)))
t("product", lambda: jax.jit(lambda x: np.ones(3) * x)(2.0))
t("scalar", lambda: jax.jit(lambda x: np.float32(2) + x)(2.0))
t("gradient", lambda: jax.grad(lambda x: (np.arange(3.0) * x).sum())(jnp.ones(3)))
t("of values", lambda: (np.sum(jnp.arange(3)), np.any(jnp.arange(3) > 1), np.square(jnp.arange(3)), np.shape(jnp.ones((2, 3)))))
a = jnp.arange(3.0)
b = np.asarray(a)
t("set", lambda: b.__setitem__(0, 5))
t("set a part", lambda: b[1:].__setitem__(0, 5))
t("set a copy", lambda: b.copy().__setitem__(0, 5))
t("set another", lambda: np.asarray(a, dtype=np.float64).__setitem__(0, 1))
c = np.array(a)
c[0] = 7
print(a, b.flags.writeable, c)
t("cbrt", lambda: (jax.grad(jnp.cbrt)(0.0), jax.grad(jnp.cbrt)(8.0)))
t("floor", lambda: (jax.grad(lambda x: x // 2.0)(3.0), jax.grad(lambda x: 7.0 // x)(0.0), jax.jvp(lambda x: x // 2.0, (3.0,), (1.0,))))
t("narrow", lambda: (jnp.float64(1).dtype, jnp.int64(3).dtype, jnp.complex128(1).dtype, jnp.uint64(1).dtype))
t("shapes", lambda: jnp.ones(2) + jnp.ones(3))
t("ranks", lambda: jnp.ones((2, 3)) * jnp.ones(2))
t("larger", lambda: jnp.maximum(jnp.ones((2, 3)), jnp.ones((3, 2))))
t("choice", lambda: jnp.where(True, jnp.ones(2), jnp.ones(3)))
t("argnums", lambda: jax.grad(lambda x: x, argnums=1)(1.0))
