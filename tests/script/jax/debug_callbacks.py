# jax.debug.print and callback inside compiled functions: formats, values, order, rows of a vmap.
import jax, jax.numpy as jnp, numpy as np

seen = []

@jax.jit
def f(x, y):
    jax.debug.print("x={x:.2f} y={} {{}}", y, x=x, ordered=True)
    jax.debug.print("{0} {0} {1!r}", x, "text", ordered=True)
    jax.debug.callback(lambda a, b, k: seen.append((float(np.sum(a)), float(jnp.max(b)), k["t"].shape)), x, y, k={"t": y[None], "n": 3})
    return x * 2

print(f(1.5, jnp.arange(3.0)))
jax.effects_barrier()
f(2.5, jnp.arange(3.0))
jax.effects_barrier()
print(seen)

def g(x):
    jax.debug.print("row {}", x, ordered=True)
    return jnp.sin(x)

print(jax.vmap(g)(jnp.arange(3.0)).shape)
print(jax.lax.fori_loop(0, 2, lambda i, c: (jax.debug.print("i={i} c={c}", i=i, c=c, ordered=True), c + i)[1], 10))

@jax.jit
def h(x):
    print(x, x + jnp.float32(1))
    return x

h(1)
h(jnp.ones(2))
traced = jax.jit(lambda a: (a + 1, a.sum())).trace(jax.ShapeDtypeStruct.like(jnp.ones((2, 3))))
print(traced.fun_name, traced.lower().compile()(jnp.ones((2, 3)))[1], traced.out_info[0].shape, traced.out_info[1].dtype)
print(jax.pure_callback(lambda v: np.add(v, 1), jax.ShapeDtypeStruct((2,), jnp.float32), jnp.ones(2), vmap_method="sequential"))
