# Axes of the type Explicit: layouts are a part of types, and operands that disagree are refused. A shard_map that nothing
# traces shows what every device has.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("a", "b"))
y = jax.device_put(jnp.arange(64.).reshape(8, 8), NamedSharding(mesh, P("a", "b")))
z = jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("a", None)))


def tried(what, f):
    try:
        print(what, f())
    except Exception as e:
        print(what, type(e).__name__, e)


print(jax.typeof(y), jax.typeof(y).sharding, jax.typeof(jnp.ones(3)).sharding)
tried("product", lambda: jnp.dot(y, y))
tried("traced product", lambda: jax.jit(jnp.dot)(y, y))
tried("both", lambda: jnp.dot(y.T, y))
tried("batch", lambda: jnp.einsum("ij,ij->i", z, z.T))
tried("sum", lambda: y + y.T)
tried("twice", lambda: z + jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P(None, "a"))))
tried("traced sum", lambda: jax.jit(lambda v: v * v.T)(y))
tried("derivative", lambda: jax.grad(lambda v: jnp.sum(v @ v))(y))
tried("sort", lambda: jnp.sort(z, axis=1).sharding.spec)
tried("row", lambda: jax.typeof(jnp.sum(y, 0)))
tried("vmap", lambda: jax.vmap(jnp.sin)(y).sharding.spec)
tried("out_sharding without a mesh", lambda: jnp.dot(y, y, out_sharding=P("a", None)))
tried("constraint", lambda: jax.lax.with_sharding_constraint(y, NamedSharding(mesh, P("b", "a"))))
tried("scan", lambda: jax.lax.scan(lambda c, row: (c, row), 0., y))
tried("copy", lambda: jnp.copy(y).sharding.spec)
with jax.set_mesh(mesh):
    tried("out_sharding", lambda: jnp.dot(y, y, out_sharding=P("a", None)).sharding.spec)
    tried("traced out_sharding", lambda: jax.jit(lambda v: jnp.einsum("ij,jk->ik", v, v, out_sharding=P("a", "b")))(y).sharding.spec)
    tried("mesh", jax.sharding.get_abstract_mesh)


@jax.jit
def traced(v):
    print(v)
    w = v @ jnp.ones((8, 3))
    print(w, jax.typeof(w.T))
    jax.lax.scan(lambda c, row: (print(jax.typeof(row)) or c, row), 0., jax.sharding.reshard(v, NamedSharding(mesh, P(None, "b"))))
    return jax.sharding.reshard(w, NamedSharding(mesh, P(None, None)))


print(traced(y).sharding.spec)
print(jax.make_jaxpr(lambda a: jnp.sin(a) * 2)(y))
print(jax.sharding.AbstractMesh((2, 4), ("x", "y")))

# ---- shard_map

auto = jax.make_mesh((4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)


def seen(x):
    print("has", x)
    s = jax.lax.psum(x, "a")
    print(f"sum {s}")
    if jax.lax.psum(jnp.sum(x), ("a", "b")) > 3:
        print("more than", int(jax.lax.psum(1, "a")))
    return s


print(jax.shard_map(seen, mesh=auto, in_specs=P("a", "b"), out_specs=P(None, "b"))(jnp.arange(8.).reshape(4, 2)))
print(jax.make_jaxpr(jax.shard_map(lambda x, c: (jax.lax.psum(x, "a") * c, jax.lax.ppermute(x, "b", [(0, 1)])), mesh=auto,
                                   in_specs=(P("a", "b"), P()), out_specs=(P(None, "b"), P("a", "b"))))(jnp.ones((8, 8)), jnp.ones((2, 4))))
tried("in_specs", lambda: jax.shard_map(lambda v: v, mesh=mesh, in_specs=P("b", "a"), out_specs=P("b", "a"))(y))
tried("inferred", lambda: jax.shard_map(lambda v: v * 2, mesh=mesh, out_specs=P("a", "b"))(y).sharding.spec)
one = jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))
tried("varies", lambda: jax.shard_map(lambda v: v, mesh=one, in_specs=P("i"), out_specs=P())(jnp.arange(8.)))
tried("varies", lambda: jax.jit(jax.shard_map(lambda v: v, mesh=auto, in_specs=P("a"), out_specs=P()))(jnp.arange(8.)))

# reshapes, slices, pads, gathers, updates: what lies how, and what is refused
grid = jax.make_mesh((2, 4), ("X", "Y"))
jax.set_mesh(grid)
y, z = (jax.device_put(np.arange(64, dtype=np.float32).reshape(8, 8), spec) for spec in (P("X", "Y"), P("X", None)))
u = jax.device_put(np.arange(128, dtype=np.float32).reshape(8, 4, 4), P("X", None, "Y"))
v = jax.device_put(np.arange(128, dtype=np.float32).reshape(4, 4, 8), P(None, "X", "Y"))
w = jax.device_put(np.arange(8, dtype=np.float32), P(("X", "Y")))


def lies(f, *args):
    for call in (f, jax.jit(f)):
        try:
            got = call(*args)
            print(jax.typeof(got), float(got.sum()))
        except Exception as e:
            print(type(e).__name__, str(e).split("\n")[0])


for x, shape in ((y, (64,)), (y, (2, 4, 8)), (y, (8, 2, 4)), (y, (8, 4, 2)), (y, (16, 4)), (y, (1, 8, 1, 8)), (y, (2, 4, 2, 4)), (z, (64,)),
                 (u, (32, 4)), (u, (8, 16)), (v, (16, 8)), (v, (4, 32)), (w, (2, 4)), (w, (4, 2)), (w, (8, 1))):
    lies(lambda x: x.reshape(shape), x)
lies(lambda y: jnp.reshape(y, (16, 4), out_sharding=P("X")), y)
lies(lambda y: lax.slice(y, (0, 0), (4, 8)), y)
lies(lambda y: lax.dynamic_slice(y, (0, 0), (2, 8)), y)
lies(lambda y: lax.dynamic_slice(y, (0, 0), (1, 8)), y)
lies(lambda y: jnp.pad(y, ((4, 4), (0, 0))), y)
lies(lambda y: jnp.pad(y, 1), y)
lies(lambda z: z[:, 1:3], z)
lies(lambda z: z[:, jnp.array([0, 2])], z)
lies(lambda u: u[:, 0], u)
lies(lambda y: jnp.cumsum(y, 0), y)
lies(lambda z: jnp.cumsum(z, 1), z)
lies(lambda y: jnp.sort(y, 1), y)
lies(lambda y: jnp.tile(y, (2, 1)), y)
lies(lambda z: jnp.tile(z, (1, 2)), z)
lies(lambda y: jnp.repeat(y, 2, 0), y)
lies(lambda z: jnp.repeat(z, 2, 1), z)
lies(lambda z: jnp.take_along_axis(z, jnp.zeros((8, 1), int), 1), z)
lies(lambda z: z.at[:, 0].set(1.0), z)
for f in (lambda y: y[0], lambda y: y[:, 0], lambda y: y[jnp.array([0, 2])], lambda y: y.at[0].set(1.0), lambda y: y.at[jnp.array([0])].add(1.0)):
    try:
        jax.jit(f)(y)
    except Exception as e:
        print(type(e).__name__, str(e).split("Got")[0])
for f in (lambda y: (y.reshape(64) ** 2).sum(), lambda y: (y.reshape(2, 4, 8) ** 2).sum(), lambda y: (y[:4] ** 2).sum()):
    print(jax.typeof(jax.jit(jax.grad(f))(y)))
key = jax.random.key(0)
for draw in (jax.random.uniform, jax.random.normal, jax.random.bits, lambda k, s, **o: jax.random.randint(k, s, 0, 9, **o)):
    got = draw(key, (8, 4), out_sharding=P("X"))
    print(jax.typeof(got), bool((got == draw(key, (8, 4))).all()))
