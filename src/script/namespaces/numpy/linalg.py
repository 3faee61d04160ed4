# numpy.linalg -- norms, solvers and factorisations.
from collections import namedtuple as _named

import _factors
import _numpy as _w
from numpy._shape import _core

_int, _float = int, float


class LinAlgError(ValueError):
    pass


QRResult = _named("QRResult", ["Q", "R"])
EighResult = _named("EighResult", ["eigenvalues", "eigenvectors"])
SVDResult = _named("SVDResult", ["U", "S", "Vh"])
SlogdetResult = _named("SlogdetResult", ["sign", "logabsdet"])


def _float_of(a):
    a = _w.wrap(a)
    return a if a.dtype.kind in "fc" else _w.cast(a, _w.float64)


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
    if x.dtype.kind == "c" and ord not in ("nuc", 2, -2):
        x = _w.abs(x)
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
            x = _w.abs(x) if x.dtype.kind == "c" else x
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
    return SlogdetResult(_w.sign(d), _w.log(_w.abs(d)))


def solve(a, b):
    a, b = _square(a), _float_of(b)
    d = _w.add(_w.full((1,), 0, a.dtype), _w.full((1,), 0, b.dtype)).dtype
    return _solid(_w.solve(_w.cast(a, d), _w.cast(b, d)))


def cholesky(a, upper=False):
    r = _w.cholesky(_square(a))
    if not _w.all(_w.is_finite(r)):
        raise LinAlgError("Matrix is not positive definite")
    return _w.swap_axes(r, -1, -2) if upper else r


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    A = _float_of(A)
    if A.ndim < 2:
        return _int(_w.any(A != 0))
    return _factors.rank(_w, A, 0.0 if tol is not None else rtol, 0.0 if tol is None else tol)


def qr(a, mode="reduced"):
    q, r = _factors.qr(_w, _float_of(a), mode == "complete")
    return r if mode == "r" else QRResult(q, r)


def eigh(a, UPLO="L"):
    return EighResult(*_factors.eigh(_w, _square(a), UPLO != "U"))


def eigvalsh(a, UPLO="L"):
    return eigh(a, UPLO)[0]


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    u, s, vt = _factors.svd(_w, _float_of(a), full_matrices and compute_uv)
    return SVDResult(u, s, vt) if compute_uv else s


def svdvals(x):
    return svd(x, compute_uv=False)


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    rtol = rcond if rtol is None else rtol
    return _factors.pinv(_w, _float_of(a), 1e-15 if rtol is None else rtol)


def lstsq(a, b, rcond=None):
    a, b = _float_of(a), _float_of(b)
    one = b.ndim == 1
    columns = _w.expand_dims(b, -1) if one else b
    x, rank, s = _factors.lstsq(_w, a, columns, rcond)
    d = columns - _w.matmul(a, x)
    left = _w.sum(d * d, 0) if a.shape[0] > a.shape[1] and rank == a.shape[1] else _w.full((0,), 0.0)
    return (_w.squeeze(x, -1) if one else x), left, _int(rank), s


def cond(x, p=None):
    x = _float_of(x)
    if p in (None, 2, -2):
        return _factors.cond(_w, x, p == -2)
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


def matrix_power(a, n):
    return _core.matrix_power(a, n, inv)


multi_dot = _core.multi_dot


def matmul(a, b):
    return _w.matmul(a, b)


def trace(x, offset=0):
    return _w.wrap(x).trace(offset, -2, -1)


def outer(a, b):
    return _w.outer(a, b)


def diagonal(x, offset=0):
    return _w.diagonal(x, offset)
