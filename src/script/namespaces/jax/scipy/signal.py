# jax.scipy.signal -- convolutions of arrays of any rank, trends, spectra.
import _jax as _w
import jax.numpy as _jnp
from jax import lax as _lax
from jax.numpy._core import core as _core
from jax.scipy.stats._base import floats as _floats


def _promoted(a, b):
    a, b = _jnp.asarray(a), _jnp.asarray(b)
    d = _jnp.result_type(a, b)
    d = d if d.is_inexact else _jnp.result_type(d, float)
    return _w.cast(a, d), _w.cast(b, d)


def _cropped(x, shape, mode, sizes):
    # The middle of a full result
    if mode == "full":
        return x
    want = shape[0] if mode == "same" else [max(a, b) - min(a, b) + 1 for a, b in zip(*shape)]
    for axis in sizes:
        start = (x.shape[axis] - want[axis]) // 2
        x = _w.narrow(x, axis, start, want[axis])
    return x


def _convolved(a, b, mode, precision):
    if mode not in ("full", "same", "valid"):
        raise ValueError("mode must be one of ['full', 'same', 'valid']")
    if len(a.shape) != len(b.shape):
        raise ValueError("in1 and in2 must have the same number of dimensions")
    if _w.about(a, "count") == 0 or _w.about(b, "count") == 0:
        raise ValueError(f"zero-size arrays not supported in convolutions, got shapes {tuple(a.shape)} and {tuple(b.shape)}.")
    rank = len(a.shape)
    bigger = all(m >= n for m, n in zip(a.shape, b.shape))
    if mode == "valid" and not bigger:
        if not all(m <= n for m, n in zip(a.shape, b.shape)):
            raise ValueError("For 'valid' mode, One input must be at least as large as the other in every dimension.")
        a, b = b, a
    if rank == 0:
        return a * b
    pads = [(n - 1, n - 1) for n in b.shape]
    if mode == "valid":
        pads = [(0, 0)] * rank
    elif mode == "same":
        pads = [(n // 2, n - 1 - n // 2) for n in b.shape]
    kernel = _w.flip(b, tuple(range(rank)))
    out = _lax.conv_general_dilated(_w.reshape(a, (1, 1) + tuple(a.shape)), _w.reshape(kernel, (1, 1) + tuple(b.shape)),
                                    (1,) * rank, pads, precision=precision)
    return out[0, 0]


def convolve(in1, in2, mode="full", method="auto", precision=None):
    if method == "fft":
        return fftconvolve(in1, in2, mode=mode)
    if method not in ("auto", "direct"):
        raise ValueError(f"Got {method=}; expected 'auto', 'fft', or 'direct'.")
    return _convolved(*_promoted(in1, in2), mode, precision)


def correlate(in1, in2, mode="full", method="auto", precision=None):
    in2 = _w.conj(_w.flip(_jnp.asarray(in2), tuple(range(len(_jnp.asarray(in2).shape)))))
    return convolve(in1, in2, mode, method, precision)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    if boundary != "fill" or fillvalue != 0:
        raise NotImplementedError("convolve2d() only supports boundary='fill', fillvalue=0")
    if len(in1.shape) != 2 or len(in2.shape) != 2:
        raise ValueError("convolve2d() only supports 2-dimensional inputs.")
    return _convolved(*_promoted(in1, in2), mode, precision)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    if boundary != "fill" or fillvalue != 0:
        raise NotImplementedError("correlate2d() only supports boundary='fill', fillvalue=0")
    if len(in1.shape) != 2 or len(in2.shape) != 2:
        raise ValueError("correlate2d() only supports 2-dimensional inputs.")
    in1, in2 = _promoted(in1, in2)
    back = _w.conj(_w.flip(in2, (0, 1)))
    if mode != "same":
        return _convolved(in1, back, mode, precision)
    out = _convolved(in1, back, "full", precision)    # of the two middles of an even size, the later one
    for axis in (0, 1):
        out = _w.narrow(out, axis, in2.shape[axis] // 2, in1.shape[axis])
    return out


def fftconvolve(in1, in2, mode="full", axes=None):
    a, b = _promoted(in1, in2)
    if len(a.shape) != len(b.shape):
        raise ValueError("in1 and in2 should have the same dimensionality")
    if mode not in ("full", "same", "valid"):
        raise ValueError("mode must be one of ['full', 'same', 'valid']")
    rank = len(a.shape)
    axes = tuple(range(rank)) if axes is None else tuple([x % rank for x in ((axes,) if isinstance(axes, int) else axes)])
    if mode == "valid" and not all(a.shape[i] >= b.shape[i] for i in axes):
        if not all(a.shape[i] <= b.shape[i] for i in axes):
            raise ValueError("For 'valid' mode, One input must be at least as large as the other in every dimension.")
        a, b = b, a
    if not axes:
        return a * b
    sizes = [a.shape[i] + b.shape[i] - 1 for i in axes]
    if a.dtype.is_complex:
        full = _jnp.fft.ifftn(_jnp.fft.fftn(a, sizes, axes) * _jnp.fft.fftn(b, sizes, axes), sizes, axes)
    else:
        full = _jnp.fft.irfftn(_jnp.fft.rfftn(a, sizes, axes) * _jnp.fft.rfftn(b, sizes, axes), sizes, axes)
    return _w.cast(_cropped(full, (a.shape, b.shape), mode, axes), a.dtype)


def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=None):
    if overwrite_data is not None:
        raise NotImplementedError("overwrite_data argument not implemented.")
    if type not in ("constant", "linear"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    x = _floats(data)[0] if not _jnp.asarray(data).dtype.is_complex else _jnp.asarray(data)
    if type == "constant":
        return x - _jnp.mean(x, axis=axis, keepdims=True)
    n = x.shape[axis]
    cuts = sorted(set([0, n] + [int(b) for b in (bp if isinstance(bp, (list, tuple)) else _jnp.atleast_1d(bp).tolist())]))
    if any(c > n for c in cuts):
        raise ValueError("Breakpoints must be non-negative and less than length of data along given axis.")
    x = _jnp.moveaxis(x, axis, 0)
    parts = []
    for a, b in zip(cuts[:-1], cuts[1:]):
        part = x[a:b]
        m = b - a
        t = _w.cast(_w.arange(0, m), _jnp.finfo(x.dtype).dtype) - (m - 1) / 2.0
        t = _w.reshape(t, (m,) + (1,) * (len(x.shape) - 1))
        part = part - _jnp.mean(part, axis=0, keepdims=True)
        parts.append(part - t * (_jnp.sum(t * part, axis=0, keepdims=True) / _jnp.maximum(_jnp.sum(t * t), 1e-30)))
    return _jnp.moveaxis(_w.concat(parts, 0), 0, axis)


# ---- spectra


def _window(window, n, d):
    # By name, or given; those of SciPy's names are periodic.
    if isinstance(window, (str, tuple)):
        name = window if isinstance(window, str) else window[0]
        t = 2 * 3.141592653589793 / n * _w.cast(_w.arange(0, n), d)
        shapes = {"hann": lambda: 0.5 - 0.5 * _w.cos(t), "hamming": lambda: 0.54 - 0.46 * _w.cos(t),
                  "boxcar": lambda: _w.ones_like(t), "blackman": lambda: 0.42 - 0.5 * _w.cos(t) + 0.08 * _w.cos(2 * t),
                  "bartlett": lambda: 1 - _w.abs(_w.cast(_w.arange(0, n), d) * 2 / n - 1), "triang": lambda: _triangle(n, d)}
        if name not in shapes:
            raise NotImplementedError(f"jax.scipy.signal: window {window!r}")
        return shapes[name]()
    w = _w.cast(_jnp.asarray(window), d)
    if len(w.shape) != 1:
        raise ValueError("window must be 1-D")
    return w


def _triangle(n, d):
    # the first n of n + 1 points, none of them 0
    m = n + 1
    k = _w.minimum(_w.arange(0, n), m - 1 - _w.arange(0, n)) + 1
    return _w.cast(2.0 * k / (m + 1) if m % 2 else (2.0 * k - 1) / m, d)


def _extended(x, n, how):
    if how in ("zeros", None):
        return _w.pad(x, [0] * (len(x.shape) - 1) + [n], [0] * (len(x.shape) - 1) + [n]) if how else x
    left, right = _w.flip(x[..., 1:n + 1], -1), _w.flip(x[..., -n - 1:-1], -1)
    if how == "odd":
        left, right = 2 * x[..., :1] - left, 2 * x[..., -1:] - right
    elif how == "constant":
        left, right = _w.broadcast_to(x[..., :1], left.shape), _w.broadcast_to(x[..., -1:], right.shape)
    elif how != "even":
        raise ValueError(f"Unknown boundary option '{how}', must be one of: ['even', 'odd', 'constant', 'zeros', None]")
    return _w.concat([left, x, right], -1)


def _spectral(x, y, fs, window, nperseg, noverlap, nfft, detrend_type, onesided, scaling, axis, mode, boundary=None, padded=False):
    same = y is None
    x = _jnp.asarray(x)
    d = _jnp.result_type(x, float if x.dtype.kind in "iub" else x.dtype)
    if not same:
        y = _jnp.asarray(y)
        d = _jnp.result_type(x, y, _jnp.float32)
        y = _jnp.moveaxis(_w.cast(y, d), axis, -1)
    x = _jnp.moveaxis(_w.cast(x, d), axis, -1)
    real = _jnp.finfo(d).dtype
    if not same and y.shape[-1] != x.shape[-1]:
        n = max(x.shape[-1], y.shape[-1])
        x, y = [_w.pad(v, [0] * len(v.shape), [0] * (len(v.shape) - 1) + [n - v.shape[-1]]) for v in (x, y)]
    if not isinstance(window, (str, tuple)):
        given = _jnp.asarray(window).shape[-1]
        if nperseg is not None and nperseg != given:
            raise ValueError("value specified for nperseg is different from length of window")
        nperseg = given
    if nperseg is None:
        nperseg = 256
    if nperseg < 1:
        raise ValueError("nperseg must be a positive integer")
    nperseg = min(int(nperseg), x.shape[-1]) if isinstance(window, (str, tuple)) else int(nperseg)
    win = _window(window, nperseg, real)
    nfft = nperseg if nfft is None else int(nfft)
    if nfft < nperseg:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError("noverlap must be less than nperseg.")
    step = nperseg - noverlap

    def prepare(v):
        if boundary is not None:
            v = _extended(v, nperseg // 2, boundary)
        if padded:
            more = -(v.shape[-1] - nperseg) % step % nperseg
            v = _w.pad(v, [0] * len(v.shape), [0] * (len(v.shape) - 1) + [more])
        return v

    def transform(v):
        v = _core.frames(v, nperseg, step)
        if detrend_type:
            v = detrend_type(v) if callable(detrend_type) else detrend(v, axis=-1, type=detrend_type)
        v = v * win
        return _jnp.fft.rfft(v, nfft) if onesided else _jnp.fft.fft(v, nfft)

    x = prepare(x)
    onesided = onesided and not d.is_complex
    out = transform(x)
    if not same:
        out = _w.conj(out) * transform(prepare(y))
    elif mode == "psd":
        out = _w.conj(out) * out
    if scaling == "density":
        scale = 1.0 / (fs * _jnp.sum(win * win))
    elif scaling == "spectrum":
        scale = 1.0 / _jnp.sum(win) ** 2
    else:
        raise ValueError(f"Unknown scaling: {scaling}")
    out = out * (_w.sqrt(scale) if mode == "stft" else scale)
    freqs = _jnp.fft.rfftfreq(nfft, 1 / fs) if onesided else _jnp.fft.fftfreq(nfft, 1 / fs)
    if mode == "psd" and onesided:
        n = out.shape[-1]
        last = n - 1 if nfft % 2 == 0 else n
        twice = _w.logical_and(_w.ge(_w.arange(0, n), 1), _w.lt(_w.arange(0, n), last))
        out = out * _w.cast(_w.where(twice, 2.0, 1.0), real)
    time = _w.cast(_w.arange(0, (x.shape[-1] - nperseg) // step + 1) * step + nperseg / 2, real) / fs
    if boundary is not None:
        time = time - (nperseg / 2) / fs
    if same and mode == "psd":
        out = _w.real(out)
    return _w.cast(freqs, real), time, _jnp.swapaxes(out, -1, -2)


def csd(x, y, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
        scaling="density", axis=-1, average="mean"):
    freqs, _, p = _spectral(x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, "psd")
    if p.shape[-1] > 1:
        p = _averaged(p, average)
    else:
        p = _w.squeeze(p, -1)
    return freqs, _jnp.moveaxis(p, -1, axis)


def _averaged(p, average):
    if average == "mean":
        return _jnp.mean(p, axis=-1)
    if average != "median":
        raise ValueError(f"average must be \"median\" or \"mean\", got {average}")
    n = p.shape[-1]
    bias = 1 + sum([1.0 / (2 * i + 1) - 1.0 / (2 * i) for i in range(1, (n - 1) // 2 + 1)])
    if p.dtype.is_complex:
        return _w.complex(_jnp.median(_w.real(p), axis=-1), _jnp.median(_w.imag(p), axis=-1)) / bias
    return _jnp.median(p, axis=-1) / bias


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True,
          scaling="density", axis=-1, average="mean"):
    freqs, p = csd(x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
    return freqs, _w.real(p) if p.dtype.is_complex else p


def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True, boundary="zeros",
         padded=True, axis=-1):
    freqs, time, z = _spectral(x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, "spectrum", axis, "stft",
                               boundary, padded)
    return freqs, time, _jnp.moveaxis(z, -2, axis if axis >= 0 else axis - 1)


def istft(Zxx, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, input_onesided=True, boundary=True, time_axis=-1,
          freq_axis=-2):
    z = _jnp.asarray(Zxx)
    z = z if z.dtype.is_complex else _w.cast(z, _w.complex128 if z.dtype == _w.float64 else _w.complex64)
    if len(z.shape) < 2:
        raise ValueError("Input stft must be at least 2d!")
    if freq_axis % len(z.shape) == time_axis % len(z.shape):
        raise ValueError("Must specify differing time and frequency axes!")
    z = _jnp.moveaxis(z, (time_axis, freq_axis), (-1, -2))
    full = 2 * (z.shape[-2] - 1) if input_onesided else z.shape[-2]
    if not isinstance(window, (str, tuple)) and nperseg is None:
        nperseg = _jnp.asarray(window).shape[0]
    nperseg = full if nperseg is None else int(nperseg)
    nfft = (full + 1 if input_onesided and nperseg == full + 1 else full) if nfft is None else int(nfft)
    if nfft < nperseg:
        raise ValueError(f"FFT length ({nfft}) must be greater than or equal to nperseg ({nperseg}).")
    noverlap = nperseg // 2 if noverlap is None else int(noverlap)
    if noverlap >= nperseg:
        raise ValueError(f"noverlap ({noverlap}) must be less than nperseg ({nperseg}).")
    step = nperseg - noverlap
    real = _jnp.finfo(z.dtype).dtype
    win = _window(window, nperseg, real)
    if win.shape[0] != nperseg:
        raise ValueError(f"window must have length of {nperseg}")
    pieces = _jnp.swapaxes(_jnp.fft.irfft(z, nfft, axis=-2) if input_onesided else _jnp.fft.ifft(z, nfft, axis=-2), -1, -2)[..., :nperseg]
    pieces = pieces * win * _jnp.sum(win)
    count = pieces.shape[-2]
    size = nperseg + (count - 1) * step
    lead = tuple(pieces.shape)[:-2]
    x = _core.overlapped(pieces, step)
    norm = _core.overlapped(_w.broadcast_to(win * win, (count, nperseg)), step)
    if boundary:
        x, norm = x[..., nperseg // 2:size - nperseg // 2], norm[nperseg // 2:size - nperseg // 2]
    x = x / _w.where(_w.gt(norm, 1e-10), norm, 1.0)
    if len(lead) and time_axis % len(z.shape) != len(z.shape) - 1:
        x = _jnp.moveaxis(x, -1, time_axis % len(z.shape) - (1 if freq_axis % len(z.shape) < time_axis % len(z.shape) else 0))
    return _w.cast(_w.arange(0, x.shape[-1]), real) / fs, x
