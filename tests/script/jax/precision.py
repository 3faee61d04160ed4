# How products of f32 may be computed: results on a CPU are those of f32 whatever is asked for.
import jax
import jax.numpy as jnp
from jax import lax

a = jnp.array([[1.0, 2.0], [3.0, 4.0]])
b = jnp.array([[0.5, -1.0], [2.0, 1.5]])
print(jnp.matmul(a, b, precision="highest"))
print(jnp.dot(a, b, precision=lax.Precision.HIGHEST))
print(jnp.einsum("ij,jk->ik", a, b, precision="float32"))
print(jnp.tensordot(a, b, axes=1, precision=(lax.Precision.HIGHEST, lax.Precision.HIGHEST)))
print(lax.dot_general(a, b, (((1,), (0,)), ((), ())), precision=lax.Precision.DEFAULT))
with jax.default_matmul_precision("float32"):
    print(a @ b)
    print(jax.grad(lambda x: jnp.sum(x @ b))(a))
x = jnp.arange(16.0).reshape(1, 1, 4, 4)
k = jnp.ones((1, 1, 2, 2))
print(lax.conv_general_dilated(x, k, (1, 1), "VALID", precision="highest"))
print(lax.conv(x, k, (2, 2), "VALID", precision=lax.Precision.HIGHEST))
try:
    jnp.matmul(a, b, precision="very high")
except ValueError:
    print("ValueError")
