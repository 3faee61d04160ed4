# What JAX refuses, by the class of its exception; and arguments that change a result.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def t(name, f):
    try:
        print(name, repr(f()))
    except Exception as e:
        print(name, type(e).__name__)


x = jnp.arange(12.0).reshape(3, 4)
v = jnp.array([3.0, 1.0, 2.0, 1.0])
n = jnp.array([1.0, jnp.nan, 3.0])

t("a loop of nothing", lambda: lax.while_loop(lambda _: False, lambda _: (), ()))
t("a condition that is a tuple", lambda: lax.while_loop(lambda c: (c, c), lambda c: c, 1))
t("a condition that is no bool", lambda: lax.while_loop(lambda c: c, lambda c: c, 1))
t("a carry of another tree", lambda: lax.while_loop(lambda c: False, lambda c: (c, c), 1.0))
t("a carry of another dtype", lambda: lax.while_loop(lambda c: c < 3, lambda c: c.astype(jnp.float32), jnp.int32(0)))
t("a carry of a strong dtype", lambda: lax.while_loop(lambda c: c[0], lambda c: (True, True), (np.bool_(True), np.float32(0))))
t("lax.add of two dtypes", lambda: lax.add(jnp.int32(1), jnp.float32(1)))
t("lax.mul of size 1", lambda: lax.mul(jnp.ones((2, 1)), jnp.ones((1, 3))))
t("lax.add of two ranks", lambda: lax.add(jnp.ones((2, 3)), jnp.ones(3)))
t("population_count", lambda: lax.population_count(1.5))
t("out", lambda: jnp.sum(x, out=x))
t("out of max", lambda: jnp.max(x, out=x))
t("groups", lambda: jax.vmap(lambda a: lax.psum(a, "i", axis_index_groups=[[0, 1], [2]]), axis_name="i")(jnp.ones(3)))
t("wrap", lambda: jnp.fill_diagonal(x, 0, wrap=True, inplace=False))
t("negative start", lambda: lax.dynamic_slice(v, (-1,), (1,), allow_negative_indices=False))
t("a method of quantile", lambda: jnp.quantile(v, 0.5, method="median"))
t("indices that are floats", lambda: jnp.take(v, jnp.array([0.5])))
t("ldexp of a float", lambda: jnp.ldexp(v, v))
t("kth", lambda: jnp.partition(v, 9))

t("linearize", lambda: (lambda y, f, a: (y, f(1.0), a))(*jax.linearize(lambda a: (a * a, a + 1), 2.0, has_aux=True)))
t("polyfit", lambda: [float(c) for c in jnp.round(jnp.polyfit(jnp.arange(4.0), v, 1, w=v), 3)])
t("polyfit full", lambda: len(jnp.polyfit(jnp.arange(4.0), v, 1, full=True)))
t("polyfit cov", lambda: [a.shape for a in jnp.polyfit(jnp.arange(5.0), jnp.arange(5.0) ** 2, 1, cov=True)])
t("nanquantile", lambda: [jnp.nanquantile(n, 0.4, method=m, keepdims=True)
                          for m in ("linear", "lower", "higher", "nearest", "midpoint")])
t("quantile", lambda: [jnp.quantile(x, jnp.array([0.2, 0.7]), axis=(0, 1), method=m, keepdims=True) for m in ("lower", "midpoint")])
t("nanpercentile", lambda: jnp.nanpercentile(jnp.array([[1.0, jnp.nan], [2.0, 4.0]]), 50, axis=1, keepdims=True))
t("nanmedian", lambda: jnp.nanmedian(jnp.array([[1.0, jnp.nan], [2.0, 4.0]]), axis=1, keepdims=True))
t("nanvar", lambda: jnp.nanvar(jnp.array([1.0, jnp.nan, 3.0, 8.0]), where=jnp.array([True, True, True, False])))
t("var", lambda: (jnp.var(v, mean=jnp.float32(2.0)), jnp.std(v, mean=jnp.float32(0.0)), jnp.var(v, correction=1)))
t("histogram2d", lambda: jnp.histogram2d(v, v, bins=2, weights=v)[0])
t("histogram2d density", lambda: jnp.histogram2d(v, v, bins=2, density=True)[0])
t("extract", lambda: jnp.extract(v > 1, v, size=4, fill_value=-9))
t("compress", lambda: jnp.compress(v > 1, v, size=3, fill_value=-9))
t("intersect1d", lambda: jnp.intersect1d(jnp.array([3, 1, 1]), jnp.array([1, 3, 2]), return_indices=True))
t("sized sets", lambda: [f(jnp.array([1, 2, 3]), jnp.array([3, 4]), size=4, fill_value=-1)
                         for f in (jnp.intersect1d, jnp.setdiff1d, jnp.setxor1d, jnp.union1d)])
t("ravel_multi_index", lambda: [jnp.ravel_multi_index((jnp.array([1]), jnp.array([2])), (3, 4), order=o) for o in "CF"])
t("promote_integers", lambda: jnp.sum(jnp.array([100, 100], jnp.int8), promote_integers=False))
t("logmeanexp", lambda: jax.nn.logmeanexp(v, where=v > 1))
t("standardize", lambda: jax.nn.standardize(v, where=v > 1))
t("np dtypes", lambda: (lax.convert_element_type(v, np.int32), jnp.zeros(1, np.float64).dtype, v.astype(np.uint8)))

# arguments of transforms, attention, linear algebra
f = jax.jit(lambda a: [print("called"), a * 2][1])
f(v), f(v)
with jax.disable_jit():
    t("disable_jit", lambda: (f(v), f(v)))
    t("disable_jit and if", lambda: jax.jit(lambda a: 1 if a > 0 else 2)(3.0))
t("again", lambda: f(v))
t("holomorphic", lambda: jax.grad(lambda a: a, holomorphic=True)(1.0))
t("of integers", lambda: jax.grad(lambda a: 1.0 * a)(1))
q, w = jnp.arange(24.0).reshape(1, 4, 2, 3) / 10, jnp.arange(24.0).reshape(1, 4, 2, 3) / 7
attend = lambda **kw: jnp.round(jax.nn.dot_product_attention(q, w, w, **kw).sum((2, 3)), 3)
t("attention", lambda: attend())
t("attention window", lambda: (attend(local_window_size=1), attend(local_window_size=(0, 2))))
t("attention lengths", lambda: (attend(key_value_seq_lengths=jnp.array([2])), attend(query_seq_lengths=jnp.array([3]))))
a2 = jnp.array([[4.0, 9.0], [1.0, 3.0]])
t("solve pos", lambda: [jnp.round(jax.scipy.linalg.solve(a2, v[:2], lower=l, assume_a="pos"), 4) for l in (True, False)])
t("lu_solve", lambda: [jnp.round(jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(a2), v[:2], trans=k), 4) for k in (0, 1)])
t("unique", lambda: (jnp.unique(jnp.array([jnp.nan, 1.0, jnp.nan])), jnp.unique(jnp.array([jnp.nan, 1.0, jnp.nan]), equal_nan=False)))
t("out of round", lambda: jnp.round(v, out=v))
