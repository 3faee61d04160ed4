"""Weft: programs of arrays that are differentiated, batched, compiled, trained, saved and exported.

    import numpy as np, weft

    model = weft.load("net.weft")              any format Weft opens: .weft, .onnx, .wir ..
    y = model.forward(x)                       NumPy, torch, JAX arrays: not copied; the GIL is free meanwhile

    def loss(w, x, t):
        return np.mean((np.tanh(x @ w) - t) ** 2)

    dw = weft.grad(loss)(w, x, t)              also vmap, jit, jvp, vjp, jacfwd, jacrev, hessian, in any order
    p = weft.trace(loss, "f32[3]", "f32[N,3]", "f32[N]")
    print(p); p.grad("w").save("dloss.weft")

    torch.compile(net, backend="weft")         registered by this package
"""
import os as _os

from . import _weft
from ._errors import (BY_STATUS as _BY_STATUS, ArgumentError, CheckError, DTypeError, Error, FileError, FormatError, GuardError,
                      OutOfRangeError, InternalError, UnknownNameError, NoRuleError, ShapeError, ParseError, TraceError, UnsupportedError)
from ._program import Method, Model, Program
from ._weft import Array, Builder, Executable, Value, build_info, ops

_weft.register(Model, Program, _BY_STATUS)

from ._trace import (Jitted, Size, Tensor, checkpoint, cond, grad, hessian, jacfwd, jacrev, jit, jvp, scan, trace,  # noqa: E402
                     value_and_grad, vjp, vmap, while_loop)

__version__ = _weft.version()


def load(path, inputs=None, copy=False):
    """A model from a file of any format Weft opens: .weft, .wir, safetensors, .onnx ..

    inputs: what a file of another system leaves open, by the name of the input: a type as text, or an array, which is then no
    input any more. copy: read into memory, for files that others may shorten meanwhile.
    """
    return Model._open(_os.fspath(path), None, "", inputs, copy)


def loads(data, name="<bytes>", inputs=None):
    """A model from bytes (or text) of such a file."""
    return Model._open(None, data.encode() if isinstance(data, str) else bytes(data), name, inputs, False)


def save(path, *programs, **tensors):
    """Programs, and tensors by name, as a file."""
    m = Model()
    for p in programs:
        m.add(p)
    for name, a in tensors.items():
        m.tensors[name] = a
    m.save(path)


def compile(f, *, exact=False):  # noqa: A001
    """Machine code: of a Program or a method an executable, of a function one at the first call of each signature."""
    if isinstance(f, (Program, Method)):
        return f.compile(exact=exact)
    return jit(f, compile=True)


def from_onnx(model, inputs=None):
    """A model from an ONNX file, bytes, or an onnx.ModelProto."""
    if hasattr(model, "SerializeToString"):
        return loads(model.SerializeToString(), "model.onnx", inputs)
    if isinstance(model, (bytes, bytearray)):
        return loads(model, "model.onnx", inputs)
    return load(model, inputs)


def from_torch(exported, name="forward"):
    """A model from torch.export.export(..): the method forward, parameters and buffers as tensors by their names."""
    from .torch import from_exported
    return from_exported(exported, name)


def from_jax(f, *args, **kwargs):
    """A program of a JAX function, by its StableHLO; args are arrays or jax.ShapeDtypeStruct, or trees of them."""
    from .jax import from_function
    return from_function(f, *args, **kwargs)
