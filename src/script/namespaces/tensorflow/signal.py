# tensorflow.signal -- discrete Fourier transforms over the last axes.
import _fft
import _tf as _w
from tensorflow._base import as_tensor as _as_tensor, op as _op, ints as _ints
from tensorflow._ops import _core


_kit = _fft.Fourier(_w, _as_tensor)


def _lengths(fft_length):
    return None if fft_length is None else _ints(fft_length)


def _plain(name, kind, n):
    @_op(name)
    def transform(input):
        x = _as_tensor(input)
        if not x.dtype.is_complex:
            raise TypeError(f"Value passed to parameter 'input' has DataType {x.dtype.name} not in list of allowed values: complex64, complex128")
        return _kit.over(x, kind, None, range(-n, 0), None)
    return transform


def _halved(name, kind, n):
    @_op(name)
    def transform(input_tensor, fft_length=None):
        return _kit.over(_as_tensor(input_tensor), kind, _lengths(fft_length), range(-n, 0), None)
    return transform


fft, fft2d, fft3d = _plain("FFT", _fft.FFT, 1), _plain("FFT2D", _fft.FFT, 2), _plain("FFT3D", _fft.FFT, 3)
ifft, ifft2d, ifft3d = _plain("IFFT", _fft.IFFT, 1), _plain("IFFT2D", _fft.IFFT, 2), _plain("IFFT3D", _fft.IFFT, 3)
rfft, rfft2d, rfft3d = _halved("RFFT", _fft.RFFT, 1), _halved("RFFT2D", _fft.RFFT, 2), _halved("RFFT3D", _fft.RFFT, 3)
irfft, irfft2d, irfft3d = _halved("IRFFT", _fft.IRFFT, 1), _halved("IRFFT2D", _fft.IRFFT, 2), _halved("IRFFT3D", _fft.IRFFT, 3)


def fftshift(x, axes=None):
    return _kit.shift(x, axes, False)


def ifftshift(x, axes=None):
    return _kit.shift(x, axes, True)


@_op("frame")
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1):
    x = _as_tensor(signal)
    axis = axis % x.ndim
    n = x.shape[axis]
    count = -(-n // frame_step) if pad_end else max(0, 1 + (n - frame_length) // frame_step)
    short = (count - 1) * frame_step + frame_length - n
    if short > 0 and count > 0:
        x = _w.pad(x, [0] * x.ndim, [short if a == axis else 0 for a in range(x.ndim)], pad_value)
    y = _core.frames(_w.move_axis(x, axis, -1), frame_length, frame_step)
    return _w.move_axis(_w.move_axis(y, -1, axis), -1, axis)


_MORE = ("hann_window hamming_window kaiser_window vorbis_window stft inverse_stft inverse_stft_window_fn overlap_and_add dct idct "
         "linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms").split()


def __getattr__(name):
    if name in _MORE:
        return getattr(__import__("tensorflow._audio"), name)
    raise AttributeError(f"module 'tensorflow.signal' has no attribute '{name}'")
