# PIL.ImageChops -- arithmetic of two pictures, channel by channel, cut to 0 to 255.
import numpy as _np
from PIL import Image


def _of(first, second, combine):
    # The pictures' common part; numbers are i64 in between and are cut toward zero.
    if first.mode != second.mode:
        raise ValueError("images do not match")
    if first.mode not in ("L", "LA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "LAB", "HSV"):
        raise NotImplementedError(f"ImageChops: pictures of mode {first.mode}")
    a, b = _np.array(first).astype("int64"), _np.array(second).astype("int64")
    h, w = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    out = combine(a[:h, :w], b[:h, :w])
    return Image.fromarray(_np.clip(_np.trunc(out), 0, 255).astype("uint8"), first.mode)


def _of_bits(first, second, combine):
    if first.mode != "1" or second.mode != "1":
        raise ValueError("image has wrong mode")
    return Image.fromarray(combine(_np.array(first), _np.array(second)))


def constant(image, value):
    return Image.new("L", image.size, value)


def duplicate(image):
    return image.copy()


def invert(image):
    return image.point([255 - i for i in range(256)] * len(image.getbands()))


def lighter(image1, image2):
    return _of(image1, image2, _np.maximum)


def darker(image1, image2):
    return _of(image1, image2, _np.minimum)


def difference(image1, image2):
    return _of(image1, image2, lambda a, b: abs(a - b))


def multiply(image1, image2):
    return _of(image1, image2, lambda a, b: a * b // 255)


def _screened(a, b, half=255):
    return 255 - (255 - a) * (255 - b) // half


def screen(image1, image2):
    return _of(image1, image2, _screened)


def soft_light(image1, image2):
    return _of(image1, image2, lambda a, b: (255 - a) * (a * b) // 65536 + a * _screened(a, b) // 255)


def hard_light(image1, image2):
    return _of(image1, image2, lambda a, b: _np.where(b < 128, a * b // 127, _screened(a, b, 127)))


def overlay(image1, image2):
    return _of(image1, image2, lambda a, b: _np.where(a < 128, a * b // 127, _screened(a, b, 127)))


def add(image1, image2, scale=1.0, offset=0):
    return _of(image1, image2, lambda a, b: (a + b) / _np.float32(scale) + offset)


def subtract(image1, image2, scale=1.0, offset=0):
    return _of(image1, image2, lambda a, b: (a - b) / _np.float32(scale) + offset)


def add_modulo(image1, image2):
    return _of(image1, image2, lambda a, b: (a + b) & 255)


def subtract_modulo(image1, image2):
    return _of(image1, image2, lambda a, b: (a - b) & 255)


def logical_and(image1, image2):
    return _of_bits(image1, image2, _np.logical_and)


def logical_or(image1, image2):
    return _of_bits(image1, image2, _np.logical_or)


def logical_xor(image1, image2):
    return _of_bits(image1, image2, _np.logical_xor)


def blend(image1, image2, alpha):
    return Image.blend(image1, image2, alpha)


def composite(image1, image2, mask):
    return Image.composite(image1, image2, mask)


def offset(image, xoffset, yoffset=None):
    rolled = _np.roll(_np.array(image), (xoffset if yoffset is None else yoffset, xoffset), (0, 1))
    return Image.fromarray(rolled, image.mode)
