# tensorflow._decompose -- matrices as products of others, functions of matrices by their eigenvalues, and systems of bands.
import _factors
import _tf as _w
from tensorflow._base import op, as_tensor, like, InvalidArgumentError, bool_, int32, int64


def _turned(x):
    return _w.swap_axes(_w.conj(x) if x.dtype.is_complex else x, -1, -2)


@op("Qr")
def qr(input, full_matrices=False):
    return tuple(_factors.qr(_w, as_tensor(input), full_matrices))


@op("Svd")
def svd(tensor, full_matrices=False, compute_uv=True):
    u, s, vh = _factors.svd(_w, as_tensor(tensor), full_matrices)
    return (s, u, _turned(vh)) if compute_uv else s


@op("SelfAdjointEigV2")
def eigh(tensor):
    return tuple(_w.op("eigh", [_lower(as_tensor(tensor))]))


@op("SelfAdjointEigvals")
def eigvalsh(tensor):
    return _w.op("eigh", [_lower(as_tensor(tensor))])[0]


def _lower(x):
    # The matrix of the lower triangle, where its gradient is.
    return _w.tril(x) + _turned(_w.tril(x, -1))


@op("Eig")
def eig(tensor):
    return tuple(_factors.eig(_w, as_tensor(tensor)))


@op("Eigvals")
def eigvals(tensor):
    return _factors.eig(_w, as_tensor(tensor))[0]


@op("Lu")
def lu(input, output_idx_type=int32):
    packed, at = _packed(as_tensor(input))
    return packed, _w.cast(at, output_idx_type)


def _packed(a):
    # (L and U in one matrix, the row of a that stands in each row): by elimination, a column at a time
    n = a.shape[-2]
    m = min(n, a.shape[-1])
    lead = list(a.shape)[:-2]
    rows = _w.arange(0, n, 1, int64)
    order = _w.copy(_w.broadcast_to(rows, lead + [n]))
    cols = _w.arange(0, a.shape[-1], 1, int64)
    for k in range(m):
        column = _w.abs(a[..., k])
        best = _w.argmax(_w.where(rows >= k, column, _w.full((), -1, column.dtype)), -1)[..., None]     # the pivot's row
        swapped = _w.where(rows == k, best, _w.where(rows == best, _w.full((), k, int64), rows))
        order = _w.take_along(order, swapped, -1)
        a = _w.take_along(a, _w.broadcast_to(swapped[..., None], list(a.shape)), -2)
        pivot = a[..., k:k + 1, k:k + 1]
        factor = _w.where((rows > k)[:, None], a[..., k:k + 1] / _w.where(pivot == 0, _w.ones_like(pivot), pivot), _w.zeros_like(a[..., k:k + 1]))
        a = _w.where(cols > k, a - factor * a[..., k:k + 1, :], a)
        a = _w.where(_w.logical_and(cols == k, (rows > k)[:, None]), factor, a)
    return a, order


def _parts(lower_upper):
    # (L, with ones on its diagonal; U)
    n = lower_upper.shape[-1]
    d = _w.expand_dims(_w.arange(0, n, 1, int32), 1) - _w.arange(0, n, 1, int32)
    zero = _w.zeros_like(lower_upper)
    return _w.where(d > 0, lower_upper, zero) + _w.eye(n, n, 0, lower_upper.dtype), _w.where(d <= 0, lower_upper, zero)


@op("lu_reconstruct")
def lu_reconstruct(lower_upper, perm, validate_args=False):
    x, p = as_tensor(lower_upper), _w.cast(as_tensor(perm), int64)
    if validate_args and x.ndim < 2:
        raise ValueError(f"Input `lower_upper` must have at least 2 dimensions. Saw: {x.ndim}.")
    l, u = _parts(x)
    back = _w.sort(p, -1, False)[1]
    return _w.take_along(_w.matmul(l, u), _w.broadcast_to(_w.cast(back, int64)[..., None], list(x.shape)), -2)


@op("lu_solve")
def lu_solve(lower_upper, perm, rhs, validate_args=False):
    x, b = like(lower_upper, rhs)
    if validate_args and b.ndim < 2:
        raise ValueError(f"Input `rhs` must have at least 2 dimensions. Saw: {b.ndim}.")
    l, u = _parts(x)
    p = _w.cast(as_tensor(perm), int64)
    b = _w.take_along(b, _w.broadcast_to(p[..., None], list(b.shape)), -2)
    return _w.solve_triangular(u, _w.solve_triangular(l, b, True, False, False), False, False, False)


def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    x = as_tensor(lower_upper)
    n = x.shape[-1]
    return lu_solve(x, perm, _w.copy(_w.broadcast_to(_w.eye(n, n, 0, x.dtype), list(x.shape))), validate_args)


def _of_values(x, fn):
    # fn of the eigenvalues; what a real matrix gives is real
    values, vectors = _factors.eig(_w, x)
    r = _w.matmul(vectors * fn(values)[..., None, :], _w.inv(vectors))
    return r if x.dtype.is_complex else _w.cast(_w.real(r), x.dtype)


@op("MatrixSquareRoot")
def sqrtm(input):
    return _of_values(as_tensor(input), _w.sqrt)


@op("MatrixLogarithm")
def logm(input):
    x = as_tensor(input)
    if not x.dtype.is_complex:
        raise InvalidArgumentError(f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: complex64, complex128")
    return _of_values(x, _w.log)


@op("matrix_solve_ls")
def matrix_solve_ls(matrix, rhs, l2_regularizer=0.0, fast=True):
    from tensorflow.linalg import lstsq
    return lstsq(matrix, rhs, l2_regularizer, fast)


# ---- bands ----

def _bands(diagonals, form, n):
    # (above, on, below the diagonal), each of n numbers: the first of below and the last of above do not count
    if form == "compact":
        x = as_tensor(diagonals)
        return x[..., 0, :], x[..., 1, :], x[..., 2, :]
    if form == "sequence":
        up, main, low = [as_tensor(d) for d in diagonals]
        n = main.shape[-1]
        before, after = [[0] * (main.ndim - 1) + [1], [0] * main.ndim]
        return (_w.pad(up, after, before) if up.shape[-1] == n - 1 else up), main, (_w.pad(low, before, after) if low.shape[-1] == n - 1 else low)
    if form == "matrix":
        x = as_tensor(diagonals)
        before, after = [[0] * (x.ndim - 2) + [1], [0] * (x.ndim - 1)]
        return _w.pad(_w.diagonal(x, 1), after, before), _w.diagonal(x, 0), _w.pad(_w.diagonal(x, -1), before, after)
    raise ValueError(f"Unrecognized diagonals_format: {form}")


def _dense_bands(up, main, low):
    n = main.shape[-1]
    d = _w.arange(0, n, 1, int32) - _w.expand_dims(_w.arange(0, n, 1, int32), 1)
    zero = _w.zeros_like(main[..., None])
    return _w.where(d == 0, main[..., None], zero) + _w.where(d == 1, up[..., None], zero) + _w.where(d == -1, low[..., None], zero)


@op("TridiagonalSolve")
def tridiagonal_solve(diagonals, rhs, diagonals_format="compact", transpose_rhs=False, conjugate_rhs=False, partial_pivoting=True, perturb_singular=False):
    if perturb_singular:
        raise NotImplementedError("tridiagonal_solve: perturb_singular")
    b = as_tensor(rhs)
    a = _dense_bands(*_bands(diagonals, diagonals_format, None))
    vector = b.ndim == a.ndim - 1
    if conjugate_rhs and b.dtype.is_complex:
        b = _w.conj(b)
    if vector:
        return _w.squeeze(_w.solve(a, b[..., None]), -1)
    return _w.solve(a, _w.swap_axes(b, -1, -2) if transpose_rhs else b)


@op("TridiagonalMatMul")
def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact"):
    return _w.matmul(_dense_bands(*_bands(diagonals, diagonals_format, None)), as_tensor(rhs))


@op("BandedTriangularSolve")
def banded_triangular_solve(bands, rhs, lower=True, adjoint=False):
    x, b = like(bands, rhs)
    k, n = x.shape[-2], x.shape[-1]
    d = _w.expand_dims(_w.arange(0, n, 1, int32), 1) - _w.arange(0, n, 1, int32)
    a = None
    for i in range(k):
        # below: a row is a diagonal, and ends where the matrix does; above: the last row is the main diagonal
        off = i if lower else k - 1 - i
        part = _w.where(d == off if lower else d == -off, x[..., i, :, None], _w.zeros_like(x[..., i, :, None]))
        a = part if a is None else a + part
    return _w.solve_triangular(a, b, lower, adjoint, False)


@op("eigh_tridiagonal")
def eigh_tridiagonal(alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None):
    if tol is not None:
        raise NotImplementedError("eigh_tridiagonal: tol")
    a, b = like(alpha, beta)
    n = a.shape[-1]
    wide = _w.pad(b, [0] * (b.ndim - 1) + [1], [0] * b.ndim)
    low = _w.pad(b, [0] * b.ndim, [0] * (b.ndim - 1) + [1])
    values, vectors = _factors.eigh(_w, _dense_bands(low, a, wide))
    if select == "i":
        values, vectors = values[select_range[0]:select_range[1] + 1], vectors[:, select_range[0]:select_range[1] + 1]
    elif select == "v":
        keep = _w.logical_and(values > select_range[0], values <= select_range[1])
        values, vectors = values[keep], vectors[:, keep]
    elif select != "a":
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    return values if eigvals_only else (values, vectors)
