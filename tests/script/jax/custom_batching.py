# Functions with a rule of their own for vmap, and lax.map in batches.
import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap, sequential_vmap


@custom_vmap
def f(x, y):
    return jnp.sin(x) + y ** 2


@f.def_vmap
def rule(axis_size, in_batched, xs, ys):
    print(axis_size, in_batched, xs.shape, ys.shape)
    return jnp.cos(xs) + ys ** 2, True


xs = jnp.arange(3.0)
print(f(1.0, 2.0))
print(jax.vmap(f)(xs, xs))
print(jax.vmap(f, (0, None))(xs, jnp.float32(2)), jax.vmap(f, (None, 0))(jnp.float32(2), xs))
print(jax.jit(jax.vmap(f))(xs, xs), jax.vmap(jax.jit(f))(xs, xs))
print(jax.jvp(jax.vmap(f), (xs, xs), (xs, xs)))
print(jax.vmap(jax.vmap(f, (None, 0)), (0, None))(xs, jnp.arange(2.0)))


@custom_vmap
def tree(t):
    return {"a": t["x"] * 2, "b": t["y"]}


@tree.def_vmap
def tree_rule(n, batched, t):
    print(n, batched)
    return {"a": t["x"] * 3, "b": t["y"]}, {"a": batched[0]["x"], "b": batched[0]["y"]}


print(jax.vmap(tree, ({"x": 0, "y": None},), {"a": 0, "b": None})({"x": xs, "y": jnp.float32(7)}))


@custom_vmap
def bad(x):
    return x


def t(name, g):
    try:
        print(name, g())
    except Exception as e:
        print(name, type(e).__name__)


t("no rule", lambda: jax.vmap(bad)(xs))
bad.def_vmap(lambda n, b, x: ([x, x], b))
t("two trees", lambda: jax.vmap(bad)(xs))
bad.def_vmap(lambda n, b, x: ([x], b))
t("another tree", lambda: jax.vmap(bad)(xs))

g = sequential_vmap(lambda x, y: x + y)
print(g(1.0, 2.0), jax.vmap(g)(xs, xs), jax.vmap(g, (0, None))(xs, 1.0))
for n in (0, 1, 4, 5, 16):
    print(n, lax.map(lambda v: {"b": v["a"] ** 2}, {"a": jnp.arange(16)}, batch_size=n)["b"])
