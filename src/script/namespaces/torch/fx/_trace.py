# torch.fx._trace -- functions run on Proxies. While one is traced, the functions of torch make nodes of calls that have a Proxy
# among their arguments: in torch's modules, and wherever a script's module holds them by a name of its own.
import inspect as _inspect
import sys as _sys
from collections import namedtuple as _namedtuple

import torch
from torch.fx._defaults import DEFAULTS
from torch.fx.graph import Graph, Node, map_arg, named, names_of, qualified
from torch.fx.proxy import Proxy, TracerBase
from torch.nn.modules.module import Module

_installed = []
_wrapped = []       # (module's names, name) that wrap() was told
_MODULES = ("torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft",
            "_torch")       # the natives, which modules of torch.nn call


def has_proxy(a):
    if isinstance(a, Proxy):
        return a
    if isinstance(a, (tuple, list)):
        for x in a:
            p = has_proxy(x)
            if p is not None:
                return p
    if isinstance(a, dict):
        return has_proxy(list(a.values()))
    return None


# What the library passes on by name, with its defaults


class _recording:
    # In the place of a function, and equal to it
    def __init__(self, fn, name):
        self.fn, self.name, self.__name__ = fn, name, getattr(fn, "__name__", name)
        self.__module__ = getattr(fn, "__module__", None)

    def __call__(self, *args, **kwargs):
        p = has_proxy(args)
        p = has_proxy(kwargs) if p is None else p
        if p is None:
            return self.fn(*args, **kwargs)
        names_of.setdefault(id(self.fn), self.name)
        count, defaults = DEFAULTS.get(self.name[20:], (9, None)) if self.name.startswith("torch.nn.functional.") else (9, None)
        if len(args) >= count:
            kwargs = dict(defaults, **dict(zip(defaults, args[count:])), **kwargs)
            args = args[:count]
        return p.tracer.create_proxy("call_function", self.fn, args, kwargs)

    def __eq__(self, other):
        return self.fn is (other.fn if isinstance(other, _recording) else other)

    def __hash__(self):
        return hash(self.fn)


class _Patches:
    def __init__(self):
        self.undo, self.first = [], {}      # first: by the id of a function, what stands for it

    def put(self, names, key, value):
        self.undo.append((names, key, names[key] if key in names else self))
        names[key] = value

    def torch_functions(self, wrapped):
        made = {}
        for m in _MODULES:
            home = __import__(m)
            names = vars(home)
            for key in names.get("_MORE", ()):      # those that are loaded when they are asked for
                names.setdefault(key, getattr(home, key))
            for key, fn in list(names.items()):
                if key[:1] != "_" and callable(fn) and not isinstance(fn, (type, torch.dtype, _recording)):
                    new = made[id(fn)] = _recording(fn, named("torch" if m == "_torch" else m, key))
                    self.first.setdefault(id(fn), new)
                    self.put(names, key, new)
        for m in list(_sys.modules.values()):
            if getattr(m, "__file__", None) is not None or getattr(m, "__name__", "") == "__main__":
                names = vars(m)
                for key, fn in list(names.items()):
                    if id(fn) in made and callable(fn):
                        self.put(names, key, made[id(fn)])
        for names, key in wrapped:
            fn = names.get(key) or getattr(__import__("builtins"), key, None)
            self.put(names, key, _recording(fn, qualified(fn)))

    @staticmethod
    def for_good():
        # for Proxies that a script makes itself, outside of any trace
        if not _installed:
            _installed.append(_Patches())
            _installed[0].torch_functions([])

    def restore(self):
        for names, key, old in self.undo[::-1]:
            if old is self:
                del names[key]
            else:
                names[key] = old


def wrap(fn_or_name):
    if callable(fn_or_name):
        _wrapped.append((fn_or_name.__globals__, fn_or_name.__name__))
        return fn_or_name
    if not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    _wrapped.append((vars(_sys.modules["__main__"]), fn_or_name))
    return fn_or_name


class Tracer(TracerBase):
    def __init__(self, autowrap_modules=(), autowrap_functions=(), param_shapes_constant=False):
        if param_shapes_constant:
            raise NotImplementedError("Tracer: param_shapes_constant")
        self._modules, self._functions = autowrap_modules, autowrap_functions

    def is_leaf_module(self, m, module_qualified_name):
        home = type(m).__module__
        return (home.startswith("torch.nn") or home.startswith("torch.ao.nn")) and not isinstance(m, torch.nn.Sequential)

    def path_of_module(self, mod):
        for name, m in self.root.named_modules():
            if m is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m, forward, args, kwargs):
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return forward(*args, **kwargs)

    def create_arg(self, a):
        if isinstance(a, torch.nn.Parameter) or isinstance(a, torch.Tensor):
            named = list(self.root.named_parameters()) + list(self.root.named_buffers())
            for name, p in named:
                if p is a:
                    return self.create_node("get_attr", name, (), {})
            k = 0
            while hasattr(self.root, f"_tensor_constant{k}") and getattr(self.root, f"_tensor_constant{k}") is not a:
                k += 1
            setattr(self.root, f"_tensor_constant{k}", a)
            return self.create_node("get_attr", f"_tensor_constant{k}", (), {})
        if isinstance(a, (tuple, list)):
            made = [self.create_arg(x) for x in a]
            return type(a)(made) if not hasattr(a, "_fields") else type(a)(*made)
        if isinstance(a, dict):
            return {k: self.create_arg(v) for k, v in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        return a.node if isinstance(a, Proxy) else a

    def _arguments(self, fn, concrete):
        out = [self.root] if self._is_module else []
        spec = list(_inspect.signature(fn).parameters.values())
        own = self._is_module and spec and spec[0].kind != _inspect.Parameter.VAR_POSITIONAL
        for p in spec[1:] if own else spec:
            if p.name in concrete:
                out.append(concrete[p.name])
                continue
            star = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(getattr(p.kind, "name", str(p.kind)), "")
            default = () if p.default is _inspect.Parameter.empty else (p.default,)
            out.append(self.create_proxy("placeholder", star + p.name, default, {}, name=p.name))
        return out

    def trace(self, root, concrete_args=None):
        self._is_module = isinstance(root, Module)
        self.root = root if self._is_module else Module()
        fn = type(root).forward if self._is_module else root
        self.graph = Graph(tracer_cls=type(self))
        tracer, patches = self, _Patches()
        old_call, old_get = Module.__call__, Module.__getattr__
        args = self._arguments(fn, concrete_args or {})
        seen = {}

        def call(mod, *a, **k):
            if has_proxy(a) is None and has_proxy(k) is None:
                return old_call(mod, *a, **k)
            return tracer.call_module(mod, lambda *x, **y: old_call(mod, *x, **y), a, k)

        def attribute(mod, name):
            value = old_get(mod, name)
            if isinstance(value, torch.nn.Parameter):
                if id(value) not in seen:
                    for path, p in tracer.root.named_parameters():
                        if p is value:
                            seen[id(value)] = tracer.create_proxy("get_attr", path, (), {})
                return seen.get(id(value), value)
            return value

        try:
            patches.torch_functions(_wrapped)
            Module.__call__, Module.__getattr__ = call, attribute
            result = fn(*args)
        finally:
            Module.__call__, Module.__getattr__ = old_call, old_get
            patches.restore()
        self.create_node("output", "output", (self.create_arg(result),), {})
        return self.graph


class GraphModule(Module):
    def __new__(cls, *args, **kwargs):
        # each has a class of its own, which bears its name
        class GraphModuleImpl(cls.__bases__[0] if "GraphModuleImpl" in cls.__qualname__ else cls):
            pass
        return super().__new__(GraphModuleImpl)

    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module):
            self.training = root.training
            for n in graph.nodes:
                if n.op in ("call_module", "get_attr"):
                    self._take(root, n.target)
        else:
            for name, value in root.items():
                self._put(name, value)
        object.__setattr__(self, "_graph", None)
        self.graph = graph

    def _put(self, path, value):
        m = self
        parts = path.split(".")
        for p in parts[:-1]:
            if p not in m._modules:
                m.add_module(p, Module())
            m = m._modules[p]
        if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
            m.register_buffer(parts[-1], value)
        else:
            setattr(m, parts[-1], value)

    def _take(self, root, path):
        # what the path names, in modules of the same names; those that are whole are shared
        m, at = root, self
        for k, p in enumerate(path.split(".")):
            if k == path.count("."):
                self._put(path, getattr(m, p))
                return
            m = getattr(m, p)
            if p in at._modules and at._modules[p] is m:
                return
            if p not in at._modules:
                at.add_module(p, Module())
            at = at._modules[p]

    @property
    def graph(self):
        return self._graph

    @graph.setter
    def graph(self, g):
        object.__setattr__(self, "_graph", g)
        g.owning_module = self
        self.recompile()

    def __setattr__(self, name, value):
        if name == "graph":
            GraphModule.graph.fset(self, value)
        else:
            Module.__setattr__(self, name, value)

    def recompile(self):
        code = self._graph.python_code("self")
        object.__setattr__(self, "_code", code.src)
        return code

    @property
    def code(self):
        return self._code

    def forward(self, *args, **kwargs):
        return Interpreter(self).run(*args, **kwargs)

    def __reduce__(self):
        return _restored, (type(self).__bases__[0], dict(self.__dict__))

    def __copy__(self):
        return GraphModule(self, self.graph)

    def __repr__(self):
        return (Module.__repr__(self) + "\n" + self._code + "\n# To see more debug info, please use `graph_module.print_readable()`")

    def print_readable(self, print_output=True):
        text = f"class {type(self).__name__}(torch.nn.Module):" + self._code.replace("\n\n\n", "\n").replace("\n", "\n    ")
        if print_output:
            print(text)
        return text

    def add_submodule(self, target, m):
        self._put(target, m)
        return True

    def delete_submodule(self, target):
        path, _, name = target.rpartition(".")
        del self.get_submodule(path)._modules[name]
        return True

    def delete_all_unused_submodules(self):
        used = {n.target for n in self._graph.nodes if n.op == "call_module"}
        for name in list(self._modules):
            if not any([u == name or u.startswith(name + ".") for u in used]):
                del self._modules[name]

    def __deepcopy__(self, memo):
        import copy
        root = Module()
        root.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items() if k not in ("_graph", "_code")})
        g = Graph()
        out = g.graph_copy(self._graph, {})
        g.output(out)
        return GraphModule(root, g)


def _restored(cls, state):
    m = cls.__new__(cls)
    type(m).__name__ = "GraphModule"
    m.__dict__.update(state)
    return m


def symbolic_trace(root, concrete_args=None):
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    return GraphModule(tracer.root, graph, type(root).__name__ if isinstance(root, Module) else root.__name__)


class Interpreter:
    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module, self.graph, self.env = module, graph or module.graph, {}
        self.garbage_collect_values = garbage_collect_values

    def run(self, *args, initial_env=None, enable_io_processing=True, **kwargs):
        self.env = dict(initial_env or {})
        self.args_iter, self._kwargs = iter(args), kwargs
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]
        return None

    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target, args, kwargs):
        if target.startswith("**"):
            return dict(self._kwargs)
        if target.startswith("*"):
            return list(self.args_iter)
        if target in self._kwargs:
            return self._kwargs[target]
        for value in self.args_iter:
            return value
        if args:
            return args[0]
        raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!")

    def get_attr(self, target, args, kwargs):
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target, args, kwargs):
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        return args[0]

    def fetch_attr(self, target):
        m = self.module
        for p in target.split("."):
            m = getattr(m, p)
        return m

    def fetch_args_kwargs_from_env(self, n):
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args, n):
        def value(x):
            if x not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {x}! Run Graph.lint() to diagnose such issues")
            return self.env[x]
        return map_arg(args, value)


class Transformer(Interpreter):
    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = Tracer()
        self.tracer.graph, self.tracer.root = self.new_graph, module

    def placeholder(self, target, args, kwargs):
        return Proxy(self.new_graph.placeholder(target, None, *args), self.tracer)

    def get_attr(self, target, args, kwargs):
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target, args, kwargs):
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target, args, kwargs):
        return self.tracer.create_proxy("call_function", getattr(target, "fn", target), args, kwargs)

    def call_method(self, target, args, kwargs):
        return self.tracer.create_proxy("call_method", target, args, kwargs)

    def transform(self):
        self.patches = _Patches()
        try:
            self.patches.torch_functions([])
            result = self.run()
        finally:
            self.patches.restore()
        self.new_graph.output(self.tracer.create_arg(result))
        return GraphModule(self.module, self.new_graph)

    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        if n.op == "placeholder":
            return Interpreter.run_node(self, n)
        # functions are what their names stand for meanwhile, so that `target is torch.relu` holds
        return getattr(self, n.op)(self.patches.first.get(id(n.target), n.target), args, kwargs)


Match = _namedtuple("Match", ["anchor", "nodes_map"])


def _matches(pn, gn, found):
    if pn in found:
        return found[pn] is gn
    if pn.op != "placeholder":
        if not isinstance(gn, Node) or pn.op != gn.op or pn.target != gn.target or len(pn.args) != len(gn.args) or \
                list(pn.kwargs) != list(gn.kwargs):
            return False
        found[pn] = gn
        return _same(list(pn.args) + list(pn.kwargs.values()), list(gn.args) + list(gn.kwargs.values()), found)
    found[pn] = gn
    return True


def _same(a, b, found):
    if isinstance(a, Node):
        return _matches(a, b, found)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all([_same(x, y, found) for x, y in zip(a, b)])
    return a == b


def replace_pattern(gm, pattern, replacement):
    graph = gm.graph
    pg, rg = [p.graph if isinstance(p, GraphModule) else symbolic_trace(p).graph for p in (pattern, replacement)]
    anchor = pg.output_node().args[0]
    inputs = [n for n in pg.nodes if n.op == "placeholder"]
    made, gone = [], set()
    for node in list(graph.nodes):
        found = {}
        if node in gone or not _matches(anchor, node, found):
            continue
        inner = [g for p, g in found.items() if p.op != "placeholder"]
        if any([g in gone for g in inner]) or any([u not in inner for g in inner if g is not node for u in g.users]):
            continue
        values = {}
        for p, r in zip(inputs, [n for n in rg.nodes if n.op == "placeholder"]):
            values[r] = found[p]
        with graph.inserting_before(node):
            result = graph.graph_copy(rg, values)
        node.replace_all_uses_with(result)
        for g in sorted(inner, key=graph._list.index, reverse=True):
            graph.erase_node(g)
            gone.add(g)
        made.append(Match(node, found))
    gm.recompile()
    return made
