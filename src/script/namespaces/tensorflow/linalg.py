# tensorflow.linalg
from tensorflow._ops import (matmul, matvec, tensordot, einsum, trace, band_part, inv, det, solid, solve, triangular_solve,
                             eye, global_norm, l2_normalize, _core)
from tensorflow._decompose import (banded_triangular_solve, eig, eigh, eigh_tridiagonal, eigvals, eigvalsh, logm, lu, lu_matrix_inverse,
                                   lu_reconstruct, lu_solve, qr, sqrtm, svd, tridiagonal_matmul, tridiagonal_solve)
import _factors
import _tf as _w
from tensorflow._base import op, as_tensor, like, InvalidArgumentError, bool_, int32

matrix_transpose = op("matrix_transpose")(lambda a, conjugate=False: _turned(as_tensor(a), conjugate))
adjoint = op("adjoint")(lambda matrix: _turned(as_tensor(matrix), True))


def _turned(x, conjugate):
    return _w.swap_axes(_w.conj(x) if conjugate and x.dtype.is_complex else x, -1, -2)


_MATRIX_NORMS = ["euclidean", "fro", 1, 2, float("inf")]


@op("norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=False):
    x = as_tensor(tensor)
    matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    if not (axis is None or isinstance(axis, int) or matrix and axis[0] != axis[1]):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    if matrix and ord not in _MATRIX_NORMS:
        raise ValueError(f"'ord' must be a supported matrix norm in {_MATRIX_NORMS}, got {ord}")
    if not matrix and (ord != "euclidean" if isinstance(ord, str) else ord <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if isinstance(ord, str) or ord == 2 and not matrix:     # complex numbers stay complex
        if not x.dtype.is_inexact:
            raise InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: bfloat16, half, float, "
                                       "double, complex64, complex128")
        return _w.sqrt(_w.sum(x * _w.conj(x), tuple(axis) if matrix else axis, keepdims))
    return _core.norm(x, ord, axis, keepdims) if matrix else _core.vector_norm(x, axis, keepdims, ord)


def _factor(x):
    # of the lower triangle alone; its gradient is that of a symmetric matrix, spread over both triangles
    if x.dtype.is_complex:
        return _w.cholesky(x)
    both = 0.5 * (x + _w.swap_axes(x, -1, -2))
    both = _w.where(_w.is_finite(both), both, _w.zeros_like(both))
    return _w.cholesky(_w.stop_gradient(x) + (both - _w.stop_gradient(both)))


@op("Cholesky")
def cholesky(input):
    # of what has no factor NaN, of each matrix for itself
    y = _factor(as_tensor(input))
    failed = _w.is_nan(_w.sum(_w.abs(_w.stop_gradient(y)), (-2, -1), True))
    return _w.tril(_w.where(failed, _w.full((), float("nan"), y.dtype), y))


@op("logdet")
def logdet(matrix):
    return 2.0 * _w.sum(_w.log(_w.diagonal(_factor(as_tensor(matrix)), 0)), -1)


def _one(k):
    # the diagonal, None where there are several
    if isinstance(k, (list, tuple)):
        return int(k[0]) if k[0] == k[-1] else None
    return int(k)


def _size(rows, cols, k):
    return min(rows + min(k, 0), cols - max(k, 0))


def _band(k, rows, cols, align):
    # Diagonals from the last of the band to its first, (k, how long it is, where it begins in a row of the longest).
    low, high = [int(i) for i in k]
    if low > high or not (-rows < low and high < cols):
        raise InvalidArgumentError(f"diagonals {low} to {high} are not there in {rows} x {cols}")
    if align not in ("LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"):
        raise ValueError(f"align must be one of LEFT_LEFT, LEFT_RIGHT, RIGHT_LEFT, RIGHT_RIGHT, got {align!r}")
    above, below = [side == "LEFT" for side in align.split("_")]
    sizes = [(k, _size(rows, cols, k)) for k in range(high, low - 1, -1)]
    longest = max([n for _, n in sizes])
    return [(k, n, 0 if k >= 0 and above or k <= 0 and below else longest - n) for k, n in sizes]


@op("diag")
def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    x, of, k = as_tensor(diagonal), k, _one(k)
    n = x.shape[-1]
    if k is None:
        low, high = [int(i) for i in of]
        rows, cols = n + max(-high, 0) if num_rows == -1 else num_rows, n + max(low, 0) if num_cols == -1 else num_cols
        if num_rows == num_cols == -1:
            rows = cols = max(rows, cols)
        return _banded(_w.broadcast_to(_w.full((), padding_value, x.dtype), list(x.shape)[:-2] + [rows, cols]), x, of, align)
    if num_rows == -1 and num_cols == -1:
        num_rows = num_cols = n + abs(k)        # a square
    rows, cols = n + max(-k, 0) if num_rows == -1 else num_rows, n + max(k, 0) if num_cols == -1 else num_cols
    if min(rows + min(k, 0), cols - max(k, 0)) != n:
        raise InvalidArgumentError(f"The number of rows and columns does not fit a diagonal of {n}")
    # zeros around the diagonal, moved to where it stands in its rows
    lo = max(-k, 0)
    body = _w.pad(x, [0] * (x.ndim - 1) + [lo], [0] * (x.ndim - 1) + [rows - n - lo])[..., None]
    on = _w.arange(0, cols, 1, int32) - _w.expand_dims(_w.arange(0, rows, 1, int32), 1) == k
    return _w.where(on, body, _w.full((), padding_value, x.dtype))


def _banded(x, bands, k, align):
    # x with the diagonals of a band from rows of bands
    rows, cols = x.shape[-2], x.shape[-1]
    for i, (at, n, begin) in enumerate(_band(k, rows, cols, align)):
        x = set_diag(x, bands[..., i, begin:begin + n], k=at)
    return x


@op("diag_part")
def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    x, of, k = as_tensor(input), k, _one(k)
    if k is None:
        band = _band(of, x.shape[-2], x.shape[-1], align)
        longest = max([n for _, n, _ in band])
        pad = lambda n: _w.full(list(x.shape)[:-2] + [n], padding_value, x.dtype)
        return _w.stack([_w.concat([pad(at), _w.diagonal(x, i), pad(longest - n - at)], -1) for i, n, at in band], -2)
    if not -x.shape[-2] < k < x.shape[-1]:
        raise InvalidArgumentError(f"upper_diag_index = {k} must be between {-x.shape[-2]} and {x.shape[-1]}")
    return _w.diagonal(x, k)


@op("MatrixSetDiag")
def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    x, d = like(input, diagonal)
    of, k = k, _one(k)
    if k is None:
        return _banded(x, d, of, align)
    rows, cols = x.shape[-2], x.shape[-1]
    if d.shape[-1] != min(rows + min(k, 0), cols - max(k, 0)):
        raise InvalidArgumentError(f"a diagonal of {d.shape[-1]} does not fit {rows} x {cols}")
    return _w.where(diag(_w.full([d.shape[-1]], 1, bool_), k=k, num_rows=rows, num_cols=cols), diag(d, k=k, num_rows=rows, num_cols=cols), x)


@op("tensor_diag")
def tensor_diag(diagonal):
    x = as_tensor(diagonal)
    n = _w.about(x, "count")
    return _w.reshape(_w.where(_w.eye(n, n, 0, bool_), _w.reshape(x, [-1, 1]), _w.zeros_like(_w.reshape(x, [-1, 1]))), list(x.shape) * 2)


@op("tensor_diag_part")
def tensor_diag_part(input):
    x = as_tensor(input)
    half = list(x.shape)[:x.ndim // 2]
    n = _w.about(_w.full(half, 0, x.dtype), "count")
    return _w.reshape(_w.diagonal(_w.reshape(x, [n, n]), 0), half)


@op("Cross")
def cross(a, b):
    x, y = like(a, b)
    (a1, a2, a3), (b1, b2, b3) = [[t[..., i] for i in range(3)] for t in (x, y)]
    return _w.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1], -1)


@op("cholesky_solve")
def cholesky_solve(chol, rhs):
    c, b = like(chol, rhs)
    return _w.solve_triangular(c, _w.solve_triangular(c, b, True, False, False), True, True, False)


def normalize(tensor, ord="euclidean", axis=None):
    n = norm(tensor, ord, axis, keepdims=True)
    return tensor / n, n


@op("MatrixLogDet")
def slogdet(input):
    return _factors.slogdet(_w, as_tensor(input))


@op("LinearCombination")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True):
    a, b = as_tensor(matrix), as_tensor(rhs)
    if not fast and l2_regularizer:
        raise NotImplementedError("lstsq: l2_regularizer with fast=False")
    t = _w.swap_axes(a, -1, -2)
    return _w.solve(_w.matmul(t, a) + l2_regularizer * _w.eye(a.shape[-1], a.shape[-1], 0, a.dtype), _w.matmul(t, b))


@op("expm")
def expm(input):
    return _factors.expm(_w, as_tensor(input))


@op("pinv")
def pinv(a, rcond=None, validate_args=False):
    x = as_tensor(a)
    if validate_args and x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions. Saw: {x.ndim}.")
    if rcond is None:
        rcond = 10.0 * max(x.shape[-2:]) * {"float32": 1.1920928955078125e-07, "float64": 2.220446049250313e-16}.get(x.dtype.name, 0.0009765625)
    return _factors.pinv(_w, x, rcond)


@op("matrix_rank")
def matrix_rank(a, tol=None, validate_args=False):
    x = as_tensor(a)
    if validate_args and x.ndim < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions. Saw: {x.ndim}.")
    s = _factors.svd(_w, x)[1]
    if tol is None:
        eps = 1.1920928955078125e-07 if s.dtype.name == "float32" else 2.220446049250313e-16
        tol = eps * max(x.shape[-2], x.shape[-1]) * _w.max(s, -1, True)
    return _w.cast(_w.sum(_w.cast(s > tol, int32), -1), int32)
