# Where there is nothing, no number, or nothing to divide by: the values JAX has there.
import jax
import jax.numpy as jnp

nan, inf = jnp.nan, jnp.inf
x = jnp.arange(12.0).reshape(3, 4)
e = jnp.array([nan, -inf, -1.0, 0.0, 1.0, 7.0, inf])


def t(name, f):
    try:
        print(name, repr(f()))
    except Exception as e:
        print(name, type(e).__name__)


t("relu", lambda: (jax.nn.relu(e), jax.nn.relu6(e), jax.nn.hard_tanh(e)))
t("relu grads", lambda: (jax.vmap(jax.grad(jax.nn.relu))(e), jax.vmap(jax.grad(jax.nn.relu6))(e)))
t("elu grads", lambda: jax.vmap(jax.grad(jax.nn.elu))(jnp.array([-1.0, 0.0, 1.0, 100.0, 1000.0])))
t("heaviside", lambda: (jnp.heaviside(e, 0.5), jnp.heaviside(jnp.array([0, 1, -1]), 2)))
t("trace", lambda: (jnp.trace(x, 1), jnp.trace(x, -1), x.trace(1), jnp.trace(x, dtype=jnp.int32)))
t("trace of 3", lambda: jnp.trace(jnp.arange(24.0).reshape(2, 3, 4), 1, 1, 2))
t("any of nan", lambda: (jnp.any(jnp.array([nan, 0.0])), jnp.all(jnp.array([nan]))))
t("median of nothing", lambda: jnp.median(jnp.zeros((0,))))
t("quantile of nothing", lambda: jnp.quantile(jnp.zeros((2, 0)), 0.5, axis=1))
t("max of nothing", lambda: jnp.max(jnp.zeros((0, 2)), axis=0))
t("var of one", lambda: (jnp.var(jnp.ones(1), ddof=1), jnp.nanstd(jnp.array([1.0, nan]), ddof=1)))
t("nan extremes", lambda: (jnp.nanmax(jnp.array([nan, nan])), jnp.nanmin(jnp.array([2, 1], jnp.int8))))
t("nan places", lambda: (jnp.nanargmax(jnp.array([nan, 3.0, 1.0])), jnp.nanargmin(jnp.array([nan, nan]))))
t("nan running", lambda: (jnp.nancumsum(jnp.array([1.0, nan, 2.0])), jnp.nancumprod(jnp.array([3.0, nan, 2.0]))))
t("integer zero", lambda: [jnp.array([5, 0, -5]) // jnp.array([0, 0, 0]), jnp.array([5, 0, -5]) % jnp.array([0, 0, 0])])
t("lax integer zero", lambda: [jax.lax.div(jnp.array([5, 0, -5]), jnp.array([0, 0, 0]))])
t("float zero", lambda: [jnp.array([1.0, 0.0, -1.0]) // 0.0, jnp.array([1.0, 0.0]) % 0.0, jnp.array([2.0]) % jnp.array([0])])
t("negative power", lambda: jnp.array([2]) ** -1)
t("unwrap", lambda: (jnp.unwrap(jnp.array([7, 1, 0], jnp.uint8)), jnp.unwrap(jnp.array([0.0, 4.0, 8.0, 1.0]))))
t("gcd", lambda: jnp.gcd(jnp.array([1.0]), jnp.array([inf])))
t("square of bool", lambda: jnp.square(jnp.array([True, False])))
t("sinc", lambda: [jax.grad(jax.grad(jnp.sinc))(v) for v in (0.0, 0.5)])
t("sinc 4", lambda: jax.grad(jax.grad(jax.grad(jax.grad(jnp.sinc))))(0.0))
t("cbrt", lambda: jnp.cbrt(jnp.array([8.0, -27.0, inf, -inf, 0.0])))
t("nextafter", lambda: (jnp.nextafter(jnp.float16(1), jnp.float16(2)), jnp.nextafter(jnp.zeros(2), jnp.array([-1.0, 1.0])), jnp.nextafter(jnp.ones(1), nan)))
t("spacing", lambda: jnp.spacing(jnp.array([1.0, -2.0, inf])))
t("copysign", lambda: jnp.copysign(jnp.float16(1), jnp.array([-1.0, 2.0])))
t("xlogy", lambda: (jax.scipy.special.xlogy(jnp.zeros(2), jnp.array([nan, 0.0])), jax.grad(jax.scipy.special.xlogy)(0.0, 3.0)))
t("digamma", lambda: jax.scipy.special.digamma(jnp.array([0.5, 2.0])))
t("reduce_precision", lambda: jax.lax.reduce_precision(jnp.array([1.1, 7e4, 1e-9, nan, -inf]), 5, 3))

# order
t("sort down", lambda: (jnp.sort(e, descending=True), jnp.argsort(e, descending=True)))
t("top_k", lambda: jax.lax.top_k(e, 2))
t("ties down", lambda: jnp.argsort(jnp.array([1, 2, 1, 2]), descending=True))
t("searchsorted", lambda: (jnp.searchsorted(jnp.array([1.0, 2.0]), nan), jnp.digitize(nan, jnp.array([1.0, 2.0]))))
t("partition", lambda: (jnp.partition(jnp.array([5, 1, 4, 0, 3]), 2), jnp.argpartition(jnp.array([5, 1, 4, 0, 3]), 2)))

# outside
t("take", lambda: (jnp.take(x, jnp.array([0, 5, -1]), axis=-1), jnp.take(x, 7, axis=0)))
t("take of ints", lambda: (jnp.take(jnp.array([1, 2]), 5), jnp.take(jnp.array([1, 2], jnp.uint8), 5)))
t("take in jit", lambda: jax.jit(lambda a, i: jnp.take(a, i, axis=-1))(x, jnp.array([0, 9])))
t("take modes", lambda: [jnp.take(x, jnp.array([5, -9]), axis=1, mode=m) for m in ("clip", "wrap", "fill")])
t("take fill", lambda: jnp.take(x[0], jnp.array([1, 9]), mode="fill", fill_value=-1.0))
t("along", lambda: jnp.take_along_axis(x, jnp.array([[9], [0], [-1]]), axis=1))
t("along fill", lambda: jnp.take_along_axis(x, jnp.array([[9], [0], [-1]]), 1, mode="fill", fill_value=-7))
t("compress", lambda: jnp.compress(jnp.array([True, False, True, True]), jnp.array([1.0, 2.0])))
t("segments", lambda: jax.ops.segment_sum(jnp.ones(3), jnp.array([0, -1, 1]), 3))
t("piecewise", lambda: jnp.piecewise(x[0], [x[0] >= 0, x[0] > 1], [1.0, lambda v: v * 10]))

# at
for key in (slice(-4, None, -1), slice(None, None, -2), slice(1, 3, -1), slice(3, 0, -2), slice(9, None, -1), slice(2, 2)):
    t(f"at {key}", lambda: x[0].at[key].set(-1.0))
t("at of ints", lambda: (jnp.array([-3, 2]).at[:].add(1.5), jnp.array([3, 2]).at[0].multiply(0.5)))
t("diagonal", lambda: jnp.diagonal(jnp.arange(24).reshape(2, 3, 4), 1, 2, 0))
t("cov", lambda: jnp.cov(x, fweights=jnp.array([1, 2, 1, 1]), aweights=jnp.array([0.5, 1.0, 1.0, 1.0])))
t("trapezoid", lambda: jnp.trapezoid(jnp.array([1.0, 3.0, 4.0]), dx=jnp.array([1.0, 2.0])))
t("convolve", lambda: jnp.convolve(jnp.array([1, 2, 3]), jnp.array([1, 1])))
t("softmax of nothing", lambda: jax.nn.softmax(jnp.ones(2), where=jnp.array([False, False])))
t("lists", lambda: jnp.sum([1, 2]))
t("lists too", lambda: jnp.sin([1.0]))
t("a list of lists", lambda: jnp.concatenate([[1, 2], [3]]))
t("equal", lambda: jnp.array_equal([1, 2], [1, 2]))
