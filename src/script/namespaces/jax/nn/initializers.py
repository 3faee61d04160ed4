# jax.nn.initializers -- functions of (key, shape, dtype) that make parameters.
import _jax as _w
from jax import random as _random
from jax._dtypes import as_dtype as _as_dtype


def zeros(key, shape, dtype=float):
    return _w.full(shape, 0, dtype)


def ones(key, shape, dtype=float):
    return _w.full(shape, 1, dtype)


def _times(x, scale):
    # of the dtype that was asked for, whatever that of the scale
    return x * (scale if isinstance(scale, (int, float)) else _w.cast(scale, x.dtype))


def constant(value, dtype=float):
    return lambda key, shape, dtype=dtype: _w.cast(_w.full(shape, value), dtype)


def uniform(scale=1e-2, dtype=float):
    return lambda key, shape, dtype=dtype: _times(_random.uniform(key, shape, dtype), scale)


def normal(stddev=1e-2, dtype=float):
    return lambda key, shape, dtype=dtype: _times(_random.normal(key, shape, dtype), stddev)


def _complex_uniform(key, shape, dtype):
    # Points of the unit disc.
    real = _w.float64 if dtype == _w.complex128 else _w.float32
    pair = _random.split(key)
    r = _w.sqrt(_random.uniform(pair[0], shape, real))
    angle = 6.283185307179586 * _random.uniform(pair[1], shape, real)
    return _w.complex(r * _w.cos(angle), r * _w.sin(angle))


def _complex_truncated_normal(key, upper, shape, dtype):
    # Normal in the plane, no further out than upper.
    real = _w.float64 if dtype == _w.complex128 else _w.float32
    pair = _random.split(key)
    t = (1 - _w.exp(_w.cast(-(upper ** 2), real))) * _random.uniform(pair[0], shape, real)
    r = _w.sqrt(-_w.log(1 - t))
    angle = 6.283185307179586 * _random.uniform(pair[1], shape, real)
    return _w.complex(r * _w.cos(angle), r * _w.sin(angle))


def truncated_normal(stddev=1e-2, dtype=float, lower=-2.0, upper=2.0):
    def init(key, shape, dtype=dtype):
        return _times(_random.truncated_normal(key, lower, upper, shape, dtype), stddev)
    return init


def _fans(shape, in_axis, out_axis, batch_axis):
    if isinstance(in_axis, int) and in_axis == -2 and len(shape) <= 1:
        raise ValueError(f"Can't compute input and output sizes of a {len(shape)}-dimensional weights tensor with default in_axis. "
                         "Must be at least 2D or specify in_axis explicitly.")

    def product(axes):
        size = 1
        for a in ((axes,) if isinstance(axes, int) else axes):
            size *= shape[a]
        return size

    total = 1
    for d in shape:
        total *= d
    fan_in, fan_out, batch = product(in_axis), product(out_axis), product(batch_axis)
    field = total / fan_in / fan_out / batch
    return fan_in * field, fan_out * field


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(), dtype=float):
    def init(key, shape, dtype=dtype):
        fan_in, fan_out = _fans(shape, in_axis, out_axis, batch_axis)
        if mode == "fan_in":
            denominator = fan_in
        elif mode == "fan_out":
            denominator = fan_out
        elif mode == "fan_avg":
            denominator = (fan_in + fan_out) / 2
        elif mode == "fan_geo_avg":
            denominator = (fan_in * fan_out) ** 0.5
        else:
            raise ValueError(f"invalid mode for variance scaling initializer: {mode}")
        variance = scale / denominator
        d = _as_dtype(dtype)
        if d.is_complex and distribution == "truncated_normal":
            return _complex_truncated_normal(key, 2, shape, d) * (variance ** 0.5 / 0.95311164380491208)
        if d.is_complex and distribution == "uniform":
            return _complex_uniform(key, shape, d) * (2 * variance) ** 0.5
        if distribution == "truncated_normal":
            std = variance ** 0.5 / 0.87962566103423978
            return _random.truncated_normal(key, -2, 2, shape, dtype) * std
        if distribution == "normal":
            return _random.normal(key, shape, dtype) * variance ** 0.5
        if distribution == "uniform":
            return _random.uniform(key, shape, dtype, -1) * (3 * variance) ** 0.5
        raise ValueError(f"invalid distribution for variance scaling initializer: {distribution}")
    return init


def _scaled(scale, mode, distribution):
    def make(in_axis=-2, out_axis=-1, batch_axis=(), dtype=float):
        return variance_scaling(scale, mode, distribution, in_axis, out_axis, batch_axis, dtype)
    return make


glorot_uniform = xavier_uniform = _scaled(1.0, "fan_avg", "uniform")
glorot_normal = xavier_normal = _scaled(1.0, "fan_avg", "truncated_normal")
lecun_uniform = _scaled(1.0, "fan_in", "uniform")
lecun_normal = _scaled(1.0, "fan_in", "truncated_normal")
he_uniform = kaiming_uniform = _scaled(2.0, "fan_in", "uniform")
he_normal = kaiming_normal = _scaled(2.0, "fan_in", "truncated_normal")


def orthogonal(scale=1.0, column_axis=-1, dtype=float):
    def init(key, shape, dtype=dtype):
        from jax.numpy.linalg import qr
        n = shape[column_axis]
        rows = 1
        for d in shape:
            rows *= d
        if rows == 0:
            return _w.full(shape, 0, dtype)
        rows //= n
        tall = (rows, n) if rows >= n else (n, rows)
        q, r = qr(_random.normal(key, tall, dtype))
        q = q * _w.sign(_w.diagonal(r, 0))
        q = _w.permute(q) if rows < n else q
        return scale * _w.move_axis(_w.reshape(q, tuple([d for i, d in enumerate(shape) if i != column_axis % len(shape)]) + (n,)), -1, column_axis)
    return init


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=float):
    # Of convolutions: an orthogonal matrix in the middle of the window, zeros around it.
    def init(key, shape, dtype=dtype):
        if len(shape) not in (3, 4, 5):
            raise ValueError("Delta orthogonal initializer requires a 3D, 4D or 5D shape.")
        if shape[-1] < shape[-2]:
            raise ValueError("`fan_in` must be less or equal than `fan_out`. ")
        q = orthogonal(1.0, column_axis, dtype)(key, (shape[-1], shape[-1]))[:shape[-2], :]
        middle = tuple([(k - 1) // 2 for k in shape[:-2]])
        return _w.full(shape, 0, dtype).at[middle].set(scale * q)
    return init
