# torch.jit._aten -- the operators that code of TorchScript archives and graphs of torch.export name, by their aten names.
#
# Most have the arguments of the function or method of the same name; those that have others stand here. Types of elements are
# numbers there (6 is float32).
import math

import _torch as _w
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.modules import rnn as _rnn

inf, nan = math.inf, math.nan
_list, _max, _min, _round, _slice, _any, _all, _sum, _sorted, _dict = list, max, min, round, slice, any, all, sum, sorted, dict
_every = slice(None)
DTYPES = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64, None,
          torch.complex64, torch.complex128, torch.bool, None, None, None, torch.bfloat16) + (None,) * 11 + (
              torch.uint16, torch.uint32, torch.uint64)


def dtype(d):
    # The type of a number, or of what is one already.
    if isinstance(d, int) and not isinstance(d, bool):
        if not 0 <= d < len(DTYPES) or DTYPES[d] is None:
            raise RuntimeError(f"element type {d} of TorchScript is not supported")
        return DTYPES[d]
    return d


def code_of(d):
    for i, x in enumerate(DTYPES):
        if x is d:
            return i
    return -1


def _options(kw):
    out = {}
    for k, v in kw.items():
        if k == "dtype" and v is not None:
            out[k] = dtype(v)
        elif k == "device" and v is not None:
            out[k] = v
        elif k in ("dtype", "device", "layout", "pin_memory", "memory_format", "non_blocking"):
            pass
        else:
            out[k] = v
    return out


def _none(v):
    return None if isinstance(v, (_list, tuple)) and not v else v


# ---- creation, conversion -------------------------------------------------------------------------------

def _making(f):
    def make(*args, **kw):
        return f(*args, **_options(kw))
    return make


zeros, ones, full, empty, rand, randn = [_making(f) for f in (torch.zeros, torch.ones, torch.full, torch.zeros, torch.rand,
                                                              torch.randn)]
zeros_like, ones_like, full_like, empty_like, rand_like, randn_like = [
    _making(f) for f in (torch.zeros_like, torch.ones_like, torch.full_like, torch.zeros_like, torch.rand_like, torch.randn_like)]
linspace, eye, randint, randperm = [_making(f) for f in (torch.linspace, torch.eye, torch.randint, torch.randperm)]


def arange(*args, **kw):
    o = _options(kw)
    start, end, step = (0, args[0], 1) if len(args) == 1 else args if len(args) == 3 else args + (1,)
    if isinstance(start, (int, float)) and isinstance(end, (int, float)) or step != 1:
        return torch.arange(start, end, step, **o)
    # an end that is a size left open stays one
    d = o.get("dtype") or torch.int64
    return torch.cumsum(torch.ones((end - start,), dtype=d), 0) + (start - 1)


hann_window = _making(lambda *a, **k: torch.hann_window(*a, **k))


def _new(f):
    def make(x, *args, **kw):
        o = _options(kw)
        o.setdefault("dtype", x.dtype)
        return f(*args, **o)
    return make


new_zeros, new_ones, new_full, new_empty = [_new(f) for f in (torch.zeros, torch.ones, torch.full, torch.zeros)]


def tensor(data, **kw):
    o = _options(kw)
    o.pop("requires_grad", None)
    return torch.tensor(data, **o)


scalar_tensor = as_tensor = tensor


def prim_NumToTensor(x):
    return x        # sizes that traces hold as tensors stay numbers, which shapes can be made of


def _open_size(x):
    # The size that is left open which x, or the number that it holds, is; None: it is none
    return x if _w.is_size(x) else _w.size_of(x, False) if isinstance(x, _w.Tensor) and not x.dtype.is_floating_point else None


def Int(x):
    # int(x), but for a size that is left open: it stays one
    size = _open_size(x)
    return int(x) if size is None else size


def to(x, *args, **kw):
    # to(dtype ..), to(device, dtype ..), to(other ..)
    o = _options(kw)
    number = None if isinstance(x, _w.Tensor) else x
    x = x if number is None else torch.tensor(x)
    for a in args:
        if isinstance(a, bool) or a is None:
            continue
        if isinstance(a, _w.Tensor):
            return x.to(a.dtype).to(a.device)
        if isinstance(a, (int, _w.dtype)) and "dtype" not in o:
            o["dtype"] = dtype(a)
        elif isinstance(a, (str, torch.device)):
            o["device"] = a
    o.pop("copy", None)
    if number is not None and o.get("dtype") in (torch.int64, torch.int32):
        return Int(number)      # of sizes, as prim_NumToTensor has it
    return x.to(**o) if o else x


def type_as(x, y):
    return to(x, y)


def contiguous(x, memory_format=None):
    return x.contiguous() if isinstance(x, _w.Tensor) else x


def clone(x, memory_format=None):
    return x.clone() if isinstance(x, _w.Tensor) else x


lift_fresh_copy = lift_fresh = alias = clone


def detach(x):
    return x.detach() if isinstance(x, _w.Tensor) else x


def _cast(d):
    return lambda x, *a: x.to(d)


_cast_Float, _cast_Long = _cast(torch.float32), _cast(torch.int64)


def prim_dtype(x):
    return code_of(x.dtype)


def prim_device(x):
    return x.device


def prim_layout(_x):
    return 0


def prim_type(d):
    return d.type


def device(*args):
    return torch.device(*args)


def size(x, dim=None):
    return list(x.shape) if dim is None else x.shape[dim]


sym_size = size


def sym_numel(x):
    return x.numel()


def stride(x, dim=None):
    return list(x.stride()) if dim is None else x.stride(dim)


def dim(x):
    return x.ndim


def is_floating_point(x):
    return x.dtype.is_floating_point


def item(x):
    return x.item()


# ---- lists, dicts, numbers -----------------------------------------------------------------------------------

def new_object(cls):
    return cls.__new__(cls)


def list(x):
    return [v for v in x]


def copy(x, *more):
    return x.copy_(*more) if more else [v for v in x]


def dict(x=None):
    return {} if x is None else {k: v for k, v in (x.items() if hasattr(x, "items") else x)}


def values(x):
    return [v for v in x.values()] if hasattr(x, "keys") else x


def get(d, k, default=None):
    return d.get(k, default)


def count(x, v):
    return x.count(v)


def index(x, at, *more):
    # of a tensor by tensors; of a list, where something is
    if isinstance(x, _w.Tensor):
        return x[tuple([_every if i is None else i for i in at])]
    return x.index(at, *more)


def _list_slice(x, start=None, end=None, step=1):
    return x[start:None if end is not None and end >= 9223372036854775807 else end:step]


def slice_(x, *args):
    if not isinstance(x, _w.Tensor):
        return _list_slice(x, *args)
    d, start, end, step = [a for a in args] + [0, None, None, 1][len(args):]
    if isinstance(end, int) and end >= 9223372036854775807:
        end = None
    at = [_every] * (d if d >= 0 else d + x.ndim)
    at.append(_slice(start, end, step))
    return x[tuple(at)]


def select(x, dim, i):
    return torch.select(x, dim, i)


def prim_abs(x):
    return abs(x)


def any(x, *args, **kw):
    return _any(x) if isinstance(x, _list) else torch.any(x, *args, **kw)


def all(x, *args, **kw):
    return _all(x) if isinstance(x, _list) else torch.all(x, *args, **kw)


def sorted(x):
    return _sorted(x)


def floor(x):
    return torch.floor(x) if isinstance(x, _w.Tensor) else math.floor(x)


def ceil(x):
    return torch.ceil(x) if isinstance(x, _w.Tensor) else math.ceil(x)


def sqrt(x):
    return torch.sqrt(x) if isinstance(x, _w.Tensor) else math.sqrt(x)


def exp(x):
    return torch.exp(x) if isinstance(x, _w.Tensor) else math.exp(x)


def log(x, *base):
    return torch.log(x) if isinstance(x, _w.Tensor) else math.log(x, *base)


def round(x, **kw):
    return torch.round(x, **kw) if isinstance(x, _w.Tensor) else _round(x)


def ScalarImplicit(x):
    return x.item()


def prim_unchecked_unwrap_optional(x):
    return x


def prim_is_cuda(x):
    return x.is_cuda


def _false(*_args):
    return False


prim_is_nested = prim_is_sparse = prim_is_mkldnn = prim_is_quantized = prim_is_meta = prim_is_xpu = _false
prim_is_mps = prim_is_ipu = prim_is_vulkan = prim_is_xla = prim_is_maia = prim_is_mtia = prim_is_hpu = _false
is_autocast_enabled = is_autocast_cpu_enabled = has_torch_function = is_tracing = _false


def prim_requires_grad(_x):
    return False        # as under no_grad: a program has no history


def is_grad_enabled():
    return False


def prim_ndim(x):
    return x.ndim


def prim_T(x):
    return x.T


prim_mT = lambda x: x.mT


def warn(*_args, **_kw):
    return None


prim_Print = prim_print = warn


# ---- arithmetic with a factor -----------------------------------------------------------------------------------

def rsub(x, y, alpha=1):
    return y - x * alpha if alpha != 1 else y - x


def add(x, y, alpha=1):
    return torch.add(x, y, alpha=alpha) if isinstance(x, _w.Tensor) else x + y if alpha == 1 else x + y * alpha


def sub(x, y, alpha=1):
    return torch.sub(x, y, alpha=alpha) if isinstance(x, _w.Tensor) else x - y if alpha == 1 else x - y * alpha


def add_(x, y, alpha=1):
    if isinstance(x, _list):
        return x.__iadd__(y)
    return x.add_(y, alpha=alpha) if isinstance(x, _w.Tensor) else add(x, y, alpha)


def sub_(x, y, alpha=1):
    return x.sub_(y, alpha=alpha) if isinstance(x, _w.Tensor) else sub(x, y, alpha)


# Of sizes, which are numbers here (prim_NumToTensor): traces name the result, and that is what they go on with.

def mul_(x, y):
    return x.mul_(y) if isinstance(x, _w.Tensor) else x * y


def div_(x, y, rounding_mode=None):
    return x.div_(y, rounding_mode=rounding_mode) if isinstance(x, _w.Tensor) else div(x, y, rounding_mode)


def floor_divide_(x, y):
    return x.floor_divide_(y) if isinstance(x, _w.Tensor) else floor_divide(x, y)


def div(x, y, rounding_mode=None):
    if isinstance(x, _w.Tensor) or isinstance(y, _w.Tensor):
        return torch.div(x, y, rounding_mode=rounding_mode)
    if rounding_mode == "floor" or (rounding_mode == "trunc" and isinstance(x, int) and isinstance(y, int) and x >= 0 and y > 0):
        return x // y
    return x / y if rounding_mode is None else math.trunc(x / y)


def floor_divide(x, y):
    return torch.floor_divide(x, y) if isinstance(x, _w.Tensor) or isinstance(y, _w.Tensor) else x // y


def to_copy(x, **kw):
    return to(x, **kw).clone()


_to_copy = to_copy


# ---- layers ---------------------------------------------------------------------------------------------------------

def batch_norm(x, weight, bias, mean, var, training, momentum, eps, *_cudnn):
    return F.batch_norm(x, mean, var, weight, bias, training, momentum, eps)


def verify_batch_size(sizes):
    # Of sizes that are open nothing is said.
    n = 1
    for i, k in enumerate(sizes):
        if type(k) is not int:
            return
        n *= 1 if i == 1 else k
    if n == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {[k for k in sizes]}")


def _native_batch_norm_legit_no_training(x, weight, bias, mean, var, momentum, eps):
    return F.batch_norm(x, mean, var, weight, bias, False, momentum, eps), None, None


def _batch_norm_of(x, weight, bias, eps):
    # By the statistics of the batch: (result, mean, 1/deviation, variance, elements of each)
    dims = [d for d in range(x.ndim) if d != 1]
    shape = [-1 if d == 1 else 1 for d in range(x.ndim)]
    mean, var = x.mean(dims), x.var(dims, unbiased=False)
    n = 1
    for d in dims:
        n = n * x.shape[d]
    rstd = torch.rsqrt(var + eps)
    y = (x - mean.reshape(shape)) * rstd.reshape(shape)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape), mean, rstd, var, n


def _native_batch_norm_legit_functional(x, weight, bias, mean, var, training, momentum, eps):
    if not training:
        return F.batch_norm(x, mean, var, weight, bias, False, momentum, eps), None, None, mean, var
    y, m, rstd, v, n = _batch_norm_of(x, weight, bias, eps)
    return y, m, rstd, mean * (1 - momentum) + m.detach() * momentum, var * (1 - momentum) + v.detach() * n / (n - 1) * momentum


def _native_batch_norm_legit(x, weight, bias, *rest):
    if len(rest) == 3:          # no running statistics
        return _batch_norm_of(x, weight, bias, rest[2])[:3]
    mean, var, training, momentum, eps = rest
    return F.batch_norm(x, mean, var, weight, bias, training, momentum, eps), None, None


def _moments(x, dims, eps, keepdim):
    # (mean, 1/deviation)
    return x.mean(dims, keepdim), torch.rsqrt(x.var(dims, unbiased=False, keepdim=keepdim) + eps)


def native_group_norm(x, weight, bias, _n, _c, _size, groups, eps):
    y = F.group_norm(x, groups, weight, bias, eps)
    return y, *_moments(x.reshape(x.shape[0], groups, -1), (2,), eps, False)


def native_dropout(x, p, train):
    mask = torch.rand_like(x) >= p if train else torch.ones_like(x).bool()
    return x * mask / (1 - p) if train else x, mask


def instance_norm(x, weight, bias, mean, var, use_input_stats, momentum, eps, *_cudnn):
    return F.instance_norm(x, mean, var, weight, bias, use_input_stats, momentum, eps)


def layer_norm(x, shape, weight=None, bias=None, eps=1e-05, *_cudnn):
    return F.layer_norm(x, tuple(shape), weight, bias, eps)


def native_layer_norm(x, shape, weight, bias, eps):
    y = F.layer_norm(x, tuple(shape), weight, bias, eps)
    return y, *_moments(x.detach(), tuple(range(x.ndim - len(shape), x.ndim)), eps, True)


def group_norm(x, groups, weight=None, bias=None, eps=1e-05, *_cudnn):
    return F.group_norm(x, groups, weight, bias, eps)


def _convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups, *_flags):
    n = x.ndim - 2 if w.ndim == x.ndim else x.ndim - 1
    if transposed:
        f = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[w.ndim - 3]
        return f(x, w, b, tuple(stride), tuple(padding), tuple(output_padding), groups, tuple(dilation))
    f = (F.conv1d, F.conv2d, F.conv3d)[w.ndim - 3]
    return f(x, w, b, tuple(stride), tuple(padding), tuple(dilation), groups)


convolution = _convolution


def _pools(f):
    def pool(x, kernel, stride=None, *rest, **kw):
        return f(x, kernel, _none(stride), *rest, **kw)
    return pool


max_pool1d, max_pool2d, max_pool3d = _pools(F.max_pool1d), _pools(F.max_pool2d), _pools(F.max_pool3d)
avg_pool1d, avg_pool2d, avg_pool3d = _pools(F.avg_pool1d), _pools(F.avg_pool2d), _pools(F.avg_pool3d)


def max_pool2d_with_indices(x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool2d(x, kernel, _none(stride), padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool3d(x, kernel, _none(stride), padding, dilation, ceil_mode, True)


def _adaptive_avg_pool2d(x, size):
    return F.adaptive_avg_pool2d(x, size)


def _adaptive_avg_pool3d(x, size):
    return F.adaptive_avg_pool3d(x, size)


def grid_sampler_2d(x, grid, mode, padding, corners):
    return F.grid_sample(x, grid, ("bilinear", "nearest", "bicubic")[mode], ("zeros", "border", "reflection")[padding], corners)


grid_sampler = grid_sampler_3d = grid_sampler_2d


def col2im(x, size, kernel, dilation, padding, stride):
    return F.fold(x, size, kernel, dilation, padding, stride)


def im2col(x, kernel, dilation, padding, stride):
    return F.unfold(x, kernel, dilation, padding, stride)


def embedding(weight, index, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return F.embedding(index, weight, padding_idx if padding_idx >= 0 else None, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def softmax(x, dim, d=None):
    return F.softmax(x if d is None else x.to(dtype(d)), dim)


def log_softmax(x, dim, d=None):
    return F.log_softmax(x if d is None else x.to(dtype(d)), dim)


def _softmax(x, dim, _half):
    return F.softmax(x, dim)


def _log_softmax(x, dim, _half):
    return F.log_softmax(x, dim)


def dropout(x, p, train):
    return F.dropout(x, p, train)


def dropout_(x, p, train):
    return x.copy_(F.dropout(x, p, True)) if train else x


feature_dropout = lambda x, p, train: F.dropout2d(x, p, train)


def hardtanh(x, lo=-1, hi=1):
    return F.hardtanh(x, lo, hi)


def gelu(x, approximate="none"):
    return F.gelu(x, approximate=approximate)


def pad(x, pad, mode="constant", value=None):
    return F.pad(x, tuple(pad), mode, value)


def constant_pad_nd(x, pad, value=0):
    return F.pad(x, tuple(pad), "constant", value)


def reflection_pad1d(x, pad):
    return F.pad(x, tuple(pad), "reflect")


reflection_pad2d = reflection_pad3d = reflection_pad1d


def replication_pad1d(x, pad):
    return F.pad(x, tuple(pad), "replicate")


replication_pad2d = replication_pad3d = replication_pad1d


def _upsample(mode, linear):
    def up(x, size, *rest):
        corners = rest[0] if linear and rest else None
        scales = [s for s in rest[1 if linear else 0:] if s is not None]
        if len(scales) == 1 and isinstance(scales[0], (tuple, _list)):
            scales = [s for s in scales[0]]
        if size is not None:
            return F.interpolate(x, tuple(size), None, mode, corners)
        return F.interpolate(x, None, tuple(scales), mode, corners)
    return up


upsample_nearest1d = upsample_nearest2d = upsample_nearest3d = _upsample("nearest", False)
upsample_linear1d, upsample_bilinear2d = _upsample("linear", True), _upsample("bilinear", True)
upsample_trilinear3d, upsample_bicubic2d = _upsample("trilinear", True), _upsample("bicubic", True)


def __interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None, *more):
    return F.interpolate(x, size, scale_factor, mode, align_corners)


def scaled_dot_product_attention(q, k, v, mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return F.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)


def _scaled_dot_product_flash_attention_for_cpu(q, k, v, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    return F.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal, scale), None


def einsum(equation, operands, *_path, **_kw):
    return torch.einsum(equation, *operands)


def _of_list(f):
    return lambda tensors: f(*tensors)


broadcast_tensors, block_diag, cartesian_prod = [_of_list(f) for f in (torch.broadcast_tensors, torch.block_diag, torch.cartesian_prod)]


def meshgrid(tensors, indexing="ij"):
    return torch.meshgrid(*tensors, indexing=indexing)


def _with_dtype(f):
    def reduce(x, *args, **kw):
        if isinstance(x, _list):
            return _sum(x)
        kw = _options(kw)
        if args and isinstance(args[0], _list):
            args = (tuple(args[0]) if args[0] else None,) + tuple(args[1:])
        return f(x, *args, **kw)
    return reduce


sum, mean, prod = _with_dtype(torch.sum), _with_dtype(torch.mean), _with_dtype(torch.prod)
amax, amin, std, var = _with_dtype(torch.amax), _with_dtype(torch.amin), _with_dtype(torch.std), _with_dtype(torch.var)
cumsum, cumprod = _with_dtype(torch.cumsum), _with_dtype(torch.cumprod)


def max(*args, **kw):
    return torch.max(*args, **kw) if isinstance(args[0], _w.Tensor) else _max(*args)


def min(*args, **kw):
    return torch.min(*args, **kw) if isinstance(args[0], _w.Tensor) else _min(*args)


prim_max, prim_min = _max, _min


def view(x, shape):
    return x.view(shape) if isinstance(shape, (tuple, _list)) else x.view(dtype(shape))


_unsafe_view = view


def fill(x, v):
    return torch.full_like(x, v) if not isinstance(v, _w.Tensor) else torch.zeros_like(x) + v


def slice_scatter(x, y, *args):
    x = x.clone()
    slice_(x, *args).copy_(y)
    return x


def select_scatter(x, y, dim, i):
    x = x.clone()
    x.select(dim, i).copy_(y)
    return x


def _cdist_forward(x, y, p, _how=None):
    return torch.cdist(x, y, p)


def _local_scalar_dense(x):
    return x.item()


def expand(x, sizes, *_implicit, **_kw):
    return x.expand(*sizes)


def repeat(x, sizes):
    return x.repeat(*sizes)


def permute(x, dims):
    return x.permute(*dims)


def split(x, size, dim=0):
    if not isinstance(size, (_list, tuple)) or _all([isinstance(n, int) for n in size]):
        return [t for t in torch.split(x, size, dim)]
    out, at = [], 0         # sizes that are left open stay so
    for n in size:
        out.append(x.narrow(dim, at, n))
        at = at + n
    return out


split_with_sizes = split


def chunk(x, n, dim=0):
    return [t for t in torch.chunk(x, n, dim)]


def unbind(x, dim=0):
    return [t for t in torch.unbind(x, dim)]


def index_put_(x, at, v, accumulate=False):
    at = tuple([_every if i is None else i for i in at])
    if accumulate:
        return x.index_put_(at, v, True)
    x[at] = v
    return x


def index_put(x, at, v, accumulate=False):
    return index_put_(x.clone(), at, v, accumulate)


def cross_entropy_loss(x, target, weight=None, reduction=1, ignore=-100, smoothing=0.0):
    return F.cross_entropy(x, target, weight, ignore_index=ignore, reduction=("none", "mean", "sum")[reduction],
                           label_smoothing=smoothing)


def mse_loss(x, target, reduction=1):
    return F.mse_loss(x, target, reduction=("none", "mean", "sum")[reduction])


def nll_loss(x, target, weight=None, reduction=1, ignore=-100):
    return F.nll_loss(x, target, weight, ignore_index=ignore, reduction=("none", "mean", "sum")[reduction])


nll_loss_nd = nll_loss2d = nll_loss


def nll_loss_forward(x, target, weight, reduction, ignore):
    return nll_loss(x, target, weight, reduction, ignore), None


def _loss(f, names=(), at=2):
    # The reduction is a number, argument `at`; those behind it go by name.
    def loss(*args, **kw):
        reduction = args[at] if len(args) > at else kw.pop("reduction", 1)
        return f(*args[:2], reduction=("none", "mean", "sum")[reduction], **_dict(zip(names, args[2:at] + args[at + 1:])), **kw)
    return loss


l1_loss, soft_margin_loss = _loss(F.l1_loss), _loss(F.soft_margin_loss)
smooth_l1_loss, huber_loss, kl_div = _loss(F.smooth_l1_loss, ("beta",)), _loss(F.huber_loss, ("delta",)), _loss(F.kl_div)
binary_cross_entropy = _loss(F.binary_cross_entropy, ("weight",), 3)
binary_cross_entropy_with_logits = _loss(F.binary_cross_entropy_with_logits, ("weight", "pos_weight"), 4)


# ---- recurrent layers --------------------------------------------------------------------------------------------

def _recurrent(mode, x, hx, params, biases, layers, dropout_p, train, bidirectional, batch_first):
    # hx: tensors [layers * directions, batch, width]; the weights of all layers one after the other
    x = _w.swap_axes(x, 0, 1) if batch_first else x
    directions = 2 if bidirectional else 1
    per = len(params) // (layers * directions)
    step = _rnn._STEPS[mode]
    last = []
    for layer in range(layers):
        outs = []
        for d in range(directions):
            k = layer * directions + d
            p = params[k * per:k * per + per]
            wi, wh = p[0], p[1]
            bi, bh = (p[2], p[3]) if biases else (None, None)
            proj = p[-1] if per == (5 if biases else 3) else None
            gx = _w.linear(x, wi, bi)
            state = tuple([h[k] for h in hx])
            y, state = _rnn.walk(step, gx, state, wh, bh, proj, d == 1)
            outs.append(y)
            last.append(state)
        x = outs[0] if directions == 1 else _w.concat(outs, -1)
        if dropout_p and train and layer < layers - 1:
            x = F.dropout(x, dropout_p, True)
    ends = [_w.stack([s[i] for s in last], 0) for i in range(len(hx))]
    return tuple([_w.swap_axes(x, 0, 1) if batch_first else x] + ends)


def lstm(x, hx, params, *rest):
    return _recurrent("LSTM", x, hx, params, *rest)


def gru(x, hx, params, *rest):
    return _recurrent("GRU", x, [hx], params, *rest)


def rnn_tanh(x, hx, params, *rest):
    return _recurrent("RNN_TANH", x, [hx], params, *rest)


def rnn_relu(x, hx, params, *rest):
    return _recurrent("RNN_RELU", x, [hx], params, *rest)


# ---- transformers: the fused forms that scripted layers have for inference -------------------------------------------

def _native_multi_head_attention(q, k, v, width, heads, w, b, ow, ob, mask=None, need_weights=True, average=True, mask_type=None):
    n, d = q.shape[-1], width // heads
    parts = [F.linear(t, w[i * width:(i + 1) * width], None if b is None else b[i * width:(i + 1) * width])
             for i, t in enumerate((q, k, v))]
    q, k, v = [t.reshape(t.shape[0], t.shape[1], heads, d).transpose(1, 2) for t in parts]
    scores = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        if mask.ndim == 2 and mask_type != 0:       # of keys
            mask = mask[:, None, None, :]
        scores = scores.masked_fill(mask, -inf) if mask.dtype is torch.bool else scores + mask
    p = F.softmax(scores, -1)
    y = (p @ v).transpose(1, 2)
    y = F.linear(y.reshape(y.shape[0], y.shape[1], width), ow, ob)
    return y, (p.mean(1) if average else p) if need_weights else None


def _transformer_encoder_layer_fwd(x, width, heads, w, b, ow, ob, use_gelu, norm_first, eps, n1w, n1b, n2w, n2b, l1w, l1b, l2w, l2b,
                                   mask=None, mask_type=None):
    def attend(t):
        return _native_multi_head_attention(t, t, t, width, heads, w, b, ow, ob, mask, False, True, mask_type)[0]

    def feed(t):
        h = F.linear(t, l1w, l1b)
        return F.linear(F.gelu(h) if use_gelu else F.relu(h), l2w, l2b)

    def norm(t, weight, bias):
        return F.layer_norm(t, (width,), weight, bias, eps)

    if norm_first:
        x = x + attend(norm(x, n1w, n1b))
        return x + feed(norm(x, n2w, n2b))
    x = norm(x + attend(x), n1w, n1b)
    return norm(x + feed(x), n2w, n2b)


# ---- the table ----------------------------------------------------------------------------------------------------------

_own = globals()
_names = {"slice": "slice_"}


def find(op):
    # The function of an operator; None: there is none.
    name = _names.get(op, op)
    f = _own.get(name)
    if f is not None and callable(f) and not name.startswith("__builtins"):
        return f
    for module in (torch, F, torch.special, torch.linalg):
        f = getattr(module, op, None)
        if f is not None and callable(f):
            return f
    f = getattr(_w.Tensor, op, None) or getattr(torch.Tensor, op, None)
    if f is not None and callable(f):
        return f
    if op.startswith(("linalg_", "special_", "fft_")):
        f = getattr(getattr(torch, op[:op.find("_")]), op[op.find("_") + 1:], None)
        if f is not None:
            return f
    if op.endswith("_") and not op.startswith("_"):     # in its place: the result is written there
        plain = find(op[:-1])
        if plain is not None:
            return lambda x, *args, **kw: x.copy_(plain(x, *args, **kw))
    if op.startswith("torchvision__"):
        from torch.jit import _aten_vision
        return getattr(_aten_vision, op[13:], None)
    from torch.jit import _aten_rare
    return _aten_rare.find(op, find)


def has(op):
    return find(op) is not None


def missing(op, where):
    # What stands for an operator that is not known, until it is called.
    def call(*args, **kw):
        raise RuntimeError(f"{where}: the operator {op} is not known")
    return call


class _Table:
    inf = inf
    nan = nan

    def __getattr__(self, op):
        f = find(op)
        if f is None:
            raise AttributeError(f"the operator {op} is not known")
        vars(self)[op] = f
        return f


table = _Table()
