# The guide to distributed arrays: computation follows where arguments lie; a network by batch, by model and by both.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jax.experimental import mesh_utils

devices = mesh_utils.create_device_mesh((4, 2))
mesh = Mesh(devices, axis_names=("a", "b"))
x = jax.random.normal(jax.random.key(0), (512, 256))
y = jax.device_put(x, NamedSharding(mesh, P("a", "b")))
jax.debug.visualize_array_sharding(y)
z = jnp.sin(y)
print(z.sharding == y.sharding, np.allclose(z, jnp.sin(x)))
sharding = NamedSharding(mesh, P("a", None))
for spec in (P("a", "b"), P("a", None), P(None, "b"), P(("a", "b"), None), P(None, ("b", "a")), P()):
    v = jax.device_put(x, NamedSharding(mesh, spec))
    print(spec, v.addressable_shards[5].index, v.addressable_shards[5].replica_id, v.addressable_shards[0].data.shape)

# products
y = jax.device_put(x, NamedSharding(mesh, P("a", None)))
z = jax.device_put(x.T, NamedSharding(mesh, P(None, "b")))
w = jax.jit(jnp.dot)(y, z)
jax.debug.visualize_array_sharding(w)
print(np.allclose(w, x @ x.T, rtol=1e-3, atol=1e-3))

# arguments that are not committed go along, those that are must agree
print(jax.jit(jnp.add)(y, jnp.ones((512, 256))).sharding.spec)
try:
    jax.jit(jnp.add)(jax.device_put(jnp.ones(4), jax.devices()[0]), jax.device_put(jnp.ones(4), jax.devices()[1]))
except ValueError as e:
    print(str(e)[:65])


# constraints
@jax.jit
def f(x):
    x = x + 1
    y = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("a", None)))
    return y


u = jax.device_put(np.arange(32.0, dtype=np.float32).reshape(8, 4), NamedSharding(mesh, P(None, "b")))
print(f(u).sharding.spec, np.allclose(f(u), np.arange(32.0).reshape(8, 4) + 1))

# networks
def predict(params, inputs):
    for W, b in params:
        outputs = jnp.dot(inputs, W) + b
        inputs = jnp.maximum(outputs, 0)
    return outputs


def loss(params, batch):
    inputs, targets = batch
    predictions = predict(params, inputs)
    return jnp.mean(jnp.sum((predictions - targets) ** 2, axis=-1))


def init_layer(key, n_in, n_out):
    k1, k2 = jax.random.split(key)
    return jax.random.normal(k1, (n_in, n_out)) / jnp.sqrt(n_in), jax.random.normal(k2, (n_out,))


def init_model(key, layer_sizes, batch_size):
    key, *keys = jax.random.split(key, len(layer_sizes))
    params = [init_layer(k, a, b) for k, a, b in zip(keys, layer_sizes[:-1], layer_sizes[1:])]
    key, *keys = jax.random.split(key, 3)
    return params, (jax.random.normal(keys[0], (batch_size, layer_sizes[0])), jax.random.normal(keys[1], (batch_size, layer_sizes[-1])))


loss_jit, gradfun = jax.jit(loss), jax.jit(jax.grad(loss))
params, batch = init_model(jax.random.key(0), [64, 128, 128, 32], 256)
print(f"{loss_jit(params, batch):.4f}")

# 8-way by batch
by_batch = NamedSharding(Mesh(devices.reshape(8), ("batch",)), P("batch"))
everywhere = NamedSharding(by_batch.mesh, P())
b8, p8 = jax.device_put(batch, by_batch), jax.device_put(params, everywhere)
print(f"{loss_jit(p8, b8):.4f}", loss_jit(p8, b8).sharding.spec)
p = p8
for _ in range(3):
    p = [(W - dW * 1e-3, b - db * 1e-3) for (W, b), (dW, db) in zip(p, gradfun(p, b8))]
print(f"{loss_jit(p, b8):.4f}", p[0][0].sharding.spec)

# 4-way by batch, 2-way by model
mesh = Mesh(devices, ("batch", "model"))
b4 = jax.device_put(batch, NamedSharding(mesh, P("batch", None)))
everywhere = NamedSharding(mesh, P())
(W1, b1), (W2, b2), (W3, b3) = params
W1 = jax.device_put(W1, NamedSharding(mesh, P(None, "model")))
b1 = jax.device_put(b1, NamedSharding(mesh, P("model")))
W2 = jax.device_put(W2, NamedSharding(mesh, P("model", None)))
b2, W3, b3 = [jax.device_put(v, everywhere) for v in (b2, W3, b3)]
q = (W1, b1), (W2, b2), (W3, b3)
print(f"{loss_jit(q, b4):.4f}")


@jax.jit
def step(params, batch):
    grads = jax.grad(loss)(params, batch)
    return [(W - dW * 1e-3, b - db * 1e-3) for (W, b), (dW, db) in zip(params, grads)]


for _ in range(3):
    q = step(q, b4)
print(f"{loss_jit(q, b4):.4f}", q[0][0].sharding.spec, q[1][0].sharding.spec[0], q[2][0].sharding.spec)
