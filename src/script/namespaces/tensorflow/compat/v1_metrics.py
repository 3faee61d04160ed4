# tensorflow.compat.v1.metrics -- running measures: (value, update), over local variables of the graph.
from tensorflow import _ops
from tensorflow._graph import GraphVariable, default_graph


def _local(name):
    v = GraphVariable(_ops.zeros([]), trainable=False, name=name)
    g = default_graph()
    g.collections["variables"].remove(v)
    g.collections.setdefault("local_variables", []).append(v)
    return v


def _ratio(name, top, bottom, collections, tops="total", bottoms="count"):
    from tensorflow.compat import v1
    with v1.variable_scope(name):
        total, count = _local(tops), _local(bottoms)
        value = _ops.divide_no_nan(total._read(), count._read(), name="value")
        up = total.assign_add(_ops.cast(_ops.reduce_sum(top), "float32"))
        by = count.assign_add(_ops.cast(_ops.reduce_sum(bottom), "float32"))
        both = value, _ops.divide_no_nan(up, by, name="update_op")
        for t, names in zip(both, collections):
            for n in [names] if isinstance(names, str) else names or ():
                default_graph().collections.setdefault(n, []).append(t)
        return both


def _weights(weights, like):
    return _ops.ones_like(like) if weights is None else _ops.cast(weights, "float32") + _ops.zeros_like(like)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    x = _ops.cast(values, "float32")
    w = _weights(weights, x)
    return _ratio(name or "mean", x * w, w, (metrics_collections, updates_collections))


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    p = _ops.convert_to_tensor(predictions)
    return mean(_ops.equal(p, _ops.cast(labels, p.dtype)), weights, metrics_collections, updates_collections, name or "accuracy")


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return mean(_ops.square(predictions - labels), weights, metrics_collections, updates_collections, name or "mean_squared_error")


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return mean(_ops.abs(predictions - labels), weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def _said_and_true(labels, predictions, weights):
    said, true = _ops.cast(_ops.cast(predictions, "bool"), "float32"), _ops.cast(_ops.cast(labels, "bool"), "float32")
    w = _weights(weights, said)
    return said * w, true * w, said * true * w


def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    said, _, both = _said_and_true(labels, predictions, weights)
    return _ratio(name or "precision", both, said, (metrics_collections, updates_collections), "true_positives", "positives")


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    _, true, both = _said_and_true(labels, predictions, weights)
    return _ratio(name or "recall", both, true, (metrics_collections, updates_collections), "true_positives", "positives")
