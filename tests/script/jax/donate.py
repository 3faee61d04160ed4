# Donated arguments are gone; what others refer to is copied.
import jax
import jax.numpy as jnp
from functools import partial

@partial(jax.jit, donate_argnums=(0,))
def step(p, x):
    g = jax.grad(lambda p: ((x @ p["w"] + p["b"]) ** 2).mean())(p)
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g)

x = jnp.arange(12.0).reshape(4, 3) / 12
p = {"w": jnp.ones((3, 2)), "b": jnp.zeros(2)}
for i in range(3):
    old = p
    p = step(p, x)
    print(i, [old[k].is_deleted() for k in old], [p[k].is_deleted() for k in p], x.is_deleted())
print(jax.tree.map(lambda a: [round(float(v), 4) for v in a.reshape(-1)], p))
try:
    print(old["w"] + 1)
except RuntimeError as e:
    print("RuntimeError")
try:
    step(old, x)
except (RuntimeError, ValueError) as e:
    print("again")

f = jax.jit(lambda a, b: a * 2 + b, donate_argnums=0)
a = f(jnp.ones(5), jnp.zeros(5))
v = a[1:3]
b = f(a, v.sum() + jnp.zeros(5))
print(v, b)

# by name; nothing is taken inside of a trace
g = jax.jit(lambda state, x: state + x, donate_argnames="state")
s = jnp.zeros(3)
t = g(state=s, x=jnp.ones(3))
print(t, s.is_deleted())
h = jax.jit(lambda s: g(state=s, x=s) * s)
print(h(t), t.is_deleted())
