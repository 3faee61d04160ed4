# What transforms make of a divided function lies where its devices put it; texts of specs.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("a", "b"))
x = jnp.arange(32.0).reshape(8, 4) / 8
f = jax.shard_map(lambda v: lax.psum(v, "b") * v, mesh=mesh, in_specs=P("a", "b"), out_specs=P("a", "b"))
g = jax.grad(lambda x: (f(x) ** 2).sum())(x)
print(g.sharding.spec, g.addressable_shards[3].data.shape, g[1])
y, pull = jax.vjp(f, x)
print(y.sharding.spec, pull(jnp.ones_like(y))[0].sharding.spec)
print([t.sharding.spec for t in jax.jvp(f, (x,), (x,))])
print(jax.vmap(f)(jnp.stack([x, x + 1])).sharding.spec)
p = jax.grad(lambda x: jax.pmap(lambda v: lax.pmean(v, "i") * v, axis_name="i")(x).sum())(x)
print(p.sharding.spec, p[0])

for s in (P("a"), P(("a",), None), P(()), P(("a", "b")), P(None), P(), P("a", unreduced={"x"}), P(reduced={"x"}),
          P("a", "b", unreduced={"x"}, reduced={"y"})):
    print(s, len(s))
print(P("a") == P(("a",)), P("a") == ("a",), P("a", None) == P("a"), P("a") + P("b"), P("a") + ("b",), ("b",) + P("a"))
print(P(["a", "b"]) == P(("a", "b")), list(P("a", None)), P("a", "b")[1], P(P.UNCONSTRAINED, "a"), P("a", None).update(("b",)))
for make in (lambda: P("a", unreduced={"a"}), lambda: P(unreduced={"a"}, reduced={"a"}), lambda: P(unreduced="a"),
             lambda: list(P("a", unreduced={"b"})), lambda: P("a", reduced={"b"}) + ("c",),
             lambda: NamedSharding(mesh, P(unreduced={"z"}))):
    try:
        print(make())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
