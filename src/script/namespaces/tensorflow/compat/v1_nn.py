# tensorflow.compat.v1.nn -- tensorflow.nn with version 1's arguments: what dropout keeps, predictions before targets, rates of convolutions; its
# recurrent networks.
from tensorflow import _ops
from tensorflow import nn as _nn
from tensorflow.nn import *
from tensorflow.nn import (dropout_v1 as dropout, embedding_lookup_v1 as embedding_lookup, atrous_conv2d, weighted_moments as _weighted,
                           sufficient_statistics as _statistics, normalize_moments, fused_batch_norm, batch_norm_with_global_normalization,
                           compute_average_loss, ctc_greedy_decoder, collapse_repeated, embedding_lookup_sparse as _sparse_lookup)
from tensorflow.compat import v1_rnn_cell as rnn_cell
from tensorflow.compat.v1_rnn_cell import bidirectional_dynamic_rnn, dynamic_rnn, static_bidirectional_rnn, static_rnn


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    # nothing goes back into the labels
    if _sentinel is not None:
        raise ValueError("Only call `softmax_cross_entropy_with_logits` with named arguments (labels=..., logits=..., ...)")
    return _nn.softmax_cross_entropy_with_logits(_ops.stop_gradient(labels), logits, dim if axis is None else axis, name=name)


def in_top_k(predictions, targets, k, name=None):
    return _ops.in_top_k(targets, predictions, k)


def convolution(input, filter=None, padding=None, strides=None, dilation_rate=None, name=None, data_format=None, filters=None, dilations=None):
    return _nn.convolution(input, filter if filters is None else filters, strides, padding, data_format,
                           dilation_rate if dilations is None else dilations)


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    return _weighted(x, axes, frequency_weights, bool(keepdims or keep_dims))


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    return _statistics(x, axes, shift, bool(keepdims or keep_dims))


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy="mod", name=None, combiner=None, max_norm=None):
    return _sparse_lookup(params, sp_ids, sp_weights, combiner, max_norm)
