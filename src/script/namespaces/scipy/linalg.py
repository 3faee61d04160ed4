# scipy.linalg -- matrices: NumPy's functions and those that SciPy adds.
import numpy as _np
import torch as _torch
from numpy.linalg import LinAlgError, cond, det, eigvalsh, inv, lstsq, matrix_rank, norm, pinv


def _t(x):
    a = _np.asarray(x)
    return _torch.from_numpy(a if a.dtype.kind in "fc" else a.astype("float64"))


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    a = _np.asarray(a)
    if assume_a in ("upper triangular", "lower triangular"):
        return solve_triangular(a, b, lower=assume_a.startswith("lower"))
    if assume_a in ("sym", "pos", "her"):
        part = _np.tril(a) if lower else _np.triu(a)
        a = part + part.T - _np.diag(_np.diag(a))
    return _np.linalg.solve(a.T if transposed else a, b)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    a, b = _t(a), _t(b)
    if trans in (1, "T", 2, "C"):
        a, lower = a.mT, not lower
    column = b.ndim == 1
    out = _torch.linalg.solve_triangular(a, b.unsqueeze(-1) if column else b, upper=not lower, unitriangular=unit_diagonal)
    return (out.squeeze(-1) if column else out).numpy()


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    a = _np.asarray(a)
    part = _np.tril(a) if lower else _np.triu(a)
    l = _np.linalg.cholesky(part + part.T - _np.diag(_np.diag(a)))
    return l if lower else l.T


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    return cholesky(a, lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    l = c if lower else c.T
    return solve_triangular(l.T, solve_triangular(l, b, lower=True))


def svd(a, full_matrices=True, compute_uv=True):
    return _np.linalg.svd(a, full_matrices, compute_uv)


def svdvals(a):
    return _np.linalg.svd(a, compute_uv=False)


def qr(a, mode="full"):
    if mode == "r":
        return (_np.linalg.qr(a, "complete")[1],)
    return _np.linalg.qr(a, "complete" if mode == "full" else "reduced")


def eigvals(a):
    return _torch.linalg.eigvals(_t(a)).numpy()


def eig(a):
    w, v = _torch.linalg.eig(_t(a))
    return w.numpy(), v.numpy()


def eigh(a, b=None, *, lower=True, eigvals_only=False):
    if b is not None:
        raise NotImplementedError("eigh: the problem of one matrix")
    return _np.linalg.eigvalsh(a, "L" if lower else "U") if eigvals_only else _np.linalg.eigh(a, "L" if lower else "U")


def expm(A):
    return _torch.linalg.matrix_exp(_t(A)).numpy()


def block_diag(*arrs):
    return _torch.block_diag(*[_t(_np.atleast_2d(a)) for a in arrs]).numpy()


def toeplitz(c, r=None):
    c = _np.asarray(c).reshape(-1)
    r = _np.conj(c) if r is None else _np.asarray(r).reshape(-1)
    every = _np.concatenate([c[::-1], r[1:]])
    at = (len(c) - 1) + _np.arange(len(r))[None, :] - _np.arange(len(c))[:, None]
    return every[at]


def circulant(c):
    c = _np.asarray(c).reshape(-1)
    n = len(c)
    return c[(_np.arange(n)[:, None] - _np.arange(n)[None, :]) % n]


def hilbert(n):
    return 1.0 / (_np.arange(n)[:, None] + _np.arange(n)[None, :] + 1)


def null_space(A, rcond=None):
    u, s, vh = _np.linalg.svd(A, True)
    m, n = _np.asarray(A).shape
    tol = float(s.max()) * (max(m, n) * 2.220446049250313e-16 if rcond is None else rcond)
    return vh[int((s > tol).sum()):].T


def orth(A, rcond=None):
    u, s, vh = _np.linalg.svd(A, False)
    m, n = _np.asarray(A).shape
    tol = float(s.max()) * (max(m, n) * 2.220446049250313e-16 if rcond is None else rcond)
    return u[:, :int((s > tol).sum())]


def lu(a):
    p, l, u = _torch.linalg.lu(_t(a))
    return p.numpy(), l.numpy(), u.numpy()


def __getattr__(name):
    raise AttributeError(f"module 'scipy.linalg' has no attribute '{name}'")
