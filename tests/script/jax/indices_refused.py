# Indices and modes that JAX refuses, results of vmap that are the same for all, more than 256 results.
import jax
import jax.numpy as jnp
from jax import lax


def kind(fn):
    try:
        print(fn())
    except (TypeError, ValueError, IndexError) as e:
        print(type(e).__name__, str(e).split(";")[0])


m = jnp.ones((3, 3))
for key in ([0], 1.5, jnp.array([0.5]), (0, [1.0])):
    kind(lambda: m[key])
    kind(lambda: m.at[key].set(2.0))
kind(lambda: jnp.arange(4.0).reshape(2, 2)[[0, 1], [1, 0]])
kind(lambda: jnp.zeros(3).at[0].set(1.0, mode="wrap"))
kind(lambda: jnp.zeros(3).at[0].get(mode="far"))
print(jnp.arange(5.0).at[jnp.array([-1, 7])].get(mode="fill", fill_value=9.0, wrap_negative_indices=False))
print(jnp.zeros(3).at[-1].set(1.0, wrap_negative_indices=False), jnp.zeros(3).at[-1].set(1.0, mode="clip"))

print(jax.vmap(lambda x: (x, lax.psum(x, "i")), axis_name="i", out_axes=(0, None))(jnp.arange(3.0)))
print(jax.vmap(lambda x, y: y * 2, in_axes=(0, None), out_axes=None)(jnp.ones(3), jnp.ones(2)))
print(jax.vmap(lambda x, y: (y * 2, x), in_axes=(0, None), out_axes=(1, 0))(jnp.ones(3), jnp.ones(2)))
kind(lambda: jax.vmap(lambda x: x, out_axes=None)(jnp.ones(3)).shape)
kind(lambda: jax.jit(lambda x: x, static_argnames="zz")(1.0))
kind(lambda: jnp.transpose(jnp.ones((2, 3)), (0, 0)))

p = [jnp.ones(2) for _ in range(300)]
many = jax.jit(lambda x: [x + i for i in range(300)])
print([len(many(jnp.ones(2))) for _ in range(2)], many(jnp.ones(2))[299])
print(len(jax.grad(lambda p: sum(jnp.sum(x) for x in p))(p)))
print(len(jax.jit(jax.grad(lambda p: sum(jnp.sum(x) for x in p)))(p)))

x = jnp.sum(jnp.array([0.1, 0.2]))
print(f"{x} {x:.3f} {x!s}", "{}".format(jnp.bfloat16(0.1)), f"{jnp.array([0.1])} {jnp.array(3)} {jnp.array(True)}")

key = jax.random.key(3)
print(jax.random.lognormal(key, jnp.array([0.0, 0.0])), jax.random.geometric(key, jnp.array([0.1, 0.1])))
print(jax.random.double_sided_maxwell(key, 0.0, 1.0, (2,)), jax.random.pareto(key, jnp.array([1.0, 1.0])).shape)

g = 0.0


def seen(x):
    print("traced")
    return x + g


print(jax.jit(seen)(4.0))
g = 10.0
print(jax.jit(seen)(5.0))
