# scipy.signal -- recursive filters and convolutions.
import numpy as _np


def lfilter(b, a, x, axis=-1, zi=None):
    # a[0] y[n] = b[0] x[n] + b[1] x[n-1] + .. - a[1] y[n-1] - ..; what is carried on stands in d, the transposed direct form.
    b, a = _np.atleast_1d(b), _np.atleast_1d(a)
    x = _np.asarray(x)
    kind = _np.result_type(b, a, x)
    if kind.kind not in "fc":
        raise NotImplementedError(f"Parameter's dtypes produced result type '{kind}', which is not supported!")
    n = max(len(a), len(b))
    b = _np.concatenate([b / a[0], _np.zeros(n - len(b))]).astype(kind)
    a = _np.concatenate([a / a[0], _np.zeros(n - len(a))]).astype(kind)
    v = _np.moveaxis(x.astype(kind), axis, 0)
    d = _np.zeros((n,) + v.shape[1:], kind)
    if zi is not None:
        d[:n - 1] = _np.moveaxis(_np.asarray(zi), axis, 0)
    y = _np.empty(v.shape, kind)
    tail = (-1,) + (1,) * (v.ndim - 1)
    for i in range(v.shape[0]):
        y[i] = b[0] * v[i] + d[0]
        d[:-1] = d[1:] + b[1:].reshape(tail) * v[i] - a[1:].reshape(tail) * y[i]
    y = _np.moveaxis(y, 0, axis)
    return y if zi is None else (y, _np.moveaxis(d[:n - 1], 0, axis))


def _cut(full, size, mode, first, second, later=0):
    # The part of a full convolution that a mode asks for; later: which of the two middles, of an even number.
    if mode == "full":
        return full
    if mode not in ("same", "valid"):
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    want = size if mode == "same" else [a - b + 1 for a, b in zip(first, second)]
    starts = [(f - w + later) // 2 for f, w in zip(full.shape, want)]
    return full[tuple([slice(s, s + w) for s, w in zip(starts, want)])]


def _convolve2d(x, k, mode, boundary, fillvalue, later):
    if boundary != "fill" or fillvalue != 0:
        raise NotImplementedError("convolve2d: images are continued by zeros here")
    if mode == "valid" and (k.shape[0] > x.shape[0] or k.shape[1] > x.shape[1]):
        x, k = k, x
    full = _np.zeros((x.shape[0] + k.shape[0] - 1, x.shape[1] + k.shape[1] - 1), _np.result_type(x, k))
    for i in range(k.shape[0]):
        for j in range(k.shape[1]):
            full[i:i + x.shape[0], j:j + x.shape[1]] += k[i, j] * x
    return _cut(full, x.shape, mode, x.shape, k.shape, later)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return _convolve2d(_np.asarray(in1), _np.asarray(in2), mode, boundary, fillvalue, 0)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    x, k = _np.asarray(in1), _np.asarray(in2)
    if mode == "valid" and (k.shape[0] > x.shape[0] or k.shape[1] > x.shape[1]):
        raise NotImplementedError("correlate2d: the second array must fit into the first one")
    return _convolve2d(x, _np.conj(k)[::-1, ::-1], mode, boundary, fillvalue, 1)


def convolve(in1, in2, mode="full"):
    x, k = _np.asarray(in1), _np.asarray(in2)
    if x.ndim == k.ndim == 2:
        return convolve2d(x, k, mode)
    if x.ndim != 1 or k.ndim != 1:
        raise NotImplementedError(f"convolve: of vectors and matrices here, got arrays of {x.ndim} and {k.ndim} axes")
    if mode == "valid" and len(k) > len(x):
        x, k = k, x
    return _cut(_np.convolve(x, k), x.shape, mode, x.shape, k.shape)
