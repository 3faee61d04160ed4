# Calls in which random ones once differed from JAX without a word.
import jax
import jax.numpy as jnp
from jax import lax


def kind(fn):
    try:
        print(fn())
    except (TypeError, ValueError, IndexError) as e:
        print(type(e).__name__)


h, i = jnp.array([1.0, 2.0], jnp.bfloat16), jnp.array([1, 0], jnp.int8)
print(jnp.hypot(h, i).dtype, jnp.logaddexp2(h, i).dtype, jnp.heaviside(h, i), jnp.logaddexp(h, i).dtype)
x = jnp.arange(12.0).reshape(4, 3)
print(lax.reduce_window(x, 1.0, lax.add, (2, 2), (2, 1), "SAME"), lax.reduce_window(x, 2.0, lax.mul, (2, 2), (1, 2), "SAME"))
f = jnp.array([0.5, -0.5], jnp.float16)
s = jax.scipy.stats
print([d.logpdf(f).dtype.name for d in (s.norm, s.uniform, s.expon, s.laplace, s.logistic, s.cauchy)], s.uniform.pdf(x[0], 0, 2))
print(jax.scipy.special.zeta(jnp.array([0.5, 2.0]), 2.0), jnp.cumsum(jnp.array([True, True]), dtype=bool))
kind(lambda: jnp.take(jnp.zeros((0, 3)), jnp.array([0, 1]), axis=0))
kind(lambda: jnp.unpackbits(jnp.array([1, 2], jnp.int32)))
kind(lambda: lax.argmax(jnp.ones(3), 3, jnp.int32))
kind(lambda: jnp.array(None))
print(jnp.linalg.trace(jnp.eye(2) * 1.7, dtype=jnp.int32))
