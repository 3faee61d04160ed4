# PIL.ImageOps -- whole pictures changed.
import numpy as _np
from PIL import Image


def grayscale(image):
    return image.convert("L")


def mirror(image):
    return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def flip(image):
    return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def invert(image):
    return image.point([255 - i for i in range(256)] * len(image.getbands()))


def posterize(image, bits):
    mask = ~(2 ** (8 - bits) - 1)
    return image.point([i & mask for i in range(256)] * len(image.getbands()))


def solarize(image, threshold=128):
    return image.point([i if i < threshold else 255 - i for i in range(256)] * len(image.getbands()))


def equalize(image, mask=None):
    if mask is not None:
        raise NotImplementedError("ImageOps.equalize: of all pixels")
    h = image.histogram()
    lut = []
    for at in range(0, len(h), 256):
        seen = [n for n in h[at:at + 256] if n]
        step = (sum(seen) - seen[-1]) // 255 if len(seen) > 1 else 0
        if not step:
            lut += list(range(256))
            continue
        n = step // 2
        for i in range(256):
            lut.append(n // step)
            n += h[at + i]
    return image.point(lut)


def autocontrast(image, cutoff=0, ignore=None, mask=None, preserve_tone=False):
    if cutoff or ignore is not None or mask is not None or preserve_tone:
        raise NotImplementedError("ImageOps.autocontrast: of all pixels, nothing cut off")
    lut = []
    h = image.histogram()
    for at in range(0, len(h), 256):
        used = [i for i in range(256) if h[at + i]]
        lo, hi = (used[0], used[-1]) if used else (0, 0)
        if hi <= lo:
            lut += list(range(256))
        else:
            scale = 255.0 / (hi - lo)
            lut += [min(255, max(0, int(i * scale - lo * scale))) for i in range(256)]
    return image.point(lut)


def expand(image, border=0, fill=0):
    left, top, right, bottom = _border(border)
    out = Image.new(image.mode, (left + image.width + right, top + image.height + bottom), fill)
    out.paste(image, (left, top))
    return out


def crop(image, border=0):
    left, top, right, bottom = _border(border)
    return image.crop((left, top, image.width - right, image.height - bottom))


def _border(border):
    if isinstance(border, int):
        return (border,) * 4
    return tuple(border) * 2 if len(border) == 2 else tuple(border)


def contain(image, size, method=Image.Resampling.BICUBIC):
    ratio, wanted = image.width / image.height, size[0] / size[1]
    if ratio > wanted:
        size = (size[0], round(image.height / image.width * size[0]))
    elif ratio < wanted:
        size = (round(image.width / image.height * size[1]), size[1])
    return image.resize(size, method)


def pad(image, size, method=Image.Resampling.BICUBIC, color=None, centering=(0.5, 0.5)):
    small = contain(image, size, method)
    if small.size == size:
        return small
    out = Image.new(image.mode, size, color or 0)
    x = round((size[0] - small.width) * max(0, min(centering[0], 1)))
    y = round((size[1] - small.height) * max(0, min(centering[1], 1)))
    out.paste(small, (x if small.width != size[0] else 0, y if small.width == size[0] else 0))
    return out


def fit(image, size, method=Image.Resampling.BICUBIC, bleed=0.0, centering=(0.5, 0.5)):
    bx, by = bleed * image.width, bleed * image.height
    w, h = image.width - 2 * bx, image.height - 2 * by
    wanted = size[0] / size[1]
    if w / h >= wanted:
        cw, ch = wanted * h, h
    else:
        cw, ch = w, w / wanted
    x, y = bx + (w - cw) * centering[0], by + (h - ch) * centering[1]
    return image.resize(size, method, box=(x, y, x + cw, y + ch))


def scale(image, factor, resample=Image.Resampling.BICUBIC):
    return image.copy() if factor == 1 else image.resize((round(factor * image.width), round(factor * image.height)), resample)


def exif_transpose(image, *, in_place=False):
    return None if in_place else image.copy()


def colorize(image, black, white):
    lo, hi = [_np.array(Image._color(c, "RGB")) for c in (black, white)]
    i = _np.arange(256)[:, None]
    table = (lo + i * (hi - lo) // 255).astype("uint8")
    return Image.Image("RGB", table[image._a.astype("int64")])
