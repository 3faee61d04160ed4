# torch.ops -- functions by the names of their kernels: torch.ops.aten.add.Tensor(x, y) is torch.add; those that a script registers
# with torch.library under their own.
import sys as _sys

import torch as _torch

registered = {}     # "namespace::name": the function


class _Schema:
    def __init__(self, name, overload):
        self.name, self.overload_name = name, overload

    @property
    def is_mutable(self):
        base = self.name.rpartition("::")[2]
        return base.endswith("_") and not base.endswith("__") or self.overload_name == "out"


def _called(op, args, kwargs):
    # of Proxies, where torch.fx is in use: a node of their graph
    fx = _sys.modules.get("torch.fx._trace")
    p = fx and fx.has_proxy((args, kwargs))
    return op._fn(*args, **kwargs) if p is None else p.tracer.create_proxy("call_function", op, args, kwargs)


class OpOverload:
    def __init__(self, space, name, overload, fn):
        self._space, self._name, self._overload, self._fn = space, name, overload, fn
        self.__name__, self.__module__ = f"{name}.{overload}", "torch._ops." + space
        self._schema = _Schema(f"{space}::{name}", "" if overload == "default" else overload)

    def __call__(self, *args, **kwargs):
        return _called(self, args, kwargs)

    def name(self):
        return f"{self._space}::{self._name}" + ("" if self._overload == "default" else "." + self._overload)

    def __repr__(self):
        return f"<OpOverload(op='{self._space}.{self._name}', overload='{self._overload}')>"

    def __str__(self):
        return f"{self._space}.{self._name}.{self._overload}"

    def __eq__(self, other):
        return isinstance(other, OpOverload) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


class OpOverloadPacket:
    def __init__(self, space, name, fn):
        self._space, self._name, self._fn, self.__name__, self.__module__ = space, name, fn, name, "torch._ops." + space

    def __call__(self, *args, **kwargs):
        return _called(self, args, kwargs)

    def __getattr__(self, overload):
        if overload.startswith("__"):
            raise AttributeError(overload)
        return OpOverload(self._space, self._name, overload, self._fn)

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self._space}.{self._name}')>"

    def __str__(self):
        return f"{self._space}.{self._name}"


def _record_enter(name, args=None):
    from torch.profiler import record_function
    return record_function(name, args).__enter__()


registered["profiler::_record_function_enter"] = _record_enter
registered["profiler::_record_function_exit"] = lambda handle: handle.__exit__(None, None, None)


class _Namespace:
    def __init__(self, space):
        self._space = space

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        fn = registered.get(f"{self._space}::{name}")
        if fn is None and self._space == "aten":
            fn = getattr(_torch, name, None) or getattr(_torch.nn.functional, name, None) or getattr(_torch.Tensor, name, None)
            if fn is None:
                from torch.jit import _aten
                fn = _aten.find(name)
        if fn is None:
            raise AttributeError(f"'_OpNamespace' '{self._space}' object has no attribute '{name}'")
        return OpOverloadPacket(self._space, name, fn)


def load_library(path):
    raise OSError(f"torch.ops.load_library: {path} is machine code for the library itself, which cannot be loaded here")


loaded_libraries = set()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Namespace(name)
