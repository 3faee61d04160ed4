# torchvision.transforms.functional -- the transforms as functions of a PIL picture or a tensor [.., channels, height, width].
import math as _math
from enum import Enum

import numpy as _np
import torch
import torch.nn.functional as _F
from PIL import Image, ImageEnhance, ImageOps


class InterpolationMode(Enum):
    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


_PIL = {"nearest": 0, "nearest-exact": 0, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5, "lanczos": 1}
_BY_NUMBER = {0: "NEAREST", 1: "LANCZOS", 2: "BILINEAR", 3: "BICUBIC", 4: "BOX", 5: "HAMMING"}


def as_mode(mode):
    return InterpolationMode[_BY_NUMBER[int(mode)]] if not isinstance(mode, (InterpolationMode, str)) else (
        InterpolationMode(mode) if isinstance(mode, str) else mode)


def _is_pil(img):
    return isinstance(img, Image.Image)


def _check(img):
    if not _is_pil(img) and not isinstance(img, torch.Tensor):
        raise TypeError(f"img should be PIL Image. Got {type(img)}")
    if isinstance(img, torch.Tensor) and img.ndim < 2:
        raise TypeError("Tensor is not a torch image.")


# ---- what it is

def get_dimensions(img):
    if _is_pil(img):
        return [len(img.getbands()), img.height, img.width]
    _check(img)
    return [1 if img.ndim == 2 else img.shape[-3], img.shape[-2], img.shape[-1]]


def get_image_size(img):
    _, h, w = get_dimensions(img)
    return [w, h]


def get_image_num_channels(img):
    return get_dimensions(img)[0]


# ---- pictures and tensors

def pil_to_tensor(pic):
    if not _is_pil(pic):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    a = _np.array(pic)
    return torch.from_numpy((a[None] if a.ndim == 2 else a.transpose(2, 0, 1)).copy())


def to_tensor(pic):
    if isinstance(pic, _np.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        a = pic[:, :, None] if pic.ndim == 2 else pic
        t = torch.from_numpy(a.transpose(2, 0, 1).copy())
        return t.to(torch.get_default_dtype()).div(255) if t.dtype == torch.uint8 else t
    if not _is_pil(pic):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    t = pil_to_tensor(pic)
    if pic.mode == "1":
        return t.to(torch.get_default_dtype())
    if t.dtype == torch.uint16:
        return t.to(torch.int16)
    return t.to(torch.get_default_dtype()).div(255) if t.dtype == torch.uint8 else t


def to_pil_image(pic, mode=None):
    if not isinstance(pic, (torch.Tensor, _np.ndarray)):
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if isinstance(pic, torch.Tensor):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        if pic.is_floating_point() and mode != "F":
            pic = pic.mul(255).to(torch.int64).byte()       # numbers out of range wrap around
        pic = pic.detach().cpu()
        a = (pic if pic.ndim == 2 else pic.permute(1, 2, 0)).numpy()
    else:
        a = pic
    if a.ndim == 3 and a.shape[2] > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {a.shape[2]} channels.")
    if a.ndim == 3 and a.shape[2] == 1:
        a = a[:, :, 0]
    if mode is not None and a.ndim == 3 and mode in ("HSV", "YCbCr", "CMYK"):
        return Image.Image(mode, a.copy())
    return Image.fromarray(a, mode)


def convert_image_dtype(image, dtype=torch.float32):
    if image.dtype == dtype:
        return image
    if image.is_floating_point():
        if dtype.is_floating_point:
            return image.to(dtype)
        if (image.dtype == torch.float32 and dtype in (torch.int32, torch.int64)) or (
                image.dtype == torch.float64 and dtype == torch.int64):
            raise RuntimeError(f"The cast from {image.dtype} to {dtype} cannot be performed safely.")
        return image.mul(torch.iinfo(dtype).max + 1.0 - 1e-3).to(dtype)
    top = 1 if image.dtype == torch.bool else torch.iinfo(image.dtype).max
    if dtype.is_floating_point:
        return image.to(dtype) / top
    other = 1 if dtype == torch.bool else torch.iinfo(dtype).max
    if top > other:
        return torch.div(image, (top + 1) // (other + 1), rounding_mode="floor").to(dtype)
    return image.to(dtype) * ((other + 1) // (top + 1))


def normalize(tensor, mean, std, inplace=False):
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError("Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = "
                         f"{tensor.size()}")
    mean, std = [torch.as_tensor(v, dtype=tensor.dtype, device=tensor.device) for v in (mean, std)]
    if bool((std == 0).any()):
        raise ValueError(f"std evaluated to zero after conversion to {tensor.dtype}, leading to division by zero.")
    mean, std = [v.view(-1, 1, 1) if v.ndim == 1 else v for v in (mean, std)]
    out = tensor if inplace else tensor.clone()
    return out.sub_(mean).div_(std)


# ---- sizes

def _wanted(size, max_size, h, w):
    if not isinstance(size, int):
        size = list(size)
        if len(size) == 2:
            return size
        size = size[0]
    short, long = (w, h) if w <= h else (h, w)
    new_long = int(size * long / short)
    if max_size is not None:
        if max_size <= size:
            raise ValueError(f"max_size = {max_size} must be strictly greater than the requested size for the smaller edge "
                             f"size = {size}")
        if new_long > max_size:
            size, new_long = int(max_size * size / new_long), max_size
    return [new_long, size] if w <= h else [size, new_long]


def _as_batch(img):
    # (float tensor [n, c, h, w], the way back)
    x = img.unsqueeze(0) if img.ndim == 3 else img.reshape((-1,) + tuple(img.shape[-3:])) if img.ndim > 4 else img
    if x.ndim == 2:
        x = x[None, None]
    dtype = img.dtype
    if dtype not in (torch.float32, torch.float64):
        x = x.to(torch.float32)

    def back(y):
        y = y.reshape(tuple(img.shape[:-2]) + tuple(y.shape[-2:]))
        if y.dtype != dtype:
            y = torch.round(y).to(dtype) if not dtype.is_floating_point else y.to(dtype)
        return y
    return x, back


def resize(img, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    _check(img)
    mode = as_mode(interpolation).value
    _, h, w = get_dimensions(img)
    new = _wanted(size, max_size, h, w)
    if [h, w] == list(new):
        return img
    if _is_pil(img):
        return img.resize((new[1], new[0]), _PIL[mode])
    x, back = _as_batch(img)
    soft = mode in ("bilinear", "bicubic")
    if not soft and mode not in ("nearest", "nearest-exact"):
        raise ValueError(f"Tensor images have no interpolation {mode}")
    y = _F.interpolate(x, size=new, mode=mode, align_corners=False if soft else None, antialias=bool(antialias) and soft)
    return back(y.clamp(0, 255) if mode == "bicubic" and img.dtype == torch.uint8 else y)


def _sides(padding):
    if isinstance(padding, int):
        return (padding,) * 4
    padding = list(padding)
    if len(padding) not in (1, 2, 4):
        raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(padding)} element tuple")
    return tuple(padding) * (4 // len(padding))


def pad(img, padding, fill=0, padding_mode="constant"):
    _check(img)
    left, top, right, bottom = _sides(padding)
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    if _is_pil(img):
        if padding_mode == "constant":
            out = Image.new(img.mode, (img.width + left + right, img.height + top + bottom),
                            tuple(fill) if isinstance(fill, (list, tuple)) else (fill,) * len(img.getbands())
                            if len(img.getbands()) > 1 else fill)
            out.paste(img, (left, top))
            return out
        x0, y0, x1, y1 = [-min(v, 0) for v in (left, top, right, bottom)]
        img = img.crop((x0, y0, img.width - x1, img.height - y1))
        sides = [(max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0))]
        a = _np.asarray(img)
        return Image.fromarray(_np.pad(a, sides + [(0, 0)] * (a.ndim - 2), mode=padding_mode))
    if isinstance(fill, (list, tuple)):
        fill = fill[0]
    if padding_mode == "constant":
        return _F.pad(img, [left, right, top, bottom], value=fill)
    if padding_mode == "symmetric":
        def index(n, a, b):
            return torch.tensor([(-i - 1 if i < 0 else 2 * n - i - 1 if i >= n else i) for i in range(-a, n + b)])
        h, w = img.shape[-2:]
        return img.index_select(-2, index(h, top, bottom)).index_select(-1, index(w, left, right))
    x, back = _as_batch(img)
    return back(_F.pad(x, [left, right, top, bottom], mode="replicate" if padding_mode == "edge" else padding_mode))


def crop(img, top, left, height, width):
    _check(img)
    if _is_pil(img):
        return img.crop((left, top, left + width, top + height))
    h, w = img.shape[-2:]
    right, bottom = left + width, top + height
    if left < 0 or top < 0 or right > w or bottom > h:
        sides = [max(-left + min(0, right), 0), max(-top + min(0, bottom), 0), max(right - max(w, left), 0),
                 max(bottom - max(h, top), 0)]
        return pad(img[..., max(top, 0):bottom, max(left, 0):right], sides)
    return img[..., top:bottom, left:right]


def _two(size):
    return (size, size) if isinstance(size, (int, float)) else (size[0], size[0]) if len(size) == 1 else tuple(size)


def center_crop(img, output_size):
    ch, cw = [int(n) for n in _two(output_size)]
    _, h, w = get_dimensions(img)
    if cw > w or ch > h:
        dx, dy = max(cw - w, 0), max(ch - h, 0)
        img = pad(img, [dx // 2, dy // 2, (dx + 1) // 2, (dy + 1) // 2])
        _, h, w = get_dimensions(img)
        if cw == w and ch == h:
            return img
    return crop(img, int(round((h - ch) / 2.0)), int(round((w - cw) / 2.0)), ch, cw)


def resized_crop(img, top, left, height, width, size, interpolation=InterpolationMode.BILINEAR, antialias=True):
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def five_crop(img, size):
    ch, cw = _two(size)
    _, h, w = get_dimensions(img)
    if cw > w or ch > h:
        raise ValueError(f"Requested crop size {(ch, cw)} is bigger than input size {(h, w)}")
    return (crop(img, 0, 0, ch, cw), crop(img, 0, w - cw, ch, cw), crop(img, h - ch, 0, ch, cw),
            crop(img, h - ch, w - cw, ch, cw), center_crop(img, [ch, cw]))


def ten_crop(img, size, vertical_flip=False):
    return five_crop(img, size) + five_crop(vflip(img) if vertical_flip else hflip(img), size)


def hflip(img):
    _check(img)
    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if _is_pil(img) else img.flip(-1)


def vflip(img):
    _check(img)
    return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM) if _is_pil(img) else img.flip(-2)


# ---- places

def _sampled(img, grid, mode, fill):
    # grid [1, h, w, 2]; what comes from outside is fill
    x, back = _as_batch(img)
    grid = grid.to(x.dtype).expand((x.shape[0],) + tuple(grid.shape[1:]))
    if fill is not None:
        x = torch.cat([x, torch.ones((x.shape[0], 1) + tuple(x.shape[2:]), dtype=x.dtype)], 1)
    y = _F.grid_sample(x, grid, mode=mode, padding_mode="zeros", align_corners=False)
    if fill is not None:
        mask, y = y[:, -1:], y[:, :-1]
        color = torch.tensor([float(v) for v in fill] if isinstance(fill, (list, tuple)) else [float(fill)],
                             dtype=y.dtype).view(1, -1, 1, 1)
        y = torch.where(mask < 0.5, color.expand(y.shape), y) if mode == "nearest" else y * mask + (1.0 - mask) * color
    return back(y)


def _affine_grid(m, w, h, ow, oh):
    theta = torch.tensor(m, dtype=torch.float32).reshape(1, 2, 3)
    base = torch.empty(1, oh, ow, 3)
    base[..., 0] = torch.linspace(-ow * 0.5 + 0.5, ow * 0.5 + 0.5 - 1, steps=ow)
    base[..., 1] = torch.linspace(-oh * 0.5 + 0.5, oh * 0.5 + 0.5 - 1, steps=oh).unsqueeze(-1)
    base[..., 2] = 1
    scaled = theta.transpose(1, 2) / torch.tensor([0.5 * w, 0.5 * h])
    return base.view(1, oh * ow, 3).bmm(scaled).view(1, oh, ow, 2)


def _inverse_matrix(center, angle, translate, scale, shear, inverted=True):
    rot, sx, sy = _math.radians(angle), _math.radians(shear[0]), _math.radians(shear[1])
    (cx, cy), (tx, ty) = center, translate
    a = _math.cos(rot - sy) / _math.cos(sy)
    b = -_math.cos(rot - sy) * _math.tan(sx) / _math.cos(sy) - _math.sin(rot)
    c = _math.sin(rot - sy) / _math.cos(sy)
    d = -_math.sin(rot - sy) * _math.tan(sx) / _math.cos(sy) + _math.cos(rot)
    if not inverted:
        m = [a * scale, b * scale, 0.0, c * scale, d * scale, 0.0]
        m[2] = cx + tx - m[0] * cx - m[1] * cy
        m[5] = cy + ty - m[3] * cx - m[4] * cy
        return m
    m = [v / scale for v in (d, -b, 0.0, -c, a, 0.0)]
    m[2] = m[0] * (-cx - tx) + m[1] * (-cy - ty) + cx
    m[5] = m[3] * (-cx - tx) + m[4] * (-cy - ty) + cy
    return m


def rotate(img, angle, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=None):
    _check(img)
    mode = as_mode(interpolation).value
    if _is_pil(img):
        return img.rotate(angle, _PIL[mode], expand, center, fillcolor=_pil_fill(fill, img))
    _, h, w = get_dimensions(img)
    at = [0.0, 0.0] if center is None else [1.0 * (c - s * 0.5) for c, s in zip(center, (w, h))]
    m = _inverse_matrix(at, -angle, (0.0, 0.0), 1.0, (0.0, 0.0))
    ow, oh = w, h
    if expand:
        theta = torch.tensor(m).reshape(2, 3)
        corners = torch.tensor([[-0.5 * w, -0.5 * h, 1.0], [-0.5 * w, 0.5 * h, 1.0], [0.5 * w, 0.5 * h, 1.0],
                                [0.5 * w, -0.5 * h, 1.0]]) @ theta.T
        low, high = corners.min(dim=0).values, corners.max(dim=0).values
        half = torch.tensor([w * 0.5, h * 0.5])
        low, high = low + half, high + half
        low, high = torch.trunc(low / 1e-3) * 1e-3, torch.trunc(high / 1e-3) * 1e-3
        ow, oh = [int(v) for v in (torch.ceil(high) - torch.floor(low)).tolist()]
    return _sampled(img, _affine_grid(m, w, h, ow, oh), mode, fill)


def _pil_fill(fill, img):
    if fill is None:
        return None
    n = len(img.getbands())
    return (fill,) * n if isinstance(fill, (int, float)) and n > 1 else tuple(fill) if isinstance(fill, (list, tuple)) else fill


def affine(img, angle, translate, scale, shear, interpolation=InterpolationMode.NEAREST, fill=None, center=None):
    _check(img)
    mode = as_mode(interpolation).value
    if scale <= 0.0:
        raise ValueError("Argument scale should be positive")
    shear = [shear, 0.0] if isinstance(shear, (int, float)) else list(shear) * (2 // len(shear))
    _, h, w = get_dimensions(img)
    if _is_pil(img):
        m = _inverse_matrix([w * 0.5, h * 0.5] if center is None else center, angle, translate, scale, shear)
        return img.transform((w, h), Image.Transform.AFFINE, m, _PIL[mode], fillcolor=_pil_fill(fill, img))
    at = [0.0, 0.0] if center is None else [1.0 * (c - s * 0.5) for c, s in zip(center, (w, h))]
    m = _inverse_matrix(at, angle, [1.0 * t for t in translate], scale, shear)
    return _sampled(img, _affine_grid(m, w, h, w, h), mode, fill)


def _perspective_coefficients(startpoints, endpoints):
    rows, values = [], []
    for (ex, ey), (sx, sy) in zip(endpoints, startpoints):
        rows += [[ex, ey, 1, 0, 0, 0, -sx * ex, -sx * ey], [0, 0, 0, ex, ey, 1, -sy * ex, -sy * ey]]
        values += [sx, sy]
    a, b = torch.tensor(rows, dtype=torch.float64), torch.tensor(values, dtype=torch.float64)
    return torch.linalg.solve(a, b).to(torch.float32).tolist()


def perspective(img, startpoints, endpoints, interpolation=InterpolationMode.BILINEAR, fill=None):
    _check(img)
    c = _perspective_coefficients(startpoints, endpoints)
    mode = as_mode(interpolation).value
    if _is_pil(img):
        return img.transform(img.size, Image.Transform.PERSPECTIVE, c, _PIL[mode], fillcolor=_pil_fill(fill, img))
    h, w = img.shape[-2:]
    x, y = torch.arange(w) + 0.5, (torch.arange(h) + 0.5).unsqueeze(-1)
    under = c[6] * x + c[7] * y + 1.0
    gx, gy = (c[0] * x + c[1] * y + c[2]) / under / (0.5 * w) - 1.0, (c[3] * x + c[4] * y + c[5]) / under / (0.5 * h) - 1.0
    return _sampled(img, torch.stack([gx, gy], -1).unsqueeze(0), mode, fill)


# ---- colors

def _blend(a, b, ratio):
    ratio = float(ratio)
    top = 1.0 if a.is_floating_point() else float(torch.iinfo(a.dtype).max)
    return (ratio * a + (1.0 - ratio) * b).clamp(0, top).to(a.dtype)


def _not_negative(name, factor):
    if factor < 0:
        raise ValueError(f"{name}_factor ({factor}) is not non-negative.")


def rgb_to_grayscale(img, num_output_channels=1):
    if _is_pil(img):
        gray = img.convert("L")
        return gray if num_output_channels == 1 else Image.merge("RGB", [gray] * 3)
    if img.shape[-3] == 1:
        out = img.clone()
    else:
        r, g, b = img.unbind(dim=-3)
        out = (0.2989 * r + 0.587 * g + 0.114 * b).to(img.dtype).unsqueeze(-3)
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    return out.expand(img.shape[:-3] + (3,) + img.shape[-2:]) if num_output_channels == 3 else out


def to_grayscale(img, num_output_channels=1):
    if not _is_pil(img):
        raise TypeError("Input should be PIL Image")
    return rgb_to_grayscale(img, num_output_channels)


def adjust_brightness(img, brightness_factor):
    if _is_pil(img):
        return ImageEnhance.Brightness(img).enhance(brightness_factor)
    _not_negative("brightness", brightness_factor)
    return _blend(img, torch.zeros_like(img), brightness_factor)


def adjust_contrast(img, contrast_factor):
    if _is_pil(img):
        return ImageEnhance.Contrast(img).enhance(contrast_factor)
    _not_negative("contrast", contrast_factor)
    gray = rgb_to_grayscale(img) if img.shape[-3] == 3 else img
    gray = gray if gray.is_floating_point() else gray.to(torch.float32)
    return _blend(img, gray.mean(dim=(-3, -2, -1), keepdim=True), contrast_factor)


def adjust_saturation(img, saturation_factor):
    if _is_pil(img):
        return ImageEnhance.Color(img).enhance(saturation_factor)
    _not_negative("saturation", saturation_factor)
    return img if img.shape[-3] == 1 else _blend(img, rgb_to_grayscale(img), saturation_factor)


def _to_hsv(img):
    r, g, b = img.unbind(-3)
    hi, lo = img.max(dim=-3).values, img.min(dim=-3).values
    same, span = hi == lo, hi - lo
    ones = torch.ones_like(hi)
    s = span / torch.where(same, ones, hi)
    div = torch.where(same, ones, span)
    rc, gc, bc = (hi - r) / div, (hi - g) / div, (hi - b) / div
    h = (hi == r) * (bc - gc) + ((hi == g) & (hi != r)) * (2.0 + rc - bc) + ((hi != g) & (hi != r)) * (4.0 + gc - rc)
    return torch.stack((torch.fmod(h / 6.0 + 1.0, 1.0), s, hi), dim=-3)


def _to_rgb(img):
    h, s, v = img.unbind(-3)
    i = torch.floor(h * 6.0)
    f = h * 6.0 - i
    i = i.to(torch.int32) % 6
    p, q, t = [(v * x).clamp(0.0, 1.0) for x in (1.0 - s, 1.0 - s * f, 1.0 - s * (1.0 - f))]
    mask = [(i == k).to(img.dtype) for k in range(6)]
    parts = ((v, q, p, p, t, v), (t, v, v, q, p, p), (p, p, t, v, v, q))
    return torch.stack([sum([m * x for m, x in zip(mask, row)]) for row in parts], dim=-3)


def adjust_hue(img, hue_factor):
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    if _is_pil(img):
        if img.mode in ("L", "1", "I", "F"):
            return img
        h, s, v = img.convert("HSV").split()
        moved = (_np.array(h).astype("int64") + int(hue_factor * 255)) % 256
        return Image.merge("HSV", (Image.fromarray(moved.astype("uint8")), s, v)).convert(img.mode)
    if img.shape[-3] == 1:
        return img
    x = convert_image_dtype(img, torch.float32)
    h, s, v = _to_hsv(x).unbind(-3)
    return convert_image_dtype(_to_rgb(torch.stack(((h + hue_factor) % 1.0, s, v), dim=-3)), img.dtype)


def adjust_gamma(img, gamma, gain=1):
    _not_negative("gamma", gamma)
    if _is_pil(img):
        table = [int((255 + 1 - 1e-3) * gain * pow(i / 255.0, gamma)) for i in range(256)] * 3
        return img.convert("RGB").point(table).convert(img.mode)
    x = img if img.is_floating_point() else convert_image_dtype(img, torch.float32)
    return convert_image_dtype((gain * x ** gamma).clamp(0, 1), img.dtype)


def _top(img):
    return 1.0 if img.is_floating_point() else torch.iinfo(img.dtype).max


def invert(img):
    return ImageOps.invert(img) if _is_pil(img) else _top(img) - img


def posterize(img, bits):
    return ImageOps.posterize(img, bits) if _is_pil(img) else img & -int(2 ** (8 - bits))


def solarize(img, threshold):
    return ImageOps.solarize(img, threshold) if _is_pil(img) else torch.where(img >= threshold, invert(img), img)


def autocontrast(img):
    if _is_pil(img):
        return ImageOps.autocontrast(img)
    top = float(_top(img))
    x = img if img.is_floating_point() else img.to(torch.float32)
    low, high = x.amin(dim=(-2, -1), keepdim=True), x.amax(dim=(-2, -1), keepdim=True)
    scale = top / (high - low)
    flat = torch.isfinite(scale).logical_not()
    low, scale = torch.where(flat, torch.zeros_like(low), low), torch.where(flat, torch.ones_like(scale), scale)
    return ((x - low) * scale).clamp(0, top).to(img.dtype)


def equalize(img):
    if _is_pil(img):
        return ImageOps.equalize(img)
    if img.dtype != torch.uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")
    if img.ndim > 3:
        return torch.stack([equalize(x) for x in img])

    def one(c):
        count = torch.bincount(c.reshape(-1).to(torch.int64), minlength=256)
        seen = count[count != 0]
        step = int(seen[:-1].sum()) // 255
        if step == 0:
            return c
        table = torch.div(torch.cumsum(count, 0) + step // 2, step, rounding_mode="floor")
        table = torch.cat([torch.zeros(1, dtype=table.dtype), table[:-1]]).clamp(0, 255)
        return table[c.to(torch.int64)].to(torch.uint8)
    return torch.stack([one(c) for c in img])


def adjust_sharpness(img, sharpness_factor):
    if _is_pil(img):
        return ImageEnhance.Sharpness(img).enhance(sharpness_factor)
    _not_negative("sharpness", sharpness_factor)
    if img.shape[-1] <= 2 or img.shape[-2] <= 2:
        return img
    x, back = _as_batch(img)
    c = x.shape[1]
    k = torch.ones(3, 3, dtype=x.dtype)
    k[1, 1] = 5.0
    k = (k / k.sum()).expand(c, 1, 3, 3)
    soft = x.clone()
    soft[..., 1:-1, 1:-1] = _F.conv2d(x, k, groups=c)
    return _blend(img, back(soft), sharpness_factor)


def gaussian_blur(img, kernel_size, sigma=None):
    size = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size) * (2 // len(kernel_size))
    if sigma is None:
        sigma = [n * 0.15 + 0.35 for n in size]
    sigma = [float(sigma)] * 2 if isinstance(sigma, (int, float)) else list(sigma) * (2 // len(sigma))
    t = pil_to_tensor(img) if _is_pil(img) else img
    x, back = _as_batch(t)

    def row(n, s):
        at = torch.linspace(-(n - 1) * 0.5, (n - 1) * 0.5, steps=n, dtype=x.dtype)
        w = torch.exp(-0.5 * (at / s).pow(2))
        return w / w.sum()
    kx, ky = row(size[0], sigma[0]), row(size[1], sigma[1])
    c = x.shape[1]
    k = (ky[:, None] * kx[None, :]).expand(c, 1, size[1], size[0])
    sides = [size[0] // 2, size[0] // 2, size[1] // 2, size[1] // 2]
    out = back(_F.conv2d(_F.pad(x, sides, mode="reflect"), k, groups=c))
    return to_pil_image(out, mode=img.mode) if _is_pil(img) else out


def erase(img, i, j, h, w, v, inplace=False):
    if not isinstance(img, torch.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    out = img if inplace else img.clone()
    out[..., i:i + h, j:j + w] = v
    return out
