# tensorflow._summary -- event files for TensorBoard: version 2's writers, and version 1's summaries, which are fetched as
# bytes and handed to a writer. The files are those of torch.utils.tensorboard.
import numpy as _np

from _proto import int_, float_, bytes_, fields
from torch.utils.tensorboard import FileWriter as _File, _histogram, _png
from tensorflow._base import state, as_tensor
from tensorflow._variable import Variable


def _number(x):
    return float(_np.asarray(x).reshape(-1)[0])


def _value(tag, body):
    return bytes_(1, bytes_(1, tag) + body)


def _scalar(tag, x):
    return _value(tag, float_(2, _number(x)))


def _tensor_scalar(tag, x):
    # version 2: a tensor of one float, of the plugin "scalars"
    t = int_(1, 1) + bytes_(2, b"") + float_(5, _number(x))
    return _value(tag, bytes_(8, t) + bytes_(9, bytes_(1, bytes_(1, "scalars")) + int_(4, 1)))


def _histo(tag, x):
    return _value(tag, bytes_(5, _histogram(_np.asarray(x), "tensorflow")))


def _images(tag, x, most):
    a = _np.asarray(x)
    if a.dtype != _np.uint8:
        a = _np.clip(a * 255.0, 0, 255).astype(_np.uint8)
    out = b""
    for i in range(min(most, a.shape[0])):
        p = a[i]
        name = tag + "/image" if most == 1 else f"{tag}/image/{i}"
        out += _value(name, bytes_(4, int_(1, p.shape[0]) + int_(2, p.shape[1]) + int_(3, p.shape[2]) + bytes_(4, _png(p))))
    return out


# ---- version 2 ----

_step = [None]
_current = []


class SummaryWriter:
    def __init__(self, logdir, filename_suffix=""):
        self._file = _File(str(logdir), filename_suffix or ".v2")

    def as_default(self, step=None):
        return _Default(self, step)

    def set_as_default(self, step=None):
        _current[:] = [self]
        if step is not None:
            _step[0] = step

    def flush(self):
        self._file.flush()

    def close(self):
        self._file.close()

    def init(self):
        return None


class _Default:
    def __init__(self, writer, step):
        self.writer, self.step = writer, step

    def __enter__(self):
        self.old = list(_current), _step[0]
        _current.append(self.writer)
        if self.step is not None:
            _step[0] = self.step
        return self.writer

    def __exit__(self, *exc):
        _current[:] = self.old[0]
        _step[0] = self.old[1]
        self.writer.flush()


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None, experimental_trackable=False):
    return SummaryWriter(logdir, filename_suffix or "")


def _write(body, step):
    if not _current:
        return False
    step = _step[0] if step is None else step
    if step is None:
        raise ValueError("No step set. Please specify one either through the `step` argument or through tf.summary.experimental.set_step()")
    if state.funcs:
        raise NotImplementedError("tf.summary in a tf.function: write it outside, from what the function returns")
    step = step.numpy() if hasattr(step, "numpy") else step
    _current[-1]._file.event(bytes_(5, body), int(step))
    return True


def _host(x):
    return x.numpy() if hasattr(x, "numpy") else as_tensor(x).numpy()


def _undescribed(text):
    if text is not None:
        raise NotImplementedError("tf.summary: description")


def scalar(name, data, step=None, description=None):
    _undescribed(description)
    return _write(_tensor_scalar(name, _host(data)), step)


def histogram(name, data, step=None, buckets=None, description=None):
    _undescribed(description)
    if buckets is not None:
        raise NotImplementedError("tf.summary.histogram: buckets")
    return _write(_histo(name, _host(data)), step)


def image(name, data, step=None, max_outputs=3, description=None):
    _undescribed(description)
    return _write(_images(name, _host(data), max_outputs), step)


def flush(writer=None, name=None):
    for w in [writer] if writer is not None else _current:
        w.flush()


class experimental:
    @staticmethod
    def set_step(step):
        _step[0] = step

    @staticmethod
    def get_step():
        return _step[0]


# ---- version 1: nodes that are fetched as bytes ----

class SummaryNode:
    # what a session gives for it: the bytes of a Summary, made of tensors of the graph
    def __init__(self, graph, name, tensors, make):
        self.graph, self.tensors, self._make = graph, tensors, make
        full = graph.unique_name(name)
        self.name = full + ":0"

    def make(self, values):
        return self._make(values)

    def eval(self, feed_dict=None, session=None):
        from tensorflow._session import Session
        return (session or Session.current()).run(self, feed_dict)


def _node(name, tensor, make, collections):
    from tensorflow._graph import default_graph, as_constant
    g = default_graph()
    n = SummaryNode(g, name, [as_constant(tensor)], lambda values: make(n.name[:-2], values[0]))
    for key in collections if collections is not None else ["summaries"]:
        g.add_to_collection(key, n)
    return n


def _no_family(family):
    if family is not None:
        raise NotImplementedError("tf.summary: family is not there: name the summary")


def v1_scalar(name, tensor, collections=None, family=None):
    _no_family(family)
    return _node(name, tensor, _scalar, collections)


def v1_histogram(name, values, collections=None, family=None):
    _no_family(family)
    return _node(name, values, _histo, collections)


def v1_image(name, tensor, max_outputs=3, collections=None, family=None):
    _no_family(family)
    return _node(name, tensor, lambda tag, x: _images(tag, x, max_outputs), collections)


def merge(inputs, collections=None, name=None):
    from tensorflow._graph import default_graph
    if collections:
        raise NotImplementedError("tf.summary.merge: collections")
    tensors, parts = [], []
    for n in inputs:
        parts.append((n, len(tensors), len(n.tensors)))
        tensors += n.tensors
    return SummaryNode(default_graph(), name or "Merge/MergeSummary", tensors,
                       lambda values: b"".join([n.make(values[at:at + k]) for n, at, k in parts]))


def merge_all(key="summaries", scope=None, name=None):
    from tensorflow._graph import default_graph
    found = [n for n in default_graph().get_collection(key) if scope is None or n.name.startswith(scope)]
    return merge(found, name=name) if found else None


def _graph_bytes(d):
    # names, ops and edges: what TensorBoard draws
    nodes = [bytes_(1, n.name) + bytes_(2, n.op) + b"".join([bytes_(3, i) for i in n.input]) for n in d.node]
    return b"".join([bytes_(1, n) for n in nodes]) + bytes_(4, int_(1, 27))


class FileWriter:
    # max_queue, flush_secs: events are in the file when it is flushed or closed
    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None):
        if session is not None:
            raise NotImplementedError("tf.summary.FileWriter(session=..): summaries are written by add_summary")
        self._file = _File(str(logdir), filename_suffix or "")
        self._dir = str(logdir)
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def add_graph(self, graph, global_step=None, graph_def=None):
        d = graph_def if graph is None else graph.as_graph_def()
        self._file.event(bytes_(4, _graph_bytes(d)), global_step)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def get_logdir(self):
        return self._dir

    def add_summary(self, summary, global_step=None):
        data = summary if isinstance(summary, bytes) else summary.SerializeToString()
        self._file.event(bytes_(5, data), None if global_step is None else int(global_step))

    def flush(self):
        self._file.flush()

    def close(self):
        self._file.close()


class Summary:
    # tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)])
    class Value:
        def __init__(self, tag="", simple_value=None):
            self.tag, self.simple_value = tag, simple_value

    def __init__(self, value=()):
        self.value = list(value)

    def SerializeToString(self):
        return b"".join([_scalar(v.tag, v.simple_value) for v in self.value])

    @staticmethod
    def FromString(data):
        out = []
        for v in fields(data).get(1, []):
            f = fields(v)
            import struct
            out.append(Summary.Value(bytes(f.get(1, [b""])[0]).decode(), struct.unpack("<f", bytes(f[2][0]))[0] if 2 in f else None))
        return Summary(out)
