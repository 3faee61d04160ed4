# shard_map: specs, collectives over several axes, what varies, gradients with and without check_vma, errors.
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from functools import partial
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
sm = partial(jax.shard_map, mesh=mesh)
a = jnp.arange(32.0).reshape(8, 4)
print(sm(lambda b: b * 2, in_specs=P("x", "y"), out_specs=P("x", "y"))(a)[7])
print(sm(lambda b: lax.psum(b, ("x", "y")), in_specs=P("x", "y"), out_specs=P())(a))
print(sm(lambda b: b.sum(keepdims=True), in_specs=P(("y", "x"), None), out_specs=P(("y", "x"), None))(a)[:, 0])
print(sm(lambda b: lax.axis_index(("y", "x"))[None], in_specs=P(), out_specs=P(("x", "y")))(a))
print(sm(lambda b: lax.all_gather(b, ("x", "y"), tiled=True), in_specs=P(("x", "y")), out_specs=P(("x", "y")))(jnp.arange(8.0)).shape)
print(sm(lambda b: lax.ppermute(b, ("x", "y"), [(i, 7 - i) for i in range(8)]), in_specs=P(("x", "y")),
         out_specs=P(("x", "y")))(jnp.arange(8.0)))
print(sm(lambda b: lax.all_to_all(b, "y", 1, 0, tiled=True), in_specs=P("x", None), out_specs=P("x", "y"))(a)[:, 0])
print(sm(lambda b: lax.psum_scatter(b, ("x", "y"), scatter_dimension=1, tiled=True), in_specs=P(("x", "y"), None),
         out_specs=P(None, ("x", "y")))(jnp.ones((8, 16))).shape)
print(sm(lambda b: lax.pmax(b, "x") - lax.pmin(b, "x"), in_specs=P("x", None), out_specs=P(None, None))(a))
print(sm(lambda b, c: (b @ c, {"s": b.sum()[None]}), in_specs=(P("x", None), P(None, "y")),
         out_specs=(P("x", "y"), {"s": P("x")}))(a, jnp.ones((4, 2)))[1]["s"])
print(jax.jit(sm(lambda b: lax.psum(b @ b.T, "x"), in_specs=P("x", None), out_specs=P(None, None)))(a))
print(sm(lambda b: lax.psum(b @ a[:4], "y"), in_specs=P(None, "y"), out_specs=P(None, None), check_vma=False)(jnp.ones((2, 8))))
only = jax.shard_map(lambda b: lax.psum(b, "x"), mesh=mesh, in_specs=P("x"), out_specs=P(), axis_names={"x"})
print(jax.jit(only)(jnp.arange(8.0)))

four = Mesh(np.array(jax.devices()[:4]), ("x",))
xs, w = jnp.arange(1.0, 9.0), 2.0


def run(f, check, out=P()):
    return jax.shard_map(f, mesh=four, in_specs=(P(), P("x")), out_specs=out, check_vma=check)


for check in (True, False):
    loss = run(lambda w, x: lax.psum(jnp.sum(w * x), "x"), check)
    print("outer", jax.grad(loss)(w, xs), jax.value_and_grad(loss, argnums=1)(w, xs)[1])
    print("inner psum", run(lambda w, x: jax.grad(lambda w: lax.psum(jnp.sum(w * x), "x"))(w), check)(w, xs))
    print("inner local", run(lambda w, x: jax.grad(lambda w: jnp.sum(w * x))(w)[None], check, P("x"))(w, xs))
    print("varying", run(lambda w, x: jax.grad(lambda x: lax.psum(jnp.sum(w * x), "x"))(x), check, P("x"))(w, xs))
    print("mean of local", run(lambda w, x: lax.pmean(jax.grad(lambda w: jnp.sum(w * x))(w), "x"), check)(w, xs))
    print("jit inside", run(lambda w, x: jax.jit(jax.grad(lambda w, x: jnp.sum(w * x)))(w, x)[None], check, P("x"))(w, xs))
    print("jit around", jax.grad(run(lambda w, x: lax.psum(jax.jit(lambda w, x: jnp.sum(w * x))(w, x), "x"), check))(w, xs))
    print("scan", jax.grad(run(lambda w, x: lax.psum(lax.scan(lambda c, t: (c + w * t, None), 0.0 * x[0], x)[0], "x"),
                               check))(w, xs))
    print("batch", jax.vmap(jax.grad(loss), in_axes=(0, None))(jnp.array([1.0, 2.0]), xs))
    print("jvp", jax.jvp(loss, (w, xs), (1.0, jnp.ones(8))))
print("pcast", run(lambda w, x: jax.grad(lambda w: jnp.sum(w * x))(lax.pcast(w, "x", to="varying"))[None], True, P("x"))(w, xs))
print("second", "%.4f" % jax.grad(jax.grad(lambda w: run(lambda w, x: lax.psum(jnp.sum(jnp.sin(w * x)), "x"), True)(w, xs)))(w))


@jax.jit
def train(w, x, y):
    def step(w, x, y):
        def loss(w):
            return lax.pmean(jnp.mean((x @ w - y) ** 2), "x")
        return w - 0.1 * jax.grad(loss)(w)
    return jax.shard_map(step, mesh=four, in_specs=(P(), P("x"), P("x")), out_specs=P())(w, x, y)


data = jax.random.normal(jax.random.PRNGKey(0), (64, 3))
goal = jnp.array([1.0, -2.0, 0.5])
v = jnp.zeros(3)
for k in range(100):
    v = train(v, data, data @ goal)
print(np.round(np.asarray(v), 3))
for bad in (lambda: sm(lambda b: b, in_specs=P("x"), out_specs=P("x"))(jnp.ones(6)),
            lambda: sm(lambda b: b, in_specs=P("x", "y"), out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda b: b, in_specs=P("x"), out_specs=P("x", "y"))(jnp.ones(8)),
            lambda: sm(lambda b: b, in_specs=P("x"), out_specs=P())(jnp.ones(8)),
            lambda: sm(lambda b: b, in_specs=P("z"), out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda b: lax.psum_scatter(b, "x"), in_specs=P("x"), out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda b: lax.all_to_all(b, "x", 0, 0), in_specs=P("x"), out_specs=P("x"))(jnp.ones(8))):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e).split("'")[0][:90])

# rules of one's own say themselves over which devices they add up
eight = Mesh(np.array(jax.devices()), ("d",))
on8 = partial(jax.shard_map, mesh=eight)


def own(primal, fwd, bwd):
    f = jax.custom_vjp(primal)
    f.defvjp(fwd, bwd)
    return f


xs, ws = jnp.arange(16.0) / 8, jnp.array([1.0, 2.0])
total = own(lambda x: lax.psum(x, "d"), lambda x: (lax.psum(x, "d"), None), lambda r, g: (lax.pcast(g, "d", to="varying") * 2,))
print(jax.grad(lambda x: on8(lambda v: total(v.sum()), in_specs=P("d"), out_specs=P())(x))(xs))
summed = own(lambda w, x: w * x, lambda w, x: (w * x, (w, x)), lambda r, g: (lax.psum(g * r[1], "d"), g * r[0]))
print(jax.grad(lambda w: on8(lambda w, x: lax.psum(summed(w, x).sum(), "d"), in_specs=(P(), P("d")), out_specs=P())(w, xs))(ws))
apart = own(lambda w, x: (w * 2, x * 3), lambda w, x: ((w * 2, x * 3), None), lambda r, g: (g[0] * 20, g[1] * 30))
on8(lambda w, x: [print(jax.typeof(v)) for v in apart(w, x)] and x, in_specs=(P(), P("d")), out_specs=P("d"))(ws, xs)
print(jax.grad(lambda w: on8(lambda w, x: apart(w, x)[0].sum(), in_specs=(P(), P("d")), out_specs=P())(w, xs))(ws))
print(jax.grad(lambda w: on8(lambda w, x: lax.psum(sum(v.sum() for v in apart(w, x)), "d"), in_specs=(P(), P("d")), out_specs=P())(w, xs))(ws))


@jax.custom_jvp
def most(w, x):
    return lax.pmax(w * x, "d")


@most.defjvp
def most_rule(p, t):
    return most(*p), lax.psum(t[0] * p[1] + p[0] * t[1], "d")


print(jax.grad(lambda w: on8(lambda w, x: most(w, x).sum(), in_specs=(P(), P("d")), out_specs=P())(w, xs))(ws))
for bad in (lambda: sm(lambda v: v, in_specs=(P("x"), P("y")), out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda v: v.sum(), in_specs=P("x"), out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda v: v, in_specs=P("x"), out_specs=P("x"))(jnp.ones(6)),
            lambda: sm(lambda v: v, in_specs="x", out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda v: lax.pcast(v, "x", to="varying"), in_specs=P("x"), out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda v: lax.all_to_all(v, "x", 0, 0, tiled=True), in_specs=P("x"), out_specs=P("x"))(jnp.ones(8)),
            lambda: sm(lambda v: lax.ppermute(v, "x", [(0, 1), (0, 2)]), in_specs=P("x"), out_specs=P("x"))(jnp.ones(8)),
            lambda: jax.pmap(lambda v: v, in_axes=(0, 0))(jnp.ones(8))):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, str(e).split("\n\nThe 'full")[0])
