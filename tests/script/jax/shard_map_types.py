# shard_map without in_specs takes them from types of arguments; its checks are made when it is called; auto_axes and explicit_axes.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax, jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P, auto_axes, explicit_axes, reshard


def tell(fn):
    try:
        print(fn())
    except Exception as e:
        print(type(e).__name__, str(e).replace("{'j', 'i'}", "{'i', 'j'}"))


mesh = jax.make_mesh((4, 2), ("i", "j"))
double = jax.shard_map(lambda x: x * 2, in_specs=P("q"), out_specs=P("q"))
tell(lambda: double(jnp.arange(8.0)))
double = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=P("q"), out_specs=P("q"))
tell(lambda: double(jnp.arange(8.0)))
auto = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))
tell(lambda: jax.shard_map(lambda x: x * 2, mesh=auto, out_specs=P("x"))(jnp.arange(8.0)))
jax.set_mesh(mesh)


@jax.shard_map(in_specs=P("i", "j"), out_specs=P("i"))
def f(x):
    y = jax.lax.psum(x, "j")
    print(jax.typeof(x), jax.typeof(y), sorted(jax.typeof(x).manual_axis_type.varying), jax.typeof(y).manual_axis_type.varying)
    return y


x = jax.device_put(jnp.arange(32.0).reshape(8, 4), P("i", "j"))
print(jax.typeof(f(x)), f(x).sum())
g = jax.shard_map(lambda x: x * 2, out_specs=P("i", "j"))
print(jax.typeof(g(x)), jax.typeof(jax.jit(g)(x)), jnp.array_equal(g(x), x * 2))
h = jax.shard_map(lambda a, b: a @ b, out_specs=P("i"))
print(jax.typeof(h(jax.device_put(jnp.ones((8, 4)), P("i")), jnp.ones((4, 3)))))
loss = jax.shard_map(lambda w, x: jax.lax.pmean(jnp.sum((w * x) ** 2), ("i", "j")), out_specs=P())
print(jax.grad(loss)(2.0, x), jax.grad(lambda w: jnp.sum((w * x) ** 2) / 8)(2.0))

tell(lambda: jax.typeof(auto_axes(lambda x: x * 2)(jnp.arange(8.0))))
print(jax.typeof(auto_axes(lambda x: x * 2, out_sharding=P("i"))(jnp.arange(8.0))))
a, b = reshard(jnp.ones((4, 4)), P("i", None)), reshard(jnp.ones((4, 4)), P(None, "i"))
both = auto_axes(lambda x, y: x + y)(a, b, out_sharding=P("i", "j"))
print(jax.typeof(both), both.sum())


@auto_axes
def k(x):
    return x * 2


print(jax.typeof(k(a, out_sharding=P("j"))), jax.typeof(jax.jit(lambda x: k(x, out_sharding=P("j")))(a)))
print(jax.typeof(jax.jit(lambda x: reshard(x, P("j")))(a)), jax.typeof(jax.jit(lambda x: reshard(x * 2, P("j", "i")))(a)))
jax.debug.visualize_array_sharding(x)
jax.debug.visualize_array_sharding(x, scale=2.0)
