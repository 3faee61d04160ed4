# tensorflow._segments -- rows that belong together: sums and extremes of segments, parts and their joins, updates by
# the least or the greatest, counts.
import _tf as _w
from tensorflow._base import op, as_tensor, like, ints, dtype_of, InvalidArgumentError, int32, float32
from tensorflow._ops import _nd_key, _number


def _rows(data, ids, n):
    # (rows, ids, how many segments): rows of negative ids belong to no segment
    x, ids = as_tensor(data), as_tensor(ids)
    if n is None:
        if not _w.about(ids, "symbolic") and (ids[1:] < ids[:-1]).tolist().count(True):
            raise InvalidArgumentError("segment ids are not increasing")
        return x, ids, int(_w.max(ids).item()) + 1 if _w.about(ids, "count") else 0
    n = int(_number(n))
    if ids.ndim != 1:
        x, ids = _w.reshape(x, [-1] + list(x.shape)[ids.ndim:]), _w.reshape(ids, [-1])
    if not _w.about(ids, "symbolic") and _w.about(ids, "count") and _w.max(ids).item() >= n:
        raise InvalidArgumentError(f"segment_ids[0] = {_w.max(ids).item()} is out of range [0, {n})")
    return x, _w.where(ids < 0, _w.full((), n, ids.dtype), ids), n


def _sum(x, ids, n):
    # one segment more takes what belongs to none
    return _w.narrow(_w.index_add(_w.full([n + 1] + list(x.shape)[1:], 0, x.dtype), ids, x), 0, 0, n)


def _counts(x, ids, n):
    return _w.reshape(_sum(_w.full(ids.shape, 1, x.dtype), ids, n), [-1] + [1] * (x.ndim - 1))


def _mean(x, ids, n):
    return _sum(x, ids, n) / _w.maximum(_counts(x, ids, n), 1)


def _sqrt_n(x, ids, n):
    return _sum(x, ids, n) / _w.sqrt(_w.maximum(_counts(x, ids, n), 1))


def _each(fn, empty, join=None):
    # join: with the value of nothing, from which TensorFlow starts
    def reduce(x, ids, n):
        rows = []
        for k in range(n):
            mine = _w.reshape(_w.nonzero(ids == k), [-1])
            part = _w.take(x, mine, 0)
            rows.append((fn(part, 0) if join is None else join(fn(part, 0), empty(x.dtype))) if part.shape[0] else _w.full(list(x.shape)[1:], empty(x.dtype), x.dtype))
        return _w.cast(_w.stack(rows, 0), x.dtype) if rows else _w.full([0] + list(x.shape)[1:], 0, x.dtype)
    return reduce


def _sorted(name, reduce):
    return op(name)(lambda data, segment_ids: reduce(*_rows(data, segment_ids, None)))


def _unsorted(name, reduce):
    return op(name)(lambda data, segment_ids, num_segments: reduce(*_rows(data, segment_ids, num_segments)))


segment_sum, segment_mean = _sorted("SegmentSum", _sum), _sorted("SegmentMean", _mean)
segment_prod = _sorted("SegmentProd", _each(_w.prod, lambda d: 1))
segment_max, segment_min = _sorted("SegmentMax", _each(_w.max, lambda d: 0)), _sorted("SegmentMin", _each(_w.min, lambda d: 0))
unsorted_segment_sum, unsorted_segment_mean = _unsorted("UnsortedSegmentSum", _sum), _unsorted("UnsortedSegmentMean", _mean)
unsorted_segment_sqrt_n = _unsorted("UnsortedSegmentSqrtN", _sqrt_n)
unsorted_segment_prod = _unsorted("UnsortedSegmentProd", _each(_w.prod, lambda d: 1))
unsorted_segment_max = _unsorted("UnsortedSegmentMax", _each(_w.max, lambda d: d.min, _w.maximum))
unsorted_segment_min = _unsorted("UnsortedSegmentMin", _each(_w.min, lambda d: d.max, _w.minimum))


def _of_some(name, reduce):
    # of the rows of data that indices name
    @op(name)
    def call(data, indices, segment_ids, num_segments=None, sparse_gradient=False):
        if sparse_gradient:
            raise NotImplementedError(f"{name}: sparse_gradient")
        x = _w.take(as_tensor(data), as_tensor(indices), 0)
        _rows(x, segment_ids, None)
        return reduce(*_rows(x, segment_ids, num_segments))
    return call


sparse_segment_sum, sparse_segment_mean = _of_some("SparseSegmentSum", _sum), _of_some("SparseSegmentMean", _mean)
sparse_segment_sqrt_n = _of_some("SparseSegmentSqrtN", _sqrt_n)


def _scattered(name, pick):
    @op(name)
    def update(tensor, indices, updates):
        x, u = like(tensor, updates)
        ix = as_tensor(indices)
        depth, rest = ix.shape[-1], list(x.shape)[ix.shape[-1]:]
        key, u = _w.reshape(ix, [-1, depth]), _w.reshape(u, [-1] + rest)
        for i in range(key.shape[0]):
            at = _nd_key(key[i])
            x = _w.index_set(x, at, pick(x[at], u[i]))
        return x
    return update


tensor_scatter_nd_max = _scattered("TensorScatterMax", _w.maximum)
tensor_scatter_nd_min = _scattered("TensorScatterMin", _w.minimum)


@op("DynamicPartition")
def dynamic_partition(data, partitions, num_partitions):
    x, ids = as_tensor(data), as_tensor(partitions)
    if list(x.shape)[:ids.ndim] != list(ids.shape):
        raise InvalidArgumentError(f"data.shape must start with partitions.shape, got data.shape = {x.shape}, partitions.shape = {ids.shape}")
    x, ids = _w.reshape(x, [-1] + list(x.shape)[ids.ndim:]), _w.reshape(ids, [-1])
    return [_w.take(x, _w.reshape(_w.nonzero(ids == k), [-1]), 0) for k in range(int(num_partitions))]


@op("DynamicStitch")
def dynamic_stitch(indices, data):
    ixs = [as_tensor(i) for i in indices]
    xs = [as_tensor(x) for x in data]
    rest = list(xs[0].shape)[ixs[0].ndim:]
    n = max([int(_w.max(i).item()) + 1 for i in ixs if _w.about(i, "count")] + [0])
    out = _w.full([n] + rest, 0, xs[0].dtype)
    for i, x in zip(ixs, xs):
        out = _w.index_set(out, _w.reshape(i, [-1]), _w.reshape(x, [-1] + rest))
    return out


@op("histogram_fixed_width")
def histogram_fixed_width(values, value_range, nbins=100, dtype=int32):
    at = _bins(values, value_range, nbins)
    return _w.index_add(_w.full([nbins], 0, dtype), at, _w.full(at.shape, 1, dtype))


def _bins(values, value_range, nbins):
    x, r = like(values, value_range)
    x = _w.reshape(x, [-1])
    at = _w.floor((x - r[0]) / (r[1] - r[0]) * nbins)
    return _w.cast(_w.clip(at, 0, nbins - 1), int32)


@op("histogram_fixed_width_bins")
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=int32):
    return _w.cast(_w.reshape(_bins(values, value_range, nbins), as_tensor(values).shape), dtype)


@op("InvertPermutation")
def invert_permutation(x):
    x = as_tensor(x)
    n = x.shape[0]
    return _w.index_set(_w.full([n], 0, x.dtype), x, _w.arange(0, n, 1, x.dtype))


@op("ReverseSequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None):
    x, lengths = as_tensor(input), as_tensor(seq_lengths)
    axis, batch = 0 if seq_axis is None else seq_axis, 0 if batch_axis is None else batch_axis
    n = x.shape[axis]
    if lengths.shape[0] != x.shape[batch]:
        raise InvalidArgumentError(f"Length of seq_lengths != input.dims({batch}), ({lengths.shape[0]} vs. {x.shape[batch]})")
    at = _w.arange(0, n, 1, lengths.dtype)
    length = _w.expand_dims(lengths, 1)
    at = _w.where(at < length, length - 1 - at, at)     # [batch, n]
    sizes = [1] * x.ndim
    sizes[batch], sizes[axis] = x.shape[batch], n
    at = _w.reshape(at if batch < axis else _w.swap_axes(at, 0, 1), sizes)
    return _w.take_along(x, _w.broadcast_to(at, list(x.shape)), axis)


@op("confusion_matrix")
def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=int32):
    a, b = as_tensor(labels), as_tensor(predictions)
    n = int(num_classes) if num_classes is not None else int(max(_w.max(a).item(), _w.max(b).item())) + 1
    w = _w.full(a.shape, 1, dtype) if weights is None else _w.cast(as_tensor(weights), dtype)
    return _w.index_add(_w.full([n, n], 0, dtype), (a, b), w)
