# tensorflow._nn_more -- functions of networks that few programs call: moments, embeddings of sparse ids, decoders, losses of samples.
import _tf as _w
from tensorflow._base import op, as_tensor, like, axes_of, ints, InvalidArgumentError, float32, int32, int64
from tensorflow import _ops
from tensorflow.nn import conv2d, batch_normalization, moments


def atrous_conv2d(value, filters, rate, padding, name=None):
    return conv2d(value, filters, 1, padding, dilations=[rate, rate])


def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    x = _ops.convert_to_tensor(x)
    w = _ops.cast(frequency_weights, x.dtype)
    total = _ops.reduce_sum(w * _ops.ones_like(x), axes, True)
    mean = _ops.reduce_sum(w * x, axes, True) / total
    var = _ops.reduce_sum(w * _ops.squared_difference(x, mean), axes, True) / total
    return (mean, var) if keepdims else (_ops.squeeze(mean, axes), _ops.squeeze(var, axes))


def sufficient_statistics(x, axes, shift=None, keepdims=False, name=None):
    x = _ops.convert_to_tensor(x)
    axes = sorted(set([a % x.shape.rank for a in axes]))
    n = 1
    for a in axes:
        n *= x.shape[a]
    moved = x if shift is None else x - shift
    squares = _ops.square(x) if shift is None else _ops.squared_difference(x, shift)
    return _ops.constant(float(n), x.dtype), _ops.reduce_sum(moved, axes, keepdims), _ops.reduce_sum(squares, axes, keepdims), shift


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    divisor = _ops.reciprocal(counts)
    moved = _ops.multiply(mean_ss, divisor)
    mean = moved if shift is None else moved + shift
    return mean, _ops.multiply(variance_ss, divisor) - _ops.square(moved)


def batch_norm_with_global_normalization(input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=None):
    return batch_normalization(input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon)


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format="NHWC", is_training=True, name=None,
                     exponential_avg_factor=1.0):
    # the variance it gives back is that of a sample
    x = _ops.convert_to_tensor(x)
    if exponential_avg_factor != 1.0:
        raise NotImplementedError("fused_batch_norm: exponential_avg_factor")
    channel = 1 if data_format == "NCHW" else x.shape.rank - 1
    others = [a for a in range(x.shape.rank) if a != channel]
    spread = lambda t: _ops.reshape(t, [-1 if a == channel else 1 for a in range(x.shape.rank)])
    if not is_training:
        return batch_normalization(x, spread(mean), spread(variance), spread(offset), spread(scale), epsilon), mean, variance
    m, v = moments(x, others)
    y = batch_normalization(x, spread(m), spread(v), spread(offset), spread(scale), epsilon)
    count = _ops.cast(_ops.size(x), x.dtype) / _ops.cast(_ops.size(m), x.dtype)
    return y, m, v * (count / _ops.maximum(count - 1.0, 1.0))


def _combined(rows, ids, weights, n, combiner):
    from tensorflow._segments import unsorted_segment_sum
    w = _ops.ones_like(rows[:, 0]) if weights is None else _ops.cast(weights, rows.dtype)
    total = unsorted_segment_sum(rows * w[:, None], ids, n)
    if combiner == "sum":
        return total
    if combiner == "mean":
        return _ops.divide_no_nan(total, unsorted_segment_sum(w, ids, n)[:, None])
    if combiner == "sqrtn":
        return _ops.divide_no_nan(total, _ops.sqrt(unsorted_segment_sum(w * w, ids, n))[:, None])
    raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")


def embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None, allow_fast_lookup=False):
    if max_norm is not None:
        raise NotImplementedError("embedding_lookup_sparse: max_norm")
    from tensorflow.sparse import _list
    rows = [r[0] for r in _list(sp_ids.indices)]
    n = max(rows + [-1]) + 1
    found = _ops.gather(params, sp_ids.values)
    return _combined(found, _w.tensor(rows, int64), None if sp_weights is None else sp_weights.values, n, combiner or "mean")


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    x = _ops.convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        x = x * _ops.cast(sample_weight, x.dtype)
    n = global_batch_size if global_batch_size is not None else x.shape[0]
    return _ops.reduce_sum(x) / _ops.cast(n, x.dtype)


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    # the likeliest class of each step, without blanks and repetitions
    from tensorflow.sparse import SparseTensor
    x = as_tensor(inputs if not hasattr(inputs, "known") else inputs.known)
    steps, batch, classes = list(x.shape)
    blank = classes - 1 if blank_index is None else blank_index % classes
    best, value = _w.argmax(x, 2).tolist(), _w.max(x, 2).tolist()
    lengths = ints(sequence_length)
    places, found, sums = [], [], []
    for b in range(batch):
        last, k, total = None, 0, 0.0
        for t in range(lengths[b]):
            c = best[t][b]
            total -= value[t][b]
            if c != blank and not (merge_repeated and c == last):
                places.append([b, k])
                found.append(c)
                k += 1
            last = c
        sums.append([total])
    width = max([p[1] for p in places] + [-1]) + 1
    return [SparseTensor(places, _w.tensor(found, int64) if found else _w.full([0], 0, int64), [batch, width])], _ops.constant(sums, float32)


def collapse_repeated(labels, seq_length, name=None):
    rows, lengths = as_tensor(labels).tolist(), ints(seq_length)
    out = [[v for i, v in enumerate(r[:n]) if i == 0 or r[i - 1] != v] for r, n in zip(rows, lengths)]
    wide = max([len(r) for r in out] + [0])
    return _w.tensor([r + [0] * (wide - len(r)) for r in out], as_tensor(labels).dtype), _w.tensor([len(r) for r in out], as_tensor(seq_length).dtype)
