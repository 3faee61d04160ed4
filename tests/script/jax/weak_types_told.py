# jax.typeof of weak values says so, in its texts and in comparisons.
import jax, jax.numpy as jnp

x = jnp.asarray(1.0)
print(jax.typeof(x), repr(jax.typeof(x)), jax.typeof(x).weak_type, jax.typeof(x).str_short(), x.aval)
print(jax.typeof(2), jax.typeof(True), jax.typeof(1j), jax.typeof(jnp.float32(1)), jax.typeof(x * jnp.ones(2)))
print(jax.typeof(x) == jax.typeof(jnp.float32(1)), jax.typeof(x) == jax.typeof(2.0))
jax.jit(lambda a, b: print(jax.typeof(a), jax.typeof(b), jax.typeof(a + b), jax.typeof(a * 2)))(1.0, jnp.ones(2))
jax.vmap(lambda a: print(jax.typeof(a)) or a)(jnp.broadcast_to(x, (3,)))
jax.grad(lambda a: print(jax.typeof(a)) or a)(1.0)
