# jax.scipy.linalg -- linear algebra under SciPy's names.
import _factors
import _jax as _w
from jax._api import refuse as _refuse
from jax.numpy import asarray as _asarray
from jax.numpy import linalg as _linalg
from jax.numpy.linalg import inv, det, _float
from jax.scipy._matrices import (circulant, companion, convolution_matrix, dft, fiedler, fiedler_companion, hadamard, hankel, helmert, hilbert,
                                 invhilbert, invpascal, leslie, pascal, toeplitz)


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    a = _float(a)
    return _linalg.cholesky(a if lower else _factors._h(_w, a), upper=not lower, symmetrize_input=False)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    return cholesky(a, lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    y = solve_triangular(c, b, trans=0 if lower else 2, lower=lower)
    return solve_triangular(c, y, trans=2 if lower else 0, lower=lower)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None,
                     check_finite=True):
    a, b = _float(a), _float(b)
    t = trans in (1, 2, "T", "C")
    if trans in (2, "C") and a.dtype.is_complex:
        a = _w.conj(a)
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
    return half + _factors._h(_w, half) + a * _w.eye(a.shape[-1], dtype=a.dtype)


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
        packed = _w.conj(packed) if trans == 2 and packed.dtype.is_complex else packed
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


# The numerators of Pade's approximations of exp, and up to which norm they hold.
_pade7 = [17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0]
_pade13 = [64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0, 10559470521600.0,
           670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0]


def _pade(b, solve):
    # Of exp: the quotient of two polynomials (Higham, 2005).
    def near(w, a, power):
        square = w.matmul(a, a)
        even, odd = b[0] * power, b[1] * power
        for k in range(2, len(b), 2):
            power = w.matmul(power, square)
            even, odd = even + b[k] * power, odd + (b[k + 1] * power if k + 1 < len(b) else 0.0)
        odd = w.matmul(a, odd)
        return solve(even - odd, even + odd)

    return near


def expm(A, *, upper_triangular=False, max_squarings=16):
    # JAX gives NaN where the norm asks for more squarings.
    from jax.lax import fori_loop
    from jax.lax.linalg import triangular_solve
    a = _asarray(A)
    a = a if a.dtype.is_inexact else _float(a)
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Expected A to be a (batched) square matrix, got A.shape={tuple(a.shape)}.")
    solve = (lambda p, q: triangular_solve(p, q, left_side=True, lower=False)) if upper_triangular else _linalg.solve
    b, limit = (_pade13, 5.371920351148152) if a.dtype in (_w.float64, _w.complex128) else (_pade7, 3.925724783138660)
    return _factors.expm(_w, a, limit, _pade(b, solve), max_squarings, lambda square, y: fori_loop(0, max_squarings, square, y))


def expm_frechet(A, E, *, method=None, compute_expm=True):
    if method is not None:
        raise NotImplementedError(f"expm_frechet: method={method!r}")
    from jax._api import jvp
    y, dy = jvp(expm, (_float(A),), (_float(E),))
    return (y, dy) if compute_expm else dy


def polar(a, side="right", *, method="qdwh", eps=None, max_iterations=None):
    # a = u p, or p u, by the singular values.
    _refuse("polar", eps=(eps, None), max_iterations=(max_iterations, None))
    if side not in ("right", "left"):
        raise ValueError(f"The argument `side` must be either 'right' or 'left'; got {side}")
    if method not in ("qdwh", "svd"):
        raise ValueError(f"Unknown polar decomposition method {method}.")
    u, s, vh = _linalg.svd(_float(a), full_matrices=False)
    t = lambda x: _factors._h(_w, x)
    s = _w.cast(s, u.dtype)
    p = _w.matmul(t(vh) * _w.expand_dims(s, -2), vh) if side == "right" else _w.matmul(u * _w.expand_dims(s, -2), t(u))
    return _w.matmul(u, vh), p


def qr_multiply(a, c, mode="right", pivoting=False, conjugate=False, overwrite_a=False, overwrite_c=False):
    if mode not in ("right", "left"):
        raise ValueError(f"mode must be 'right' or 'left', got {mode!r}")
    _refuse("qr_multiply", pivoting=(pivoting, False))
    a, c = _float(a), _float(c)
    q, r = _linalg.qr(a, "reduced")
    one = len(c.shape) == 1
    c = _w.expand_dims(c, 0 if mode == "right" else -1) if one else c
    if conjugate:
        q = _w.conj(q)
    y = _w.matmul(c, q) if mode == "right" else _w.matmul(q, c)
    return _w.squeeze(y, 0 if mode == "right" else -1) if one else y, r


def solve_sylvester(A, B, C, *, method="schur", tol=1e-8):
    # A X + X B = C as one system of the entries of X; NaN where it has no single solution.
    if method not in ("schur", "eigen"):
        raise ValueError(f"Unrecognized method {method}. The two valid methods are either 'schur' or 'eigen'.")
    a, b, c = _float(A), _float(B), _float(C)
    if a.shape[-1] != a.shape[-2] or b.shape[-1] != b.shape[-2] or tuple(c.shape)[-2:] != (a.shape[-1], b.shape[-1]):
        raise ValueError(f"solve_sylvester: shapes {tuple(a.shape)}, {tuple(b.shape)} and {tuple(c.shape)} do not fit")
    m, n = a.shape[-1], b.shape[-1]
    eye = lambda k: _w.eye(k, dtype=a.dtype)
    both = _w.einsum("...ij,kl->...ikjl", [a, eye(n)]) + _w.einsum("ij,...lk->...ikjl", [eye(m), b])
    both = _w.reshape(both, tuple(both.shape)[:-4] + (m * n, m * n))
    s = _linalg.svd(both, compute_uv=False)
    x = _linalg.solve(both, _w.reshape(c, tuple(c.shape)[:-2] + (m * n, 1)))
    x = _w.reshape(x, tuple(x.shape)[:-2] + (m, n))
    singular = _w.le(_w.min(s, -1), tol)
    return _w.where(_w.expand_dims(_w.expand_dims(singular, -1), -1), float("nan"), x)


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
