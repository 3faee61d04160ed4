# jax.scipy.sparse.linalg -- conjugate gradients over trees.
import _jax as _w
import _tree
from jax.lax import while_loop


def _dot(a, b):
    leaves = zip(_tree.flatten(a)[0], _tree.flatten(b)[0])
    total = 0.0
    for x, y in leaves:
        total = total + _w.sum(x * y)
    return total


def _axpy(a, x, y):
    return _tree.map(lambda u, v: a * u + v, x, y)


def cg(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    matvec = A if callable(A) else (lambda v: _w.matmul(A, v))
    x0 = _tree.map(_w.zeros_like, b) if x0 is None else x0
    n = sum([_w.about(x, "count") for x in _tree.flatten(b)[0]])
    limit = 10 * n if maxiter is None else maxiter
    precondition = M if M is not None else (lambda v: v)
    bound = _w.maximum(tol * tol * _dot(b, b), atol * atol)
    r0 = _tree.map(lambda u, v: u - v, b, matvec(x0))
    z0 = precondition(r0)

    def going(s):
        x, r, gamma, p, k = s
        return _w.logical_and(_w.gt(_dot(r, r), bound), _w.lt(k, limit))

    def step(s):
        x, r, gamma, p, k = s
        ap = matvec(p)
        alpha = gamma / _dot(p, ap)
        x, r = _axpy(alpha, p, x), _axpy(-alpha, ap, r)
        z = precondition(r)
        new = _dot(r, z)
        return x, r, new, _axpy(new / gamma, p, z), k + 1

    x = while_loop(going, step, (x0, r0, _dot(r0, z0), z0, 0))[0]
    return x, None


def bicgstab(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    raise NotImplementedError("jax.scipy.sparse.linalg.bicgstab")


def gmres(A, b, x0=None, *, tol=1e-5, atol=0.0, restart=20, maxiter=None, M=None, solve_method="batched"):
    raise NotImplementedError("jax.scipy.sparse.linalg.gmres")
