# torchvision.transforms.v2.functional -- v1's functions, and those that v2 adds.
import numpy
import torch
from PIL import Image as _Image
from torchvision.transforms.functional import *
from torchvision.transforms.functional import (
    adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue, adjust_saturation, adjust_sharpness, affine, autocontrast,
    center_crop, convert_image_dtype, crop, equalize, erase, five_crop, gaussian_blur, get_dimensions, get_image_num_channels,
    get_image_size, hflip, invert, normalize, pad, perspective, pil_to_tensor, posterize, resize, resized_crop,
    rgb_to_grayscale, rotate, solarize, ten_crop, to_grayscale, to_pil_image, to_tensor, vflip)

horizontal_flip, vertical_flip, get_size, get_num_channels = hflip, vflip, get_image_size, get_image_num_channels


def get_size(inpt):
    return get_dimensions(inpt)[1:]


def to_image(inpt):
    if isinstance(inpt, numpy.ndarray):
        a = inpt[:, :, None] if inpt.ndim == 2 else inpt
        return torch.from_numpy(a.transpose(2, 0, 1).copy())
    if isinstance(inpt, _Image.Image):
        return pil_to_tensor(inpt)
    if isinstance(inpt, torch.Tensor):
        return inpt
    raise TypeError(f"Input can either be a pure Tensor, a numpy array, or a PIL image, but got {type(inpt)} instead.")


def to_dtype(inpt, dtype=torch.float32, scale=False):
    dtype = dtype.get(torch.Tensor, None) if isinstance(dtype, dict) else dtype
    return inpt if dtype is None else convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)


to_dtype_image = to_dtype
