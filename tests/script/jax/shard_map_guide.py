# The guide to shard_map: maps over a mesh, collectives, products that overlap, a network by batch, fully sharded and by tensors.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
from functools import partial
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
a = jnp.arange(8 * 16.0).reshape(8, 16)
b = jnp.arange(16 * 4.0).reshape(16, 4)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))
def matmul_basic(a_block, b_block):
    c_partialsum = jnp.dot(a_block, b_block)
    c_block = jax.lax.psum(c_partialsum, "y")
    return c_block


c = matmul_basic(a, b)
print(np.allclose(c, a @ b), c.sharding.spec)


@partial(jax.shard_map, mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", "y"))
def matmul_scattered(a_block, b_block):
    return jax.lax.psum_scatter(jnp.dot(a_block, b_block), "y", scatter_dimension=1, tiled=True)


c = matmul_scattered(a, b)
print(np.allclose(c, a @ b), c.sharding.spec)

mesh1 = jax.make_mesh((4,), ("i",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:4])
x = jnp.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 1, 2])
one = partial(jax.shard_map, mesh=mesh1, in_specs=P("i"))
print(one(lambda v: jax.lax.psum(v, "i"), out_specs=P(None))(x))
print(one(lambda v: jax.lax.all_gather(v, "i", tiled=True), out_specs=P("i"))(x))
print(one(lambda v: jax.lax.psum_scatter(v, "i", tiled=True), out_specs=P("i"))(x))
print(one(lambda v: jax.lax.ppermute(v, "i", [(i, (i + 1) % 4) for i in range(4)]), out_specs=P("i"))(x))
print(one(lambda v: jax.lax.all_to_all(v, "i", 0, 0, tiled=True), out_specs=P("i"))(x))
print(one(lambda v: v + jax.lax.axis_index("i"), out_specs=P("i"))(x))
try:
    one(lambda v: v, out_specs=P(None))(x)
except ValueError as e:
    print(str(e).split("out_specs")[1].split("\n")[0])
print(one(lambda v: v * 2, out_specs=P(None), check_vma=False)(x))


# products whose operand comes around a ring
def ring_matmul(lhs, rhs):
    size = jax.lax.axis_size("i")
    idx = jax.lax.axis_index("i")

    def body(k, state):
        acc, block = state
        part = jax.lax.dynamic_slice_in_dim(lhs, ((idx - k) % size) * block.shape[0], block.shape[0], 1)
        return acc + part @ block, jax.lax.ppermute(block, "i", [(j, (j + 1) % size) for j in range(size)])

    acc = jax.lax.pcast(jnp.zeros((lhs.shape[0], rhs.shape[1])), "i", to="varying")
    return jax.lax.fori_loop(0, size, body, (acc, rhs))[0]


ring = jax.jit(jax.shard_map(ring_matmul, mesh=mesh1, in_specs=(P("i", None), P("i", None)), out_specs=P("i", None)))
print(np.allclose(ring(a, b), a @ b))


# networks
def predict(params, inputs):
    for W, b in params:
        outputs = jnp.dot(inputs, W) + b
        inputs = jax.nn.relu(outputs)
    return outputs


def loss(params, batch):
    inputs, targets = batch
    return jnp.mean(jnp.sum((predict(params, inputs) - targets) ** 2, axis=-1))


def init_layer(key, n_in, n_out):
    k1, k2 = jax.random.split(key)
    return jax.random.normal(k1, (n_in, n_out)) / jnp.sqrt(n_in), jax.random.normal(k2, (n_out,))


sizes, batch_size = [16, 32, 32, 32, 16], 32
key, *keys = jax.random.split(jax.random.key(0), len(sizes))
params = [init_layer(k, m, n) for k, m, n in zip(keys, sizes[:-1], sizes[1:])]
batch = jax.random.normal(keys[0], (batch_size, 16)), jax.random.normal(keys[1], (batch_size, 16))
want, grads = jax.value_and_grad(loss)(params, batch)


def close(tree, other):
    return all([np.allclose(v, w, rtol=1e-3, atol=1e-4) for v, w in zip(jax.tree.leaves(tree), jax.tree.leaves(other))])


# by batch
mesh8 = jax.make_mesh((8,), ("batch",), axis_types=(jax.sharding.AxisType.Auto,))


@partial(jax.shard_map, mesh=mesh8, in_specs=(P(), P("batch")), out_specs=P())
def loss_dp(params, batch):
    return jax.lax.pmean(loss(params, batch), "batch")


print(np.allclose(jax.jit(loss_dp)(params, batch), want), close(jax.jit(jax.grad(loss_dp))(params, batch), grads))


# fully sharded: parameters are gathered where they are used, and again in the backward pass
@partial(jax.remat, policy=lambda op, *_, **__: str(op) != "all_gather")
def predict_fsdp(params_frag, inputs):
    for W_frag, b_frag in params_frag:
        W = jax.lax.all_gather(W_frag, "batch", tiled=True)
        b = jax.lax.all_gather(b_frag, "batch", tiled=True)
        outputs = jnp.dot(inputs, W) + b
        inputs = jax.nn.relu(outputs)
    return outputs


@partial(jax.shard_map, mesh=mesh8, in_specs=P("batch"), out_specs=P())
def loss_fsdp(params, batch):
    inputs, targets = batch
    predictions = predict_fsdp(params, inputs)
    return jax.lax.pmean(jnp.mean(jnp.sum((predictions - targets) ** 2, axis=-1)), "batch")


sharded = jax.device_put(params, NamedSharding(mesh8, P("batch")))
got = jax.jit(jax.grad(loss_fsdp))(sharded, batch)
print(np.allclose(jax.jit(loss_fsdp)(sharded, batch), want), close(got, grads), got[0][0].sharding.spec)

# by tensors
mesh_tp = jax.make_mesh((8,), ("feats",), axis_types=(jax.sharding.AxisType.Auto,))


def gemm_tp(inputs, W, b):
    @partial(jax.shard_map, mesh=mesh_tp, in_specs=(P(None, "feats"), P("feats", None), P("feats")), out_specs=P(None, "feats"))
    def block(inputs, W, b):
        return jax.lax.psum_scatter(jnp.dot(inputs, W), "feats", scatter_dimension=1, tiled=True) + b
    return block(inputs, W, b)


def loss_tp(params, batch):
    inputs, targets = batch
    for W, b in params:
        outputs = gemm_tp(inputs, W, b)
        inputs = jax.nn.relu(outputs)
    return jnp.mean(jnp.sum((outputs - targets) ** 2, axis=-1))


print(np.allclose(jax.jit(loss_tp)(params, batch), want), close(jax.jit(jax.grad(loss_tp))(params, batch), grads))
