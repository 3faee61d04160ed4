# jax.numpy.linalg -- linear algebra: systems, determinants, factors and norms.
import _jax as _w
from jax.numpy._create import asarray as _asarray
from jax._dtypes import default_float as _default_float
from jax.numpy._math import matmul, outer, tensordot, vecdot, cross
from jax.numpy._select import diagonal
from jax.numpy._shape import matrix_transpose


def _float(x):
    x = _asarray(x)
    return x if x.dtype.is_floating_point else _w.cast(x, _default_float())


def _square(a, name):
    a = _float(a)
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Argument to {name} must have shape [..., n, n], got {tuple(a.shape)}")
    return a


def solve(a, b):
    a, b = _square(a, "solve"), _float(b)
    if len(b.shape) == 1:
        return _w.squeeze(_w.solve(a, _w.expand_dims(b, -1)), -1)
    if len(b.shape) == len(a.shape) - 1:
        raise ValueError(f"solve: a of shape {tuple(a.shape)} and b of shape {tuple(b.shape)}")
    return _w.solve(a, b)


def inv(a):
    return _w.inv(_square(a, "inv"))


def det(a):
    return _w.det(_square(a, "det"))


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
    sign = sign * _w.prod(_w.sign(d), -1)
    return SlogdetResult(_w.stop_gradient(sign), _w.sum(_w.log(_w.abs(d)), -1))


def _named(name, fields):
    from collections import namedtuple
    return namedtuple(name, fields)


SlogdetResult = _named("SlogdetResult", ["sign", "logabsdet"])


def cholesky(a, upper=False, symmetrize_input=True):
    a = _square(a, "cholesky")
    if symmetrize_input:
        a = (a + _w.swap_axes(a, -1, -2)) / 2
    low = _w.cholesky(a)
    return _w.swap_axes(low, -1, -2) if upper else low


def matrix_power(a, n):
    a = _asarray(a)
    if n < 0:
        a, n = inv(a), -n
    y = None
    while n:
        if n & 1:
            y = a if y is None else _w.matmul(y, a)
        n >>= 1
        if n:
            a = _w.matmul(a, a)
    if y is None:
        return _w.broadcast_to(_w.eye(a.shape[-1], dtype=a.dtype), a.shape)
    return y


def matrix_rank(M, rtol=None, tol=None):
    # The number of columns that elimination with full pivoting by rows leaves independent.
    a = _float(M)
    if len(a.shape) < 2:
        return _w.cast(_w.any(_w.ne(a, 0)), int)
    m, n = a.shape[-2], a.shape[-1]
    eps = 1.1920929e-07 * max(m, n) if rtol is None else rtol
    gram = _w.matmul(_w.swap_axes(a, -1, -2), a) if m >= n else _w.matmul(a, _w.swap_axes(a, -1, -2))
    s = _w.sqrt(_w.maximum(_symmetric_eigenvalues(gram), 0.0))
    return _w.sum(_w.cast(_w.gt(s, _w.max(s, -1, True) * max(eps, 1e-3 if rtol is None else 0)), int), -1)


def _symmetric_eigenvalues(a):
    return eigvalsh(a)


def _jacobi(a):
    # Eigenvalues (not sorted) and vectors of symmetric matrices [.., n, n], by sweeps of plane
    # rotations, each of which makes one pair of off-diagonal elements zero.
    n = a.shape[-1]
    eye = _w.eye(n, dtype=a.dtype)
    v = _w.broadcast_to(eye, a.shape)
    if n == 1:
        return _w.diagonal(a, 0), v
    from jax.lax import fori_loop
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    ps, qs = _w.tensor([p for p, q in pairs]), _w.tensor([q for p, q in pairs])
    k = len(pairs)

    def turn(t, s):
        a, v = s
        p, q = ps[_w.remainder(t, k)], qs[_w.remainder(t, k)]
        ep, eq = eye[p], eye[q]
        app, aqq = ep @ (a @ ep[:, None])[..., 0:1], eq @ (a @ eq[:, None])[..., 0:1]
        app, aqq = _w.squeeze(app, -1), _w.squeeze(aqq, -1)
        apq = _w.squeeze(ep @ (a @ eq[:, None])[..., 0:1], -1)
        tau = (aqq - app) / _w.where(_w.eq(apq, 0), _w.ones_like(apq), 2 * apq)
        sgn = _w.where(_w.ge(tau, 0), _w.ones_like(tau), -_w.ones_like(tau))
        tn = sgn / (_w.abs(tau) + _w.sqrt(1 + tau * tau))
        tn = _w.where(_w.eq(apq, 0), _w.zeros_like(tn), tn)
        c = 1 / _w.sqrt(1 + tn * tn)
        s_ = tn * c
        c, s_ = c[..., None, None], s_[..., None, None]
        pp, qq = _w.outer(ep, ep), _w.outer(eq, eq)
        pq = _w.outer(ep, eq)
        g = eye + (c - 1) * (pp + qq) + s_ * (pq - _w.permute(pq))
        gt = _w.swap_axes(g, -1, -2)
        return gt @ a @ g, v @ g

    a, v = fori_loop(0, 8 * k, turn, (a, v))
    return _w.diagonal(a, 0), v


def _eigh_plain(a):
    w, v = _jacobi((a + _w.swap_axes(a, -1, -2)) / 2)
    w, order = _w.sort(w, -1)
    return w, _w.take_along(v, _w.broadcast_to(_w.expand_dims(order, -2), v.shape), -1)


_eigh = None


def _with_rule():
    # dw = diag(vT da v);  dv = v (F * (vT da v)), F[i,j] = 1 / (w[j] - w[i]) off the diagonal
    from jax._custom import custom_jvp
    f = custom_jvp(_eigh_plain)

    @f.defjvp
    def rule(primals, tangents):
        (a,), (da,) = primals, tangents
        w, v = f(a)
        vt = _w.swap_axes(v, -1, -2)
        m = vt @ ((da + _w.swap_axes(da, -1, -2)) / 2) @ v
        n = a.shape[-1]
        gap = _w.expand_dims(w, -2) - _w.expand_dims(w, -1)
        eye = _w.eye(n, dtype=a.dtype)
        same = _w.eq(gap, 0)
        f_ = _w.where(same, _w.zeros_like(gap), 1 / _w.where(same, _w.ones_like(gap), gap))
        return (w, v), (_w.diagonal(m, 0), v @ (f_ * (1 - eye) * m))

    return f


def eigh(a, UPLO=None, symmetrize_input=True):
    global _eigh
    a = _square(a, "eigh")
    if _eigh is None:
        _eigh = _with_rule()
    w, v = _eigh(a)
    return EighResult(w, v)


EighResult = _named("EighResult", ["eigenvalues", "eigenvectors"])


def eigvalsh(a, UPLO="L", symmetrize_input=True):
    return eigh(a)[0]


def _qr_plain(a, full):
    # Gram-Schmidt twice, column by column; signs as Householder's: R's diagonal is negative.
    m, n = a.shape[-2], a.shape[-1]
    k = m if full else min(m, n)
    cols = []
    source = a if k <= n else _w.concat([a, _w.broadcast_to(_w.eye(m, dtype=a.dtype),
                                                           tuple(a.shape)[:-2] + (m, m))], -1)
    j = 0
    while len(cols) < k:
        v = source[..., j]
        j += 1
        norm = _w.sqrt(_w.sum(v * v, -1, True))
        for _ in range(2):
            for q in cols:
                v = v - q * _w.sum(q * v, -1, True)
        left = _w.sqrt(_w.sum(v * v, -1, True))
        if j > n and not _w.in_trace() and bool(_w.any(_w.lt(left, 1e-3 * norm))):
            continue
        cols.append(-v / left if len(cols) < m - 1 or m > n else v / left)
    q = _w.stack(cols, -1)
    return q, _w.triu(_w.matmul(_w.swap_axes(q, -1, -2), a))


QRResult = _named("QRResult", ["Q", "R"])


def qr(a, mode="reduced"):
    q, r = _qr_plain(_float(a), mode == "complete")
    return r if mode == "r" else QRResult(q, r)


SVDResult = _named("SVDResult", ["U", "S", "Vh"])


def svd(a, full_matrices=True, compute_uv=True, hermitian=False, subset_by_index=None):
    # From the eigenvectors of aT a or a aT, whichever is smaller.
    a = _float(a)
    m, n = a.shape[-2], a.shape[-1]
    if m < n:
        if not compute_uv:
            return svd(_w.swap_axes(a, -1, -2), False, False)
        u, s, vh = svd(_w.swap_axes(a, -1, -2), full_matrices)
        return SVDResult(_w.swap_axes(vh, -1, -2), s, _w.swap_axes(u, -1, -2))
    w, v = eigh(_w.matmul(_w.swap_axes(a, -1, -2), a))
    w, v = _w.flip(w, -1), _w.flip(v, -1)
    s = _w.sqrt(_w.maximum(w, 0.0))
    if not compute_uv:
        return s
    safe = _w.where(_w.gt(s, 0), s, _w.ones_like(s))
    u = _w.matmul(a, v) / _w.expand_dims(safe, -2)
    if full_matrices and m > n:
        u = _completed(u, m, n)
    return SVDResult(u, s, _w.swap_axes(v, -1, -2))


def _completed(u, m, n):
    q, r = _qr_plain(u, True)
    return _w.concat([u, q[..., n:]], -1)


def svdvals(x):
    return svd(x, compute_uv=False)


def pinv(a, rtol=None, hermitian=False, rcond=None):
    a = _float(a)
    at = _w.swap_axes(a, -1, -2)
    if a.shape[-2] >= a.shape[-1]:
        return _w.solve(_w.matmul(at, a), at)
    return _w.matmul(at, _w.inv(_w.matmul(a, at)))


def lstsq(a, b, rcond=None, numpy_resid=False):
    a, b = _float(a), _float(b)
    one = len(b.shape) == 1
    q, r = _qr_plain(a, False)
    rhs = _w.matmul(_w.swap_axes(q, -1, -2), _w.expand_dims(b, -1) if one else b)
    x = _w.solve_triangular(r, rhs, False, False, False)
    rest = _w.matmul(a, x) - (_w.expand_dims(b, -1) if one else b)
    residuals = _w.sum(rest * rest, 0)
    s = svd(a, compute_uv=False)
    rank = _w.sum(_w.cast(_w.gt(s, _w.max(s) * 1e-5), int))
    return (_w.squeeze(x, -1) if one else x), residuals, rank, s


def norm(x, ord=None, axis=None, keepdims=False):
    x = _float(x)
    if axis is None and ord is None:
        return _w.norm(_w.reshape(x, (-1,)), 2.0, 0, False) if not keepdims \
            else _w.reshape(_w.norm(_w.reshape(x, (-1,)), 2.0, 0, False), (1,) * len(x.shape))
    if axis is None:
        axis = tuple(range(len(x.shape)))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError(f"Improper number of axes for norm: axis={axes}. Pass one axis to compute a "
                         "vector-norm, or two axes to compute a matrix-norm.")
    return _matrix_norm(x, ord, axes, keepdims)


def _vector_norm(x, ord, axis, keepdims):
    if ord is None or ord == 2:
        return _w.norm(x, 2.0, axis, keepdims)
    if ord == float("inf"):
        return _w.max(_w.abs(x), axis, keepdims)
    if ord == float("-inf"):
        return _w.min(_w.abs(x), axis, keepdims)
    if ord == 0:
        return _w.sum(_w.cast(_w.ne(x, 0), x.dtype), axis, keepdims)
    if ord == 1:
        return _w.sum(_w.abs(x), axis, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Invalid order '{ord}' for vector norm.")
    return _w.pow(_w.sum(_w.pow(_w.abs(x), ord), axis, keepdims), 1.0 / ord)


def _matrix_norm(x, ord, axes, keepdims):
    rank = len(x.shape)
    i, j = axes[0] % rank, axes[1] % rank
    if ord is None or ord == "fro":
        return _w.norm(x, 2.0, (i, j), keepdims)
    if ord in ("nuc", 2, -2):
        rest = [k for k in range(rank) if k not in (i, j)]
        s = svd(_w.permute(x, rest + [i, j]), compute_uv=False)
        y = _w.sum(s, -1) if ord == "nuc" else (_w.max(s, -1) if ord == 2 else _w.min(s, -1))
        return _w.reshape(y, [1 if k in (i, j) else d for k, d in enumerate(x.shape)]) if keepdims else y
    sums, along = (i, j) if ord in (1, -1) else (j, i)
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(f"Invalid order '{ord}' for matrix norm.")
    y = _w.sum(_w.abs(x), sums, True)
    y = _w.max(y, along, True) if ord > 0 else _w.min(y, along, True)
    return y if keepdims else _w.squeeze(y, (i, j))


def vector_norm(x, axis=None, keepdims=False, ord=2):
    x = _float(x)
    if axis is None:
        y = _vector_norm(_w.reshape(x, (-1,)), ord, 0, False)
        return _w.reshape(y, (1,) * len(x.shape)) if keepdims else y
    return norm(x, ord, axis, keepdims)


def matrix_norm(x, keepdims=False, ord="fro"):
    return norm(x, ord, (-2, -1), keepdims)


def cond(x, p=None):
    if p is None or p == 2:
        s = svd(x, compute_uv=False)
        return s[..., 0] / s[..., -1]
    return norm(x, p, (-2, -1)) * norm(inv(x), p, (-2, -1))


def multi_dot(arrays, precision=None):
    y = arrays[0]
    for a in arrays[1:]:
        y = _w.matmul(y, a)
    return y


def trace(x, offset=0, dtype=None):
    return _w.sum(_w.diagonal(x, offset), -1)


def tensorinv(a, ind=2):
    lead, tail = tuple(a.shape)[:ind], tuple(a.shape)[ind:]
    n = 1
    for d in lead:
        n *= d
    return _w.reshape(_w.inv(_w.reshape(a, (n, -1))), tail + lead)


def tensorsolve(a, b, axes=None):
    n = 1
    for d in b.shape:
        n *= d
    rest = tuple(a.shape)[len(b.shape):]
    return _w.reshape(solve(_w.reshape(a, (n, -1)), _w.reshape(b, (-1,))), rest)
