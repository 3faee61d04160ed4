# lax takes exact types: which dtypes an operation has, what it gives, and what it refuses.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

vals = {"i": 1, "f": 0.5, "c": 0.5j, "b": True, "I": jnp.int32(3), "I8": jnp.int8(1), "F": jnp.float32(0.5), "C": jnp.complex64(0.5),
        "wI": jnp.asarray(3), "F16": jnp.float16(0.5), "U": jnp.uint8(1), "np64": np.float64(2.0), "npa": np.arange(3)}


def kind(f, *xs):
    try:
        y = f(*xs)
        return f"{y.dtype}{'w' if y.aval.weak_type else ''}"
    except Exception as e:
        return type(e).__name__


def t(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(name, type(e).__name__)


one = """neg abs sign exp exp2 expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt rsqrt cbrt square logistic
    erf erfc erf_inv floor ceil round is_finite population_count clz lgamma digamma real imag conj bitwise_not reciprocal bessel_i0e
    bessel_i1e""".split()
for n in one:
    print(n, *[f"{v}:{kind(getattr(lax, n), vals[v])}" for v in vals])
two = """add sub mul div rem max min eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor shift_left shift_right_logical
    shift_right_arithmetic pow atan2 nextafter igamma igammac zeta polygamma complex mulhi""".split()
for n in two:
    print(n, *[f"{v}:{kind(getattr(lax, n), vals[v], vals[v])}" for v in vals])
for n in ("add", "lt", "max"):
    for v in vals:
        print(n, v, *[f"{u}:{kind(getattr(lax, n), vals[v], vals[u])}" for u in vals])

# ---- shapes and indices

x = jnp.arange(12.0).reshape(3, 4)
t("broadcast rank", lambda: lax.broadcast_in_dim(x, (4,), (0, 1)))
t("broadcast axis", lambda: lax.broadcast_in_dim(jnp.ones(2), (2, 3), (2,)))
t("broadcast size", lambda: lax.broadcast_in_dim(jnp.ones(2), (3,), (0,)))
t("broadcast twice", lambda: lax.broadcast_in_dim(jnp.ones((2, 2)), (2, 2), (0, 0)))
t("broadcast turned", lambda: lax.broadcast_in_dim(x, (4, 3), (1, 0)))
t("squeeze twice", lambda: lax.squeeze(jnp.ones((1, 2)), (0, 0)))
t("squeeze beyond", lambda: lax.squeeze(x, (3,)))
t("squeeze None", lambda: lax.squeeze(x, (None,)))
t("squeeze 3", lambda: lax.squeeze(x, (0,)))
t("split", lambda: lax.split(x, [-1, 4]))
t("split sum", lambda: lax.split(x, [1, 1]))
t("split axis", lambda: lax.split(x, [], axis=2))
t("pad array", lambda: lax.pad(x, jnp.ones(2), [(0, 0, 0)] * 2))
t("pad rank", lambda: lax.pad(x, 0.0, [(0, 0, 0)]))
t("pad inside", lambda: lax.pad(x, 0.0, [(0, 0, -1)] * 2))
t("pad away", lambda: lax.pad(x, 0.0, [(-4, 0, 0), (0, 0, 0)]))
t("pad dtype", lambda: lax.pad(x, 0, [(0, 0, 0)] * 2))
t("slice dtypes", lambda: lax.dynamic_slice(x, (np.int32(1), np.int16(2)), (2, 2)))
t("slice rank", lambda: lax.dynamic_slice(x, (0,), (2, 2)))
t("slice size", lambda: lax.dynamic_slice(x, (0, 0), (2, -2)))
t("update dtypes", lambda: lax.dynamic_update_slice(x, jnp.ones((1, 1), int), (0, 0)))
t("update rank", lambda: lax.dynamic_update_slice(x, jnp.ones(1), (0, 0)))
t("update size", lambda: lax.dynamic_update_slice(x, jnp.ones((5, 1)), (0, 0)))
t("unsigned start", lambda: lax.dynamic_slice(jnp.arange(200), [np.uint8(150)], [1]))
t("argmax dtype", lambda: lax.argmax(x, 0, jnp.float32))
t("argmin empty", lambda: lax.argmin(jnp.ones((0, 2)), 0, jnp.int32))
t("clamp", lambda: lax.clamp(1, 2.0, 3))
t("clamp shape", lambda: lax.clamp(jnp.ones(3), x, 3.0))
t("select", lambda: lax.select(True, 1, 1.0))
t("select number", lambda: lax.select(1, 1, 2))
t("select_n float", lambda: lax.select_n(jnp.float32(1), 1, 2))
t("select shape", lambda: lax.select(jnp.ones(3, bool), x, x))
t("index_take", lambda: lax.index_take(x, (np.array([0, 2]), np.array([1, -1])), (0, 1)))
t("shape_as_value", lambda: lax.shape_as_value((2, 3)))

# ---- products

P = lax.DotAlgorithmPreset
a, b = (jnp.arange(12).reshape(3, 4) / 7).astype("float16"), (jnp.arange(12).reshape(4, 3) / 3).astype("float16")
for p in list(P) + ["F32_F32_F32", "foo", lax.Precision.HIGH]:
    for out in (None, "float32"):
        t(f"{p} {out}", lambda: [(z.dtype, float(z[1, 2])) for z in [lax.dot(a, b, precision=p, preferred_element_type=out)]])
t("dot of three", lambda: lax.dot(x, x, 1))
t("dot of 3 and 4", lambda: lax.dot(jnp.ones(3), jnp.ones(4)))
t("dot of axes", lambda: lax.dot_general(jnp.ones(3), jnp.ones(3), (((1,), (0,)), ((), ()))))
t("dot of both", lambda: lax.dot_general(jnp.ones((3, 3)), jnp.ones((3, 3)), (((1,), (0,)), ((1,), (1,)))))
t("batch_matmul", lambda: lax.batch_matmul(jnp.ones(3), jnp.ones(3)))
t("dot of bools", lambda: lax.dot(jnp.array([True, False]), jnp.array([True, True])))
k = jnp.arange(6, dtype=jnp.int16).reshape(2, 3)
t("dot of int16", lambda: (lax.dot(k, k.T, preferred_element_type=jnp.int32), lax.dot(k, k.T, preferred_element_type=jnp.float32)))
N = lax.RaggedDotDimensionNumbers


def ragged(l, r, s, n):
    l, r = jnp.sin(jnp.arange(float(np.prod(l)))).reshape(l), jnp.cos(jnp.arange(float(np.prod(r)))).reshape(r)
    z = lax.ragged_dot_general(l, r, jnp.asarray(s), n)
    return z.shape, [round(float(v), 3) for v in z.sum(axis=tuple(range(1, z.ndim)))]


t("rows", lambda: ragged((11, 5), (3, 5, 7), [2, 4, 3], N((([1], [1]), ([], [])), [0], [0])))
t("contracted", lambda: ragged((11, 5), (5, 7), [1, 2, 1], N((([1], [0]), ([], [])), [1], [])))
t("batch", lambda: ragged((2, 11, 5), (2, 5, 7), [[1, 2, 1], [0, 3, 2]], N((([2], [1]), ([0], [0])), [2], [])))
t("batch rows", lambda: ragged((2, 11, 5), (3, 2, 5, 7), [[5, 2, 1], [0, 3, 2]], N((([2], [2]), ([0], [1])), [1], [0])))
t("two ragged", lambda: ragged((11, 5), (3, 5, 7), [3], N((([1], [1]), ([], [])), [0, 1], [0])))
t("group size", lambda: ragged((11, 5), (3, 5, 7), [2, 1], N((([1], [1]), ([], [])), [0], [0])))

# ---- reductions and windows

tree = {"x": [jnp.ones(5), jnp.arange(5)]}
t("reduce of a tree", lambda: lax.reduce(tree, {"x": [0.0, 0]}, lambda p, q: jax.tree.map(lax.add, p, q), [0]))
t("other tree", lambda: lax.reduce({"x": x}, {"y": 0.0}, lambda p, q: p, [0]))
t("init array", lambda: lax.reduce(x, jnp.ones(3), lax.add, [0]))
t("axis twice", lambda: lax.reduce(x, 0.0, lax.add, (0, 0)))
t("max from 5", lambda: lax.reduce(x, 5.0, lax.max, (0,)))
t("sum", lambda: lax.reduce(x, 0.0, lax.add, (0, 1)))
both = lambda p, q: (p[0] + q[0], lax.max(p[1], q[1]))
t("windows of two", lambda: lax.reduce_window((x, -x), (0.0, -jnp.inf), both, (2, 2), (1, 2), "VALID"))
t("window of 0", lambda: lax.reduce_window(x, 0.0, lax.add, (0, 1), (1, 1), "VALID"))
t("stride of 0", lambda: lax.reduce_window(x, 0.0, lax.add, (1, 1), (1, 0), "VALID"))
t("init of one", lambda: lax.reduce_window(x, jnp.zeros(1), lax.max, (2, 2), (2, 2), "VALID"))
t("window's tree", lambda: lax.reduce_window(x, 0.0, lambda p, q: [p + q], (1, 1), (1, 1), "VALID"))
img = jnp.arange(16.0).reshape(1, 1, 4, 4)
t("conv ranks", lambda: lax.conv_general_dilated(img, jnp.ones((1, 1, 2)), (1, 1), "VALID"))
t("conv strides", lambda: lax.conv(img, jnp.ones((1, 1, 2, 2)), [1], "SAME"))
t("conv padding", lambda: lax.conv_general_dilated(img, jnp.ones((1, 1, 2, 2)), (1, 1), (3, 3)))
t("conv local", lambda: lax.conv_general_dilated_local(img, jnp.cos(jnp.arange(36.0)).reshape(1, 4, 3, 3), (1, 1), "VALID", (2, 2)))
h = jnp.arange(8.0).reshape(1, 8, 1)
t("consistent", lambda: lax.conv_transpose(h, jnp.arange(3.0).reshape(3, 1, 1), (2,), [(1, 0)], use_consistent_padding=True).ravel())

# ---- bits

u = jnp.array([[1, 258], [65536, 4278190081]], jnp.uint32)
t("to bytes", lambda: lax.bitcast_convert_type(u, jnp.uint8).tolist())
t("of bytes", lambda: lax.bitcast_convert_type(lax.bitcast_convert_type(u, jnp.uint8), jnp.float32).tolist())
t("to halves", lambda: lax.bitcast_convert_type(jnp.float32(1.5), jnp.uint16))
t("to bool", lambda: lax.bitcast_convert_type(u, jnp.bool_))
t("view", lambda: (jnp.arange(4, dtype=jnp.uint8).view(jnp.uint32), jnp.arange(2.0).view(jnp.uint8), jnp.arange(4.0).view(jnp.complex64)))
t("odd view", lambda: jnp.arange(3, dtype=jnp.uint8).view(jnp.uint16))
t("mulhi", lambda: (lax.mulhi(jnp.uint32(4000000000), jnp.uint32(3000000000)), lax.mulhi(jnp.int8(-100), jnp.int8(77))))
for d in ("float16", "bfloat16", "float32"):
    y = jnp.array([3.14159, 1e-3, 70000.0, -0.1, jnp.inf, jnp.nan], d)
    t(d, lambda: [lax.reduce_precision(y, e, m).tolist() for e, m in ((8, 7), (5, 10), (4, 3))])
t("cotangents", lambda: jax.vjp(lambda v: lax.reduce_precision(v, 8, 7), jnp.pi)[1](jnp.pi))
t("tangents", lambda: jax.jvp(lambda v: lax.reduce_precision(v, 8, 7), (jnp.pi,), (jnp.pi,)))
