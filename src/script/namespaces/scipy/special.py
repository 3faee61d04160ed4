# scipy.special -- special functions of arrays: torch's, in 64 bits.
import math as _math

import numpy as _np
import torch as _torch


def _in(x):
    a = _np.asarray(x)
    if a.dtype.kind not in "fc":
        a = a.astype("float64")
    return _torch.from_numpy(a)


def _out(t):
    a = t.numpy()
    return _np.float64(a) if a.ndim == 0 and a.dtype == _np.float64 else a


def _of(f, n=1):
    def call(*args):
        if len(args) != n:
            raise TypeError(f"{f.__name__}() takes {n} arguments, {len(args)} were given")
        return _out(f(*[_in(x) for x in args]))
    return call


_s = _torch.special
for _name in "expit logit erf erfc erfcx erfinv gammaln psi entr i0 i0e i1 i1e ndtr ndtri log_ndtr expm1 log1p exp2".split():
    if hasattr(_s, _name):
        globals()[_name] = _of(getattr(_s, _name))
for _name in "xlogy xlog1py zeta gammainc gammaincc".split():
    if hasattr(_s, _name):
        globals()[_name] = _of(getattr(_s, _name), 2)
loggamma, digamma = gammaln, psi


def gamma(z):
    # by reflection below one half: the sign is that of sin(pi z)
    x = _in(z)
    low = x < 0.5
    y = _torch.where(low, 1 - x, x)
    g = _torch.exp(_torch.lgamma(y))
    out = _torch.where(low, _math.pi / (_torch.sin(_math.pi * x) * g), g)
    whole = (x == _torch.round(x)) & (x > 0) & (x < 24)
    out = _torch.where(whole, _torch.round(out), out)
    return _out(_torch.where((x <= 0) & (x == _torch.round(x)), _torch.full_like(x, _math.nan), out))


def polygamma(n, x):
    return _out(_s.polygamma(int(n), _in(x)))


def multigammaln(a, d):
    return _out(_s.multigammaln(_in(a), int(d)))


def betaln(a, b):
    a, b = _in(a), _in(b)
    return _out(_torch.lgamma(a) + _torch.lgamma(b) - _torch.lgamma(a + b))


def beta(a, b):
    return _np.exp(betaln(a, b))


def softmax(x, axis=None):
    t = _in(x)
    return _out(_torch.softmax(t.reshape(-1), 0).reshape(t.shape) if axis is None else _torch.softmax(t, axis))


def log_softmax(x, axis=None):
    t = _in(x)
    return _out(_torch.log_softmax(t.reshape(-1), 0).reshape(t.shape) if axis is None else _torch.log_softmax(t, axis))


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    if return_sign:
        raise NotImplementedError("logsumexp: return_sign")
    t = _in(a)
    if b is not None:
        t = t + _torch.log(_in(b))
    axes = tuple(range(t.ndim)) if axis is None else axis
    return _out(_torch.logsumexp(t, axes, keepdim=keepdims))


def factorial(n, exact=False):
    if exact:
        return _math.factorial(int(n))
    return gamma(_np.asarray(n, dtype=float) + 1)


def comb(N, k, *, exact=False, repetition=False):
    if repetition:
        return comb(N + k - 1, k, exact=exact)
    if exact:
        return _math.comb(int(N), int(k))
    n, k = _np.broadcast_arrays(_np.asarray(N, dtype=float), _np.asarray(k, dtype=float))
    out = _np.array([float(_math.comb(int(a), int(b))) if 0 <= b <= a else 0.0
                     for a, b in zip(n.reshape(-1).tolist(), k.reshape(-1).tolist())]).reshape(n.shape)
    return out if out.ndim else _np.float64(out)


binom = comb


def perm(N, k, exact=False):
    return _math.perm(int(N), int(k)) if exact else _np.float64(_math.perm(int(N), int(k)))


def softplus(x):
    return _out(_torch.logaddexp(_in(x), _torch.zeros((), dtype=_torch.float64)))


def rel_entr(x, y):
    return _out(_torch.xlogy(_in(x), _in(x) / _in(y)))


def kl_div(x, y):
    return rel_entr(x, y) - _np.asarray(x) + _np.asarray(y)


def __getattr__(name):
    raise AttributeError(f"module 'scipy.special' has no attribute '{name}'")
