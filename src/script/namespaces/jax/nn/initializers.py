# jax.nn.initializers -- functions of (key, shape, dtype) that make parameters.
import _jax as _w
from jax import random as _random


def zeros(key, shape, dtype=float):
    return _w.full(shape, 0, dtype)


def ones(key, shape, dtype=float):
    return _w.full(shape, 1, dtype)


def constant(value, dtype=float):
    return lambda key, shape, dtype=dtype: _w.cast(_w.full(shape, value), dtype)


def uniform(scale=1e-2, dtype=float):
    return lambda key, shape, dtype=dtype: _random.uniform(key, shape, dtype) * scale


def normal(stddev=1e-2, dtype=float):
    return lambda key, shape, dtype=dtype: _random.normal(key, shape, dtype) * stddev


def truncated_normal(stddev=1e-2, dtype=float, lower=-2.0, upper=2.0):
    def init(key, shape, dtype=dtype):
        return _random.truncated_normal(key, lower, upper, shape, dtype) * stddev
    return init


def _fans(shape, in_axis, out_axis, batch_axis):
    if len(shape) <= 1:
        raise ValueError("Can't compute input and output sizes of a "
                         f"{len(shape)}-dimensional weights tensor. Must be at least 2D.")
    n = len(shape)

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
        else:
            raise ValueError(f"invalid mode for variance scaling initializer: {mode}")
        variance = scale / denominator
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
        rows //= n
        tall = (rows, n) if rows >= n else (n, rows)
        q, r = qr(_random.normal(key, tall, dtype))
        q = q * _w.sign(_w.diagonal(r, 0))
        q = _w.permute(q) if rows < n else q
        return scale * _w.move_axis(_w.reshape(q, tuple([d for i, d in enumerate(shape) if i != column_axis % len(shape)]) + (n,)), -1, column_axis)
    return init


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=float):
    raise NotImplementedError("jax.nn.initializers.delta_orthogonal")
