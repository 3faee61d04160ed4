# numpy.linalg -- norms, solvers and factorisations.
from collections import namedtuple as _named

import _factors
import _numpy as _w
from numpy._shape import _core

_int, _float = int, float


class LinAlgError(ValueError):
    pass


QRResult = _named("QRResult", ["Q", "R"])
EigResult = _named("EigResult", ["eigenvalues", "eigenvectors"])
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


def inv(a):
    return _solid(_w.inv(_square(a)))


def det(a):
    return _w.det(_square(a))


def slogdet(a):
    return SlogdetResult(*_factors.slogdet(_w, _square(a)))


def solve(a, b):
    a, b = _square(a), _float_of(b)
    d = _w.add(_w.full((1,), 0, a.dtype), _w.full((1,), 0, b.dtype)).dtype
    return _solid(_w.solve(_w.cast(a, d), _w.cast(b, d)))


def cholesky(a, upper=False):
    r = _w.cholesky(_square(a))
    if not _w.all(_w.is_finite(r)):
        raise LinAlgError("Matrix is not positive definite")
    return _factors._h(_w, r) if upper else r


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


def eig(a):
    a = _square(a)
    if not _w.all(_w.is_finite(a)):
        raise LinAlgError("Array must not contain infs or NaNs")
    w, v = _factors.eig(_w, a)
    if not a.dtype.is_complex and not _w.any(_w.ne(_w.imag(w), 0)):
        w, v = _w.real(w), _w.real(v)
    return EigResult(w, v)


def eigvals(a):
    return eig(a)[0]


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
    d = _w.abs(columns - _w.matmul(a, x))
    left = _w.sum(d * d, 0) if a.shape[0] > a.shape[1] and rank == a.shape[1] else _w.full((0,), 0.0)
    return (_w.squeeze(x, -1) if one else x), left, _int(rank), s


def matrix_power(a, n):
    return _core.matrix_power(a, n, inv)


norm, vector_norm, matrix_norm, multi_dot = _core.norm, _core.vector_norm, _core.matrix_norm, _core.multi_dot


def cond(x, p=None):
    return _core.cond(x, p, inv)


def matmul(a, b):
    return _w.matmul(a, b)


def trace(x, offset=0):
    return _w.wrap(x).trace(offset, -2, -1)


def outer(a, b):
    return _w.outer(a, b)


def diagonal(x, offset=0):
    return _w.diagonal(x, offset)


def matrix_transpose(x):
    return _w.swap_axes(_w.wrap(x), -1, -2)


def tensordot(x1, x2, *, axes=2):
    from numpy import tensordot as f
    return f(x1, x2, axes)


def vecdot(x1, x2, *, axis=-1):
    from numpy import vecdot as f
    return f(x1, x2, axis)


def cross(x1, x2, *, axis=-1):
    from numpy import cross as f
    x1, x2 = _w.wrap(x1), _w.wrap(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, "
                         f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead.")
    return f(x1, x2, axis)


def tensorinv(a, ind=2):
    return _core.tensorinv(_float_of(a), ind, inv)


def tensorsolve(a, b, axes=None):
    return _core.tensorsolve(_float_of(a), _float_of(b), axes, solve)
