# _factors -- what the libraries' linear algebra shares: orthogonal factors, and what follows from
# them. w is the engine of a library; matrices are the last two axes.


def _t(w, a):
    return w.swap_axes(a, -1, -2)


def _h(w, a):
    # Transposed, and conjugate.
    return w.conj(_t(w, a)) if a.dtype.is_complex else _t(w, a)


def _like(w, s, a):
    # Real numbers as factors of a.
    return w.cast(s, a.dtype) if a.dtype.is_complex else s


def qr(w, a, full=False):
    return w.op("qr", [a], {"full": full})


def _hermitian(w, a, lower):
    # The values of one triangle; the derivative of symmetric matrices, to which both belong.
    half = (a + _h(w, a)) / 2
    one = w.tril(a) + _h(w, w.tril(a, -1)) if lower else w.triu(a) + _h(w, w.triu(a, 1))
    return half + w.stop_gradient(one - half)


def eigh(w, a, lower=True):
    return w.op("eigh", [_hermitian(w, a, lower)])


def cholesky(w, a, upper=False):
    low = w.cholesky(_hermitian(w, a, not upper))
    return _h(w, low) if upper else low


def svd(w, a, full=False):
    u, s, vt = w.op("svd", [a])
    m, n = a.shape[-2], a.shape[-1]
    if full and m > n:
        u = w.concat([u, qr(w, u, True)[0][..., n:]], -1)
    elif full and n > m:
        vt = w.concat([vt, _h(w, qr(w, _h(w, vt), True)[0][..., m:])], -2)
    return u, s, vt


def least(w, a, s, rtol=None, atol=0.0):
    # Singular values up to this count as 0, [.., 1].
    if rtol is None:
        eps = 2.220446049250313e-16 if s.dtype == w.float64 else 1.1920928955078125e-07
        rtol = 0.0 if atol else max(a.shape[-2:]) * eps
    if s.shape[-1] == 0:
        return w.full(tuple(s.shape)[:-1] + (1,), 0, s.dtype)
    return w.maximum(w.max(s, -1, True) * rtol, atol)


def rank(w, a, rtol=None, atol=0.0):
    s = w.op("svd", [a])[1]
    return w.sum(w.cast(w.gt(s, least(w, a, s, rtol, atol)), w.int64), -1)


def _inverse(w, s, cut):
    big = w.gt(s, cut)
    return w.where(big, 1 / w.where(big, s, w.ones_like(s)), w.zeros_like(s))


def pinv(w, a, rtol=None):
    u, s, vt = w.op("svd", [a])
    inverse = _like(w, _inverse(w, s, least(w, a, s, rtol)), a)
    return w.matmul(_h(w, vt) * w.expand_dims(inverse, -2), _h(w, u))


def lstsq(w, a, b, rtol=None):
    # The solution of least length for b [.., m, k], the rank, the singular values.
    u, s, vt = w.op("svd", [a])
    cut = least(w, a, s, rtol)
    x = w.matmul(_h(w, vt), w.expand_dims(_like(w, _inverse(w, s, cut), a), -1) * w.matmul(_h(w, u), b))
    return x, w.sum(w.cast(w.gt(s, cut), w.int64), -1), s


def cond(w, a, smallest_first=False):
    s = w.op("svd", [a])[1]
    return s[..., -1] / s[..., 0] if smallest_first else s[..., 0] / s[..., -1]


def eig(w, a):
    return w.op("eig", [a])


def slogdet(w, a):
    # Of the number of modulus 1 that the determinant has, and the logarithm of its modulus.
    # By the factors' diagonal: the determinant itself may be larger or smaller than a number can be.
    lu, pivots, perm = w.op("lu", [a])
    d = w.diagonal(lu, 0)
    size = w.abs(d)
    k = w.broadcast_to(w.arange(0, pivots.shape[-1], 1, pivots.dtype), pivots.shape)
    odd = w.sum(w.cast(w.ne(pivots, k), w.int32), -1) % 2
    sign = w.prod(d / w.cast(w.where(w.eq(size, 0), w.ones_like(size), size), d.dtype) if a.dtype.is_complex else w.sign(d), -1)
    return w.where(w.eq(odd, 1), -sign, sign), w.sum(w.log(size), -1)


_MOST = 40      # squarings of a matrix that is traced


def _taylor(w, a, one):
    term = total = one
    for i in range(1, 14):
        term = w.matmul(term, a) / i
        total = total + term
    return total


def expm(w, a, limit=0.5, near=_taylor, most=None, repeat=None):
    # exp(a / 2^k), squared k times: k is what the norm of each matrix asks for, that near(w, a, the unit matrix) may take it,
    # which is exp of matrices with norms up to limit. NaN where k is more than most, and where the matrix has no norm.
    # repeat(square, y) is square(most - 1, .. square(0, y)).
    if a.dtype in (w.float16, w.bfloat16):
        return w.cast(expm(w, w.cast(a, w.float32), limit, near, most, repeat), a.dtype)
    if a.shape[-1] == 0:
        return w.copy(a)
    size = w.max(w.sum(w.abs(a), -2), -1)
    turns = w.maximum(w.ceil(w.log2(size / limit)), 0.0)
    if most is None:
        most = _MOST
        if not w.about(a, "symbolic"):
            here = w.detach(turns)
            most = int(w.max(w.where(w.is_finite(here), here, 0.0))) if 0 not in list(here.shape) else 0
    many = lambda v: w.expand_dims(w.expand_dims(v, -1), -1)
    scaled = a / w.cast(many(w.pow(2.0, w.minimum(turns, float(most)))), a.dtype)
    y = near(w, scaled, w.broadcast_to(w.eye(a.shape[-1], dtype=a.dtype), a.shape))
    square = lambda i, v: w.where(many(w.gt(turns, i)), w.matmul(v, v), v)
    if repeat:
        y = repeat(square, y)
    else:
        for i in range(most):
            y = square(i, y)
    return w.where(many(w.gt(turns, float(most))), float("nan"), y)
