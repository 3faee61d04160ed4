# jax.nn: activations, softmax, initializers.
import jax
import jax.numpy as jnp
from jax import nn, random


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

k = random.key(0)
show(nn.relu(x), nn.sigmoid(x), nn.softplus(x), nn.gelu(x), nn.gelu(x, approximate=False), nn.silu(x))
show(nn.elu(x), nn.selu(x), nn.leaky_relu(x), nn.softmax(x), nn.log_softmax(x), nn.logsumexp(x))
show(nn.one_hot(i, 4), nn.hard_tanh(x), nn.relu6(x), nn.celu(x), nn.glu(jnp.arange(4.0)), nn.standardize(x))
show(nn.soft_sign(x), nn.hard_sigmoid(x), nn.hard_swish(x), nn.mish(x), nn.log_sigmoid(x), nn.squareplus(x))
show(nn.softmax(x, axis=0), nn.softmax(x, where=x > 0), nn.logsumexp(x, axis=1, keepdims=True))
show(nn.logsumexp(x, axis=1, b=jnp.array([1., 2., 3.])), nn.one_hot(2, 3, dtype=jnp.int32))
show(nn.one_hot(i, 3, axis=0))
show(jax.nn.initializers.glorot_uniform()(k, (2, 3)), jax.nn.initializers.he_normal()(k, (2, 3)))
show(jax.nn.initializers.lecun_normal()(k, (3, 2)), jax.nn.initializers.normal(0.1)(k, (2,)))
show(jax.nn.initializers.zeros(k, (2,)), jax.nn.initializers.uniform()(k, (2,)))
show(jax.nn.initializers.constant(3.0)(k, (2,)), jax.nn.initializers.truncated_normal()(k, (2,)))
show(jax.nn.initializers.variance_scaling(2.0, "fan_out", "normal")(k, (2, 3)))
show(jax.nn.initializers.xavier_normal()(k, (3, 3, 2, 4)).sum())
