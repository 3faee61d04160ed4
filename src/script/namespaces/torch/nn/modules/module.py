# torch.nn.modules.module -- Module: a tree of parameters, buffers and other modules.
import copy as _copy
from collections import OrderedDict

import _torch as _w
from torch._grad import RemovableHandle, new_handle
from torch._types import gpu_of, number_of, dtype as _dtype, device as _device
from torch.nn.modules import _state
from torch.nn.modules._state import _IncompatibleKeys
from torch.nn.parameter import Parameter, Buffer


def _indented(text, n):
    lines = text.split("\n")
    return "\n".join([lines[0]] + [" " * n + line for line in lines[1:]])


class _WithKwargs:
    # a hook that also takes the keywords of the call
    def __init__(self, hook):
        self.hook = hook


class _Before:
    # a hook that sees, and may change, the gradients of a module's results before they reach the module
    def __init__(self, hook):
        self.hook = hook


# Hooks of all modules, by kind.
_everywhere = {kind: {} for kind in ("pre", "forward", "backward", "buffer", "module", "parameter")}


_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks")


def _record(module, args):
    # Asked for calls that come again and again.
    from torch.nn.modules._replay import record
    return record(module, args)


class Module:
    _version = 1
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
        set_(self, "_forward_hooks", OrderedDict())
        set_(self, "_forward_pre_hooks", OrderedDict())
        set_(self, "_backward_hooks", OrderedDict())

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        pre, post = self._forward_pre_hooks, self._forward_hooks
        for hook in list(_everywhere["pre"].values()) + list(pre.values()):
            with_kwargs = isinstance(hook, _WithKwargs)
            r = hook.hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if r is not None and with_kwargs:
                args, kwargs = r
            elif r is not None:
                args = r if isinstance(r, tuple) else (r,)
        watch = None
        if self._backward_hooks or _everywhere["backward"]:
            hooks = list(_everywhere["backward"].values()) + list(self._backward_hooks.values())
            watch = __import__("torch.nn.modules._hooks").Watch(self, [h.hook for h in hooks if isinstance(h, _Before)],
                                                                [h for h in hooks if not isinstance(h, _Before)])
            args = watch.inputs(args)
        hooks = list(_everywhere["forward"].values()) + list(post.values())
        try:
            out = self.forward(*args, **kwargs)
        except Exception:
            always = vars(self).get("_always_called", []) + _always
            for hook in [h for h in hooks if any([h is a for a in always])]:
                hook.hook(self, args, kwargs, None) if isinstance(hook, _WithKwargs) else hook(self, args, None)
            raise
        for hook in hooks:
            r = hook.hook(self, args, kwargs, out) if isinstance(hook, _WithKwargs) else hook(self, args, out)
            if r is not None:
                out = r
        return out if watch is None else watch.results(out)

    # not called at all where an object has no hooks, and all modules have none
    _w.relay(__call__, "forward", _HOOKS, _record)

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
            d["_modules"][name] = _registering("module", self, name, value)
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
        self._buffers[name] = _registering("buffer", self, name, tensor)
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
        self._parameters[name] = _registering("parameter", self, name, param)

    def register_module(self, name, module):
        self.add_module(name, module)

    def add_module(self, name, module):
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_text(module)} is not a Module subclass")
        _check_name(self, name, "_modules", "module")
        self._modules[name] = _registering("module", self, name, module)

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
        return self.to(gpu_of(device))

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

    state_dict, load_state_dict = _state.state_dict, _state.load_state_dict
    get_extra_state, set_extra_state = _state.get_extra_state, _state.set_extra_state
    _save_to_state_dict, _load_from_state_dict = _state._save_to_state_dict, _state._load_from_state_dict
    register_state_dict_pre_hook, register_state_dict_post_hook = _state.register_state_dict_pre_hook, _state.register_state_dict_post_hook
    register_load_state_dict_pre_hook = _state.register_load_state_dict_pre_hook
    register_load_state_dict_post_hook = _state.register_load_state_dict_post_hook
    _register_state_dict_hook = _state._register_state_dict_hook
    _register_load_state_dict_pre_hook = _state._register_load_state_dict_pre_hook

    # ---- hooks

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        hook = _WithKwargs(hook) if with_kwargs else hook
        if always_call:     # also when forward raises
            vars(self).setdefault("_always_called", []).append(hook)
        return _registered(self._forward_hooks, hook, prepend)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        return _registered(self._forward_pre_hooks, _WithKwargs(hook) if with_kwargs else hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        _one_kind(self, True)
        return _registered(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        return _registered(self._backward_hooks, _Before(hook), prepend)

    def register_backward_hook(self, hook):
        _one_kind(self, False)
        return _registered(self._backward_hooks, hook, False)

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


def _registered(hooks, hook, prepend):
    handle = new_handle(hooks, hook)
    if prepend:
        rest = [(k, v) for k, v in hooks.items() if k != handle.id]
        for k, _ in rest:
            del hooks[k]
        hooks.update(rest)
    return handle


def _one_kind(module, full):
    if module._backward_hooks and vars(module).get("_is_full_backward_hook", full) != full:
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one "
                           "of them.")
    module._is_full_backward_hook = full


# ---- hooks of all modules

_always = []        # of them, those that are also called when forward raises


class _Everywhere(RemovableHandle):
    def remove(self):
        RemovableHandle.remove(self)
        _shorten()


def _shorten():
    none = not (_everywhere["pre"] or _everywhere["forward"] or _everywhere["backward"])
    _w.relay(Module.__call__, "forward", _HOOKS if none else ("_never",), _record)


def _of_all(kind, hook):
    handle = new_handle(_everywhere[kind], hook)
    _shorten()
    return _Everywhere(handle.hooks, handle.id)


def register_module_forward_pre_hook(hook):
    return _of_all("pre", hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    hook = _WithKwargs(hook) if with_kwargs else hook
    if always_call:
        _always.append(hook)
    return _of_all("forward", hook)


def register_module_full_backward_pre_hook(hook):
    return _of_all("backward", _Before(hook))


def register_module_full_backward_hook(hook):
    return _of_all("backward", hook)


register_module_backward_hook = register_module_full_backward_hook


def register_module_buffer_registration_hook(hook):
    return new_handle(_everywhere["buffer"], hook)


def register_module_module_registration_hook(hook):
    return new_handle(_everywhere["module"], hook)


def register_module_parameter_registration_hook(hook):
    return new_handle(_everywhere["parameter"], hook)


def _registering(kind, module, name, value):
    for hook in _everywhere[kind].values():
        new = hook(module, name, value)
        value = value if new is None else new
    return value
