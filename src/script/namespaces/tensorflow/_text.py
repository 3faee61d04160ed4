# tensorflow._text -- tensors as tf.print shows them.
import sys

import _tf as _w
import numpy as _np
from tensorflow._base import as_tensor
from tensorflow._strings import string as _string


def _text_of(v):
    # texts as tf.print shows them
    return "[" + " ".join(['"' + _text_of(x) + '"' if not isinstance(x, list) else _text_of(x) for x in v]) + "]" if isinstance(v, list) else v.decode()


def shown(x, summarize=3):
    # as tf.print writes it
    if isinstance(x, _w.Tensor) or hasattr(x, "__tensor__"):
        x = as_tensor(x)
        if _w.about(x, "symbolic"):
            return "{}"
        return _w.text(_np._w.wrap(x), "numpy") if x.ndim else str(x.item()) if not x.dtype.is_floating else f"{x.item():g}"
    if getattr(x, "dtype", None) is _string:
        return _text_of(x._value)
    return str(x)


def print_(*inputs, sep=" ", end="\n", output_stream=None, summarize=3):
    xs = [as_tensor(x) for x in inputs if (isinstance(x, _w.Tensor) or hasattr(x, "__tensor__")) and _w.about(as_tensor(x), "symbolic")]
    text = sep.join([shown(x) for x in inputs])
    if xs:
        _w.print_now(text, xs)
    else:
        print(text, end=end, file=sys.stdout if output_stream is sys.stdout else sys.stderr)
