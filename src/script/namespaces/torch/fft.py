# torch.fft -- discrete Fourier transforms; torch.stft and torch.istft.
import _fft
import _torch as _w
from torch._core import core as _core


class _Fourier(_fft.Fourier):
    def along(self, x, *args):
        if isinstance(x, _w.Tensor) and x.dtype.name in ("float16", "bfloat16") and _w.device_at(x) == 0 and not _w.casting():
            raise NotImplementedError(f"Unsupported dtype {'Half' if x.dtype.name == 'float16' else 'BFloat16'}")
        return _fft.Fourier.along(self, x, *args)

    def bad_norm(self, norm):
        return RuntimeError(f'Invalid normalization mode: "{norm}"')


_kit = _Fourier(_w, lambda x: x)


def _put(out, y):
    return y if out is None else _w.put(out, y)


def _real(x, name):
    if x.dtype.is_complex:
        raise RuntimeError(f"{name} expects a real input tensor, but got {_scalar(x)}")
    return x


def _scalar(x):
    return {"complex64": "ComplexFloat", "complex128": "ComplexDouble"}[x.dtype.name]


def fft(input, n=None, dim=-1, norm=None, *, out=None):
    return _put(out, _kit.along(input, _fft.FFT, n, dim, norm))


def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    return _put(out, _kit.along(input, _fft.IFFT, n, dim, norm))


def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    return _put(out, _kit.along(_real(input, "rfft"), _fft.RFFT, n, dim, norm))


def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    return _put(out, _kit.along(input, _fft.IRFFT, n, dim, norm))


def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    return _put(out, _kit.hermitian(input, n, dim, norm))


def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    return _put(out, _kit.hermitian_back(_real(input, "ihfft"), n, dim, norm))


def _dims(dim):
    return (dim,) if isinstance(dim, int) else dim


def fftn(input, s=None, dim=None, norm=None, *, out=None):
    return _put(out, _kit.over(input, _fft.FFT, _dims(s), _dims(dim), norm))


def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    return _put(out, _kit.over(input, _fft.IFFT, _dims(s), _dims(dim), norm))


def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    return _put(out, _kit.over(_real(input, "rfftn"), _fft.RFFT, _dims(s), _dims(dim), norm))


def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    return _put(out, _kit.over(input, _fft.IRFFT, _dims(s), _dims(dim), norm))


def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return fftn(input, s, dim, norm, out=out)


def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return ifftn(input, s, dim, norm, out=out)


def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return rfftn(input, s, dim, norm, out=out)


def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return irfftn(input, s, dim, norm, out=out)


def _frequencies(n, d, half, dtype, requires_grad):
    f = _w.tensor([float(k) for k in _fft.frequencies(n, half)], dtype) * (1.0 / (n * d))
    return f.requires_grad_() if requires_grad else f


def fftfreq(n, d=1.0, *, dtype=None, requires_grad=False):
    return _frequencies(n, d, False, dtype, requires_grad)


def rfftfreq(n, d=1.0, *, dtype=None, requires_grad=False):
    return _frequencies(n, d, True, dtype, requires_grad)


def fftshift(input, dim=None):
    return _kit.shift(input, dim, False)


def ifftshift(input, dim=None):
    return _kit.shift(input, dim, True)


# ---- short-time transforms: frames of a signal, each times a window

def _window(window, win_length, n_fft, like):
    # In the middle of a frame; None: ones.
    win_length = n_fft if win_length is None else win_length
    w = _w.full((win_length,), 1.0, like) if window is None else window
    if w.shape[0] != win_length:
        raise RuntimeError(f"expected a 1D window tensor of size equal to win_length={win_length}, but got window with size {list(w.shape)}")
    left = (n_fft - win_length) // 2
    return _w.concat([_w.full((left,), 0.0, w.dtype), w, _w.full((n_fft - win_length - left,), 0.0, w.dtype)], 0)


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
         onesided=None, return_complex=None):
    hop = n_fft // 4 if hop_length is None else hop_length
    if return_complex is None and not input.dtype.is_complex:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further require "
                           "that return_complex=True in a future PyTorch release.")
    if onesided is None:
        onesided = not input.dtype.is_complex
    x = input if input.ndim == 2 else _w.expand_dims(input, 0)
    if center:
        pad = __import__("torch.nn.functional").pad
        p = n_fft // 2
        x = pad(_w.expand_dims(x, 1), (p, p), mode=pad_mode)[:, 0]
    length = x.shape[-1]
    if n_fft > length:
        raise RuntimeError(f"stft: expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    x = _core.frames(x, n_fft, hop) * _window(window, win_length, n_fft, _w.real(x).dtype)
    norm = "ortho" if normalized else None
    y = rfft(x, norm=norm) if onesided else fft(x, norm=norm)
    y = _w.swap_axes(y, 1, 2)
    y = y if input.ndim == 2 else y[0]
    return y if return_complex or return_complex is None else __import__("torch").view_as_real(y)


def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
          length=None, return_complex=False):
    hop = n_fft // 4 if hop_length is None else hop_length
    if not input.dtype.is_complex:
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with return_complex=True.")
    if onesided is None:
        onesided = input.shape[-2] != n_fft
    x = input if input.ndim == 3 else _w.expand_dims(input, 0)
    x = _w.swap_axes(x, 1, 2)
    norm = "ortho" if normalized else None
    frames = x.shape[1]
    y = irfft(x, n_fft, norm=norm) if onesided else ifft(x, n_fft, norm=norm)
    if not onesided and not return_complex:
        y = _w.real(y)
    w = _window(window, win_length, n_fft, _w.real(y).dtype)
    total = n_fft + hop * (frames - 1)
    out, weight = _core.overlapped(y * w, hop), _core.overlapped(_w.broadcast_to(w * w, (frames, n_fft)), hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    out, weight = out[:, start:end], weight[start:end]
    if bool(_w.any(_w.lt(_w.abs(weight), 1e-11))):
        raise RuntimeError("istft: window overlap add min: 1")
    out = out / weight
    if length is not None and out.shape[1] < length:
        out = _w.concat([out, _w.full((out.shape[0], length - out.shape[1]), 0, out.dtype)], 1)
    return out if input.ndim == 3 else out[0]


def _hermitian_over(x, s, dim, norm, inverse):
    # a transform along all axes but the last, and one along the last that takes half of it, or gives it
    dims, s = _dims(dim), _dims(s)
    if dims is None:
        dims = tuple(range(x.ndim if s is None else -len(s), 0)) if s is not None else tuple(range(x.ndim))
    sizes = [None] * len(dims) if s is None else list(s)
    if inverse:
        x = ihfft(x, sizes[-1], dims[-1], norm)
        return ifftn(x, None if s is None else sizes[:-1], dims[:-1], norm) if len(dims) > 1 else x
    if len(dims) > 1:
        x = fftn(x, None if s is None else sizes[:-1], dims[:-1], norm)
    return hfft(x, sizes[-1], dims[-1], norm)


def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    return _put(out, _hermitian_over(input, s, dim, norm, False))


def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    return _put(out, _hermitian_over(_real(input, "ihfftn"), s, dim, norm, True))


def hfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return hfftn(input, s, dim, norm, out=out)


def ihfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return ihfftn(input, s, dim, norm, out=out)


__import__("_host").own_names(globals(), "fft_")
