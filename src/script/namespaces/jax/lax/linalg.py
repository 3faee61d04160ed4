# jax.lax.linalg -- factorisations as operations.
import enum as _enum
import _jax as _w
import jax.numpy.linalg as _linalg
from jax._api import refuse as _refuse


def eigh(x, /, *, lower=True, symmetrize_input=True, sort_eigenvalues=True, subset_by_index=None, implementation=None):
    # (vectors, values): the other way round than jnp.linalg
    _refuse("eigh", subset_by_index=(subset_by_index, None), implementation=(implementation, None))
    del sort_eigenvalues    # they always are
    values, vectors = _linalg.eigh(x, "L" if lower else "U", symmetrize_input)
    return vectors, values


def eig(x, /, *, compute_left_eigenvectors=True, compute_right_eigenvectors=True, implementation=None,
        enable_eigvec_derivs=False, use_magma=None):
    # Values, then left and right vectors as far as wanted: left ones are the right ones of the adjoint, scaled alike.
    import _factors
    _refuse("eig", implementation=(implementation, None), use_magma=(use_magma, None))
    x = _linalg._square(x, "eig")
    right = _factors.eig if enable_eigvec_derivs else lambda w, a: _linalg.eig(a)
    if not (compute_left_eigenvectors or compute_right_eigenvectors):
        return [_factors.eig(_w, x)[0]]
    w, v = right(_w, x)
    out = [w]
    if compute_left_eigenvectors:
        rows = _factors._h(_w, _w.inv(v))
        size = _w.sqrt(_w.sum(_w.real(rows) ** 2 + _w.imag(rows) ** 2, -2, True))
        out.append(rows / _w.cast(size, rows.dtype))
    return out + ([v] if compute_right_eigenvectors else [])


def qr(x, /, *, pivoting=False, full_matrices=True, use_magma=None):
    _refuse("qr", pivoting=(pivoting, False), use_magma=(use_magma, None))
    return tuple(_linalg.qr(x, "complete" if full_matrices else "reduced"))


class SvdAlgorithm(_enum.Enum):
    DEFAULT = "default"
    QR = "QR"
    JACOBI = "Jacobi"
    POLAR = "polar"
    DIVIDE_AND_CONQUER = "divide_and_conquer"


def svd(x, /, *, full_matrices=True, compute_uv=True, subset_by_index=None, algorithm=None):
    if algorithm is not None and not isinstance(algorithm, SvdAlgorithm):
        raise TypeError(f"svd: algorithm must be an SvdAlgorithm, got {algorithm!r}")    # the values are the same by all
    out = _linalg.svd(x, full_matrices=full_matrices, compute_uv=compute_uv, subset_by_index=subset_by_index)
    return tuple(out) if compute_uv else out


def cholesky(a, symmetrize_input=True):
    from jax.numpy.linalg import cholesky as f
    return f(a, symmetrize_input=symmetrize_input)


def triangular_solve(a, b, left_side=False, lower=False, transpose_a=False, conjugate_a=False, unit_diagonal=False):
    if conjugate_a:
        a = _w.conj(a)
    if left_side:
        return _w.solve_triangular(a, b, lower, transpose_a, unit_diagonal)
    # x a = b  is  aT xT = bT
    x = _w.solve_triangular(a, _w.swap_axes(b, -1, -2), lower, not transpose_a, unit_diagonal)
    return _w.swap_axes(x, -1, -2)


def tridiagonal_solve(dl, d, du, b, *, perturb_singular=False):
    # Below, on and above the diagonal, [.., n] each; b [.., n, k]. Elimination with exchanges of neighbours, and back.
    from jax.lax import scan
    if perturb_singular:
        raise NotImplementedError("tridiagonal_solve: perturb_singular=True")
    dl, d, du, b = [_w.wrap(x) for x in (dl, d, du, b)]
    if not tuple(dl.shape) == tuple(d.shape) == tuple(du.shape):
        raise ValueError(f"dl={tuple(dl.shape)}, d={tuple(d.shape)} and du={tuple(du.shape)} must all be `[m]`")
    if len(b.shape) != len(d.shape) + 1 or tuple(b.shape)[:-1] != tuple(d.shape):
        raise ValueError(f"b={tuple(b.shape)} must be `[m, k]` with m of d={tuple(d.shape)}")
    n, rows = d.shape[-1], len(d.shape)
    if n == 0:
        return b
    front = lambda x: _w.move_axis(x, len(d.shape) - 1, 0)
    last = _w.reshape(_w.eq(_w.arange(0, n), n - 1), (n,) + (1,) * (rows - 1))
    low, mid, up, right = front(dl), front(d), _w.where(last, 0.0, front(du)), front(b)
    thin = lambda x: _w.expand_dims(x, -1)

    def down(row, below):
        # row: what is left in columns i and i + 1; the larger of both in column i becomes the pivot
        p, q, y = row
        l, m, u, r = below
        swap = _w.gt(_w.abs(l), _w.abs(p))
        pick = lambda a, c: _w.where(swap, a, c)
        top, other = (pick(l, p), pick(m, q), pick(u, 0.0)), (pick(p, l), pick(q, m), pick(0.0, u))
        wide = thin(swap)
        y0, y1 = _w.where(wide, r, y), _w.where(wide, y, r)
        f = other[0] / top[0]
        return (other[1] - f * top[1], other[2] - f * top[2], y1 - thin(f) * y0), (top[0], top[1], top[2], y0)

    first = (mid[0], up[0], right[0])
    end, done = scan(down, first, (low[1:], mid[1:], up[1:], right[1:]))
    done = [_w.concat([x, _w.expand_dims(e, 0)], 0) for x, e in zip(done, (end[0], end[1], _w.zeros_like(end[0]), end[2]))]

    def back(after, row):
        x1, x2 = after
        p, q, r, y = row
        x = (y - thin(q) * x1 - thin(r) * x2) / thin(p)
        return (x, x1), x

    zero = _w.zeros_like(right[0])
    xs = scan(back, (zero, zero), tuple(done), reverse=True)[1]
    return _w.move_axis(xs, 0, rows - 1)


def lu_pivots_to_permutation(pivots, permutation_size):
    # The order that a row of exchanges leaves 0, 1 .. in
    from jax.lax import fori_loop
    pivots = _w.wrap(pivots)
    k = pivots.shape[-1]
    if k > permutation_size:
        raise ValueError(f"Output permutation size {permutation_size} has to exceed the trailing dimension of the pivots. Got shape "
                         f"{tuple(pivots.shape)}")
    lead = tuple(pivots.shape)[:-1]
    at = _w.broadcast_to(_w.iota(_w.int32, (permutation_size,)), lead + (permutation_size,))
    here = _w.iota(_w.int32, (permutation_size,))

    def swap(i, order):
        j = _w.take_along(pivots, _w.broadcast_to(_w.cast(i, _w.int32), lead + (1,)), -1)
        a = _w.take_along(order, _w.broadcast_to(_w.cast(i, _w.int32), lead + (1,)), -1)
        b = _w.take_along(order, j, -1)
        return _w.where(_w.eq(here, i), b, _w.where(_w.eq(here, j), a, order))
    return fori_loop(0, k, swap, at)


def householder_product(a, taus):
    # The first columns of H_0 H_1 .., H_i = 1 - tau_i v_i v_i', v_i below the diagonal of column i
    a, taus = _w.wrap(a), _w.wrap(taus)
    m, n = a.shape[-2], a.shape[-1]
    vs = _w.tril(a, -1) + _w.eye(m, n, dtype=a.dtype)
    q = _w.broadcast_to(_w.eye(m, n, dtype=a.dtype), a.shape)
    for i in range(taus.shape[-1] - 1, -1, -1):
        v = vs[..., :, i:i + 1]
        row = _w.matmul(_w.swap_axes(_w.conj(v), -1, -2), q)
        q = q - _w.expand_dims(_w.expand_dims(taus[..., i], -1), -1) * _w.matmul(v, row)
    return q


def symmetric_product(a_matrix, c_matrix, *, alpha=1.0, beta=0.0, symmetrize_output=False):
    y = alpha * _w.matmul(a_matrix, _w.swap_axes(a_matrix, -1, -2)) + beta * c_matrix
    upper = _w.triu(_w.ones_like(y), 1)
    return _w.where(_w.gt(upper, 0), _w.swap_axes(_w.tril(y), -1, -2), y) if symmetrize_output else y


def lu(x):
    packed, pivots, perm = _w.op("lu", [x])
    return [packed, pivots, perm]
