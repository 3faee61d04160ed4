# Floats of 8 bits and integers of 4: stored, cast, computed with op by op; eager and compiled.
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

codes = np.arange(256, dtype=np.uint8)
x = np.concatenate([np.array([0.3, -500.0, 1e-3, 7, np.inf, -np.inf, 1e9, -0.0, 464, 465, -1e-30, 57344, 61439, 61440], np.float32),
                    (np.arange(3000, dtype=np.float32) - 1500) * np.float32(0.37),
                    np.float32(2.0) ** (np.arange(500, dtype=np.float32) / 10 - 25)])
back = np.asarray(codes, np.float32)
for d in (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz, jnp.float8_e8m0fnu):
    widen = jax.jit(lambda c: jax.lax.bitcast_convert_type(c, d).astype(jnp.float32))
    store = jax.jit(lambda v: jax.lax.bitcast_convert_type(v.astype(d), jnp.uint8))
    for turn in range(4):       # compiled, when it has run a few times
        wide, bits = np.asarray(widen(codes)), np.asarray(store(x)).astype(np.int64)
    print(jnp.dtype(d).name, wide.tolist())
    print(bits.sum(), (bits * np.arange(len(bits))).sum(), bits[:14].tolist())
    print(np.asarray(store(np.arange(-500, 500))).astype(np.int64).sum(), np.asarray(store(x.astype(jnp.bfloat16))).astype(np.int64).sum())
    y = jnp.array([1, 2, 4, 2, 1, 4, 8, 8]).astype(d)
    n = np.asarray(y)
    print(repr(y), y.dtype, y.nbytes, repr(n), n.tobytes(), n.dtype, str(n))
    print(y + y, y * 2, y == y, y < y, y / y, y @ y, jnp.sqrt(y), jnp.where(y > 2, y, y), jnp.sort(y), y + 1.5)
    print(n + n, n * 2, n + 1.5, n == n, n.astype(np.float32), y.tolist(), float(y[0]), y.astype(jnp.int32))
    print(jnp.concatenate([y, y])[3:9], y.at[0].set(4), y[::-1], y.reshape(2, 4).T, jnp.take(y, jnp.array([1, 0])))
    print(jax.grad(lambda v: (v.astype(d).astype(jnp.float32) * 3).sum())(jnp.ones(3)), repr(jnp.finfo(d)))
    print(jnp.issubdtype(d, jnp.floating), jnp.issubdtype(d, jnp.integer), jnp.promote_types(d, jnp.int8))
    try:
        y + jnp.ones(8)
    except ValueError as e:
        print(type(e).__name__, str(e)[-140:])
for d in (jnp.int4, jnp.uint4):
    store = jax.jit(lambda v: v.astype(d).astype(jnp.int32))
    for turn in range(4):
        wide, whole = store(x[:200]), store(np.arange(-40, 40))
    print(jnp.dtype(d).name, wide.tolist(), whole.tolist(), jnp.iinfo(d))
    y = jnp.array([1, 2, 3, 2, 1, 5, 6, 7]).astype(d)
    n = np.asarray(y)
    print(repr(y), y.nbytes, repr(n), n.tobytes())
    print(y + y, y * 2, -y, y == y, y < y, y @ y, y >> 1, y & 1, y // y, y / y, jnp.sort(y), y.max(), jnp.where(y > 2, y, 0))
    print(n + n, n * 2, y.tolist(), y[0].item(), jnp.concatenate([y, y])[3:9], y[::-1], y.at[0].set(3))
    try:
        y + jnp.ones(8)
    except ValueError as e:
        print(type(e).__name__, str(e)[-140:])
print(np.array([1.5, 2.5, 300, -9]).astype(ml_dtypes.int4), np.array([1.5, 2.5, 300, -9], dtype=ml_dtypes.float8_e4m3fn))
