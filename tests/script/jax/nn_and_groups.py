# Sums over bools, products by groups, what attention's softmax sums to, tails of gelu, fans.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn, random


def show(name, *values):
    for v in jax.tree.leaves(values):
        v = np.asarray(v)
        print(name, v.shape, v.dtype, [f"{x:.4g}" for x in v.astype(np.float64).ravel()[:10]])


a, b = jnp.array([[True, False], [True, True]]), jnp.array([[False, False], [True, False]])
for spec in ("ij,jk->ik", "ij->i", "ij,ij->", "ij,jk->ki"):
    ops = (a, b)[:spec.count(",") + 1]
    show(spec, jnp.einsum(spec, *ops))
    print(np.einsum(spec, *[np.asarray(x) for x in ops]))
lhs, rhs = jnp.sin(jnp.arange(20.0)).reshape(5, 4), jnp.cos(jnp.arange(24.0)).reshape(3, 4, 2)
for sizes in ([2, 0, 3], [1, 2, 1], [0, 0, 0]):
    show(f"ragged {sizes}", lax.ragged_dot(lhs, rhs, jnp.array(sizes, jnp.int32)))
show("ragged grad", jax.grad(lambda x, y: (lax.ragged_dot(x, y, jnp.array([2, 1, 1])) ** 2).sum(), (0, 1))(lhs, rhs))
show("ragged vmap", jax.vmap(lax.ragged_dot)(jnp.stack([lhs, 2 * lhs]), jnp.stack([rhs, rhs]), jnp.array([[5, 0, 0], [1, 1, 3]])))
q, k = jnp.sin(jnp.arange(24.0)).reshape(1, 3, 2, 4), jnp.cos(jnp.arange(40.0)).reshape(1, 5, 2, 4)
show("attention", nn.dot_product_attention(q, k, k, is_causal=True, return_residual=True), nn.dot_product_attention(q[0], k[0], k[0], return_residual=True))
show("gelu", nn.gelu(jnp.array([-12.0, -6.0, -1.0, 0.0, 2.0]), approximate=False), jax.grad(lambda x: nn.gelu(x, approximate=False))(-3.0))
show("log1mexp", nn.log1mexp(jnp.array([1e-3, 0.5, 0.7, 20.0])), jax.vmap(jax.grad(nn.log1mexp))(jnp.array([1e-3, 0.7, 20.0])))
key = random.PRNGKey(0)
show("fans", nn.initializers.lecun_normal(in_axis=-1, out_axis=())(key, (4,)), nn.initializers.variance_scaling(1.0, "fan_geo_avg", "normal")(key, (2, 8))[0],
     nn.initializers.uniform(jnp.float32(2.0), jnp.bfloat16)(key, (3,)), nn.initializers.orthogonal()(key, (0, 3)))
try:
    nn.initializers.lecun_normal()(key, (4,))
except ValueError as e:
    print(e)
