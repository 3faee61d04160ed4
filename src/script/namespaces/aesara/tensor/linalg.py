# aesara.tensor.linalg -- linear algebra of expressions.
import _aesara as _w
import numpy as _np
from aesara._graph import Op, apply, as_variable


def _unary(name, fn):
    op = Op(name, lambda p, x: fn(x if x.dtype.kind == "f" else _w.cast(x, "float64")), name)
    return lambda a: apply(op, [a])


def _singular(x):
    return x


matrix_inverse = inv = _unary("MatrixInverse", _w.inv)
det = _unary("Det", _w.det)
trace = _unary("Trace", _w.diagonal_sum)
pinv = _unary("MatrixPinv", lambda x: _w.matmul(_w.inv(_w.matmul(_w.permute(x), x)), _w.permute(x)))


def cholesky(a, lower=True):
    return apply(Op("Cholesky", lambda p, x: _w.cholesky(x) if p else _w.permute(_w.cholesky(x)), "Cholesky"), [a], lower)


def solve(a, b, assume_a="gen", lower=False, trans=0):
    def run(p, x, y):
        kind, below, turned = p
        if kind != "gen":       # one triangle is read, the other is its mirror
            half = _w.tril(x, 0) if below else _w.triu(x, 0)
            x = half + _w.swap_axes(half, -1, -2) - half * _w.eye(x.shape[-1], x.shape[-1], 0, x.dtype)
        return _w.solve(_w.swap_axes(x, -1, -2) if turned in (1, "T") else x, y)
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    return apply(Op("Solve", run, "Solve"), [a, b], (assume_a, lower, trans))


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    def run(p, x, y):
        flat = y.ndim == 1
        r = _w.solve_triangular(x, _w.expand_dims(y, 1) if flat else y, p[1], p[0] in (1, "T"), p[2])
        return _w.squeeze(r, 1) if flat else r
    return apply(Op("SolveTriangular", run, "SolveTriangular"), [a, b], (trans, lower, unit_diagonal))


def matrix_dot(*args):
    from aesara.tensor import dot
    r = args[0]
    for a in args[1:]:
        r = dot(r, a)
    return r


def matrix_power(m, n):
    from aesara.tensor import dot, eye
    r = None
    for _ in range(n):
        r = m if r is None else dot(r, m)
    return r if r is not None else eye(m.shape[0])


def norm(x, ord=None, axis=None):
    from aesara.tensor import _norm
    return _norm(x, ord, axis)


def diag(x):
    from aesara.tensor import diag as d
    return d(x)


def kron(a, b):
    return apply(Op("Kron", lambda p, x, y: _w.reshape(_w.reshape(x, (x.shape[0], 1, x.shape[1], 1)) * _w.reshape(y, (1, y.shape[0], 1, y.shape[1])), (x.shape[0] * y.shape[0], -1)), "Kron"), [a, b])


alloc_diag = diag
extract_diag = diag
AllocDiag = diag
