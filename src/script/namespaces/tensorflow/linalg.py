# tensorflow.linalg
from tensorflow._ops import (matmul, matvec, tensordot, einsum, diag, diag_part, trace, band_part, inv, det, cholesky, solve, triangular_solve,
                             logdet, norm, eye, global_norm, l2_normalize as normalize_, transpose as _transpose)
import _tf as _w
from tensorflow._base import op, as_tensor

tensor_diag = diag
set_diag = None
matrix_transpose = op("matrix_transpose")(lambda a: _w.swap_axes(as_tensor(a), -1, -2))


def normalize(tensor, ord="euclidean", axis=None):
    n = norm(tensor, ord, axis, keepdims=True)
    return tensor / n, n


@op("MatrixLogDet")
def slogdet(input):
    d = _w.det(as_tensor(input))
    return _w.sign(d), _w.log(_w.abs(d))


@op("LinearCombination")
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True):
    a, b = as_tensor(matrix), as_tensor(rhs)
    t = _w.swap_axes(a, -1, -2)
    return _w.solve(_w.matmul(t, a) + l2_regularizer * _w.eye(a.shape[-1], a.shape[-1], 0, a.dtype), _w.matmul(t, b))


@op("expm")
def expm(input):
    # scaling, Taylor's series, squaring
    a = as_tensor(input) / 256.0
    n = a.shape[-1]
    r = term = _w.eye(n, n, 0, a.dtype)
    for k in range(1, 12):
        term = _w.matmul(term, a) / float(k)
        r = r + term
    for _ in range(8):
        r = _w.matmul(r, r)
    return r
