# numpy.fft -- discrete Fourier transforms.
import _fft
import _numpy as _w
from numpy._array import written as _written

__all__ = """fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq rfftfreq fftshift
    ifftshift""".split()


_kit = _fft.Fourier(_w, _w.wrap)


def _real(x):
    x = _w.wrap(x)
    if x.dtype.is_complex:
        raise TypeError("ufunc 'rfft_n_even' did not contain a loop with signature matching types "
                        f"<class 'numpy.dtypes.Complex{8 * x.dtype.itemsize}DType'> -> None")
    return x


def fft(a, n=None, axis=-1, norm=None, out=None):
    return _written(_kit.along(a, _fft.FFT, n, axis, norm), out)


def ifft(a, n=None, axis=-1, norm=None, out=None):
    return _written(_kit.along(a, _fft.IFFT, n, axis, norm), out)


def rfft(a, n=None, axis=-1, norm=None, out=None):
    return _written(_kit.along(_real(a), _fft.RFFT, n, axis, norm), out)


def irfft(a, n=None, axis=-1, norm=None, out=None):
    return _written(_kit.along(a, _fft.IRFFT, n, axis, norm), out)


def hfft(a, n=None, axis=-1, norm=None, out=None):
    return _written(_kit.hermitian(a, n, axis, norm), out)


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    return _written(_kit.hermitian_back(a, n, axis, norm), out)


def fftn(a, s=None, axes=None, norm=None, out=None):
    return _written(_kit.over(a, _fft.FFT, s, axes, norm), out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    return _written(_kit.over(a, _fft.IFFT, s, axes, norm), out)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    return _written(_kit.over(_real(a), _fft.RFFT, s, axes, norm), out)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    return _written(_kit.over(a, _fft.IRFFT, s, axes, norm), out)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return fftn(a, s, axes, norm, out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return ifftn(a, s, axes, norm, out)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return rfftn(a, s, axes, norm, out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    return irfftn(a, s, axes, norm, out)


def fftfreq(n, d=1.0):
    return _w.tensor([float(k) for k in _fft.frequencies(n, False)]) * (1.0 / (n * d))


def rfftfreq(n, d=1.0):
    return _w.tensor([float(k) for k in _fft.frequencies(n, True)]) * (1.0 / (n * d))


def fftshift(x, axes=None):
    return _kit.shift(x, axes, False)


def ifftshift(x, axes=None):
    return _kit.shift(x, axes, True)
