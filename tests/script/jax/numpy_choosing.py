# jax.numpy: indexing, choosing, sorting, sets, updates.
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

show(jnp.isnan(n), jnp.isinf(n), jnp.isfinite(n), jnp.nan_to_num(n), jnp.isposinf(n))
show(jnp.where(v > 1, v, 0), jnp.where(b, i, 1.5), jnp.where(b))
show(jnp.nonzero(b), jnp.flatnonzero(b), jnp.argwhere(x > 0), jnp.count_nonzero(x > 0, axis=1))
show(jnp.take(v, jnp.array([0, 3, 5])), jnp.take(i, jnp.array([0, 5])), jnp.take(x, 1, axis=1))
show(jnp.take(x, jnp.array([0, -1])))
show(jnp.sort(v), jnp.argsort(v), jnp.sort(x, axis=0), jnp.sort(v, descending=True))
show(jnp.argsort(v, descending=True))
show(jnp.unique(v), jnp.unique(i, return_counts=True), jnp.unique(i, return_index=True, return_inverse=True))
show(jnp.unique(i, size=5), jnp.unique(i, size=2, fill_value=-1))
show(jnp.searchsorted(jnp.array([1., 2., 3.]), v), jnp.digitize(v, jnp.array([1., 2.])), jnp.bincount(i))
show(jnp.bincount(i, weights=v))
show(jnp.histogram(v, bins=3), jnp.histogram(i, bins=2), jnp.histogram(v, bins=jnp.array([0., 1., 2., 4.])))
show(jnp.isin(i, jnp.array([1, 3])), jnp.intersect1d(i, jnp.array([1, 9])), jnp.union1d(i, jnp.array([9])))
show(jnp.setdiff1d(i, jnp.array([1])))
show(jnp.select([v > 2, v > 1], [v, -v], 0), jnp.choose(jnp.array([0, 1]), [v[:2], i[:2]]))
show(jnp.piecewise(v, [v < 2, v >= 2], [-1, lambda t: t * 2]), jnp.extract(b, v), jnp.compress(b, v))
show(x.sum(), x.mean(0), x.max(1), x.std(), x.var(ddof=1), x.argmax(), x.cumsum(1), x.prod(), x.min(), x.any())
show(x.all(0), x.round(), x.sort(1), x.argsort(), x.dot(x.T), x.trace(), x.ptp() if hasattr(x, "ptp") else 0)
show(jnp.lexsort((v, i)), jnp.partition(v, 2), jnp.argpartition(v, 2), jnp.insert(v, 1, 9.0), jnp.delete(v, 1))
show(jnp.append(v, 5.0), jnp.resize(v, (2, 3)))
show(jnp.fill_diagonal(jnp.zeros((2, 2)), 1.0, inplace=False))
show(jnp.put_along_axis(x, jnp.array([[0], [1]]), 9.0, 1, inplace=False))
show(jnp.take_along_axis(x, jnp.argsort(x, axis=1), axis=1))
show(x.at[0, 1].set(9.0), x.at[0].add(1.0), x.at[:, 1].multiply(2.0), x.at[0, 0].get(), x.at[5, 5].set(1.0))
show(x.at[jnp.array([0, 0]), jnp.array([1, 1])].add(1.0), x.at[x > 0].set(0.0), v.at[::2].set(0.0))
show(v.at[-1].subtract(1.0), v.at[jnp.array([1, 1, 9])].max(5.0), v.at[7].get(mode="fill", fill_value=-1.0))
show(v.at[1:3].min(1.5), x.at[1, ...].set(jnp.arange(3.0)), x.at[..., 0].mul(3), v.at[2].power(2))
show(v.at[0].divide(2.0), i.at[0].set(2.7))
show(x[0], x[:, 1], x[1, ::-1], x[..., None].shape, x[jnp.array([1, 0])])
show(x[jnp.array([0, 1]), jnp.array([2, 0])], x[x > 1], x[-1, -1], v[1:], v[::-1], x[[0, 1]] if False else 0)
show(x[:, jnp.array([True, False, True])], v[10], v[jnp.array([9, -9])])
show(i + 1.5, u + 1.0, b + 1, b * 2.0, jnp.where(b, i, 1.5), jnp.array(1.0) > 0, jnp.array(2) == 2, i / 2)
show(b / 2)
