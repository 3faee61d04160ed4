# tensorflow.keras.metrics -- running measures, and functions for them.
import _tf as _w
from tensorflow._base import as_tensor
from tensorflow.keras import losses as _losses


def sparse_categorical_accuracy(y_true, y_pred):
    t, p = _w.cast(as_tensor(y_true), _w.int64), as_tensor(y_pred)
    if t.ndim == p.ndim:
        t = _w.squeeze(t, -1)
    return _w.cast(_w.cast(_w.argmax(p, -1), _w.int64) == t, _w.float32)


def categorical_accuracy(y_true, y_pred):
    return _w.cast(_w.argmax(as_tensor(y_true), -1) == _w.argmax(as_tensor(y_pred), -1), _w.float32)


def binary_accuracy(y_true, y_pred, threshold=0.5):
    p = as_tensor(y_pred)
    t = _w.cast(as_tensor(y_true), p.dtype)
    return _w.cast(_w.cast(p > threshold, p.dtype) == t, _w.float32)


def _accuracy(y_true, y_pred):
    t, p = as_tensor(y_true), as_tensor(y_pred)
    if p.shape[-1] == 1:
        return binary_accuracy(t, p)
    return categorical_accuracy(t, p) if t.shape == p.shape else sparse_categorical_accuracy(t, p)


class Metric:
    def __init__(self, name=None, dtype=None, **kw):
        self.name = name or type(self).__name__.lower()
        self.reset_state()

    def reset_state(self):
        self.total, self.count = 0.0, 0.0

    reset_states = reset_state

    def values(self, *args):
        return args[0]

    def update_state(self, *args, sample_weight=None):
        v = _w.cast(as_tensor(self.values(*args)), _w.float32)
        if sample_weight is None:
            self.total += float(_w.sum(v))
            self.count += _w.about(v, "count")
            return
        w = _w.cast(as_tensor(sample_weight), _w.float32)
        w = _w.broadcast_to(_w.reshape(w, list(w.shape) + [1] * (v.ndim - w.ndim)), v.shape)
        self.total += float(_w.sum(v * w))
        self.count += float(_w.sum(w))

    def result(self):
        return _w.tensor(self.total / self.count if self.count else 0.0, _w.float32)

    def __call__(self, *args, **kw):
        self.update_state(*args, **kw)
        return self.result()


class Mean(Metric):
    pass


class Sum(Metric):
    def result(self):
        return _w.tensor(self.total, _w.float32)


class SparseCategoricalAccuracy(Metric):
    def values(self, t, p):
        return sparse_categorical_accuracy(t, p)


class CategoricalAccuracy(Metric):
    def values(self, t, p):
        return categorical_accuracy(t, p)


class BinaryAccuracy(Metric):
    def values(self, t, p):
        return binary_accuracy(t, p)


class Accuracy(Metric):
    def values(self, t, p):
        return _w.cast(_w.cast(as_tensor(t), _w.float32) == _w.cast(as_tensor(p), _w.float32), _w.float32)


class MeanSquaredError(Metric):
    def values(self, t, p):
        return _losses.mean_squared_error(t, p)


class MeanAbsoluteError(Metric):
    def values(self, t, p):
        return _losses.mean_absolute_error(t, p)


_by_name = {"accuracy": _accuracy, "acc": _accuracy, "sparse_categorical_accuracy": sparse_categorical_accuracy,
            "categorical_accuracy": categorical_accuracy, "binary_accuracy": binary_accuracy}


def get(identifier):
    if isinstance(identifier, str):
        fn = _by_name.get(identifier) or _losses._by_name[identifier]
        return lambda t, p: _w.mean(as_tensor(fn(t, p)))
    if isinstance(identifier, Metric):
        return lambda t, p: _w.mean(as_tensor(identifier.values(t, p)))
    return lambda t, p: _w.mean(as_tensor(identifier(t, p)))
