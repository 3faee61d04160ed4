# torchvision.utils -- tensors as pictures.
import math as _math

import torch


def _log_api_usage_once(obj):
    pass


def _make_ntuple(x, n):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,) * n


def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    if isinstance(tensor, (list, tuple)):
        tensor = torch.stack(list(tensor), 0)
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    if tensor.dim() == 2:
        tensor = tensor.unsqueeze(0)
    if tensor.dim() == 3:
        tensor = (torch.cat([tensor] * 3, 0) if tensor.shape[0] == 1 else tensor).unsqueeze(0)
    if tensor.dim() == 4 and tensor.shape[1] == 1:
        tensor = torch.cat([tensor] * 3, 1)
    if normalize:
        def scaled(t):
            low, high = value_range if value_range is not None else (float(t.min()), float(t.max()))
            return (t.clamp(min=low, max=high) - low) / max(high - low, 1e-5)
        tensor = torch.stack([scaled(t) for t in tensor]) if scale_each else scaled(tensor)
    if tensor.shape[0] == 1:
        return tensor.squeeze(0)
    n = tensor.shape[0]
    columns = min(nrow, n)
    rows = int(_math.ceil(n / columns))
    h, w = tensor.shape[2] + padding, tensor.shape[3] + padding
    grid = torch.full((tensor.shape[1], h * rows + padding, w * columns + padding), pad_value, dtype=tensor.dtype)
    for k in range(n):
        y, x = k // columns * h + padding, k % columns * w + padding
        grid[:, y:y + h - padding, x:x + w - padding] = tensor[k]
    return grid


def save_image(tensor, fp, format=None, **kwargs):
    from PIL import Image
    grid = make_grid(tensor, **kwargs).detach().cpu()
    pixels = grid.mul(255).add(0.5).clamp(0, 255).permute(1, 2, 0).to(torch.uint8).numpy()
    Image.fromarray(pixels).save(fp, format=format)
