# jax.numpy.fft -- discrete Fourier transforms.
import _fft
import _jax as _w
from jax.numpy._create import asarray as _asarray

__all__ = """fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq rfftfreq fftshift
    ifftshift""".split()


class _Fourier(_fft.Fourier):
    def bad_norm(self, norm):
        return ValueError('jax.numpy.fft only supports norm="backward", "ortho" or "forward"; ' f'got {norm!r}.')


_kit = _Fourier(_w, _asarray)


def _real(x):
    x = _asarray(x)
    if x.dtype.is_complex:
        raise ValueError("only real valued inputs supported for rfft")
    return x


def fft(a, n=None, axis=-1, norm=None):
    return _kit.along(a, _fft.FFT, n, axis, norm)


def ifft(a, n=None, axis=-1, norm=None):
    return _kit.along(a, _fft.IFFT, n, axis, norm)


def rfft(a, n=None, axis=-1, norm=None):
    return _kit.along(_real(a), _fft.RFFT, n, axis, norm)


def irfft(a, n=None, axis=-1, norm=None):
    return _kit.along(a, _fft.IRFFT, n, axis, norm)


def hfft(a, n=None, axis=-1, norm=None):
    return _kit.hermitian(a, n, axis, norm)


def ihfft(a, n=None, axis=-1, norm=None):
    return _kit.hermitian_back(a, n, axis, norm)


def fftn(a, s=None, axes=None, norm=None):
    return _kit.over(a, _fft.FFT, s, axes, norm)


def ifftn(a, s=None, axes=None, norm=None):
    return _kit.over(a, _fft.IFFT, s, axes, norm)


def rfftn(a, s=None, axes=None, norm=None):
    return _kit.over(_real(a), _fft.RFFT, s, axes, norm)


def irfftn(a, s=None, axes=None, norm=None):
    return _kit.over(a, _fft.IRFFT, s, axes, norm)


def fft2(a, s=None, axes=(-2, -1), norm=None):
    return fftn(a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    return ifftn(a, s, axes, norm)


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return rfftn(a, s, axes, norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return irfftn(a, s, axes, norm)


def fftfreq(n, d=1.0, *, dtype=None):
    return _w.tensor([float(k) for k in _fft.frequencies(n, False)], dtype) / (d * n)


def rfftfreq(n, d=1.0, *, dtype=None):
    return _w.tensor([float(k) for k in _fft.frequencies(n, True)], dtype) / (d * n)


def fftshift(x, axes=None):
    return _kit.shift(x, axes, False)


def ifftshift(x, axes=None):
    return _kit.shift(x, axes, True)
