# jax.scipy.sparse.linalg -- solvers of linear systems that ask for products alone: vectors are trees.
#
# Each solver runs inside custom_linear_solve, so that derivatives of what it gives are solutions of systems, too.
import _jax as _w
import _tree
from jax._api import kit
from jax.lax import custom_linear_solve, fori_loop, while_loop


def _dot(a, b):
    total = 0.0
    for x, y in zip(kit.flatten(a)[0], kit.flatten(b)[0]):
        total = total + _w.sum((_w.conj(x) if x.dtype.is_complex else x) * y)
    return total


def _square(a):
    total = _dot(a, a)
    return _w.real(total) if total.dtype.is_complex else total


def _axpy(a, x, y):
    return _tree.map(lambda u, v: a * u + v, x, y)


def _product(matrix):
    if callable(matrix):
        return matrix
    if not isinstance(matrix, _w.Tensor) and not hasattr(matrix, "__matmul__"):
        raise TypeError(f"linear operator must be either a function or ndarray: {matrix}")
    shape = tuple(getattr(matrix, "shape", (1, 1)))
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"linear operator must be a square matrix, but has shape: {shape}")
    if isinstance(matrix, _w.Tensor):
        matrix = _w.wrap(matrix)
    return lambda v: matrix @ v


def _isolve(iterate, A, b, x0, tol, atol, maxiter, M, symmetric):
    from jax._pytree import tree_structure
    A, M = _product(A), None if M is None else _product(M)
    b = _tree.map(_w.wrap, b)
    x0 = _tree.map(_w.zeros_like, b) if x0 is None else _tree.map(_w.wrap, x0)
    if tree_structure(x0) != tree_structure(b):
        raise ValueError(f"x0 and b must have matching tree structure: {tree_structure(x0)} vs {tree_structure(b)}")
    for x, y in zip(kit.flatten(x0)[0], kit.flatten(b)[0]):
        if tuple(x.shape) != tuple(y.shape):
            raise ValueError(f"arrays in x0 and b must have matching shapes: {tuple(x.shape)} vs {tuple(y.shape)}")
    n = sum([_w.about(x, "count") for x in kit.flatten(b)[0]])
    limit = 10 * n if maxiter is None else maxiter
    from jax.lax import stop_gradient
    x0, b0 = _tree.map(stop_gradient, x0), b

    def solve(matvec, rhs):
        start = x0 if rhs is b0 else _tree.map(_w.zeros_like, rhs)
        bound = _w.maximum(tol * tol * _square(rhs), atol * atol)
        return iterate(matvec, rhs, start, bound, limit, M or (lambda v: v))

    x = custom_linear_solve(A, b, solve, solve, symmetric)
    return _tree.map(lambda y, v: _w.set_weak(y, True) if _w.about(v, "weak") else y, x, b), None


def _conjugate_gradients(matvec, b, x0, bound, limit, precondition):
    r0 = _tree.map(lambda u, v: u - v, b, matvec(x0))
    z0 = precondition(r0)

    def going(s):
        x, r, gamma, p, k = s
        return _w.logical_and(_w.gt(_square(r), bound), _w.lt(k, limit))

    def step(s):
        x, r, gamma, p, k = s
        ap = matvec(p)
        alpha = gamma / _dot(p, ap)
        x, r = _axpy(alpha, p, x), _axpy(-alpha, ap, r)
        z = precondition(r)
        new = _dot(r, z)
        return x, r, new, _axpy(new / gamma, p, z), k + 1

    return while_loop(going, step, (x0, r0, _dot(r0, z0), z0, 0))[0]


def _stabilised(matvec, b, x0, bound, limit, precondition):
    r0 = _tree.map(lambda u, v: u - v, b, matvec(x0))
    one = _w.ones_like(_dot(r0, r0))

    def going(s):           # k < 0: a quantity that is divided by has become 0
        x, r, k = s[0], s[1], s[-1]
        return _w.logical_and(_w.gt(_square(r), bound), _w.logical_and(_w.lt(k, limit), _w.ge(k, 0)))

    def step(s):
        x, r, alpha, omega, rho, p, q, k = s
        new = _dot(r0, r)
        beta = new / rho * alpha / omega
        p = _tree.map(lambda u, v, w: u + beta * (v - omega * w), r, p, q)
        p_hat = precondition(p)
        q = matvec(p_hat)
        alpha = new / _dot(r0, q)
        half = _axpy(-alpha, q, r)
        done = _w.lt(_square(half), bound)
        s_hat = precondition(half)
        t = matvec(s_hat)
        omega = _dot(t, half) / _dot(t, t)
        x = _tree.map(lambda v, a, c: _w.where(done, v + alpha * a, v + alpha * a + omega * c), x, p_hat, s_hat)
        r = _tree.map(lambda u, v: _w.where(done, u, u - omega * v), half, t)
        broken = _w.logical_or(_w.eq(omega, 0), _w.eq(alpha, 0))
        k = _w.where(broken, -11, k + 1)
        return x, r, alpha, omega, new, p, q, _w.where(_w.eq(new, 0), -10, k)

    zeros = _tree.map(_w.zeros_like, r0)
    return while_loop(going, step, (x0, r0, one, one, one, zeros, zeros, 0))[0]


def cg(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    return _isolve(_conjugate_gradients, A, b, x0, tol, atol, maxiter, M, True)


def bicgstab(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    return _isolve(_stabilised, A, b, x0, tol, atol, maxiter, M, False)


def gmres(A, b, x0=None, *, tol=1e-5, atol=0.0, restart=20, maxiter=None, M=None, solve_method="batched"):
    if solve_method not in ("batched", "incremental"):
        raise ValueError(f"invalid solve_method {solve_method}, must be either 'incremental' or 'batched'")

    def iterate(matvec, rhs, start, bound, limit, precondition):
        return _restarted(matvec, rhs, start, bound, limit, precondition, restart)

    return _isolve(iterate, A, b, x0, tol, atol, maxiter, M, False)


def _restarted(matvec, b, x0, bound, limit, precondition, restart):
    # In rounds of at most `restart` steps: the least residual in the space that they span.
    from jax.flatten_util import ravel_pytree
    flat_b, back = ravel_pytree(b)
    flat_x = ravel_pytree(x0)[0]
    apply = lambda v: ravel_pytree(precondition(matvec(back(v))))[0]
    residual = lambda x: ravel_pytree(precondition(_tree.map(lambda u, v: u - v, b, matvec(back(x)))))[0]
    steps = min(restart, flat_b.shape[0])
    bound = bound * _square(ravel_pytree(precondition(b))[0]) / _w.maximum(_square(flat_b), _tiny(flat_b))

    def going(s):
        x, r, k = s
        return _w.logical_and(_w.gt(_square(r), bound), _w.lt(k, limit))

    def round(s):
        x, r, k = s
        x = x + _least(apply, r, steps)
        return x, residual(x), k + 1

    return back(while_loop(going, round, (flat_x, residual(flat_x), 0))[0])


def _tiny(x):
    return 1e-37 if x.dtype in (_w.float32, _w.complex64) else 1e-300


def _length(v):
    return _w.sqrt(_square(v))


def _unit(v, against):
    # v over its length, or zeros where nothing but rounding is left of it
    length = _length(v)
    small = 1e-7 if v.dtype in (_w.float32, _w.complex64) else 1e-15
    there = _w.gt(length, small * against)
    return _w.where(there, v / _w.where(there, length, _w.ones_like(length)), _w.zeros_like(v)), _w.where(there, length, _w.zeros_like(length))


def _least(apply, r, steps):
    # d in span(r, A r, ..) that makes r - A d least, by Arnoldi's method
    from jax.numpy import zeros
    from jax.numpy.linalg import lstsq
    n = r.shape[0]
    first, beta = _unit(r, 0.0)
    basis = zeros((steps + 1, n), r.dtype).at[0].set(first)
    images = zeros((steps, steps + 1), r.dtype)

    def step(k, s):
        basis, images = s
        v = apply(basis[k])
        before = _length(v)
        own = zeros((steps + 1,), r.dtype)
        for _ in range(2):          # twice is enough
            part = _w.matmul(_w.conj(basis) if r.dtype.is_complex else basis, v)
            v, own = v - _w.matmul(part, basis), own + part
        v, length = _unit(v, before)
        return basis.at[k + 1].set(v), images.at[k].set(own.at[k + 1].set(_w.cast(length, r.dtype)))

    basis, images = fori_loop(0, steps, step, (basis, images))
    target = zeros((steps + 1,), r.dtype).at[0].set(_w.cast(beta, r.dtype))
    y = lstsq(_w.permute(images), target)[0]
    return _w.matmul(y, basis[:steps])
