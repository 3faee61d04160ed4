# On which of several devices arrays are, what is computed of them, and new ones; arrays of two devices are refused.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


devices = jax.devices()
mesh = Mesh(np.array(devices), ("x",))
a, b = jax.device_put(jnp.ones((2, 2)), devices[2]), jax.device_put(jnp.ones((2, 2)), devices[1])
c = jax.device_put(jnp.ones((8, 2)), NamedSharding(mesh, P("x")))

print("refused")
attempt(lambda: a + b)
attempt(lambda: a @ b)
attempt(lambda: jnp.where(a > 0, a, b))
attempt(lambda: jnp.concatenate([a, b]))
attempt(lambda: c @ b)
attempt(lambda: jax.jit(lambda p, q: p * q)(a, b))
attempt(lambda: jnp.maximum(a, b))
attempt(lambda: a == b)
attempt(lambda: c.addressable_shards[0].data + c.addressable_shards[1].data)

print("followed")
for y in (a + 1, a.sum(), a[0], a.T, jnp.sin(a), a + np.ones(2), 2 * a, a.astype(int), a.at[0].set(3), a + jnp.ones(2),
          jax.grad(lambda a: (a * a).sum())(a), jax.jit(lambda x: x * 2)(a), jax.vmap(lambda r: r + 1)(a), jnp.split(a, 2)[1],
          lax.fori_loop(0, 3, lambda i, v: v * 2, a), jax.tree.map(lambda v: v + 1, {"k": a})["k"], jnp.zeros_like(a), jnp.asarray(a),
          c.addressable_shards[2].data * 2):
    print(y.device, y.committed)
print(jnp.ones(2).committed, (jnp.ones(2) + 1).committed)
print(jax.device_put(a, devices[4]).devices(), jax.device_put(a).devices(), (c + 1).sharding)
d, e = jax.device_put((a, b), devices[7])
print((d + e).device)

print("new")
for y in (jnp.array(np.ones(3), device=devices[3]), jnp.asarray([1, 2], device=devices[3]), jnp.zeros(3, device=devices[6]), jnp.ones(3, device=devices[6]),
          jnp.full((2,), 3.0, device=devices[6]), jnp.zeros_like(a, device=devices[5]), jnp.arange(4, device=devices[4]), jnp.eye(2, device=devices[1]),
          jnp.linspace(0.0, 1.0, 3, device=devices[2]), a.astype(jnp.int32)):
    print(y.device, y.committed, y.tolist())
print(jnp.zeros((8, 2), device=NamedSharding(mesh, P("x"))).sharding.spec)

print("the default")
x = jnp.ones(3)
with jax.default_device(devices[5]):
    y, z = jnp.array([1.0, 2.0, 3.0]), jnp.ones(3)
    print(jax.config.jax_default_device)
    for v in (y, z, x + 1, y + x, x + y, jax.random.normal(jax.random.key(0), (2,)), a + 1):
        print(v.device, v.committed)
for v in (y + 1, x + y, y + x, a[0, 0] + y):
    print(v.device)
jax.config.update("jax_default_device", devices[6])
print(jnp.ones(2).device)
jax.config.update("jax_default_device", None)
print(jnp.ones(2).device)

print("derivatives and results of several")
mesh = Mesh(np.array(devices).reshape(2, 4), ("data", "model"))
w = jax.device_put(jnp.ones((4, 8)), NamedSharding(mesh, P(None, "model")))
x = jax.device_put(jnp.arange(16.0).reshape(4, 4), NamedSharding(mesh, P("data", None)))
for g in (jax.grad(lambda w: jnp.sum(jnp.tanh(w)))(w), jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w)))(w), jax.jit(jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w))))(w),
          jax.grad(jax.jit(lambda w: jnp.sum(jnp.tanh(x @ w))))(w), jax.vjp(lambda w: jnp.tanh(x @ w), w)[1](jnp.ones_like(x @ w))[0],
          jnp.concatenate([x, x]), jnp.sin(x), x @ w, x.T, x[None], jnp.where(x > 0, x, 0)):
    print(g.sharding.spec)
