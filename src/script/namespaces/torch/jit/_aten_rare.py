# torch.jit._aten_rare -- operators that few archives name: layers under the names of their kernels, copies of views, cells,
# numbers as if they were quantised. What has the arguments of a function of torch stands in none of both files.
import math

import _torch as _w
import torch
from torch.nn import functional as F


def numpy_T(x):
    return x.permute(*[k for k in range(x.ndim - 1, -1, -1)])


def mT(x):
    return x.transpose(-2, -1)


def mH(x):
    y = x.transpose(-2, -1)
    return y.conj() if x.dtype.is_complex else y


matrix_H = mH


# ---- layers -----------------------------------------------------------------------------------------------------

def _convolution_mode(x, w, b, stride, padding, dilation, groups):
    f = (F.conv1d, F.conv2d, F.conv3d)[w.ndim - 3]
    return f(x, w, b, tuple(stride), padding, tuple(dilation), groups)


def convolution_overrideable(x, w, b, stride, padding, dilation, transposed, output_padding, groups):
    if transposed:
        f = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[w.ndim - 3]
        return f(x, w, b, tuple(stride), tuple(padding), tuple(output_padding), groups, tuple(dilation))
    return (F.conv1d, F.conv2d, F.conv3d)[w.ndim - 3](x, w, b, tuple(stride), tuple(padding), tuple(dilation), groups)


def mkldnn_convolution(x, w, b, padding, stride, dilation, groups):
    return (F.conv1d, F.conv2d, F.conv3d)[w.ndim - 3](x, w, b, tuple(stride), tuple(padding), tuple(dilation), groups)


def thnn_conv2d(x, w, _kernel, b=None, stride=1, padding=0):
    return F.conv2d(x, w, b, stride, padding)


def _conv_depthwise2d(x, w, _kernel, b, stride, padding, dilation):
    return F.conv2d(x, w, b, tuple(stride), tuple(padding), tuple(dilation), x.shape[1])


def conv_tbc(x, w, b, pad=0):
    # [time, batch, in] by [taps, in, out]
    return F.conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), b, padding=pad).permute(2, 0, 1)


def norm_except_dim(v, pow=2, dim=0):
    if dim == -1:
        return torch.linalg.vector_norm(v, pow)
    dims = [k for k in range(v.ndim) if k != (dim + v.ndim if dim < 0 else dim)]
    return torch.linalg.vector_norm(v, pow, dims, keepdim=True) if dims else v.abs()


def _weight_norm(v, g, dim=0):
    return v * (g / norm_except_dim(v, 2, dim))


def _weight_norm_interface(v, g, dim=0):
    n = norm_except_dim(v, 2, dim)
    return v * (g / n), n


def _batch_norm_impl_index(x, weight, bias, mean, var, training, momentum, eps, *_cudnn):
    return F.batch_norm(x, mean, var, weight, bias, training, momentum, eps), None, None, None, 0


def native_batch_norm(x, weight, bias, mean, var, training, momentum, eps):
    y = F.batch_norm(x, mean, var, weight, bias, training, momentum, eps)
    return y, *(torch.jit._aten._batch_norm_of(x.detach(), None, None, eps)[1:3] if training else (x.new_zeros(0), x.new_zeros(0)))


def _batch_norm_no_update(x, weight, bias, mean, var, _momentum, eps):
    return F.batch_norm(x, mean, var, weight, bias, False, 0.0, eps), None, None, None


def _fused_rms_norm(x, shape, weight=None, eps=None):
    return F.rms_norm(x, tuple(shape), weight, eps), None


def _prelu_kernel(x, w):
    return torch.where(x > 0, x, w * x)


def log_sigmoid(x):
    return F.logsigmoid(x)


def log_sigmoid_forward(x):
    return F.logsigmoid(x), None


def _addmm_activation(x, a, b, *, beta=1, alpha=1, use_gelu=False):
    y = torch.addmm(x, a, b, beta=beta, alpha=alpha)
    return F.gelu(y) if use_gelu else F.relu(y)


def _add_relu(x, y, alpha=1):
    return F.relu(torch.add(x, y, alpha=alpha))


def _safe_softmax(x, dim, dtype=None):
    # rows that are all -inf give 0
    y = F.softmax(x, dim, dtype=None if dtype is None else _number(dtype))
    return torch.where((x == -math.inf).all(dim, True), torch.zeros_like(y), y)


def _masked_softmax(x, mask, dim=None, mask_type=None):
    if mask_type == 1:      # of keys
        mask = mask[:, None, None, :]
    y = F.softmax(x.masked_fill(mask, -math.inf), -1 if dim is None else dim)
    return y.masked_fill(mask, 0.0)


def _scaled_dot_product_attention_math(q, k, v, mask=None, dropout_p=0.0, is_causal=False, dropout_mask=None, scale=None, enable_gqa=False):
    if dropout_mask is not None:
        raise NotImplementedError("_scaled_dot_product_attention_math: a mask of dropout is not supported")
    return F.scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa), None


def _scaled_dot_product_efficient_attention(q, k, v, bias, _lse, dropout_p=0.0, is_causal=False, scale=None):
    return F.scaled_dot_product_attention(q, k, v, bias, dropout_p, is_causal, scale=scale), None, None, None


def _scaled_dot_product_flash_attention(q, k, v, dropout_p=0.0, is_causal=False, _debug=False, scale=None):
    return (F.scaled_dot_product_attention(q, k, v, None, dropout_p, is_causal, scale=scale),) + (None,) * 8


def native_channel_shuffle(x, groups):
    return torch.channel_shuffle(x, groups)


def affine_grid_generator(theta, size, align_corners):
    return F.affine_grid(theta, tuple(size), align_corners)


def max_pool1d_with_indices(x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False):
    return F.max_pool1d(x, kernel, stride or None, padding, dilation, ceil_mode, return_indices=True)


_modes = ("sum", "mean", "max")


def _embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                   include_last_offset=False, padding_idx=-1):
    y = F.embedding_bag(indices, weight, offsets, None, 2, scale_grad_by_freq, _modes[mode], sparse, per_sample_weights,
                        include_last_offset, None if padding_idx < 0 else padding_idx)
    return y, None, None, None


_embedding_bag_forward_only = _embedding_bag


# ---- cells -------------------------------------------------------------------------------------------------------

def _gates(x, h, w_x, w_h, b_x, b_h):
    return F.linear(x, w_x, b_x), F.linear(h, w_h, b_h)


def lstm_cell(x, hx, w_x, w_h, b_x=None, b_h=None):
    a, b = _gates(x, hx[0], w_x, w_h, b_x, b_h)
    i, f, g, o = (a + b).chunk(4, -1)
    c = torch.sigmoid(f) * hx[1] + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def gru_cell(x, h, w_x, w_h, b_x=None, b_h=None):
    a, b = _gates(x, h, w_x, w_h, b_x, b_h)
    ar, az, an = a.chunk(3, -1)
    br, bz, bn = b.chunk(3, -1)
    n = torch.tanh(an + torch.sigmoid(ar + br) * bn)
    return n + torch.sigmoid(az + bz) * (h - n)


def rnn_tanh_cell(x, h, w_x, w_h, b_x=None, b_h=None):
    a, b = _gates(x, h, w_x, w_h, b_x, b_h)
    return torch.tanh(a + b)


def rnn_relu_cell(x, h, w_x, w_h, b_x=None, b_h=None):
    a, b = _gates(x, h, w_x, w_h, b_x, b_h)
    return F.relu(a + b)


# ---- indices, values ---------------------------------------------------------------------------------------------

def _unique2(x, sorted=True, return_inverse=False, return_counts=False):
    y, inverse, counts = torch.unique(x, sorted=sorted, return_inverse=True, return_counts=True)
    return y, inverse if return_inverse else x.new_zeros((0,), dtype=torch.int64), counts if return_counts else x.new_zeros((0,), dtype=torch.int64)


def _unique(x, sorted=True, return_inverse=False):
    return _unique2(x, sorted, return_inverse)[:2]


def unique_dim(x, dim, sorted=True, return_inverse=False, return_counts=False):
    return torch.unique(x, sorted=sorted, return_inverse=True, return_counts=True, dim=dim)


def _unsafe_index(x, indices):
    return x[tuple(slice(None) if i is None else i for i in indices)]


def _unsafe_index_put(x, indices, values, accumulate=False):
    y = x.clone()
    return y.index_put_(tuple(slice(None) if i is None else i for i in indices), values, accumulate)


def _index_put_impl_(x, indices, values, accumulate=False, unsafe=False):
    return x.index_put_(tuple(slice(None) if i is None else i for i in indices), values, accumulate)


def nonzero_numpy(x):
    return list(torch.nonzero(x, as_tuple=True))


def diagonal_scatter(x, src, offset=0, dim1=0, dim2=1):
    y = x.clone()
    y.diagonal(offset, dim1, dim2).copy_(src)
    return y


def as_strided_scatter(x, src, size, stride, storage_offset=None):
    y = x.clone()
    y.as_strided(tuple(size), tuple(stride), storage_offset or 0).copy_(src)
    return y


def _reshape_alias(x, size, _stride):
    return x.reshape(tuple(size))


def _reshape_from_tensor(x, shape):
    return x.reshape(tuple(shape.tolist()))


def _shape_as_tensor(x):
    return torch.tensor(list(x.shape), dtype=torch.int64)


def _stack(tensors, dim=0):
    return torch.stack(tensors, dim)


def _is_all_true(x):
    return x.all()


def _is_any_true(x):
    return x.any()


def zero(x):
    return torch.zeros_like(x)


def ldexp(x, other):
    return x * torch.pow(torch.full_like(other, 2.0, dtype=torch.float32), other)


def frobenius_norm(x, dim=(), keepdim=False):
    return torch.linalg.vector_norm(x, 2, tuple(dim) if dim else None, keepdim=keepdim)


def nuclear_norm(x, dim=None, keepdim=False):
    return torch.linalg.matrix_norm(x, "nuc", tuple(dim) if dim else (-2, -1), keepdim)


def _int_mm(a, b):
    return torch.matmul(a.to(torch.int32), b.to(torch.int32))


def _grouped_mm(x, w, offs=None, bias=None, out_dtype=None):
    # rows of x, up to each of offs, by one matrix each; of three axes without offs, a product for each
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype is not None and _number(out_dtype) is not x.dtype:
        raise RuntimeError("Grouped gemm supports only the dtype of its operands as output dtype")
    if offs is None:
        return torch.matmul(x, w)
    row = torch.arange(x.shape[0], device=x.device)[:, None]
    first = torch.cat([torch.zeros_like(offs[:1]), offs[:-1]])
    mine = (row >= first[None, :]) & (row < offs[None, :])
    return torch.einsum("tg,td,gdf->tf", mine.to(x.dtype), x, w)


# ---- numbers as if they were quantised ----------------------------------------------------------------------------

def fake_quantize_per_tensor_affine(x, scale, zero_point, quant_min, quant_max):
    q = torch.clamp(torch.round(x * (1.0 / scale)) + zero_point, quant_min, quant_max)
    return (q - zero_point) * scale


def fake_quantize_per_channel_affine(x, scale, zero_point, axis, quant_min, quant_max):
    shape = [-1 if k == axis else 1 for k in range(x.ndim)]
    s, z = scale.reshape(shape), zero_point.reshape(shape).to(x.dtype)
    q = torch.clamp(torch.round(x * (1.0 / s)) + z, quant_min, quant_max)
    return (q - z) * s


def fake_quantize_per_tensor_affine_cachemask(x, scale, zero_point, quant_min, quant_max):
    q = torch.round(x * (1.0 / scale)) + zero_point
    return fake_quantize_per_tensor_affine(x, scale, zero_point, quant_min, quant_max), (q >= quant_min) & (q <= quant_max)


# ---- what graphs assert, and views that are copied ---------------------------------------------------------------------

def _assert_scalar(value, message):
    if isinstance(value, (bool, int, float)) and not value:
        raise RuntimeError(message)


def _assert_async(x, message=None):
    if not _w.about(x, "symbolic") and not x.item():
        raise RuntimeError("Expected Tensor with single nonzero value, but got zero" if message is None else message)


def _assert_tensor_metadata(x, size=None, stride=None, dtype=None, device=None, layout=None):
    for what, wanted, got in (("sizes", size, x.shape), ("strides", stride, x.stride)):
        if wanted is not None and not _w.about(x, "symbolic") and list(wanted) != list(got() if what == "strides" else got):
            raise RuntimeError(f"Tensor {what} mismatch!")
    if device is not None and x.device != torch.device(device):
        raise RuntimeError(f"Tensor device mismatch! Expected: {device}, Got: {x.device}")
    if dtype is not None and x.dtype is not _number(dtype):
        raise RuntimeError(f"Tensor dtype mismatch! Expected: {_number(dtype)}, Got: {x.dtype}")


def sym_constrain_range(size, min=None, max=None):
    if isinstance(size, int) and not ((min is None or size >= min) and (max is None or size <= max)):
        raise RuntimeError(f"Invalid value range for {size} between [{min}, {max}].")


sym_constrain_range_for_size = sym_constrain_range


def _number(d):
    from torch.jit import _aten
    return _aten.dtype(d)


def find(op, among):
    # The operator, or of view_copy the view's; among: what finds those.
    f = globals().get(op)
    if callable(f) and op not in ("find", "math"):
        return f
    return among(op[:-5]) if op.endswith("_copy") else None
