# torch.serialization -- save and load: PyTorch's own files. A zip archive of a pickle (protocol 2) and of the storages its
# tensors are views of; read by the engine, which makes values of a list of names and calls nothing (src/torchfile).
import os as _os
import pickle as _pickle
from collections import OrderedDict, defaultdict, Counter

import _torch as _w
import torch
from torch._types import Size, device as _device, number_of
from torch.nn.parameter import Parameter

_DTYPES = ("float32 float64 float16 bfloat16 uint8 int8 int16 int32 int64 bool complex64 complex128 uint16 uint32 "
           "uint64 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu").split(" ")
_STORAGES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "uint8": "Byte", "int8": "Char",
             "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool", "complex64": "ComplexFloat",
             "complex128": "ComplexDouble"}
_FACTORIES = {"list": list, "dict": dict, "set": set, "int": int, "float": float, "str": str, "bool": bool, "tuple": tuple}


# ---- writing ----------------------------------------------------------------------------------------

class _Pickler(_pickle._Writer):
    def __init__(self):
        super().__init__(2)
        self.storages = {}      # what memory it is: its key
        self.keys = {}          # key: vector, in order

    def special(self, x, c):
        if isinstance(x, _w.Tensor) and type(x).__module__ != "numpy":
            self.tensor(x)
            return True
        if isinstance(x, Size):
            self.call("torch", "Size", tuple(x))
        elif isinstance(x, torch.sparse.SparseTensor):
            self.sparse(x)
        elif isinstance(x, _device):
            self.call("torch", "device", *([x.type] if x.index is None else [x.type, x.index]))
        else:
            return super().special(x, c)
        self.remember(x)
        return True

    def tensor(self, t):
        # A parameter is a tensor in a coat; the rest is the storage and how it is seen.
        if isinstance(t, Parameter):
            self.name("torch._utils", "_rebuild_parameter")
            self.view(t, False)
            self.out.append(b"\x88" if t.requires_grad else b"\x89")
            self.name("collections", "OrderedDict")
            self.out.append(b")R\x87R")
        else:
            self.view(t, t.requires_grad)
        self.remember(t)

    def sparse(self, t):
        self.name("torch._utils", "_rebuild_sparse_tensor")
        self.out.append(b"(")
        self.call("torch.serialization", "_get_layout", str(t.layout))
        if t.is_sparse_csr:
            self.put((t.crow_indices(), t.col_indices(), t.values(), t.shape))
        else:
            self.put((t._indices(), t._values(), t.shape, t.is_coalesced()))
        self.out.append(b"tR")

    def view(self, t, grad):
        where = str(t.device)
        if where == "meta":
            raise NotImplementedError("torch.save: a tensor without numbers (device meta)")
        x = t if where == "cpu" else t.detach().cpu()
        identity, base, offset, strides = _w.storage_of(x)
        dtype = x.dtype.name
        at = (identity, base.storage_offset(), base.numel(), dtype)
        if at not in self.storages:
            self.storages[at] = str(len(self.keys))
            self.keys[self.storages[at]] = base
            self.kept.append(x)
        typed = dtype in _STORAGES
        self.name("torch._utils", "_rebuild_tensor_v2" if typed else "_rebuild_tensor_v3")
        self.out.append(b"((")
        self.put("storage")
        if typed:
            self.name("torch", _STORAGES[dtype] + "Storage")
        else:
            self.name("torch.storage", "UntypedStorage")
        self.put(self.storages[at])
        self.put(where)
        self.put(base.numel() * (1 if typed else x.dtype.itemsize))
        self.out.append(b"tQ")
        self.put(offset)
        self.put(tuple(x.shape))
        self.put(tuple(strides))
        self.put(bool(grad))
        self.name("collections", "OrderedDict")
        self.out.append(b")R")
        if not typed:
            self.name("torch", dtype)
        self.out.append(b"tR")


def _path(f):
    return _os.fspath(f) if hasattr(f, "__fspath__") else f


def _folder(f):
    name = _os.path.basename(f) if isinstance(f, str) else ""
    stem = name[:name.rfind(".")] if name.rfind(".") > 0 else name
    return stem or "archive"


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, _disable_byteorder_record=False):
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("torch.save: the format before PyTorch 1.6 is read, not written")
    if pickle_module is not None and getattr(pickle_module, "__name__", "") != "pickle":
        raise NotImplementedError("torch.save: pickles are written by one module, pickle")
    if pickle_protocol != 2:
        raise NotImplementedError("torch.save: pickles are written as protocol 2")
    f = _path(f)
    p = _Pickler()
    p.put(obj)
    p.out.append(b".")
    folder = _folder(f) + "/"
    names = [folder + "data.pkl"]
    contents = [b"".join(p.out)]
    if not _disable_byteorder_record:
        names.append(folder + "byteorder")
        contents.append(b"little")
    for key, t in p.keys.items():
        names.append(folder + "data/" + key)
        contents.append(t)
    names.append(folder + "version")
    contents.append(b"3\n")
    if isinstance(f, str):
        _w.write_zip(f, names, contents)
    else:
        f.write(_w.write_zip(None, names, contents))


# ---- reading ----------------------------------------------------------------------------------------

class _NumpyType:
    def __init__(self, code):
        self.code = code
        self.order = "<"

    def array(self, data, shape, fortran=False):
        import numpy
        a = numpy.frombuffer(data, (self.order if self.order in "<>" else "") + self.code)
        return a.reshape(shape, order="F") if fortran else a.reshape(shape)


def _placed(t, where, to):
    # A tensor of the file that was on a device, where map_location wants it.
    if to is None or isinstance(to, dict):
        to = where if to is None else to.get(where, where)
        if str(to).startswith("cuda") and not torch.cuda.is_available():
            raise RuntimeError("Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you "
                               "are running on a CPU-only machine, please use torch.load with "
                               "map_location=torch.device('cpu') to map your storages to the CPU.")
    elif not isinstance(to, (str, _device)):
        moved = to(t, where)
        return t if moved is None else moved
    n = number_of(to)
    return _w.to_device(t, n) if n else t


class Reader:
    # What values of a file that are more than plain become.
    def __init__(self, map_location=None):
        self.map_location = map_location

    def make(self, kind, name, a, b):
        if kind == "tensor":
            grad, param = b
            t = a if name == "cpu" and self.map_location is None else _placed(a, name, self.map_location)
            if param:
                return Parameter(t, grad)
            return t.requires_grad_() if grad else t
        if kind == "long":
            return int.from_bytes(a, "little", signed=True)
        if kind == "name":
            return self.named(name)
        if kind == "set":
            return frozenset(a) if name else set(a)
        if kind == "dict":
            return self.dictionary(name, a, b)
        if kind == "call":
            return self.called(name, a, b)
        return self.object(name, a, b)

    def object(self, name, args, state):
        raise RuntimeError(f"torch.load: an object of '{name}'; torch.jit.load reads such files")

    def named(self, name):
        last = name[name.rfind(".") + 1:]
        if name.startswith("torch.") and last in _DTYPES:
            return getattr(torch, last)
        if name.startswith(("builtins.", "__builtin__.")) and last in _FACTORIES:
            return _FACTORIES[last]
        raise _pickle.UnpicklingError(f"torch.load: the name '{name}' as a value")

    def dictionary(self, name, d, state):
        if name == "collections.defaultdict":
            out = defaultdict(state)
            out.update(d)
            return out
        if name == "collections.Counter":
            return Counter(d)
        out = OrderedDict(d)
        if isinstance(state, dict):
            for k, v in state.items():
                setattr(out, k, v)
        return out

    def called(self, name, args, state):
        if name == "torch.Size":
            return Size(*args)
        if name == "torch.device":
            return _device(*args)
        if name == "builtins.complex":
            return complex(*args)
        if name == "builtins.bytearray":
            return bytearray(*args)
        if name == "torch.serialization._get_layout":
            return {"torch.sparse_coo": torch.sparse_coo, "torch.sparse_csr": torch.sparse_csr}.get(args[0], torch.strided)
        if name == "torch._utils._rebuild_sparse_tensor":
            return self.sparse(*args)
        if name == "numpy.dtype":
            d = _NumpyType(args[0])
            if state is not None:
                d.order = state[1]
            return d
        if name == "numpy.core.multiarray.scalar":
            return args[0].array(args[1], ())[()]
        if name == "numpy.core.multiarray._reconstruct" and state is not None:
            return state[2].array(state[4], state[1], state[3])
        raise _pickle.UnpicklingError(f"torch.load: a call of '{name}'")

    def sparse(self, layout, parts):
        if layout is torch.sparse_coo:
            return torch.sparse_coo_tensor(*parts[:3], is_coalesced=parts[3] if len(parts) > 3 else None, check_invariants=True)
        if layout is not torch.sparse_csr:
            raise _pickle.UnpicklingError("torch.load: a sparse tensor that is neither COO nor CSR")
        return torch.sparse_csr_tensor(*parts, check_invariants=True)


def read(f, reader):
    # (what was saved, constants, entries) of a path or of what is open.
    data = None
    f = _path(f)
    name = str(f)
    if not isinstance(f, str):
        data = bytes(f.read())
        name = str(getattr(f, "name", "<bytes>"))
    elif not _os.path.exists(f):
        raise FileNotFoundError(2, "No such file or directory", f)
    try:
        return _w.read_torch(name, data, reader.make)
    except ValueError as e:
        if str(e).find("none of the names that are data") >= 0:
            raise _pickle.UnpicklingError("Weights only load failed. " + str(e)) from None
        raise RuntimeError(str(e)) from None


# ---- objects: with weights_only=False, classes of the program and of the libraries are looked up by their names

def _storages(archive, folder, map_location):
    found = {}

    def storage(pid):
        _, kind, key, where, n = pid
        if key not in found:
            dtype = kind if isinstance(kind, _w.dtype) else torch.uint8
            raw = archive.read(folder + "data/" + key)
            found[key] = (torch.frombuffer(bytearray(raw), dtype=dtype) if raw else torch.empty(0, dtype=dtype)), where
        return found[key]
    return storage


def _tensor(map_location):
    def rebuilt(storage, offset, size, stride, grad, hooks=None, dtype=None, metadata=None):
        flat, where = storage
        if isinstance(dtype, _w.dtype):
            flat = flat.view(dtype)
        t = _placed(flat.as_strided(size, stride, offset), where, map_location)
        return t.requires_grad_() if grad else t
    return rebuilt


_safe = []      # classes and functions that load(weights_only=True) may use


def add_safe_globals(safe_globals):
    _safe.extend(safe_globals)


def get_safe_globals():
    return list(_safe)


def clear_safe_globals():
    _safe.clear()


class safe_globals:
    def __init__(self, safe_globals):
        self.given = list(safe_globals)

    def __enter__(self):
        self.before = list(_safe)
        _safe.extend(self.given)

    def __exit__(self, kind, value, trace):
        _safe[:] = self.before


def _is_safe(x):
    known = (OrderedDict, defaultdict, Counter, set, frozenset, int, float, str, bool, list, dict, tuple, complex, bytearray)
    return any([x is s for s in known + tuple(_pickle._DATA.values()) + tuple(_safe)]) or getattr(x, "__name__", "") == "ndarray"


def _objects(f, map_location, all_of_them=True):
    import zipfile
    archive = zipfile.ZipFile(f)
    folder = next(n for n in archive.namelist() if n.endswith("data.pkl"))[:-len("data.pkl")]
    kinds = {v + "Storage": getattr(torch, k) for k, v in _STORAGES.items()}
    rebuilt = _tensor(map_location)

    def find(module, name):
        if module in ("torch", "torch.storage") and (name in kinds or name == "UntypedStorage"):
            return kinds.get(name, name)
        if module == "torch._utils":
            if name in ("_rebuild_tensor_v2", "_rebuild_tensor_v3"):
                return rebuilt
            if name == "_rebuild_parameter":
                return lambda data, grad, hooks: Parameter(data.detach(), grad)
        x = _pickle._find(module, name)
        if not all_of_them and not _is_safe(x):
            raise _pickle.UnpicklingError(f"Weights only load failed. GLOBAL {module}.{name} was not an allowed global by default. Please use "
                                          f"`torch.serialization.add_safe_globals([{name}])` to allowlist this global if you trust this class/function.")
        return x
    return _pickle._Reader(archive.read(folder + "data.pkl"), find=find, persistent=_storages(archive, folder, map_location)).run()


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None):
    # Files are mapped while they are read.
    f = _path(f)
    if mmap and not isinstance(f, str):
        raise ValueError("f must be a file path in order to use the mmap argument")
    if pickle_module is not None and weights_only:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    at = None if isinstance(f, str) else f.tell()
    try:
        root, _, entries = read(f, Reader(map_location))
    except _pickle.UnpicklingError:
        if weights_only and not _safe:
            raise
        if at is not None:
            f.seek(at)
        return _objects(f, map_location, not weights_only)
    if any([n.startswith("code/") for n in entries]):
        raise RuntimeError(f"{f} is a TorchScript archive: use torch.jit.load")
    return root
