# torch.linalg -- linear algebra of what the engine factors: Cholesky, LU, triangles.
import _torch as _w
from torch._math import norm as _norm
from torch._products import cross, matmul, matrix_power, det, vdot


class _LinAlgError(RuntimeError):
    pass


LinAlgError = _LinAlgError


def _checked(x, name, what):
    # Singular matrices give numbers that are not finite.
    if not _w.about(x, "symbolic") and not bool(_w.all(_w.is_finite(x))):
        raise _LinAlgError(f"{name}: {what} could not be completed because the input matrix is singular.")
    return x


def inv(A):
    _square(A, "linalg.inv")
    return _checked(_w.inv(A), "linalg.inv", "the inversion")


def _square(A, name):
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {A.shape[-2]} by "
                           f"{A.shape[-1]} matrices" if A.ndim >= 2 else
                           f"{name}: The input tensor A must have at least 2 dimensions.")


def solve(A, B, *, left=True):
    _square(A, "linalg.solve")
    vector = B.ndim == 1 or (B.ndim + 1 == A.ndim and tuple(B.shape) == tuple(A.shape[:-1]))
    if not left:
        return _w.swap_axes(solve(_w.swap_axes(A, -1, -2), _w.swap_axes(B, -1, -2)), -1, -2)
    return _w.squeeze(_w.solve(A, _w.expand_dims(B, -1)), -1) if vector else _w.solve(A, B)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    if not left:
        return _w.swap_axes(_w.solve_triangular(_w.swap_axes(A, -1, -2), _w.swap_axes(B, -1, -2), upper, False,
                                                unitriangular), -1, -2)
    return _w.solve_triangular(A, B, not upper, False, unitriangular)


def cholesky(A, *, upper=False):
    low = _w.cholesky(A)
    if not _w.about(low, "symbolic") and bool(_w.any(_w.is_nan(low))):
        raise _LinAlgError("linalg.cholesky: The factorization could not be completed because the input is not "
                          "positive-definite.")
    return _w.swap_axes(low, -1, -2) if upper else low


def slogdet(A):
    from torch._types import result
    d = _w.det(A)
    return result("linalg_slogdet", ("sign", "logabsdet"))((_w.sign(d), _w.log(_w.abs(d))))


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    if ord is None or (dim is not None and isinstance(dim, int)) or A.ndim == 1:
        return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    return _norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    if ord == "fro":
        return _norm(A, 2, list(dim), keepdim, dtype=dtype)
    if ord in (1, -1, float("inf"), float("-inf")):
        a, b = dim
        over, then = (a, b) if abs(ord) == 1 else (b, a)
        sums = _w.sum(_w.abs(A), over, True)
        r = _w.max(sums, then, True) if ord > 0 else _w.min(sums, then, True)
        return r if keepdim else _w.squeeze(r, list(dim))
    raise NotImplementedError(f"the matrix norm of order {ord} needs svd, which is outside this version")


def cond(A, p=None):
    raise NotImplementedError("linalg.cond needs svd, which is outside this version")


def multi_dot(tensors):
    out = tensors[0]
    for t in tensors[1:]:
        out = _w.matmul(out, t)
    return out


def vecdot(x, y, *, dim=-1):
    return _w.sum(x * y, dim)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return A.diagonal(offset, dim1, dim2)


def vander(x, N=None):
    from torch._shape import vander as _vander
    return _vander(x, N, True)


def lstsq(A, B):
    from torch._types import result
    t = _w.swap_axes(A, -1, -2)
    x = _w.solve(_w.matmul(t, A), _w.matmul(t, B))
    return result("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))(
        (x, _w.sum((_w.matmul(A, x) - B) ** 2, -2), _w.tensor(A.shape[-1]), _w.full((0,), 0.0, A.dtype)))


def matrix_exp(A):
    # Scaling and squaring of a Taylor series.
    n = A.shape[-1]
    size = float(_w.max(_w.sum(_w.abs(_w.detach(A)), -1)))
    k = 0
    while size > 0.5:
        size /= 2
        k += 1
    x = A / (2.0 ** k)
    term = total = _w.broadcast_to(_w.eye(n, n, 0, A.dtype), A.shape)
    for i in range(1, 14):
        term = _w.matmul(term, x) / i
        total = total + term
    for _ in range(k):
        total = _w.matmul(total, total)
    return total


def inv_ex(A, *, check_errors=False):
    from torch._types import result
    return result("linalg_inv_ex", ("inverse", "info"))((_w.inv(A), _w.tensor(0)))


def pinv(A, rcond=None, hermitian=False):
    t = _w.swap_axes(A, -1, -2)
    if A.shape[-2] >= A.shape[-1]:
        return _w.matmul(_w.inv(_w.matmul(t, A)), t)
    return _w.matmul(t, _w.inv(_w.matmul(A, t)))


def matrix_rank(A, **options):
    raise NotImplementedError("linalg.matrix_rank needs svd, which is outside this version")


def _later(name):
    def refused(*args, **kwargs):
        raise NotImplementedError(f"linalg.{name} is outside this version")
    return refused


def __getattr__(name):
    if name in ("qr", "svd", "svdvals", "eig", "eigh", "eigvals", "eigvalsh", "lu", "lu_factor"):
        return _later(name)
    raise AttributeError(name)
