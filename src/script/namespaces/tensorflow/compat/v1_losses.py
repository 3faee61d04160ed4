# tensorflow.compat.v1.losses -- losses that are numbers, and are collected in the graph.
from tensorflow import _ops, nn
from tensorflow._graph import default_graph


def _kept(x):
    default_graph().collections.setdefault("losses", []).append(x)
    return x


def mean_squared_error(labels, predictions, weights=1.0, scope=None, **kw):
    return _kept(_ops.reduce_mean(_ops.square(predictions - labels) * weights))


def absolute_difference(labels, predictions, weights=1.0, scope=None, **kw):
    return _kept(_ops.reduce_mean(_ops.abs(predictions - labels) * weights))


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, **kw):
    return _kept(_ops.reduce_mean(nn.softmax_cross_entropy_with_logits(labels=onehot_labels, logits=logits) * weights))


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, **kw):
    return _kept(_ops.reduce_mean(nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits) * weights))


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, **kw):
    return _kept(_ops.reduce_mean(nn.sigmoid_cross_entropy_with_logits(labels=multi_class_labels, logits=logits) * weights))


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, **kw):
    return _kept(_ops.reduce_mean((-labels * _ops.log(predictions + epsilon) - (1.0 - labels) * _ops.log(1.0 - predictions + epsilon)) * weights))


def huber_loss(labels, predictions, weights=1.0, delta=1.0, **kw):
    e = _ops.abs(predictions - labels)
    q = _ops.minimum(e, delta)
    return _kept(_ops.reduce_mean((0.5 * q * q + delta * (e - q)) * weights))


def get_losses(scope=None, loss_collection="losses"):
    return default_graph().get_collection("losses")


def get_total_loss(add_regularization_losses=True, name="total_loss"):
    return _ops.add_n(get_losses())
