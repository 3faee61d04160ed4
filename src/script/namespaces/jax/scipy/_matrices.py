# jax.scipy.linalg: matrices that have names. Vectors may have axes before their last one.
import math as _math
import _jax as _w
import jax.numpy as _jnp

_pi = 3.141592653589793


def _ij(n, m=None):
    return _w.expand_dims(_w.arange(0, n), 1), _w.expand_dims(_w.arange(0, n if m is None else m), 0)


def _rows(f):
    # f of a vector, of every one that an array holds
    def call(x, *more):
        x = _jnp.atleast_1d(_jnp.asarray(x))
        if len(x.shape) == 1:
            return f(x, *more)
        out = _jnp.vectorize(lambda v: f(v, *more), signature="(n)->(m,k)")
        return out(x)
    return call


def toeplitz(c, r=None):
    c = _jnp.atleast_1d(_jnp.asarray(c))
    r = _w.conj(c) if r is None else _jnp.atleast_1d(_jnp.asarray(r))
    n, m = c.shape[-1], r.shape[-1]
    lead = _jnp.broadcast_shapes(tuple(c.shape)[:-1], tuple(r.shape)[:-1])
    c, r = _jnp.broadcast_to(c, lead + (n,)), _jnp.broadcast_to(r, lead + (m,))
    values = _jnp.concatenate([_w.flip(c, -1), r[..., 1:]], axis=-1)
    i, j = _ij(n, m)
    return values[..., j - i + (n - 1)]


def hankel(c, r=None):
    c = _jnp.atleast_1d(_jnp.asarray(c))
    r = _jnp.zeros_like(c) if r is None else _jnp.atleast_1d(_jnp.asarray(r))
    lead = _jnp.broadcast_shapes(tuple(c.shape)[:-1], tuple(r.shape)[:-1])
    n, m = c.shape[-1], r.shape[-1]
    values = _jnp.concatenate([_jnp.broadcast_to(c, lead + (n,)), _jnp.broadcast_to(r, lead + (m,))[..., 1:]], axis=-1)
    i, j = _ij(n, m)
    return values[..., i + j]


def circulant(c):
    c = _jnp.atleast_1d(_jnp.asarray(c))
    i, j = _ij(c.shape[-1])
    return c[..., _w.remainder(i - j, c.shape[-1])]


def _first_row_and_below(row, below):
    n = row.shape[-1]
    lead = tuple(row.shape)[:-1]
    i, j = _ij(n)
    under = _w.eq(i, j + 1)
    wide = _jnp.concatenate([_jnp.zeros(lead + (1,), below.dtype), _jnp.broadcast_to(below, lead + (n - 1,))], axis=-1)
    sub = _w.where(under, _w.expand_dims(wide, -1), _w.zeros_like(_w.expand_dims(row, -2)))
    return _w.where(_w.eq(i, 0), _w.expand_dims(row, -2), sub)


def companion(a):
    a = _jnp.atleast_1d(_jnp.asarray(a))
    if a.shape[-1] < 2:
        raise ValueError(f"The length of `a` along the last axis must be at least 2; got shape {tuple(a.shape)}.")
    row = -a[..., 1:] / a[..., :1]
    return _first_row_and_below(row, _jnp.ones(row.shape[-1] - 1, row.dtype))


def leslie(f, s):
    f, s = _jnp.atleast_1d(_jnp.asarray(f)), _jnp.atleast_1d(_jnp.asarray(s))
    if f.shape[-1] != s.shape[-1] + 1:
        raise ValueError(f"The length of s must be one less than the length of f; got f.shape={tuple(f.shape)}, s.shape={tuple(s.shape)}")
    if f.shape[-1] < 2:
        raise ValueError(f"The length of f along the last axis must be at least 2; got shape {tuple(f.shape)}.")
    d = _jnp.result_type(f, s)
    lead = _jnp.broadcast_shapes(tuple(f.shape)[:-1], tuple(s.shape)[:-1])
    f = _jnp.broadcast_to(_w.cast(f, d), lead + (f.shape[-1],))
    return _first_row_and_below(f, _jnp.broadcast_to(_w.cast(s, d), lead + (s.shape[-1],)))


def convolution_matrix(a, n, mode="full"):
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    a = _jnp.asarray(a)
    if len(a.shape) == 0:
        raise ValueError("a must have at least one dimension.")
    if a.shape[-1] == 0:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError(f"mode must be one of ('full', 'valid', 'same'), got {mode!r}")
    zeros = _jnp.zeros(tuple(a.shape)[:-1] + (n - 1,), a.dtype)
    full = toeplitz(_jnp.concatenate([a, zeros], axis=-1), _jnp.concatenate([a[..., :1], zeros], axis=-1))
    if mode == "full":
        return full
    cut = min(n, a.shape[-1]) - 1
    top, bottom = (cut, cut) if mode == "valid" else (cut // 2, cut - cut // 2)
    return full[..., top:full.shape[-2] - bottom, :]


def dft(n, scale=None, *, dtype=None):
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    if dtype is not None and not _jnp.issubdtype(dtype, _jnp.complexfloating):
        raise ValueError(f"dtype must be a complex dtype, got {dtype}")
    i, j = _ij(n)
    angle = _w.cast(_w.remainder(i * j, max(n, 1)), _jnp.result_type(float)) * (-2 * _pi / max(n, 1))
    m = _w.complex(_w.cos(angle), _w.sin(angle))
    if scale is not None:
        m = m / (_math.sqrt(n) if scale == "sqrtn" else n)
    return m if dtype is None else _w.cast(m, dtype)


def fiedler(a):
    a = _jnp.atleast_1d(_jnp.asarray(a))
    return _w.abs(_w.expand_dims(a, -1) - _w.expand_dims(a, -2))


@_rows
def _fiedler_companion(a):
    a = a / a[0]
    n = a.shape[0] - 1
    if n == 1:
        return _w.reshape(-a[1], (1, 1))
    c = _jnp.zeros((n, n), a.dtype)
    at = lambda start, stop: _w.arange(start, max(stop, start), 2)
    if n > 3:
        c = c.at[at(3, n), at(1, n - 2)].set(1)
    if n > 2:
        c = c.at[at(2, n), at(1, n - 1)].set(-a[3::2])
        c = c.at[at(0, n - 2), at(2, n)].set(1)
    c = c.at[at(0, n - 1), at(1, n)].set(-a[2::2])
    return c.at[0, 0].set(-a[1]).at[1, 0].set(1)


def fiedler_companion(a):
    a = _jnp.atleast_1d(_jnp.asarray(a))
    if a.shape[-1] == 0:
        raise ValueError(f"fiedler_companion: `a` must have a nonzero last dimension; got shape {tuple(a.shape)}.")
    if a.shape[-1] == 1:
        return _jnp.zeros(tuple(a.shape)[:-1] + (0, 0), _jnp.result_type(a, _jnp.float32))
    return _fiedler_companion(a if a.dtype.is_inexact else _w.cast(a, _jnp.result_type(float)))


def hadamard(n, dtype=int):
    if n < 1 or n & (n - 1):
        raise ValueError(f"n must be a positive power of 2; got n={n}")
    h = _jnp.ones((1, 1), dtype)
    while h.shape[0] < n:
        h = _jnp.block([[h, h], [h, -h]])
    return h


def helmert(n, full=False):
    if n <= 0:
        raise ValueError(f"n must be a positive integer; got n={n}")
    i, j = _ij(n)
    k = _w.cast(i, _jnp.result_type(float))
    rows = _w.where(_w.lt(j, i), 1.0, _w.where(_w.eq(j, i), -k, 0.0))
    h = _w.where(_w.eq(i, 0), n ** -0.5, rows / _w.sqrt(_w.where(_w.eq(i, 0), 1.0, k * (k + 1))))
    return h if full else h[1:]


def hilbert(n):
    i, j = _ij(n)
    return 1.0 / _w.cast(i + j + 1, _jnp.result_type(float))


def invhilbert(n):
    c = _math.comb
    rows = [[(-1) ** (i + j) * (i + j + 1) * c(n + i, n - j - 1) * c(n + j, n - i - 1) * c(i + j, i) ** 2 for j in range(n)]
            for i in range(n)]
    return _w.tensor([[float(v) for v in r] for r in rows]) if n else _jnp.zeros((0, 0))


def _kind(kind, lower, symmetric):
    if kind is None or kind == "symmetric":
        return symmetric()
    if kind not in ("lower", "upper"):
        raise ValueError(f"Expected kind to be one of 'symmetric', 'upper', or 'lower', got: {kind!r}")
    return lower() if kind == "lower" else _w.swap_axes(lower(), -1, -2)


def _of(n, f):
    return _w.tensor([[float(f(i, j)) for j in range(n)] for i in range(n)]) if n else _jnp.zeros((0, 0))


def pascal(n, kind=None):
    return _kind(kind, lambda: _of(n, lambda i, j: _math.comb(i, j)), lambda: _of(n, lambda i, j: _math.comb(i + j, i)))


def invpascal(n, kind=None):
    sign = lambda i, j: (-1) ** (i + j) * _math.comb(i, j)
    both = lambda i, j: sum([sign(k, i) * sign(k, j) for k in range(max(i, j), n)])
    return _kind(kind, lambda: _of(n, sign), lambda: _of(n, both))
