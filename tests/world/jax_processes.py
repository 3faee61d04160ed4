# Several processes: which devices there are, global arrays, jit over all of them, what hosts tell each other.
import jax
jax.distributed.initialize()
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

me, n = jax.process_index(), jax.process_count()


lines = []


def say(*args):
    lines.append(" ".join([str(a) for a in (me,) + args]))


say(n, jax.device_count(), jax.local_device_count(), len(jax.devices()), len(jax.local_devices()), jax.distributed.is_initialized())
say([d.process_index for d in jax.devices()], jax.local_devices()[0].process_index, jax.local_devices(process_index=1)[0].process_index)
mesh = Mesh(np.array(jax.devices()), ("data",))
rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
say(rows.is_fully_addressable, len(rows.addressable_devices), mesh.local_mesh.size, whole.is_fully_addressable)

# arrays of parts that processes have
local = np.arange(8.0, dtype=np.float32).reshape(4, 2) + 100 * me
x = jax.make_array_from_process_local_data(rows, local)
say(x.shape, x.dtype, x.is_fully_addressable, x.is_fully_replicated, len(x.addressable_shards), len(x.global_shards))
say([(s.index, s.replica_id) for s in x.addressable_shards], x.addressable_shards[0].data)
say(repr(x))
say(str(x))
for read in (iter, np.asarray, np.array, lambda x: x.tolist()):
    try:
        read(x)
    except (RuntimeError, AssertionError) as e:
        say(type(e).__name__, str(e)[:94])
c = jax.make_array_from_callback((8, 2), rows, lambda i: np.arange(16.0, dtype=np.float32).reshape(8, 2)[i])
say(c.addressable_shards[0].data)
d = jax.device_put(np.arange(16.0, dtype=np.float32).reshape(8, 2), rows)
say(d.sharding.spec, d.addressable_shards[0].index)

# over all processes
total = jax.jit(jnp.sum, out_shardings=whole)(x)
say(float(total), total.is_fully_replicated, total.sharding.spec)
y = jax.jit(lambda a, b: jnp.tanh(a / 100) @ b.T)(x, c)
say(y.sharding.spec, y.shape, np.round(y.addressable_shards[0].data[0, :3], 4))
say(np.round(multihost_utils.process_allgather(y, tiled=True)[5, :3], 4))
w = jax.device_put(np.ones((2, 3), np.float32), whole)


@jax.jit
def step(w, a):
    loss, g = jax.value_and_grad(lambda v: jnp.mean((a @ v / 100) ** 2))(w)
    return w - 0.1 * g, loss


for _ in range(3):
    w, loss = step(w, x)
say(np.round(np.asarray(w), 4).tolist(), f"{float(loss):.5f}")

# what hosts tell each other
say(multihost_utils.process_allgather(np.array([me, 10 * me])))
say(multihost_utils.process_allgather(np.array([me, 10 * me]), tiled=True))
say(multihost_utils.broadcast_one_to_all(np.array([3.0 + me, 4.0], np.float32)))
g = multihost_utils.host_local_array_to_global_array(local, mesh, P("data"))
back = multihost_utils.global_array_to_host_local_array(g, mesh, P("data"))
say(g.shape, np.array_equal(back, local))
multihost_utils.assert_equal(np.ones(3), "must be equal")
try:
    multihost_utils.assert_equal(np.array(me), "not equal here")
except AssertionError as e:
    say(str(e).split("\n")[0][:40])

# a shard of one process each
f = jax.shard_map(lambda v: jax.lax.psum(v, "data"), mesh=mesh, in_specs=P("data"), out_specs=P())
say(f(c).addressable_shards[0].data, np.asarray(jax.jit(f)(x))[0])
# pmap takes and gives what is local
p = jax.pmap(lambda v: jax.lax.psum(v, "i") + jax.lax.axis_index("i"), axis_name="i")(np.full((1, 2), me + 1.0, np.float32))
say(p.addressable_shards[0].data)
for k in range(n):
    if k == me:
        print("\n".join(lines), flush=True)
    multihost_utils.sync_global_devices(f"all of {k}")
jax.distributed.shutdown()
