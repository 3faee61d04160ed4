# tensorflow._text -- tensors as tf.print shows them, now or each time a function runs.
import sys

import _tf as _w
from tensorflow._base import as_tensor, op, state, TensorLike
from tensorflow._strings import string as _string


def _number(v, dtype):
    # with as many digits as tell it from its neighbours: 6 (of f64 15), else 9 (17)
    if isinstance(v, bool):
        return "1" if v else "0"
    if isinstance(v, bytes):
        return '"' + v.decode("utf-8", "replace") + '"'
    if isinstance(v, complex):
        return "?"
    if isinstance(v, int):
        return str(v)
    wide = dtype == _w.float64
    text = ("%.15g" if wide else "%.6g") % v
    if v != v or _w.full((), float(text), _w.float64 if wide else _w.float32).item() == v:
        return text
    return ("%.17g" if wide else "%.9g") % v


def _nested(v, dtype, dims, at, ends):
    # SummarizeArray of TensorFlow: the first and last `ends` of each axis, axes apart by newlines
    if at == len(dims):
        return _number(v, dtype)
    gap = " " if at == len(dims) - 1 else "\n" * (len(dims) - at - 1) + " " * (at + 1)
    n = dims[at]
    parts = [_nested(v[i], dtype, dims, at + 1, ends) for i in range(min(ends, n))]
    if n > 2 * ends:
        parts.append("...")
    parts += [_nested(v[i], dtype, dims, at + 1, ends) for i in range(max(ends, n - ends), n)]
    return "[" + ("" if ends else gap) + gap.join(parts) + "]" if n > 2 * ends or ends else "[]"


def shown(x, summarize=3):
    # a tensor as tf.print writes it
    dims, count = [int(n) for n in x.shape], 1
    for n in dims:
        count *= n
    return _nested(x._value if x.dtype is _string else x.tolist(), x.dtype, dims, 0, min(count, summarize) if summarize >= 0 else count)


class _Shown:
    # stands for a tensor in a structure that is printed
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _is_tensor(x):
    return isinstance(x, TensorLike) or hasattr(x, "__tensor__") or getattr(x, "dtype", None) is _string


def _replaced(x, turn):
    # the structure with turn(tensor) for each tensor in it
    if _is_tensor(x):
        return turn(x)
    if isinstance(x, dict):
        return {k: _replaced(v, turn) for k, v in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[_replaced(v, turn) for v in x])
    if isinstance(x, (list, tuple)):
        return type(x)([_replaced(v, turn) for v in x])
    if hasattr(x, "dense_shape"):
        parts = [repr(_replaced(v, turn)) for v in (x.indices, x.values, x.dense_shape)]
        return "SparseTensor(indices=%s, values=%s, shape=%s)" % tuple(parts)
    if hasattr(x, "to_list"):       # a ragged tensor
        return _Shown(_listed(x.to_list(), x.dtype))
    return x


def _listed(v, dtype):
    return "[" + ", ".join([_listed(x, dtype) for x in v]) + "]" if isinstance(v, list) else _number(v, dtype)


def _plain(x):
    if isinstance(x, str):
        return x
    if isinstance(x, (list, tuple, dict)):
        from pprint import pformat
        return pformat(x)
    return repr(x)


def _write(text, output_stream):
    if output_stream is None or output_stream is sys.stderr:
        sys.stderr.write(text)
    elif output_stream is sys.stdout:
        sys.stdout.write(text)
    elif isinstance(output_stream, str) and output_stream.startswith("file://"):
        with open(output_stream[7:], "a") as f:
            f.write(text)
    elif callable(output_stream):       # tf.compat.v1.logging.info and its like
        output_stream(text[:-1] if text.endswith("\n") else text)
    else:
        raise ValueError(f"Unknown output stream, logging level, or invalid stream {output_stream!r}")


def print_(*inputs, sep=" ", end="\n", output_stream=None, summarize=3, name=None):
    if state.graph is not None:     # a node that prints when it is run
        from tensorflow._graph import graph_group
        return graph_group([_printed(list(inputs), sep, end, output_stream, summarize, name=name or "PrintV2")], "print")
    later = []          # tensors whose values are known when the function runs

    def keep(x):
        x = as_tensor(x) if getattr(x, "dtype", None) is not _string else x
        if x.dtype is _string or not _w.about(x, "symbolic"):
            return _Shown(shown(x, summarize))
        later.append(x)
        return _Later(len(later) - 1)
    kept = [_replaced(x, keep) for x in inputs]

    def write(*values):
        for k, v in enumerate(values):
            _Later.texts[k] = shown(v, summarize)
        _write(sep.join([_plain(x) for x in kept]) + end, output_stream)
        return []
    if later or state.funcs or state.run is not None:
        _w.callback(write, later, [], [], True, "loop")
    elif not state.inferring:
        write()


@op("PrintV2")
def _printed(inputs, sep, end, output_stream, summarize):
    print_(*inputs, sep=sep, end=end, output_stream=output_stream, summarize=summarize)
    return as_tensor(0)


@op("Print")
def Print(input_, data, message=None, first_n=None, summarize=None):
    # version 1's: message and data, each in brackets where it is one number
    left = [-1 if first_n is None else first_n]

    def write(*values):
        if left[0]:
            left[0] -= 1
            texts = [shown(v, 3 if summarize is None else summarize) for v in values]
            sys.stderr.write((message or "") + "".join([t if t.startswith("[") else "[" + t + "]" for t in texts]) + "\n")
        return []
    _w.callback(write, [as_tensor(x) for x in data], [], [], True, "loop")
    return as_tensor(input_)


class _Later:
    # the text of a tensor that is known when the line is written
    texts = {}

    def __init__(self, k):
        self.k = k

    def __repr__(self):
        return _Later.texts[self.k]
