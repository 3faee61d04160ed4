# Ops of all families on divided arrays: the numbers of the whole, and shardings as JAX has them.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()).reshape(2, 2, 2), ("x", "y", "z"))
lie = lambda *s: NamedSharding(mesh, P(*s))
rng = np.random.RandomState(0)
a = rng.randn(8, 4, 8).astype(np.float32)



def check(name, f, *args, specs, show=True):
    got = jax.jit(f)(*[jax.device_put(v, s) for v, s in zip(args, specs)])
    want = f(*[jnp.asarray(v) for v in args])
    ok = all(np.allclose(np.asarray(g, np.float32), np.asarray(w, np.float32), rtol=1e-4, atol=1e-4) for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want)))
    print(name, ok, [g.sharding.spec for g in jax.tree.leaves(got)] if show else "")


idx = rng.randint(0, 8, (4,)).astype(np.int32)
check("gather", lambda v, i: v[i], a, idx, specs=(lie(None, "x", ("y", "z")), lie("y")))
check("scatter", lambda v, i: v.at[i].add(1.0), a, idx, specs=(lie("x", "y", "z"), lie()), show=False)
check("argmax", lambda v: (jnp.argmax(v, 1), jnp.argsort(v, 2)), a, specs=(lie("x", "y", "z"),))
check("linalg", lambda v: jnp.linalg.cholesky(v @ v.transpose(0, 2, 1) + 20 * jnp.eye(4)), a, specs=(lie(("x", "y")),))
check("solve", lambda v: jnp.linalg.solve(v @ v.transpose(0, 2, 1) + 20 * jnp.eye(4), v), a, specs=(lie("x"),))
check("fft", lambda v: jnp.abs(jnp.fft.fft(v)), a, specs=(lie("x", "y", "z"),))
check("topk", lambda v: lax.top_k(v, 2), a, specs=(lie("x", "y", "z"),))
check("window", lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), "VALID"), a, specs=(lie("x", "y", "z"),))
check("cumsum", lambda v: jnp.cumsum(v, 1) + jnp.flip(v, 0), a, specs=(lie("x", "y", "z"),))
check("attention", lambda q: jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, q)) @ q, a, specs=(lie("x", "y", "z"),))
check("prod", lambda v: (v.prod(0), (v > 0).all(1), (v > 5).any(2), v.std(2), jnp.median(v, 1)), a, specs=(lie("x", "y", "z"),))
check("map", lambda v: lax.map(lambda r: r @ r.T, v), a, specs=(lie("x", "y"),))
check("switch", lambda v, i: lax.switch(i[0] % 3, [lambda u: u, lambda u: u * 2, lambda u: -u], v), a, idx, specs=(lie("x", "y"), lie("y")))
check("grad scan", lambda v: jax.grad(lambda u: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), jnp.zeros((4, 8)), u)[1].sum())(v), a, specs=(lie("x", "y", "z"),))
check("conv grad", lambda v, k: jax.grad(lambda k: jnp.sum(lax.conv(v[:, :, :, None], k, (1, 1), "SAME") ** 2))(k), a, rng.randn(4, 4, 3, 1).astype(np.float32), specs=(lie(("x", "z"), "y"), lie()))
check("roll", lambda v: jnp.roll(v, 1, 0) + jnp.pad(v, ((0, 0), (1, 1), (0, 0)))[:, 1:-1], a, specs=(lie("x", "y", "z"),))
check("dus", lambda v: lax.dynamic_update_slice(v, jnp.ones((2, 4, 8)), (3, 0, 0)), a, specs=(lie("x", "y", "z"),))
check("random", lambda v: v + jax.random.uniform(jax.random.key(1), v.shape), a, specs=(lie("x", "y", "z"),))
check("where", lambda v: jnp.where(jnp.arange(8)[:, None, None] > 3, v, 0).reshape(32, 8).T, a, specs=(lie("x", "y", "z"),))
