# The guide to pmap: a map over devices, collectives, data-parallel training; a convolution by parts.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import functools
from typing import NamedTuple
import jax
import jax.numpy as jnp
import numpy as np

x = np.arange(5.0, dtype=np.float32)
w = np.array([2.0, 3.0, 4.0], dtype=np.float32)


def convolve(w, x):
    output = []
    for i in range(1, len(x) - 1):
        output.append(jnp.dot(x[i - 1:i + 2], w))
    return jnp.array(output)


print(convolve(w, x))
n_devices = jax.local_device_count()
xs = np.arange(5 * n_devices, dtype=np.float32).reshape(-1, 5)
ws = np.stack([w] * n_devices)
print(jax.vmap(convolve)(ws, xs))
y = jax.pmap(convolve)(ws, xs)
print(y, len(y.addressable_shards), y.addressable_shards[2].data.shape)
print(jax.pmap(convolve, in_axes=(None, 0))(w, xs).shape, jax.pmap(convolve)(ws, jax.pmap(convolve)(ws, np.tile(xs, 2))).shape)


@functools.partial(jax.pmap, axis_name="p")
def normalized_convolution(w, x):
    output = convolve(w, x)
    return output / jax.lax.psum(output, axis_name="p")


print(normalized_convolution(ws, xs)[:, 0])
print(jax.vmap(convolve, axis_name="p")(ws, xs)[0])


class Params(NamedTuple):
    weight: jnp.ndarray
    bias: jnp.ndarray


def init(rng):
    weights_key, bias_key = jax.random.split(rng)
    return Params(jax.random.normal(weights_key, ()), jax.random.normal(bias_key, ()))


def loss_fn(params, xs, ys):
    pred = params.weight * xs + params.bias
    return jnp.mean((pred - ys) ** 2)


@functools.partial(jax.pmap, axis_name="num_devices")
def update(params, xs, ys):
    loss, grads = jax.value_and_grad(loss_fn)(params, xs, ys)
    grads = jax.lax.pmean(grads, axis_name="num_devices")
    loss = jax.lax.pmean(loss, axis_name="num_devices")
    return jax.tree_util.tree_map(lambda p, g: p - g * 0.005, params, grads), loss


rng = np.random.RandomState(0)
xs = rng.normal(size=(128, 1)).astype(np.float32)
ys = (xs * 2 - 1 + rng.normal(scale=0.5, size=(128, 1))).astype(np.float32)
params = init(jax.random.key(123))
replicated = jax.tree.map(lambda v: jnp.array([v] * n_devices), params)


def split(arr):
    return arr.reshape(n_devices, arr.shape[0] // n_devices, *arr.shape[1:])


x_split, y_split = split(xs), split(ys)
for i in range(300):
    replicated, loss = update(replicated, x_split, y_split)
    if i % 100 == 0:
        print(loss.shape, f"{loss[0]:.3f}")
params = jax.device_get(jax.tree.map(lambda v: v[0], replicated))
print(np.round(params.weight, 3), np.round(params.bias, 3))

# every argument
f = jax.pmap(lambda a, b, n: (a * n + b, a), in_axes=(1, None, None), out_axes=(1, 0), static_broadcasted_argnums=2)
p, q = f(np.arange(12.0, dtype=np.float32).reshape(3, 4), 1.0, 3)
print(p, q.shape)
g = jax.pmap(lambda a: jax.lax.psum(a, "i"), axis_name="i", devices=jax.devices()[4:6], axis_size=2)
z = g(np.arange(2.0, dtype=np.float32))
print(z, [s.device.id for s in z.addressable_shards])
h = jax.pmap(lambda a: a + 1, donate_argnums=0)
print(h(jnp.zeros((8, 2))).sum())
for bad in (lambda: jax.pmap(lambda a, b: a)(np.zeros((2, 1)), np.zeros((3, 1))),
            lambda: jax.pmap(lambda a: a, axis_size=3)(np.zeros(2)),
            lambda: jax.pmap(lambda a: a, in_axes=None)(np.zeros(2))):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e)[:200])
