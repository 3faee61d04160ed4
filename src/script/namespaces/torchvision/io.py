# torchvision.io -- pictures of files as tensors [channels, height, width].
import io as _io
from enum import Enum

import numpy as _np
import torch
from PIL import Image


class ImageReadMode(Enum):
    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4


_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def read_file(path):
    with open(path, "rb") as f:
        return torch.frombuffer(f.read(), dtype=torch.uint8)


def write_file(filename, data):
    with open(filename, "wb") as f:
        f.write(data.numpy().tobytes())


def decode_image(input, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    if apply_exif_orientation:
        raise NotImplementedError("decode_image: orientations of EXIF are not read")
    image = Image.open(_io.BytesIO(input.numpy().tobytes()) if isinstance(input, torch.Tensor) else input)
    mode = ImageReadMode[mode] if isinstance(mode, str) else mode
    wanted = _MODES.get(mode.value) or ("RGB" if image.mode == "P" else image.mode)
    a = _np.array(image if image.mode == wanted else image.convert(wanted))
    a = a[None] if a.ndim == 2 else a.transpose(2, 0, 1)
    return torch.from_numpy(a.copy())


def read_image(path, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    return decode_image(path, mode, apply_exif_orientation)


decode_png = decode_jpeg = decode_image


def _encoded(tensor, format, **options):
    a = tensor.numpy()
    buffer = _io.BytesIO()
    Image.fromarray(a[0] if a.shape[0] == 1 else a.transpose(1, 2, 0)).save(buffer, format, **options)
    return torch.frombuffer(buffer.getvalue(), dtype=torch.uint8)


def encode_png(input, compression_level=6):
    if not 0 <= compression_level <= 9:
        raise ValueError("Compression level should be between 0 and 9")
    return _encoded(input, "PNG")


def encode_jpeg(input, quality=75):
    return _encoded(input, "JPEG", quality=quality)


def write_png(input, filename, compression_level=6):
    write_file(filename, encode_png(input, compression_level))


def write_jpeg(input, filename, quality=75):
    write_file(filename, encode_jpeg(input, quality))
