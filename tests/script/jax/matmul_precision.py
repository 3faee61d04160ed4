# How exact products are is said by an option, a context, or an argument: programs keep it.
import jax
import jax.numpy as jnp

x, w = jnp.ones((3, 4)), jnp.ones((4, 5))


def said(**kw):
    text = jax.jit(lambda x, w: jnp.matmul(x, w, **kw)).lower(x, w).as_text()
    return [p for p in ("highest", "tf32", "bf16") if "precision=" + p in text]


print(said(), said(precision="highest"))
jax.config.update("jax_default_matmul_precision", "highest")
print(said(), jax.config.jax_default_matmul_precision)
with jax.default_matmul_precision("tensorfloat32"):
    print(said())
jax.config.update("jax_default_matmul_precision", None)
print(said(), jax.config.jax_default_matmul_precision)
try:
    jax.config.update("jax_default_matmul_precision", "good")
except ValueError as e:
    print("ValueError")
