# torch.serialization -- save and load: a safetensors file. Tensors are its tensors, in the
# order they are met; the tree around them is JSON in its metadata.
import json as _json
from collections import OrderedDict

import _torch as _w
from torch.nn.parameter import Parameter

_MARK = "torch.tree"


def _packed(x, tensors):
    if isinstance(x, _w.Tensor):
        for k, t in enumerate(tensors):
            if t is x:
                return {"t": k}
        tensors.append(x)
        d = {"t": len(tensors) - 1}
        if isinstance(x, Parameter):
            d["p"] = True
        if x.requires_grad:
            d["g"] = True
        return d
    if x is None or isinstance(x, (bool, str)):
        return {"v": x}
    if isinstance(x, int):
        return {"v": x}
    if isinstance(x, float):
        return {"f": repr(x)}
    if isinstance(x, dict):
        kind = "o" if isinstance(x, OrderedDict) else "d"
        return {kind: [[_packed(k, tensors), _packed(v, tensors)] for k, v in x.items()]}
    if isinstance(x, tuple):
        return {"u": [_packed(v, tensors) for v in x]}
    if isinstance(x, list):
        return {"l": [_packed(v, tensors) for v in x]}
    if isinstance(x, (set, frozenset)):
        return {"s": [_packed(v, tensors) for v in x]}
    if isinstance(x, _w.dtype):
        return {"y": x.name}
    raise TypeError(f"torch.save: a value of type {type(x).__name__} cannot be saved: save its state_dict(), or a "
                    "nest of dicts, lists, tuples, tensors, numbers and strings")


def _unpacked(d, tensors):
    for key, v in d.items():
        if key == "t":
            t = tensors[v]
            if d.get("p"):
                return Parameter(t, bool(d.get("g")))
            return t.requires_grad_() if d.get("g") and not t.requires_grad else t
        if key == "v":
            return v
        if key == "f":
            return float(v)
        if key in ("d", "o"):
            pairs = [(_unpacked(k, tensors), _unpacked(x, tensors)) for k, x in v]
            return OrderedDict(pairs) if key == "o" else dict(pairs)
        if key == "u":
            return tuple([_unpacked(x, tensors) for x in v])
        if key == "l":
            return [_unpacked(x, tensors) for x in v]
        if key == "s":
            return set([_unpacked(x, tensors) for x in v])
        if key == "y":
            return getattr(_w, v + ("_" if v == "bool" else ""))
    raise RuntimeError("torch.load: the tree in the file is not understood")


def _path(f):
    if hasattr(f, "name"):
        return f.name
    return str(f)


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True):
    tensors = []
    tree = _packed(obj, tensors)
    names = [f"t{k}" for k in range(len(tensors))]
    _w.save_tensors(_path(f), names, [_w.detach(t) for t in tensors], _MARK, _json.dumps(tree))


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, **options):
    import os
    if not os.path.exists(_path(f)):
        raise FileNotFoundError(2, "No such file or directory", _path(f))
    names, tensors, tree = _w.load_tensors(_path(f), _MARK)
    by_name = dict(zip(names, tensors))
    if tree is None:  # a safetensors file of somebody else
        return OrderedDict(zip(names, tensors))
    count = len(names)
    return _unpacked(_json.loads(tree), [by_name[f"t{k}"] for k in range(count)])
