# jax.lax: operations by themselves, control flow, windows.
import jax
import jax.numpy as jnp
from jax import lax


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

show(lax.scan(lambda c, t: (c + t, c * t), 0.0, v), lax.scan(lambda c, _: (c + 1, None), 0, None, length=3))
show(lax.scan(lambda c, t: (c + t, c), 0.0, v, reverse=True))
show(lax.while_loop(lambda s: s < 10, lambda s: s * 2, 1), lax.fori_loop(0, 4, lambda j, s: s + j, 0))
show(lax.fori_loop(0, 4, lambda j, s: s + v[j], 0.0), lax.cond(True, lambda t: t + 1, lambda t: t - 1, v))
show(lax.switch(1, [jnp.sin, jnp.cos], 0.5))
show(lax.map(lambda t: t * 2, v), lax.associative_scan(jnp.add, v), lax.cumsum(v), lax.cumprod(v))
show(lax.cummax(v), lax.cumlogsumexp(v))
show(lax.add(1.0, 2.0), lax.mul(v, v), lax.sub(2, 1), lax.div(7, 2), lax.rem(-7, 3), lax.max(1.0, 2.0))
show(lax.pow(2.0, 3.0), lax.integer_pow(2.0, 3), lax.sqrt(4.0), lax.rsqrt(4.0), lax.exp(0.0))
show(lax.select(b, i, -i), lax.clamp(1.5, v, 2.5), lax.clamp(2, i, 3), lax.convert_element_type(v, jnp.int32))
show(lax.bitcast_convert_type(jnp.float32(1.0), jnp.uint32), lax.iota(jnp.float32, 3))
show(lax.top_k(v, 2), lax.sort(v), lax.argmax(v, 0, jnp.int32), lax.reduce_sum(x, (0,)))
show(lax.reduce(v, 0.0, lax.add, (0,)), lax.reduce_max(x, (1,)), lax.sort_key_val(i, v))
show(lax.dynamic_slice(v, (1,), (2,)), lax.dynamic_update_slice(v, jnp.zeros(2), (3,)))
show(lax.dynamic_index_in_dim(x, 1, 0), lax.slice(v, (1,), (3,)), lax.pad(v, 0.0, [(1, 1, 1)]))
show(lax.rev(v, (0,)), lax.concatenate([v, v], 0), lax.broadcast(v, (2,)))
show(lax.broadcast_in_dim(v, (2, 4), (1,)), lax.reshape(x, (3, 2)), lax.transpose(x, (1, 0)))
show(lax.squeeze(x[None], (0,)), lax.expand_dims(v, (0,)), lax.collapse(x, 0))
show(lax.dot(x, x.T), lax.dot_general(x, x, (((1,), (1,)), ((), ()))), lax.batch_matmul(x[None], x.T[None]))
show(lax.population_count(i), lax.clz(i), lax.shift_left(i, i), lax.bitwise_and(i, i), lax.bitwise_not(i))
show(lax.is_finite(v), lax.erf(v), lax.erf_inv(v / 4), lax.lgamma(v), lax.digamma(v), lax.round(v / 2))
show(lax.sign(v), lax.floor(v / 2), lax.atan2(v, v), lax.nextafter(1.0, 2.0), lax.logistic(v), lax.tanh(v))
show(lax.log1p(v), lax.expm1(v), lax.cbrt(v))
show(lax.conv(jnp.arange(16.0).reshape(1, 1, 4, 4), jnp.ones((1, 1, 2, 2)), (1, 1), "VALID"))
show(lax.reduce_window(v, -jnp.inf, lax.max, (2,), (1,), "VALID"))
show(lax.reduce_window(v, 0.0, lax.add, (2,), (2,), "SAME"))
show(lax.conv_transpose(jnp.arange(4.0).reshape(1, 4, 1), jnp.ones((3, 1, 1)), (2,), "SAME"))
show(lax.gather(v, jnp.array([[1], [3]]), lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,)), (1,)))
show(lax.scatter_add(jnp.zeros(4), jnp.array([[1], [1]]), jnp.array([1.0, 2.0]), lax.ScatterDimensionNumbers((), (0,), (0,))))
