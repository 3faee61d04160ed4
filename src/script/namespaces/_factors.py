# _factors -- what the libraries' linear algebra shares: orthogonal factors, and what follows from
# them. w is the engine of a library; matrices are the last two axes.


def _t(w, a):
    return w.swap_axes(a, -1, -2)


def qr(w, a, full=False):
    return w.op("qr", [a], {"full": full})


def eigh(w, a, lower=True):
    # The values of one triangle; the derivative of symmetric matrices, to which both belong.
    half = (a + _t(w, a)) / 2
    one = w.tril(a) + _t(w, w.tril(a, -1)) if lower else w.triu(a) + _t(w, w.triu(a, 1))
    return w.op("eigh", [half + w.stop_gradient(one - half)])


def svd(w, a, full=False):
    u, s, vt = w.op("svd", [a])
    m, n = a.shape[-2], a.shape[-1]
    if full and m > n:
        u = w.concat([u, qr(w, u, True)[0][..., n:]], -1)
    elif full and n > m:
        vt = w.concat([vt, _t(w, qr(w, _t(w, vt), True)[0][..., m:])], -2)
    return u, s, vt


def least(w, a, s, rtol=None, atol=0.0):
    # Singular values up to this count as 0, [.., 1].
    if rtol is None:
        eps = 2.220446049250313e-16 if a.dtype == w.float64 else 1.1920928955078125e-07
        rtol = 0.0 if atol else max(a.shape[-2:]) * eps
    return w.maximum(w.max(s, -1, True) * rtol, atol)


def rank(w, a, rtol=None, atol=0.0):
    s = w.op("svd", [a])[1]
    return w.sum(w.cast(w.gt(s, least(w, a, s, rtol, atol)), w.int64), -1)


def _inverse(w, s, cut):
    big = w.gt(s, cut)
    return w.where(big, 1 / w.where(big, s, w.ones_like(s)), w.zeros_like(s))


def pinv(w, a, rtol=None):
    u, s, vt = w.op("svd", [a])
    return w.matmul(_t(w, vt) * w.expand_dims(_inverse(w, s, least(w, a, s, rtol)), -2), _t(w, u))


def lstsq(w, a, b, rtol=None):
    # The solution of least length for b [.., m, k], the rank, the singular values.
    u, s, vt = w.op("svd", [a])
    cut = least(w, a, s, rtol)
    x = w.matmul(_t(w, vt), w.expand_dims(_inverse(w, s, cut), -1) * w.matmul(_t(w, u), b))
    return x, w.sum(w.cast(w.gt(s, cut), w.int64), -1), s


def cond(w, a, smallest_first=False):
    s = w.op("svd", [a])[1]
    return s[..., -1] / s[..., 0] if smallest_first else s[..., 0] / s[..., -1]
