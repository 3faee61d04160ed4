# torch._dynamo.segment -- a run of statements as a program, with what it holds for.
#
# The statements are run on symbolic values (_stage). What they read from outside is noted: numbers, texts, functions
# and objects become guards, tensors inputs of the program, fetched anew at each call; so do random draws, which are
# drawn before the program runs, in their order. Where something cannot be in a program (Break) the segment ends before
# that statement: the frame (_dynamo.frame) has it run by the machine and goes on behind it.
import math

import _stage
import _syntax
import _tree
import _torch as _w
import torch
from torch import nn
from torch._creation import _default
from torch.jit._script import _state


class Break(_stage.Refuse):
    pass


# ---- what is read from outside ------------------------------------------------------------------------

def _item(a, b):
    return a[b]


def _length(a, none):
    return len(a)


def _keys(a, none):
    return list(a)


class Reads:
    # What a segment read: guards to be held, and tensors to be fetched.
    def __init__(self):
        self.guards = []        # (how to fetch it, of what, by which key, value, is it equal rather than the same?)
        self.sources = []       # (how to fetch it, of what, by which key) of each tensor
        self.tensors = []       # those tensors, as they were
        self.roots = []         # modules, of whose whole tree the tensors are inputs
        self.state = []
        self.draws = []         # (name of a native, arguments)
        self.seen = {}

    def note(self, fetch, of, key, value, equal):
        mark = (id(of), key)
        if mark not in self.seen:
            self.seen[mark] = of
            self.guards.append((fetch, of, key, value, equal))

    def hold(self):
        for fetch, of, key, value, equal in self.guards:
            try:
                now = fetch(of, key)
            except (KeyError, IndexError, AttributeError, NameError):
                return False
            if now is not value and not (equal and type(now) is type(value) and now == value):
                return False
        return True

    def close(self):
        self.guards.append((_item, _default, 0, _default[0], True))
        self.guards.append((_item, torch.amp._mode, 0, torch.amp._mode[0], True))
        for r in self.roots:
            for m in r.modules():
                self.guards.append((_item, vars(m), "training", m.training, True))
                for d in (m._forward_hooks, m._forward_pre_hooks, m._backward_hooks, m._modules):
                    self.guards.append((_length, d, None, len(d), True))
                for name, child in m._modules.items():
                    self.guards.append((_item, m._modules, name, child, False))

    def flat(self):
        # ([place, key, ..] of the tensors, [place, key, value, ..] of all else), for calls without the machine of
        # scripts; None: it cannot do without.
        state, guards = [], []
        for fetch, of, key in self.sources:
            state += [of, key]
        for k in self.state:
            for m, d, name in k.places:
                guards += [d, name, k.t]
            state += list(k.places[0][1:])
        for fetch, of, key, value, equal in self.guards:
            if fetch is _keys or (equal and type(value) is tuple):
                return None
            guards += [of, key, value]
        for (fetch, of, key), t in zip(self.sources, self.tensors):
            guards += [of, key, t]
        if not all([type(x) is dict and type(y) is str for x, y in zip(state[::2], state[1::2])]):
            return None
        places = zip(guards[::3], guards[1::3])
        if not all([isinstance(x, dict) and y is None or type(x) is dict and type(y) is str or type(x) is list or
                    _syntax.sort(x) == "function" for x, y in places]):
            return None
        return state, guards

    def fetched(self):
        # The tensors now, or None if one is of another type.
        out = []
        for (fetch, of, key), old in zip(self.sources, self.tensors):
            t = fetch(of, key)
            if not _same_type(t, old):
                return None
            out.append(t)
        for k in self.state:
            t = k.places[0][1].get(k.places[0][2])
            if not _same_type(t, k.t) or any([d.get(name) is not t for m, d, name in k.places[1:]]):
                return None
            out.append(t)
        return out


def _hooks(m):
    return len(m._forward_hooks) + len(m._forward_pre_hooks) + len(m._backward_hooks)


def _same_type(t, old):
    return isinstance(t, _w.Tensor) and t.dtype is old.dtype and t.shape == old.shape and t.device == old.device


def _found(cls, name):
    # The dict of the class that has the name.
    for c in cls.__mro__:
        d = vars(c)
        if name in d:
            return d
    return None


# ---- running on symbols --------------------------------------------------------------------------------

_pure = {id(f): f for f in (len, range, zip, enumerate, min, max, sum, abs, int, float, bool, str, isinstance, issubclass,
                            tuple, list, dict, set, reversed, sorted, any, all, round, divmod, pow, repr, type, getattr,
                            hasattr, callable, slice, super, id, map, filter, iter, next, ord, chr)}
_acting = ("manual_seed", "seed", "set_rng_state", "save", "load", "backward", "grad", "compile", "script", "trace",
           "set_default_dtype", "set_printoptions", "set_grad_enabled", "step", "zero_grad", "requires_grad_",
           "register_hook", "numpy", "tolist", "__array__", "data_ptr", "set_num_threads", "register_buffer",
           "register_parameter", "add_module", "load_state_dict", "apply", "train", "eval", "warn", "retain_grad",
           "share_memory_", "init_process_group", "pin_memory", "explain", "synchronize", "set_", "resize_",
           "is_grad_enabled", "is_inference_mode_enabled", "graph_break")
_library = ("<torch", "<_", "<functools", "<operator", "<typing", "<collections", "<math", "<dataclasses")
_values = (int, float, bool, str, bytes)


def _of_library(file):
    # The array core is NumPy's, as its callers see it.
    return file.startswith(_library) and not file.startswith("<_array")


def _is_library(func):
    return _syntax.info(func)["hidden"]


class Tracer(_stage.Stage):
    def __init__(self, reads):
        super().__init__(_w, "sym", self.callee)
        self.reads = reads
        self.lifted = {}        # id: (the value from outside, what stands for it here)
        self.made = {}          # id: an object that was made here
        self.place = None
        self.inputs = {}        # id of a tensor from outside: its symbol
        self.symbols = None     # for draws
        self.drawn = 0
        self.prints = False

    # -- control flow is that of values that are known

    def truth(self, x):
        if self.unknown(x):
            raise Break("Data-dependent branching" if self.symbolic(x) else "the value of a number decides")
        return super().truth(x)

    def branch(self, frame, pred, then, other):
        raise Break("Data-dependent branching")

    def loop(self, frame, node, test, step, count):
        raise Break("a loop whose length is not known")

    def eval_iter(self, frame, e):
        x = self.eval(frame, e)
        if self.symbolic(x):
            if x.ndim == 0:
                raise TypeError("iteration over a 0-d tensor")
            return [x[i] for i in range(int(x.shape[0]))], None
        return x, None

    def item_of(self, x):
        raise Break("Tensor.item() is called")

    def to_number(self, x, kind):
        if isinstance(x, _stage.Sym):
            return super().to_number(x, kind)
        raise Break(f"{kind}() of a tensor is called")

    def run_raise(self, frame, s):
        raise Break("an exception is raised")

    def run_try(self, frame, s):
        raise Break("try")

    # -- values from outside

    def lift(self, v, fetch, of, key):
        # What stands for v here; that it is v is noted.
        if id(v) in self.lifted and self.lifted[id(v)][0] is v and not isinstance(v, _w.Tensor):
            self.note(v, fetch, of, key)
            return self.lifted[id(v)][1]
        if isinstance(v, _w.Tensor):
            return self.tensor(v, fetch, of, key)
        kind = type(v)
        if kind is list or kind is dict or (kind is tuple and not all([isinstance(x, _values) for x in v])):
            return self.container(v, kind)
        self.note(v, fetch, of, key)
        if isinstance(v, nn.Module):
            self.module(v)
        return v

    def note(self, v, fetch, of, key):
        self.reads.note(fetch, of, key, v, isinstance(v, _values) or type(v) is tuple)

    def tensor(self, v, fetch, of, key):
        if _w.about(v, "symbolic"):
            return v
        if id(v) not in self.inputs:
            self.reads.sources.append((fetch, of, key))
            self.reads.tensors.append(v)
            self.inputs[id(v)] = _w.symbol_of(v)
        return self.inputs[id(v)]

    def container(self, v, kind):
        if len(v) > 512:
            raise Break("a container of many values from outside")
        self.reads.note(_length, v, None, len(v), True)
        if kind is dict:
            self.reads.note(_keys, v, "keys()", list(v), True)
            new = {}
            self.lifted[id(v)] = (v, new)
            for k, x in v.items():
                new[k] = self.lift(x, _item, v, k)
        else:
            new = []
            self.lifted[id(v)] = (v, new)
            for i, x in enumerate(v):
                new.append(self.lift(x, _item, v, i))
            if kind is tuple:
                new = tuple(new)
                self.lifted[id(v)] = (v, new)
        self.outside.append(new)
        return new

    def module(self, m):
        # All tensors of the tree become inputs.
        for r in self.reads.roots:
            if any([x is m for x in r.modules()]):
                return
        self.reads.roots.append(m)
        have = {id(k.t) for k in self.reads.state}
        for k in _state(m):
            if id(k.t) not in have:
                self.reads.state.append(k)
                k.put(_w.symbol_of(k.t))
                self.slots += [[x, name] for x, d, name in k.places if k.kind != "param"]

    def lookup(self, frame, e):
        name = e.name
        if name in frame.env or name in frame.tree.locals:
            return super().lookup(frame, e)
        outer = frame.outer
        while outer is not None:
            if name in outer.env:
                return outer.env[name]
            outer = outer.outer
        if frame.func is not None:
            try:
                v = _syntax.free(frame.func, name)
            except NameError:
                v = self
            if v is not self:
                return v if frame.info["hidden"] else self.lift(v, _syntax.free, frame.func, name)
        g = frame.info["globals"]
        if name in g:
            return g[name] if frame.info["hidden"] else self.lift(g[name], _item, g, name)
        return _syntax.builtin(name)

    def e_attr(self, frame, e):
        o = self.eval(frame, e.a)
        self.at(frame, e)
        if isinstance(o, _w.Tensor):
            if e.name in ("requires_grad", "grad", "grad_fn", "is_leaf", "data", "_version"):
                raise Break(f"Tensor.{e.name} is read")
            return getattr(o, e.name)
        if id(o) in self.made or isinstance(o, (_stage.Sym, list, dict, tuple, str, set)):
            return getattr(o, e.name)
        return self.attribute(o, e.name)

    def attribute(self, o, name):
        if _syntax.sort(o) == "module":
            v = getattr(o, name)
            return v if _hidden_module(o) or name not in vars(o) else self.lift(v, _item, vars(o), name)
        d = vars(o) if hasattr(o, "__dict__") else {}
        if isinstance(o, nn.Module):
            if name in ("_modules", "_parameters", "_buffers"):
                self.module(o)
                self.outside.append(d[name])
                return d[name]
            for part in (o._parameters, o._buffers, o._modules):
                if name in part:
                    return self.lift(part[name], _item, part, name)
        if _syntax.sort(o) == "class":
            d = _found(o, name) or {}
        if name in d:
            return self.lift(d[name], _item, d, name) if _syntax.sort(o) != "class" else getattr(o, name)
        of = _found(type(o), name)
        if of is None:
            if _syntax.sort(type(o)) == "class" and not isinstance(o, nn.Module) and _found(type(o), "__getattr__"):
                raise Break("__getattr__ of a class of the user's")
            return getattr(o, name)
        v = of[name]
        if isinstance(v, property):
            if _syntax.sort(v.fget) == "function" and not _is_library(v.fget):
                return self.call_function(v.fget, [o], {})
            return getattr(o, name)
        if isinstance(v, _values) or isinstance(v, (list, dict, tuple, _w.Tensor)):
            return self.lift(v, _item, of, name)
        return getattr(o, name)

    def set_attribute(self, o, name, v):
        if id(o) not in self.made and not any([so is o and sn == name for so, sn in self.slots]):
            raise Break("an attribute of an object from outside is set")
        setattr(o, name, v)

    def augment(self, frame, s):
        if s.a.kind == "attr":
            o = self.eval(frame, s.a.a)
            if id(o) not in self.made and not any([so is o and sn == s.a.name for so, sn in self.slots]):
                raise Break("an attribute of an object from outside is set")
        super().augment(frame, s)

    def simple(self, frame, s):
        if s.kind in ("del", "global", "nonlocal", "import", "from", "class"):
            raise Break(s.kind)
        super().simple(frame, s)

    def e_index(self, frame, e):
        o = self.eval(frame, e.a)
        if _users(o):
            raise Break("an item of an object of a class of the user's")
        if isinstance(o, nn.Module):
            key = self.eval(frame, e.b)
            return o[key]
        return super().e_index(frame, e)

    # -- calls

    def callee(self, f):
        if isinstance(f, nn.Module):
            if _hooks(f):
                raise Break("a module with hooks is called")
            self.module(f)
            func = _forward(f)
            if func is not None:
                return func, f
            raise Break("forward of a module is no function")
        return None

    def call(self, f, args, kwargs):
        name = getattr(f, "__name__", "")
        sort = _syntax.sort(f)
        if hasattr(f, "__compile_disabled__"):
            raise Break(f"Skip calling `torch.compiler.disable()`d function {name}")
        if hasattr(f, "__compiled__"):
            return self.call(f.__compiled__, args, kwargs)
        if any([_users(x) for x in args]) and sort == "native" and id(f) not in (id(isinstance), id(type), id(getattr), id(hasattr), id(callable)):
            raise Break(f"{name}() of an object of a class of the user's")
        if f is getattr and len(args) >= 2 and not isinstance(args[0], _w.Tensor):
            return self.attribute(args[0], args[1]) if len(args) == 2 or hasattr(args[0], args[1]) else args[2]
        if sort == "native":
            self.native(f, name)
        elif sort == "function" and not self.library(f, name):
            if _syntax.info(f)["generator"]:
                raise Break("a generator is made")
        elif sort == "method":
            if name in _acting:
                raise Break(f"{name}() is called")
            if _syntax.sort(f.__func__) == "function" and not self.library(f.__func__, name) and \
                    _syntax.info(f.__func__)["generator"]:
                raise Break("a generator is made")
        elif sort == "class":
            return self.instance(f, args, kwargs)
        elif sort == "other" and not isinstance(f, (nn.Module, _stage.Nested)):
            inner = _found(type(f), "__call__")
            inner = inner["__call__"] if inner is not None else None
            if _syntax.sort(inner) != "function":
                raise Break(f"{type(f).__name__} is called")
            if _is_library(inner):
                raise Break(f"{type(f).__name__} is called")
            return self.call_function(inner, [f] + list(args), kwargs)
        return super().call(f, args, kwargs)

    def library(self, f, name):
        # Is f a function of a library, of those that may be part of a program?
        if not _is_library(f):
            return False
        if name in _acting or not _of_library(_syntax.info(f)["file"]):
            raise Break(f"{name}() is called")
        return True

    def native(self, f, name):
        of = getattr(f, "__self__", None)
        if name in _acting:
            raise Break(f"{name}() is called")
        if id(f) in _pure or id(f) in _natives or of is not None and \
                isinstance(of, (_w.Tensor, list, dict, tuple, str, set, _stage.Sym, torch.dtype)):
            return
        raise Break(f"{name}() is called")

    def instance(self, f, args, kwargs):
        if isinstance(getattr(f, "_fields", None), tuple) and issubclass(f, tuple):
            return f(*args, **kwargs)
        if isinstance(f.__module__, str) and f.__module__.split(".")[0] == "torch" and not issubclass(f, nn.Module) and \
                f.__module__.startswith(("torch._grad", "torch.amp", "torch._types", "torch.autograd")):
            return f(*args, **kwargs)
        if issubclass(f, BaseException):
            raise Break("an exception is made")
        raise Break(f"an object of class {f.__name__} is made")

    def draw(self, name, *args):
        # A native that draws, called in the trace: its result is an input, or will be.
        if self.depth > 0 or any([self.unknown(x) for x in args]):
            raise Break("random numbers that depend on values")
        if self.symbols is not None and self.drawn < len(self.symbols):
            t = self.symbols[self.drawn]
        else:
            example = _example(name, args)
            self.reads.draws.append((name, args, example))
            t = _w.symbol_of(example)
        self.drawn += 1
        return t

    def at(self, frame, e):
        self.place = (frame.info["file"], e.line, e.col, e.len, frame.tree.name)
        super().at(frame, e)

    def stages(self, func):
        if hasattr(func, "__compile_disabled__"):
            raise Break(f"Skip calling `torch.compiler.disable()`d function {func.__name__}")
        tree, info = _stage.tree_of(func)
        return not info["generator"] and (not info["hidden"] or hasattr(func, "__stage__") or func.__name__ == "forward")


def _example(name, args):
    # What the native draws, with generators among args as they were.
    kept = [(g, g.get_state()) for g in args if isinstance(g, torch.Generator)]
    _w.refuse_random(False)
    try:
        return getattr(_w, name)(*args)
    finally:
        _w.refuse_random(True)
        for g, s in kept:
            g.set_state(s)


def _users(x):
    # An object of a class of the user's, whose operators may do anything?
    if isinstance(x, (_w.Tensor, int, float, str, list, tuple, dict, nn.Module)) or x is None:
        return False
    return not isinstance(x, (_stage.Sym, _stage.Nested)) and _syntax.sort(x) == "other" and _syntax.sort(type(x)) == "class" and \
        not str(type(x).__module__).startswith(("torch", "_"))


def _hidden_module(m):
    name = m.__name__
    return name.split(".")[0] in ("torch", "math", "functools", "operator", "typing", "numpy", "collections", "_torch")


def _forward(m):
    d = _found(type(m), "forward")
    if "forward" in vars(m):
        return None
    f = getattr(d["forward"], "__stage_as__", d["forward"]) if d is not None else None
    return f if _syntax.sort(f) == "function" else None


def _numbers():
    out = dict(_pure)
    for m in (math, _w):
        for name in dir(m):
            f = getattr(m, name, None)
            if _syntax.sort(f) == "native":
                out[id(f)] = f
    return out


_natives = _numbers()
