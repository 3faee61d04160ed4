# tensorflow.contrib.seq2seq -- of version 1's part for sequences, the loss.
from tensorflow import _ops, nn


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True, softmax_loss_function=None, name=None):
    # the cross entropy of [rows, steps, classes] with [rows, steps], by weights
    if len(logits.shape) != 3 or len(targets.shape) != 2 or len(weights.shape) != 2:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor, targets and weights [batch_size x sequence_length] tensors")
    loss = softmax_loss_function or nn.sparse_softmax_cross_entropy_with_logits
    crossed = loss(labels=targets, logits=logits) * weights
    if average_across_timesteps and average_across_batch:
        return _ops.reduce_sum(crossed) / (_ops.reduce_sum(weights) + 1e-12)
    if average_across_timesteps:
        return _ops.reduce_sum(crossed, axis=1) / (_ops.reduce_sum(weights, axis=1) + 1e-12)
    if average_across_batch:
        return _ops.reduce_sum(crossed, axis=0) / (_ops.reduce_sum(weights, axis=0) + 1e-12)
    return crossed
