# jax.nn -- activations, normalisation, one_hot, attention.
import _jax as _w
from jax.numpy import asarray as _asarray
from jax.numpy._math import _float
from jax.nn import initializers
from jax._custom import custom_jvp as _custom_jvp


def relu(x):
    # The slope at 0 is 0, and that at NaN, which stays.
    x = _asarray(x)
    return _w.where(_w.gt(x, 0), x, _w.stop_gradient(_w.maximum(x, _w.zeros_like(x))))


def relu6(x):
    x = _asarray(x)
    six = _w.full_like(x, 6)
    flat = _w.minimum(_w.maximum(x, _w.zeros_like(x)), six)
    return _w.where(_w.logical_and(_w.gt(x, 0), _w.lt(x, 6)), x, _w.stop_gradient(flat))


def sigmoid(x):
    x = _asarray(x)
    if not x.dtype.is_inexact:
        raise TypeError(f"logistic does not accept dtype {x.dtype.name}. Accepted dtypes are subtypes of floating, "
                        "complexfloating.")
    return _w.sigmoid(_float(x))


@_custom_jvp
def _log1mexp(x):
    near = _w.lt(x, 0.6931471805599453)
    return _w.where(near, _w.log(-_w.expm1(-x)), _w.log1p(-_w.exp(-x)))


_log1mexp.defjvp(lambda x, t: (_log1mexp(x[0]), t[0] / _w.expm1(x[0])))


def log1mexp(x):
    # log(1 - exp(-x)) for x > 0, by the form that keeps its digits
    return _log1mexp(_float(x))


def softplus(x):
    return _w.logaddexp(_float(x), 0.0)


def soft_sign(x):
    x = _float(x)
    return x / (_w.abs(x) + 1)


def silu(x):
    x = _float(x)
    return x * _w.sigmoid(x)


swish = silu


def mish(x):
    x = _float(x)
    return x * _w.tanh(softplus(x))


def log_sigmoid(x):
    return -softplus(-_float(x))


def sparse_plus(x):
    x = _float(x)
    return _w.where(_w.le(x, -1), 0.0, _w.where(_w.ge(x, 1), x, (x + 1.0) ** 2 / 4))


def sparse_sigmoid(x):
    return 0.5 * _w.clip(_float(x) + 1.0, 0.0, 2.0)


def _below(x):
    # x where it is not above 0, so that exp of the rest does not overflow
    return _w.where(_w.gt(x, 0), _w.zeros_like(x), x)


def elu(x, alpha=1.0):
    x = _float(x)
    return _w.where(_w.gt(x, 0), x, alpha * _w.expm1(_below(x)))


def celu(x, alpha=1.0):
    x = _float(x)
    return _w.maximum(x, 0.0) + alpha * _w.expm1(_w.minimum(x, 0.0) / alpha)


def selu(x):
    return 1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)


def leaky_relu(x, negative_slope=1e-2):
    x = _float(x)
    return _w.where(_w.ge(x, 0), x, negative_slope * x)


def hard_tanh(x):
    x = _float(x)
    return _w.where(_w.gt(x, 1), _w.ones_like(x), _w.where(_w.lt(x, -1), -_w.ones_like(x), x))


def hard_sigmoid(x):
    return relu6(_float(x) + 3.0) / 6.0


def hard_silu(x):
    x = _float(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def gelu(x, approximate=True):
    x = _float(x)
    if approximate:
        return _w.gelu(x, True)
    return 0.5 * x * _w.erfc(x * -0.7071067811865476)   # 1 + erf would lose the digits of what is far below 0


def glu(x, axis=-1):
    n = x.shape[axis]
    if n % 2:
        raise AssertionError("axis size must be divisible by 2")
    a, b = _w.split(x, [n // 2, n // 2], axis)
    return a * _w.sigmoid(b)


def squareplus(x, b=4):
    x = _float(x)
    return (x + _w.sqrt(x * x + b)) / 2


def identity(x):
    return x


tanh = _w.tanh


def _masked(x, where):
    return x if where is None else _w.where(where, x, float("-inf"))


def softmax(x, axis=-1, where=None, initial=None):
    x = _float(x)
    if where is None and isinstance(axis, int) and len(x.shape):
        return _w.softmax(x, axis)
    if not len(x.shape) and axis not in (None, ()):
        raise ValueError(f"axis {axis} is out of bounds for array of dimension 0")
    axis = axis if len(x.shape) else None
    y = _masked(x, where)
    e = _w.exp(y - _w.stop_gradient(_w.max(y, axis, True)))
    if where is None:
        return e / _w.sum(e, axis, True)
    # outside of where there are zeros, and nothing else where nothing is inside
    e = _w.where(where, e, _w.zeros_like(e))
    total = _w.sum(e, axis, True)
    return _w.where(where, e / _w.where(_w.eq(total, 0), _w.ones_like(total), total), _w.zeros_like(e))


def log_softmax(x, axis=-1, where=None, initial=None):
    x = _float(x)
    if where is None and isinstance(axis, int) and len(x.shape):
        return _w.log_softmax(x, axis)
    axis = axis if len(x.shape) else None
    y = _masked(x, where)
    shifted = y - _w.stop_gradient(_w.max(y, axis, True))
    out = shifted - _w.log(_w.sum(_w.exp(shifted), axis, True))
    return out if where is None else _w.where(where, out, float("-inf"))


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    x = _masked(_inexact(a), where)
    if b is None and not return_sign and not x.dtype.is_complex:
        return _w.logsumexp(x, axis, keepdims)
    if b is not None:
        from jax.numpy import broadcast_arrays
        x, b = broadcast_arrays(x, _inexact(b))
        x = _w.where(_w.eq(b, 0), float("-inf"), x)    # what counts 0 times must not be infinite
    top = _w.real(x) if x.dtype.is_complex else x
    top = _w.max(top, axis, True)
    top = _w.stop_gradient(_w.where(_w.is_finite(top), top, _w.zeros_like(top)))
    terms = _w.exp(x - top)
    s = _w.sum(terms if b is None else b * terms, axis, keepdims)
    top = _w.reshape(top, s.shape)
    if not return_sign:
        return _w.log(s) + top
    size = _w.abs(s)
    sign = s / _w.where(_w.eq(size, 0), 1.0, size) if s.dtype.is_complex else _w.sign(s)
    return _w.log(size) + top, sign


def _inexact(x):
    x = _asarray(x)
    return x if x.dtype.is_inexact else _float(x)


def logmeanexp(x, axis=None, where=None, keepdims=False):
    x = _float(x)
    used = _w.ones_like(x) if where is None else _w.cast(_w.broadcast_to(where, x.shape), x.dtype)
    return logsumexp(x, axis, where=where, keepdims=keepdims) - _w.log(_w.sum(used, axis, keepdims))


def standardize(x, axis=-1, mean=None, variance=None, epsilon=1e-5, where=None):
    from jax.numpy._reduce import mean as average
    x = _float(x)
    mean = average(x, axis, keepdims=True, where=where) if mean is None else mean
    if variance is None:
        variance = average(x * x, axis, keepdims=True, where=where) - mean * mean
    return (x - mean) * _w.rsqrt(variance + epsilon)


def one_hot(x, num_classes, *, dtype=None, axis=-1):
    x = _asarray(x)
    y = _w.eq(_w.expand_dims(x, -1), _w.arange(0, num_classes))
    y = _w.cast(y, float if dtype is None else dtype)
    return y if axis == -1 else _w.move_axis(y, -1, axis)


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False,
                          query_seq_lengths=None, key_value_seq_lengths=None, local_window_size=None,
                          implementation=None, return_residual=False):
    # [B,] T, N, H  with keys and values  [B,] S, K, H, where N is a multiple of K.
    # The residual: log sum exp of what the softmax is of, [B,] T, N
    batched = len(query.shape) == 4
    q, k, v = [x if batched else _w.expand_dims(x, 0) for x in (query, key, value)]
    groups = q.shape[2] // k.shape[2]
    if groups > 1:
        k, v = _w.repeat(k, groups, 2), _w.repeat(v, groups, 2)
    t, s = q.shape[1], k.shape[1]
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    logits = _w.einsum("btnh,bsnh->bnts", [q, k]) * scale
    if bias is not None:
        logits = logits + bias
    low = -0.7 * 3.4028235e38
    if mask is not None:
        logits = _w.where(mask, logits, low)
    if is_causal:
        logits = _w.where(_w.tri(t, s, 0, bool), logits, low)
    if local_window_size is not None:
        left, right = (local_window_size,) * 2 if isinstance(local_window_size, int) else local_window_size
        away = _w.sub(_w.arange(0, s), _w.expand_dims(_w.arange(0, t), 1))
        logits = _w.where(_w.logical_and(_w.ge(away, -left), _w.le(away, right)), logits, low)
    if key_value_seq_lengths is not None:
        logits = _w.where(_within(key_value_seq_lengths, (-1, 1, 1, 1), s), logits, low)
    y = _w.einsum("bnts,bsnh->btnh", [_w.softmax(logits, -1), v])
    if query_seq_lengths is not None:
        inside = _w.reshape(_within(query_seq_lengths, (-1, 1), t), (-1, t, 1, 1))
        y = _w.where(inside, y, _w.zeros_like(y))
    y = y if batched else y[0]
    if not return_residual:
        return y
    sums = _w.swap_axes(_w.logsumexp(logits, -1, False), 1, 2)
    return y, _w.stop_gradient(_w.cast(sums if batched else sums[0], key.dtype))


def _within(lengths, shape, n):
    # Which of n places lie inside each of the lengths.
    return _w.lt(_w.arange(0, n), _w.reshape(_asarray(lengths), shape))
