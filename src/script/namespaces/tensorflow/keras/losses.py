# tensorflow.keras.losses -- functions and classes; a class reduces what its function gives.
import _tf as _w
from tensorflow._base import as_tensor, as_operand
from tensorflow import nn

_EPS = 1e-7


def _pair(y_true, y_pred):
    p = as_tensor(y_pred)
    return as_operand(y_true, p.dtype) if as_tensor(y_true).dtype == p.dtype else _w.cast(as_tensor(y_true), p.dtype), p


def mean_squared_error(y_true, y_pred):
    t, p = _pair(y_true, y_pred)
    return _w.mean(_w.square(p - t), -1)


def mean_absolute_error(y_true, y_pred):
    t, p = _pair(y_true, y_pred)
    return _w.mean(_w.abs(p - t), -1)


def huber(y_true, y_pred, delta=1.0):
    t, p = _pair(y_true, y_pred)
    d = _w.abs(p - t)
    return _w.mean(_w.where(d <= delta, 0.5 * d * d, delta * d - 0.5 * delta * delta), -1)


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    t, p = _pair(y_true, y_pred)
    if label_smoothing:
        t = t * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        return _w.mean(nn.sigmoid_cross_entropy_with_logits(labels=t, logits=p), axis)
    p = _w.clip(p, _EPS, 1 - _EPS)
    return _w.mean(-(t * _w.log(p) + (1.0 - t) * _w.log(1.0 - p)), axis)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    t, p = _pair(y_true, y_pred)
    if label_smoothing:
        t = t * (1.0 - label_smoothing) + label_smoothing / t.shape[-1]
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(t, p, axis)
    p = p / _w.sum(p, axis, True)
    return -_w.sum(t * _w.log(_w.clip(p, _EPS, 1 - _EPS)), axis)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, ignore_class=None, axis=-1):
    t, p = _w.cast(as_tensor(y_true), _w.int32), as_tensor(y_pred)
    if t.ndim == p.ndim:
        t = _w.squeeze(t, -1)
    if axis not in (-1, p.ndim - 1):
        p = _w.move_axis(p, axis, -1)
    if not from_logits:
        p = _w.log(_w.clip(p, _EPS, 1 - _EPS))
    if ignore_class is not None:
        there = t != ignore_class
        loss = nn.sparse_softmax_cross_entropy_with_logits(labels=_w.where(there, t, _w.zeros_like(t)), logits=p)
        return _w.where(there, loss, _w.zeros_like(loss))
    return nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=p)


def kl_divergence(y_true, y_pred):
    t, p = _pair(y_true, y_pred)
    t, p = _w.clip(t, _EPS, 1), _w.clip(p, _EPS, 1)
    return _w.sum(t * _w.log(t / p), -1)


def hinge(y_true, y_pred):
    t, p = _pair(y_true, y_pred)
    return _w.mean(_w.relu(1.0 - t * p), -1)


def log_cosh(y_true, y_pred):
    t, p = _pair(y_true, y_pred)
    d = p - t
    return _w.mean(d + _w.softplus(-2.0 * d) - 0.6931471805599453, -1)


def poisson(y_true, y_pred):
    t, p = _pair(y_true, y_pred)
    return _w.mean(p - t * _w.log(p + _EPS), -1)


def cosine_similarity(y_true, y_pred, axis=-1):
    t, p = _pair(y_true, y_pred)
    return -_w.sum(nn.l2_normalize(t, axis) * nn.l2_normalize(p, axis), axis)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error


class Loss:
    fn = None

    def __init__(self, reduction="sum_over_batch_size", name=None, **kw):
        self.reduction = reduction
        self.name = name
        self.kw = kw

    def call(self, y_true, y_pred):
        return type(self).fn(y_true, y_pred, **self.kw)

    def __call__(self, y_true, y_pred, sample_weight=None):
        values = as_tensor(self.call(y_true, y_pred))
        if sample_weight is not None:
            values = values * as_operand(sample_weight, values.dtype)
        if self.reduction in (None, "none"):
            return values
        return _w.sum(values) if self.reduction == "sum" else _w.mean(values)


class MeanSquaredError(Loss):
    fn = staticmethod(mean_squared_error)


class MeanAbsoluteError(Loss):
    fn = staticmethod(mean_absolute_error)


class Huber(Loss):
    fn = staticmethod(huber)

    def __init__(self, delta=1.0, reduction="sum_over_batch_size", name=None):
        super().__init__(reduction, name, delta=delta)


class BinaryCrossentropy(Loss):
    fn = staticmethod(binary_crossentropy)

    def __init__(self, from_logits=False, label_smoothing=0.0, axis=-1, reduction="sum_over_batch_size", name=None):
        super().__init__(reduction, name, from_logits=from_logits, label_smoothing=label_smoothing, axis=axis)


class CategoricalCrossentropy(Loss):
    fn = staticmethod(categorical_crossentropy)

    def __init__(self, from_logits=False, label_smoothing=0.0, axis=-1, reduction="sum_over_batch_size", name=None):
        super().__init__(reduction, name, from_logits=from_logits, label_smoothing=label_smoothing, axis=axis)


class SparseCategoricalCrossentropy(Loss):
    fn = staticmethod(sparse_categorical_crossentropy)

    def __init__(self, from_logits=False, ignore_class=None, reduction="sum_over_batch_size", axis=-1, name=None):
        super().__init__(reduction, name, from_logits=from_logits)


class KLDivergence(Loss):
    fn = staticmethod(kl_divergence)


class Hinge(Loss):
    fn = staticmethod(hinge)


class LogCosh(Loss):
    fn = staticmethod(log_cosh)


class Poisson(Loss):
    fn = staticmethod(poisson)


class CosineSimilarity(Loss):
    fn = staticmethod(cosine_similarity)


_by_name = {"mse": mean_squared_error, "mean_squared_error": mean_squared_error, "mae": mean_absolute_error,
            "mean_absolute_error": mean_absolute_error, "binary_crossentropy": binary_crossentropy,
            "categorical_crossentropy": categorical_crossentropy, "sparse_categorical_crossentropy": sparse_categorical_crossentropy,
            "huber": huber, "hinge": hinge, "kl_divergence": kl_divergence, "poisson": poisson}


def get(identifier):
    if isinstance(identifier, str):
        if identifier not in _by_name:
            raise ValueError(f"Could not interpret loss identifier: {identifier}")
        fn = _by_name[identifier]
        return lambda t, p: _w.mean(fn(t, p))
    return identifier if isinstance(identifier, Loss) else (lambda t, p: _w.mean(as_tensor(identifier(t, p))))
