# tensorflow.image -- images [height, width, channels], or a batch of them in front.
import _tf as _w
import numpy as _np
from tensorflow._base import op as _op, as_tensor as _as_tensor, as_operand as _as_operand, ints as _ints, float32 as _float32, uint8 as _uint8
from tensorflow.nn import _windows, _spatial


class ResizeMethod:
    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA, LANCZOS3, LANCZOS5, GAUSSIAN, MITCHELLCUBIC = (
        "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")


def _image(x):
    x = _as_tensor(x)
    if x.ndim not in (3, 4):
        raise ValueError(f"'image' (shape {x.shape}) must have either 3 or 4 dimensions.")
    return x


flip_left_right = _op("flip_left_right")(lambda image: _w.flip(_image(image), [-2]))
flip_up_down = _op("flip_up_down")(lambda image: _w.flip(_image(image), [-3]))
transpose = _op("transpose_image")(lambda image: _w.swap_axes(_image(image), -2, -3))


@_op("rot90")
def rot90(image, k=1):
    x = _image(image)
    for _ in range(k % 4):
        x = _w.flip(_w.swap_axes(x, -2, -3), [-3])
    return x


def _as_float(x):
    return x if x.dtype.is_floating else _w.cast(x, _float32) / float(x.dtype.max)


@_op("convert_image")
def convert_image_dtype(image, dtype, saturate=False):
    x, to = _as_tensor(image), _w.full((1,), 0, dtype).dtype
    if x.dtype == to:
        return x
    if x.dtype.is_floating and to.is_floating:
        return _w.cast(x, to)
    if x.dtype.is_floating:
        y = x * (to.max + 0.5)
        return _w.cast(_w.clip(y, to.min, to.max) if saturate else y, to)
    if to.is_floating:
        return _w.cast(x, to) / float(x.dtype.max)
    # Integers by the quotient of the ranges: divided first where that of the result is smaller, else multiplied last.
    down, up = (x.dtype.max + 1) // (to.max + 1), (to.max + 1) // (x.dtype.max + 1)
    x = _w.floor_div(x, down) if down > 1 else x
    y = _w.cast(_w.clip(x, max(to.min, x.dtype.min), min(to.max, x.dtype.max)) if saturate else x, to)
    return y * up if up > 1 else y


def _back(y, dtype):
    return y if y.dtype == dtype else convert_image_dtype(y, dtype, True)


@_op("adjust_brightness")
def adjust_brightness(image, delta):
    x = _as_tensor(image)
    return _back(_as_float(x) + delta, x.dtype)


@_op("adjust_contrast")
def adjust_contrast(images, contrast_factor):
    x = _as_tensor(images)
    y = _as_float(x)
    mean = _w.mean(y, [-3, -2], True)
    return _back((y - mean) * contrast_factor + mean, x.dtype)


@_op("adjust_gamma")
def adjust_gamma(image, gamma=1, gain=1):
    x = _as_tensor(image)
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _back(_w.pow(_as_float(x), gamma) * gain, x.dtype)


@_op("rgb_to_grayscale")
def rgb_to_grayscale(images):
    x = _as_tensor(images)
    y = _w.sum(_as_float(x) * _w.tensor([0.2989, 0.5870, 0.1140], _as_float(x).dtype), -1, True)
    return _back(y, x.dtype)


@_op("grayscale_to_rgb")
def grayscale_to_rgb(images):
    x = _as_tensor(images)
    return _w.concat([x, x, x], -1)


@_op("central_crop")
def central_crop(image, central_fraction):
    x = _image(image)
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    if central_fraction == 1:
        return x
    axis = x.ndim - 3
    for a in (axis, axis + 1):
        n = x.shape[a]
        at = int((n - n * central_fraction) / 2)
        x = _w.narrow(x, a, at, n - 2 * at)
    return x


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    return _image(image)[..., offset_height:offset_height + target_height, offset_width:offset_width + target_width, :]


@_op("per_image_standardization")
def per_image_standardization(image):
    x = _as_float(_as_tensor(image))
    axes = [-1, -2, -3]
    n = x.shape[-1] * x.shape[-2] * x.shape[-3]
    return (x - _w.mean(x, axes, True)) / _w.maximum(_w.std(x, axes, 0, True), n ** -0.5)


@_op("ExtractImagePatches")
def extract_patches(images, sizes, strides, rates, padding):
    x = _as_tensor(images)
    window = list(sizes)[1:3]
    at, _ = _windows(x, window, list(strides)[1:3], list(rates)[1:3], padding, 0)
    return _w.reshape(at, list(at.shape)[:3] + [window[0] * window[1] * x.shape[-1]])


def _kernel(method):
    if method == "bilinear":
        return 1.0, lambda t: max(0.0, 1.0 - abs(t))
    if method == "bicubic":
        def cubic(t):
            t = abs(t)
            return (1.5 * t - 2.5) * t * t + 1 if t < 1 else ((-0.5 * t + 2.5) * t - 4) * t + 2 if t < 2 else 0.0
        return 2.0, cubic
    raise NotImplementedError(f"resize: method={method!r}")


def _weights(n, m, method, antialias):
    # [m, n]: what each of m places takes from each of n
    rows = []
    for i in range(m):
        row = [0.0] * n
        scale = n / m
        if method == "nearest":
            row[min(int((i + 0.5) * scale), n - 1)] = 1.0
        elif method == "area":
            lo, hi = i * scale, (i + 1) * scale
            for k in range(int(lo), min(-int(-hi // 1), n)):
                row[k] = (min(hi, k + 1) - max(lo, k)) / scale
        else:
            radius, f = _kernel(method)
            wide = max(scale, 1.0) if antialias else 1.0
            middle = (i + 0.5) * scale
            if method == "bicubic" and not antialias:      # the kernel is a table of 1024 places
                whole = (middle - 0.5) // 1
                middle = whole + round((middle - 0.5 - whole) * 1024) / 1024 + 0.5
            for k in range(max(int(middle - radius * wide - 1), 0), min(int(middle + radius * wide) + 2, n)):
                row[k] = f((k + 0.5 - middle) / wide)
            total = sum(row)
            row = [v / total for v in row]
        rows.append(row)
    return rows


@_op("resize")
def resize(images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False):
    x = _image(images)
    h, w = x.shape[-3], x.shape[-2]
    p, q = [int(v) for v in _ints(size)]
    if preserve_aspect_ratio:
        scale = min(p / h, q / w)
        p, q = round(h * scale), round(w * scale)
    same = method == "nearest"
    y = x if same or x.dtype == _w.float64 else _w.cast(x, _float32)
    axis = y.ndim - 3
    for a, n, m in ((axis, h, p), (axis + 1, w, q)):
        if same:
            y = _w.take(y, _w.tensor([row.index(1.0) for row in _weights(n, m, method, False)], "int64"), a)
        elif n != m:
            k = _w.tensor(_weights(n, m, method, antialias), y.dtype)
            y = _w.move_axis(_w.tensordot(k, y, [1], [a]), 0, a)
    return y if method != "area" or x.dtype == y.dtype else _w.cast(y, _float32)


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    return extract_patches(images, ksizes if sizes is None else sizes, strides, rates, padding)


def random_crop(value, size, seed=None, name=None):
    from tensorflow.random import crop
    return crop(value, size, seed, name)


_FILES = ("decode_png", "decode_jpeg", "decode_image", "encode_png")
_MORE = ("rgb_to_yiq yiq_to_rgb rgb_to_yuv yuv_to_rgb rgb_to_hsv hsv_to_rgb adjust_hue adjust_saturation psnr ssim ssim_multiscale "
         "total_variation image_gradients sobel_edges pad_to_bounding_box resize_with_crop_or_pad resize_with_pad crop_and_resize "
         "non_max_suppression non_max_suppression_overlaps").split()


def __getattr__(name):
    if name in _MORE:
        return getattr(__import__("tensorflow._images"), name)
    if name in _FILES:
        return getattr(__import__("tensorflow.io"), name)
    raise AttributeError(f"module 'tensorflow.image' has no attribute '{name}'")
