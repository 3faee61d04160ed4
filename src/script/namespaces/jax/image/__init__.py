# jax.image -- arrays resized, and scaled and moved, by kernels along each axis.
import enum as _enum
import operator
import _jax as _w
import jax.numpy as _jnp

_pi = 3.141592653589793


class ResizeMethod(_enum.Enum):
    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4
    CUBIC_PYTORCH = 5

    @staticmethod
    def from_string(s):
        names = {"nearest": "NEAREST", "linear": "LINEAR", "bilinear": "LINEAR", "trilinear": "LINEAR", "triangle": "LINEAR",
                 "lanczos3": "LANCZOS3", "lanczos5": "LANCZOS5", "cubic": "CUBIC", "bicubic": "CUBIC", "tricubic": "CUBIC",
                 "cubic-pytorch": "CUBIC_PYTORCH", "bicubic-pytorch": "CUBIC_PYTORCH"}
        if s not in names:
            raise ValueError(f'Unknown resize method "{s}"')
        return ResizeMethod[names[s]]


def _triangle(x):
    return _w.maximum(1 - _w.abs(x), 0.0)


def _lanczos(radius):
    def kernel(x):
        y = radius * _w.sin(_pi * x) * _w.sin(_pi * x / radius)
        safe = _w.where(_w.ne(x, 0), _pi ** 2 * x * x, 1.0)
        y = _w.where(_w.gt(x, 1e-3), y / safe, 1.0)
        return _w.where(_w.gt(x, radius), 0.0, y)
    return kernel


def _cubic(a):
    # Keys' kernel of x >= 0
    def kernel(x):
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return _w.where(_w.ge(x, 2.0), 0.0, _w.where(_w.ge(x, 1.0), far, near))
    return kernel


_kernels = {ResizeMethod.LINEAR: _triangle, ResizeMethod.LANCZOS3: _lanczos(3.0), ResizeMethod.LANCZOS5: _lanczos(5.0),
            ResizeMethod.CUBIC: _cubic(-0.5), ResizeMethod.CUBIC_PYTORCH: _cubic(-0.75)}


def _weights(n, m, scale, shift, kernel, antialias, d, edge):
    # [n, m]: what each of n elements gives to each of m. edge: so many more on both sides count for the outermost.
    back = 1 / scale
    wide = _w.maximum(back, 1.0) if antialias else 1.0
    at = (_w.cast(_w.arange(0, m), d) + 0.5) * back - shift * back - 0.5
    x = _w.abs(_w.expand_dims(at, 0) - _w.expand_dims(_w.cast(_w.arange(-edge, n + edge), d), 1)) / wide
    w = kernel(x)
    if edge:
        w = _w.concat([_w.sum(w[:edge + 1], 0, True), w[edge + 1:n + edge - 1], _w.sum(w[n + edge - 1:], 0, True)], 0) \
            if n > 1 else _w.sum(w, 0, True)
    total = _w.sum(w, 0, True)
    w = _w.where(_w.gt(_w.abs(total), 1000.0 * 1.1920929e-07), w / _w.where(_w.ne(total, 0), total, 1.0), 0.0)
    inside = _w.logical_and(_w.ge(at, -0.5), _w.le(at, n - 0.5))
    return _w.cast(_w.where(_w.expand_dims(inside, 0), w, 0.0), d)


def _floating(x):
    return x if x.dtype.is_inexact else _w.cast(x, _jnp.result_type(float))


def _apply(x, shape, axes, scale, shift, method, antialias, precision):
    d = _jnp.finfo(x.dtype).dtype
    edge = 0
    if method == ResizeMethod.CUBIC_PYTORCH:    # its other kernel, and repeated edges, where nothing is smoothed
        method, edge = (ResizeMethod.CUBIC, 0) if antialias else (method, 2)
    for a, s, t in zip(axes, scale, shift):
        n, m = x.shape[a], shape[a]
        w = _weights(n, m, _w.cast(s, d), _w.cast(t, d), _kernels[method], antialias, d, edge)
        x = _jnp.moveaxis(_jnp.tensordot(x, w, axes=((a,), (0,)), precision=precision), -1, a)
    return x


def scale_and_translate(image, shape, spatial_dims, scale, translation, method, antialias=True, precision="highest"):
    method = ResizeMethod.from_string(method) if isinstance(method, str) else method
    if method == ResizeMethod.NEAREST:
        raise ValueError("Nearest resampling is not currently supported for scale_and_translate.")
    if not isinstance(method, ResizeMethod):
        raise TypeError(f"method must be a str or a ResizeMethod, got {method!r}")
    image = _floating(_jnp.asarray(image))
    if len(shape) != len(image.shape):
        raise ValueError("shape must have length equal to the number of dimensions of x; "
                         f" {shape} vs {tuple(image.shape)}")
    scale, translation = _jnp.asarray(scale), _jnp.asarray(translation)
    at = range(len(spatial_dims))
    return _apply(image, shape, [a % len(shape) for a in spatial_dims], [scale[i] for i in at], [translation[i] for i in at],
                  method, antialias, precision)


def _nearest(image, shape, axes):
    for a in axes:
        n, m = image.shape[a], shape[a]
        at = _w.cast(_w.floor((_w.cast(_w.arange(0, m), _w.float32) + 0.5) * n / m), _w.int32)
        image = _w.take(image, at, a)
    return image


def resize(image, shape, method, antialias=True, precision="highest"):
    method = ResizeMethod.from_string(method) if isinstance(method, str) else method
    image, shape = _jnp.asarray(image), tuple([operator.index(n) for n in shape])
    if len(shape) != len(image.shape):
        raise ValueError("shape must have length equal to the number of dimensions of x; "
                         f" {shape} vs {tuple(image.shape)}")
    axes = [i for i in range(len(shape)) if shape[i] != image.shape[i]]
    if method == ResizeMethod.NEAREST:
        return _nearest(image, shape, axes)
    if not isinstance(method, ResizeMethod):
        raise TypeError(f"method must be a str or a ResizeMethod, got {method!r}")
    image = _floating(image)
    scale = [1.0 if shape[a] == 0 else shape[a] / image.shape[a] for a in axes]
    return _apply(image, shape, axes, scale, [0.0] * len(axes), method, antialias, precision)
