# torch.jit._file -- scripted and traced functions and modules in one file, and back.
#
# A .weft file: tensors by their names in the state dict; a program for each method that was traced
# or has run as a program, for all sizes where that can be, which C programs and `weft eval` run by
# name (see docs/modules.md for the keys `tree` and `method.NAME`); and under the key `jit` the
# source of what was scripted, with the functions and classes it uses, and the modules' attributes.
# Loading makes the functions and classes, whose text is checked to do nothing else, and puts the tree
# together again; it still trains.
#
# A name that ends in .ts or .torchscript asks for an archive of TorchScript instead, which PyTorch loads (src/torchscript): the
# programs alone, with the form of their arguments and results (_form).
import io
import json
import os
import sys
import tempfile

import _syntax
import _stage
import _torch as _w
import _tree
import torch
from torch import nn
from torch._types import home
from torch.jit import _draws, _form, _module, _resave, _script, _trace
from torch.nn.modules.module import _WithKwargs

_version = 2            # since 2: attributes by their kinds, hooks
_HOOKS = ("_forward_pre_hooks", "_forward_hooks")


def _hook_parts(hook):
    # (the function, does it take keywords?)
    return (hook.hook, True) if isinstance(hook, _WithKwargs) else (hook, False)


def _hook_of(function, with_kwargs):
    return _WithKwargs(function) if with_kwargs else function


# ---- source ---------------------------------------------------------------------------------------

class _Source:
    # The definitions a function or class needs, in an order in which they can be run.
    def __init__(self):
        self.imports = {}
        self.lines = []
        self.constants = {}
        self.done = {}

    def text(self):
        out = [f"import {m} as {n}" if m != n else f"import {m}" for n, m in self.imports.items()]
        for n, v in self.constants.items():
            out.append(f"{n} = {v!r}")
        return "\n".join(out + self.lines) + "\n"

    def function(self, f):
        if id(f) in self.done:
            return
        self.done[id(f)] = f
        self.needs(f)
        self.lines += ["", ""] + _plain(f, 0)

    def needs(self, f):
        tree, info = _stage.tree_of(f)
        for name in sorted(_names(tree)):
            if name in tree.locals:
                continue
            try:
                v = _syntax.free(f, name)
            except NameError:
                g = info["globals"]
                if name not in g:
                    continue
                v = g[name]
            self.value(name, v)

    def value(self, name, v):
        sort = _syntax.sort(v)
        if sort == "module":
            self.imports[name] = v.__name__
        elif isinstance(v, _trace.TracedFunction):
            raise RuntimeError(f"cannot save '{name}': a traced function inside a scripted one; script it instead")
        elif isinstance(v, _script.ScriptFunction):
            self.function(v._method.func)
        elif sort == "function":
            if _syntax.info(v)["hidden"]:
                self.imports_from(name, v)
            else:
                self.function(v)
        elif sort == "class":
            self.cls(v)
        elif isinstance(v, (int, float, bool, str)) or v is None:
            self.constants[name] = v
        elif sort == "native" or v is torch.Tensor or v is getattr(__import__("typing"), name, None):
            self.imports_from(name, v)

    def imports_from(self, name, v):
        for m in (torch, nn, nn.functional, __import__("math"), __import__("typing")):
            if getattr(m, name, None) is v:
                line = f"from {m.__name__} import {name}"
                if line not in self.lines:
                    self.lines.insert(0, line)
                return

    def cls(self, c):
        if id(c) in self.done or c.__module__ != "__main__" and not _is_users(c):
            return
        self.done[id(c)] = c
        bases = []
        for b in c.__bases__:
            if b is object:
                continue
            if _is_users(b):
                self.cls(b)
                bases.append(b.__name__)
            elif issubclass(b, nn.Module):
                self.imports["torch"] = "torch"
                bases.append("torch.nn." + ("Module" if issubclass(b, _module.ScriptModule) else b.__name__))
            else:
                bases.append(b.__name__)
        body = []
        fields = getattr(c, "_fields", None)
        if fields is not None and issubclass(c, tuple):
            self.imports_from("NamedTuple", __import__("typing").NamedTuple)
            self.lines.insert(0, "from typing import NamedTuple")
            self.lines += ["", "", f"class {c.__name__}(NamedTuple):"] + [f"    {n}: object" for n in fields]
            return
        used = _methods(c) if issubclass(c, nn.Module) else vars(c)
        for name, f in vars(c).items():
            f = _written(f)
            if _syntax.sort(f) == "function" and not _syntax.info(f)["hidden"] and name in used:
                self.needs(f)
                body += [""] + (["    @torch.jit.export"] if hasattr(f, "__jit_export__") or f is not vars(c)[name] else []) + \
                    (["    @torch.jit.ignore"] if hasattr(f, "__jit_ignore__") else []) + _plain(f, 4)
                self.imports["torch"] = "torch"
            elif isinstance(f, (int, float, bool, str)) and not name.startswith("__"):
                body.append(f"    {name} = {f!r}")
            elif isinstance(f, property) and name in used and not _unused(c, name, f):
                for g, decorator in ((f.fget, "property"), (f.fset, name + ".setter")):
                    if _syntax.sort(g) == "function":
                        self.needs(g)
                        body += ["", f"    @{decorator}"] + _plain(g, 4)
            elif isinstance(f, staticmethod) and name in used:
                self.needs(f.__func__)
                body += ["", "    @staticmethod"] + _plain(f.__func__, 4)
        self.lines += ["", "", f"class {c.__name__}({', '.join(bases)}):"] + (body or ["    pass"])


def _unused(c, name, p):
    return hasattr(p.fget, "__jit_ignore__") or name in getattr(c, "__jit_unused_properties__", ())


def _methods(c):
    # Names of the methods of a module that its programs can come to: forward, those that are
    # exported, and whatever these name behind a dot. What only serves to make or train it stays behind.
    def named(f):
        out = set()

        def walk(n):
            if n is not None:
                if n.kind == "attr":
                    out.add(n.name)
                if n.kind == "call" and n.a.kind == "name" and n.a.name in ("hasattr", "getattr"):
                    out.update([x.value for x in n.list if x.kind == "str"])
                for x in (n.a, n.b, n.c):
                    walk(x)
                for x in (*n.list, *n.more, *(n.def_.body if n.kind in ("lambda", "def") else ())):
                    walk(x)

        for s in _stage.tree_of(f)[0].body:
            walk(s)
        return out

    functions, exported = {}, []
    for k in reversed(c.__mro__):
        for name, f in vars(k).items():
            if _syntax.sort(_written(f)) == "function" and not _syntax.info(_written(f))["hidden"]:
                functions.setdefault(name, []).append(_written(f))
                exported += [name] if hasattr(f, "__jit_export__") else []
            elif isinstance(f, property) and not _unused(k, name, f):
                functions.setdefault(name, []).extend([g for g in (f.fget, f.fset) if _syntax.sort(g) == "function"])
            elif isinstance(f, staticmethod):
                functions.setdefault(name, []).append(f.__func__)
    used = set()
    todo = [n for n in functions if n == "forward" or n in exported]
    while todo:
        name = todo.pop()
        if name in functions and name not in used:
            used.add(name)
            for f in functions[name]:
                todo += named(f)
    return used


def _written(f):
    # A method as it was written, of one that was scripted.
    return getattr(f, "__stage_as__", f)


def _is_users(c):
    hidden = [_syntax.info(f)["hidden"] for f in map(_written, vars(c).values()) if _syntax.sort(f) == "function"]
    return not all(hidden) if hidden else _syntax.sort(c) == "class" and c.__module__ == "__main__"


def _plain(f, indent):
    # The lines of a definition at an indentation.
    lines = _syntax.source(f).split("\n")
    n = len(lines[0]) - len(lines[0].lstrip())
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].strip().startswith("#") and _left(lines[-1]) <= n):
        lines.pop()             # comments on what follows
    return [" " * indent + (l[n:] if _left(l) >= n else l.lstrip()) if l.strip() else "" for l in lines]


def _left(line):
    return len(line) - len(line.lstrip())


def _names(tree):
    out = set()

    def walk(n):
        if n is None:
            return
        if n.kind == "name":
            out.add(n.name)
        if n.kind in ("lambda", "def"):
            for s in n.def_.body:
                walk(s)
        for x in (n.a, n.b, n.c):
            walk(x)
        for x in n.list:
            walk(x)
        for x in n.more:
            walk(x)

    for s in tree.body:
        walk(s)
    for p in tree.params:
        walk(p.ann)
        walk(p.value)
    walk(tree.returns)
    return out


# ---- the tree of modules ------------------------------------------------------------------------------

_libraries = (torch, nn.functional, __import__("math"))


class _NoForm(Exception):
    # A value that a file cannot hold.
    pass


class _Writer:
    def __init__(self, archive=False):
        self.archive = archive  # of TorchScript: programs alone, with the form of their arguments and results
        self.draws = None if archive else _draws.Draws()
        self.source = _Source()
        self.tensors = {}
        self.texts = {}
        self.programs = []
        self.names = {}         # id of a tensor: its name
        self.lines = []         # of the key `tree`

    def name(self, prefix, key, t, kind):
        # The name of a tensor in the file; one tensor has one name.
        full = prefix + key
        if id(t) in self.names:
            self.lines.append(f"{kind}\t{full}\t{self.names[id(t)]}")
        else:
            self.names[id(t)] = full
            self.tensors[full] = t
            self.lines.append(f"{kind}\t{full}")
        return self.names[id(t)]

    def module(self, m, prefix):
        original = getattr(type(m), "_original", type(m)) if "_own" not in vars(type(m)) else type(m)
        kind = "traced" if isinstance(m, _trace.TracedModule) else "script"
        users = _is_users(original)
        if users and kind == "script":
            self.source.cls(original)
        self.lines.append(f"module\t{prefix[:-1]}\t{original.__name__}\t{m.extra_repr()}")
        attrs, more = {}, {}
        for k, v in vars(m).items():
            if k in ("_parameters", "_buffers", "_modules", "_traced", "_quick", "_programs", "_constant", "_finished", "_typed"):
                continue
            if isinstance(v, _w.Tensor):
                more[k] = self.name(prefix, "@" + k, v, "buffer")
            elif k not in _HOOKS:
                try:
                    attrs[k] = self.attribute(prefix, "@" + k, v)
                except _NoForm:
                    pass        # what no script can use
        hooks = {k: [self.attribute(prefix, "@" + k, _hook_parts(f)) for f in vars(m)[k].values()] for k in _HOOKS if vars(m).get(k)}
        node = {"class": original.__name__, "users": users, "kind": kind, "attrs": attrs, "tensors": more,
                "params": {}, "buffers": {}, "children": {}, "hooks": hooks}
        for k, t in m._parameters.items():
            node["params"][k] = None if t is None else [
                self.name(prefix, k, t, "param" if t.requires_grad else "frozen"), t.requires_grad]
        for k, t in m._buffers.items():
            node["buffers"][k] = None if t is None else self.name(prefix, k, t, "buffer")
        for k, c in m._modules.items():
            node["children"][k] = None if c is None else self.module(c, prefix + k + ".")
        if "_traced" in vars(m) and prefix == "":
            node["traced"] = {n: self.traced(t, _script._state(m), vars(original).get(n)) for n, t in m._traced.items()}
        elif "_traced" in vars(m):
            raise RuntimeError("cannot save a traced module inside another: trace or script the whole")
        return node

    def attribute(self, prefix, name, v):
        # An attribute's value for the file: one of JSON's plain values, or {its kind: what it is made of}.
        if v is None or type(v) in (bool, int, str) or type(v) is float and v - v == 0:
            return v
        cls = type(v)
        if isinstance(v, _w.Tensor):
            return {"tensor": self.name(prefix, name, v, "buffer")}
        if cls is float or cls is complex:
            return {cls.__name__: repr(v)}
        if cls in (list, tuple):
            return {cls.__name__: [self.attribute(prefix, f"{name}.{i}", x) for i, x in enumerate(v)]}
        if isinstance(v, dict):
            return {"dict": [[self.attribute(prefix, f"{name}.{i}k", k), self.attribute(prefix, f"{name}.{i}", x)]
                             for i, (k, x) in enumerate(v.items())]}
        if isinstance(v, torch.dtype):
            return {"dtype": str(v).split(".")[-1]}
        if isinstance(v, torch.device):
            return {"device": str(v)}
        f = v._method.func if isinstance(v, _script.ScriptFunction) and hasattr(v, "_method") else v
        if _syntax.sort(f) == "function" and not _syntax.info(f)["hidden"] and not _syntax.info(f)["lambda"] and \
                not hasattr(f, "__jit_ignore__"):
            self.source.function(f)
            return {"function": f.__name__}
        if _syntax.sort(cls) == "class" and _is_users(cls) and not isinstance(v, (tuple, nn.Module, BaseException)) and \
                hasattr(v, "__dict__"):
            self.source.cls(cls)
            return {"object": [cls.__name__, [[k, self.attribute(prefix, f"{name}.{k}", x)] for k, x in vars(v).items()]]}
        for module in _libraries:
            if isinstance(getattr(v, "__name__", None), str) and getattr(module, v.__name__, None) is v:
                return {"builtin": [module.__name__, v.__name__]}
        raise _NoForm()

    def method(self, name, program, state, writes):
        # A program of the file: which tensors come first, which of its last results change them.
        self.programs.append(program)
        self.texts["method." + name] = "\n".join(["state " + self.names[id(t)] for t in state] +
                                                 ["update " + self.names[id(t)] for t in writes])

    def form(self, name, func, skip, in_spec, leaves, out_spec, plan):
        if not self.archive:
            return
        try:
            self.texts["arguments." + name] = _form.arguments(func, skip, in_spec, leaves)
            self.texts["results." + name] = _form.results(out_spec, plan)
        except _form.NoForm as e:
            raise RuntimeError(f"torch.jit.save: '{name}' cannot be in a TorchScript archive: {e}") from None

    def traced(self, t, state, forward=None):
        if t.program is None:
            raise RuntimeError(f"cannot save '{t.name}': it is no program, since {t.reason}; call eval() before tracing, "
                               "or script it")
        if t.program.captures:
            raise RuntimeError("cannot save a traced function that uses tensors from outside")
        tensors = [s.t for s in state]
        if any([i >= len(tensors) for i in t.writes]):
            raise RuntimeError("cannot save a traced function that writes to its arguments")
        self.method(t.name, t.program, tensors, [tensors[i] for i in t.writes])
        self.form(t.name, t.func or forward, 0 if t.func is not None else 1, t.in_spec, [None] * _tree.count(t.in_spec), t.out_spec,
                  [("static", t.statics[i]) if i in t.statics else ("tensor", None) for i in range(_tree.count(t.out_spec))])
        return {"in": _spec_out(t.in_spec), "out": _spec_out(t.out_spec), "writes": t.writes,
                "views": [[k, i] for k, i in t.views.items()], "same": t.same, "statics": {str(k): v for k, v in t.statics.items()}}

    def scripted(self, m):
        # Methods of a scripted module, or a scripted function, as programs: NAME is the form for
        # inference, NAME_train the one for training where that is another.
        state = _script._state(m) if isinstance(m, nn.Module) else []
        owner = m if isinstance(m, nn.Module) else None
        for name, method in _module.methods_of(m).items():
            with _Mode(owner, False):
                s, why = method.for_file(owner, state, name, self.draws)
            if s is None and self.archive:
                raise RuntimeError(f"torch.jit.save: '{name}' cannot be in a TorchScript archive, which takes programs: {why}")
            if s is None:
                sys.stderr.write(f"torch.jit.save: the file has no program for '{name}' ({why}): scripts run it from "
                                 "its source, C programs cannot\n")
                continue
            self.program(name, s, state, method, owner)
            if owner is None:
                continue
            try:
                with _Mode(owner, True):
                    t, why = method.for_file(owner, state, name + "_train", self.draws)
            except (ValueError, RuntimeError) as e:     # of these sizes it cannot train: one pixel for a norm of the batch
                t, why = None, str(e)
            if t is None:
                self.texts["no_train." + name] = why
            elif _body(t.program) != _body(s.program) or t.writes != s.writes:
                self.program(name + "_train", t, state, method, owner)

    def program(self, name, s, state, method, owner):
        if s.draws:
            state = state + [self.draws]
            if id(self.draws.t) not in self.names:
                self.name("", "random_key" + "_" * len([n for n in self.tensors if n.startswith("random_key")]), self.draws.t, "buffer")
        self.method(name, s.program, [k.t for k in state], [state[i].t for _, i in s.writes])
        spec, leaves = method.programs(owner).example[:2]
        self.form(name, method.func, 0 if owner is None else 1, spec, leaves, s.spec, s.plan)


class _Mode:
    # All parts of a module in training or not, for a while.
    def __init__(self, owner, mode):
        self.owner = owner
        self.mode = mode

    def __enter__(self):
        self.kept = [] if self.owner is None else [(vars(m), vars(m)["training"]) for m in self.owner.modules()]
        for d, _ in self.kept:
            d["training"] = self.mode

    def __exit__(self, *exc):
        for d, was in self.kept:
            d["training"] = was
        return False


def _body(program):
    # The text of a program without its name, which stands behind the bodies of its loops.
    return ("\n" + program.text()).replace(f"\n{program.name}(", "\n(")


def _spec_out(s):
    if s == "*" or s is None:
        return s
    return [s[0], list(s[2]) if s[2] is not None else None, [_spec_out(x) for x in s[3]]]


def _spec_in(s):
    if s == "*" or s is None:
        return s
    kinds = {"tuple": tuple, "list": list, "dict": dict}
    return (s[0], kinds[s[0]], tuple(s[1]) if s[1] is not None else None, tuple([_spec_in(x) for x in s[2]]))


def through_file(work, data=None):
    # work(path) with a file that holds data and is gone afterwards; what it holds then, or what work gives.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.weft")
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
            return work(path)
        work(path)
        with open(path, "rb") as file:
            return file.read()


def to_bytes(m, extra_files=None):
    if _resave.of_archive(m) is not None:
        file = io.BytesIO()
        _resave.save(m, file, extra_files)
        return file.getvalue()
    return through_file(lambda path: save(m, path, extra_files))


def save(m, path, extra_files=None):
    if _resave.of_archive(m) is not None and not str(path).endswith(".weft"):
        _resave.save(m, path, extra_files)
        return
    if hasattr(path, "write"):
        path.write(to_bytes(m, extra_files))
        return
    # Programs are recorded with arguments on the host, wherever the tensors of a module are.
    strict = home[1]
    _w.one_device(False)
    try:
        _save(m, path, extra_files)
    finally:
        _w.one_device(strict)


def _as_bytes(text):
    return text.encode() if isinstance(text, str) else text


def _save(m, path, extra_files):
    archive = str(path).endswith((".ts", ".torchscript"))
    if archive and extra_files:
        raise NotImplementedError("torch.jit.save: a TorchScript archive without extra files")
    w = _Writer(archive)
    data = {"version": _version, "extra": {k: _as_bytes(v).decode("latin-1") for k, v in (extra_files or {}).items()}}
    if isinstance(m, _trace.TracedFunction):
        data["kind"] = "traced function"
        data["name"] = m._traced.name
        data["root"] = w.traced(m._traced, [])
    elif isinstance(m, _script.ScriptFunction):
        data["kind"] = "function"
        w.source.function(m._method.func)
        w.scripted(m)
        data["root"] = m.name
    elif isinstance(m, _module.ScriptModule):
        data["kind"] = "module"
        data["root"] = w.module(m, "")
        if not isinstance(m, _trace.TracedModule):
            w.scripted(m)
        w.texts["tree"] = "\n".join(w.lines)
    else:
        raise RuntimeError(f"torch.jit.save takes what was scripted or traced, not a {type(m).__name__}")
    data["devices"] = {n: t.device.index for n, t in w.tensors.items() if t.is_cuda}
    data["source"] = w.source.text()
    _syntax.check(data["source"], "<" + str(path) + ">")
    w.texts["jit"] = json.dumps(data)
    _w.save_model(str(path), w.tensors, w.texts, w.programs, archive)


# ---- back --------------------------------------------------------------------------------------------

class LoadedModule(nn.Module):
    # Stands for the class of a traced module whose own class is not in the file.
    pass


def _traced_back(d, name, programs):
    return _trace._Traced(programs[name], _spec_in(d["in"]), _spec_in(d["out"]),
                          {int(k): v for k, v in d["statics"].items()}, d["writes"], {k: i for k, i in d["views"]},
                          d["same"], name)


def _attribute(v, names, tensors):
    if not isinstance(v, dict):
        return v
    (kind, x), = v.items()
    if kind == "tensor":
        return tensors[x]
    if kind in ("list", "tuple"):
        items = [_attribute(i, names, tensors) for i in x]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {_attribute(k, names, tensors): _attribute(i, names, tensors) for k, i in x}
    if kind == "object":
        new = object.__new__(names[x[0]])
        vars(new).update({k: _attribute(i, names, tensors) for k, i in x[1]})
        return new
    if kind == "function":
        f = _function_of(names, x)
        return f if isinstance(f, _script.ScriptFunction) else _script.ScriptFunction(f)
    if kind == "builtin":
        library = [m for m in _libraries if m.__name__ == x[0]][0]
        if not _syntax.computes(x[1]) or _syntax.sort(getattr(library, x[1])) not in ("function", "native"):
            raise RuntimeError(f"no function of {x[0]}: '{x[1]}'")
        return getattr(library, x[1])
    if kind == "dtype":
        t = getattr(torch, x, None)
        if not isinstance(t, torch.dtype):
            raise RuntimeError(f"no dtype: '{x}'")
        return t
    return {"float": float, "complex": complex, "device": torch.device}[kind](x)


def _function_of(names, name):
    # One that the file defines, and nothing that it imports.
    f = names.get(name)
    own = f._method.func if isinstance(f, _script.ScriptFunction) else f
    if _syntax.sort(own) != "function" or not _syntax.info(own)["confined"]:
        raise RuntimeError(f"the file defines no function '{name}'")
    return f


def _restore(node, names, tensors, programs):
    name = node["class"]
    cls = names.get(name) if node["users"] else getattr(nn, name, None)
    if not isinstance(cls, type) or not issubclass(cls, nn.Module):
        class Loaded(LoadedModule):
            pass
        Loaded.__name__ = Loaded.__qualname__ = name
        cls = Loaded
    new_cls = _trace._traced_class(cls, "traced" in node) if node["kind"] == "traced" else _module._class_for(cls)
    m = object.__new__(new_cls)
    d = vars(m)
    d.update(vars(nn.Module()))      # no attribute is read or set by way of the file's class
    for k, v in node["attrs"].items():
        d[k] = _attribute(v, names, tensors) if "hooks" in node else v
    for k, functions in node.get("hooks", {}).items():
        d[k] = dict(enumerate([_hook_of(_function_of(names, f["tuple"][0]["function"]), f["tuple"][1]) for f in functions]))
    for k, n in node["tensors"].items():
        d[k] = tensors[n]
    for k, p in node["params"].items():
        if p is not None and not isinstance(tensors[p[0]], nn.Parameter):
            tensors[p[0]] = nn.Parameter(tensors[p[0]], requires_grad=p[1])
        d["_parameters"][k] = None if p is None else tensors[p[0]]
    for k, n in node["buffers"].items():
        d["_buffers"][k] = None if n is None else tensors[n]
    for k, c in node["children"].items():
        d["_modules"][k] = None if c is None else _restore(c, names, tensors, programs)
    if "traced" in node:
        d["_traced"] = {n: _traced_back(t, n, programs) for n, t in node["traced"].items()}
    return m


def load(path, map_location=None, extra_files=None):
    m = _load(path, map_location, extra_files)
    return m if map_location is None or not hasattr(m, "to") else m.to(map_location)


def _load(path, map_location, extra_files):
    if not os.path.exists(path):
        raise FileNotFoundError(f"The provided filename {path} does not exist")
    tensors, texts, programs = _w.load_model(str(path), ["jit"])
    if "jit" not in texts:
        raise RuntimeError(f"{path}: not a file of torch.jit.save")
    data = json.loads(texts["jit"])
    if data["version"] > _version:
        raise RuntimeError(f"{path}: made by a newer version")
    for n, i in data.get("devices", {}).items():     # where they were, if this machine has it
        if map_location is None and i < _w.device_count():
            tensors[n] = tensors[n].to(torch.device("cuda", i))
    if extra_files is not None:
        for k in list(extra_files):
            extra_files[k] = data["extra"].get(k, "").encode("latin-1")
    if data["kind"] == "traced function":
        return _trace.TracedFunction(_traced_back(data["root"], data["name"], programs), None)
    names = _syntax.load(data["source"], "<" + str(path) + ">")
    if data["kind"] == "function":
        f = _function_of(names, data["root"])
        return f if isinstance(f, _script.ScriptFunction) else _script.ScriptFunction(f)
    return _restore(data["root"], names, tensors, programs)
