# Meshes, specs, shardings: how arrays lie on devices, and what jit makes of it.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

m = jax.make_mesh((4, 2), ("x", "y"))
print(m, repr(m), m.shape, m.axis_names, m.devices.shape, m.size, m.axis_types, m.empty)
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
print(repr(mesh), mesh == Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y")), mesh == m, mesh.shape["x"])
print(repr(P("x", None, ("x", "y"))), P(), P("x") == P("x", None), tuple(P("x", None)), len(P("x")))
s = NamedSharding(mesh, P("x", "y"))
print(s, s.spec, s.mesh, s.is_fully_replicated, s.shard_shape((8, 4)), s.num_devices, s.is_fully_addressable)
x = jax.device_put(jnp.arange(32.0).reshape(8, 4), s)
print(x.sharding, len(x.addressable_shards), x.addressable_shards[3], x.committed, x.is_fully_replicated)
for k in (0, 5):
    part = x.addressable_shards[k]
    print(part.device, part.index, part.replica_id, part.data)
r = jax.device_put(jnp.arange(4.0), NamedSharding(mesh, P("y")))
print([(p.device.id, p.index, p.replica_id) for p in r.addressable_shards])
print(jnp.arange(3).sharding, jnp.arange(3).device, jnp.arange(3).committed)
print(jax.device_put(jnp.arange(3), jax.devices()[2]).sharding)
b = jax.device_put({"a": np.ones((8, 2)), "b": np.ones(4)}, {"a": NamedSharding(mesh, P("x")), "b": NamedSharding(mesh, P())})
print(b["a"].sharding.spec, b["b"].sharding.is_fully_replicated)
for f in (jnp.sin, lambda a: a @ a.T, lambda a: a.sum(0), lambda a: a.sum(), lambda a: a.T, lambda a: a * 2 + 1,
          lambda a: a.reshape(32), lambda a: lax.with_sharding_constraint(a * 2, NamedSharding(mesh, P(None, "x"))),
          lambda a: jax.nn.softmax(a, axis=1), lambda a: jnp.where(a > 1, a, 0.0)):
    y = jax.jit(f)(x)
    print(y.sharding.spec, np.allclose(y, f(np.asarray(x)) if f is not jnp.sin else np.sin(np.asarray(x))))
print(jnp.sin(x).sharding.spec, (x + 1).sharding.spec, (x * x).T.sharding.spec, x.sum(1).sharding.spec, (x @ x.T).sharding.spec)
print(jnp.dot(x, jnp.ones((4, 2))).sharding.spec, jnp.where(x > 2, x, 0).sharding.spec, x.astype("int32").sharding.spec)
f = jax.jit(lambda a: a * 2, in_shardings=s, out_shardings=NamedSharding(mesh, P("x")))
print(f(x).sharding.spec, f(jnp.ones((8, 4))).sharding.spec)
with jax.set_mesh(mesh):
    print(jax.jit(lambda a: lax.with_sharding_constraint(a, P("y")))(jnp.ones(8)).sharding.spec)
    print(jax.shard_map(lambda a: lax.psum(a, "x"), in_specs=P("x"), out_specs=P())(jnp.arange(8.0)))
g = jax.jit(jax.grad(lambda w, a: jnp.sum((a @ w) ** 2)))
print(g(jax.device_put(jnp.ones((4, 2)), NamedSharding(mesh, P(None, "y"))), x))
c = jax.make_array_from_callback((8, 2), NamedSharding(mesh, P("x")), lambda i: np.arange(16.0).reshape(8, 2)[i])
print(c.sharding.spec, float(c.sum()))
for bad in (lambda: f(jax.device_put(x, NamedSharding(mesh, P("y")))), lambda: NamedSharding(mesh, P("z")),
            lambda: NamedSharding(mesh, P("x", "x")), lambda: jax.make_mesh((16,), ("a",)),
            lambda: jax.device_put(jnp.ones(6), NamedSharding(mesh, P("x"))),
            lambda: jax.device_put(jnp.ones(8), NamedSharding(mesh, P("x", "y"))), lambda: f(a=x),
            lambda: lax.with_sharding_constraint(jnp.ones(6), NamedSharding(mesh, P("x"))),
            lambda: jax.jit(lambda a: lax.with_sharding_constraint(a, P("x")))(jnp.ones(8)),
            lambda: jax.jit(lambda a: a)(1) + jax.pmap(lambda a: lax.psum(a, "q"))(jnp.ones(2)),
            lambda: lax.psum(1, "q")):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e))

# a result has the first operand's Nones at the end of its spec, where it lies as that does
rows, both = (jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, spec)) for spec in (P("x", None), P("x", "y")))
for y in (rows * 2, jnp.cos(rows), both @ rows, rows @ both, jax.jit(lambda a, b: a + b)(both, rows), jax.jit(lambda a: a * 2)(rows), rows.T,
          both.max(1, keepdims=True), rows + jnp.ones(8), both[:4], both[::2], both[:, 1:3], both[2], jnp.pad(both, ((0, 0), (1, 1))),
          jnp.pad(both, ((4, 4), (0, 0))), jax.jit(lambda a: a[::2])(both), jax.jit(lambda a: (a[:, :1], a[:4] * 2)[1])(rows)):
    print(y.shape, y.sharding.spec)

# NumPy's options are those of JAX's arrays
np.set_printoptions(precision=3, suppress=True)
print(rows[0] / 7, jnp.array([1e-9, 1.0]), repr(jnp.arange(3) / 7))
with np.printoptions(precision=1):
    print(jnp.arange(3) / 7)
np.set_printoptions(linewidth=40, threshold=10)
print(jnp.arange(30.0))
print(repr(jnp.arange(30.0)))

done = jax.jit(lambda x, k: (x.sum(0), k)).lower(both, 1.0).compile()
print(done.input_shardings, done.output_shardings)
for bad in (lambda: jax.jit(lambda x: x, backend="tpu")(1.0), lambda: jax.pmap(lambda x: x)(3.0), lambda: jax.pmap(lambda x: x, in_axes=2)(jnp.ones(8))):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, "" if isinstance(e, RuntimeError) else e)
