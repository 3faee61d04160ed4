# tensorflow.compat.v1.losses -- losses that are numbers, and are collected in the graph.
from tensorflow import _ops, nn, name_scope
from tensorflow._base import float32, state
from tensorflow._graph import default_graph


class Reduction:
    NONE, SUM, MEAN, SUM_OVER_BATCH_SIZE = "none", "weighted_sum", "weighted_mean", "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls):
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key):
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


_FEW = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection="losses", reduction=_FEW):
    Reduction.validate(reduction)
    with name_scope(scope or "weighted_loss"):
        given = losses.dtype        # weighted and summed in 32 bits, whatever is given
        losses, weights = _ops.cast(losses, float32), _ops.cast(weights, float32)
        loss = losses * weights
        if reduction != Reduction.NONE:
            loss = _ops.reduce_sum(loss)
            spread = weights * _ops.ones_like(losses)
            if reduction == Reduction.MEAN:
                loss = _ops.divide_no_nan(loss, _ops.reduce_sum(spread))
            elif reduction == _FEW:
                loss = _ops.divide_no_nan(loss, _ops.cast(_ops.count_nonzero(spread), float32))
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = _ops.divide_no_nan(loss, _ops.cast(_ops.size(losses), float32))
        loss = _ops.cast(loss, given)
    return add_loss(loss, loss_collection)


def add_loss(loss, loss_collection="losses"):
    if loss_collection and state.graph is not None:
        default_graph().collections.setdefault(loss_collection, []).append(loss)
    return loss


def _pair(labels, predictions):
    return _ops.cast(labels, float32), _ops.cast(predictions, float32)


def _like_logits(labels, logits):
    logits = _ops.convert_to_tensor(logits)
    return _ops.cast(labels, logits.dtype), logits


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=_FEW):
    t, p = _pair(labels, predictions)
    return compute_weighted_loss(_ops.squared_difference(p, t), weights, scope or "mean_squared_error", loss_collection, reduction)


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction=_FEW):
    t, p = _pair(labels, predictions)
    return compute_weighted_loss(_ops.abs(p - t), weights, scope or "absolute_difference", loss_collection, reduction)


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection="losses", reduction=_FEW, dim=None):
    t, p = _pair(labels, predictions)
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    return compute_weighted_loss(1 - _ops.reduce_sum(p * t, axis, keepdims=True), weights, scope or "cosine_distance_loss", loss_collection, reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=_FEW):
    t, x = _pair(labels, logits)
    return compute_weighted_loss(nn.relu(1.0 - (2.0 * t - 1.0) * x), weights, scope or "hinge_loss", loss_collection, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection="losses", reduction=_FEW):
    t, x = _like_logits(onehot_labels, logits)
    if label_smoothing > 0:
        t = t * (1 - label_smoothing) + label_smoothing / int(t.shape[1])
    each = nn.softmax_cross_entropy_with_logits(labels=_ops.stop_gradient(t), logits=x)
    return compute_weighted_loss(each, weights, scope or "softmax_cross_entropy_loss", loss_collection, reduction)


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction=_FEW):
    each = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(each, weights, scope or "sparse_softmax_cross_entropy_loss", loss_collection, reduction)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection="losses", reduction=_FEW):
    t, x = _like_logits(multi_class_labels, logits)
    if label_smoothing > 0:
        t = t * (1 - label_smoothing) + 0.5 * label_smoothing
    each = nn.sigmoid_cross_entropy_with_logits(labels=t, logits=x)
    return compute_weighted_loss(each, weights, scope or "sigmoid_cross_entropy_loss", loss_collection, reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection="losses", reduction=_FEW):
    t, p = _pair(labels, predictions)
    each = -(t * _ops.log(p + epsilon)) - (1 - t) * _ops.log(1 - p + epsilon)
    return compute_weighted_loss(each, weights, scope or "log_loss", loss_collection, reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection="losses", reduction=_FEW):
    t, p = _pair(labels, predictions)
    e = _ops.abs(p - t)
    q = _ops.minimum(e, delta)
    return compute_weighted_loss(0.5 * q * q + delta * (e - q), weights, scope or "huber_loss", loss_collection, reduction)


def _in_scope(found, scope):
    return [x for x in found if not scope or x.name.startswith(scope)]


def get_losses(scope=None, loss_collection="losses"):
    return _in_scope(default_graph().get_collection(loss_collection), scope)


def get_regularization_losses(scope=None):
    return _in_scope(default_graph().get_collection("regularization_losses"), scope)


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    found = get_regularization_losses(scope)
    return _ops.add_n(found) if found else _ops.constant(0.0, name=name)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    return _ops.add_n(get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else []))
