# numpy.linalg -- norms, solvers and factorisations.
import _numpy as _w

_int, _float = int, float


class LinAlgError(ValueError):
    pass


def _float_of(a):
    a = _w.wrap(a)
    return a if a.dtype.kind == "f" else _w.cast(a, _w.float64)


def _square(a):
    a = _float_of(a)
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _solid(x):
    if not _w.all(_w.is_finite(x)):
        raise LinAlgError("Singular matrix")
    return x


def norm(x, ord=None, axis=None, keepdims=False):
    x = _float_of(x)
    inf = _float("inf")
    if axis is None and (ord is None or x.ndim == 1):
        if ord is None:
            flat = _w.reshape(x, -1)
            r = _w.sqrt(_w.matmul(flat, flat))
            return _w.reshape(r, (1,) * x.ndim) if keepdims else r
        axis = 0
    axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, _int) else tuple(axis)
    if len(axes) == 1:
        a = axes[0]
        if ord == inf:
            return _w.max(_w.abs(x), a, keepdims)
        if ord == -inf:
            return _w.min(_w.abs(x), a, keepdims)
        if ord == 0:
            return _w.sum(_w.cast(x != 0, x.dtype), a, keepdims)
        if ord is None or ord == 2:
            return _w.sqrt(_w.sum(x * x, a, keepdims))
        return _w.pow(_w.sum(_w.pow(_w.abs(x), ord), a, keepdims), 1 / ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if ord is None or ord == "fro":
        return _w.sqrt(_w.sum(x * x, axes, keepdims))
    rows, cols = axes[0] % x.ndim, axes[1] % x.ndim
    if ord in (1, -1, inf, -inf):
        over, rest = (rows, cols) if ord in (1, -1) else (cols, rows)
        s = _w.sum(_w.abs(x), over, True)
        r = (_w.max if ord > 0 else _w.min)(s, rest, True)
        return r if keepdims else _w.squeeze(r, axes)
    if ord in (2, -2, "nuc"):
        s = svd(_w.move_axis(_w.move_axis(x, rows, -2), cols - 1 if rows < cols else cols, -1) if axes != (0, 1) or x.ndim != 2 else x, compute_uv=False)
        return _w.sum(s, -1) if ord == "nuc" else _w.max(s, -1) if ord == 2 else _w.min(s, -1)
    raise ValueError("Invalid norm order for matrices.")


def vector_norm(x, axis=None, keepdims=False, ord=2):
    x = _w.reshape(_w.wrap(x), -1) if axis is None else x
    return norm(x, ord, -1 if axis is None else axis, keepdims)


def matrix_norm(x, keepdims=False, ord="fro"):
    return norm(x, ord, (-2, -1), keepdims)


def inv(a):
    return _solid(_w.inv(_square(a)))


def det(a):
    return _w.det(_square(a))


def slogdet(a):
    d = det(a)
    return _w.sign(d), _w.log(_w.abs(d))


def solve(a, b):
    return _solid(_w.solve(_square(a), _float_of(b)))


def cholesky(a, upper=False):
    r = _w.cholesky(_square(a))
    if not _w.all(_w.is_finite(r)):
        raise LinAlgError("Matrix is not positive definite")
    return _w.swap_axes(r, -1, -2) if upper else r


def matrix_power(a, n):
    a = _w.wrap(a)
    if n < 0:
        a, n = inv(a), -n
    r = _w.cast(_w.eye(a.shape[-1]), a.dtype)
    while n:
        if n % 2:
            r = _w.matmul(r, a)
        a = _w.matmul(a, a)
        n //= 2
    return r


def matrix_rank(A, tol=None):
    A = _float_of(A)
    if A.ndim < 2:
        return _int(_w.any(A != 0))
    s = svd(A, compute_uv=False)
    if tol is None:
        tol = _w.max(s, -1) * max(A.shape[-2:]) * 2.220446049250313e-16
    return _w.sum(_w.cast(s > tol, _w.int64), -1)


# The factorisations are those of jax.numpy.linalg, on the same memory.
def _factors(name, *args):
    import _jax
    from jax import config
    from jax.numpy import linalg
    _jax.set_narrow(False)
    try:
        return getattr(linalg, name)(*args)
    finally:
        _jax.set_narrow(not config.jax_enable_x64)


def qr(a, mode="reduced"):
    r = _factors("qr", _float_of(a), mode)
    return _w.wrap(r) if mode == "r" else (_w.wrap(r[0]), _w.wrap(r[1]))


def eigh(a, UPLO="L"):
    w, v = _factors("eigh", _square(a))
    return _w.wrap(w), _w.wrap(v)


def eigvalsh(a, UPLO="L"):
    return eigh(a)[0]


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    r = _factors("svd", _float_of(a), full_matrices, compute_uv)
    return (_w.wrap(r[0]), _w.wrap(r[1]), _w.wrap(r[2])) if compute_uv else _w.wrap(r)


def svdvals(x):
    return svd(x, compute_uv=False)


def pinv(a, rcond=None):
    u, s, vt = svd(a, False)
    cut = _w.max(s, -1, True) * (1e-15 if rcond is None else rcond)
    r = _w.where(s > cut, 1 / _w.where(s > cut, s, 1.0), 0.0)
    return _w.matmul(_w.swap_axes(vt, -1, -2) * _w.expand_dims(r, -2), _w.swap_axes(u, -1, -2))


def lstsq(a, b, rcond=None):
    a, b = _float_of(a), _float_of(b)
    u, s, vt = svd(a, False)
    cut = s[0] * (max(a.shape) * 2.220446049250313e-16 if rcond is None else rcond)
    r = _w.where(s > cut, 1 / _w.where(s > cut, s, 1.0), 0.0)
    y = _w.matmul(_w.permute(u), b)
    x = _w.matmul(_w.permute(vt), (y * r if b.ndim == 1 else y * _w.expand_dims(r, 1)))
    rank = _int(_w.sum(_w.cast(s > cut, _w.int64)))
    d = b - _w.matmul(a, x)
    left = _w.sum(d * d, 0, b.ndim == 1) if a.shape[0] > a.shape[1] and rank == a.shape[1] else _w.full((0,), 0.0)
    return x, left, rank, s


def cond(x, p=None):
    if p is None or p == 2:
        s = svd(x, compute_uv=False)
        return s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


def multi_dot(arrays):
    r = arrays[0]
    for a in arrays[1:]:
        r = _w.matmul(r, a)
    return r


def matmul(a, b):
    return _w.matmul(a, b)


def trace(x, offset=0):
    return _w.wrap(x).trace(offset, -2, -1)


def outer(a, b):
    return _w.outer(a, b)


def diagonal(x, offset=0):
    return _w.diagonal(x, offset)
