# torch.fx.proxy -- what a traced function computes with: every operation on a Proxy becomes a node.
import operator as _operator

from torch.fx.graph import Graph, Node, map_aggregate


class TraceError(ValueError):
    pass


class Proxy:
    def __init__(self, node, tracer=None):
        self.node = node
        self.tracer = tracer if tracer is not None else GraphAppendingTracer(node.graph)
        if type(self.tracer) is GraphAppendingTracer:
            from torch.fx._trace import _Patches
            _Patches.for_good()

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, name):
        if name.startswith("__") or name in ("node", "tracer"):
            raise AttributeError(name)
        return Attribute(self, name)

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self,) + args, kwargs)

    def __bool__(self):
        return self.tracer.to_bool(self)

    def __iter__(self):
        return self.tracer.iter(self)

    def __len__(self):
        raise RuntimeError("'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
                           "torch.fx.wrap('len') at module scope")

    def __contains__(self, x):
        return self.tracer.to_bool(self)

    def __index__(self):
        raise TypeError("'Proxy' object cannot be interpreted as an integer")

    def keys(self):
        return self.tracer.keys(self)

    def __getitem__(self, i):
        return self.tracer.create_proxy("call_function", _operator.getitem, (self, i), {})

    def __setitem__(self, i, v):
        raise TypeError("'Proxy' object does not support item assignment")

    def __hash__(self):
        return id(self)


class Attribute(Proxy):
    # x.shape and x.relu: a node only if it is not called at once
    def __init__(self, root, attr):
        self.root, self.attr, self.tracer, self._node = root, attr, root.tracer, None

    @property
    def node(self):
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root,) + args, kwargs)


def _binary(op, swapped):
    def call(self, other):
        return self.tracer.create_proxy("call_function", op, (other, self) if swapped else (self, other), {})
    return call


def _unary(op):
    def call(self):
        return self.tracer.create_proxy("call_function", op, (self,), {})
    return call


for _name in "add sub mul floordiv truediv mod pow lshift rshift matmul and_ or_ xor".split():
    _op, _short = getattr(_operator, _name), _name.rstrip("_")
    setattr(Proxy, f"__{_short}__", _binary(_op, False))
    setattr(Proxy, f"__r{_short}__", _binary(_op, True))
for _name in "eq ne lt gt le ge".split():
    setattr(Proxy, f"__{_name}__", _binary(getattr(_operator, _name), False))
for _name in "neg pos invert".split():
    setattr(Proxy, f"__{_name}__", _unary(getattr(_operator, _name)))
Proxy.__abs__ = _unary(abs)


class TracerBase:
    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node):
        return Proxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args, kwargs, name, type_expr)
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a):
        return map_aggregate(a, lambda x: x.node if isinstance(x, Proxy) else x)

    def to_bool(self, obj):
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj):
        raise TraceError("Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
                         "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what "
                         "types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
                         "iteration errors")

    def keys(self, obj):
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    def __init__(self, graph):
        self.graph = graph
