# pmap: axes, static arguments, names, collectives, groups, errors; on 8 devices of this process.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax import lax

print(jax.device_count(), jax.local_device_count(), len(jax.devices()), jax.devices()[3], repr(jax.devices()[5]))
x = jnp.arange(16.0).reshape(8, 2)
print(jax.pmap(lambda v: v * 2)(x).shape, jax.pmap(lambda v: v.sum())(x[:4]))
print(jax.pmap(lambda a, b: a + b, in_axes=(0, None))(x, jnp.array([100.0, 200.0]))[7])
print(jax.pmap(lambda a: a + 1, in_axes=1, out_axes=1)(jnp.arange(6.0).reshape(2, 3)))
print(jax.pmap(lambda d, n: {"r": d["a"] * n}, in_axes=({"a": 0}, None))({"a": jnp.arange(4.0)}, 3.0)["r"])
print(jax.pmap(lambda a, k: a ** k, static_broadcasted_argnums=1)(jnp.arange(4.0), 2))
print(jax.pmap(lambda a, *, b: a * b)(jnp.arange(3.0), b=jnp.arange(3.0) + 1))
print(jax.pmap(lambda a: lax.psum(a, "i"), axis_name="i", out_axes=None)(jnp.arange(5.0)))


@partial(jax.pmap, axis_name="i")
def many(v):
    i = lax.axis_index("i")
    return (lax.psum(v, "i"), lax.pmean(v, "i"), lax.pmax(v, "i"), lax.pmin(v, "i"), lax.all_gather(v, "i"),
            lax.all_gather(v, "i", axis=1, tiled=False).shape, lax.ppermute(v, "i", [(k, (k + 3) % 8) for k in range(8)]),
            lax.axis_size("i"), lax.psum(1, "i"), i, lax.psum_scatter(jnp.arange(8.0) + i, "i"),
            lax.all_to_all(jnp.arange(8.0) + 10 * i, "i", 0, 0))


for part in many(x):
    print(np.asarray(part)[0] if np.ndim(part) > 1 else part)
print(jax.pmap(lambda v: lax.pshuffle(v, "i", [2, 0, 1]), axis_name="i")(jnp.arange(3.0)))
print(jax.pmap(lambda v: lax.psum(v, "i", axis_index_groups=[[0], [1, 2, 3]]), axis_name="i")(jnp.arange(4.0)))
print(jax.pmap(lambda v: lax.all_gather(v, "i", axis_index_groups=[[0, 3], [2, 1]]), axis_name="i")(jnp.arange(4.0)))
print(jax.pmap(lambda v: lax.psum(v > 1, "i"), axis_name="i")(jnp.arange(4.0)))
print(jax.pmap(lambda v: lax.pmean(v, "i"), axis_name="i")(jnp.arange(4)).dtype)


def loss(w, a):
    return jnp.sum((w * a) ** 2)


print(jax.pmap(lambda w, a: lax.pmean(jax.grad(loss)(w, a), "i"), axis_name="i", in_axes=(None, 0))(2.0, jnp.arange(4.0)))
print(jax.pmap(jax.grad(lambda w, a: lax.psum(loss(w, a), "i")), axis_name="i", in_axes=(None, 0))(2.0, jnp.arange(4.0)))
print(jax.grad(lambda w: jax.pmap(lambda a: lax.psum(jnp.sin(a * w), "i"), axis_name="i")(jnp.arange(4.0))[0])(0.5))
print(jax.vmap(jax.pmap(lambda a: a + 1))(jnp.zeros((2, 8))).shape)
print(jax.jit(jax.pmap(lambda a: lax.cumsum(lax.all_gather(a, "j")), axis_name="j"))(jnp.arange(3.0)))


def body(c, t):
    return c + lax.psum(t, "i"), c


print(jax.pmap(lambda a: lax.scan(body, a, jnp.arange(3.0))[0], axis_name="i")(jnp.arange(4.0)))
y = jax.pmap(lambda a: a)(jnp.arange(4.0))
print(y.sharding, sorted([d.id for d in y.devices()]))
print([(s.device.id, s.index, np.asarray(s.data)) for s in y.addressable_shards])
for bad in (lambda: jax.pmap(lambda v: v)(jnp.ones((9, 2))), lambda: jax.pmap(lambda v: v)(jnp.ones((16, 2))),
            lambda: jax.pmap(lambda v, w: v, in_axes=None)(1, 2), lambda: jax.pmap(lambda v: v, axis_size=4)(jnp.ones(2)),
            lambda: jax.pmap(lambda v, w: v)(jnp.ones(4), jnp.ones(3)),
            lambda: jax.pmap(lambda v: lax.psum(v, "j"))(jnp.ones(4))):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e))
