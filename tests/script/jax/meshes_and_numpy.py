# Arrays on meshes as NumPy reads them, how specs are written on axes of the type Explicit, and what placing and mapping refuse.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax, jax.numpy as jnp, numpy as np
from jax import P
from jax.sharding import AxisType, NamedSharding
typed = jax.make_mesh((4, 2), ("x", "y"))
mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
X, v = jnp.arange(32.).reshape(8, 4), jnp.arange(8.)


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


a = jax.device_put(X, NamedSharding(typed, P("x", "y")))
b, c = np.asarray(a), np.array(a)
print(a.sharding.spec, b[:3].sum(), c[1:3, 0], b.ravel()[:5], b.flags.writeable, c.flags.writeable)
print(np.sum(a), np.sort(a, axis=None)[:3], [float(u) for u in a.sum(1)], a.tolist()[0], jax.device_get(a)[:3, 0], (b @ b.T)[:1, :3])
show(lambda: jax.device_put(X, NamedSharding(typed, P("x"))).sharding.spec)
show(lambda: jax.sharding.reshard(a, NamedSharding(typed, P("x"))).sharding.spec)
show(lambda: jax.jit(lambda u: jax.reshard(u, NamedSharding(typed, P("y"))))(a).sharding.spec)
show(lambda: jnp.dot(a, jax.device_put(X.T, NamedSharding(typed, P("y", None))), out_sharding=NamedSharding(typed, P("x"))).sharding.spec)
show(lambda: jax.device_put((X, v), (NamedSharding(mesh, P("x")),)))
show(lambda: jax.device_put(X, P("x")))
show(lambda: jax.make_array_from_single_device_arrays((8,), NamedSharding(mesh, P("x")), [jax.device_put(v[:2], d) for d in jax.devices()[:4]]))
show(lambda: jax.pmap(lambda u: u, in_axes=(0, 0))(v))
show(lambda: jax.pmap(lambda u, k: u * k[0], static_broadcasted_argnums=1)(v, [3]))
show(lambda: v.item())
