# torchvision.transforms.transforms -- the transforms as objects; random ones draw torch's numbers in the library's order.
import math as _math
import random as _random
import warnings as _warnings

import torch
from torchvision.transforms import functional as F
from torchvision.transforms.functional import InterpolationMode, _two, as_mode as _as_mode


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, img):
        for t in self.transforms:
            img = t(img)
        return img

    def __repr__(self):
        return "Compose(\n" + "".join([f"    {t}\n" for t in self.transforms]) + ")"


class _Plain:
    def __repr__(self):
        return f"{type(self).__name__}({self._shown()})"

    def _shown(self):
        return ""


class ToTensor(_Plain):
    def __call__(self, pic):
        return F.to_tensor(pic)


class PILToTensor(_Plain):
    def __call__(self, pic):
        return F.pil_to_tensor(pic)


class ToPILImage(_Plain):
    def __init__(self, mode=None):
        self.mode = mode

    def __call__(self, pic):
        return F.to_pil_image(pic, self.mode)

    def _shown(self):
        return "" if self.mode is None else f"mode={self.mode}"


class Lambda(_Plain):
    def __init__(self, lambd):
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img):
        return self.lambd(img)


class _Module(_Plain, torch.nn.Module):
    def __init__(self):
        torch.nn.Module.__init__(self)


class ConvertImageDtype(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, image):
        return F.convert_image_dtype(image, self.dtype)


class Normalize(_Module):
    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean, self.std, self.inplace = mean, std, inplace

    def forward(self, tensor):
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def _shown(self):
        return f"mean={self.mean}, std={self.std}"


class Resize(_Module):
    def __init__(self, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
        super().__init__()
        self.size, self.interpolation, self.max_size, self.antialias = size, _as_mode(interpolation), max_size, antialias

    def forward(self, img):
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def _shown(self):
        return (f"size={self.size}, interpolation={self.interpolation.value}, max_size={self.max_size}, "
                f"antialias={self.antialias}")


class CenterCrop(_Module):
    def __init__(self, size):
        super().__init__()
        self.size = _two(size)

    def forward(self, img):
        return F.center_crop(img, self.size)

    def _shown(self):
        return f"size={self.size}"


class Pad(_Module):
    def __init__(self, padding, fill=0, padding_mode="constant"):
        super().__init__()
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def forward(self, img):
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def _shown(self):
        return f"padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode}"


class _Chosen(torch.nn.Module):
    def __init__(self, transforms):
        super().__init__()
        self.transforms = transforms

    def _lines(self):
        return "".join([f"\n    {t}" for t in self.transforms])


class RandomApply(_Chosen):
    def __init__(self, transforms, p=0.5):
        super().__init__(transforms)
        self.p = p

    def forward(self, img):
        if self.p < torch.rand(1):
            return img
        for t in self.transforms:
            img = t(img)
        return img

    def __repr__(self):
        return f"RandomApply(\n    p={self.p}{self._lines()}\n)"


class RandomOrder(_Chosen):
    def forward(self, img):
        order = list(range(len(self.transforms)))
        _random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img

    def __call__(self, img):
        return self.forward(img)


class RandomChoice(_Chosen):
    def __init__(self, transforms, p=None):
        super().__init__(transforms)
        self.p = p

    def forward(self, *args):
        return _random.choices(self.transforms, weights=self.p)[0](*args)

    def __repr__(self):
        return f"RandomChoice(\n{self._lines()[1:]}\n)(p={self.p})"


class _Flip(_Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, img):
        return self._change(img) if torch.rand(1) < self.p else img

    def _shown(self):
        return f"p={self.p}"


class RandomHorizontalFlip(_Flip):
    def _change(self, img):
        return F.hflip(img)


class RandomVerticalFlip(_Flip):
    def _change(self, img):
        return F.vflip(img)


class RandomInvert(_Flip):
    def forward(self, img):
        return F.invert(img) if torch.rand(1).item() < self.p else img


class RandomAutocontrast(_Flip):
    def _change(self, img):
        return F.autocontrast(img)


class RandomEqualize(_Flip):
    def _change(self, img):
        return F.equalize(img)


class RandomPosterize(_Flip):
    def __init__(self, bits, p=0.5):
        super().__init__(p)
        self.bits = bits

    def _change(self, img):
        return F.posterize(img, self.bits)

    def _shown(self):
        return f"bits={self.bits},p={self.p}"


class RandomSolarize(_Flip):
    def __init__(self, threshold, p=0.5):
        super().__init__(p)
        self.threshold = threshold

    def _change(self, img):
        return F.solarize(img, self.threshold)

    def _shown(self):
        return f"threshold={self.threshold},p={self.p}"


class RandomAdjustSharpness(_Flip):
    def __init__(self, sharpness_factor, p=0.5):
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def _change(self, img):
        return F.adjust_sharpness(img, self.sharpness_factor)

    def _shown(self):
        return f"sharpness_factor={self.sharpness_factor},p={self.p}"


class Grayscale(_Module):
    def __init__(self, num_output_channels=1):
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img):
        return F.rgb_to_grayscale(img, self.num_output_channels)

    def _shown(self):
        return f"num_output_channels={self.num_output_channels}"


class RandomGrayscale(_Flip):
    def __init__(self, p=0.1):
        super().__init__(p)

    def _change(self, img):
        return F.rgb_to_grayscale(img, F.get_dimensions(img)[0])


class RandomCrop(_Module):
    @staticmethod
    def get_params(img, output_size):
        _, h, w = F.get_dimensions(img)
        th, tw = output_size
        if h < th or w < tw:
            raise ValueError(f"Required crop size {(th, tw)} is larger than input image size {(h, w)}")
        if w == tw and h == th:
            return 0, 0, h, w
        i = torch.randint(0, h - th + 1, size=(1,)).item()
        j = torch.randint(0, w - tw + 1, size=(1,)).item()
        return i, j, th, tw

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        super().__init__()
        self.size, self.padding, self.pad_if_needed = tuple(_two(size)), padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def forward(self, img):
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        _, h, w = F.get_dimensions(img)
        if self.pad_if_needed and w < self.size[1]:
            img = F.pad(img, [self.size[1] - w, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and h < self.size[0]:
            img = F.pad(img, [0, self.size[0] - h], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def _shown(self):
        return f"size={self.size}, padding={self.padding}"


class RandomResizedCrop(_Module):
    def __init__(self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0), interpolation=InterpolationMode.BILINEAR,
                 antialias=True):
        super().__init__()
        self.size, self.scale, self.ratio = _two(size), scale, ratio
        self.interpolation, self.antialias = _as_mode(interpolation), antialias

    @staticmethod
    def get_params(img, scale, ratio):
        _, h, w = F.get_dimensions(img)
        log_ratio = torch.log(torch.tensor(ratio))
        for _ in range(10):
            area = h * w * torch.empty(1).uniform_(scale[0], scale[1]).item()
            aspect = torch.exp(torch.empty(1).uniform_(log_ratio[0], log_ratio[1])).item()
            cw, ch = int(round(_math.sqrt(area * aspect))), int(round(_math.sqrt(area / aspect)))
            if 0 < cw <= w and 0 < ch <= h:
                i = torch.randint(0, h - ch + 1, size=(1,)).item()
                j = torch.randint(0, w - cw + 1, size=(1,)).item()
                return i, j, ch, cw
        of = float(w) / float(h)
        cw, ch = w, h
        if of < min(ratio):
            ch = int(round(w / min(ratio)))
        elif of > max(ratio):
            cw = int(round(h * max(ratio)))
        return (h - ch) // 2, (w - cw) // 2, ch, cw

    def forward(self, img):
        i, j, h, w = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, i, j, h, w, self.size, self.interpolation, self.antialias)

    def _shown(self):
        return (f"size={self.size}, scale={tuple([round(s, 4) for s in self.scale])}, "
                f"ratio={tuple([round(r, 4) for r in self.ratio])}, interpolation={self.interpolation.value}, "
                f"antialias={self.antialias}")


class FiveCrop(_Module):
    def __init__(self, size):
        super().__init__()
        self.size = _two(size)

    def forward(self, img):
        return F.five_crop(img, self.size)

    def _shown(self):
        return f"size={self.size}"


class TenCrop(FiveCrop):
    def __init__(self, size, vertical_flip=False):
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def forward(self, img):
        return F.ten_crop(img, self.size, self.vertical_flip)

    def _shown(self):
        return f"size={self.size}, vertical_flip={self.vertical_flip}"


def _range(value, name, center=1, bound=(0, float("inf")), clip_first_on_zero=True):
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError(f"If {name} is a single number, it must be non negative.")
        value = [center - float(value), center + float(value)]
        if clip_first_on_zero:
            value[0] = max(value[0], 0.0)
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        value = [float(value[0]), float(value[1])]
    else:
        raise TypeError(f"{name} should be a single number or a list/tuple with length 2.")
    if not bound[0] <= value[0] <= value[1] <= bound[1]:
        raise ValueError(f"{name} values should be between {bound}, but got {value}.")
    return None if value[0] == value[1] == center else tuple(value)


class ColorJitter(_Module):
    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        super().__init__()
        self.brightness, self.contrast = _range(brightness, "brightness"), _range(contrast, "contrast")
        self.saturation = _range(saturation, "saturation")
        self.hue = _range(hue, "hue", center=0, bound=(-0.5, 0.5), clip_first_on_zero=False)

    @staticmethod
    def get_params(brightness, contrast, saturation, hue):
        order = torch.randperm(4)
        drawn = [None if r is None else float(torch.empty(1).uniform_(r[0], r[1]))
                 for r in (brightness, contrast, saturation, hue)]
        return (order,) + tuple(drawn)

    def forward(self, img):
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        changes = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for k in order.tolist():
            if factors[k] is not None:
                img = changes[k](img, factors[k])
        return img

    def _shown(self):
        return f"brightness={self.brightness}, contrast={self.contrast}, saturation={self.saturation}, hue={self.hue}"


def _angles(x, name):
    if isinstance(x, (int, float)):
        if x < 0:
            raise ValueError(f"If {name} is a single number, it must be positive.")
        return [float(-x), float(x)]
    return [float(d) for d in x]


class RandomRotation(_Module):
    def __init__(self, degrees, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0):
        super().__init__()
        self.degrees, self.interpolation = _angles(degrees, "degrees"), _as_mode(interpolation)
        self.expand, self.center, self.fill = expand, center, fill

    @staticmethod
    def get_params(degrees):
        return float(torch.empty(1).uniform_(float(degrees[0]), float(degrees[1])).item())

    def forward(self, img):
        fill = self.fill
        if isinstance(img, torch.Tensor):
            n = F.get_dimensions(img)[0]
            fill = [float(fill)] * n if isinstance(fill, (int, float)) else [float(f) for f in fill]
        return F.rotate(img, self.get_params(self.degrees), self.interpolation, self.expand, self.center, fill)

    def _shown(self):
        return (f"degrees={self.degrees}, interpolation={self.interpolation.value}, expand={self.expand}"
                + (f", center={self.center}" if self.center is not None else "")
                + (f", fill={self.fill}" if self.fill is not None else ""))


class RandomAffine(_Module):
    def __init__(self, degrees, translate=None, scale=None, shear=None, interpolation=InterpolationMode.NEAREST, fill=0,
                 center=None):
        super().__init__()
        self.degrees, self.translate, self.scale = _angles(degrees, "degrees"), translate, scale
        self.shear = None if shear is None else _angles(shear, "shear")
        self.interpolation, self.fill, self.center = _as_mode(interpolation), fill, center

    @staticmethod
    def get_params(degrees, translate, scale_ranges, shears, img_size):
        def drawn(low, high):
            return float(torch.empty(1).uniform_(float(low), float(high)).item())
        angle = drawn(degrees[0], degrees[1])
        move = (0, 0)
        if translate is not None:
            dx, dy = float(translate[0] * img_size[0]), float(translate[1] * img_size[1])
            move = (int(round(torch.empty(1).uniform_(-dx, dx).item())), int(round(torch.empty(1).uniform_(-dy, dy).item())))
        scale = 1.0 if scale_ranges is None else drawn(scale_ranges[0], scale_ranges[1])
        shear_x = shear_y = 0.0
        if shears is not None:
            shear_x = drawn(shears[0], shears[1])
            if len(shears) == 4:
                shear_y = drawn(shears[2], shears[3])
        return angle, move, scale, (shear_x, shear_y)

    def forward(self, img):
        n, h, w = F.get_dimensions(img)
        fill = self.fill
        if isinstance(img, torch.Tensor):
            fill = [float(fill)] * n if isinstance(fill, (int, float)) else [float(f) for f in fill]
        params = self.get_params(self.degrees, self.translate, self.scale, self.shear, [w, h])
        return F.affine(img, *params, interpolation=self.interpolation, fill=fill, center=self.center)

    def _shown(self):
        return (f"degrees={self.degrees}" + (f", translate={self.translate}" if self.translate is not None else "")
                + (f", scale={self.scale}" if self.scale is not None else "")
                + (f", shear={self.shear}" if self.shear is not None else "")
                + (f", interpolation={self.interpolation.value}" if self.interpolation != InterpolationMode.NEAREST else "")
                + (f", fill={self.fill}" if self.fill != 0 else "")
                + (f", center={self.center}" if self.center is not None else ""))


class RandomPerspective(_Module):
    def __init__(self, distortion_scale=0.5, p=0.5, interpolation=InterpolationMode.BILINEAR, fill=0):
        super().__init__()
        self.distortion_scale, self.p, self.interpolation, self.fill = distortion_scale, p, _as_mode(interpolation), fill

    @staticmethod
    def get_params(width, height, distortion_scale):
        hw, hh = int(distortion_scale * (width // 2)) + 1, int(distortion_scale * (height // 2)) + 1

        def at(low, high):
            return int(torch.randint(low, high, size=(1,)).item())
        ends = [[at(0, hw), at(0, hh)], [at(width - hw, width), at(0, hh)],
                [at(width - hw, width), at(height - hh, height)], [at(0, hw), at(height - hh, height)]]
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], ends

    def forward(self, img):
        n, h, w = F.get_dimensions(img)
        fill = self.fill
        if isinstance(img, torch.Tensor):
            fill = [float(fill)] * n if isinstance(fill, (int, float)) else [float(f) for f in fill]
        if torch.rand(1) < self.p:
            start, end = self.get_params(w, h, self.distortion_scale)
            return F.perspective(img, start, end, self.interpolation, fill)
        return img

    def _shown(self):
        return f"p={self.p}"


class RandomErasing(_Module):
    def __init__(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False):
        super().__init__()
        self.p, self.scale, self.ratio, self.value, self.inplace = p, scale, ratio, value, inplace

    @staticmethod
    def get_params(img, scale, ratio, value=None):
        c, h, w = img.shape[-3:]
        log_ratio = torch.log(torch.tensor(ratio))
        for _ in range(10):
            area = h * w * torch.empty(1).uniform_(scale[0], scale[1]).item()
            aspect = torch.exp(torch.empty(1).uniform_(log_ratio[0], log_ratio[1])).item()
            eh, ew = int(round(_math.sqrt(area * aspect))), int(round(_math.sqrt(area / aspect)))
            if not (eh < h and ew < w):
                continue
            v = torch.empty([c, eh, ew], dtype=torch.float32).normal_() if value is None else torch.tensor(value)[:, None, None]
            i = torch.randint(0, h - eh + 1, size=(1,)).item()
            j = torch.randint(0, w - ew + 1, size=(1,)).item()
            return i, j, eh, ew, v
        return 0, 0, h, w, img

    def forward(self, img):
        if torch.rand(1) < self.p:
            value = self.value
            value = [float(value)] if isinstance(value, (int, float)) else None if isinstance(value, str) else [float(v) for v
                                                                                                                in value]
            x, y, h, w, v = self.get_params(img, self.scale, self.ratio, value)
            return F.erase(img, x, y, h, w, v, self.inplace)
        return img

    def _shown(self):
        return f"p={self.p}, scale={self.scale}, ratio={self.ratio}, value={self.value}, inplace={self.inplace}"


class GaussianBlur(_Module):
    def __init__(self, kernel_size, sigma=(0.1, 2.0)):
        super().__init__()
        self.kernel_size = _two(kernel_size)
        for n in self.kernel_size:
            if n <= 0 or n % 2 == 0:
                raise ValueError("Kernel size value should be an odd and positive number.")
        self.sigma = (sigma, sigma) if isinstance(sigma, (int, float)) else tuple(sigma)

    @staticmethod
    def get_params(sigma_min, sigma_max):
        return torch.empty(1).uniform_(sigma_min, sigma_max).item()

    def forward(self, img):
        s = self.get_params(self.sigma[0], self.sigma[1])
        return F.gaussian_blur(img, self.kernel_size, [s, s])

    def _shown(self):
        return f"kernel_size={self.kernel_size}, sigma={self.sigma}"


class LinearTransformation(_Module):
    def __init__(self, transformation_matrix, mean_vector):
        super().__init__()
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def forward(self, tensor):
        return torch.mm(tensor.reshape(1, -1) - self.mean_vector, self.transformation_matrix).view(tensor.shape)


def Scale(*args, **kwargs):
    _warnings.warn("The use of the transforms.Scale transform is deprecated, please use transforms.Resize instead.")
    return Resize(*args, **kwargs)


def RandomSizedCrop(*args, **kwargs):
    _warnings.warn("The use of the transforms.RandomSizedCrop transform is deprecated, please use "
                   "transforms.RandomResizedCrop instead.")
    return RandomResizedCrop(*args, **kwargs)
