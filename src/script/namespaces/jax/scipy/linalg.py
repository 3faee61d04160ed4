# jax.scipy.linalg -- linear algebra under SciPy's names.
import _jax as _w
from jax._api import refuse as _refuse
from jax.numpy import asarray as _asarray
from jax.numpy import linalg as _linalg
from jax.numpy.linalg import inv, det, _float


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    return _linalg.cholesky(a, upper=not lower)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    return cholesky(a, lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    y = solve_triangular(c, b, trans=0 if lower else 1, lower=lower)
    return solve_triangular(c, y, trans=1 if lower else 0, lower=lower)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None,
                     check_finite=True):
    a, b = _float(a), _float(b)
    t = trans in (1, 2, "T", "C")
    if len(b.shape) == 1:
        return _w.squeeze(_w.solve_triangular(a, _w.expand_dims(b, -1), lower, t, unit_diagonal), -1)
    return _w.solve_triangular(a, b, lower, t, unit_diagonal)


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, debug=False, check_finite=True, assume_a="gen"):
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ValueError(f"Expected assume_a to be one of ['gen', 'sym', 'her', 'pos']; got {assume_a!r}")
    if assume_a == "pos":     # of one triangle; NaN where the matrix is not positive definite
        return cho_solve(cho_factor(_mirrored(_float(a), lower), lower), b)
    return _linalg.solve(a, b)


def _mirrored(a, lower):
    # The symmetric matrix that one triangle of a gives.
    half = _w.tril(a, -1) if lower else _w.triu(a, 1)
    return half + _w.swap_axes(half, -1, -2) + a * _w.eye(a.shape[-1], dtype=a.dtype)


def lu_factor(a, overwrite_a=False, check_finite=True):
    packed, pivots, perm = _w.op("lu", [_float(a)])
    return packed, _w.cast(pivots, _w.int32)


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    a = _float(a)
    packed, pivots, perm = _w.op("lu", [a])
    m, n = a.shape[-2], a.shape[-1]
    k = min(m, n)
    low = _w.tril(packed, -1)[..., :, :k] + _w.eye(m, k, dtype=a.dtype)
    up = _w.triu(packed, 0)[..., :k, :]
    p = _w.cast(_w.eq(_w.expand_dims(_w.arange(0, m), -1), _w.expand_dims(_w.cast(perm, _w.int32), -2)), a.dtype)
    return (_w.matmul(p, low), up) if permute_l else (p, low, up)


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    packed, pivots = lu_and_piv
    n = packed.shape[-1]
    order = list(range(n))
    for i, p in enumerate(pivots.tolist()):
        order[i], order[p] = order[p], order[i]
    b = _float(b)
    one = len(b.shape) == 1
    b = _w.expand_dims(b, -1) if one else b
    if trans not in (0, 1, 2):
        raise ValueError(f"'trans' value must be 0, 1, or 2, got {trans}")
    if trans == 0:
        b = _w.take(b, _w.tensor(order), -2)
        y = _w.solve_triangular(packed, b, True, False, True)
        y = _w.solve_triangular(packed, y, False, False, False)
    else:
        y = _w.solve_triangular(packed, b, False, True, False)
        y = _w.solve_triangular(packed, y, True, True, True)
        y = _w.take(y, _w.tensor([order.index(i) for i in range(n)]), -2)
    return _w.squeeze(y, -1) if one else y


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    _refuse("qr", lwork=(lwork, None), pivoting=(pivoting, False))
    return _linalg.qr(a, "complete" if mode == "full" else ("r" if mode == "r" else "reduced"))


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    return _linalg.svd(a, full_matrices, compute_uv)


def eigh(a, b=None, lower=True, eigvals_only=False, **_):
    _refuse("eigh", b=(b, None))
    w, v = _linalg.eigh(_float(a), "L" if lower else "U")    # of the mean of a and its transpose
    return w if eigvals_only else (w, v)


def expm(A, upper_triangular=False, max_squarings=16):
    # Scaling and squaring, with the Taylor series of a small matrix.
    a = _float(A)
    n = a.shape[-1]
    a = a / 256.0
    term = _w.broadcast_to(_w.eye(n, dtype=a.dtype), a.shape)
    total = term
    for k in range(1, 10):
        term = _w.matmul(term, a) / float(k)
        total = total + term
    for _ in range(8):
        total = _w.matmul(total, total)
    return total


def block_diag(*arrs):
    arrs = [_asarray(a) for a in arrs]
    arrs = [_w.reshape(a, (1,) * (2 - len(a.shape)) + tuple(a.shape)) for a in arrs]
    width = sum([a.shape[1] for a in arrs])
    at = 0
    rows = []
    for a in arrs:
        rows.append(_w.pad(a, [0, at], [0, width - at - a.shape[1]]))
        at += a.shape[1]
    return _w.concat(rows, 0)


def toeplitz(c, r=None):
    c = _asarray(c)
    r = c if r is None else _asarray(r)
    n, m = c.shape[0], r.shape[0]
    values = _w.concat([_w.flip(c, 0), r[1:]], 0)
    where = _w.sub(_w.arange(0, m), _w.expand_dims(_w.arange(0, n), 1)) + (n - 1)
    return values[where]
