# Functions of Python that programs call: results, rows of a vmap, order, failures, loops, branches, derivatives.
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import io_callback
S = jax.ShapeDtypeStruct

def host_sin(x):
    return np.sin(x).astype(np.float32)

@jax.jit
def f(x):
    return jax.pure_callback(host_sin, S(x.shape, x.dtype), x, vmap_method="sequential") * 2

print(np.round(np.asarray(f(jnp.arange(3.0))), 4))
print(np.round(np.asarray(jax.vmap(f)(jnp.arange(6.0).reshape(2, 3))), 4))
for m in ("expand_dims", "broadcast_all"):
    def g(x, y, m=m):
        def cb(a, b):
            print(m, isinstance(a, jax.Array), a.shape, b.shape)
            return np.asarray(a + b, np.float32)
        return jax.pure_callback(cb, S(jnp.broadcast_shapes(x.shape, y.shape), jnp.float32), x, y, vmap_method=m)
    print(jax.vmap(g, in_axes=(0, None))(jnp.arange(4.0).reshape(2, 2), jnp.ones(2)))
    print(jax.jit(jax.vmap(g, in_axes=(0, None)))(jnp.arange(4.0).reshape(2, 2), jnp.ones(2)))

def tree(x):
    r = jax.pure_callback(lambda d: {"a": d["x"] + 1, "b": (d["y"].astype(np.int32),)}, {"a": S((2,), jnp.float32), "b": (S((), jnp.int32),)}, {"x": x, "y": jnp.float32(3.7)})
    return r["a"] * r["b"][0]
print(jax.jit(tree)(jnp.ones(2)))
for t in (lambda: jax.vmap(tree)(jnp.ones((3, 2))), lambda: jax.grad(lambda x: f(x).sum())(jnp.ones(2)), lambda: jax.jit(lambda x: jax.pure_callback(lambda v: np.ones(4, np.float32), S((3,), jnp.float32), x))(1.0),
          lambda: jax.jit(lambda x: jax.pure_callback(lambda v: np.ones(3), S((3,), jnp.float32), x))(1.0),
          lambda: jax.jit(lambda x: jax.pure_callback(lambda v: 1 / 0, S((3,), jnp.float32), x))(1.0),
          lambda: jax.pure_callback(lambda v: 1 / 0, S((3,), jnp.float32), 1.0),
          lambda: jax.jit(lambda x: jax.pure_callback(lambda v: v, S((3,), jnp.float32), x, vmap_method="x"))(1.0),
          lambda: jax.jit(lambda x: (jax.debug.callback(lambda v: 1 / 0, x), x)[1])(1.0),
          lambda: jax.grad(lambda x: io_callback(lambda v: v, S((), jnp.float32), x))(1.0),
          lambda: jax.vmap(lambda x: io_callback(lambda v: v, S((), jnp.float32), x, ordered=True))(jnp.ones(2)),
          lambda: jax.jit(lambda x: jax.pure_callback(lambda v: (v, v), S((), jnp.float32), x))(1.0),
          ):
    try:
        print(t())
        jax.effects_barrier()
    except Exception as e:
        print(type(e).__name__, str(e).strip().split("\n")[0][:200], "|", str(e).strip().split("\n")[-1][:200])
log = []
def put(x):
    log.append(float(x))
    return np.float32(len(log))
@jax.jit
def h(x):
    a = io_callback(put, S((), jnp.float32), x, ordered=True)
    io_callback(put, S((), jnp.float32), x + 10, ordered=True)
    return a
print(h(1.0), h(2.0), log)
def loop(n):
    return jax.lax.fori_loop(0, n, lambda i, c: c + io_callback(put, S((), jnp.float32), c, ordered=True), jnp.float32(0))
print(jax.jit(loop, static_argnums=0)(3), log)
print(jax.vmap(lambda x: io_callback(put, S((), jnp.float32), x))(jnp.arange(2.0)), len(log))
print(jax.lax.scan(lambda c, x: (c + x, jax.pure_callback(lambda v: np.float32(v * 2), S((), jnp.float32), c)), 0.0, jnp.arange(4.0)))
print(jax.jit(lambda x: jax.lax.cond(x > 0, lambda x: jax.pure_callback(lambda v: np.float32(7), S((), jnp.float32), x), lambda x: x, x))(1.0))
@jax.custom_jvp
def csin(x): return jax.pure_callback(host_sin, S(x.shape, x.dtype), x, vmap_method="expand_dims")
@csin.defjvp
def _(p, t): return csin(p[0]), jnp.cos(p[0]) * t[0]
print(jax.grad(lambda x: csin(x).sum())(jnp.arange(3.0)), jax.jit(jax.vmap(jax.grad(csin)))(jnp.arange(3.0)))
calls = []
jax.jit(lambda x: (jax.pure_callback(lambda v: calls.append(1) or v, S((), jnp.float32), x), x)[1])(1.0)
print(len(calls))
def dbg(x):
    jax.debug.callback(lambda v: calls.append(float(v)), x)
    return x ** 2
print(jax.grad(dbg)(3.0), jax.jit(jax.grad(dbg))(4.0), jax.vmap(dbg)(jnp.arange(2.0))); jax.effects_barrier(); print(calls)
print(jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))))(1.0))
print(jax.jit(lambda: jax.pure_callback(lambda: np.float32(4), S((), jnp.float32)))())

# what cannot be done is said

def kept(x):
    jax.debug.print("{} and {y} {{}}", x, y=x + 1, ordered=True)
    jax.debug.print("{0:.1f} {1}", x, "text", ordered=True)
    return x
print(jax.jit(kept)(2.0))
try:
    jax.debug.callback(3, 1.0)
except TypeError as e:
    print(e)
