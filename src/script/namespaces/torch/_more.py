# torch._more -- functions of torch, and methods of tensors, that few programs use.
import math

import _torch as _w
from torch._core import core as _core
from torch._math import __keywords__
from torch._types import float64, int32, int64

_range = range


def put(input, index, source, accumulate=False):
    # Into the flat tensor, places counted from the end below 0.
    flat, at = _w.reshape(input, (-1,)), _w.reshape(index, (-1,))
    if index.numel() != source.numel():
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got source.numel() = "
                         f"{source.numel()}, index.numel() = {index.numel()}")
    if source.dtype != input.dtype:
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, but got self.dtype = {_name(input)} and "
                           f"source.dtype = {_name(source)}")
    for k in at.tolist():
        if not -flat.shape[0] <= k < flat.shape[0]:
            raise IndexError(f"out of range: tried to access index {k} on a tensor of {flat.shape[0]} elements.")
    at = _w.where(_w.lt(at, 0), at + flat.shape[0], at)
    values = _w.reshape(source, (-1,))
    flat = flat.index_put((at,), values, accumulate)
    return _w.reshape(flat, input.shape)


_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int",
          "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}


def _name(x):
    return _NAMES.get(x.dtype.name, x.dtype.name)


def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = dim % max(input.ndim, 1)
    shape = [1] * source.ndim
    shape[dim] = -1
    wide = _w.broadcast_to(_w.reshape(index, shape), source.shape)
    return input.scatter_reduce(dim, wide, source, reduce, include_self=include_self)


# ---- tensors with a part replaced

def _placed(input, part, src, copied=None):
    out = _w.copy(input) if copied is None else copied
    view = part(out)
    if view.shape != src.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src.shape)}, slice size = {list(view.shape)}")
    _w.write(view, src if src.dtype == input.dtype else _w.cast(src, input.dtype))
    return out


def select_scatter(input, src, dim, index):
    return _placed(input, lambda x: x.select(dim, index), src)


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    at = (slice(None),) * (dim % input.ndim) + (slice(start, end, step),)
    return _placed(input, lambda x: x[at], src)


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    return _placed(input, lambda x: x.diagonal(offset, dim1, dim2), src)


def as_strided_scatter(input, src, size, stride, storage_offset=None):
    # The places are those of input's storage, so the copy is of all of that, and laid out as input is.
    whole = _w.copy(input.as_strided((input.untyped_storage().nbytes() // input.element_size(),), (1,), 0))
    at = input.storage_offset() if storage_offset is None else storage_offset
    out = whole.as_strided(input.shape, input.stride(), input.storage_offset())
    _placed(input, lambda x: whole.as_strided(size, stride, at), src, out)
    return out


_VIEWS = {"alias_copy": lambda x: x, "slice_copy": lambda x, dim=0, start=None, end=None, step=1:
          x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)]}


def copied(name):
    # torch.select_copy and its like: what the view shows, in memory of its own.
    import torch
    stem = name[:-5]
    view = _VIEWS.get(name) or getattr(torch, stem, None) or getattr(torch.Tensor, stem)

    def copy(*args, **kwargs):
        found = view(*args, **kwargs)
        return tuple([_w.copy(v) for v in found]) if isinstance(found, (tuple, list)) else _w.copy(found)
    return copy


# ---- elementwise

def igamma(input, other):
    from torch.special import gammainc
    return gammainc(input, other)


def igammac(input, other):
    from torch.special import gammaincc
    return gammaincc(input, other)


def i0(input):
    from torch.special import i0
    return i0(input)


def nextafter(input, other):
    if input.dtype != other.dtype or not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"nextafter\" not implemented for '{_name(input)}'")
    shape = _w.add(input, other).shape
    return _core.nextafter(_w.broadcast_to(input, shape), _w.broadcast_to(other, shape))


def ldexp(input, other):
    whole = isinstance(other, _w.Tensor) and not other.dtype.is_inexact
    y = _w.mul(input, _w.pow(2.0, other))
    return _w.cast(y, input.dtype) if whole and input.dtype.itemsize == 2 and input.dtype.is_floating_point else y


def frexp(input):
    from torch._types import result as _result
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return _result("frexp", ("mantissa", "exponent"))(_core.frexp(input))


# ---- others

def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    # Neighbours along one axis joined; lengths, or places where they begin, may differ from row to row before that axis.
    import torch
    if reduce not in ("sum", "mean", "max", "min", "prod"):
        raise RuntimeError(f"Expected reduction to be one of max, mean, min, sum or prod, but got {reduce}")
    if indices is not None or (lengths is None) == (offsets is None):
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if lengths is None:
        lengths = offsets.narrow(axis, 1, offsets.shape[axis] - 1) - offsets.narrow(axis, 0, offsets.shape[axis] - 1)
    elif not unsafe and (bool(_w.any(_w.lt(lengths, 0))) or bool(_w.any(_w.gt(lengths.sum(axis), data.shape[axis])))):
        raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.")
    if axis:
        rows = [segment_reduce(d, reduce, lengths=n, axis=axis - 1, unsafe=True, initial=initial)
                for d, n in zip(data.unbind(0), lengths.unbind(0))]
        return torch.stack(rows)
    start = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}[reduce] if initial is None else initial
    out, at = [], 0
    for n in lengths.tolist():
        part, at = data[at:at + n], at + n
        first = _w.full((1,) + tuple(data.shape[1:]), start, data.dtype)
        joined = getattr(torch, {"max": "amax", "min": "amin", "mean": "sum"}.get(reduce, reduce))
        if n and initial is None and reduce in ("max", "min"):
            out.append(joined(part, 0))
        else:
            out.append(joined(_w.concat([first, part], 0), 0))
        if reduce == "mean":
            out[-1] = out[-1] / n if n else out[-1] + (math.nan if initial is None else 0)
    return torch.stack(out)


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    from torch._misc import _bin_edges
    from torch._types import result
    x = input.reshape(-1, input.shape[-1])
    d = x.shape[1]
    bins = [bins] * d if isinstance(bins, int) else list(bins)
    edges = [_bin_edges(x[:, k], bins[k], None if range is None else range[2 * k:2 * k + 2]) for k in _range(d)]
    counted = _w.ones_like(x[:, 0]) if weight is None else _w.reshape(weight, (-1,))
    return result("histogramdd", ("hist", "bin_edges"))((_core.histogramdd(x, edges, counted, density), tuple(edges)))


def split_with_sizes(input, split_sizes, dim=0):
    return input.split(list(split_sizes), dim)


unsafe_split_with_sizes = split_with_sizes


def nonzero_static(input, *, size, fill_value=-1):
    found = _w.nonzero(input)[:size]
    rest = _w.full((size - found.shape[0], found.shape[1]), fill_value, int64)
    return _w.concat([found, rest], 0)


def resize_as_(input, the_template):
    return input.resize_(*the_template.shape)


def map2_(self, x, y, fn):
    lists = [_w.reshape(_w.broadcast_to(v, self.shape), (-1,)).tolist() for v in (self, x, y)]
    values = [fn(a, b, c) for a, b, c in zip(*lists)]
    return _w.write(self, _w.reshape(_w.tensor(values, self.dtype), self.shape))


def is_signed(input):
    return input.dtype.kind in "ifc" or input.dtype.is_floating_point


def is_conj(input):
    return False if isinstance(input, _w.Tensor) else _refuse(input)     # conjugates are computed here, never noted


def is_neg(input):
    return False if isinstance(input, _w.Tensor) else _refuse(input)


def is_inference(input):
    return _w.about(input, "inference") if isinstance(input, _w.Tensor) else _refuse(input)


def _refuse(input):
    raise TypeError(f"argument 'input' (position 1) must be Tensor, not {type(input).__name__}")


def constant_pad_nd(input, pad, value=0):
    from torch.nn import functional as F
    return F.pad(input, pad, "constant", value)


def affine_grid_generator(theta, size, align_corners):
    from torch.nn import functional as F
    return F.affine_grid(theta, size, align_corners)


_MODES, _PADDING = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    from torch.nn import functional as F
    return F.grid_sample(input, grid, _MODES[interpolation_mode], _PADDING[padding_mode], align_corners)


grid_sampler_2d = grid_sampler_3d = grid_sampler


def empty_permuted(size, physical_layout, *, dtype=None, device=None, requires_grad=False):
    import torch
    x = torch.empty([size[k] for k in physical_layout], dtype=dtype, device=device, requires_grad=requires_grad)
    return x.permute([list(physical_layout).index(k) for k in range(len(size))])


def frobenius_norm(input, dim=(), keepdim=False):
    import torch
    dims = [dim] if isinstance(dim, int) else list(dim)
    return torch.linalg.vector_norm(input, 2, dims or None, keepdim)


def nuclear_norm(input, dim=None, keepdim=False):
    import torch
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    return torch.linalg.matrix_norm(input, "nuc", (-2, -1) if dim is None else tuple(dim), keepdim)


def norm_except_dim(v, pow=2, dim=0):
    if dim == -1:
        return v.norm(pow)
    shape = [1] * v.ndim
    shape[dim] = v.shape[dim]
    return _w.reshape(_w.swap_axes(v, 0, dim), (v.shape[dim], -1)).norm(pow, 1).reshape(shape)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None, requires_grad=False):
    from torch._creation import get_default_dtype, tensor
    n = window_length - (0 if periodic else 1)
    if window_length == 1:
        values = [1.0]
    else:
        values = [_i0(beta * math.sqrt(max(0.0, 1 - (2 * k / n - 1) ** 2))) / _i0(beta) for k in range(window_length)]
    return tensor(values, dtype=dtype or get_default_dtype(), device=device, requires_grad=requires_grad)


def _i0(x):
    total = term = 1.0
    for k in range(1, 80):
        term *= (x / (2 * k)) ** 2
        total += term
    return total
