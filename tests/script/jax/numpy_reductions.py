# jax.numpy: reductions, running ones, order statistics.
import jax
import jax.numpy as jnp


def show(*values):
    for v in values:
        print(repr(v))


x = jnp.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
v = jnp.array([3.0, 1.0, 2.0, 1.0])
i = jnp.array([3, 1, 2, 1])
b = jnp.array([True, False, True, True])
u = jnp.array([1, 200, 30], dtype=jnp.uint8)
h = jnp.array([1.5, 2.5], dtype=jnp.float16)
n = jnp.array([1.0, jnp.nan, 3.0, jnp.inf])

show(jnp.sum(u), jnp.sum(h), jnp.sum(b), jnp.sum(i), jnp.prod(u), jnp.cumsum(b), jnp.cumsum(u))
show(jnp.mean(i), jnp.mean(b), jnp.mean(h), jnp.var(i), jnp.std(h))
show(jnp.max(u), jnp.min(i), jnp.argmax(v), jnp.argmin(v), jnp.ptp(v))
show(jnp.median(v), jnp.median(x, axis=1), jnp.median(x, axis=0, keepdims=True))
show(jnp.quantile(v, jnp.array([0.1, 0.5])), jnp.percentile(x, 30, axis=1))
show(jnp.quantile(x, 0.3, axis=0, keepdims=True))
show(jnp.average(x, weights=jnp.array([1.,2.,3.]), axis=1, returned=True))
show(jnp.any(x > 4, axis=1), jnp.all(b), jnp.any(i))
show(jnp.diff(v), jnp.diff(x, axis=0), jnp.diff(v, n=2), jnp.gradient(v), jnp.trapezoid(v), jnp.ediff1d(v))
show(jnp.diff(v, prepend=0.0))
show(jnp.logical_and(b, True), jnp.logical_not(i), jnp.logical_xor(b, True), jnp.bitwise_count(i))
show(jnp.invert(u), jnp.left_shift(i, 1), jnp.right_shift(-i, 1))
show(jnp.cov(x), jnp.corrcoef(x), jnp.cov(v, i))
show(jnp.nansum(n), jnp.nanmean(n[:3]), jnp.nanmax(n), jnp.nanmin(n), jnp.nanstd(n[:3]), jnp.nanargmax(n))
show(jnp.nanmedian(n[:3]), jnp.nancumsum(n[:3]))
show(jnp.sum(x, axis=0, keepdims=True), jnp.sum(x, where=x > 0, initial=1.0), jnp.max(x, axis=1, initial=3.5))
show(jnp.prod(x, axis=(0, 1)))
