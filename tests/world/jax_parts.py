# Arrays that processes hold together, two devices each: every process has the parts of its own devices. Expected: what JAX prints.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
jax.distributed.initialize()
import jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, AxisType
from jax.experimental import multihost_utils as mu
me, n, lines = jax.process_index(), jax.process_count(), []


def say(*args):
    lines.append(" ".join([str(a) for a in (me,) + args]))


def shards(a):
    for sh in a.addressable_shards:
        say(sh.device, sh.index, sh.replica_id, np.round(np.asarray(sh.data).astype(np.float64), 3).tolist())


say(jax.devices(), jax.local_devices())
D = jax.device_count()
mesh = jax.make_mesh((D,), ("x",), axis_types=(AxisType.Auto,))
s = NamedSharding(mesh, P("x"))
x = jax.make_array_from_callback((2*D, 4), s, lambda i: np.arange(8*D, dtype=np.float32).reshape(2*D, 4)[i])
say(repr(x), x.shape, x.dtype, x.size, x.nbytes, x.ndim, len(x), x.is_fully_addressable, x.is_fully_replicated)
shards(x)
y = x * 2 + 1
say(y.sharding, repr(y)); shards(y)
z = jnp.sin(y) @ jnp.ones((4, 3))
say(z.shape, z.sharding.spec); shards(jnp.round(z, 4))
t = jnp.sum(x); say(float(t), t.sharding.spec, t.is_fully_replicated)
say(float(jnp.mean(x ** 2)), float(x.max()), int(x.argmax()))
say(np.asarray(jnp.sum(x, axis=0)))
r = x.T
say(r.sharding.spec, r.shape); shards(r)
q = x.reshape(D, 8); say(q.sharding.spec); shards(q)
f = jax.jit(lambda a: a @ a.T)
g = f(x); say(g.sharding.spec, g.shape); say(np.asarray(g.addressable_shards[0].data)[0])
h = jax.jit(lambda a: a @ a.T, out_shardings=NamedSharding(mesh, P(None, "x")))(x)
say(h.sharding.spec); shards(h)
k = jax.jit(lambda a: a.sum(1), out_shardings=NamedSharding(mesh, P()))(x)
say(np.asarray(k))
def loss(w, a):
    return jnp.mean(jnp.tanh(a @ w / 100) ** 2)
w = jax.device_put(np.linspace(-1, 1, 8).reshape(4, 2).astype(np.float32), NamedSharding(mesh, P()))
v, gr = jax.jit(jax.value_and_grad(loss))(w, x)
say(round(float(v), 6), np.round(np.asarray(gr, np.float64), 5).tolist(), gr.sharding.spec)
v, gr = jax.value_and_grad(loss)(w, x)
say(round(float(v), 6), np.round(np.asarray(gr, np.float64), 5).tolist())
gx = jax.grad(loss, argnums=1)(w, x)
say(gx.shape, gx.sharding.spec); shards(jnp.round(gx * 1e4, 2))
c = jax.device_put(np.arange(2 * D, dtype=np.int32), s)
shards(c)
say(repr(jnp.cumsum(c))); 
sm = jax.shard_map(lambda a: (a * 2, jax.lax.psum(a.sum(), "x")), mesh=mesh, in_specs=P("x"), out_specs=(P("x"), P()))
a, b = sm(c); say(a.sharding.spec, int(b)); shards(a)
a, b = jax.jit(sm)(c); say(a.sharding.spec, int(b)); shards(a)
for fn in (lambda: str(x), lambda: np.asarray(x), lambda: x.tolist(), lambda: float(x[0, 0] if False else x.sum(1)), lambda: x[0].item(), lambda: list(x), lambda: jax.jit(lambda u: u + x)(jnp.ones(4)), lambda: jax.device_get(x), lambda: bool((x > 0)), lambda: np.array(x), lambda: x.__array__(), lambda: iter(x)):
    try:
        say("ok", fn())
    except Exception as e:
        say(type(e).__name__, str(e)[:150])
say(mu.process_allgather(x, tiled=True)[:, 0])
say(mu.process_allgather(c, tiled=True))
jax.block_until_ready(x)
m2 = jax.make_mesh((n, D // n), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
u = jax.device_put(np.arange(D * 4, dtype=np.float32).reshape(D, 4), NamedSharding(m2, P("b", "a")))
say(u.sharding.spec); shards(u)
shards(jax.device_put(u, NamedSharding(m2, P("a", None))))
shards(jax.jit(lambda v: v * 2 + v.sum(0))(u))
uu = jax.device_put(np.arange(D * 4, dtype=np.float32).reshape(D, 4), NamedSharding(m2, P(("a", "b"))))
shards(uu)
vv = jax.device_put(np.arange(D * 4, dtype=np.float32).reshape(D, 4), NamedSharding(m2, P(("b", "a"))))
shards(vv + 1)
A = AxisType.Auto
m1 = jax.make_mesh((D,), ("x",), axis_types=(A,))
m2 = jax.make_mesh((D // 2, 2), ("a", "b"), axis_types=(A, A))
per = 2
def N(*s, mesh=m2): return NamedSharding(mesh, P(*s))
v = np.random.RandomState(0).randn(8, 8).astype(np.float32)
x = jax.device_put(v, N("a", "b"))
c = jax.device_put(np.arange(16) % 7, NamedSharding(m1, P("x")))
# training
def init(key):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (8, 16)) * .3, "b1": jnp.zeros(16), "w2": jax.random.normal(k2, (16, 8)) * .3}
specs = {"w1": P(None, "b"), "b1": P("b"), "w2": P("b", None)}
sh = {k: NamedSharding(m2, s) for k, s in specs.items()}
params = jax.jit(init, out_shardings=sh)(jax.random.key(1))
for k in sorted(params): say(k, params[k].sharding.spec, [s.data.shape for s in params[k].addressable_shards])
def loss(p, a):
    h = jax.nn.relu(a @ p["w1"] + p["b1"])
    return jnp.mean((h @ p["w2"] - a) ** 2)
@partial(jax.jit, donate_argnums=0)
def step(p, a):
    l, g = jax.value_and_grad(loss)(p, a)
    return jax.tree.map(lambda u, d: u - .1 * d, p, g), l
xb = jax.device_put(v, N("a"))
for i in range(5):
    params, l = step(params, xb)
    say(i, f"{float(l):.4f}")
for k in sorted(params): say(k, params[k].sharding.spec)
say(np.round(np.asarray(params["w1"].addressable_shards[0].data)[0, :3], 4))
# collectives
def body(u):
    i = lax.axis_index("x")
    s = lax.psum(u, "x")
    g = lax.all_gather(u, "x", tiled=True)
    p = lax.ppermute(u, "x", [(j, (j + 1) % D) for j in range(D)])
    r = lax.psum_scatter(g, "x", tiled=True)
    t = lax.all_to_all(jnp.tile(u, D), "x", 0, 0, tiled=True)
    return u + i, s, p, r, t[:u.shape[0]]
f = jax.shard_map(body, mesh=m1, in_specs=P("x"), out_specs=(P("x"), P(), P("x"), P("x"), P("x")))
for y in jax.jit(f)(c): say(y.sharding.spec); shards(y)
for y in f(c): say(y.sharding.spec); shards(y)
g = jax.jit(jax.grad(lambda u: f(u.astype(jnp.float32))[1].sum()))(c.astype(jnp.float32)); say(g.sharding.spec); shards(g)
h = jax.shard_map(lambda u: lax.psum(u, "b") * 2 + lax.axis_index("a"), mesh=m2, in_specs=P("a", "b"), out_specs=P("a"))
y = h(x); say(y.sharding.spec); shards(y)
h = jax.shard_map(lambda u: u * 2, mesh=m2, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})
y = jax.jit(h)(x); say(y.sharding.spec)
pm = jax.pmap(lambda u: lax.psum(u, "i") + lax.axis_index("i"), axis_name="i")
y = pm(np.arange(per * 2, dtype=np.float32).reshape(per, 2) + 10 * me); say(y.shape); say(np.asarray(y).tolist())
parts = [jax.device_put(np.full((2,), d.id % 100, np.float32), d) for d in jax.local_devices()]
y = jax.make_array_from_single_device_arrays((2 * D,), NamedSharding(m1, P("x")), parts); shards(y)
lo = np.arange(4., dtype=np.float32).reshape(2, 2) + me
y = jax.make_array_from_process_local_data(N("a"), lo); say(y.shape, y.sharding.spec)
y = mu.host_local_array_to_global_array(lo, m2, P("a")); say(y.shape)
z = mu.global_array_to_host_local_array(y, m2, P("a")); say(type(z).__name__, np.asarray(z).tolist())
say(mu.process_allgather(lo).shape, mu.process_allgather(lo, tiled=True).shape, mu.broadcast_one_to_all(lo).tolist())
say(x.sharding.is_fully_addressable, x.sharding.num_devices, len(x.sharding.addressable_devices), len(x.global_shards), x.is_fully_replicated, x.committed)
say(m1.is_multi_process, m1.local_mesh.shape, m2.local_mesh.shape, jax.make_mesh((per,), ("l",), devices=jax.local_devices(), axis_types=(A,)).is_multi_process)
lm = jax.make_mesh((per,), ("l",), devices=jax.local_devices(), axis_types=(A,))
y = jax.device_put(np.arange(per * 2.), NamedSharding(lm, P("l"))) + me; say(y, y.sharding.spec)
for k in range(n):
    if k == me:
        print("\n".join(lines), flush=True)
    mu.sync_global_devices(f"all of {k}")
jax.distributed.shutdown()
