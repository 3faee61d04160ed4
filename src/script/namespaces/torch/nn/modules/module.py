# torch.nn.modules.module -- Module: a tree of parameters, buffers and other modules.
import copy as _copy
from collections import OrderedDict, namedtuple

import _torch as _w
from torch._grad import new_handle, no_grad
from torch._types import number_of, dtype as _dtype, device as _device
from torch.nn.parameter import Parameter, Buffer


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


def _indented(text, n):
    lines = text.split("\n")
    return "\n".join([lines[0]] + [" " * n + line for line in lines[1:]])


class _WithKwargs:
    # a hook that also takes the keywords of the call
    def __init__(self, hook):
        self.hook = hook


class Module:
    training = True
    dump_patches = False
    call_super_init = False

    def __init__(self, *args, **kwargs):
        set_ = object.__setattr__
        set_(self, "training", True)
        set_(self, "_parameters", {})
        set_(self, "_buffers", {})
        set_(self, "_non_persistent_buffers_set", set())
        set_(self, "_modules", {})
        set_(self, "_forward_hooks", {})
        set_(self, "_forward_pre_hooks", {})
        set_(self, "_backward_hooks", {})

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        if not self._forward_pre_hooks and not self._forward_hooks and not self._backward_hooks:
            return self.forward(*args, **kwargs)
        for hook in list(self._forward_pre_hooks.values()):
            with_kwargs = isinstance(hook, _WithKwargs)
            r = hook.hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if r is not None and with_kwargs:
                args, kwargs = r
            elif r is not None:
                args = r if isinstance(r, tuple) else (r,)
        if self._backward_hooks:
            args, seen = _watch_inputs(self, args)
        try:
            out = self.forward(*args, **kwargs)
        except Exception:
            always = vars(self).get("_always_called", [])
            for hook in [h for h in self._forward_hooks.values() if any([h is a for a in always])]:
                hook.hook(self, args, kwargs, None) if isinstance(hook, _WithKwargs) else hook(self, args, None)
            raise
        for hook in list(self._forward_hooks.values()):
            r = hook.hook(self, args, kwargs, out) if isinstance(hook, _WithKwargs) else hook(self, args, out)
            if r is not None:
                out = r
        return _watch_output(out, seen) if self._backward_hooks else out

    _w.relay(__call__, "forward", ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks"))

    # ---- attributes

    def __getattr__(self, name):
        d = self.__dict__
        if "_parameters" in d:
            if name in d["_parameters"]:
                return d["_parameters"][name]
            if name in d["_buffers"]:
                return d["_buffers"][name]
            if name in d["_modules"]:
                return d["_modules"][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    _w.relay(__getattr__, None, ("_parameters", "_buffers", "_modules"))

    def __setattr__(self, name, value):
        d = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in d:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            _forget(d, name, "_parameters")
            self.register_parameter(name, value)
            return
        if isinstance(value, Module):
            if "_modules" not in d:
                raise AttributeError("cannot assign module before Module.__init__() call")
            _forget(d, name, "_modules")
            d["_modules"][name] = value
            return
        if "_parameters" in d:
            if name in d["_parameters"]:
                if value is not None:
                    raise TypeError(f"cannot assign '{_type_text(value)}' as parameter '{name}' "
                                    "(torch.nn.Parameter or None expected)")
                d["_parameters"][name] = None
                return
            if name in d["_modules"]:
                if value is not None:
                    raise TypeError(f"cannot assign '{_type_text(value)}' as child module '{name}' "
                                    "(torch.nn.Module or None expected)")
                d["_modules"][name] = None
                return
            if isinstance(value, Buffer) or name in d["_buffers"]:
                if value is not None and not isinstance(value, _w.Tensor):
                    raise TypeError(f"cannot assign '{_type_text(value)}' as buffer '{name}' "
                                    "(torch.nn.Buffer, torch.Tensor or None expected)")
                d["_buffers"][name] = value
                return
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        d = self.__dict__
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in d[kind]:
                del d[kind][name]
                return
        object.__delattr__(self, name)

    def __dir__(self):
        return sorted(list(self.__dict__) + list(self._parameters) + list(self._buffers) + list(self._modules))

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __deepcopy__(self, memo):
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        d = new.__dict__
        for key, value in self.__dict__.items():
            d[key] = _copy.deepcopy(value, memo)
        return new

    def register_buffer(self, name, tensor, persistent=True):
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        _check_name(self, name, "_buffers", "buffer")
        if tensor is not None and not isinstance(tensor, _w.Tensor):
            raise TypeError(f"cannot assign '{_type_text(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        _check_name(self, name, "_parameters", "parameter")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_type_text(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_module(self, name, module):
        self.add_module(name, module)

    def add_module(self, name, module):
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_text(module)} is not a Module subclass")
        _check_name(self, name, "_modules", "module")
        self._modules[name] = module

    # ---- the tree

    def named_children(self):
        seen = set()
        for name, m in self._modules.items():
            if m is not None and id(m) not in seen:
                seen.add(id(m))
                yield name, m

    def children(self):
        for _, m in self.named_children():
            yield m

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, m in self._modules.items():
            if m is not None:
                yield from m.named_modules(memo, prefix + ("." if prefix else "") + name, remove_duplicate)

    def modules(self):
        for _, m in self.named_modules():
            yield m

    def _named_members(self, kind, prefix, recurse, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for at, m in modules:
            for name, x in getattr(m, kind).items():
                if x is None or id(x) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(x))
                yield at + ("." if at else "") + name, x

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        for _, p in self.named_parameters(recurse=recurse):
            yield p

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        for _, b in self.named_buffers(recurse=recurse):
            yield b

    def get_submodule(self, target):
        m = self
        for name in target.split(".") if target else []:
            if not hasattr(m, name):
                raise AttributeError(f"{type(m).__name__} has no attribute `{name}`")
            m = getattr(m, name)
            if not isinstance(m, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return m

    def set_submodule(self, target, module):
        path, _, name = target.rpartition(".")
        setattr(self.get_submodule(path), name, module)

    def get_parameter(self, target):
        path, _, name = target.rpartition(".")
        m = self.get_submodule(path)
        if name not in m._parameters:
            raise AttributeError(f"{type(m).__name__} has no attribute `{name}`")
        return m._parameters[name]

    def get_buffer(self, target):
        path, _, name = target.rpartition(".")
        m = self.get_submodule(path)
        if name not in m._buffers:
            raise AttributeError(f"{type(m).__name__} has no attribute `{name}`")
        return m._buffers[name]

    # ---- changing all of it

    def apply(self, fn):
        for m in self.children():
            m.apply(fn)
        fn(self)
        return self

    def _apply(self, fn):
        for m in self.children():
            m._apply(fn)
        for p in self._parameters.values():
            if p is not None:
                new = fn(_w.detach(p))
                if not _w.same(new, p):
                    g = _w.grad_of(p)
                    _w.set_grad(p, None)
                    _w.set_data(p, new)
                    if g is not None:
                        _w.set_grad(p, fn(g))
        for name, b in self._buffers.items():
            if b is not None:
                self._buffers[name] = fn(b)
        return self

    def train(self, mode=True):
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for m in self.children():
            m.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if set_to_none:
                _w.set_grad(p, None)
            elif p.grad is not None:
                p.grad.zero_()

    def to(self, *args, dtype=None, device=None, non_blocking=False, memory_format=None):
        for a in args:
            if isinstance(a, _dtype):
                dtype = a
            elif isinstance(a, (str, _device, int)):
                device = a
            elif isinstance(a, _w.Tensor):
                dtype, device = a.dtype, a.device
        if device is not None:
            n = number_of(device)
            if n >= 0 and any(p.is_meta for p in self.parameters()):
                raise NotImplementedError("Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                                          "torch.nn.Module.to() when moving module from meta to a different device.")
            self._apply(lambda x: x if _w.device_at(x) == n else _w.to_device(x, n))
        if dtype is None:
            return self
        if not dtype.is_floating_point:
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got desired "
                            f"dtype={dtype}")
        return self._apply(lambda x: x.to(dtype) if x.dtype.is_floating_point else x)

    def float(self):
        return self.to(_w.float32)

    def double(self):
        return self.to(_w.float64)

    def half(self):
        return self.to(_w.float16)

    def bfloat16(self):
        return self.to(_w.bfloat16)

    def type(self, dst_type):
        return self._apply(lambda x: x.type(dst_type))

    def cpu(self):
        return self.to("cpu")

    def cuda(self, device=None):
        return self.to("cuda" if device is None else device)

    def share_memory(self):
        __import__("multiprocessing").shared[0] = True
        return self

    def to_empty(self, *, device=None, recurse=True):
        from torch._creation import empty_like
        return self._apply(lambda x: empty_like(x, device=device))

    def compile(self, *args, **kwargs):
        from torch._compile import compile
        compile(self, *args, **kwargs)      # for what it refuses

    # ---- state

    def get_extra_state(self):
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        out = OrderedDict() if destination is None else destination
        for name, p in self._parameters.items():
            if p is not None:
                out[prefix + name] = p if keep_vars else _w.detach(p)
        for name, b in self._buffers.items():
            if b is not None and name not in self._non_persistent_buffers_set:
                out[prefix + name] = b if keep_vars else _w.detach(b)
        for name, m in self._modules.items():
            if m is not None:
                m.state_dict(destination=out, prefix=prefix + name + ".", keep_vars=keep_vars)
        return out

    def load_state_dict(self, state_dict, strict=True, assign=False):
        if not isinstance(state_dict, dict):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        for name, m in self.named_modules():
            if type(m).__name__.startswith("Lazy") and hasattr(m, "_make_for"):
                prefix = name + "." if name else ""
                stored = {k[len(prefix):]: v for k, v in state_dict.items() if k.startswith(prefix)}
                if stored:
                    m._make_for(stored)
        own = self.state_dict(keep_vars=True)
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        errors = []
        with no_grad():
            for key, x in own.items():
                if key not in state_dict:
                    continue
                value = state_dict[key]
                if value.shape != x.shape:
                    errors.append(f"size mismatch for {key}: copying a param with shape {value.shape} from "
                                  f"checkpoint, the shape in current model is {x.shape}.")
                elif assign:
                    _assign(self, key, value, x)
                else:
                    if x.is_meta and not value.is_meta:
                        __import__("warnings").warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                                      "current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
                                      "state dictionary to their corresponding key in the module instead of copying them in place?)")
                    x.copy_(value)
        if strict:
            if unexpected:
                errors.insert(0, "Unexpected key(s) in state_dict: " + ", ".join([f'"{k}"' for k in unexpected])
                              + ". ")
            if missing:
                errors.insert(0, "Missing key(s) in state_dict: " + ", ".join([f'"{k}"' for k in missing]) + ". ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                               + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)

    # ---- hooks

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        hook = _WithKwargs(hook) if with_kwargs else hook
        if always_call:     # also when forward raises
            vars(self).setdefault("_always_called", []).append(hook)
        return _registered(self._forward_hooks, hook, prepend)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        return _registered(self._forward_pre_hooks, _WithKwargs(hook) if with_kwargs else hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        return _registered(self._backward_hooks, hook, prepend)

    register_backward_hook = register_full_backward_hook

    # ---- text

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): " + _indented(repr(m), 2) for name, m in self._modules.items()]
        name = self._get_name() + "("
        if len(extra_lines) == 1 and not child_lines:
            return name + extra_lines[0] + ")"
        lines = extra_lines + child_lines
        if not lines:
            return name + ")"
        return name + "\n  " + "\n  ".join(lines) + "\n)"


def _forget(d, name, keep):
    # What else has that name; in its own table the place stays.
    for kind in ("_parameters", "_buffers", "_modules"):
        if kind != keep and name in d[kind]:
            del d[kind][name]
    if name in d:
        del d[name]


def _type_text(v):
    return v.type() if isinstance(v, _w.Tensor) else type(v).__name__


def _check_name(m, name, kind, what):
    if not isinstance(name, str):
        raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
    if "." in name:
        raise KeyError(f"{what} name can't contain \".\"" + (f", got: {name}" if what == "module" else ""))
    if name == "":
        raise KeyError(f"{what} name can't be empty string \"\"")
    if hasattr(m, name) and name not in getattr(m, kind):
        raise KeyError(f"attribute '{name}' already exists")


def _assign(root, key, value, old):
    path, _, name = key.rpartition(".")
    m = root.get_submodule(path)
    if name in m._parameters:
        m._parameters[name] = value if isinstance(value, Parameter) else Parameter(value, old.requires_grad)
    else:
        m._buffers[name] = value


def _registered(hooks, hook, prepend):
    handle = new_handle(hooks, hook)
    if prepend:
        rest = [(k, v) for k, v in hooks.items() if k != handle.id]
        for k, _ in rest:
            del hooks[k]
        hooks.update(rest)
    return handle


class _Backward:
    # What the backward hooks of one call of a module see, once all of it is there: the gradients
    # of its inputs and of its result, in whatever order they come.
    def __init__(self, module, inputs):
        self.module = module
        self.inputs = [None] * inputs
        self.output = None
        self.missing = 0

    def call(self):
        for hook in list(self.module._backward_hooks.values()):
            r = hook(self.module, tuple(self.inputs), (self.output,))
            if r is not None:
                self.inputs = list(r) if isinstance(r, (tuple, list)) else [r]

    def at_input(self, i, g):
        self.inputs[i] = g
        self.missing -= 1
        if self.missing:
            return None
        self.call()
        return self.inputs[i]

    def at_output(self, g):
        self.output = g
        self.missing -= 1
        if not self.missing:
            self.call()


def _watch_inputs(module, args):
    seen, out = _Backward(module, len(args)), []
    for i, x in enumerate(args):
        if isinstance(x, _w.Tensor) and x.requires_grad:
            x = x.view_as(x)
            x.register_hook(lambda g, i=i: seen.at_input(i, g))
            seen.missing += 1
        out.append(x)
    return tuple(out), seen


def _watch_output(out, seen):
    first = out[0] if isinstance(out, tuple) else out
    if isinstance(first, _w.Tensor) and first.requires_grad:
        first.register_hook(seen.at_output)
        seen.missing += 1
    return out
