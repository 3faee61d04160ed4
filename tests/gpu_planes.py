# Attention of operands that are parts of one array, on the GPU against the host: read where they lie, gradients written so.
import jax
import jax.numpy as jnp

jax.config.update("jax_default_matmul_precision", "highest")
b, t, n, d = 2, 64, 2, 16


def normal(s, *shape):
    return jax.random.normal(jax.random.PRNGKey(s), shape)


def attention(q, k, v):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / (q.shape[-1] ** 0.5)
    s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), s, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1), v)


def jaxlike(x, w):
    h = (x @ w).reshape(b, t, 3, n, d).transpose(2, 0, 3, 1, 4)
    return attention(h[0], h[1], h[2]).transpose(0, 2, 1, 3).reshape(b, t, n * d)


def torchlike(x, w):
    q, k, v = [a.reshape(b, t, n, d).transpose(0, 2, 1, 3) for a in jnp.split(x @ w, 3, -1)]
    return attention(q, k, v).transpose(0, 2, 1, 3).reshape(b, t, n * d)


def shared(x, w):  # views that a library does not read
    h = (x @ w).reshape(b, t, 3, n, d).transpose(2, 0, 3, 1, 4)
    k = jnp.broadcast_to(h[1][:, :1], (b, n, t, d))
    return attention(h[0][..., ::-1], k, h[2]).transpose(0, 2, 1, 3).reshape(b, t, n * d)


for dtype, far in ((jnp.float32, 1e-4), (jnp.bfloat16, 5e-2)):
    x, w = normal(0, b, t, n * d).astype(dtype), (normal(1, n * d, 3 * n * d) / 4).astype(dtype)
    for f in (jaxlike, torchlike, shared):
        g = jax.jit(jax.grad(lambda x, w: jnp.sum(f(x, w) ** 3), (0, 1)))
        there = g(x, w)
        with jax.default_device(jax.devices("cpu")[0]):
            here = g(*[jax.device_put(a, jax.devices("cpu")[0]) for a in (x, w)])
        for y, z in zip(there, here):
            y, z = jax.device_get(y.astype(jnp.float32)), jax.device_get(z.astype(jnp.float32))
            assert abs(y - z).max() < far * (1 + abs(z).max()), (f.__name__, dtype, float(abs(y - z).max()))

# One array given as several, and long rows by number, some of which are not there
x = normal(5, 3, 300)
one = jax.jit(lambda x, w, b: jnp.tanh(x) * w + b)
assert abs(one(x, x, x) - (jnp.tanh(x) * x + x)).max() < 1e-6
assert abs(one(x, x, 2 * x) - (jnp.tanh(x) * x + 2 * x)).max() < 1e-6
rows = jnp.array([2, 0, 7, 1, -1, 2])
fill = jnp.take(x, rows, axis=0, mode="fill", fill_value=3.0)
assert bool((fill[jnp.array([0, 1, 3, 4, 5])] == x[jnp.array([2, 0, 1, 2, 2])]).all()) and bool((fill[2] == 3.0).all())
assert bool((jnp.take(x, rows, axis=0, mode="clip")[2] == x[2]).all())
