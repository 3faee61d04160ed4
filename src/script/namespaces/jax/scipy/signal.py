# jax.scipy.signal -- convolution by its other name.
from jax.numpy import convolve as _convolve, correlate as _correlate


def convolve(in1, in2, mode="full", method="auto", precision=None):
    if len(in1.shape) == 1:
        return _convolve(in1, in2, mode)
    raise NotImplementedError("jax.scipy.signal.convolve: arrays of one axis only")


def correlate(in1, in2, mode="full", method="auto", precision=None):
    return _correlate(in1, in2, mode)
