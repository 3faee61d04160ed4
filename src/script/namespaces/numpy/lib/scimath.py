# numpy.lib.scimath (numpy.emath) -- functions whose results are complex where no real number is the answer.
import numpy as _np


def _widened(x, outside):
    x = _np.asarray(x)
    return x.astype(_np.result_type(x.dtype, _np.complex64 if x.dtype.itemsize < 4 or x.dtype == _np.float32 else _np.complex128)) \
        if x.dtype.kind != "c" and _np.any(outside(x)) else x


def _below(x):
    return x < 0


def _past_one(x):
    return abs(x) > 1


def _of(name, outside):
    def call(x):
        return getattr(_np, name)(_widened(x, outside))[()]
    call.__name__ = name
    return call


sqrt, log, log2, log10 = [_of(n, _below) for n in ("sqrt", "log", "log2", "log10")]
arccos, arcsin, arctanh = [_of(n, _past_one) for n in ("arccos", "arcsin", "arctanh")]


def logn(n, x):
    return _np.log(_widened(x, _below)) / _np.log(_widened(n, _below))


def power(x, p):
    p = _np.asarray(p)
    if p.dtype.kind in "iu" and _np.any(p < 0):
        p = p.astype(float)
    return _np.power(_widened(x, _below), p)[()]
