# jax.numpy.linalg -- linear algebra: systems, determinants, factors and norms.
import _factors
import _jax as _w
from jax._api import refuse as _refuse
from jax._custom import custom_jvp
from jax.numpy._core import core as _core
from jax.numpy._math import _float
from jax.numpy._math import matmul, outer, tensordot, vecdot, cross
from jax.numpy._select import diagonal as _diagonal
from jax.numpy._shape import matrix_transpose


def _square(a, name):
    a = _float(a)
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Argument to {name} must have shape [..., n, n], got {tuple(a.shape)}.")
    return a


def solve(a, b):
    a, b = _square(a, "solve"), _float(b)
    if len(b.shape) == 1:
        return _w.squeeze(_w.solve(a, _w.expand_dims(b, -1)), -1)
    from jax.numpy._shape import broadcast_shapes
    lead = broadcast_shapes(tuple(a.shape)[:-2], tuple(b.shape)[:-2])
    return _w.solve(_w.broadcast_to(a, lead + tuple(a.shape)[-2:]), _w.broadcast_to(b, lead + tuple(b.shape)[-2:]))


def inv(a):
    return _w.inv(_square(a, "inv"))


def diagonal(x, /, *, offset=0):
    return _diagonal(x, offset, -2, -1)


def _cofactors(a):
    # d det(a) / da, also where a has no inverse: with a = U diag(s) V', det(U) det(V) U diag(products of the others) V'.
    u, s, vh = _w.op("svd", [a])[:3]
    n = a.shape[-1]
    others = _w.where(_w.eye(n, dtype=_w.bool_), _w.ones_like(s[..., :1, None]), s[..., None, :])
    scaled = u * _w.expand_dims(_w.prod(others, -1), -2)
    return _w.expand_dims(_w.expand_dims(_w.det(u) * _w.det(vh), -1), -1) * _w.matmul(scaled, vh)


@custom_jvp
def _det(a):
    return _w.det(a)


@_det.defjvp
def _det_jvp(primals, tangents):
    a, = primals
    da, = tangents
    return _det(a), _w.sum(_cofactors(a) * da, (-2, -1))


def det(a):
    a = _square(a, "det")
    return _w.det(a) if a.dtype.name.startswith("complex") else _det(a)


def _lu_diagonal(a):
    # U's diagonal, and the sign of the permutation.
    lu, _, perm = _w.op("lu", [a])
    n = a.shape[-1]
    d = _w.diagonal(lu, 0)
    i = _w.arange(0, n)
    perm = _w.cast(perm, _w.int32)
    later = _w.lt(_w.expand_dims(perm, -1), _w.expand_dims(perm, -2))
    earlier = _w.tri(n, n, -1, bool)
    swaps = _w.sum(_w.cast(_w.logical_and(later, earlier), _w.int32), (-2, -1))
    return d, _w.cast(1 - 2 * _w.remainder(swaps, 2), a.dtype)


def slogdet(a, method=None):
    a = _square(a, "slogdet")
    d, sign = _lu_diagonal(a)
    sign = _w.stop_gradient(sign * _w.prod(_w.sign(d), -1))
    if a.dtype.is_complex:      # it turns with the phases of the diagonal
        phase = _w.imag(_w.sum(_w.log(d), -1))
        turn = phase - _w.stop_gradient(phase)
        sign = sign * _w.exp(_w.complex(_w.zeros_like(turn), turn))
    return SlogdetResult(sign, _w.sum(_w.log(_w.abs(d)), -1))


def _named(name, fields):
    from collections import namedtuple
    return namedtuple(name, fields)


SlogdetResult = _named("SlogdetResult", ["sign", "logabsdet"])


def cholesky(a, upper=False, symmetrize_input=True):
    a = _square(a, "cholesky")
    if symmetrize_input:
        low = _w.cholesky((a + _factors._h(_w, a)) / 2)
    else:
        low = _one_triangle(a)
    return _factors._h(_w, low) if upper else low


@custom_jvp
def _one_triangle(a):
    return _w.cholesky(a)


@_one_triangle.defjvp
def _one_triangle_jvp(primals, tangents):
    # The slope is that of symmetric matrices, of all of a tangent, though the value is of one triangle.
    low = _one_triangle(primals[0])
    left = lambda x: _w.solve_triangular(low, x, True, False, False)
    p = _w.tril(left(_factors._h(_w, left(_factors._h(_w, tangents[0])))))
    n = low.shape[-1]
    return low, _w.matmul(low, p * (1 - 0.5 * _w.eye(n, n, 0, _w.real(low).dtype)))


def matrix_power(a, n):
    return _core.matrix_power(a, n, inv)


norm, vector_norm, matrix_norm = _core.norm, _core.vector_norm, _core.matrix_norm


def cond(x, p=None):
    return _core.cond(x, p, inv)


def multi_dot(arrays, precision=None):
    return _core.multi_dot(arrays)


def matrix_rank(M, rtol=None, tol=None, hermitian=False):
    # of Hermitian matrices the eigenvalues have the sizes of the singular values
    if rtol is not None and tol is not None:
        raise ValueError("matrix_rank: only one of tol or rtol may be specified.")
    rtol = tol if rtol is None else rtol
    a = _float(M)
    if len(a.shape) < 2:
        return _w.cast(_w.any(_w.ne(a, 0)), int)
    return _w.cast(_factors.rank(_w, a, rtol), int)


EighResult = _named("EighResult", ["eigenvalues", "eigenvectors"])


def eigh(a, UPLO=None, symmetrize_input=True):
    a = _square(a, "eigh")
    if symmetrize_input:
        return EighResult(*_w.op("eigh", [(a + _factors._h(_w, a)) / 2]))
    return EighResult(*_factors.eigh(_w, a, UPLO != "U"))


def eigvalsh(a, UPLO="L", symmetrize_input=True):
    return eigh(a, UPLO, symmetrize_input)[0]


EigResult = _named("EigResult", ["eigenvalues", "eigenvectors"])


@custom_jvp
def _eig(a):
    return tuple(_factors.eig(_w, a))


@_eig.defjvp
def _eig_jvp(primals, tangents):
    raise NotImplementedError("Derivatives of non-symmetric eigenvectors are only valid under assumptions on the input "
                              "that JAX cannot check (see the enable_eigvec_derivs argument to jax.lax.linalg.eig)")


def eig(a):
    # a program has its derivative by the vectors as well, which is told only of who asks for it at once
    a = _square(a, "eig")
    return EigResult(*(_factors.eig(_w, a) if _w.in_trace() else _eig(a)))


def eigvals(a):
    return _factors.eig(_w, _square(a, "eigvals"))[0]


QRResult = _named("QRResult", ["Q", "R"])


def qr(a, mode="reduced"):
    q, r = _factors.qr(_w, _float(a), mode == "complete")
    return r if mode == "r" else QRResult(q, r)


SVDResult = _named("SVDResult", ["U", "S", "Vh"])


def svd(a, full_matrices=True, compute_uv=True, hermitian=False, subset_by_index=None):
    _refuse("svd", subset_by_index=(subset_by_index, None))
    u, s, vh = _factors.svd(_w, _float(a), full_matrices and compute_uv)
    return SVDResult(u, s, vh) if compute_uv else s


def svdvals(x):
    return svd(x, compute_uv=False)


def pinv(a, rtol=None, hermitian=False, rcond=None):
    a = _float(a)
    eps = 2.220446049250313e-16 if a.dtype in (_w.float64, _w.complex128) else 1.1920928955078125e-07
    if rtol is not None and rcond is not None:
        raise ValueError("pinv: only one of rtol and rcond may be specified.")
    rtol = rcond if rtol is None else rtol
    return _pseudo_inverse(10 * max(a.shape[-2:]) * eps if rtol is None else rtol)(a)


def _pseudo_inverse(rtol):
    # Its derivative is of no singular vectors, so equal singular values are no poles (Golub and Pereyra, 1973):
    #   dP = -P dA P + P P' dA' (1 - A P) + (1 - P A) dA' P' P
    from jax._custom import custom_jvp
    inverse = custom_jvp(lambda a: _factors.pinv(_w, a, rtol))
    turned = lambda x: _w.conj(_w.swap_axes(x, -1, -2))

    @inverse.defjvp
    def rule(primals, tangents):
        (a,), (da,) = primals, tangents
        p = inverse(a)
        dp = _w.neg(p @ da @ p)
        d = p @ turned(p) @ turned(da)
        dp = dp + d - (d @ a) @ p
        d = turned(da) @ turned(p) @ p
        return p, dp + d - p @ (a @ d)

    return inverse


def lstsq(a, b, rcond=None, numpy_resid=False):
    a, b = _float(a), _float(b)
    one = len(b.shape) == 1
    columns = _w.expand_dims(b, -1) if one else b
    x, rank, s = _factors.lstsq(_w, a, columns, rcond)
    rest = _w.abs(_w.matmul(a, x) - columns)
    left = _w.sum(rest * rest, 0)
    if numpy_resid:        # none where the system is not of full rank, or has no more rows than columns
        full = a.shape[0] > a.shape[1] and int(rank) == a.shape[1]
        left = left if full else _w.full((0,), 0.0, left.dtype)
    return (_w.squeeze(x, -1) if one else x), left, _w.cast(rank, int), s


def trace(x, offset=0, dtype=None):
    y = _w.diagonal(x, offset)
    return _w.sum(y if dtype is None else _w.cast(y, dtype), -1)


def tensorinv(a, ind=2):
    return _core.tensorinv(a, ind, _w.inv)


def tensorsolve(a, b, axes=None):
    return _core.tensorsolve(a, b, axes, solve)
