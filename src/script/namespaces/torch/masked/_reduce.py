# torch.masked._reduce -- reductions of plain tensors over the elements that a mask keeps.
import torch


def _kept(input, mask):
    return torch.ones(input.shape, dtype=torch.bool) if mask is None else torch.broadcast_to(mask, input.shape)


def _cast(x, dtype):
    return x if dtype is None else x.to(dtype)


def _axes(dim, ndim):
    return tuple(range(ndim)) if dim is None or dim == () else (dim,) if isinstance(dim, int) else tuple(dim)


def _filled(input, mask, value):
    return torch.where(_kept(input, mask), input, torch.tensor(value, dtype=input.dtype))


def lowest(dtype):
    return float("-inf") if dtype.is_floating_point else torch.iinfo(dtype).min


def highest(dtype):
    return float("inf") if dtype.is_floating_point else torch.iinfo(dtype).max


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    return torch.sum(_filled(_cast(input, dtype), mask, 0), _axes(dim, input.ndim), keepdim=keepdim)


def _along(fn, x, dim, keepdim):
    for d in sorted([a % x.ndim for a in _axes(dim, x.ndim)], reverse=True):
        x = fn(x, d, keepdim=keepdim)
    return x


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    return _along(torch.prod, _filled(_cast(input, dtype), mask, 1), dim, keepdim)


def count(input, dim, keepdim, mask):
    return torch.sum(_kept(input, mask), _axes(dim, input.ndim), keepdim=keepdim)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    x = _cast(input, dtype)
    if not x.dtype.is_floating_point and not x.dtype.is_complex:
        raise RuntimeError(f"mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                           f"Got: {x.dtype}")
    return sum(x, dim, keepdim=keepdim, mask=mask) / count(x, dim, keepdim, mask)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    x = _cast(input, dtype)
    return torch.amax(_filled(x, mask, lowest(x.dtype)), _axes(dim, x.ndim), keepdim=keepdim)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    x = _cast(input, dtype)
    return torch.amin(_filled(x, mask, highest(x.dtype)), _axes(dim, x.ndim), keepdim=keepdim)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    x = _cast(input, dtype)
    return torch.argmax(_filled(x, mask, lowest(x.dtype)), dim, keepdim=keepdim)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    x = _cast(input, dtype)
    return torch.argmin(_filled(x, mask, highest(x.dtype)), dim, keepdim=keepdim)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    fill = highest(torch.float32) if ord == float("-inf") else 0
    x = _filled(_cast(input, dtype), mask, fill)
    return torch.linalg.vector_norm(x, ord, _axes(dim, x.ndim), keepdim=keepdim)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    x = _cast(input, dtype)
    less = correction if correction is not None else 0 if unbiased is False else 1
    away = x - mean(x, dim, keepdim=True, mask=mask)
    n = count(x, dim, keepdim, mask) - less
    return sum(away * away, dim, keepdim=keepdim, mask=mask) / torch.clamp(n, min=0)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    return torch.sqrt(var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask))


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    return torch.nanmedian(_filled(_cast(input, dtype), mask, float("nan")), dim, keepdim=keepdim).values


def cumsum(input, dim, *, dtype=None, mask=None):
    return torch.cumsum(_filled(_cast(input, dtype), mask, 0), dim)


def cumprod(input, dim, *, dtype=None, mask=None):
    return torch.cumprod(_filled(_cast(input, dtype), mask, 1), dim)


def softmax(input, dim, *, dtype=None, mask=None):
    return torch.softmax(_filled(_cast(input, dtype), mask, float("-inf")), dim)


def log_softmax(input, dim, *, dtype=None, mask=None):
    return torch.log_softmax(_filled(_cast(input, dtype), mask, float("-inf")), dim)


def softmin(input, dim, *, dtype=None, mask=None):
    return torch.softmax(-_filled(_cast(input, dtype), mask, float("inf")), dim)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    x = _cast(input, dtype)
    return _filled(x, mask, 0) / torch.clamp(norm(x, ord, dim, keepdim=True, mask=mask), min=eps)


def logsumexp(input, dim, *, keepdim=False, dtype=None, mask=None):
    return torch.logsumexp(_filled(_cast(input, dtype), mask, float("-inf")), _axes(dim, input.ndim), keepdim=keepdim)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    return torch.logaddexp(_filled(_cast(input, dtype), input_mask, float("-inf")),
                           _filled(_cast(other, dtype), other_mask, float("-inf")))
