# Derivatives of jitted functions that have a shard_map inside, asked for from outside: those of the function as it stands, custom
# rules and values that are the same on devices included; what says a shape and how it lies.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
from jax import shard_map
from jax.sharding import NamedSharding, PartitionSpec as P

text = lambda a: [f"{v:.3f}" for v in a.tolist()]
AUTO = (jax.sharding.AxisType.Auto,)
mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=AUTO * 2)
whole = shard_map(lambda x, y: jnp.sin(x) * y, mesh=mesh, in_specs=(P("x"), P(None)), out_specs=P("x"))
x, y = jnp.arange(4.0) / 10, jnp.arange(2.0) / 10 + 1
lies = jax.device_put(x, NamedSharding(mesh, P("x")))
for f, at in ((whole, x), (jax.jit(whole), x), (jax.jit(whole), lies)):
    out, back = jax.vjp(f, at, y)
    print([text(a) for a in back(x + 1)])
    tangent = lambda y, dy: jax.jvp(f, (at, y), (x, dy))[1]
    print([text(a) for a in jax.vjp(tangent, y, y)[1](x + 1)])


@jax.custom_vjp
def foo(x):
    return 2.0 * x


foo.defvjp(lambda x: (foo(x), None), lambda _, g: (jnp.ones_like(g),))
four = jax.make_mesh((4,), ("i",), axis_types=AUTO)
for body in (lambda x: foo(x) * x, lambda x: jax.lax.stop_gradient(x) * x, jax.checkpoint(lambda x: jnp.sin(x) * x)):
    g = shard_map(body, mesh=four, in_specs=P("i"), out_specs=P("i"))
    for h in (g, jax.jit(g)):
        print(text(jax.grad(lambda x: h(x).sum())(jnp.arange(4.0))))
q, k = jnp.arange(8.0).reshape(4, 2), jnp.arange(2.0)
for check in (True, False):
    f = jax.jit(shard_map(lambda q, k: q * k[None], mesh=four, in_specs=(P("i", None), P(None)), out_specs=P("i", None), check_vma=check))
    print([a.tolist() for a in jax.grad(lambda q, k: f(q, k).sum(), (0, 1))(q, k)])

s = NamedSharding(mesh, P("x", "y"))
a = jax.ShapeDtypeStruct((8, 4), jnp.float32, sharding=s)
print(a)
print(a.sharding == s, a == jax.ShapeDtypeStruct((8, 4), jnp.float32), a == a.update(), hash(a) == hash(a.update()))
print(a.update(shape=(16, 4)).shape, a.update(dtype=jnp.int32, sharding=None))
print(jax.ShapeDtypeStruct((2,), jnp.int8, weak_type=True))
print(jax.jit(lambda v: v * 2).lower(a).compile()(jax.device_put(jnp.ones((8, 4)), s)).sharding.spec)
for wrong in (lambda: a.update(shape=(4,)), lambda: jax.ShapeDtypeStruct((4,), jnp.float32, sharding=3),
              lambda: jax.ShapeDtypeStruct((4,), None)):
    try:
        wrong()
    except ValueError as e:
        print(e)
