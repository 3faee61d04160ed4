# jax.scipy.fft -- cosine transforms of the second type, by the Fourier transform of the signal and its mirror image.
import _jax as _w
import jax.numpy as _jnp

_pi = 3.141592653589793


def _check(what, type, norm):
    if type != 2:
        raise NotImplementedError(f"Only {what} type 2 is implemented.")
    if norm not in (None, "backward", "ortho"):
        raise ValueError(f"jax.scipy.fft.{what.lower()}: norm={norm!r} is not implemented")


def _real(x):
    x = _jnp.asarray(x)
    return x if x.dtype.is_inexact else _w.cast(x, _jnp.result_type(float))


def _sized(x, n, axis):
    # n elements along axis: cut off, or zeros behind
    if n is None or n == x.shape[axis]:
        return x
    if n < x.shape[axis]:
        return _w.narrow(x, axis, 0, n)
    hi = [0] * len(x.shape)
    hi[axis] = n - x.shape[axis]
    return _w.pad(x, [0] * len(x.shape), hi)


def _turns(n, sign, d):
    at = sign * _pi / (2 * n) * _w.arange(0.0, float(n), 1.0)
    return _w.cast(_w.complex(_w.cos(at), _w.sin(at)), _w.complex128 if d == _w.float64 else _w.complex64)


def _scales(n, d):
    return _w.cast(_w.where(_w.eq(_w.arange(0, n), 0), (4 * n) ** -0.5, (2 * n) ** -0.5), d)


def _both(f, x, *args):
    return _w.complex(f(_w.real(x), *args), f(_w.imag(x), *args))


def dct(x, type=2, n=None, axis=-1, norm=None):
    _check("DCT", type, norm)
    x = _real(x)
    if x.dtype.is_complex:
        return _both(dct, x, type, n, axis, norm)
    axis = axis % len(x.shape)
    x = _jnp.moveaxis(_sized(x, n, axis), axis, -1)
    n = x.shape[-1]
    spectrum = _jnp.fft.rfft(_w.concat([x, _w.flip(x, -1)], -1))[..., :n]
    y = _w.real(spectrum * _turns(n, -1, x.dtype))
    if norm == "ortho":
        y = y * _scales(n, y.dtype)
    return _jnp.moveaxis(_w.cast(y, x.dtype), -1, axis)


def idct(x, type=2, n=None, axis=-1, norm=None):
    _check("IDCT", type, norm)
    x = _real(x)
    if x.dtype.is_complex:
        return _both(idct, x, type, n, axis, norm)
    axis = axis % len(x.shape)
    x = _jnp.moveaxis(_sized(x, n, axis), axis, -1)
    n = x.shape[-1]
    y = x / _scales(n, x.dtype) if norm == "ortho" else x
    spectrum = y * _turns(n, 1, x.dtype)
    spectrum = _w.concat([spectrum, _w.zeros_like(spectrum[..., :1])], -1)
    return _jnp.moveaxis(_w.cast(_jnp.fft.irfft(spectrum, 2 * n)[..., :n], x.dtype), -1, axis)


def _over(f, x, type, s, axes, norm):
    x = _real(x)
    if s is not None and len(s) > len(x.shape):
        raise ValueError(f"s must have at most x.ndim ({len(x.shape)}) elements, got {len(s)}.")
    if axes is None:
        axes = range(len(x.shape) - len(s), len(x.shape)) if s is not None else range(len(x.shape))
    sizes = [None] * len(axes) if s is None else s
    if len(sizes) != len(axes):
        raise ValueError("s and axes must have the same length")
    for a, n in zip(axes, sizes):
        x = f(x, type, n, a, norm)
    return x


def dctn(x, type=2, s=None, axes=None, norm=None):
    return _over(dct, x, type, s, axes, norm)


def idctn(x, type=2, s=None, axes=None, norm=None):
    return _over(idct, x, type, s, axes, norm)
