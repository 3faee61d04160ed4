# torch.linalg -- linear algebra: systems, determinants, factors and norms.
import _factors
import _torch as _w
from torch._core import core as _core
from torch._math import norm as _norm
from torch._types import result as _result
from torch._products import cross as _cross, matmul, matrix_power, det, vdot


class _LinAlgError(RuntimeError):
    pass


LinAlgError = _LinAlgError


def _unknown(x):
    # A trace knows no numbers, the meta device has none.
    return _w.about(x, "symbolic") or _w.device_at(x) < 0


def _refuse(A, infos, kind, name, why):
    # Of a batch the first matrix whose info is not 0 is named.
    bad = [(i, k) for i, k in enumerate(infos.reshape(-1).tolist()) if k]
    if bad:
        i, k = bad[0]
        raise kind(name + (f": (Batch element {i}): " if A.ndim > 2 else ": ") + why(k))


def inv(A, _name="linalg.inv"):
    _square(A, "linalg.inv")
    x = _w.inv(A)
    _not_singular(A, x, _name, lambda k: f"The diagonal element {k} is zero, the inversion could not be completed because the input "
                                         "matrix is singular.")
    return x


def _square(A, name):
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {A.shape[-2]} by "
                           f"{A.shape[-1]} matrices" if A.ndim >= 2 else
                           f"{name}: The input tensor A must have at least 2 dimensions.")


def _pivot_info(A):
    return _zero_pivot(_lu(_w.detach(A))[4])


def _zero_pivot(up):
    # The number, from 1, of the first pivot that is 0; 0: there is none.
    d = _w.diagonal(_w.detach(up))
    zero = d == 0
    first = _w.cast(_w.argmax(_w.cast(zero, _w.int32), -1), _w.int32) + 1
    return _w.where(_w.any(zero, -1), first, _w.zeros_like(first))


def _solve(A, B, left):
    vector = B.ndim == 1 or (B.ndim + 1 == A.ndim and tuple(B.shape) == tuple(A.shape[:-1]))
    if not left:
        return _w.swap_axes(_solve(_w.swap_axes(A, -1, -2), _w.swap_axes(B, -1, -2), True), -1, -2)
    return _w.squeeze(_w.solve(A, _w.expand_dims(B, -1)), -1) if vector else _w.solve(A, B)


def _not_singular(A, x, name, why=lambda k: "The solver failed because the input matrix is singular."):
    # x is of A: what is not finite there may come of a pivot that is 0.
    if not (_unknown(x) or _unknown(A) or bool(_w.all(_w.is_finite(x)))):
        _refuse(A, _pivot_info(A), _LinAlgError, name, why)


def _minor_info(A, low):
    # The order of the first leading minor that is not positive, by the factor of each of them; 0: none is.
    if not bool(_w.any(_w.is_nan(low))):
        return _w.full(A.shape[:-2], 0, _w.int32)

    def fits(a, k):
        return not bool(_w.any(_w.is_nan(_factors.cholesky(_w, a[:k, :k], False))))

    def first(a):
        good, bad = 0, a.shape[-1] + 1
        while bad - good > 1:
            k = (good + bad) // 2
            good, bad = (k, bad) if fits(a, k) else (good, k)
        return bad if bad <= a.shape[-1] else 0

    matrices = _w.reshape(_w.detach(A), (-1,) + tuple(A.shape[-2:]))
    return _w.reshape(_w.tensor([first(a) for a in matrices], _w.int32), A.shape[:-2])


def _numbers(A):
    # PyTorch's decomposition does not end well where there is NaN; infinities make NaN.
    if not _unknown(A) and A.numel():
        bad = _w.any(_w.is_nan(_w.abs(_w.detach(A)) if A.dtype.is_complex else A), (-2, -1))
        _refuse(A, bad, _LinAlgError, "linalg.svd",
                lambda k: "The algorithm failed to converge because the input matrix contained non-finite values.")
    return A


def solve(A, B, *, left=True):
    _square(A, "linalg.solve")
    if A.dtype != B.dtype:
        from torch._errors import named
        raise RuntimeError(f"linalg.solve: Expected A and B to have the same dtype, but found A of type {named(A.dtype)} and B of "
                           f"type {named(B.dtype)} instead")
    x = _solve(A, B, left)
    _not_singular(A, x, "torch.linalg.solve")
    return x


def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    if not left:
        return _w.swap_axes(_w.solve_triangular(_w.swap_axes(A, -1, -2), _w.swap_axes(B, -1, -2), upper, False,
                                                unitriangular), -1, -2)
    return _w.solve_triangular(A, B, not upper, False, unitriangular)


def cholesky(A, *, upper=False, _name="linalg.cholesky"):
    _square(A, "linalg.cholesky")
    low = _factors.cholesky(_w, A, upper)
    if not _unknown(low):
        _refuse(A, _minor_info(A, low), _LinAlgError, _name,
                lambda k: "The factorization could not be completed because the input is not positive-definite (the leading minor of "
                          f"order {k} is not positive-definite).")
    return low


def slogdet(A):
    _square(A, "linalg.slogdet")
    return _result("linalg_slogdet", ("sign", "logabsdet"))(_factors.slogdet(_w, A))


def cross(input, other, *, dim=-1):
    return _cross(input, other, dim)


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
    if ord not in ("nuc", 2, -2):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    a, b = dim[0] % A.ndim, dim[1] % A.ndim
    s = svdvals(_w.permute(A, [k for k in range(A.ndim) if k not in (a, b)] + [a, b]))
    r = _w.sum(s, -1) if ord == "nuc" else s[..., 0 if ord == 2 else -1]
    return _w.reshape(r, [1 if k in (a, b) else n for k, n in enumerate(A.shape)]) if keepdim else r


def cond(A, p=None):
    if p in (None, 2, -2):
        return _factors.cond(_w, _numbers(A), p == -2)
    _square(A, "linalg.cond")
    x = norm(A, p) * norm(_w.inv(A), p)
    return _w.where(_pivot_info(A) > 0, float("inf"), x)


multi_dot = _core.multi_dot


def vecdot(x, y, *, dim=-1):
    return _w.sum((_w.conj(x) if x.dtype.is_complex else x) * y, dim)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return A.diagonal(offset, dim1, dim2)


def vander(x, N=None):
    from torch._shape import vander as _vander
    return _vander(x, N, True)


def lstsq(A, B, rcond=None, *, driver=None):
    # What else is known depends on the driver, gelsy if none is named.
    x, rank, values = _factors.lstsq(_w, A, B, rcond)
    none = _w.full((0,), 0.0, A.dtype)
    tall = A.shape[-2] > A.shape[-1] and driver in ("gels", "gelsd", "gelss")
    return _result("linalg_lstsq", ("solution", "residuals", "rank", "singular_values"))(
        (x, _w.sum((_w.matmul(A, x) - B) ** 2, -2) if tall else none,
         _w.full((0,), 0, _w.int64) if driver == "gels" else rank, values if driver in ("gelsd", "gelss") else none))


def qr(A, mode="reduced"):
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")
    q, r = _factors.qr(_w, A, mode == "complete")
    return _result("linalg_qr", ("Q", "R"))((_w.full((0,), 0.0, A.dtype) if mode == "r" else q, r))


def eigh(A, UPLO="L"):
    _square(A, "linalg.eigh")
    return _result("linalg_eigh", ("eigenvalues", "eigenvectors"))(_factors.eigh(_w, A, UPLO.upper() != "U"))


def eigvalsh(A, UPLO="L"):
    return eigh(A, UPLO)[0]


def svd(A, full_matrices=True, *, driver=None):
    return _result("linalg_svd", ("U", "S", "Vh"))(_factors.svd(_w, _numbers(A), full_matrices))


def svdvals(A, *, driver=None):
    return _w.op("svd", [_numbers(A)])[1]


def _lu(A):
    # P A = L U: the exchanges, and the factors of [m, k] and [k, n].
    both, pivots, perm = _w.op("lu", [A])
    k = min(A.shape[-2], A.shape[-1])
    low = _w.tril(both, -1)[..., :k] + _w.eye(A.shape[-2], k, 0, A.dtype)
    return both, pivots, perm, low, _w.triu(both)[..., :k, :]


def _pivoted(pivot, name):
    if not pivot:
        raise NotImplementedError(f"linalg.{name}: LU without pivoting is not implemented on the CPU")


def lu(A, *, pivot=True):
    _pivoted(pivot, "lu")
    both, pivots, perm, low, up = _lu(A)
    m = A.shape[-2]
    p = _w.swap_axes(_w.one_hot(_w.cast(perm, _w.int64), m), -1, -2)
    return _result("linalg_lu", ("P", "L", "U"))((_w.cast(p, A.dtype), low, up))


def lu_factor(A, *, pivot=True):
    return _result("linalg_lu_factor", ("LU", "pivots"))(_factored(A, pivot, "lu_factor", True)[:2])


def lu_factor_ex(A, *, pivot=True, check_errors=False):
    return _result("linalg_lu_factor_ex", ("LU", "pivots", "info"))(_factored(A, pivot, "lu_factor_ex", check_errors))


def _factored(A, pivot, name, check):
    _pivoted(pivot, name)
    both, pivots, perm, low, up = _lu(A)
    info = _zero_pivot(up)
    if check and not _unknown(A):
        _refuse(A, info, RuntimeError, "torch.linalg." + name,
                lambda k: f"U[{k},{k}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform "
                          "the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)")
    return both, pivots + 1, info


def matrix_exp(A):
    _square(A, "linalg.matrix_exp")
    if not A.dtype.is_inexact:
        kind = A.type().rpartition(".")[2].removesuffix("Tensor")
        raise NotImplementedError(f"linalg.matrix_exp: Expected a floating point or complex tensor as input. Got {kind}")
    return _factors.expm(_w, A)


def inv_ex(A, *, check_errors=False):
    y = inv(A, "linalg.inv_ex") if check_errors else _w.inv(A)
    return _result("linalg_inv_ex", ("inverse", "info"))((y, _pivot_info(A)))


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None):
    if atol is not None:
        raise NotImplementedError("linalg.pinv: atol")
    return _factors.pinv(_w, _numbers(A), rcond if rtol is None else rtol)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None):
    return _factors.rank(_w, _numbers(A), rtol, tol or atol or 0.0)


def eig(A):
    _square(A, "linalg.eig")
    if not _unknown(A) and not bool(_w.all(_w.is_finite(A))):
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    return _result("linalg_eig", ("eigenvalues", "eigenvectors"))(_factors.eig(_w, A))


def eigvals(A):
    _square(A, "linalg.eigvals")
    return _factors.eig(_w, A)[0]


def tensorinv(A, ind=2):
    return _core.tensorinv(A, ind, inv)


def tensorsolve(A, B, dims=None):
    return _core.tensorsolve(A, B, dims, solve)


def cholesky_ex(A, *, upper=False, check_errors=False):
    low = cholesky(A, upper=upper, _name="linalg.cholesky_ex") if check_errors else _factors.cholesky(_w, A, upper)
    if _unknown(low):
        info = _w.cast(_w.any(_w.is_nan(_w.real(low) if A.dtype.is_complex else low), (-2, -1)), _w.int32)
    else:
        info = _minor_info(A, low)
    return _result("linalg_cholesky_ex", ("L", "info"))((low, info))


def solve_ex(A, B, *, left=True, check_errors=False):
    _square(A, "linalg.solve_ex")
    x = _solve(A, B, left)
    if check_errors:
        _not_singular(A, x, "torch.linalg.solve_ex")
    return _result("linalg_solve_ex", ("result", "info"))((x, _pivot_info(A)))


def lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    from torch._products import lu_unpack
    p, low, up = lu_unpack(LU, pivots)
    if not left:
        return _w.swap_axes(lu_solve(LU, pivots, _w.swap_axes(B, -1, -2), adjoint=not adjoint), -1, -2) \
            if not LU.dtype.is_complex else _factors._h(_w, lu_solve(LU, pivots, _factors._h(_w, B), adjoint=not adjoint))
    if adjoint:
        y = solve_triangular(_factors._h(_w, up), B, upper=False)
        return _w.matmul(p, solve_triangular(_factors._h(_w, low), y, upper=True, unitriangular=True))
    y = solve_triangular(low, _w.matmul(_w.swap_axes(p, -1, -2), B), upper=False, unitriangular=True)
    return solve_triangular(up, y, upper=True)


__import__("_host").own_names(globals(), "linalg_")
