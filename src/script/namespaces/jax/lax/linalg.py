# jax.lax.linalg -- factorisations as operations.
import _jax as _w
from jax.numpy.linalg import eigh, qr, svd


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


def lu(x):
    packed, pivots, perm = _w.op("lu", [x])
    return packed, pivots, perm
