# Products with what follows them, on the GPU against the host: bias, relu, gelu and its gradient, steps of gradient descent.
import jax
import jax.numpy as jnp

jax.config.update("jax_default_matmul_precision", "highest")     # elements near 0 go either way else
n = 32 if jax.devices()[0].device_kind.startswith("host") else 512          # the host's own doing is slow


def normal(seed, *shape):
    return jax.random.normal(jax.random.PRNGKey(seed), shape) / 4


def compare(name, f, args, dtype, far):
    args = [a.astype(dtype) for a in args]
    there = jax.jit(f)(*args)
    with jax.default_device(jax.devices("cpu")[0]):
        here = jax.jit(f)(*[jax.device_put(a.astype(jnp.float32), jax.devices("cpu")[0]) for a in args])
    for y, x in zip(there, here):
        x, y = jax.device_get(x), jax.device_get(y.astype(jnp.float32))
        error = abs(x - y).max() / (abs(x).max() + 1e-6)
        assert error < far, (name, dtype, float(error))


x, w, v, b = normal(0, 2 * n, n), normal(1, n, 2 * n), normal(2, 2 * n, n), normal(3, 2 * n)


def mlp(act):
    def loss(w, v, x):
        return ((act(x @ w) @ v) ** 2).sum()

    def step(x, w, v):
        g = jax.grad(loss, (0, 1))(w, v, x)
        return w - 0.01 * g[0], v - 0.01 * g[1], g[0], g[1]
    return step


def check_all(dtype, far):
    compare("bias relu", lambda x, w, b: (jax.nn.relu(x @ w + b),), (x, w, b), dtype, far)
    compare("step", mlp(jax.nn.gelu), (x, w, v), dtype, far)
    if n < 512:
        return
    compare("bias", lambda x, w, b: (x @ w + b,), (x, w, b), dtype, far)
    compare("relu", lambda x, w: (jax.nn.relu(x @ w),), (x, w), dtype, far)
    compare("gelu", lambda x, w: (jax.nn.gelu(x @ w),), (x, w), dtype, far)
    compare("gelu, exact", lambda x, w: (jax.nn.gelu(x @ w, approximate=False),), (x, w), dtype, far)
    compare("bias gelu", lambda x, w, b: (jax.nn.gelu(x @ w + b),), (x, w, b), dtype, far)
    compare("sum", lambda x, w, y: (2.5 * (x @ w) - 0.5 * y,), (x, w, normal(4, 2 * n, 2 * n)), dtype, far)
    compare("both", lambda x, w: (jax.nn.gelu(x @ w), x @ w), (x, w), dtype, far)
    compare("step", mlp(jnp.tanh), (x, w, v), dtype, far)


check_all(jnp.bfloat16, 3e-2)
if n == 512:
    check_all(jnp.float32, 1e-3)
