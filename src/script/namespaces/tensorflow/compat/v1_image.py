# tensorflow.compat.v1.image -- tensorflow.image with version 1's way to resize: places are scaled from the corner, or corners are aligned.
import _tf as _w
from tensorflow import image as _image
from tensorflow._base import op, as_tensor, ints, float32
from tensorflow.image import *
from tensorflow.image import extract_image_patches, random_crop, ResizeMethod as _Methods


class ResizeMethod:
    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = 0, 1, 2, 3


def _places(n, m, align, half):
    scale = (n - 1) / (m - 1) if align and m > 1 else n / m
    return [(i + 0.5) * scale - 0.5 if half else i * scale for i in range(m)]


def _linear(n, m, align, half):
    # [m, n]: what each of m places takes from each of n
    rows = []
    for at in _places(n, m, align, half):
        lo = max(int(at // 1), 0)
        part = at - at // 1
        row = [0.0] * n
        row[min(lo, n - 1)] += 1.0 - part
        row[min(max(int(at // 1) + 1, 0), n - 1)] += part
        rows.append(row)
    return rows


def _nearest(n, m, align, half):
    out = []
    for at in _places(n, m, align, False):
        at = at if not half else at + 0.5 * n / m
        out.append(min(int((at + 0.5) // 1) if align else int(at // 1), n - 1))
    return out


@op("ResizeBilinear")
def resize_bilinear(images, size, align_corners=False, half_pixel_centers=False):
    x = as_tensor(images)
    y = _w.cast(x, float32)
    axis = y.ndim - 3
    for a, m in zip((axis, axis + 1), ints(size)):
        k = _w.tensor(_linear(y.shape[a], m, align_corners, half_pixel_centers), float32)
        y = _w.move_axis(_w.tensordot(k, y, [1], [a]), 0, a)
    return y


@op("ResizeNearestNeighbor")
def resize_nearest_neighbor(images, size, align_corners=False, half_pixel_centers=False):
    x = as_tensor(images)
    axis = x.ndim - 3
    for a, m in zip((axis, axis + 1), ints(size)):
        x = _w.take(x, _w.tensor(_nearest(x.shape[a], m, align_corners, half_pixel_centers), "int64"), a)
    return x


def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None):
    if preserve_aspect_ratio:
        raise NotImplementedError("resize_images: preserve_aspect_ratio")
    if method in (ResizeMethod.BILINEAR, "bilinear"):
        return resize_bilinear(images, size, align_corners)
    if method in (ResizeMethod.NEAREST_NEIGHBOR, "nearest"):
        return resize_nearest_neighbor(images, size, align_corners)
    if method in (ResizeMethod.AREA, "area") and not align_corners:
        return _image.resize(images, size, "area")
    raise NotImplementedError(f"resize_images: method {method}")


resize = resize_images
resize_image_with_crop_or_pad = _image.resize_with_crop_or_pad


def __getattr__(name):
    return getattr(_image, name)
