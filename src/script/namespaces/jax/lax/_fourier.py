# jax.lax: Fourier transforms of the last axes.
import enum as _enum
import _fft
import _jax as _w

__all__ = ["fft", "FftType"]


class FftType(_enum.IntEnum):
    FFT = 0
    IFFT = 1
    RFFT = 2
    IRFFT = 3


def _type(kind):
    if isinstance(kind, FftType):
        return kind
    if isinstance(kind, str):
        if kind not in FftType.__members__:
            raise ValueError(f"unknown FFT type '{kind}'")
        return FftType[kind]
    raise TypeError(f"invalid FFT type {kind}")


def fft(x, fft_type, fft_lengths):
    x, kind, sizes = _w.wrap(x), _type(fft_type), tuple(fft_lengths)
    if kind == FftType.RFFT and x.dtype.is_complex:
        raise ValueError("only real valued inputs supported for rfft")
    if kind != FftType.RFFT and not x.dtype.is_complex:
        x = _w.cast(x, _w.complex128 if x.dtype == _w.float64 else _w.complex64)
    if not sizes:
        return x
    got = tuple(x.shape)[-len(sizes):]
    needed = sizes[:-1] + (sizes[-1] // 2 + 1,) if kind == FftType.IRFFT else sizes
    if got != needed:
        raise ValueError(f"{kind.name}: the last axes are {got}, fft_lengths {sizes} needs {needed}")
    return _w.fft(x, int(kind), tuple(range(-len(sizes), 0)), sizes, 0)
