# torch.serialization -- save and load: PyTorch's own files. A zip archive of a pickle (protocol 2) and of the storages its
# tensors are views of; read by the engine, which makes values of a list of names and calls nothing (src/torchfile).
import os as _os
import pickle as _pickle
import struct as _struct
from collections import OrderedDict, defaultdict, Counter

import _torch as _w
import torch
from torch._types import Size, device as _device, number_of
from torch.nn.parameter import Parameter

_DTYPES = ("float32 float64 float16 bfloat16 uint8 int8 int16 int32 int64 bool complex64 complex128 uint16 uint32 "
           "uint64").split(" ")
_STORAGES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "uint8": "Byte", "int8": "Char",
             "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool", "complex64": "ComplexFloat",
             "complex128": "ComplexDouble"}
_FACTORIES = {"list": list, "dict": dict, "set": set, "int": int, "float": float, "str": str, "bool": bool, "tuple": tuple}


# ---- writing ----------------------------------------------------------------------------------------

class _Pickler:
    def __init__(self):
        self.out = [b"\x80\x02"]
        self.memo = {}          # id: number
        self.kept = []          # what has an id there stays alive
        self.storages = {}      # what memory it is: its key
        self.keys = {}          # key: vector, in order

    def remember(self, x):
        n = len(self.memo)
        self.memo[id(x)] = n
        self.kept.append(x)
        self.out.append(b"q" + bytes([n]) if n < 256 else b"r" + n.to_bytes(4, "little"))

    def name(self, module, name):
        self.out.append(b"c" + f"{module}\n{name}\n".encode())

    def call(self, module, name, *args):
        self.name(module, name)
        self.put(args)
        self.out.append(b"R")

    def put(self, x):
        c = type(x)
        if x is None or c is bool:
            self.out.append(b"N" if x is None else b"\x88" if x else b"\x89")
        elif c is int:
            self.integer(x)
        elif c is float:
            self.out.append(b"G" + _struct.pack(">d", x))
        elif c is str:
            b = x.encode()
            self.out.append(b"X" + len(b).to_bytes(4, "little") + b)
        elif id(x) in self.memo:
            n = self.memo[id(x)]
            self.out.append(b"h" + bytes([n]) if n < 256 else b"j" + n.to_bytes(4, "little"))
        elif isinstance(x, _w.Tensor):
            self.tensor(x)
        elif c is tuple:
            self.items(x, [b")", b"\x85", b"\x86", b"\x87"][len(x)] if len(x) <= 3 else b"t", len(x) > 3)
            if x:
                self.remember(x)
        elif c is list:
            self.out.append(b"]")
            self.remember(x)
            if x:
                self.items(x, b"e", True)
        elif c in (dict, OrderedDict, defaultdict, Counter):
            self.dictionary(x, c)
        elif c is set or c is frozenset:
            self.call("__builtin__", c.__name__, list(x))
            self.remember(x)
        else:
            self.other(x, c)

    def items(self, values, end, marked):
        if marked:
            self.out.append(b"(")
        for v in values:
            self.put(v)
        self.out.append(end)

    def integer(self, x):
        if 0 <= x < 256:
            self.out.append(b"K" + bytes([x]))
        elif 0 <= x < 65536:
            self.out.append(b"M" + x.to_bytes(2, "little"))
        elif -0x80000000 <= x < 0x80000000:
            self.out.append(b"J" + x.to_bytes(4, "little", signed=True))
        else:
            b = x.to_bytes(x.bit_length() // 8 + 1, "little", signed=True)
            if len(b) > 255:
                raise OverflowError("torch.save: an int of more than 255 bytes")
            self.out.append(b"\x8a" + bytes([len(b)]) + b)

    def dictionary(self, x, c):
        if c is dict:
            self.out.append(b"}")
        elif c is defaultdict:
            f = x.default_factory
            if f is not None and f not in _FACTORIES.values():
                raise TypeError(f"torch.save: a defaultdict whose factory is {f!r} cannot be saved")
            self.name("collections", "defaultdict")
            if f is None:
                self.out.append(b"N")
            else:
                self.name("__builtin__", f.__name__)
            self.out.append(b"\x85R")
        elif c is Counter:
            self.call("collections", "Counter", dict(x))
            self.remember(x)
            return
        else:
            self.name("collections", "OrderedDict")
            self.out.append(b")R")
        self.remember(x)
        if x:
            self.out.append(b"(")
            for k, v in x.items():
                self.put(k)
                self.put(v)
            self.out.append(b"u")

    def other(self, x, c):
        if c is bytes:
            self.call("_codecs", "encode", x.decode("latin1"), "latin1")
        elif c is bytearray:
            self.name("__builtin__", "bytearray")
            self.call("_codecs", "encode", bytes(x).decode("latin1"), "latin1")
            self.out.append(b"\x85R")
        elif c is complex:
            self.call("__builtin__", "complex", x.real, x.imag)
        elif isinstance(x, _w.dtype):
            self.name("torch", x.name)
        elif isinstance(x, Size):
            self.call("torch", "Size", tuple(x))
        elif isinstance(x, _device):
            self.call("torch", "device", *([x.type] if x.index is None else [x.type, x.index]))
        elif isinstance(x, int) and hasattr(x, "__index__"):
            self.integer(int(x))
        elif isinstance(x, float):
            self.put(float(x))
        else:
            raise TypeError(f"torch.save: a value of type {c.__name__} cannot be saved: save its state_dict(), or a "
                            "nest of dicts, lists, tuples, tensors, numbers and strings")
        self.remember(x)

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


def _folder(f):
    name = _os.path.basename(str(f)) if isinstance(f, (str, _os.PathLike)) else ""
    stem = name[:name.rfind(".")] if name.rfind(".") > 0 else name
    return stem or "archive"


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, _disable_byteorder_record=False):
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("torch.save: the format before PyTorch 1.6 is read, not written")
    if pickle_module is not None and getattr(pickle_module, "__name__", "") != "pickle":
        raise NotImplementedError("torch.save: pickles are written by one module, pickle")
    if pickle_protocol != 2:
        raise NotImplementedError("torch.save: pickles are written as protocol 2")
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
    if isinstance(f, (str, _os.PathLike)):
        _w.write_zip(str(f), names, contents)
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
            return torch.strided
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


def read(f, reader):
    # (what was saved, constants, entries) of a path or of what is open.
    data = None
    name = str(f)
    if not isinstance(f, (str, _os.PathLike)):
        data = bytes(f.read())
        name = str(getattr(f, "name", "<bytes>"))
    elif not _os.path.exists(f):
        raise FileNotFoundError(2, "No such file or directory", str(f))
    try:
        return _w.read_torch(name, data, reader.make)
    except ValueError as e:
        if str(e).find("none of the names that are data") >= 0:
            raise _pickle.UnpicklingError("Weights only load failed. " + str(e)) from None
        raise RuntimeError(str(e)) from None


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None):
    # weights_only=False allows no more: objects other than data are refused either way. Files are mapped while they are read.
    if mmap and not isinstance(f, (str, _os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    if pickle_module is not None and weights_only:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    root, _, entries = read(f, Reader(map_location))
    if any([n.startswith("code/") for n in entries]):
        raise RuntimeError(f"{f} is a TorchScript archive: use torch.jit.load")
    return root
