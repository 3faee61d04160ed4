# jax.lax: windows: convolutions and pooling.
from collections import namedtuple as _namedtuple

import _jax as _w
import _tree
from jax._precision import precisely as _precisely
from jax._sharding import said as _said
from jax._dtypes import as_dtype as _as_dtype

_most, _least = max, min

__all__ = """conv conv_with_general_padding conv_general_dilated conv_transpose ConvDimensionNumbers
    conv_dimension_numbers conv_general_dilated_patches conv_general_dilated_local reduce_window reduce_window_shape_tuple padtype_to_pads
    conv_general_shape_tuple conv_transpose_shape_tuple conv_shape_tuple
    """.split()


def padtype_to_pads(in_shape, window_shape, window_strides, padding):
    if not isinstance(padding, str):
        padding = list(padding)
        if not all([isinstance(p, (tuple, list)) and len(p) == 2 for p in padding]):
            raise ValueError("padding argument to conv_general_dilated must be a string or a sequence of (low, high) pairs, "
                             f"got {tuple(padding)}.")
        return [tuple([int(v) for v in p]) for p in padding]
    kind = padding.upper()
    if kind == "VALID":
        return [(0, 0)] * len(in_shape)
    if kind not in ("SAME", "SAME_LOWER"):
        raise ValueError(f"Unknown padding type: {padding}.")
    out = []
    for n, k, s in zip(in_shape, window_shape, window_strides):
        total = _most((-(-n // s) - 1) * s + k - n, 0)
        total = int(total)
        small = total // 2
        out.append((total - small, small) if kind == "SAME_LOWER" else (small, total - small))
    return out


ConvDimensionNumbers = _namedtuple("ConvDimensionNumbers", ["lhs_spec", "rhs_spec", "out_spec"])


def _spec(text, kind):
    # "NHWC" as axes that are batch, feature, spatial..; of a kernel out, in, spatial..
    first, second = ("O", "I") if kind == "rhs" else ("N", "C")
    space = [c for c in text if c not in (first, second)]
    return text.index(first), text.index(second), space


def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    n = len(lhs_shape)
    if dimension_numbers is None:
        axes = tuple(range(n))
        return ConvDimensionNumbers(axes, axes, axes)
    lhs, rhs, out = dimension_numbers
    if not all([isinstance(text, str) for text in (lhs, rhs, out)]):
        raise TypeError(f"convolution dimension_numbers elements must be strings, got {tuple(map(type, dimension_numbers))}.")
    for text in (lhs, rhs, out):
        if len(text) != n:
            raise TypeError(f"convolution dimension_numbers '{text}' for arrays of rank {n}")
    space = _spec(rhs, "rhs")[2]
    a, b, _ = _spec(lhs, "lhs")
    c, d, _ = _spec(rhs, "rhs")
    e, f, _ = _spec(out, "out")
    return ConvDimensionNumbers(tuple([a, b] + [lhs.index(s) for s in space]),
                                tuple([c, d] + [rhs.index(s) for s in space]),
                                tuple([e, f] + [out.index(s) for s in space]))


def conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None,
                         dimension_numbers=None, feature_group_count=1, batch_group_count=1,
                         precision=None, preferred_element_type=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count,
                                                  batch_group_count, precision, preferred_element_type), out_sharding)
    if precision is not None:
        return _precisely(precision, conv_general_dilated, lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                          dimension_numbers, feature_group_count, batch_group_count, None, preferred_element_type)
    lhs, rhs = _w.wrap(lhs), _w.wrap(rhs)
    n = len(lhs.shape) - 2
    if len(rhs.shape) != len(lhs.shape):
        if not isinstance(dimension_numbers, ConvDimensionNumbers):
            raise TypeError(f"convolution requires lhs and rhs ndim to be equal, got {len(lhs.shape)} and {len(rhs.shape)}.")
        raise ValueError("conv_general_dilated lhs and rhs must have the same number of dimensions, but got "
                         f"{tuple(lhs.shape)} and {tuple(rhs.shape)}.")
    if len(tuple(window_strides)) != n:
        raise ValueError("conv_general_dilated window and window_strides must have the same number of dimensions, but got "
                         f"{n} and {len(tuple(window_strides))}")
    if batch_group_count > 1 and feature_group_count > 1:
        raise ValueError("At most one of batch_group_count and feature_group_count may be > 1, got batch_group_count="
                         f"{batch_group_count} and feature_group_count={feature_group_count}")
    if feature_group_count < 1 or batch_group_count < 1:
        raise ValueError("conv_general_dilated feature_group_count and batch_group_count must be positive integers, got "
                         f"{feature_group_count} and {batch_group_count}.")
    dn = conv_dimension_numbers(lhs.shape, rhs.shape, dimension_numbers)
    lhs_dilation = tuple(lhs_dilation) if lhs_dilation else (1,) * n
    rhs_dilation = tuple(rhs_dilation) if rhs_dilation else (1,) * n
    strides = tuple(window_strides)
    sizes = [(lhs.shape[a] - 1) * d + 1 if lhs.shape[a] else 0 for a, d in zip(dn.lhs_spec[2:], lhs_dilation)]
    window = [(rhs.shape[a] - 1) * d + 1 for a, d in zip(dn.rhs_spec[2:], rhs_dilation)]
    pads = padtype_to_pads(sizes, window, strides, padding)
    channels, kernel = lhs.shape[dn.lhs_spec[1]], rhs.shape[dn.rhs_spec[1]]
    if channels != kernel * feature_group_count:
        raise ValueError("conv_general_dilated feature_group_count * rhs in-features must equal lhs features, got "
                         f"{feature_group_count} * {kernel} and {channels}")
    for i, (lo, hi) in enumerate(pads):
        if lo < 0 or hi < 0:
            axis = dn.lhs_spec[2 + i]
            a, b = _most(-lo, 0), _most(-hi, 0)
            if lhs_dilation[i] != 1:
                raise NotImplementedError("conv_general_dilated: negative padding of a dilated input")
            lhs = _w.narrow(lhs, axis, a, lhs.shape[axis] - a - b)
            pads[i] = (_most(lo, 0), _most(hi, 0))
    from jax._dtypes import result_type
    d = result_type(lhs, rhs)
    acc = _as_dtype(preferred_element_type) or d
    return _w.op("conv_general", [_w.cast(lhs, d), _w.cast(rhs, d)], {
        "lhs_spec": dn.lhs_spec, "rhs_spec": dn.rhs_spec, "out_spec": dn.out_spec, "stride": strides,
        "pad_lo": [p[0] for p in pads], "pad_hi": [p[1] for p in pads], "lhs_dilation": lhs_dilation,
        "rhs_dilation": rhs_dilation, "groups": feature_group_count, "batch_groups": batch_group_count,
        "acc": acc})[0]


def conv_shape_tuple(lhs_shape, rhs_shape, strides, pads, batch_group_count=1):
    # lhs [N, C, ..], rhs [O, I, ..]
    pads = padtype_to_pads(lhs_shape[2:], rhs_shape[2:], strides, pads)
    if len(pads) != len(lhs_shape) - 2:
        raise TypeError(f"Wrong number of explicit pads for convolution: expected {len(lhs_shape) - 2}, got {len(pads)}.")
    space = [_most((n + lo + hi - k) // s + 1, 0) for n, k, s, (lo, hi) in zip(lhs_shape[2:], rhs_shape[2:], strides, pads)]
    if batch_group_count > 1:
        return (lhs_shape[0] // batch_group_count, rhs_shape[0]) + tuple(space)
    return (lhs_shape[0], rhs_shape[0]) + tuple(space)


def _placed(spec, shape):
    out = [0] * len(shape)
    for a, n in zip(spec, shape):
        out[a] = n
    return tuple(out)


def conv_general_shape_tuple(lhs_shape, rhs_shape, window_strides, padding, dimension_numbers):
    dn = conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers)
    shape = conv_shape_tuple([lhs_shape[a] for a in dn.lhs_spec], [rhs_shape[a] for a in dn.rhs_spec], window_strides, padding)
    return _placed(dn.out_spec, shape)


def conv_transpose_shape_tuple(lhs_shape, rhs_shape, window_strides, padding, dimension_numbers):
    dn = conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers)
    lhs, rhs = [lhs_shape[a] for a in dn.lhs_spec], [rhs_shape[a] for a in dn.rhs_spec]
    pads = [_transposed_pads(k, s, padding) if isinstance(padding, str) else tuple(p)
            for k, s, p in zip(rhs[2:], window_strides, [None] * len(rhs[2:]) if isinstance(padding, str) else padding)]
    wide = [(n - 1) * s + 1 for n, s in zip(lhs[2:], window_strides)]
    return _placed(dn.out_spec, conv_shape_tuple(lhs[:2] + wide, rhs, (1,) * len(wide), pads))


def conv(lhs, rhs, window_strides, padding, precision=None, preferred_element_type=None):
    return conv_general_dilated(lhs, rhs, window_strides, padding, precision=precision,
                                preferred_element_type=preferred_element_type)


def conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=None,
                              preferred_element_type=None):
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=precision,
                                preferred_element_type=preferred_element_type)


def _transposed_pads(size, stride, padding):
    if padding == "SAME":
        total = size + stride - 2
        low = size - 1 if stride > size - 1 else -(-total // 2)
    elif padding == "VALID":
        total = size + stride - 2 + _most(size - stride, 0)
        low = size - 1
    else:
        raise ValueError(f"Padding mode must be `SAME` or `VALID`, got {padding}.")
    return low, total - low


def conv_transpose(lhs, rhs, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False,
                   precision=None, preferred_element_type=None, use_consistent_padding=False):
    lhs, rhs = _w.wrap(lhs), _w.wrap(rhs)
    n = len(lhs.shape) - 2
    if dimension_numbers is None:
        names = {0: ("NC", "IO", "NC"), 1: ("NHC", "HIO", "NHC"), 2: ("NHWC", "HWIO", "NHWC"), 3: ("NHWDC", "HWDIO", "NHWDC")}
        dimension_numbers = names[n]
    dn = conv_dimension_numbers(lhs.shape, rhs.shape, dimension_numbers)
    rhs_dilation = rhs_dilation or (1,) * n
    k = [(rhs.shape[a] - 1) * d + 1 for a, d in zip(dn.rhs_spec[2:], rhs_dilation)]
    if isinstance(padding, str):
        pads = [_transposed_pads(size, s, padding) for size, s in zip(k, strides)]
    elif use_consistent_padding:      # as those of the convolution that this transposes
        pads = [(size - 1 - lo, size - 1 - hi) for size, (lo, hi) in zip(k, padding)]
    else:
        pads = [tuple(p) for p in padding]
    if transpose_kernel:
        rhs = _w.flip(rhs, tuple(dn.rhs_spec[2:]))
        rhs = _w.swap_axes(rhs, dn.rhs_spec[0], dn.rhs_spec[1])
    return conv_general_dilated(lhs, rhs, (1,) * n, pads, strides, rhs_dilation, dn, precision=precision,
                                preferred_element_type=preferred_element_type)


def conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, lhs_dilation=None, rhs_dilation=None,
                                 dimension_numbers=None, precision=None, preferred_element_type=None):
    dn = conv_dimension_numbers(lhs.shape, (1, 1) + tuple(filter_shape), dimension_numbers)
    c = lhs.shape[dn.lhs_spec[1]]
    k = 1
    for s in filter_shape:
        k *= s
    kernel = _w.tile(_w.reshape(_w.eye(k, dtype=lhs.dtype), (k, 1) + tuple(filter_shape)),
                     (c,) + (1,) * (len(filter_shape) + 1))
    order = [0] * len(dn.rhs_spec)
    for i, a in enumerate(dn.rhs_spec):
        order[a] = i
    return conv_general_dilated(lhs, _w.permute(kernel, order), window_strides, padding, lhs_dilation, rhs_dilation,
                                dn, feature_group_count=c, precision=precision,
                                preferred_element_type=preferred_element_type)


def conv_general_dilated_local(lhs, rhs, window_strides, padding, filter_shape, lhs_dilation=None, rhs_dilation=None,
                               dimension_numbers=None, precision=None):
    # Every place has a kernel of its own: rhs [.., O, I * window, .. places].
    from jax.lax._contract import dot_general
    lhs, rhs = _w.wrap(lhs), _w.wrap(rhs)
    patches = conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, lhs_dilation, rhs_dilation,
                                           dimension_numbers, precision)
    dn = conv_dimension_numbers(lhs.shape, (1, 1) + tuple(filter_shape), dimension_numbers)
    pairs = sorted(zip(dn.out_spec[2:], dn.rhs_spec[2:]))
    places = ([a for a, _ in pairs], [b for _, b in pairs])
    out = dot_general(patches, rhs, (([dn.out_spec[1]], [dn.rhs_spec[1]]), places), precision)
    n = len(out.shape)
    order = list(range(n - 2))
    for axis, source in sorted(((dn.out_spec[0], n - 2), (dn.out_spec[1], n - 1))):
        order.insert(axis, source)
    return _w.permute(out, order)


# ---- pooling


def _each(v, n):
    return (1,) * n if v is None else ((v,) * n if isinstance(v, int) else tuple(v))


def reduce_window_shape_tuple(operand_shape, window_dimensions, window_strides, padding, base_dilation=None,
                              window_dilation=None):
    n = len(operand_shape)
    base, dil = _each(base_dilation, n), _each(window_dilation, n)
    out = []
    for d, k, s, (lo, hi), b, w in zip(operand_shape, window_dimensions, window_strides, padding, base, dil):
        out.append(((d - 1) * b + 1 + lo + hi - ((k - 1) * w + 1)) // s + 1)
    return tuple(out)


def _same_as(fn, names):
    return getattr(fn, "__name__", "") in names


def _positive(name, values):
    if any([v < 1 for v in values]):
        raise TypeError(f"reduce_window {name} must have every element be positive, got {tuple(values)}.")


def reduce_window(operand, init_value, computation, window_dimensions, window_strides=None, padding="VALID",
                  base_dilation=None, window_dilation=None):
    from jax.lax._ops import _flat_result, _several
    xs, spec, inits = _several(operand, init_value, "reduce_window")
    if any([len(i.shape) for i in inits]):
        raise TypeError(f"reduce_window expected init_values to be scalars but init_values have shapes {[tuple(i.shape) for i in inits]}.")
    if any([x.dtype != i.dtype and not _w.about(i, "weak") for x, i in zip(xs, inits)]):
        raise TypeError("reduce_window got arguments of different dtypes: operands "
                        f"{[x.dtype.name for x in xs]}, init_values {[i.dtype.name for i in inits]}")
    n = len(xs[0].shape)
    window, strides = _each(window_dimensions, n), _each(window_strides, n)
    base, dilation = _each(base_dilation, n), _each(window_dilation, n)
    for name, values in (("window_dimensions", window), ("window_strides", strides), ("base_dilation", base),
                         ("window_dilation", dilation)):
        if len(values) != n:
            raise TypeError(f"reduce_window {name} must have length equal to the number of dimensions of the operand, got "
                            f"{tuple(values)} for operand shape {tuple(xs[0].shape)}.")
        _positive(name, values)
    sizes = [_most(d - 1, 0) * b + (d > 0) for d, b in zip(xs[0].shape, base)]
    wide = [(k - 1) * d + 1 for k, d in zip(window, dilation)]
    pads = padtype_to_pads(sizes, wide, strides, padding)
    if len(xs) == 1 and spec == _tree.LEAF:
        y = _plain_window(xs[0], inits[0], computation, window, strides, pads, base, dilation)
        if y is not None:
            return y
    combine = lambda a, b: _flat_result(computation(_tree.unflatten(spec, a), _tree.unflatten(spec, b)), spec, "reduce_window")
    name = getattr(computation, "__name__", "") if len(xs) == 1 else ""
    return _tree.unflatten(spec, _general_window(xs, inits, combine, name, window, strides, pads, base, dilation))


def _plain_window(operand, init, computation, window, strides, pads, base, dilation):
    # Sums from 0 and extremes of floats have ops of their own.
    attrs = {"window": window, "stride": strides, "pad_lo": [p[0] for p in pads], "pad_hi": [p[1] for p in pads],
             "base_dilation": base, "window_dilation": dilation}
    if _w.about(init, "symbolic") or operand.dtype.is_complex or min([p for pair in pads for p in pair] + [0]) < 0:
        return None
    floats, start = operand.dtype.is_floating_point, float(init)
    if _same_as(computation, ("add",)) and start == 0.0:
        return _w.op("reduce_window_sum", [operand], attrs)[0]
    if _same_as(computation, ("max", "maximum")) and floats and start == float("-inf"):
        return _w.op("reduce_window_max", [operand], attrs)[0]
    if _same_as(computation, ("min", "minimum")) and floats and start == float("inf"):
        return -_w.op("reduce_window_max", [-operand], attrs)[0]
    return None


def _general_window(xs, inits, combine, name, window, strides, pads, base, dilation):
    # Shifted copies of the padded operands, combined one after the other.
    # What is beside them does not count where the function has a number that does nothing.
    from jax.lax._ops import pad
    idle = {"add": 0, "mul": 1, "multiply": 1}.get(name)
    amounts = [(lo, hi, b - 1) for (lo, hi), b in zip(pads, base)]
    xs = [pad(x, _w.cast(i if idle is None else idle, x.dtype), amounts) for x, i in zip(xs, inits)]
    counts = [_most((d - ((k - 1) * w + 1)) // s + 1, 0) for d, k, w, s in zip(xs[0].shape, window, dilation, strides)]
    offsets = [()]
    for k, w in zip(window, dilation):
        offsets = [o + (i * w,) for o in offsets for i in range(k)]
    ys = [_w.broadcast_to(_w.cast(i, x.dtype), counts) for x, i in zip(xs, inits)]
    for o in offsets:
        key = tuple([slice(a, a + (c - 1) * s + 1, s) if c else slice(0, 0) for a, c, s in zip(o, counts, strides)])
        ys = combine(ys, [x[key] for x in xs])
    return ys
