# tensorflow._audio -- windows, transforms of frames, cosine transforms, mel scales.
import math as _m

import _tf as _w
from tensorflow._base import op, as_tensor, float32, dtype_of
from tensorflow import _ops
from tensorflow._ops import _core
from tensorflow.signal import frame, rfft, irfft


def _window(name, a, b):
    def call(window_length, periodic=True, dtype=float32, name=None):
        n = int(_ops._number(window_length))
        count = n + (1 if periodic and n % 2 == 0 else 0) - 1       # an even one that goes on is one longer
        return _ops.constant([a - b * _m.cos(2 * _m.pi * i / count) if n > 1 else 1.0 for i in range(n)], dtype)
    return call


hann_window, hamming_window = _window("hann_window", 0.5, 0.5), _window("hamming_window", 0.54, 0.46)


def kaiser_window(window_length, beta=12.0, dtype=float32, name=None):
    import _special
    n = int(window_length)
    if n <= 1:
        return _ops.ones([n], dtype)
    at = [2.0 * i / (n - 1) - 1.0 for i in range(n)]
    x = _w.tensor([beta * max(1.0 - t * t, 0.0) ** 0.5 for t in at], "float64")
    top = _w.tensor([float(beta)], "float64")
    y = _special.bessel_e(_w, x, 0) * _w.exp(x) / (_special.bessel_e(_w, top, 0) * _w.exp(top))
    return _ops.constant(_w.cast(y, dtype))


def vorbis_window(window_length, dtype=float32, name=None):
    n = int(window_length)
    return _ops.constant([_m.sin(_m.pi / 2 * _m.sin(_m.pi / n * (i + 0.5)) ** 2) for i in range(n)], dtype)


def _power_of_two(n):
    p = 1
    while p < n:
        p *= 2
    return p


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    x = _ops.convert_to_tensor(signals)
    n = _power_of_two(frame_length) if fft_length is None else int(fft_length)
    frames = frame(x, frame_length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return rfft(frames, [n])


@op("overlap_and_add")
def overlap_and_add(signal, frame_step):
    return _core.overlapped(as_tensor(signal), int(frame_step))


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    def fn(frame_length, dtype):
        w = forward_window_fn(frame_length, dtype=dtype)
        d = _ops.square(w)
        overlaps = -(-frame_length // frame_step)
        d = _ops.pad(d, [[0, overlaps * frame_step - frame_length]])
        d = _ops.tile(_ops.reduce_sum(_ops.reshape(d, [overlaps, frame_step]), 0, True), [overlaps, 1])
        return w / _ops.reshape(d, [overlaps * frame_step])[:frame_length]
    return fn


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    n = _power_of_two(frame_length) if fft_length is None else int(fft_length)
    frames = irfft(stfts, [n])
    if n > frame_length:
        frames = frames[..., :frame_length]
    elif n < frame_length:
        frames = _ops.pad(frames, [[0, 0]] * (frames.shape.rank - 1) + [[0, frame_length - n]])
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


# ---- cosine transforms: a product with a matrix ----

def _cosines(n, m, kind):
    # [n, m]: what each of n numbers gives to each of m results
    if kind == 1:
        return [[(1.0 if i in (0, n - 1) else 2.0) * _m.cos(_m.pi * i * k / (n - 1)) for k in range(m)] for i in range(n)]
    if kind == 2:
        return [[2.0 * _m.cos(_m.pi * (2 * i + 1) * k / (2.0 * n)) for k in range(m)] for i in range(n)]
    if kind == 3:
        return [[(1.0 if i == 0 else 2.0) * _m.cos(_m.pi * i * (2 * k + 1) / (2.0 * n)) for k in range(m)] for i in range(n)]
    return [[2.0 * _m.cos(_m.pi * (2 * i + 1) * (2 * k + 1) / (4.0 * n)) for k in range(m)] for i in range(n)]


@op("dct")
def dct(input, type=2, n=None, axis=-1, norm=None):
    x = as_tensor(input)
    if type not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    size = x.shape[-1]
    if n is not None and n > size:
        x = _w.pad(x, [0] * x.ndim, [0] * (x.ndim - 1) + [n - size])
    elif n is not None and n < size:
        x = x[..., :n]
    m = x.shape[-1]
    table = _cosines(m, m, type)
    if norm == "ortho":
        for i in range(m):
            for k in range(m):
                first = i if type == 3 else k
                table[i][k] *= (0.5 / m ** 0.5 if type == 2 else 1.0 / m ** 0.5) if first == 0 and type != 4 else 0.5 * (2.0 / m) ** 0.5
    return _w.tensordot(x, _w.tensor(table, x.dtype), [x.ndim - 1], [0])


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    return dct(input, {1: 1, 2: 3, 3: 2, 4: 4}.get(type, type), n, axis, norm)


# ---- mel scales ----

def _mel(hz):
    return 1127.0 * _m.log1p(hz / 700.0)


def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0, upper_edge_hertz=3800.0,
                                dtype=float32, name=None):
    if num_mel_bins <= 0 or lower_edge_hertz < 0 or lower_edge_hertz >= upper_edge_hertz:
        raise ValueError("linear_to_mel_weight_matrix: bins must be positive, and edges in order")
    nyquist = sample_rate / 2.0
    bins = [_mel(nyquist * i / (num_spectrogram_bins - 1)) for i in range(1, num_spectrogram_bins)]
    lo, hi = _mel(lower_edge_hertz), _mel(upper_edge_hertz)
    edges = [lo + (hi - lo) * i / (num_mel_bins + 1) for i in range(num_mel_bins + 2)]
    rows = [[0.0] * num_mel_bins]
    for b in bins:
        rows.append([max(0.0, min((b - edges[k]) / (edges[k + 1] - edges[k]), (edges[k + 2] - b) / (edges[k + 2] - edges[k + 1]))) for k in range(num_mel_bins)])
    return _ops.constant(rows, dtype)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    x = _ops.convert_to_tensor(log_mel_spectrograms)
    return dct(x, 2) * (2.0 * x.shape[-1]) ** -0.5
