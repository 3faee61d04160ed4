# jit divides the work of functions whose arguments, results or constraints lie on several devices.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
lie = lambda *spec: NamedSharding(mesh, P(*spec))
whole = np.arange(32.0, dtype=np.float32).reshape(8, 4) / 8
x = jax.device_put(whole, lie("x", "y"))
w = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)
image = np.linspace(0, 1, 8 * 4 * 6 * 6, dtype=np.float32).reshape(8, 4, 6, 6)
kernel = np.linspace(-1, 1, 4 * 4 * 9, dtype=np.float32).reshape(4, 4, 3, 3)


def scanned(a):
    return lax.scan(lambda c, v: (c + v, c * v), jnp.zeros(4), a)


def mapped(a):
    return jax.shard_map(lambda v: lax.psum(v, "x"), mesh=mesh, in_specs=P("x", "y"), out_specs=P(None, "y"))(a * 2) + 1


def partly(a):
    return jax.shard_map(lambda v: lax.psum(v, "x"), mesh=mesh, in_specs=P("x"), out_specs=P(), axis_names={"x"})(a * 2) + 1


functions = {
    "product": (lambda a, b: a @ b, (lie("x", "y"), lie("y"))),
    "both by columns": (lambda a, b: a @ b, (lie(None, "x"), lie("x"))),
    "sum of all": (lambda a, b: (a.sum(), a.max(0), a.min(1), a.mean(0)), (lie("x", "y"), None)),
    "softmax": (lambda a, b: jax.nn.softmax(a @ b), (lie("x"), lie(None, "y"))),
    "cumsum": (lambda a, b: jnp.cumsum(a, 0), (lie("x", "y"), None)),
    "concatenate": (lambda a, b: jnp.concatenate([a, a + 1]), (lie("x", "y"), None)),
    "sort": (lambda a, b: jnp.sort(a, 0), (lie("x", "y"), None)),
    "stack": (lambda a, b: jnp.stack([a, a]), (lie("x", "y"), None)),
    "scan": (lambda a, b: scanned(a), (lie("x", "y"), None)),
    "loop": (lambda a, b: lax.fori_loop(0, 3, lambda i, c: jnp.tanh(c @ c.T @ c), a), (lie("x", "y"), None)),
    "while": (lambda a, b: lax.while_loop(lambda c: jnp.sum(c) < 1000, lambda c: c * 2, a), (lie("x", "y"), None)),
    "cond": (lambda a, b: lax.cond(a[0, 0] > 1, lambda v: v * 2, lambda v: v.T.T + 1, a), (lie("x", "y"), None)),
    "vmap": (lambda a, b: jax.vmap(lambda v: v @ v)(a), (lie("x", "y"), None)),
    "grad": (lambda a, b: jax.grad(lambda v: jnp.sum(jnp.tanh(a @ v)))(b), (lie("x", "y"), None)),
    "shard_map": (lambda a, b: mapped(a), (lie("x", "y"), None)),
    "one axis of two": (lambda a, b: partly(a), (lie("x", "y"), None)),
    "rows": (lambda a, b: (a[2], a[1:3], a[::-1]), (lie("x", "y"), None)),
    "taken": (lambda a, b: jnp.take(b, jnp.array([0, 2, 3, 1]), axis=0), (None, lie(None, "y"))),
    "reshape": (lambda a, b: a.reshape(4, 2, 4), (lie("x", "y"), None)),
    "einsum": (lambda a, b: jnp.einsum("ij,kj->ik", a, a), (lie("x", "y"), None)),
    "constraint": (lambda a, b: lax.with_sharding_constraint(jnp.sin(a), lie(None, "x")), (lie("x", "y"), None)),
}
for name, (f, places) in functions.items():
    args = [jax.device_put(v, s) if s else v for v, s in zip((whole, w), places)]
    got, want = jax.jit(f)(*args), f(whole, w)
    shardings = [v.sharding.spec for v in jax.tree.leaves(got)]
    right = all([np.allclose(a, b, rtol=1e-5, atol=1e-5) for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want))])
    print(name, shardings, right)
print(jax.jit(lambda a: lax.with_sharding_constraint(a[:3], lie("x")))(x).sharding.spec)
conv = lambda a, k: lax.conv(a, k, (1, 1), "SAME")
for s in (lie("x"), lie(None, "x"), lie("y", "x")):
    got = jax.jit(conv)(jax.device_put(image, s), kernel)
    print("conv", got.sharding.spec, np.allclose(got, conv(image, kernel), rtol=1e-4, atol=1e-4))

# what a device does is part of the work: sums are of parts
long = jax.device_put(np.ones((2, 64), np.float32), lie(None, "x"))
text = jax.jit(lambda a, b: a @ b).lower(long, jax.device_put(np.ones((64, 2), np.float32), lie("x"))).compile().as_text()
print("psum" in text or "all-reduce" in text)

# shardings that jit is given
f = jax.jit(lambda a, b: (a @ b, a.sum()), in_shardings=(lie("x"), None), out_shardings=(lie("x", "y"), lie()))
y, s = f(whole, w)
print(y.sharding.spec, s.sharding.spec, np.allclose(y, whole @ w, rtol=1e-5), float(s), len(y.addressable_shards),
      y.addressable_shards[3].data.shape)
step = jax.jit(lambda p, a: jax.tree.map(lambda v: v - 0.1 * jnp.mean(a), p), donate_argnums=0)
p = step({"w": jax.device_put(w, lie(None, "y")), "b": jax.device_put(np.ones(4, np.float32), lie())}, x)
print(p["w"].sharding.spec, p["b"])


def shouts(a):
    jax.debug.print("sum {}", a.sum())
    return a * 2


print(jax.jit(shouts)(x).sharding.spec)


def wrong(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, str(e))


wrong(lambda: jax.jit(lambda a: a[:3], out_shardings=lie("x"))(x))
wrong(lambda: jax.jit(lambda a: a, in_shardings=lie("x"))(jnp.ones(6)))
wrong(lambda: jax.jit(lambda a: a, in_shardings=lie(None, "x"))(jnp.ones(8)))
wrong(lambda: jax.jit(lambda a: (a, a.sum()), out_shardings=(lie("x"),))(x))
wrong(lambda: jax.jit(lambda a, b: (a, b), in_shardings=(lie("x"),))(x, x))
wrong(lambda: jax.jit(lambda a: a, in_shardings=P("x"))(x))
