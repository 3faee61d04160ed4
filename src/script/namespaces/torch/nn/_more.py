# torch.nn._more -- functions of torch.nn.functional that few programs use.
import _torch as _w
from torch._creation import rand as _rand
from torch.nn import functional as F


# ---- largest elements put back where they stood

def _max_unpool(n):
    def max_unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        k, p = F._tuple(kernel_size, n), F._tuple(padding, n)
        s = k if stride is None or stride == () else F._tuple(stride, n)
        if indices.shape != input.shape:
            raise RuntimeError(f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got "
                               f"indices tensor with shape: {list(indices.shape)}")
        if input.ndim not in (n + 1, n + 2):
            raise RuntimeError(f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with "
                               f"{input.ndim} dims.")
        sizes = _unpooled_size(input, k, s, p, output_size, n)
        lead = tuple(input.shape[:input.ndim - n])
        flat = 1
        for size in sizes:
            flat *= size
        place = _w.reshape(indices, lead + (-1,))
        if place.numel() and (int(_w.min(place)) < 0 or int(_w.max(place)) >= flat):
            raise RuntimeError(f"Found an invalid max index: {int(_w.max(place))} (output volumes are of size "
                               + "x".join([str(v) for v in sizes]))
        out = _w.full(lead + (flat,), 0, input.dtype).scatter(-1, place, _w.reshape(input, lead + (-1,)))
        return _w.reshape(out, lead + tuple(sizes))
    max_unpool.__name__ = max_unpool.__qualname__ = f"max_unpool{n}d"
    return max_unpool


def _unpooled_size(input, k, s, p, output_size, n):
    space = input.shape[input.ndim - n:]
    plain = [(space[i] - 1) * s[i] + k[i] - 2 * p[i] for i in range(n)]
    if output_size is None:
        return plain
    if len(output_size) == n + 2:
        output_size = output_size[2:]
    if len(output_size) != n:
        raise ValueError("output_size should be a sequence containing "
                         f"{n} or {n + 2} elements, but it has a length of '{len(output_size)}'")
    for i in range(n):
        low, high = plain[i] - s[i], plain[i] + s[i]
        if not low < output_size[i] < high:
            raise ValueError(f'invalid output_size "{output_size}" (dim {i} must be between {low} and {high})')
    return list(output_size)


max_unpool1d, max_unpool2d, max_unpool3d = _max_unpool(1), _max_unpool(2), _max_unpool(3)


# ---- pools with the places of their elements

def _with_indices(pool):
    def with_indices(*args, **options):
        options["return_indices"] = True
        return pool(*args, **options)
    return with_indices


max_pool1d_with_indices, max_pool2d_with_indices = _with_indices(F.max_pool1d), _with_indices(F.max_pool2d)
max_pool3d_with_indices = _with_indices(F.max_pool3d)
adaptive_max_pool1d_with_indices = _with_indices(F.adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = _with_indices(F.adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = _with_indices(F.adaptive_max_pool3d)


def _starts(sample, size, out, window):
    # Where the windows of one axis begin: steps of a random sequence, of the same mean.
    if out == 1:
        return [size - window]
    alpha = (size - window) / (out - 1)
    first = int(sample * alpha)
    return [int((i + sample) * alpha) - first for i in range(out - 1)] + [size - window]


def _fractional_max_pool(n):
    def with_indices(input, kernel_size, output_size=None, output_ratio=None, _return_indices=False, _random_samples=None):
        if output_size is None and output_ratio is None:
            raise ValueError(f"fractional_max_pool{n}d requires specifying either an output_size or an output_ratio")
        batched = input.ndim == n + 2
        x = input if batched else _w.expand_dims(input, 0)
        space = x.shape[2:]
        if output_size is None:
            ratio = (output_ratio,) * n if isinstance(output_ratio, (int, float)) else output_ratio
            output_size = [int(space[i] * ratio[i]) for i in range(n)]
        out, k = F._tuple(output_size, n), F._tuple(kernel_size, n)
        samples = _rand(x.shape[0], x.shape[1], n, dtype=x.dtype) if _random_samples is None else _random_samples
        for i in range(n):
            if out[i] + k[i] - 1 > space[i]:
                name = ("time", "height", "width")[i + 3 - n]
                raise RuntimeError(f"fractional_max_pool{n}d{'_out' if n == 3 else ''}(): pool {name} {k[i]} too large relative to input {name} {space[i]}")
        numbers = samples.tolist()
        planes = [[_fractional_plane(x[b, c], n, k, out, numbers[b][c]) for c in range(x.shape[1])] for b in range(x.shape[0])]
        y, places = [_w.stack([_w.stack([one[i] for one in row], 0) for row in planes], 0) for i in (0, 1)]
        return (y, places) if batched else (_w.squeeze(y, 0), _w.squeeze(places, 0))

    def pool(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        found = with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        return found if return_indices else found[0]
    return pool, with_indices


def _fractional_plane(plane, n, k, out, sample):
    # (largest elements, their places in the flat plane)
    size = plane.shape
    sample = sample[::-1] if n == 2 else sample         # PyTorch takes the first for the width
    strides = [1] * n
    for i in range(n - 2, -1, -1):
        strides[i] = strides[i + 1] * size[i + 1]
    flat = _w.full((1, 1), 0, "int64")
    for i in range(n):
        starts = _starts(sample[i], size[i], out[i], k[i])
        window = _w.tensor([a * strides[i] for a in starts], "int64")
        inside = _w.tensor([a * strides[i] for a in range(k[i])], "int64")
        flat = _w.reshape(_w.reshape(flat, (flat.shape[0], 1, flat.shape[1], 1)) + _w.reshape(window, (1, -1, 1, 1))
                          + _w.reshape(inside, (1, 1, 1, -1)), (flat.shape[0] * out[i], flat.shape[1] * k[i]))
    values = _w.take(_w.reshape(plane, (-1,)), flat, 0)
    best = _w.argmax(_w.detach(values), 1, True)
    return [_w.reshape(_w.squeeze(_w.take_along(v, best, 1), 1), tuple(out)) for v in (values, flat)]


fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional_max_pool(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional_max_pool(3)


# ---- others

def upsample_nearest(input, size=None, scale_factor=None):
    return F.interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    return F.interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


native_channel_shuffle = F.channel_shuffle


def _writing(fn):
    def write(input, *args, **options):
        return _w.write(input, fn(input, *args, **options))
    return write


celu_, elu_, hardtanh_, leaky_relu_ = _writing(F.celu), _writing(F.elu), _writing(F.hardtanh), _writing(F.leaky_relu)
rrelu_, selu_, threshold_ = _writing(F.rrelu), _writing(F.selu), _writing(F.threshold)


def conv_tbc(input, weight, bias, pad=0):
    # of [time, batch, channels] and [kernel, channels, channels out]
    x, w = _w.permute(input, (1, 2, 0)), _w.permute(weight, (2, 1, 0))
    return _w.permute(F.conv1d(x, w, bias, padding=pad), (2, 0, 1))


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                                 add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                                 need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None,
                                 k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
                                 average_attn_weights=True, is_causal=False):
    from torch.nn.modules.transformer import _attended, _check_causal, _projected
    _check_causal(is_causal, attn_mask)
    if static_k is not None or static_v is not None:
        raise NotImplementedError("multi_head_attention_forward: static_k and static_v are outside this version")
    e = query.shape[-1]
    if e != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {e}")
    if e % num_heads:
        raise AssertionError(f"embed_dim {e} not divisible by num_heads {num_heads}")
    batched = query.ndim == 3
    inputs = [_w.swap_axes(x, 0, 1) if batched else _w.expand_dims(x, 0) for x in (query, key, value)]
    if not batched and key_padding_mask is not None:
        key_padding_mask = _w.expand_dims(key_padding_mask, 0)
    weights = ([q_proj_weight, k_proj_weight, v_proj_weight] if use_separate_proj_weight
               else [_w.narrow(in_proj_weight, 0, k * e, e) for k in range(3)])
    q, k, v = _projected(inputs, weights, in_proj_bias)
    y, weights = _attended(q, k, v, num_heads, bias_k, bias_v, add_zero_attn, dropout_p if training else 0.0, key_padding_mask,
                           attn_mask)
    y = _w.linear(y, out_proj_weight, out_proj_bias)
    y = _w.swap_axes(y, 0, 1) if batched else _w.squeeze(y, 0)
    weights = _w.mean(weights, 1) if average_attn_weights else weights
    weights = weights if batched else _w.squeeze(weights, 0)
    return y, weights if need_weights else None
