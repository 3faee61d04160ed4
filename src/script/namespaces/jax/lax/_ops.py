# jax.lax: operations element by element, of shape, order, choice and contraction.
import enum as _enum
import _jax as _w
from jax._precision import precisely as _precisely
from jax._dtypes import as_dtype as _as_dtype, default_int as _default_int

_greater, _range_of = max, slice   # of Python, before the names are lax's

__all__ = """neg abs sign exp exp2 expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    sqrt rsqrt cbrt square logistic erf erfc erf_inv floor ceil round is_finite population_count clz
    lgamma digamma add sub mul div rem pow integer_pow atan2 max min nextafter bitwise_and bitwise_or bitwise_xor bitwise_not
    shift_left shift_right_logical shift_right_arithmetic eq ne lt le gt ge select select_n clamp
    convert_element_type bitcast_convert_type reduce_precision real imag conj complex
    reshape transpose broadcast broadcast_in_dim expand_dims squeeze collapse concatenate rev pad
    iota broadcasted_iota full full_like zeros_like_array tie_in
    slice slice_in_dim index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_index_in_dim
    dynamic_update_slice dynamic_update_slice_in_dim dynamic_update_index_in_dim
    dot dot_general batch_matmul ragged_dot DotDimensionNumbers Precision
    sort sort_key_val top_k argmax argmin reduce reduce_sum reduce_prod reduce_max reduce_min
    reduce_and reduce_or reduce_xor cumsum cumprod cummax cummin cumlogsumexp
    index_take optimization_barrier
    random_gamma_grad bessel_i0e bessel_i1e igamma igammac betainc regularized_incomplete_beta zeta polygamma
    broadcast_shapes rng_uniform reciprocal stack unstack split tile dtype empty
    broadcast_to_rank broadcast_like RoundingMethod approx_max_k approx_min_k""".split()

neg, sign, exp, exp2, expm1 = _w.neg, _w.sign, _w.exp, _w.exp2, _w.expm1
abs = _w.abs
log, log1p, sin, cos, tan = _w.log, _w.log1p, _w.sin, _w.cos, _w.tan
asin, acos, atan, sinh, cosh, tanh = _w.asin, _w.acos, _w.atan, _w.sinh, _w.cosh, _w.tanh
asinh, acosh, atanh = _w.asinh, _w.acosh, _w.atanh
sqrt, rsqrt, square, logistic = _w.sqrt, _w.rsqrt, _w.square, _w.sigmoid
erf, erf_inv = _w.erf, _w.erf_inv
floor, ceil, is_finite = _w.floor, _w.ceil, _w.is_finite
atan2 = _w.atan2
reciprocal = _w.reciprocal
bitwise_not = _w.bitwise_not


def _both(x, y, name):
    # Types must agree; a Python number takes the other's, and scalars are spread.
    x, y = _w.wrap(x), _w.wrap(y)
    if x.dtype != y.dtype:
        if _w.about(x, "weak") and not (x.dtype.is_inexact and not y.dtype.is_inexact) and not x.dtype.is_complex:
            x = _w.cast(x, y.dtype)
        elif _w.about(y, "weak") and not (y.dtype.is_inexact and not x.dtype.is_inexact) and not y.dtype.is_complex:
            y = _w.cast(y, x.dtype)
        else:
            raise TypeError(f"lax.{name} requires arguments to have the same dtypes, got {x.dtype.name}, "
                            f"{y.dtype.name}. (Tip: jnp.{name} is a similar function that does automatic type "
                            "promotion on inputs).")
    if len(x.shape) != len(y.shape) and len(x.shape) and len(y.shape) or \
            any([a != b and a != 1 and b != 1 for a, b in zip(x.shape, y.shape)]):
        raise TypeError(f"{name} got incompatible shapes for broadcasting: {tuple(x.shape)}, {tuple(y.shape)}.")
    return x, y


def _binary(name, fn):
    def call(x, y):
        a, b = _both(x, y, name)
        return fn(a, b)
    call.__name__ = name
    return call


def _divided(x, y):
    # Integers are divided towards zero.
    if x.dtype.is_inexact:
        return _w.div(x, y)
    q = _w.floor_div(x, y)
    inexact = _w.ne(_w.mul(q, y), x)
    if x.dtype.kind == "i":
        q = _w.where(_w.eq(y, 0), _w.set_weak(_w.full((), -1, x.dtype), True), q)
        inexact = _w.logical_and(inexact, _w.ne(y, 0))
    return _w.where(_w.logical_and(inexact, _w.ne(_w.lt(x, 0), _w.lt(y, 0))), q + 1, q)


add, sub, mul = _binary("add", _w.add), _binary("sub", _w.sub), _binary("mul", _w.mul)
div, rem = _binary("div", _divided), _binary("rem", _w.fmod)
max, min = _binary("max", _w.maximum), _binary("min", _w.minimum)
eq, ne = _binary("eq", _w.eq), _binary("ne", _w.ne)
lt, le, gt, ge = _binary("lt", _w.lt), _binary("le", _w.le), _binary("gt", _w.gt), _binary("ge", _w.ge)
bitwise_and, bitwise_or = _binary("and", _w.bitwise_and), _binary("or", _w.bitwise_or)
bitwise_xor = _binary("xor", _w.bitwise_xor)
shift_left = _binary("shift_left", _w.shift_left)


def _spread(x, y):
    shape = x.shape if len(x.shape) else y.shape
    return _w.broadcast_to(x, shape), _w.broadcast_to(y, shape)


shift_right_logical = _binary("shift_right_logical", lambda x, y: _w.op("shr_logical", _spread(x, y))[0])
shift_right_arithmetic = _binary("shift_right_arithmetic", lambda x, y: _w.op("shr_arith", _spread(x, y))[0])


def pow(x, y):
    return _w.pow(x, y)


def integer_pow(x, y):
    return _w.wrap(x) ** y


def nextafter(x, y):
    from jax.numpy import nextafter as f
    return f(x, y)


class RoundingMethod(_enum.IntEnum):
    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    if RoundingMethod(rounding_method) == RoundingMethod.TO_NEAREST_EVEN:
        return _w.round(x)
    x = _w.wrap(x)
    cut = _w.trunc(x)   # x + 0.5 would be rounded itself
    return _w.where(_w.ge(_w.abs(x - cut), 0.5), cut + _w.sign(x), cut)


def cbrt(x):
    from jax.numpy import cbrt as f
    return f(x)


erfc = _w.erfc


def lgamma(x):
    from jax.scipy.special import gammaln
    return gammaln(x)


def digamma(x):
    from jax.scipy.special import digamma as f
    return f(x)


def _missing(name):
    def call(*args, **kwargs):
        raise NotImplementedError(f"lax.{name}: this special function is not there yet")
    return call


def _special(name):
    def call(*xs):
        return getattr(__import__("jax.scipy.special"), name)(*xs)
    return call


igamma, igammac, zeta, polygamma = _special("gammainc"), _special("gammaincc"), _special("zeta"), _special("polygamma")
betainc = regularized_incomplete_beta = _special("betainc")
bessel_i0e, bessel_i1e, random_gamma_grad = _special("i0e"), _special("i1e"), _missing("random_gamma_grad")
rng_uniform = _missing("rng_uniform")


def _part(name, fn):
    def part(x):
        x = _w.wrap(x)
        if not x.dtype.is_complex:
            raise TypeError(f"{name} does not accept dtype {x.dtype.name}. Accepted dtypes are subtypes of complexfloating.")
        return fn(x)
    return part


real, imag = _part("real", _w.real), _part("imag", _w.imag)


def conj(x):
    x = _w.wrap(x)
    return _w.conj(x) if x.dtype.is_complex else _w.cast(x, _w.complex128 if x.dtype.name == "float64" else _w.complex64)


def complex(x, y):
    return _w.complex(x, y)


def _integral(x, name):
    x = _w.wrap(x)
    if x.dtype.kind not in "iu":
        raise TypeError(f"{name} does not accept dtype {x.dtype.name}. Accepted dtypes are subtypes of integer.")
    return x


def population_count(x):
    x = _integral(x, "population_count")
    unsigned = {1: _w.uint8, 2: _w.uint16, 4: _w.uint32, 8: _w.uint64}[x.dtype.itemsize]
    u = _w.bitcast(x, unsigned)
    total = _w.zeros_like(u)
    for i in range(8 * x.dtype.itemsize):
        shift = _w.full(u.shape, i, unsigned)
        total = total + _w.bitwise_and(_w.op("shr_logical", [u, shift])[0], _w.full(u.shape, 1, unsigned))
    return _w.cast(total, x.dtype)


def clz(x):
    x = _integral(x, "clz")
    bits = 8 * x.dtype.itemsize
    unsigned = {1: _w.uint8, 2: _w.uint16, 4: _w.uint32, 8: _w.uint64}[x.dtype.itemsize]
    u = _w.bitcast(x, unsigned)
    i = 1
    while i < bits:
        u = _w.bitwise_or(u, _w.op("shr_logical", [u, _w.full(u.shape, i, unsigned)])[0])
        i *= 2
    return _w.cast(bits, x.dtype) - population_count(_w.bitcast(u, x.dtype))


def select(pred, on_true, on_false):
    return _w.where(pred, on_true, on_false)


def select_n(which, *cases):
    if which.dtype == _w.bool_:
        return _w.where(which, cases[1], cases[0])
    y = cases[0]
    for i in range(1, len(cases)):
        y = _w.where(_w.ge(which, i), cases[i], y)
    return y


def clamp(min, x, max):
    x = _w.wrap(x)
    lo, hi = [_w.broadcast_to(_w.cast(v, x.dtype), x.shape) for v in (min, max)]
    return _w.op("clamp", [lo, x, hi])[0]


def convert_element_type(operand, new_dtype):
    from jax.numpy import astype
    return astype(operand, new_dtype)


def bitcast_convert_type(operand, new_dtype):
    return _w.bitcast(_w.wrap(operand), new_dtype)


def reduce_precision(operand, exponent_bits, mantissa_bits):
    # Changes of the operand go through; JAX rounds them, too.
    from jax._custom import custom_jvp
    f = custom_jvp(lambda x: _rounded(x, exponent_bits, mantissa_bits))
    f.defjvp(lambda x, t: (f(*x), t[0]))
    return f(operand)


def _rounded(operand, exponent_bits, mantissa_bits):
    # The bits rounded to even; too large is infinite, too small is 0.
    x = _w.wrap(operand)
    if not x.dtype.is_floating_point:
        raise TypeError(f"reduce_precision does not accept dtype {x.dtype.name}. Accepted dtypes are subtypes of floating.")
    if x.dtype != _w.float32:
        raise NotImplementedError(f"lax.reduce_precision of {x.dtype.name}: only of float32")
    bits = _w.bitcast(x, _w.int32)
    drop = 23 - mantissa_bits
    if drop > 0:
        half = _w.bitwise_and(_w.shift_right(bits, drop), 1) + ((1 << (drop - 1)) - 1)
        bits = _w.bitwise_and(bits + half, -(1 << drop))
    y = _w.bitcast(bits, _w.float32)
    top = (1 << (exponent_bits - 1)) - 1
    if top < 127:
        e = _w.bitwise_and(_w.shift_right(bits, 23), 255)
        y = _w.where(_w.gt(e, 127 + top), _w.sign(x) * float("inf"), _w.where(_w.le(e, 127 - top), x * 0, y))
    return _w.where(_w.is_finite(x), y, x)


def dtype(x):
    # of a value, or what a class or a name stands for
    if isinstance(x, (type, str, _w.dtype)):
        return _as_dtype(x)
    return getattr(x, "dtype", None) or _w.wrap(x).dtype


# ---- shape


def reshape(operand, new_sizes, dimensions=None, out_sharding=None):
    from jax.numpy import reshape as f
    return f(operand if dimensions is None else _w.permute(operand, dimensions), new_sizes)


def transpose(operand, permutation):
    return _w.permute(operand, permutation)


def broadcast(operand, sizes, out_sharding=None):
    operand = _w.wrap(operand)
    return _w.broadcast_to(operand, tuple(sizes) + tuple(operand.shape))


def broadcast_in_dim(operand, shape, broadcast_dimensions, out_sharding=None):
    operand = _w.wrap(operand)
    if len(broadcast_dimensions) != len(operand.shape):
        raise TypeError("broadcast_in_dim broadcast_dimensions must have length equal to operand ndim; got "
                        f"broadcast_dimensions {tuple(broadcast_dimensions)} for operand ndim {len(operand.shape)}.")
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
    from jax.numpy import squeeze as f
    return f(array, tuple(dimensions))


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
    return full(shape, 0, dtype)


def broadcast_to_rank(x, rank):
    more = rank - len(x.shape)
    return _w.reshape(x, (1,) * more + tuple(x.shape)) if more > 0 else x


def broadcast_like(x, y):
    return _w.broadcast_to(x, y.shape)


def split(operand, sizes, axis=0):
    return list(_w.split(operand, list(sizes), axis))


def rev(operand, dimensions):
    return _w.flip(operand, tuple(dimensions)) if len(dimensions) else operand


def pad(operand, padding_value, padding_config):
    # low, high and between; negative amounts cut
    operand = _w.wrap(operand)
    value = _w.cast(padding_value, operand.dtype)
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


def _starts(operand, indices, negative=True):
    if isinstance(indices, _w.Tensor):
        indices = [indices[i] for i in range(indices.shape[0])]
    out = []
    for i, n in zip(indices, operand.shape):
        if isinstance(i, int):
            if i < 0 and not negative:
                raise ValueError(f"Index {i} is out of bounds for dimension {n} if allow_negative_indices=False")
            i = i + n if i < 0 else i
            out.append(_w.cast(i, _w.int32))
        else:
            i = _w.cast(i, _w.int32)
            out.append(_w.where(_w.lt(i, 0), i + n, i) if negative else i)
    return out


def dynamic_slice(operand, start_indices, slice_sizes, allow_negative_indices=True):
    operand = _w.wrap(operand)
    for n, s in zip(operand.shape, slice_sizes):
        if s > n:
            raise TypeError("slice slice_sizes must be less than or equal to operand shape, got slice_sizes "
                            f"{tuple(slice_sizes)} for operand shape {tuple(operand.shape)}.")
    return _w.op("dynamic_slice", [operand] + _starts(operand, start_indices, allow_negative_indices), {"sizes": list(slice_sizes)})[0]


def dynamic_update_slice(operand, update, start_indices, allow_negative_indices=True):
    operand = _w.wrap(operand)
    update = _w.cast(update, operand.dtype)
    return _w.op("dynamic_update_slice", [operand, update] + _starts(operand, start_indices, allow_negative_indices))[0]


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


# ---- contraction


class DotDimensionNumbers:
    pass


class Precision:
    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, out_sharding=None):
    if precision is not None:
        return _precisely(precision, dot_general, lhs, rhs, dimension_numbers, None, preferred_element_type)
    (lc, rc), (lb, rb) = dimension_numbers
    lhs, rhs = _w.wrap(lhs), _w.wrap(rhs)
    from jax._dtypes import result_type
    acc = _as_dtype(preferred_element_type) or result_type(lhs, rhs)
    for a, b in list(zip(lc, rc)) + list(zip(lb, rb)):
        if lhs.shape[a] != rhs.shape[b]:
            raise TypeError("dot_general requires contracting dimensions to have the same shape, got "
                            f"{tuple(lhs.shape)} and {tuple(rhs.shape)}.")
    return _w.op("dot_general", [lhs, rhs], {"lhs": list(lc), "rhs": list(rc), "lhs_batch": list(lb),
                                             "rhs_batch": list(rb), "acc": acc})[0]


def dot(lhs, rhs, *, dimension_numbers=None, precision=None, preferred_element_type=None, out_sharding=None):
    if precision is not None:
        return _precisely(precision, dot, lhs, rhs, dimension_numbers=dimension_numbers, preferred_element_type=preferred_element_type)
    if dimension_numbers is not None:
        return dot_general(lhs, rhs, dimension_numbers, precision, preferred_element_type)
    return _w.matmul(lhs, rhs)


def batch_matmul(lhs, rhs, precision=None):
    if precision is not None:
        return _precisely(precision, batch_matmul, lhs, rhs)
    return _w.matmul(lhs, rhs)


def ragged_dot(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None):
    # lhs [m, k] by rows in groups of group_sizes [g], each times its matrix of rhs [g, k, n]; rows beyond all groups give 0.
    if group_offset is not None:
        raise NotImplementedError("Unimplemented group_offset support.")
    lhs, rhs, group_sizes = _w.wrap(lhs), _w.wrap(rhs), _w.wrap(group_sizes)
    if len(lhs.shape) != 2 or len(rhs.shape) != 3 or len(group_sizes.shape) != 1:
        raise NotImplementedError(f"ragged_dot of shapes {tuple(lhs.shape)}, {tuple(rhs.shape)} and {tuple(group_sizes.shape)}")
    if group_sizes.dtype.kind not in "iu":
        raise TypeError(f"ragged_dot requires that group_sizes.dtype is subtype of np.integer, got {group_sizes.dtype}.")
    if rhs.shape[0] != group_sizes.shape[0]:
        raise TypeError(f"ragged_dot: {group_sizes.shape[0]} group sizes for {rhs.shape[0]} matrices")
    from jax.lax._flow import scan
    acc = _as_dtype(preferred_element_type)
    row = _w.iota(_w.int32, (lhs.shape[0], 1))

    def group(carry, part):
        start, y = carry
        matrix, size = part
        stop = start + _w.cast(size, _w.int32)
        inside = _w.logical_and(_w.ge(row, start), _w.lt(row, stop))
        own = dot_general(lhs, matrix, (((1,), (0,)), ((), ())), precision, acc)
        return (stop, _w.where(inside, own, y)), None

    kind = dot_general(lhs, rhs[0], (((1,), (0,)), ((), ())), None, acc)
    return scan(group, (_w.full((), 0, _w.int32), _w.zeros_like(kind)), (rhs, group_sizes))[0][1]


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


def _whole_axis(axis, operand):
    if not 0 <= axis < len(operand.shape):
        raise ValueError(f"Invalid axis {axis} for operand shape {tuple(operand.shape)}")
    return axis


def argmax(operand, axis, index_dtype):
    _whole_axis(axis, operand)
    return _w.cast(_w.argmax(operand, axis), index_dtype)


def argmin(operand, axis, index_dtype):
    _whole_axis(axis, operand)
    return _w.cast(_w.argmin(operand, axis), index_dtype)


# ---- reductions


def _reduced(fn):
    return lambda operand, axes, **_: fn(operand, tuple(axes)) if len(axes) else operand


reduce_sum, reduce_prod = _reduced(_w.sum), _reduced(_w.prod)
reduce_max, reduce_min = _reduced(_w.max), _reduced(_w.min)
reduce_and, reduce_or = _reduced(_w.all), _reduced(_w.any)


def reduce_xor(operand, axes):
    return _fold(operand, _w.cast(0, operand.dtype) if operand.dtype != _w.bool_ else _w.wrap(False),
                 bitwise_xor, axes)


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


def reduce(operands, init_values, computation, dimensions, out_sharding=None):
    import _tree
    leaves, spec = _tree.flatten(operands)
    inits = _tree.flatten(init_values)[0]
    if len(leaves) == 1:
        return _tree.unflatten(spec, [_fold(leaves[0], inits[0], computation, dimensions)])
    axes = sorted([d % len(leaves[0].shape) for d in dimensions])
    rest = [i for i in range(len(leaves[0].shape)) if i not in axes]
    rows = [_w.reshape(_w.permute(x, axes + rest), (-1,) + tuple([x.shape[i] for i in rest])) for x in leaves]
    start = tuple([_w.broadcast_to(_w.cast(i, r.dtype), tuple(r.shape)[1:]) for i, r in zip(inits, rows)])
    from jax.lax._flow import scan
    body = lambda c, x: (tuple(computation(_tree.unflatten(spec, c), _tree.unflatten(spec, x))), None)
    return _tree.unflatten(spec, scan(body, start, tuple(rows))[0])


def cumsum(operand, axis=0, reverse=False):
    return _w.cumsum(operand, axis, reverse)


def _running(name, attrs):
    def call(operand, axis=0, reverse=False):
        return _w.op(name, [operand], dict(attrs, axis=axis, reverse=bool(reverse)))[0]
    call.__name__ = call.__qualname__ = name
    return call


cumprod, cumlogsumexp = _running("cumprod", {}), _running("cumlogsumexp", {})
cummax, cummin = _running("cummax", {"split": True}), _running("cummin", {"split": True})


def index_take(src, idxs, axes):
    y = src
    key = [_range_of(None)] * len(src.shape)
    for i, a in zip(idxs, axes):
        key[a] = i
    return y[tuple(key)]
