# The guide to sharded computation: an array over devices, three ways to compute with it.
import jax
jax.config.update("jax_num_cpu_devices", 8)
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

print(jax.devices(), jax.device_count(), jax.local_device_count(), jax.process_index(), jax.process_count())
arr = jnp.arange(32.0).reshape(4, 8)
print(arr.devices(), arr.sharding)
mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
sharding = NamedSharding(mesh, P("x", "y"))
print(sharding)
arr = jax.device_put(arr, sharding)
print(arr)

@jax.jit
def f_elementwise(x):
    return 2 * jnp.sin(x) + 1

result = f_elementwise(arr)
print("shardings match:", result.sharding == arr.sharding)

@jax.jit
def f_contract(x):
    return x.sum(axis=0)

result = f_contract(arr)
print(result, result.sharding)

# explicit
some_array = np.arange(8)
print(f"type: {jax.typeof(some_array)}")
mesh = jax.make_mesh((2, 4), ("X", "Y"), axis_types=(AxisType.Explicit,) * 2)
replicated = np.arange(8).reshape(4, 2)
sharded = jax.device_put(replicated, NamedSharding(mesh, P("X", None)))
print(f"replicated: {jax.typeof(replicated)}, sharded: {jax.typeof(sharded)}")
arg0 = jax.device_put(np.arange(4).reshape(4, 1), NamedSharding(mesh, P("X", None)))
arg1 = jax.device_put(np.arange(8).reshape(1, 8), NamedSharding(mesh, P(None, "Y")))

@jax.jit
def add_arrays(x, y):
    ans = x + y
    print(f"x: {jax.typeof(x)}, y: {jax.typeof(y)}, ans: {jax.typeof(ans)}")
    return ans

with jax.set_mesh(mesh):
    print(add_arrays(arg0, arg1).sharding)

# manual
mesh = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
x = jnp.arange(32)
print(jax.shard_map(f_elementwise, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x))
print(jax.shard_map(lambda v: jnp.sum(v, keepdims=True), mesh=mesh, in_specs=P("x"), out_specs=P("x"))(x))
print(jax.shard_map(lambda v: jax.lax.psum(jnp.sum(v, keepdims=True), "x"), mesh=mesh, in_specs=P("x"), out_specs=P())(x))

@jax.jit
def layer(x, weights, bias):
    return jax.nn.sigmoid(x @ weights + bias)

rng = np.random.default_rng(0)
x, weights, bias = rng.normal(size=(32,)), rng.normal(size=(32, 4)), rng.normal(size=(4,))
print(layer(x, weights, bias))
sharding = NamedSharding(mesh, P("x"))
xs, ws = jax.device_put(x, sharding), jax.device_put(weights, sharding)
y = layer(xs, ws, bias)
print(y, y.sharding)

@jax.jit
@partial(jax.shard_map, mesh=mesh, in_specs=(P("x"), P("x", None), P(None)), out_specs=P(None))
def layer_sharded(x, weights, bias):
    return jax.nn.sigmoid(jax.lax.psum(x @ weights, "x") + bias)

y = layer_sharded(x, weights, bias)
print(y, y.sharding)
y = layer_sharded(xs, ws, bias)
print(y, y.sharding)

@jax.jit
def f_random(x):
    key = jax.random.key(0)
    return x + jax.random.normal(key, x.shape)

y = f_random(xs)
print(np.allclose(y[:3], [1.7483724, 1.8931599, 0.20682822]), y.sharding)
