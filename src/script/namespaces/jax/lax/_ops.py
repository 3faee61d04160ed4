# jax.lax: operations of shape and order.
import enum as _enum
import _jax as _w
from jax._sharding import said as _said
import _tree
from jax._dtypes import as_dtype as _as_dtype, default_int as _default_int
from jax.lax._elementwise import _same_types

_greater, _range_of = max, slice   # of Python, before the names are lax's

__all__ = """convert_element_type bitcast_convert_type reduce_precision
    reshape transpose broadcast broadcast_in_dim expand_dims squeeze collapse concatenate rev pad
    iota broadcasted_iota full full_like zeros_like_array tie_in
    slice slice_in_dim index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_index_in_dim
    dynamic_update_slice dynamic_update_slice_in_dim dynamic_update_index_in_dim
    sort sort_key_val top_k argmax argmin reduce reduce_sum reduce_prod reduce_max reduce_min
    reduce_and reduce_or reduce_xor cumsum cumprod cummax cummin cumlogsumexp
    index_take optimization_barrier shape_as_value random_gamma_grad rng_bit_generator RandomAlgorithm
    broadcast_shapes rng_uniform stack unstack split tile dtype empty
    broadcast_to_rank broadcast_like approx_max_k approx_min_k""".split()

def _missing(name):
    def call(*args, **kwargs):
        raise NotImplementedError(f"lax.{name}: this special function is not there yet")
    return call


class RandomAlgorithm(_enum.IntEnum):
    RNG_DEFAULT = 0
    RNG_THREE_FRY = 1
    RNG_PHILOX = 2


def rng_bit_generator(key, shape, dtype=_w.uint32, algorithm=RandomAlgorithm.RNG_DEFAULT, *, out_sharding=None):
    # (the key for the next draw, bits)
    from jax._prng import bit_generator, impl_of
    impl_of("rbg")      # from here on vmaps are noted
    key, dtype = _w.wrap(key), _as_dtype(dtype)
    if RandomAlgorithm(algorithm) == RandomAlgorithm.RNG_THREE_FRY:
        raise NotImplementedError("lax.rng_bit_generator: RNG_THREE_FRY")
    if dtype.kind != "u":
        raise TypeError(f"rng_bit_generator: unsupported dtype {dtype.name}; uint8, uint16, uint32 or uint64 is needed")
    if (key.dtype, tuple(key.shape)) not in ((_w.uint32, (4,)), (_w.uint64, (2,))):
        raise TypeError(f"rng_bit_generator requires a key of shape uint32[4] or uint64[2], got {key.dtype.name}{tuple(key.shape)}")
    if tuple(key.shape) == (2,):
        from jax.numpy._core import core
        new, bits = bit_generator(_w.reshape(core.bitcast(key, _w.uint32), (4,)), tuple(shape), dtype)
        return [core.bitcast(_w.reshape(new, (2, 2)), _w.uint64), bits]
    return list(bit_generator(key, tuple(shape), dtype))


random_gamma_grad, rng_uniform = _missing("random_gamma_grad"), _missing("rng_uniform")


def convert_element_type(operand, new_dtype):
    from jax.numpy import astype
    return astype(operand, new_dtype)


def bitcast_convert_type(operand, new_dtype):
    from jax.numpy._core import core
    x, new = _w.wrap(operand), _as_dtype(new_dtype)
    if x.dtype == _w.bool_ or new == _w.bool_ or x.dtype.is_complex != new.is_complex:
        raise TypeError(f"lax.bitcast_convert_type does not support converting {x.dtype.name} to {new.name}.")
    return core.bitcast(x, new)


def reduce_precision(operand, exponent_bits, mantissa_bits):
    # A linear function to JAX: tangents and cotangents are rounded, too (in derivatives of derivatives they pass here).
    from jax._api import kit
    from jax._custom import custom_jvp, custom_vjp
    exponent_bits, mantissa_bits = int(exponent_bits), int(mantissa_bits)
    if exponent_bits < 1 or mantissa_bits < 0:
        raise ValueError(f"reduce_precision: exponent_bits must be positive and mantissa_bits not negative, got {exponent_bits} and "
                         f"{mantissa_bits}")
    cut = lambda x: _w.set_weak(_rounded(x, exponent_bits, mantissa_bits), _w.about(_w.wrap(x), "weak"))
    if _w.recorders() == 1 and not kit.forward:
        f = custom_vjp(cut)
        f.defvjp(lambda x: (cut(x), None), lambda _, g: (cut(g),))
    else:
        f = custom_jvp(cut)
        f.defjvp(lambda x, t: (f(*x), cut(t[0]) if kit.forward and _w.recorders() == 1 else t[0]))
    return f(_w.wrap(operand))


_layouts = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


def _rounded(operand, exponent_bits, mantissa_bits):
    # The bits rounded to even; too large is infinite, too small is 0.
    x = _w.wrap(operand)
    if not x.dtype.is_floating_point:
        raise TypeError(f"reduce_precision does not accept dtype {x.dtype.name}. Accepted dtypes are subtypes of floating.")
    exponent, mantissa = _layouts[x.dtype.name]
    whole = {2: _w.int16, 4: _w.int32, 8: _w.int64}[x.dtype.itemsize]
    number = lambda v: _w.op("cast", [_w.full(x.shape, v, _w.int32)], {"dtype": whole})[0]
    bits = _w.bitcast(x, whole)
    drop = mantissa - mantissa_bits
    if drop > 0:
        one = number(1)
        half = _w.bitwise_and(_w.shift_right(bits, number(drop)), one) + (_w.shift_left(one, number(drop - 1)) - one)
        bits = _w.bitwise_and(bits + half, -_w.shift_left(one, number(drop)))
    y = _w.bitcast(bits, x.dtype)
    top, own = (1 << (exponent_bits - 1)) - 1, (1 << (exponent - 1)) - 1
    if top < own:
        e = _w.bitwise_and(_w.shift_right(bits, number(mantissa)), number(2 * own + 1))
        y = _w.where(_w.gt(e, number(own + top)), _w.sign(x) * float("inf"), _w.where(_w.le(e, number(own - top)), x * 0, y))
    return _w.where(_w.is_finite(x), y, x)


def dtype(x):
    # of a value, or what a class or a name stands for
    if isinstance(x, (type, str, _w.dtype)):
        return _as_dtype(x)
    return getattr(x, "dtype", None) or _w.wrap(x).dtype


# ---- shape


def _axis(d, rank):
    if not hasattr(d, "__index__"):
        raise TypeError(f"'{type(d).__name__}' object cannot be interpreted as an integer")
    d = int(d)
    if not -rank <= d < rank:
        raise ValueError(f"axis {d} is out of bounds for array of dimension {rank}")
    return d % rank


def reshape(operand, new_sizes, dimensions=None, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: reshape(operand, new_sizes, dimensions), out_sharding)
    from jax.numpy import reshape as f
    return f(operand if dimensions is None else _w.permute(operand, dimensions), new_sizes)


def transpose(operand, permutation):
    return _w.permute(operand, permutation)


def broadcast(operand, sizes, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: broadcast(operand, sizes), out_sharding)
    operand = _w.wrap(operand)
    return _w.broadcast_to(operand, tuple(sizes) + tuple(operand.shape))


def broadcast_in_dim(operand, shape, broadcast_dimensions, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: broadcast_in_dim(operand, shape, broadcast_dimensions), out_sharding)
    operand = _w.wrap(operand)
    if len(broadcast_dimensions) != len(operand.shape):
        raise TypeError("broadcast_in_dim broadcast_dimensions must have length equal to operand ndim; got "
                        f"broadcast_dimensions {tuple(broadcast_dimensions)} for operand ndim {len(operand.shape)}.")
    name = "broadcast_in_dim "
    if len(shape) < len(operand.shape):
        raise TypeError(name + "target broadcast shape must have equal or higher rank to the operand shape; got operand ndim "
                        f"{len(operand.shape)} and target broadcast ndim {len(shape)}.")
    if any([not 0 <= d < len(shape) for d in broadcast_dimensions]):
        raise TypeError(name + "broadcast_dimensions must be a subset of output dimensions, got "
                        f"{tuple(broadcast_dimensions)} for operand ndim {len(operand.shape)} and shape {tuple(shape)}.")
    if len(set(broadcast_dimensions)) != len(broadcast_dimensions):
        raise TypeError(name + f"broadcast_dimensions must not contain duplicates; got {tuple(broadcast_dimensions)}.")
    if any([n != 1 and n != shape[d] for d, n in zip(broadcast_dimensions, operand.shape)]):
        raise TypeError(name + "operand dimension sizes must either be 1, or be equal to their corresponding dimensions in the "
                        f"target broadcast shape; got operand of shape {tuple(operand.shape)}, target broadcast shape "
                        f"{tuple(shape)}, broadcast_dimensions {tuple(broadcast_dimensions)}.")
    order = sorted(range(len(broadcast_dimensions)), key=lambda i: broadcast_dimensions[i])
    operand, broadcast_dimensions = _w.permute(operand, order), [broadcast_dimensions[i] for i in order]
    sizes = [1] * len(shape)
    for d, n in zip(broadcast_dimensions, operand.shape):
        sizes[d] = n
    return _w.broadcast_to(_w.reshape(operand, sizes), shape)


def broadcast_shapes(*shapes):
    from jax.numpy import broadcast_shapes as f
    return f(*shapes)


def expand_dims(array, dimensions):
    from jax.numpy import expand_dims as f
    return f(array, tuple(dimensions))


def squeeze(array, dimensions):
    x = _w.wrap(array)
    axes = [_axis(d, len(x.shape)) for d in dimensions]
    if len(set(axes)) != len(axes):
        raise ValueError(f"dimensions are not unique: {tuple(dimensions)}")
    if any([x.shape[a] != 1 for a in axes]):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one, got shape="
                         f"{tuple(x.shape)} and dimensions={tuple(dimensions)}")
    return _w.reshape(x, [n for i, n in enumerate(x.shape) if i not in axes])


def collapse(operand, start_dimension, stop_dimension=None):
    rank = len(operand.shape)
    start = start_dimension % rank
    stop = rank if stop_dimension is None else (stop_dimension % rank if stop_dimension < 0 else stop_dimension)
    s = tuple(operand.shape)
    return _w.reshape(operand, s[:start] + (-1,) + s[stop:])


def concatenate(operands, dimension):
    operands = [_w.wrap(x) for x in operands]
    if any([x.dtype != operands[0].dtype for x in operands]):
        raise TypeError("lax.concatenate requires arguments to have the same dtypes, got "
                        f"{', '.join([x.dtype.name for x in operands])}. (Tip: jnp.concatenate is a similar function that "
                        "does automatic type promotion on inputs).")
    return _w.concat(list(operands), dimension)


def stack(arrays, axis=0):
    return _w.stack(list(arrays), axis)


def unstack(x, axis=0):
    return [_w.squeeze(y, axis) for y in _w.split(x, [1] * x.shape[axis], axis)]


def tile(operand, reps):
    if len(reps) != len(operand.shape):
        raise ValueError(f"tile: reps of length {len(reps)} for an operand of {len(operand.shape)} dimensions")
    return _w.tile(operand, tuple(reps))


def empty(shape, dtype, *, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: empty(shape, dtype), out_sharding)
    return full(shape, 0, dtype)


def broadcast_to_rank(x, rank):
    more = rank - len(x.shape)
    return _w.reshape(x, (1,) * more + tuple(x.shape)) if more > 0 else x


def broadcast_like(x, y):
    return _w.broadcast_to(x, y.shape)


def split(operand, sizes, axis=0):
    operand, sizes = _w.wrap(operand), [int(n) for n in sizes]
    axis = _axis(axis, len(operand.shape))
    if any([n < 0 for n in sizes]):
        raise ValueError(f"Sizes passed to split must be nonnegative, got {sizes}")
    if sum(sizes) != operand.shape[axis]:
        raise ValueError(f"Sum of sizes {sum(sizes)} must be equal to dimension {axis} of the operand shape "
                         f"{tuple(operand.shape)}")
    return list(_w.split(operand, sizes, axis))


def rev(operand, dimensions):
    return _w.flip(operand, tuple(dimensions)) if len(dimensions) else operand


def pad(operand, padding_value, padding_config):
    # low, high and between; negative amounts cut
    operand, value = _w.wrap(operand), _w.wrap(padding_value)
    _same_types((operand, value), "pad", "pad")
    if len(value.shape):
        raise ValueError(f"padding_value must be a scalar; got padding_value.shape={tuple(value.shape)}")
    if len(padding_config) != len(operand.shape):
        raise ValueError(f"length of padding_config must equal the number of axes of operand, got padding_config "
                         f"{tuple(padding_config)} for operand shape {tuple(operand.shape)}")
    if any([c[2] < 0 for c in padding_config]):
        raise ValueError(f"interior padding in padding_config must be nonnegative, got padding_config {tuple(padding_config)}")
    sizes = [a + b + n + _greater(n - 1, 0) * c for n, (a, b, c) in zip(operand.shape, padding_config)]
    if any([n < 0 for n in sizes]):
        raise ValueError(f"Dimension size after padding is not at least 0, got result shape {tuple(sizes)}, for padding_config "
                         f"{tuple(padding_config)} operand shape {tuple(operand.shape)}")
    lo = [c[0] for c in padding_config]
    hi = [c[1] for c in padding_config]
    more = {"lo": [_greater(v, 0) for v in lo], "hi": [_greater(v, 0) for v in hi],
            "interior": [c[2] for c in padding_config]}
    y = _w.op("pad", [operand, value], more)[0]
    for i, (a, b) in enumerate(zip(lo, hi)):
        if a < 0 or b < 0:
            start = _greater(-a, 0)
            y = _w.narrow(y, i, start, y.shape[i] - start - _greater(-b, 0))
    return y


def iota(dtype, size):
    return _w.iota(_as_dtype(dtype), (size,))


def broadcasted_iota(dtype, shape, dimension, out_sharding=None):
    if out_sharding is not None:
        return _said(lambda: broadcasted_iota(dtype, shape, dimension), out_sharding)
    return _w.iota(_as_dtype(dtype), tuple(shape), dimension)


def full(shape, fill_value, dtype=None, sharding=None):
    from jax.numpy import full as f
    return f(shape, fill_value, dtype)


def full_like(x, fill_value, dtype=None, shape=None, sharding=None):
    from jax.numpy import full_like as f
    return f(x, fill_value, dtype, shape)


zeros_like_array = _w.zeros_like


def tie_in(x, y):
    return y


def optimization_barrier(x):
    return x


def shape_as_value(shape):
    return _w.reshape(_w.stack([_w.cast(n, _default_int()) for n in shape], 0), (len(shape),)) if len(shape) else \
        _w.full((0,), 0, _default_int())


# ---- slices


def slice(operand, start_indices, limit_indices, strides=None):
    strides = strides or [1] * len(start_indices)
    key = tuple([_range_of(a, b, s) for a, b, s in zip(start_indices, limit_indices, strides)])
    return operand[key]


def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    key = [_range_of(None)] * len(operand.shape)
    key[axis] = _range_of(start_index, limit_index, stride)
    return operand[tuple(key)]


def index_in_dim(operand, index, axis=0, keepdims=True):
    n = operand.shape[axis]
    y = _w.narrow(operand, axis, index + n if index < 0 else index, 1)
    return y if keepdims else _w.squeeze(y, axis)


def _starts(operand, indices, negative, name):
    if hasattr(indices, "shape"):
        if len(indices.shape) != 1:
            raise TypeError(f"{name} indices must be a 1-dimensional array or a sequence of scalars, got shape {indices.shape}")
        indices = [indices[i] for i in range(indices.shape[0])]
    if len(indices) != len(operand.shape):
        raise ValueError(f"{name} start_indices must have length equal to the number of dimensions of the operand, got indices "
                        f"{tuple(indices)} for operand shape {tuple(operand.shape)}.")
    kinds = [getattr(i, "dtype", None) for i in indices]
    strong = [_as_dtype(d) for i, d in zip(indices, kinds) if d is not None and not (isinstance(i, _w.Tensor) and _w.about(i, "weak"))]
    if any([d != strong[0] or d.kind not in "iu" for d in strong]) or any([isinstance(i, float) for i in indices]):
        raise TypeError(f"index arguments to {name} must be integers of the same type, got: "
                        f"{', '.join([d.name if d is not None else 'int32' for d in kinds])}")
    out = []
    for i, n in zip(indices, operand.shape):
        if isinstance(i, int):
            if i < 0 and not negative:
                raise ValueError(f"Index {i} is out of bounds for dimension {n} if allow_negative_indices=False")
            i = i + n if i < 0 else i
            out.append(_w.cast(i, _w.int32))
        else:
            signed = _as_dtype(i.dtype).kind == "i"
            i = _w.cast(i, _w.int32)
            out.append(_w.where(_w.lt(i, 0), i + n, i) if negative and signed else i)
    return out


def dynamic_slice(operand, start_indices, slice_sizes, allow_negative_indices=True):
    operand = _w.wrap(operand)
    slice_sizes = [int(s) for s in slice_sizes]
    if len(slice_sizes) != len(operand.shape):
        raise TypeError("dynamic_slice slice_sizes must have length equal to the number of dimensions of the operand, got "
                        f"{tuple(slice_sizes)} for operand shape {tuple(operand.shape)}.")
    for n, s in zip(operand.shape, slice_sizes):
        if s < 0:
            raise TypeError(f"slice slice_sizes must be greater than or equal to zero, got slice_sizes of {tuple(slice_sizes)}.")
        if s > n:
            raise TypeError("slice slice_sizes must be less than or equal to operand shape, got slice_sizes "
                            f"{tuple(slice_sizes)} for operand shape {tuple(operand.shape)}.")
    return _w.op("dynamic_slice", [operand] + _starts(operand, start_indices, allow_negative_indices, "dynamic_slice"),
                 {"sizes": slice_sizes})[0]


def dynamic_update_slice(operand, update, start_indices, allow_negative_indices=True):
    operand, update = _w.wrap(operand), _w.wrap(update)
    _same_types((operand, update), "dynamic_update_slice")
    if len(update.shape) != len(operand.shape):
        raise TypeError("dynamic_update_slice update must have the same rank as operand, got update shape "
                        f"{tuple(update.shape)} for operand shape {tuple(operand.shape)}.")
    if any([u > n for u, n in zip(update.shape, operand.shape)]):
        raise TypeError("dynamic_update_slice update shape must be smaller than operand shape, got update shape "
                        f"{tuple(update.shape)} for operand shape {tuple(operand.shape)}.")
    starts = _starts(operand, start_indices, allow_negative_indices, "dynamic_update_slice")
    return _w.op("dynamic_update_slice", [operand, update] + starts)[0]


def _at(operand, index, axis):
    out = [0] * len(operand.shape)
    out[axis % len(out)] = index
    return out


def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0, allow_negative_indices=True):
    sizes = list(operand.shape)
    sizes[axis] = slice_size
    return dynamic_slice(operand, _at(operand, start_index, axis), sizes, allow_negative_indices)


def dynamic_index_in_dim(operand, index, axis=0, keepdims=True, allow_negative_indices=True):
    y = dynamic_slice_in_dim(operand, index, 1, axis, allow_negative_indices)
    return y if keepdims else _w.squeeze(y, axis)


def dynamic_update_slice_in_dim(operand, update, start_index, axis, allow_negative_indices=True):
    return dynamic_update_slice(operand, update, _at(operand, start_index, axis), allow_negative_indices)


def dynamic_update_index_in_dim(operand, update, index, axis, allow_negative_indices=True):
    update = _w.wrap(update)
    if len(update.shape) < len(operand.shape):
        update = _w.expand_dims(update, axis)
    return dynamic_update_slice_in_dim(operand, update, index, axis, allow_negative_indices)


# ---- order


def sort(operand, dimension=-1, is_stable=True, num_keys=1):
    if not isinstance(operand, (tuple, list)):
        return _w.sort(operand, dimension)[0]
    xs = list(operand)
    axis = dimension % len(xs[0].shape)
    return tuple(_w.op("sort", xs, {"axis": axis, "keys": num_keys}))


def sort_key_val(keys, values, dimension=-1, is_stable=True):
    return sort((keys, values), dimension)


def top_k(operand, k, *, axis=-1):
    from jax.numpy._select import top_k as f
    return list(f(operand, k, axis))


def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95, **_):
    return tuple(top_k(operand, k, axis=reduction_dimension))


def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95, **_):
    values, index = _w.top_k(operand, k, reduction_dimension, False)
    return values, _w.cast(index, _w.int32)


def _best(name, fn):
    def call(operand, axis, index_dtype):
        operand, index_dtype = _w.wrap(operand), _as_dtype(index_dtype)
        if not 0 <= axis < len(operand.shape):
            raise ValueError(f"Invalid axis {axis} for operand shape {tuple(operand.shape)}")
        if operand.shape[axis] < 1:
            raise ValueError("argmin and argmax require non-empty reduced dimension. operand.shape="
                             f"{tuple(operand.shape)} axis={axis}")
        if index_dtype.kind not in "iu":
            raise TypeError(f"index_dtype must be an integer type, but got {index_dtype.name}.")
        return _w.cast(fn(operand, axis), index_dtype)
    call.__name__ = call.__qualname__ = name
    return call


argmax, argmin = _best("argmax", _w.argmax), _best("argmin", _w.argmin)


# ---- reductions


def _reduced(fn):
    return lambda operand, axes, **_: fn(operand, tuple(axes)) if len(axes) else operand


reduce_sum, reduce_prod = _reduced(_w.sum), _reduced(_w.prod)
reduce_max, reduce_min = _reduced(_w.max), _reduced(_w.min)


def _bitwise(name, bools, of, start):
    # Of bools by the native, of integers bit by bit.
    def reduced(operand, axes, **_):
        if operand.dtype == _w.bool_:
            return bools(operand, tuple(axes)) if len(axes) else operand
        return _fold(_whole(name, operand), _w.cast(start, operand.dtype), of, axes)
    return reduced


def _whole(name, operand):
    if operand.dtype.is_inexact:
        raise TypeError(f"logical reduction requires operand dtype bool or int, got {operand.dtype.name}.")
    return operand


reduce_and, reduce_or = _bitwise("reduce_and", _w.all, _w.bitwise_and, -1), _bitwise("reduce_or", _w.any, _w.bitwise_or, 0)


def reduce_xor(operand, axes):
    return _fold(operand, _w.cast(0, operand.dtype) if operand.dtype != _w.bool_ else _w.wrap(False),
                 _w.bitwise_xor, axes)


def _fold(x, init, fn, axes):
    # By halves along one axis after the other; fn is associative.
    for a in sorted(axes, reverse=True):
        while x.shape[a] > 1:
            n = x.shape[a]
            half = n // 2
            y = fn(_w.narrow(x, a, 0, half), _w.narrow(x, a, half, half))
            x = y if n % 2 == 0 else _w.concat([y, _w.narrow(x, a, n - 1, 1)], a)
        if x.shape[a] == 0:
            shape = list(x.shape)
            shape.pop(a)
            x = _w.broadcast_to(_w.cast(init, x.dtype), shape)
        else:
            x = _w.squeeze(x, a)
    return fn(_w.broadcast_to(_w.cast(init, x.dtype), x.shape), x)


def _several(operands, init_values, name):
    # Leaves, tree and starting values of a reduction of one array or several.
    leaves, spec = _tree.flatten(operands, None, True)
    inits, init_spec = _tree.flatten(init_values, None, True)
    if spec != init_spec:
        from jax._pytree import PyTreeDef
        raise ValueError("Operands must have the same tree structure as init_values: "
                         f"{PyTreeDef(spec)} vs. {PyTreeDef(init_spec)}")
    leaves, inits = [_w.wrap(x) for x in leaves], [_w.wrap(x) for x in inits]
    if not leaves:
        raise ValueError(f"{name} must have at least one operand.")
    if any([tuple(x.shape) != tuple(leaves[0].shape) for x in leaves]):
        raise TypeError(f"{name} requires all operands to have the same shape, got {[tuple(x.shape) for x in leaves]}")
    return leaves, spec, inits


_of_monoid = {"add": (_w.sum, 0), "mul": (_w.prod, 1), "max": (_w.max, float("-inf")), "min": (_w.min, float("inf"))}


def _plain_reduction(x, init, computation, axes):
    # add from 0, mul from 1, max and min from the least and the greatest: the reductions themselves
    fn, idle = _of_monoid.get(getattr(computation, "__name__", ""), (None, None))
    if fn is None or computation.__module__ != "jax.lax._elementwise" or _w.about(init, "symbolic") or not axes or \
            any([x.shape[a] == 0 for a in axes]) or not (x.dtype.is_floating_point or x.dtype.kind in "iu"):
        return None
    if x.dtype.kind in "iu" and idle in (float("-inf"), float("inf")):
        from jax._dtypes import iinfo
        idle = iinfo(x.dtype).min if idle < 0 else iinfo(x.dtype).max
    return _w.cast(fn(x, tuple(axes)), x.dtype) if init.item() == idle else None


def reduce(operands, init_values, computation, dimensions, out_sharding=None):
    leaves, spec, inits = _several(operands, init_values, "reduce")
    if any([len(i.shape) for i in inits]):
        raise ValueError(f"reduce found non-scalar initial value: {[tuple(i.shape) for i in inits]}")
    rank = len(leaves[0].shape)
    axes = [int(d) for d in dimensions]
    if len(set(axes)) != len(axes):
        raise ValueError(f"duplicate value in 'axes' of reduction: {tuple(axes)}")
    if any([not 0 <= d < rank for d in axes]):
        raise ValueError(f"reduction axes {tuple(axes)} contains out-of-bounds indices for {tuple(leaves[0].shape)}.")
    if len(leaves) == 1:
        y = _plain_reduction(leaves[0], inits[0], computation, axes)
        if y is None:
            one = lambda a, b: _flat_result(computation(_tree.unflatten(spec, [a]), _tree.unflatten(spec, [b])), spec, "reduce")[0]
            y = _fold(leaves[0], inits[0], one, axes)
        return _tree.unflatten(spec, [y])
    axes = sorted(axes)
    rest = [i for i in range(rank) if i not in axes]
    rows = [_w.reshape(_w.permute(x, axes + rest), (-1,) + tuple([x.shape[i] for i in rest])) for x in leaves]
    start = tuple([_w.broadcast_to(_w.cast(i, r.dtype), tuple(r.shape)[1:]) for i, r in zip(inits, rows)])
    from jax.lax._flow import scan
    body = lambda c, x: (tuple(_flat_result(computation(_tree.unflatten(spec, c), _tree.unflatten(spec, x)), spec, "reduce")), None)
    return _tree.unflatten(spec, scan(body, start, tuple(rows))[0])


def _flat_result(y, spec, name):
    ys, own = _tree.flatten(y, None, True)
    if own != spec:
        from jax._pytree import PyTreeDef
        raise ValueError(f"{name} output must have the same tree structure as the operands {PyTreeDef(spec)}, got {PyTreeDef(own)}.")
    return ys


def _along(operand, axis):
    # A running reduction's array and axis, which is counted from the front.
    operand = _w.wrap(operand)
    if not 0 <= axis < len(operand.shape):
        raise ValueError(f"axis {axis} is out of bounds for array of shape {tuple(operand.shape)}")
    return operand


def cumsum(operand, axis=0, reverse=False):
    return _w.cumsum(_along(operand, axis), axis, reverse)


def _running(name, attrs):
    def call(operand, axis=0, reverse=False):
        return _w.op(name, [_along(operand, axis)], dict(attrs, axis=axis, reverse=bool(reverse)))[0]
    call.__name__ = call.__qualname__ = name
    return call


cumprod, cumlogsumexp = _running("cumprod", {}), _running("cumlogsumexp", {})
cummax, cummin = _running("cummax", {"split": True}), _running("cummin", {"split": True})


def index_take(src, idxs, axes):
    # [n, *rest]: where the indices lead along their axes, each kept inside
    src = _w.wrap(src)
    rest = [a for a in range(len(src.shape)) if a not in axes]
    y = _w.permute(src, list(axes) + rest)
    key = []
    for i, a in zip(idxs, axes):
        i, n = _w.cast(_w.wrap(i), _w.int32), src.shape[a]
        key.append(_w.clip(_w.where(_w.lt(i, 0), i + n, i), 0, n - 1))
    return y[tuple(key)]
