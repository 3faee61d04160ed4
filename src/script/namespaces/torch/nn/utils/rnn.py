# torch.nn.utils.rnn -- sequences of different lengths.
from collections import namedtuple

import _stage
import _torch as _w
from torch._types import int64 as _int64


class PackedSequence(namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])):
    pass


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    sequences = list(sequences)
    longest = max([s.shape[0] for s in sequences])
    rows = []
    for s in sequences:
        lo, hi = [0] * s.ndim, [0] * s.ndim
        if padding_side == "right":
            hi[0] = longest - s.shape[0]
        else:
            lo[0] = longest - s.shape[0]
        rows.append(_w.pad(s, lo, hi, padding_value))
    return _w.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    x = padded_sequences if batch_first else _w.swap_axes(padded_sequences, 0, 1)
    return [x[i, :n] for i, n in enumerate(lengths.tolist())]


def _inverse(order):
    return _w.sort(order, 0)[1]


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    lengths = lengths if isinstance(lengths, _w.Tensor) else _w.tensor(lengths, _int64)
    order = inverse = None
    if _w.about(lengths, "symbolic"):
        raise _stage.Refuse("the lengths of a packed sequence are known when it is called")
    if not enforce_sorted:
        lengths, order = _w.sort(lengths, -1, True)
        inverse = _inverse(order)
        input = _w.take(input, order, 0 if batch_first else 1)
    x = _w.swap_axes(input, 0, 1) if batch_first else input
    n = lengths.tolist()
    if n != sorted(n, reverse=True):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
                           "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.")
    sizes = [len([k for k in n if k > t]) for t in range(n[0])]
    data = _w.concat([x[t, :k] for t, k in enumerate(sizes)], 0)
    return PackedSequence(data, _w.tensor(sizes, _int64), order, inverse)


def pack_sequence(sequences, enforce_sorted=True):
    lengths = _w.tensor([s.shape[0] for s in sequences], _int64)
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def _unpack(packed):
    # [time, batch, ..] in the order of the packed data, and the lengths
    sizes = packed.batch_sizes.tolist()
    rows, at = [], 0
    for k in sizes:
        x = packed.data[at:at + k]
        lo, hi = [0] * x.ndim, [0] * x.ndim
        hi[0] = sizes[0] - k
        rows.append(_w.pad(x, lo, hi, 0))
        at += k
    lengths = [len([k for k in sizes if k > b]) for b in range(sizes[0])]
    return _w.stack(rows, 0), _w.tensor(lengths, _int64)


def _repack(y, like):
    sizes = like.batch_sizes.tolist()
    data = _w.concat([y[t, :k] for t, k in enumerate(sizes)], 0)
    return PackedSequence(data, like.batch_sizes, like.sorted_indices, like.unsorted_indices)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    x, lengths = _unpack(sequence)
    if padding_value:
        past = _w.ge(_w.expand_dims(_w.arange(0, x.shape[0], 1, _int64), 1), _w.expand_dims(lengths, 0))
        x = _w.where(_w.reshape(past, tuple(past.shape) + (1,) * (x.ndim - 2)), padding_value, x)
    if total_length is not None and total_length > x.shape[0]:
        x = _w.pad(x, [0] * x.ndim, [total_length - x.shape[0]] + [0] * (x.ndim - 1), padding_value)
    if sequence.unsorted_indices is not None:
        x, lengths = _w.take(x, sequence.unsorted_indices, 1), _w.take(lengths, sequence.unsorted_indices, 0)
    return (_w.swap_axes(x, 0, 1) if batch_first else x), lengths
