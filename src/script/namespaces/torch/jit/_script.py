# torch.jit._script -- script: functions and modules kept as source, checked when they are
# scripted, and specialised at each new signature.
#
# A call whose tensors have shapes and dtypes seen before runs the program made then. At a new
# signature the source is run on symbolic values (_stage): ints, floats and bools are inputs of
# the program; where their value is needed (for a shape, a container) the program is made for
# those values. What cannot be a program at all (lists that grow, texts, dicts of numbers) is run
# by the machine that runs scripts, around the programs of what it calls.
import _syntax
import _tree
import _stage
import _torch as _w
import torch
from torch import nn
from torch.jit import _check, _graph


class Error(RuntimeError):
    pass


class _Special:
    # A program for one signature, and how its results become the function's.
    def __init__(self, program, spec, plan, writes):
        self.program = program
        self.spec = spec
        self.plan = plan        # for each leaf of the result: (kind, value of a static one)
        self.writes = writes    # what is written after the call: ("arg", i), ("buffer", m, name), ("set", m, name)

    def plain(self, args):
        # Tensors in, a tensor or a tuple of them out, and nothing else?
        flat = self.spec == "*" or (self.spec is not None and self.spec[0] == "tuple" and self.spec[1] is tuple and
                                    all([s == "*" for s in self.spec[3]]))
        return flat and not self.writes and all([k == "tensor" for k, _ in self.plan]) and \
            all([isinstance(x, _w.Tensor) for x in args])


HOST = "host"
_static_limit = 32      # programs for values of one signature, before it is left to the machine
generation = [0]        # changes with every attribute of a scripted module


def changed():
    generation[0] = _w.Dispatch.changed()


class Quick(_w.Dispatch):
    # Calls of a module's forward with tensors of types seen before: its program, at once.
    def __init__(self, module):
        super().__init__()
        self.module = module

    def slow(self, *args, **kwargs):
        return nn.Module.__call__(self.module, *args, **kwargs)


def quick_call(self, *args, **kwargs):
    # __call__ of scripted and traced modules.
    q = vars(self).get("_quick")
    return nn.Module.__call__(self, *args, **kwargs) if q is None else q(*args, **kwargs)


def remember(module, args, program, single, state):
    # state: [(dict, name)]
    if module._forward_hooks or module._forward_pre_hooks or module._backward_hooks or \
            not all([isinstance(x, _w.Tensor) for x in args]) or len(state) > 200:
        return
    q = vars(module).get("_quick")
    if q is None:
        q = vars(module)["_quick"] = Quick(module)
    flat = []
    for d, name in state:
        flat += [d, name]
    q.remember(args, program, single, flat)


class Method:
    # A function of the script with its programs.
    def __init__(self, func, name=None):
        self.func = func
        self.name = name if name is not None else func.__name__
        self.programs = {}
        self.by_value = {}      # signature: how many programs for values it has
        self.tree, self.info = _stage.tree_of(func)
        self.defaults, self.kwdefaults = _syntax.defaults(func)
        self.params = [p.name for p in self.tree.params]
        self.last = None        # the _Special of the last call
        self.example = None     # (spec, leaves) of the last signature that became a program

    def __call__(self, owner, args, kwargs):
        if kwargs or len(args) + (owner is not None) != len(self.params):
            first = [owner] if owner is not None else []
            env = _binder.bind(self.tree, self.defaults, self.kwdefaults, first + list(args), kwargs, self.name)
            args = [env[p] for p in self.params]
            if owner is not None:
                args = args[1:]
        self.last = None
        leaves, spec = _tree.flatten(list(args), None, False)
        if _w.in_trace():
            return self.inline(owner, args)
        state = _state(owner) if owner is not None else []
        key = (spec, tuple([_key(x) for x in leaves]), generation[0] if owner is not None else 0)
        s = self.programs.get(key)
        if s is None:
            s = self.specialise(owner, key, spec, leaves, state, False)
            self.programs[key] = s
        if s == "values":
            vkey = (key, tuple([x if isinstance(x, (int, float, bool)) else None for x in leaves]))
            s = self.programs.get(vkey)
            if s is None:
                n = self.by_value.get(key, 0)
                s = HOST
                if n < _static_limit:
                    s = self.specialise(owner, key, spec, leaves, state, True)
                    self.by_value[key] = n + 1
                self.programs[vkey] = s
        self.last = s if isinstance(s, _Special) else None
        if s is HOST:
            return self.func(*args) if owner is None else self.func(owner, *args)
        inputs = [x if isinstance(x, _w.Tensor) else _w.tensor(x, _dtypes[type(x)]) for x in leaves
                  if isinstance(x, _w.Tensor) or (s.numbers and isinstance(x, (int, float, bool)))]
        outs = _w.apply(s.program, [t for _, _, _, t in state] + inputs)
        return self.finish(s, owner, leaves, outs)

    def finish(self, s, owner, leaves, outs):
        it = iter(outs)
        values = []
        for kind, static in s.plan:
            if kind == "static":
                values.append(static)
            elif kind == "tensor":
                values.append(next(it))
            else:
                values.append(next(it).item())
        for w in s.writes:
            new = next(it)
            if w[0] == "arg":
                _w.write(leaves[w[1]], new)
            elif w[0] == "buffer":
                with torch.no_grad():
                    _w.write(getattr(w[1], w[2]), new)
            else:
                w[1]._buffers[w[2]] = new
        return _tree.unflatten(s.spec, values)

    def inline(self, owner, args):
        # Inside a trace: the source becomes part of the program that is being made.
        stage = _stage.Stage(_w, "sym", _callee)
        if owner is not None:
            stage.slots = [[m, n] for m, kind, n, _ in _state(owner) if kind == "buffer"]
        try:
            r = stage.call(self.func, ([owner] if owner is not None else []) + list(args), {})
        finally:
            _syntax.place()
        return _tree.map(lambda x: x.t if isinstance(x, _stage.Sym) else x, r)

    def specialise(self, owner, key, spec, leaves, state, by_value):
        # A _Special, "values" if the values of numbers are needed, or HOST.
        for x in leaves:
            if not isinstance(x, (_w.Tensor, int, float, bool, str)):
                return HOST
        numbers = any([isinstance(x, (int, float, bool)) for x in leaves])
        if numbers and _has_containers(spec):
            return HOST
        try:
            s = self.compile(owner, spec, leaves, state, by_value)
        except _stage.Refuse:
            return "values" if numbers and not by_value else HOST
        except Exception:
            # run in the ordinary way it gives the same error, at its own place
            return HOST
        if not by_value:
            self.example = (spec, [_w.full(tuple(x.shape), 0, x.dtype) if isinstance(x, _w.Tensor) else x
                                   for x in leaves])
        return s

    def for_file(self, owner, state):
        # The program for all sizes, to be saved: None where there is none.
        if self.example is None:
            return None
        n = len(state)
        try:
            s = self.compile(owner, self.example[0], self.example[1], state, False,
                             lambda body, args: _w.trace_sizes(body, args, list(range(n)), self.name))
        except Exception:
            return None
        return s if all([kind != "static" for kind, _ in s.plan]) and all([w[0] != "arg" for w in s.writes]) else None

    def compile(self, owner, spec, leaves, state, by_value, trace=None):
        # The program: inputs are the state, then the tensors and (unless by value) numbers among
        # the leaves; results are those of the function, then what it writes.
        done = []
        inputs = [x if isinstance(x, _w.Tensor) else _w.tensor(x, _dtypes[type(x)]) for x in leaves
                  if isinstance(x, _w.Tensor) or (not by_value and isinstance(x, (int, float, bool)))]

        def body(*symbols):
            stage = _stage.Stage(_w, "sym", _callee)
            it = iter(symbols)
            kept = []
            for m, kind, name, t in state:
                d = m._parameters if kind == "param" else m._buffers
                s = next(it)
                kept.append((d, name, d[name], s, _w.alias(s), m, kind))
            mine, first = [], []
            for x in leaves:
                if isinstance(x, _w.Tensor):
                    t = next(it)
                    mine.append(t)
                    first.append((len(mine) - 1, t, _w.alias(t)))
                elif not by_value and isinstance(x, (int, float, bool)):
                    mine.append(_stage.Sym(stage, stage.kind_of(x), next(it)))
                else:
                    mine.append(x)
            args = _tree.unflatten(spec, mine)
            before = _tree.flatten(args, None, False)[1]
            for d, name, original, s, old, m, kind in kept:
                d[name] = s
            stage.slots = [[m, n] for m, kind, n, _ in state if kind == "buffer"]
            try:
                r = stage.call(self.func, ([owner] if owner is not None else []) + args, {})
                outs, plan = [], []
                rleaves, rspec = _tree.flatten(r, None, False)
                for x in rleaves:
                    if isinstance(x, _stage.Sym):
                        plan.append((x.kind, None))
                        outs.append(x.t)
                    elif isinstance(x, _w.Tensor):
                        plan.append(("tensor", None))
                        outs.append(x)
                    elif isinstance(x, (int, float, bool, str)):
                        plan.append(("static", x))
                    else:
                        raise _stage.Refuse("a result that is not a tensor or a number")
                writes = []
                if _tree.flatten(args, None, False)[1] != before:
                    raise _stage.Refuse("an argument changes its form")
                for i, t, old in first:
                    if not _w.same_value(t, old):
                        writes.append(("arg", i))
                        outs.append(t)
                for d, name, original, s, old, m, kind in kept:
                    now = d[name]
                    if now is not s or not _w.same_value(s, old):
                        if kind == "param":
                            raise _stage.Refuse("a parameter is written to")
                        writes.append(("buffer" if now is s else "set", m, name))
                        outs.append(now)
                done.append((rspec, plan, writes))
                return outs
            finally:
                for d, name, original, s, old, m, kind in kept:
                    d[name] = original

        args = [t for _, _, _, t in state] + inputs
        _w.refuse_random(True)
        try:
            program = _w.trace(body, args, self.name) if trace is None else trace(body, args)
        finally:
            _w.refuse_random(False)
            _syntax.place()
        s = _Special(program, *done[0])
        s.numbers = not by_value
        return s


_dtypes = {int: "int64", float: "float64", bool: "bool"}
_binder = _stage.Stage(_w)


def _key(x):
    if isinstance(x, _w.Tensor):
        return (x.dtype.name, tuple(x.shape))
    if isinstance(x, str):
        return x
    return type(x)


def _has_containers(spec):
    # Lists or dicts below the arguments themselves?
    return any([s != "*" and s is not None and s[0] in ("list", "dict") for s in _below(spec)])


def _below(spec):
    out = []
    for s in spec[3]:
        if s != "*" and s is not None:
            out.append(s)
            out += _below(s)
    return out


def _state(owner):
    # (module, "param" or "buffer", name, tensor) of the whole tree, each tensor once.
    out, seen = [], {}
    for m in owner.modules():
        for kind, d in (("param", m._parameters), ("buffer", m._buffers)):
            for name, t in d.items():
                if t is not None and (kind == "buffer" or id(t) not in seen):
                    seen[id(t)] = t
                    out.append((m, kind, name, t))
    return out


def _callee(f):
    # What a call of f stages: (function, first argument) or None.
    if isinstance(f, ScriptFunction):
        return (f._method.func, None) if hasattr(f, "_method") else None
    if isinstance(f, nn.Module):
        if f._forward_hooks or f._forward_pre_hooks:
            return None
        func = _forward_of(f)
        return None if func is None else (func, f)
    return None


def _forward_of(m):
    for c in type(m).__mro__:
        f = vars(c).get("forward")
        if f is not None:
            f = getattr(f, "__stage_as__", f)
            return f if _syntax.sort(f) == "function" else None
    return None


# ---- functions -----------------------------------------------------------------------------------

class ScriptFunction(_w.Dispatch):
    # Calls with tensors of types seen before run their program at once; others are slow.
    def __init__(self, func):
        super().__init__()
        _check.check(func)
        self._method = Method(func)
        self.__name__ = func.__name__
        self.__doc__ = getattr(func, "__doc__", None)
        self.__wrapped__ = func

    def slow(self, *args, **kwargs):
        r = self._method(None, args, kwargs)
        s = self._method.last
        if not kwargs and s is not None and s.plain(args):
            self.remember(args, s.program, s.spec == "*")
        return r

    @property
    def name(self):
        return self.__name__

    @property
    def qualified_name(self):
        return "__torch__." + self.__name__

    @property
    def graph(self):
        return _graph.Graph(self._method.func)

    @property
    def inlined_graph(self):
        return self.graph

    def graph_for(self, *args, **kwargs):
        # The program for these arguments, if there is one.
        self(*args, **kwargs)
        found = [s for s in self._method.programs.values() if isinstance(s, _Special)]
        return found[-1].program.text() if found else self.graph

    @property
    def code(self):
        return _graph.code(self._method.func)

    @property
    def schema(self):
        t = self._method.tree
        args = ", ".join([f"{_graph.annotation(p.ann)} {p.name}" for p in t.params])
        return f"{t.name}({args}) -> {_graph.annotation(t.returns)}"

    def save(self, path, _extra_files=None):
        from torch.jit._file import save
        save(self, path, _extra_files)

    def get_debug_state(self):
        return None

    def __repr__(self):
        return f"<torch.jit.ScriptFunction object: {self.__name__}>"


# ---- modules -----------------------------------------------------------------------------------------

class ScriptModule(nn.Module):
    # A module whose forward and exported methods are scripted.
    __call__ = quick_call

    def __setattr__(self, name, value):
        d = vars(self)
        tensors = ("_parameters" in d and name in self._parameters) or ("_buffers" in d and name in self._buffers)
        if not tensors:
            changed()
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

    def _get_name(self):
        return "RecursiveScriptModule"

    def extra_repr(self):
        return f"original_name={type(self)._original.__name__}"


class RecursiveScriptModule(ScriptModule):
    pass


_classes = {}


def _class_for(cls):
    # A subclass of cls whose forward and exported methods are scripted.
    if id(cls) in _classes:
        return _classes[id(cls)][1]

    class Scripted(RecursiveScriptModule, cls):
        pass

    Scripted.__name__ = "RecursiveScriptModule"
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
    method = Method(f, name)

    def call(self, *args, **kwargs):
        return method(self, args, kwargs)

    def first(self, *args, **kwargs):
        r = method(self, args, kwargs)
        s = method.last
        if not kwargs and s is not None and s.plain(args):
            remember(self, args, s.program, s.spec == "*",
                     [(m._parameters if kind == "param" else m._buffers, n) for m, kind, n, _ in _state(self)])
        return r

    if name == "forward":
        call = first
    call.__stage_as__ = f
    call.__method__ = method
    call.__name__ = name
    call.__jit_export__ = True
    return call


def _script_module(m, memo):
    if isinstance(m, ScriptModule):
        return m
    if id(m) in memo:
        return memo[id(m)]
    cls = _class_for(type(m))
    new = cls.__new__(cls)
    memo[id(m)] = new
    d = vars(new)
    for k, v in vars(m).items():
        d[k] = dict(v) if k in ("_parameters", "_buffers", "_modules") else v
    for name, child in m._modules.items():
        new._modules[name] = None if child is None else _script_module(child, memo)
    return new


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    if isinstance(obj, (ScriptFunction, ScriptModule)):
        return obj
    if isinstance(obj, nn.Module):
        changed()
        return _script_module(obj, {})
    sort = _syntax.sort(obj)
    if sort == "function":
        if _syntax.info(obj)["hidden"]:
            return obj
        return ScriptFunction(obj)
    if sort == "class":
        for name, f in vars(obj).items():
            if _syntax.sort(f) == "function":
                _check.check(f, None, obj)
        return obj
    if sort == "method":
        raise TypeError("script the module, not one of its methods")
    if isinstance(obj, (list, dict)):
        return obj
    raise RuntimeError(f"cannot script a {type(obj).__name__}")


def script_method(fn):
    fn.__jit_export__ = True
    return fn


def script_if_tracing(fn):
    return ScriptFunction(fn)


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


def annotate(the_type, value):
    return value


def isinstance_(obj, target):
    return isinstance(obj, target)


def is_scripting():
    return False


def _staged_scripting(stage, args, kwargs):
    return stage.numbers == "sym"


_stage.special(is_scripting, _staged_scripting)


def Attribute(value, type=None):
    return value


def interface(cls):
    return cls


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. "
                           "Please call .eval() on your module before freezing.")
    return mod


def optimize_for_inference(mod, other_methods=None):
    return mod.eval()


def fork(func, *args, **kwargs):
    return func(*args, **kwargs)


def wait(future):
    return future
