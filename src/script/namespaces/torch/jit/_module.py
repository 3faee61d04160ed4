# torch.jit._module -- script of modules, classes and functions, and the names of torch.jit that a script is written with.
from dataclasses import MISSING
from typing import NamedTuple

import _syntax
import _stage
import _torch as _w
import torch
from torch import nn
from torch.jit import _check, _classes as _class_types, _graph, _infer, _types
from torch.jit._containers import shared
from torch.jit._unit import functions_of
from torch.jit._script import Method, ScriptFunction, changed, quick_call, remember, _forward_of, _scripting, _state


# ---- modules -----------------------------------------------------------------------------------------

class ScriptModule(nn.Module):
    # A module whose forward and exported methods are scripted. A class derived from it has those that are marked
    # script_method, and what its instances define from text; they are scripted once an instance is made.
    __call__ = quick_call
    _made = False           # a class that was made here, of another

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls._made:
            return
        cls._original = cls
        for name, f in list(vars(cls).items()):
            if hasattr(f, "__script_method__"):
                setattr(cls, name, _scripted_method(f, name))
        init = cls.__init__

        def init_then_script(self, *args, **kwargs):
            init(self, *args, **kwargs)
            if type(self)._original is cls:
                _finish(self)

        init_then_script.__name__ = "__init__"
        cls.__init__ = init_then_script

    def define(self, source):
        # A method from its text, for this instance alone.
        f = functions_of(source, 1)
        cls = type(self)
        if not vars(cls).get("_own"):
            class Own(cls):
                _made = True
                _own = True
            Own.__name__, Own.__qualname__ = cls.__name__, cls.__qualname__
            self.__class__ = Own
        for name, func in f.items():
            setattr(type(self), name, _scripted_method(func, name))
        changed()
        if vars(self).get("_finished"):
            _infer.check([(func, self) for func in f.values()])

    def __setattr__(self, name, value):
        d = vars(self)
        if isinstance(value, Attribute):
            d.setdefault("_typed", {})[name] = value.type
            value = value.value
        tensors = ("_parameters" in d and name in self._parameters) or ("_buffers" in d and name in self._buffers)
        if not tensors:
            changed()
        if name in d.get("_modules", {}) and d.get("_finished", self._made) and isinstance(value, nn.Module) and \
                not isinstance(value, ScriptModule):
            raise RuntimeError(f"Cannot re-assign modules in a ScriptModule with non-scripted module, tried to replace existing "
                               f"module '{name}': {value}")
        if name in d and d.get("_finished") and name in getattr(type(self), "__constants__", ()):
            raise RuntimeError(f"Can't set constant '{name}' which has value:{d[name]}")
        nn.Module.__setattr__(self, name, value)

    def train(self, mode=True):
        changed()
        return nn.Module.train(self, mode)

    def register_forward_hook(self, *args, **kwargs):
        changed()
        return nn.Module.register_forward_hook(self, *args, **kwargs)

    def register_forward_pre_hook(self, *args, **kwargs):
        changed()
        return nn.Module.register_forward_pre_hook(self, *args, **kwargs)

    def register_full_backward_hook(self, *args, **kwargs):
        changed()
        return nn.Module.register_full_backward_hook(self, *args, **kwargs)

    def named_parameters(self, *args, **kwargs):
        return iter([]) if "_constant" in vars(self) else nn.Module.named_parameters(self, *args, **kwargs)

    def parameters(self, recurse=True):
        return iter([]) if "_constant" in vars(self) else nn.Module.parameters(self, recurse)

    def state_dict(self, *args, **kwargs):
        return {} if "_constant" in vars(self) else nn.Module.state_dict(self, *args, **kwargs)

    @property
    def original_name(self):
        return type(self)._original.__name__

    @property
    def graph(self):
        return _graph.Graph(_forward_of(self))

    @property
    def inlined_graph(self):
        return self.graph

    @property
    def code(self):
        return _graph.code(_forward_of(self))

    def save(self, path, _extra_files=None):
        from torch.jit._file import save
        save(self, path, _extra_files)

    def save_to_buffer(self, _extra_files=None):
        from torch.jit._file import to_bytes
        return to_bytes(self, _extra_files)

    def _get_name(self):
        return "RecursiveScriptModule"

    def extra_repr(self):
        return f"original_name={type(self)._original.__name__}"


class RecursiveScriptModule(ScriptModule):
    _made = True


def _plain_attributes(d):
    for k, v in d.items():
        if isinstance(v, Attribute):
            d[k] = v.value


def _finish(m):
    # What ends the making of an instance of a class derived from ScriptModule.
    vars(m)["_finished"] = True
    for name in getattr(type(m), "__constants__", ()):
        v = vars(m).get(name)
        for x in v if isinstance(v, (list, tuple)) else ():
            if isinstance(x, nn.Module):
                raise TypeError(f"'{type(x).__module__}.{type(x).__name__}' object in attribute '{type(m).__name__}.{name}' is not a "
                                "valid constant.\nValid constants are:\n1. a nn.ModuleList\n2. a value of type {bool, float, int, "
                                "str, NoneType, torch.device, torch.layout, torch.dtype}\n3. a list or tuple of (2)\n")
    memo = {}
    checked = _infer.methods(m)
    for name, child in m._modules.items():
        if child is not None:
            m._modules[name] = _script_module(child, memo)
    changed()
    _infer.check(checked)
    _plain_attributes(vars(m))


_classes = {}


def _class_for(cls):
    # A subclass of cls whose forward and exported methods are scripted.
    if id(cls) in _classes:
        return _classes[id(cls)][1]

    class Scripted(RecursiveScriptModule, cls):
        pass

    Scripted.__name__ = Scripted.__qualname__ = "RecursiveScriptModule"
    Scripted._original = cls
    for c in reversed(cls.__mro__):
        for name, f in list(vars(c).items()):
            if _syntax.sort(f) != "function" or hasattr(f, "__jit_ignore__"):
                continue
            if _syntax.info(f)["hidden"] and not (name == "forward" and c is cls and c is not nn.Module):
                continue
            if name == "forward" or hasattr(f, "__jit_export__"):
                setattr(Scripted, name, _scripted_method(f, name))
    _classes[id(cls)] = (cls, Scripted)
    return Scripted


def methods_of(x):
    # {name: Method} of a scripted function or module.
    if isinstance(x, ScriptFunction):
        return {x.name: x._method}
    out = {}
    for name in dir(type(x)):
        m = getattr(getattr(type(x), name, None), "__method__", None)
        if m is not None:
            out[name] = m
    return out


def _scripted_method(f, name):
    _check.check(f)
    if not _stage.tree_of(f)[0].params:
        raise RuntimeError(f"methods must have a self argument: '{name}'")
    method = Method(f, name)

    def call(self, *args, **kwargs):
        return method(self, args, kwargs)

    def first(self, *args, **kwargs):
        r = method(self, args, kwargs)
        s = method.programs(self).last
        if not kwargs and s is not None and s.plain(args):
            remember(self, args, s.program, s.spec == "*", [k.places[0][1:] for k in _state(self)])
        return r

    if name == "forward":
        call = first
    call.__stage_as__ = f
    call.__method__ = method
    call.__name__ = name
    call.__doc__ = f.__doc__
    call.graph = call.inlined_graph = _graph.Graph(f)
    call.code = _graph.code(f)
    call.schema = method.schema()
    call.__jit_export__ = True
    return call


def _script_module(m, memo):
    if isinstance(m, ScriptModule):
        return m
    if id(m) in memo:
        return memo[id(m)]
    original = m
    while hasattr(m, "__prepare_scriptable__"):
        m = m.__prepare_scriptable__()
    if isinstance(m, ScriptModule):
        return m
    cls = _class_for(type(m))
    new = cls.__new__(cls)
    memo[id(original)] = new
    d = vars(new)
    for k, v in vars(m).items():
        if k not in ("_quick", "_programs"):
            d[k] = dict(v) if k in ("_parameters", "_buffers", "_modules") else _types.copied(v)
    _plain_attributes(d)
    for name, child in m._modules.items():
        new._modules[name] = None if child is None else _script_module(child, memo)
    return new


def sort_of_enum(cls):
    from enum import Enum
    return "enum" if issubclass(cls, Enum) else None


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    if example_inputs is not None:
        raise NotImplementedError("torch.jit.script: example_inputs: types come from annotations")
    if isinstance(obj, (ScriptFunction, ScriptModule)):
        return obj
    if isinstance(obj, nn.Module):
        changed()
        for m in obj.modules():
            _check.empty_attributes(type(m))
        new = _script_module(obj, {})
        _infer.check(_infer.methods(obj))
        return new
    sort = _syntax.sort(obj)
    if sort == "function":
        if _syntax.info(obj)["hidden"]:
            return obj
        if _syntax.info(obj)["lambda"]:
            raise RuntimeError(f"Expected a single top-level function: {_syntax.info(obj)['file']}:{_syntax.info(obj)['line']}")
        return ScriptFunction(obj)
    if sort == "class":
        for name, f in vars(obj).items():
            if _syntax.sort(f) == "function":
                _check.check(f, None, obj)
        if not hasattr(obj, "__script_interface__") and not issubclass(obj, (tuple, BaseException)) and sort_of_enum(obj) is None:
            if any([b is not object for b in obj.__bases__]) and not issubclass(obj, nn.Module):
                raise RuntimeError("TorchScript classes does not support inheritance yet. Please directly inherit from object")
            if issubclass(obj, nn.Module):
                raise RuntimeError(f"Type '{obj}' cannot be compiled since it inherits from nn.Module, consider passing an "
                                   "instance instead")
            if any([f.default_factory is not MISSING for f in getattr(obj, "__dataclass_fields__", {}).values()]):
                raise NotImplementedError("Default factory initializers are not supported in TorchScript dataclasses")
            if _class_types.plain(obj):
                _infer.check_type(obj)
        return obj
    if sort == "method":
        raise TypeError("script the module, not one of its methods")
    if isinstance(obj, (list, dict)):
        return shared(obj)
    if _syntax.sort(type(obj)) == "class":
        script(type(obj))
        new = object.__new__(type(obj))
        for k, v in vars(obj).items():
            vars(new)[k] = _types.copied(v)
        return new
    raise TypeError(f"{type(obj)} is a built-in class")


def script_method(fn):
    fn.__script_method__ = True
    return fn


def script_if_tracing(fn):
    return ScriptFunction(fn)


_script_if_tracing = script_if_tracing


def _overload_method(fn):
    # One of several signatures of the definition that follows, which serves all: types here are those of the values.
    return fn


_overload = _overload_method


def export(fn):
    fn.__jit_export__ = True
    return fn


def ignore(fn=None, drop=False, **kwargs):
    if fn is None or isinstance(fn, bool):
        return lambda f: ignore(f)
    fn.__jit_ignore__ = True
    return fn


def unused(fn):
    fn.__jit_ignore__ = True
    return fn


_drop = unused


def annotate(the_type, value):
    return value


def isinstance_(obj, target):
    return _types.is_of(obj, target)


__import__("typing").checks[0] = lambda obj, target: _types.is_of(obj, target) if _scripting[0] else NotImplemented


def is_scripting():
    return _scripting[0] > 0


def _staged_scripting(stage, args, kwargs):
    return stage.numbers == "sym"


def _staged_isinstance(stage, args, kwargs):
    return _types.is_of(*args)


def _refused(why):
    def fn(stage, args, kwargs):
        if stage.numbers == "sym":
            raise _stage.Refuse(why)
        return NotImplemented
    return fn


_stage.special(is_scripting, _staged_scripting)
_stage.special(isinstance_, _staged_isinstance)
_plain_isinstance = __import__("_stage.expression").specials[id(isinstance)][1]


def _staged_builtin(stage, args, kwargs):
    answer = _plain_isinstance(stage, args, kwargs)
    return _types.is_of(*args) if answer is NotImplemented and stage.numbers == "sym" else answer


_stage.special(isinstance, _staged_builtin)
_stage.special(hash, _refused("the hash of a value"))
_stage.special(torch.is_grad_enabled, _refused("whether derivatives are recorded is known when it is called"))


class Attribute(NamedTuple):
    # A value of a module's attribute with its type, for script.
    value: object
    type: object = None


def interface(cls):
    if cls.__bases__ not in ((object,), (nn.Module,)):
        raise RuntimeError("TorchScript interface does not support inheritance yet. Please directly inherit from object or nn.Module.")
    cls.__script_interface__ = True
    return cls


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    # A copy whose parameters and buffers are constants: they share their numbers with the original, have no
    # gradient, and are no part of its state.
    if not isinstance(mod, ScriptModule):
        raise RuntimeError("Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace "
                           "to script your 'nn.Module'.")
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. "
                           "Please call .eval() on your module before freezing.")
    changed()
    return _frozen(mod, {})


def _frozen(m, memo):
    if id(m) not in memo:
        new = memo[id(m)] = type(m).__new__(type(m))
        d = vars(new)
        for k, v in vars(m).items():
            if k not in ("_quick", "_programs"):
                d[k] = dict(v) if k in ("_parameters", "_buffers", "_modules") else _types.copied(v)
        for part in (new._parameters, new._buffers):
            for name, t in part.items():
                part[name] = None if t is None else t.detach()
        for name, child in m._modules.items():
            new._modules[name] = None if child is None else _frozen(child, memo)
        d["_constant"] = True
    return memo[id(m)]


def optimize_for_inference(mod, other_methods=None):
    return freeze(mod.eval(), other_methods)


def _unique_state_dict(module, keep_vars=False):
    # The state of a module without those tensors that have another name, too.
    out, seen = {}, []
    for name, t in module.state_dict(keep_vars=True).items():
        if not any([t is s for s in seen]):
            seen.append(t)
            out[name] = t if keep_vars else t.detach()
    return out


def _unwrap_optional(x):
    assert x is not None, "Unwrapping null optional"
    return x


class Future:
    # What fork gives. The function has run when fork returns: functions of tensors cannot tell.
    def __init__(self, value=None):
        self.result = value

    def __class_getitem__(cls, item):
        return cls

    def wait(self):
        return self.result

    def value(self):
        return self.result

    def done(self):
        return True

    def then(self, callback):
        return Future(callback(self))


def fork(func, *args, **kwargs):
    return Future(func(*args, **kwargs))


def wait(future):
    return future.wait()


def _staged_fork(stage, args, kwargs):
    return Future(stage.call(args[0], list(args[1:]), kwargs))


_stage.special(fork, _staged_fork)
