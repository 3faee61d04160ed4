# Functions that gave another number than JAX: sizes of unique rows, boundaries of special functions, dtypes under x64.
import jax
import jax.numpy as jnp
import jax.scipy.special as sp
import numpy as np
from jax import flatten_util

nan, inf = jnp.nan, jnp.inf


def t(name, f):
    try:
        r = f()
        print(name, r if not isinstance(r, tuple) else list(r))
    except Exception as e:
        print(name, type(e).__name__)


def near(x):
    return [float("%.4g" % v) for v in np.ravel(x).tolist()]


rows = jnp.array([[1, 2, 3], [1, 2, 3], [0, 2, 3]])
t("rows", lambda: jnp.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True))
t("sized rows", lambda: jnp.unique(rows, axis=0, size=4, return_index=True, return_inverse=True, return_counts=True))
t("filled rows", lambda: jnp.unique(rows, axis=0, size=3, fill_value=-1))
t("fewer rows", lambda: jnp.unique(rows, axis=0, size=1))
t("columns", lambda: jnp.unique(rows, axis=1, size=4))
t("jit rows", lambda: jax.jit(lambda x: jnp.unique(x, axis=0, size=2, return_counts=True))(rows))
t("nan rows", lambda: jnp.unique(jnp.array([[nan, 1.0], [nan, 1.0]]), axis=0))
t("sized", lambda: jnp.unique(jnp.array([3, 1, 3]), size=4, return_index=True, return_counts=True))
t("of nothing", lambda: jnp.unique(jnp.zeros((0, 2)), axis=0, size=1))
t("of nothing, filled", lambda: jnp.unique(jnp.zeros((0, 2)), axis=0, size=1, fill_value=7))
t("lcm", lambda: jnp.lcm(jnp.array([100, 90, 7, -12], jnp.int8), jnp.array([14, 70, 0, 3], jnp.int8)))
a, x = jnp.array([0.0, 0.0, 0.0, 1.0, -1.0, 2.0, 3.0, 3.0]), jnp.array([0.0, 1.0, inf, 0.0, 1.0, nan, inf, 1.5])
t("gammainc", lambda: near(sp.gammainc(a, x)))
t("gammaincc", lambda: near(sp.gammaincc(a, x)))
t("upper tail", lambda: near(sp.gammaincc(jnp.array([1.0, 2.0, 5.0]), jnp.array([50.0, 60.0, 40.0]))))
t("gamma", lambda: near(sp.gamma(jnp.array([-1.0, 0.0, -0.0, -0.5, -1.5, 3.0, inf, -inf]))))
t("rel_entr", lambda: near(sp.rel_entr(jnp.array([1e-30, inf, inf, 1e30, 0.0, 1.0]), jnp.array([inf, inf, 1.0, 1e-30, 1.0, -1.0]))))
t("transposed", lambda: (np.asarray(jax.linear_transpose(jnp.imag, 1j)(1.0)[0]), jax.linear_transpose(lambda z: (5 + 10j) * z, 1 + 0j)(1j)[0]))
m, d = jnp.array([[1 + 1j, 2.0], [3.0, 4j]]), jnp.array([[1.0, 0.0], [2j, 1.0]]) + 0j
t("slogdet", lambda: [complex(np.round(np.asarray(v), 3)) for p in jax.jvp(jnp.linalg.slogdet, (m,), (d,)) for v in p])
t("unravel", lambda: flatten_util.ravel_pytree(jnp.arange(3.0))[1](jnp.arange(3.0) < 1))
t("unravel of two", lambda: flatten_util.ravel_pytree((jnp.arange(3.0), jnp.arange(2)))[1](jnp.arange(5.0) < 1))
t("vecdot", lambda: jnp.vecdot(jnp.arange(8).reshape(2, 2, 2), jnp.arange(4).reshape(2, 2), axis=0, preferred_element_type=jnp.float32))

f = jax.jit(lambda: jnp.array(np.float64(0)))
g = jax.jit(lambda x: x * 2.0)
print(f().dtype, g(np.ones(2)).dtype)
with jax.enable_x64(True):
    print(f().dtype, g(np.ones(2)).dtype)
    wide, whole = jnp.ones(3), jnp.int64(1)
print(f().dtype, g(np.ones(2)).dtype)
print(wide.dtype == jnp.float64, wide.dtype == np.float64, wide.dtype == "float64", wide.dtype == jnp.float32, whole.dtype == jnp.int64)
print(jnp.zeros(2).dtype == jnp.float64, jnp.zeros(2).dtype == float, jnp.zeros(2).dtype == np.float32)
t("round f16", lambda: jnp.round(jnp.array([2.65, -0.55, 1.25, 123.45], jnp.float16), 1))
t("round bf16", lambda: jnp.round(jnp.array([2.65, -0.55, 1.25], jnp.bfloat16), 1))
t("sici", lambda: sp.sici(jnp.array([0.0, inf, -inf])))
