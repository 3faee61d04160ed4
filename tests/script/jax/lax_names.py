# Operations of lax that others are made of.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

x = jnp.arange(6.0).reshape(2, 3)
print(lax.tile(x, (2, 1)).tolist(), [y.tolist() for y in lax.unstack(x, 1)])
print(lax.round(jnp.array([0.5, 1.5, -2.5, 0.49999997, 8388609.0]), lax.RoundingMethod.AWAY_FROM_ZERO),
      lax.round(jnp.array([0.5, 1.5, -2.5]), lax.RoundingMethod.TO_NEAREST_EVEN))
print(lax.fft(x.astype(complex), lax.FftType.FFT, (3,)), lax.fft(x, "RFFT", (3,)).shape, lax.fft(lax.fft(x, "RFFT", (3,)), "IRFFT", (3,)))
dn = lax.ScatterDimensionNumbers(update_window_dims=(), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
print(lax.scatter_sub(jnp.arange(4.0), jnp.array([[1], [1], [3]]), jnp.array([1.0, 2.0, 5.0]), dn))
gn = lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,))
for mode in (None, "clip", "fill", lax.GatherScatterMode.FILL_OR_DROP, lax.GatherScatterMode.CLIP):
    for d in ("float32", "int8", "uint8"):
        print(mode, d, lax.gather(jnp.arange(4).astype(d), jnp.array([[1], [9]]), gn, (1,), mode=mode))
print(lax.GatherScatterMode.from_any("drop"), lax.GatherScatterMode.from_any(None))
print(lax.platform_dependent(x, cpu=lambda v: v + 1, default=lambda v: v - 1)[0],
      jax.jit(lambda v: lax.platform_dependent(v, tpu=lambda v: v + 1, default=lambda v: v - 1))(x)[0])
print(lax.broadcast_to_rank(x, 4).shape, lax.empty((2,), jnp.int32).shape, jnp.s_[1:3, 0], jnp.index_exp[2])
print(jnp.diag_indices_from(jnp.zeros((2, 2)))[0], jnp.kaiser(5, 3.0), [f.__name__ for f in (lax.pmax, lax.pmin)])
