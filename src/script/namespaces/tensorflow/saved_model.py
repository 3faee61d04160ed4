# tensorflow.saved_model -- functions with signatures in files. What is written has variables as constants.
import os as _os

import _tf as _w
from tensorflow import _saved
from tensorflow._base import as_tensor as _as_tensor, state as _state, TensorSpec as _TensorSpec, TensorShape as _TensorShape
from tensorflow._function import Function as _Function

DEFAULT_SERVING_SIGNATURE_DEF_KEY, PREDICT_METHOD_NAME = _saved.DEFAULT, _saved.PREDICT
SERVING, TRAINING, GPU, TPU = _saved.SERVING, _saved.TRAINING, "gpu", "tpu"


class SaveOptions:
    def __init__(self, **options):
        if options:
            raise NotImplementedError(f"SaveOptions: {', '.join(options)}")


def contains_saved_model(export_dir):
    return _os.path.exists(str(export_dir) + "/saved_model.pb")


def _function_of(obj, signatures):
    if isinstance(signatures, dict):
        if len(signatures) != 1 or _saved.DEFAULT not in signatures:
            raise NotImplementedError("saved_model.save: one signature, serving_default")
        signatures = signatures[_saved.DEFAULT]
    f = signatures
    if f is None:
        f = type(obj).__dict__.get("__call__")
        f = f.__get__(obj) if isinstance(f, _Function) else None
    if not isinstance(f, _Function) or f._signature is None:
        raise NotImplementedError("saved_model.save: signatures must be a tf.function with an input_signature")
    return f


def save(obj, export_dir, signatures=None, options=None):
    if options is not None and not isinstance(options, SaveOptions):
        raise TypeError(f"saved_model.save: options {options!r}")
    f = _function_of(obj, signatures)
    code = getattr(getattr(f, "_target", (f.python_function, None))[0], "__code__", None)
    known = [n for n in code.co_varnames[:code.co_argcount] if n != "self"] if code is not None else []
    specs = list(f._signature)
    names = [s.name or (known[i] if i < len(known) else f"args_{i}") for i, s in enumerate(specs)]
    keys = []

    def body(*xs):
        _w.name_inputs(xs, ["serving_default_" + n for n in names])
        funcs, _state.funcs = _state.funcs, []
        try:
            out = f.python_function(*xs)
        finally:
            _state.funcs = funcs
        if not isinstance(out, dict):
            out = {f"output_{i}": t for i, t in enumerate(out if isinstance(out, (list, tuple)) else [out])}
        keys[:] = sorted(out)
        found = [_as_tensor(out[k]) for k in keys]
        kinds[:] = [(_TensorShape([d if isinstance(d, int) else None for d in t.shape]), t.dtype) for t in found]
        return found
    kinds = []
    graph = _saved.graph_bytes(body, [(s.shape, s.dtype) for s in specs], [f"StatefulPartitionedCall_{i}" for i in range(64)])
    info = _saved.TensorInfo
    signature = _saved.SignatureDef({n: info(f"serving_default_{n}:0", s.dtype, s.shape) for n, s in zip(names, specs)},
                                    {k: info(f"StatefulPartitionedCall_{i}:0", d, s) for i, (k, (s, d)) in enumerate(zip(keys, kinds))})
    _saved.write(str(export_dir), graph, [_saved.SERVING], {_saved.DEFAULT: signature})


class _Loaded:
    pass


def load(export_dir, tags=None, options=None):
    folder = str(export_dir)
    if options is not None:
        raise NotImplementedError("saved_model.load: options")
    m = _Loaded()
    m.signatures = _saved.functions_of(folder, _saved.signatures_of(folder, [tags] if isinstance(tags, str) else tags))
    return m
