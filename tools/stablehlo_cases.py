"""Programs of JAX as StableHLO text, with the numbers JAX gives: tests/stablehlo/cases.zip.

    python tools/stablehlo_cases.py tests/stablehlo/cases.zip       needs jax and numpy; never needed to build or test

For each case NAME: NAME.mlir, arguments NAME.i0.npy .., results NAME.o0.npy ..; for those with gradients the cotangents are
cos(0.1 k) for element k of each float result, and NAME.g0.npy .. are the gradients by the float arguments, as jax.vjp gives them.
NAME.how: a line "rtol atol", then words: signs (columns may have another sign), abs.
"""
import io
import sys
import zipfile

import jax
import numpy as np

jnp, lax, nn = jax.numpy, jax.lax, jax.nn
R = np.random.default_rng(7)
CASES = {}


def f32(*shape):
    return R.standard_normal(shape).astype("f")


def pos(*shape):
    return np.abs(f32(*shape)) + np.float32(0.5)


def unit(*shape):
    return R.uniform(-0.9, 0.9, shape).astype("f")


def i32(hi, *shape, lo=0):
    return R.integers(lo, hi, shape).astype(np.int32)


def spd(n):
    a = f32(n, n)
    return (a @ a.T + n * np.eye(n)).astype("f")


def case(name, f, *args, grad=True, rtol=2e-5, atol=2e-5, how=""):
    assert name not in CASES, name
    CASES[name] = (f, args, grad, rtol, atol, how)


X, Y, V, W = f32(4, 6), f32(6, 3), f32(5), f32(5)
U, P = unit(4, 6), pos(4, 6)
K = jax.random.PRNGKey(3)
IDX = np.array([2, 0, 3, 3], np.int32)
IMG, KER = f32(2, 3, 8, 8), f32(4, 3, 3, 3)
I, J = i32(9, 3, 5, lo=-9), np.where(i32(2, 3, 5) > 0, 3, -2).astype(np.int32)
U32 = R.integers(0, 2**32, (3, 5), dtype=np.uint64).astype(np.uint32)

# ---- elementwise
for name, f in {"neg": lambda x: -x, "abs": jnp.abs, "sign": jnp.sign, "exp": jnp.exp, "exp2": jnp.exp2, "expm1": jnp.expm1, "sin": jnp.sin,
                "cos": jnp.cos, "tan": jnp.tan, "tanh": jnp.tanh, "sinh": jnp.sinh, "cosh": jnp.cosh, "asinh": jnp.arcsinh, "atan": jnp.arctan,
                "erf": jax.scipy.special.erf, "erfc": jax.scipy.special.erfc, "logistic": nn.sigmoid, "floor": jnp.floor, "ceil": jnp.ceil,
                "round": jnp.round, "round_away": lambda x: lax.round(x * 2) / 2, "trunc": jnp.trunc, "square": jnp.square, "relu": nn.relu,
                "gelu": nn.gelu, "gelu_exact": lambda x: nn.gelu(x, approximate=False), "silu": nn.silu, "softplus": nn.softplus, "elu": nn.elu,
                "selu": nn.selu, "leaky_relu": nn.leaky_relu, "hard_swish": nn.hard_swish, "log_sigmoid": nn.log_sigmoid, "sinc": jnp.sinc,
                "mish": nn.mish, "celu": nn.celu, "relu6": nn.relu6, "soft_sign": nn.soft_sign, "glu": nn.glu, "i0e": jax.scipy.special.i0e,
                "i1": jax.scipy.special.i1, "cube": lambda x: x ** 3, "integer_pow": lambda x: x ** -2, "clip": lambda x: jnp.clip(x, -0.5, 0.7),
                "nan_to_num": jnp.nan_to_num, "isfinite": jnp.isfinite, "signbit": jnp.signbit, "frac": lambda x: jnp.modf(x)[0],
                "bitcast": lambda x: lax.bitcast_convert_type(x, jnp.int32), "to_half": lambda x: x.astype(jnp.float16),
                "to_bf16": lambda x: (x.astype(jnp.bfloat16) * 3).astype(jnp.float32), "to_int": lambda x: (x * 9).astype(jnp.int8),
                "reduce_precision": lambda x: lax.reduce_precision(x, 5, 10), "to_bytes": lambda x: lax.bitcast_convert_type(x, jnp.uint8),
                "from_bytes": lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint16), jnp.float32)}.items():
    case(name, f, X, rtol=1e-2 if name == "to_bf16" else 1e-4 if name in ("i1", "sinc") else 2e-5, grad=name not in ("to_half", "to_bf16", "reduce_precision"))
for name, f in {"asin": jnp.arcsin, "acos": jnp.arccos, "atanh": jnp.arctanh, "erf_inv": jax.scipy.special.erfinv}.items():
    case(name, f, U)
for name, f in {"log": jnp.log, "log1p": jnp.log1p, "log2": jnp.log2, "sqrt": jnp.sqrt, "rsqrt": lax.rsqrt, "cbrt": jnp.cbrt, "acosh": lambda x: jnp.arccosh(x + 1),
                "lgamma": lax.lgamma, "digamma": lax.digamma, "reciprocal": lambda x: 1 / x, "xlogy": lambda x: jax.scipy.special.xlogy(x, x),
                "logit": lambda x: jax.scipy.special.logit(x / 10), "ndtri": lambda x: jax.scipy.special.ndtri(x / 10), "entr": jax.scipy.special.entr,
                "zeta": lambda x: jax.scipy.special.zeta(x + 1.5, 2.0), "polygamma": lambda x: jax.scipy.special.polygamma(1, x), "factorial": jax.scipy.special.factorial}.items():
    case(name, f, P, rtol=2e-4, grad=name not in ("zeta", "polygamma"))
case("igamma", jax.scipy.special.gammainc, P, pos(4, 6), grad=False, rtol=1e-4)
case("betainc", lambda a, b, x: jax.scipy.special.betainc(a, b, x / 10), P, pos(4, 6), pos(4, 6), grad=False, rtol=1e-4)
for name, f in {"add": jnp.add, "sub": jnp.subtract, "mul": jnp.multiply, "div": jnp.divide, "max": jnp.maximum, "min": jnp.minimum, "atan2": jnp.arctan2,
                "hypot": jnp.hypot, "rem": lax.rem, "mod": jnp.mod, "floor_divide": jnp.floor_divide, "nextafter": jnp.nextafter, "copysign": jnp.copysign,
                "logaddexp": jnp.logaddexp, "compare": lambda x, y: (x < y, x <= y, x > y, x >= y, x == y, x != y), "where": lambda x, y: jnp.where(x > y, x, 2 * y),
                "heaviside": jnp.heaviside, "fmax": jnp.fmax}.items():
    case(name, f, X, f32(4, 6), grad=name not in ("floor_divide", "mod", "rem", "nextafter", "copysign"))
case("pow", jnp.power, P, X)
for name, f in {"int_add": jnp.add, "int_div": lax.div, "int_rem": lax.rem, "int_floor": jnp.floor_divide, "int_mod": jnp.mod, "int_max": jnp.maximum,
                "int_bits": lambda a, b: (a & b, a | b, a ^ b, ~a), "int_pow": lambda a, b: a ** 3, "int_divmod": jnp.divmod, "int_gcd": jnp.gcd}.items():
    case(name, f, I, J, grad=False)
case("shifts", lambda a, b: (a << 3, a >> 2, lax.shift_right_logical(a, jnp.int32(3)), lax.shift_right_logical(b, jnp.uint32(5)), b << 7), I, U32, grad=False)
case("popcount", lambda a: (lax.population_count(a), lax.clz(a)), U32, grad=False)
case("bools", lambda a, b: (jnp.logical_and(a, b), jnp.logical_or(a, b), jnp.logical_xor(a, b), jnp.logical_not(a), a + b, a * b, a.astype(jnp.int32) - b), I > 0, J > 0, grad=False)
case("casts", lambda a: (a.astype(jnp.float32), a.astype(jnp.uint8), a.astype(bool), a.astype(jnp.int16), a.astype(jnp.complex64)), I, grad=False)

# ---- shapes
case("reshape", lambda x: x.reshape(3, 8), X)
case("transpose", lambda x: (x.T, jnp.moveaxis(x.reshape(2, 2, 6), 0, 2)), X)
case("broadcast", lambda v: (jnp.broadcast_to(v, (3, 5)), v[:, None] * jnp.ones((5, 4))), V)
case("concat", lambda x: (jnp.concatenate([x, x * 2], 1), jnp.stack([x, -x]), jnp.hstack([x, x])), X)
case("slice", lambda x: (x[1:3, ::2], x[::-1], x[-1], x[:, 1:5:3]), X)
case("pad", lambda x: (jnp.pad(x, 1), lax.pad(x, 2.0, ((1, 0, 2), (-1, 2, 0))), jnp.pad(x, ((1, 2), (0, 1)), mode="reflect"), jnp.pad(x, 1, mode="edge")), X)
case("roll", lambda x: (jnp.roll(x, 2, 1), jnp.flip(x, 0), jnp.rot90(x)), X)
case("tile", lambda x: (jnp.tile(x, (2, 1)), jnp.repeat(x, 3, axis=1)), X)
case("tri", lambda x: (jnp.tril(x), jnp.triu(x, 1), jnp.diag(x[:, :4]), jnp.diagonal(x), jnp.trace(x)), X)
case("eye", lambda x: jnp.eye(4) @ x + jnp.arange(6.0) + jnp.linspace(0, 1, 6), X)
case("split", lambda x: jnp.split(x, 3, axis=1), X)
case("squeeze", lambda x: (jnp.squeeze(x[:1]), jnp.expand_dims(x, (0, 2)), jnp.ravel(x)), X)
case("meshgrid", lambda v: jnp.meshgrid(v, jnp.arange(3.0)), V)
case("kron", lambda x, y: (jnp.kron(x, y), jnp.outer(x[0], y[0]), jnp.vdot(x[:, 0], x[:, 1])), X, f32(2, 2))
case("constants", lambda x: (x + np.arange(24.0, dtype="f").reshape(4, 6), x * np.float32(-np.inf), jnp.array([1, 2, 3]), jnp.array([True, False]), jnp.array([1.5 + 2j])), X, grad=False)
case("big_constant", lambda x: x + R.standard_normal((40, 6)).astype("f").sum(0) + np.sin(np.arange(6 * 400, dtype="f").reshape(400, 6)).sum(0), X)

# ---- reductions, cumulative, sorting
case("sums", lambda x: (x.sum(), x.sum(0), x.mean(1), jnp.prod(x, 1), jnp.var(x, 0), jnp.std(x)), X)
case("extremes", lambda x: (x.max(), x.min(0), jnp.ptp(x, 1), x.argmax(), x.argmin(1), jnp.argmax(x, 0)), X)
case("any_all", lambda x: ((x > 0).any(0), (x > 0).all(1), (x > 0).sum(), jnp.count_nonzero(x > 1)), X)
case("int_argmax", lambda a: (a.argmax(1), a.argmin(0), a.max(0), a.sum(1), a.prod(1)), I, grad=False)
case("logsumexp", lambda x: (nn.logsumexp(x, 1), nn.softmax(x), nn.log_softmax(x, 0), nn.standardize(x)), X)
case("nan_reductions", lambda x: (jnp.nansum(x), jnp.nanmax(x, 0), jnp.nanmean(x)), X)
case("reduce_any_kind", lambda x: (lax.reduce(x, np.float32(0), lambda a, b: a + b + a * b, (1,)), lax.reduce((x, 2 * x), (np.float32(0), np.float32(1)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (0,))), X)
case("reduce_xor", lambda a: (lax.reduce_xor(a, (0,)), lax.reduce_or(a, (1,)), lax.reduce_and(a, (0, 1))), U32, grad=False)
case("cumulative", lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x), lax.cummin(x, reverse=True), lax.cumlogsumexp(x, 1), lax.cumsum(x, reverse=True)), X)
case("associative_scan", lambda x: lax.associative_scan(lambda a, b: a * b + b, x), X)
case("sort", lambda x: (jnp.sort(x), jnp.sort(x, 0, descending=True), jnp.argsort(x, 0), jnp.argsort(x, 1, descending=True)), X)
case("sort_ints", lambda a: (jnp.sort(a), jnp.argsort(a, 0), jnp.sort(a > 0)), I, grad=False)
case("sort_keys", lambda a, x: lax.sort((a, x, 2 * x), dimension=1, num_keys=2), I % 3, f32(3, 5))
case("lexsort", lambda a, b: jnp.lexsort((a[0], b[0])), I % 3, J, grad=False)
case("median", lambda x: (jnp.median(x, 1), jnp.quantile(x, 0.3, axis=0), jnp.percentile(x, 75)), X)
case("top_k", lambda x: lax.top_k(x, 3), X)
case("unique", lambda a: jnp.unique(a, size=6, fill_value=-1), I, grad=False)
case("searchsorted", lambda v: jnp.searchsorted(jnp.arange(-3.0, 3.0), v), V, grad=False)
case("histogram", lambda v: jnp.histogram(v, bins=4, range=(-2, 2)), f32(40), grad=False)
case("bincount", lambda a: jnp.bincount(a, length=5), i32(5, 20), grad=False)
case("interp", lambda v: jnp.interp(v, jnp.arange(-3.0, 4.0), jnp.arange(7.0) ** 2), V)
case("convolve", lambda v, w: (jnp.convolve(v, w), jnp.correlate(v, w, "same")), f32(9), f32(4))
case("polyval", lambda v, x: jnp.polyval(v, x), V, X)
case("digitize", lambda v: jnp.digitize(v, jnp.array([-1.0, 0.0, 1.0])), V, grad=False)

# ---- indexing
case("take", lambda x: (x[IDX], x[IDX, IDX], jnp.take(x, 1, axis=1), jnp.take(x, IDX, axis=1), x[:, IDX]), X)
case("take_dynamic", lambda x, i: (x[i], x[:, i], x[i, i], jnp.take_along_axis(x, i[:, None], 1)), X, IDX)
case("take_negative", lambda x, i: x[i], X, -IDX - 1)
case("take_fill", lambda x: x.at[np.array([1, 9])].get(mode="fill", fill_value=-1), X)
case("take_clip", lambda x, i: jnp.take(x, i, axis=0, mode="clip"), X, IDX * 3)
case("set", lambda x: (x.at[1:3, 2].set(7.0), x.at[0].set(x[1]), x.at[:, ::2].set(0)), X)
case("add_at", lambda x, i: (x.at[i].add(x[:, :1]), x.at[i, i].add(1.0)), X, IDX)
case("other_at", lambda x, i: (x.at[i].multiply(2.0), x.at[i, 1].max(0.5), x.at[i, 2].min(0.1), x.at[i].subtract(1.0), x.at[i].divide(2.0)), X, IDX)
case("power_at", lambda x: x.at[np.array([1, 2])].power(2.0), P)
case("apply_at", lambda x: x.at[np.array([3, 0, 3])].apply(jnp.sin), X, grad=False)
case("drop_at", lambda x: x.at[np.array([1, 9])].set(5.0, mode="drop"), X)
case("clip_at", lambda x, i: x.at[i].set(5.0, mode="clip"), X, IDX * 2)
case("dynamic_slice", lambda x, i: (lax.dynamic_slice(x, (i, 1), (2, 3)), lax.dynamic_update_slice(x, jnp.ones((2, 2)), (i, i)), lax.dynamic_index_in_dim(x, i, 1)), X, np.int32(3))
case("segment_sum", lambda x, i: (jax.ops.segment_sum(x, i, 4), jax.ops.segment_max(x, i, 4)), X, IDX)
case("one_hot", lambda i: (nn.one_hot(i, 4), jnp.eye(4)[i]), IDX, grad=False)
case("embedding", lambda w, i: w[i].sum(1), f32(9, 4), i32(9, 2, 3))
case("boolean_mask", lambda x: (jnp.where(x > 0, x, 0), jnp.nonzero(x > 0, size=5)[0], jnp.extract(x > 0, x, size=4)), X)
case("choose", lambda x, i: jnp.choose(i, [x[0, :4], x[1, :4], x[2, :4], x[3, :4]], mode="clip"), X, IDX)
case("select_n", lambda i, x: lax.select_n(i % 3, x[0, :4], x[1, :4], x[2, :4]), IDX, X)
case("gather_nd", lambda x, i: x[tuple(i.T)], X, np.stack([IDX, IDX], 1))
case("scatter_nd", lambda x, i, u: x.at[i[:, 0], i[:, 1]].set(u), X, np.array([[0, 1], [3, 2], [1, 5]], np.int32), f32(3))

# ---- products
case("matmul", lambda x, y: x @ y, X, Y)
case("einsum", lambda x, y: (jnp.einsum("ij,jk->ki", x, y), jnp.einsum("ij,ij->i", x, x), jnp.einsum("ij->j", x)), X, Y)
case("batched_matmul", lambda a, b: (a @ b, jnp.einsum("bij,bkj->bik", a, jnp.swapaxes(b, 1, 2))), f32(3, 4, 5), f32(3, 5, 2))
case("tensordot", lambda a, b: (jnp.tensordot(a, b, ((1, 2), (2, 0))), jnp.inner(a, a)), f32(2, 3, 4), f32(4, 5, 3))
case("int_matmul", lambda a, b: (a @ b.T, lax.dot(a.astype(jnp.int8), b.T.astype(jnp.int8), preferred_element_type=jnp.int32)), I, J, grad=False)
case("bf16_matmul", lambda x, y: jnp.matmul(x.astype(jnp.bfloat16), y.astype(jnp.bfloat16), preferred_element_type=jnp.float32), X, Y, grad=False, rtol=1e-3)
case("complex_matmul", lambda x, y: jnp.real((x + 1j * x * 2) @ (y - 1j * y)), X, Y)
case("conv", lambda x, k: lax.conv_general_dilated(x, k, (2, 1), ((1, 2), (0, 1)), rhs_dilation=(1, 2)), IMG, KER, rtol=1e-4, atol=1e-4)
case("conv_nhwc", lambda x, k: lax.conv_general_dilated(x, k, (1, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), f32(2, 7, 7, 3), f32(3, 3, 3, 4), rtol=1e-4, atol=1e-4)
case("conv_transposed", lambda x, k: lax.conv_transpose(x, k.transpose(2, 3, 1, 0), (2, 2), "SAME", dimension_numbers=("NCHW", "HWIO", "NCHW")), IMG, KER, rtol=1e-4, atol=1e-4)
case("conv_groups", lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "VALID", feature_group_count=3), IMG, f32(6, 1, 3, 3), rtol=1e-4, atol=1e-4)
case("conv_batch_groups", lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "VALID", batch_group_count=2), IMG, f32(4, 3, 3, 3), rtol=1e-4, atol=1e-4)
case("conv_1d_3d", lambda x, k, y, m: (lax.conv(x, k, (1,), "SAME"), lax.conv(y, m, (1, 2, 1), "VALID")), f32(2, 3, 9), f32(4, 3, 3), f32(1, 2, 4, 5, 6), f32(3, 2, 2, 2, 2), rtol=1e-4, atol=1e-4)
case("conv_odd_layout", lambda x, k: lax.conv_general_dilated(x, k, (1, 1), ((0, 0), (2, -1)), dimension_numbers=("CWNH", "IOHW", "HNCW")), f32(3, 7, 2, 6), f32(3, 4, 2, 3), rtol=1e-4, atol=1e-4)
case("conv_grad", jax.grad(lambda k, x: jnp.sum(lax.conv(x, k, (1, 1), "SAME") ** 2)), KER, IMG, rtol=1e-4, atol=1e-3)
case("conv_grad_input", jax.grad(lambda x, k: jnp.sum(lax.conv_general_dilated(x, k, (2, 2), "SAME", rhs_dilation=(2, 1)) ** 2)), IMG, KER, rtol=1e-4, atol=1e-3)
case("pools", lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"), lax.reduce_window(x, 0.0, lax.add, (1, 1, 3, 3), (1, 1, 1, 1), "SAME"), lax.reduce_window(x, jnp.inf, lax.min, (1, 1, 3, 2), (1, 1, 2, 1), "SAME")), IMG)
case("pool_product", lambda x: (lax.reduce_window(x, 1.0, lax.mul, (2, 3), (1, 2), "SAME"), lax.reduce_window(x, 0.5, lax.add, (2, 2), (1, 1), ((1, 0), (0, 1)))), X, grad=False)
case("pool_dilated", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 1), ((1, 1), (0, 0)), base_dilation=(1, 2), window_dilation=(2, 1)), X, grad=False)
case("pool_grad", jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "SAME") ** 2)), IMG)
case("avg_pool_grad", jax.grad(lambda x: jnp.sum(jnp.sin(lax.reduce_window(x, 0.0, lax.add, (1, 1, 3, 3), (1, 1, 2, 2), "SAME")))), IMG)

# ---- control flow
case("cond", lambda x, i: lax.cond(i > 0, lambda x: x * 2, lambda x: jnp.sin(x), x), V, np.int32(1))
case("switch", lambda x, i: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), V, np.int32(2))
case("switch_low", lambda x, i: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), V, np.int32(-5))
case("nested_cond", lambda x: lax.cond(x[0] > 0, lambda x: lax.cond(x[1] > 0, jnp.sin, jnp.cos, x), lambda x: x * x.sum(), x), V)
case("while", lambda x: lax.while_loop(lambda c: (c[0] < 10) & (c[1].sum() < 50), lambda c: (c[0] + 1, c[1] * 1.5), (0, jnp.abs(x))), V, grad=False)
case("while_captures", lambda x, y: lax.while_loop(lambda c: jnp.sum(c) < y[0, 0] + 30, lambda c: c * 1.1 + jnp.abs(y[0]), jnp.abs(x[0])), X, P, grad=False)
case("fori", lambda x: lax.fori_loop(0, 5, lambda i, c: c + jnp.sin(x[i % 4]) * i, 0.0), V)
case("fori_dynamic", lambda x, n: lax.fori_loop(0, n, lambda i, c: c * x + i, x), V, np.int32(4), grad=False)
case("scan", lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), x[0], x), X)
case("scan_reverse", lambda x: lax.scan(lambda c, r: (jnp.tanh(c * r), c * 2), x[0], x, reverse=True), X)
case("scan_nothing", lambda x: lax.scan(lambda c, _: (c * 1.1, c), x, None, length=4), V)
case("scan_of_scan", lambda x: lax.scan(lambda c, r: (lax.scan(lambda d, s: (d + jnp.sin(s) * d, d), c, r)[0], c), 1.0, x), X)
case("scan_unrolled", lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c), x[0], x, unroll=3), X)
case("scan_grad", jax.grad(lambda x: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), x[0], x)[1].sum()), X)
case("map", lambda x: lax.map(lambda r: jnp.outer(r, r).sum(0), x), X)
case("while_vmapped", jax.vmap(lambda v: lax.while_loop(lambda c: c < 5, lambda c: c * 1.5 + 0.1, jnp.abs(v))), V, grad=False)
case("cond_vmapped", jax.vmap(lambda v: lax.cond(v > 0, jnp.sin, jnp.exp, v)), V)
case("checkpoint", jax.grad(lambda x: jnp.sum(jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x) ** 2)), X)
case("newton", lambda a: lax.fori_loop(0, 8, lambda i, x: 0.5 * (x + a / x), a), P)


# ---- random draws
for name, f in {"uniform": lambda k: jax.random.uniform(k, (3, 4), minval=-2, maxval=3), "normal": lambda k: jax.random.normal(k, (7,)), "bits": lambda k: jax.random.bits(k, (5,), jnp.uint32),
                "split": lambda k: (jax.random.split(k, 3), jax.random.fold_in(k, 5)), "randint": lambda k: jax.random.randint(k, (9,), -5, 20), "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (12,)),
                "categorical": lambda k: jax.random.categorical(k, jnp.arange(5.0), shape=(8,)), "permutation": lambda k: jax.random.permutation(k, 11), "choice": lambda k: jax.random.choice(k, 10, (4,), replace=False),
                "exponential": lambda k: jax.random.exponential(k, (4,)), "gumbel": lambda k: jax.random.gumbel(k, (4,)), "truncated": lambda k: jax.random.truncated_normal(k, -1, 2, (6,)), "laplace": lambda k: jax.random.laplace(k, (4,)),
                "gamma": lambda k: jax.random.gamma(k, jnp.array([0.5, 2.0, 9.0])), "beta": lambda k: jax.random.beta(k, 2.0, 3.0, (3,)), "poisson": lambda k: jax.random.poisson(k, 3.0, (6,)), "cauchy": lambda k: jax.random.cauchy(k, (3,)),
                "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3)), "multivariate": lambda k: jnp.abs(jax.random.multivariate_normal(k, jnp.zeros(2), jnp.array([[2.0, 0.3], [0.3, 1.0]]), method="cholesky")), "rademacher": lambda k: jax.random.rademacher(k, (5,)),
                "half": lambda k: jax.random.normal(k, (5,), jnp.float16), "bf16": lambda k: jax.random.uniform(k, (5,), jnp.bfloat16).astype(jnp.float32)}.items():
    case("random_" + name, f, np.asarray(K), grad=False, rtol=2e-3 if name == "half" else 1e-4)
case("dropout", lambda k, x: jnp.where(jax.random.bernoulli(k, 0.7, x.shape), x / 0.7, 0), np.asarray(K), X)
case("typed_key", lambda s: jax.random.normal(jax.random.key(s), (3,)), np.int32(7), grad=False)

# ---- linear algebra
SPD, SQ = spd(4), f32(4, 4)
case("cholesky", jnp.linalg.cholesky, SPD, rtol=1e-4)
case("cholesky_fails", jnp.linalg.cholesky, -SPD, grad=False)
case("solve", jnp.linalg.solve, SPD, f32(4, 3), rtol=1e-3)
case("solve_batched", jnp.linalg.solve, np.stack([spd(3), spd(3)]), f32(2, 3, 2), rtol=1e-3)
case("inv", jnp.linalg.inv, SPD, rtol=1e-3)
case("det", lambda a: (jnp.linalg.det(a), jnp.linalg.slogdet(a)), SQ + 2 * np.eye(4, dtype="f"), rtol=1e-3)
case("lu", lambda a: jax.scipy.linalg.lu(a), SQ, rtol=1e-3, grad=False)
case("triangular", lambda a, b: (jax.scipy.linalg.solve_triangular(a, b, lower=True), jax.scipy.linalg.solve_triangular(a, b, trans=1), lax.linalg.triangular_solve(a, b.T, left_side=False, lower=True, unit_diagonal=True)), SPD, f32(4, 3), rtol=1e-3)
case("cho_solve", lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), SPD, f32(4, 2), rtol=1e-3, grad=False)
case("eigh", lambda a: (jnp.linalg.eigh(a)[0], jnp.abs(jnp.linalg.eigh(a)[1])), SPD, rtol=1e-3, atol=1e-3, grad=False)
case("eigvalsh", jnp.linalg.eigvalsh, SPD, rtol=1e-3, atol=1e-3)
case("svd", lambda a: [jnp.abs(t) for t in jnp.linalg.svd(a, full_matrices=False)], X, rtol=1e-3, atol=1e-3, grad=False)
case("singular_values", lambda a: (jnp.linalg.svd(a, compute_uv=False), jnp.linalg.norm(a, 2), jnp.linalg.cond(a[:, :4])), X, rtol=1e-3, grad=False)
case("qr", lambda a: jnp.linalg.qr(a), f32(5, 3), rtol=1e-3, atol=1e-4)
case("qr_wide", lambda a: jnp.linalg.qr(a), f32(3, 5), rtol=1e-3, atol=1e-4, grad=False)
case("qr_full", lambda a: jnp.linalg.qr(a, mode="complete"), f32(4, 3), rtol=1e-3, atol=1e-4, grad=False)
case("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], f32(6, 3), f32(6), rtol=1e-3, atol=1e-3, grad=False)
case("pinv", jnp.linalg.pinv, f32(5, 3), rtol=1e-3, atol=1e-3, grad=False)
case("expm", jax.scipy.linalg.expm, SQ, rtol=1e-3, atol=1e-3, grad=False)
case("matrix_power", lambda a: (jnp.linalg.matrix_power(a, 3), jnp.linalg.norm(a), jnp.linalg.norm(a, axis=1)), SQ, rtol=1e-4)
case("cholesky_f64", lambda a: jnp.linalg.cholesky(a), SPD.astype("d"), rtol=1e-9)

# ---- complex, fft
Z = (f32(3, 4) + 1j * f32(3, 4)).astype(np.complex64)
case("complex_map", lambda z: (jnp.abs(z), jnp.angle(z), jnp.real(z * jnp.exp(z)), jnp.imag(jnp.sqrt(z)), jnp.conj(z) / z, jnp.log(z), z ** 2), Z, grad=False, rtol=1e-4)
case("complex_sums", lambda z: (z.sum(), z.mean(0), jnp.prod(z, 1), jnp.cumsum(z, 0), z == z, jnp.tanh(z), jnp.sin(z)), Z, grad=False, rtol=1e-4)
case("fft", lambda x: (jnp.abs(jnp.fft.fft(x)), jnp.real(jnp.fft.ifft(x * 1j)), jnp.abs(jnp.fft.rfft2(x)), jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.fftshift(x)), X, rtol=1e-4)
case("fft2", lambda z: (jnp.fft.fft2(z), jnp.fft.ifftn(z), jnp.fft.fft(z, axis=0)), Z, grad=False, rtol=1e-4)
case("fft_convolve", lambda a, b: jax.scipy.signal.fftconvolve(a, b), f32(9), f32(4), rtol=1e-4)
case("stft", lambda x: jnp.abs(jax.scipy.signal.stft(x, nperseg=8)[2]), f32(32), rtol=1e-3, atol=1e-4, grad=False)
case("dct", lambda x: jax.scipy.fft.dct(x), f32(8), rtol=1e-4)

# ---- transforms of JAX
mlp_p = (f32(6, 8) * 0.5, f32(8), f32(8, 3) * 0.5, f32(3))
LAB = np.array([0, 2, 1, 1], np.int32)


def mlp(w1, b1, w2, b2, x, y):
    h = nn.gelu(x @ w1 + b1)
    return -jnp.mean(nn.log_softmax(h @ w2 + b2)[jnp.arange(4), y])


case("mlp_loss", mlp, *mlp_p, X, LAB)
case("mlp_grad", jax.grad(mlp, (0, 1, 2, 3)), *mlp_p, X, LAB)
case("mlp_step", lambda *a: [p - 0.1 * g for p, g in zip(a[:4], jax.grad(mlp, (0, 1, 2, 3))(*a))], *mlp_p, X, LAB)
case("hessian", jax.hessian(lambda v: jnp.sum(jnp.sin(v) ** 3 * v[0])), V)
case("jacobian", lambda v: (jax.jacfwd(lambda x: jnp.outer(x, x).sum(0) * x)(v), jax.jacrev(lambda x: jnp.cumsum(x ** 2))(v)), V)
case("jvp", lambda v, w: jax.jvp(lambda x: jnp.exp(x) * jnp.sin(x), (v,), (w,)), V, W)
case("vmap", lambda x, y: jax.vmap(lambda r: jnp.tanh(r @ y))(x), X, Y)
case("vmap_of_grad", jax.vmap(jax.grad(lambda r: jnp.sum(jnp.sin(r) * r[0]))), X)
case("vmap_gather", jax.vmap(lambda r, i: (r[i], r.at[i].set(0.0), lax.dynamic_slice(r, (i,), (2,)))), X, IDX)
case("vmap_random", lambda k: jax.vmap(lambda q: jax.random.normal(q, (2,)))(jax.random.split(k, 3)), np.asarray(K), grad=False)
case("vmap_conv", lambda x, k: jax.vmap(lambda a, b: lax.conv(a[None], b, (1, 1), "SAME"))(x, k), IMG, f32(2, 4, 3, 3, 3), rtol=1e-4, atol=1e-4)
case("vmap_solve", jax.vmap(jnp.linalg.solve), np.stack([spd(3), spd(3)]), f32(2, 3, 1), rtol=1e-3)


@jax.custom_jvp
def twice(x):
    return 2 * x


twice.defjvp(lambda p, t: (twice(p[0]), 5 * t[0]))
case("custom_jvp", lambda x: (twice(x), jax.grad(lambda y: twice(y).sum())(x)), X, grad=False)
case("adam", lambda p, m, v, g: (p - 0.1 * (m * 0.9 + g * 0.1) / (jnp.sqrt(v * 0.99 + g * g * 0.01) + 1e-8), m * 0.9 + g * 0.1), X, X * 0.1, P, f32(4, 6))


# ---- networks
def block(x, wq, wk, wv, wo, w1, w2, g1, g2):
    def norm(t, g):
        return (t - t.mean(-1, keepdims=True)) / jnp.sqrt(t.var(-1, keepdims=True) + 1e-5) * g

    def heads(t):
        return t.reshape(2, 5, 2, 4).transpose(0, 2, 1, 3)
    h = norm(x, g1)
    q, k, v = heads(h @ wq), heads(h @ wk), heads(h @ wv)
    s = jnp.where(jnp.tril(jnp.ones((5, 5), bool)), jnp.einsum("bhqd,bhkd->bhqk", q, k) / 2.0, -1e9)
    a = jnp.einsum("bhqk,bhkd->bhqd", nn.softmax(s), v).transpose(0, 2, 1, 3).reshape(2, 5, 8)
    x = x + a @ wo
    return x + nn.gelu(norm(x, g2) @ w1) @ w2


BLOCK = (f32(2, 5, 8), *(f32(8, 8) * 0.3 for _ in range(4)), f32(8, 16) * 0.3, f32(16, 8) * 0.3, pos(8), pos(8))
case("transformer", block, *BLOCK, rtol=1e-4, atol=1e-4)
case("transformer_grad", jax.grad(lambda *a: jnp.sum(block(*a) ** 2), tuple(range(9))), *BLOCK, rtol=1e-3, atol=1e-3, grad=False)
case("attention", lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True), f32(2, 5, 2, 4), f32(2, 5, 2, 4), f32(2, 5, 2, 4), rtol=1e-4)


def lstm(x, w, u, b):
    def step(c, t):
        h, s = c
        i, f, g, o = jnp.split(t @ w + h @ u + b, 4, -1)
        s = nn.sigmoid(f) * s + nn.sigmoid(i) * jnp.tanh(g)
        h = nn.sigmoid(o) * jnp.tanh(s)
        return (h, s), h
    return lax.scan(step, (jnp.zeros((2, 4)), jnp.zeros((2, 4))), x)[1]


LSTM = (f32(6, 2, 3), f32(3, 16) * 0.5, f32(4, 16) * 0.5, f32(16))
case("lstm", lstm, *LSTM, rtol=1e-4)
case("lstm_grad", jax.grad(lambda *a: jnp.sum(lstm(*a) ** 2), (0, 1, 2, 3)), *LSTM, rtol=1e-4, atol=1e-4, grad=False)


def convnet(x, k1, k2, w):
    h = nn.relu(lax.conv_general_dilated(x, k1, (1, 1), "SAME"))
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    m, v = h.mean((0, 2, 3), keepdims=True), h.var((0, 2, 3), keepdims=True)
    h = nn.relu(lax.conv_general_dilated((h - m) * lax.rsqrt(v + 1e-5), k2, (2, 2), "SAME", feature_group_count=2))
    return h.reshape(2, -1) @ w


NET = (IMG, KER * 0.5, f32(6, 2, 3, 3) * 0.5, f32(24, 5) * 0.3)
case("convnet", convnet, *NET, rtol=1e-4, atol=1e-4)
case("convnet_grad", jax.grad(lambda *a: jnp.sum(nn.log_softmax(convnet(*a))[:, 0]), (1, 2, 3)), *NET, rtol=1e-3, atol=1e-3, grad=False)
case("mixture", lambda x, g, w: jnp.einsum("be,beo->bo", nn.softmax(x @ g), jnp.einsum("bi,eio->beo", x, w)), X, f32(6, 3), f32(3, 6, 2))
case("rope", lambda x: jnp.concatenate([x[..., :2] * jnp.cos(jnp.arange(5.0))[:, None] - x[..., 2:] * jnp.sin(jnp.arange(5.0))[:, None], x[..., 2:]], -1), f32(2, 5, 4))
case("ode", lambda y: jax.experimental.ode.odeint(lambda s, t: -s + jnp.sin(t), y, jnp.array([0.0, 0.5, 1.0])), V, grad=False, rtol=1e-3)
case("top_p", lambda x: jnp.sum(jnp.where(jnp.cumsum(jnp.sort(nn.softmax(x), -1)[:, ::-1], -1) < 0.8, 1, 0), 1), X, grad=False)
case("ctc_like", lambda x: lax.scan(lambda a, e: (nn.logsumexp(jnp.stack([a, jnp.roll(a, 1)]), axis=0) + e, a[0]), x[0], x)[0], X)
case("bn_stats", lambda x, m: (0.9 * m + 0.1 * x.mean((0, 2, 3)), lax.stop_gradient(x) * 2), IMG, f32(3), grad=False)
case("f64", lambda x: (jnp.sin(x) @ jnp.cos(x).T, jnp.cumsum(x)), X.astype("d"), rtol=1e-12, atol=1e-12)
case("empty", lambda x: (x.sum(0), jnp.concatenate([x, x]), x @ jnp.ones((3, 2))), f32(0, 3), grad=False)
case("scalar", lambda x: x * 2 + 1, np.float32(3))
case("many_results", lambda x: {"a": x + 1, "b": (x * 2, [x.sum()])}, X)
case("unused_argument", lambda x, y: x * 2, X, V)


def npy(a):
    f = io.BytesIO()
    a = np.asarray(a)
    np.save(f, a.astype(np.float32) if a.dtype.name == "bfloat16" else a)
    return f.getvalue()


def cotangent(y):
    return np.cos(0.1 * np.arange(y.size)).reshape(y.shape).astype(y.dtype)


def is_float(a):
    return np.asarray(a).dtype.kind == "f"


def write(z, name):
    f, args, grad, rtol, atol, how = CASES[name]
    with jax.enable_x64(any(np.asarray(a).dtype == np.float64 for a in args)):
        low = jax.jit(f, keep_unused=True).lower(*args)
        outs = jax.tree_util.tree_leaves(low.compile()(*args))
        z.writestr(name + ".mlir", low.as_text())
        z.writestr(name + ".how", f"{rtol} {atol} {how}\n")
        for k, a in enumerate(args):
            z.writestr(f"{name}.i{k}.npy", npy(a))
        for k, a in enumerate(outs):
            z.writestr(f"{name}.o{k}.npy", npy(a))
        wrt = [k for k, a in enumerate(args) if is_float(a)]
        if grad and wrt and any(is_float(o) for o in outs):
            def g(*xs):
                full = list(args)
                for k, x in zip(wrt, xs):
                    full[k] = x
                return [t for t in jax.tree_util.tree_leaves(f(*full)) if t.dtype.kind == "f"]
            y, back = jax.vjp(g, *[args[k] for k in wrt])
            for k, a in enumerate(back([cotangent(np.asarray(t)) for t in y])):
                z.writestr(f"{name}.g{k}.npy", npy(a))


def main():
    import jax.experimental.ode  # noqa: F401
    names = sys.argv[2:] or CASES  # named ones are added
    with zipfile.ZipFile(sys.argv[1], "a" if sys.argv[2:] else "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name in names:
            try:
                write(z, name)
            except Exception as e:
                print(name, type(e).__name__, str(e)[:200])
    print(len(CASES), "cases")


main()
