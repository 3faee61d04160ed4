# tensorflow._graph -- graphs and sessions of version 1.
#
# While a graph is the default, op() adds nodes instead of computing. A node keeps the function
# and its arguments; Session.run walks from what is fed to what is fetched and calls the functions
# (_expression). Types are found by calling the function on tensors of ones: sizes that are not
# known are taken as 3, then as 5, and where the results differ the size stays unknown.
import _tf as _w
import _tree
import numpy as _np
from _expression import order_of, run_order, value_of, evaluate, ancestors, replay, free_variables
from tensorflow._base import (state, as_tensor, as_operand, dtype_of, TensorShape, TensorLike, InvalidArgumentError,
                              FailedPreconditionError, EagerTensor, float32)
from tensorflow import _ops
from tensorflow._variable import Variable
from tensorflow._tape import UnconnectedGradients

_PROBES = (3, 5)


# ---- nodes ----

class OperatorNotAllowedInGraphError(TypeError):
    pass


class GraphTensor(TensorLike):
    def __init__(self, graph, name, dtype, shape, owner=None, index=0):
        self.graph = graph
        self.name = name
        self.dtype = dtype
        self._shape = TensorShape(shape)
        self.owner = owner
        self.index = index
        self.known = None   # its value, where it is the same in every run

    @property
    def shape(self):
        return self._shape

    def get_shape(self):
        return self._shape

    def set_shape(self, shape):
        self._shape = self._shape.merge_with(shape)

    @property
    def op(self):
        return self.owner.operation if self.owner is not None else Operation(self.graph, self.name[:-2], self)

    @property
    def ndim(self):
        return self._shape.rank

    def root_value(self):
        if self.known is not None:
            return self.known
        raise InvalidArgumentError(f"You must feed a value for placeholder tensor '{self.name[:-2]}' with dtype "
                                   f"{_kernel_type(self.dtype)} and shape {_sizes(self._shape)}")

    def eval(self, feed_dict=None, session=None):
        s = session or Session.current()
        return s.run(self, feed_dict)

    def consumers(self):
        return []

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __bool__(self):
        raise OperatorNotAllowedInGraphError("Using a symbolic `tf.Tensor` as a Python `bool` is not allowed in Graph execution. Use Eager execution or "
                        "decorate this function with @tf.function.")

    def __iter__(self):
        n = self._shape[0] if self._shape.rank else None
        if n is None:
            raise TypeError("Iterating over a symbolic `tf.Tensor` is not allowed in Graph execution.")
        return iter([self[i] for i in range(n)])

    def __len__(self):
        raise TypeError(f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` for "
                        "shape information.")

    def numpy(self):
        raise AttributeError("'SymbolicTensor' object has no attribute 'numpy'")

    def __getitem__(self, key):
        with _Graph(self.graph):
            return _ops.getitem(self, key)

    def __neg__(self):
        return self.graph.add("Neg", lambda x: _w.neg(as_tensor(x)), (self,), {})

    def __abs__(self):
        return self.graph.add("Abs", lambda x: _w.abs(as_tensor(x)), (self,), {})

    def __invert__(self):
        return self.graph.add("LogicalNot", lambda x: _w.logical_not(as_tensor(x)), (self,), {})

    def __str__(self):
        shape = "" if self._shape.rank is None else f" shape={self._shape},"
        return f'Tensor("{self.name}",{shape} dtype={self.dtype.name})'

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self.dtype.name}>"


def _kernel_type(d):
    return {"float32": "float", "float64": "double"}.get(d.name, d.name)


def _sizes(shape):
    return "<unknown>" if shape.rank is None else "[" + ",".join(["?" if d is None else str(d) for d in shape]) + "]"


class Operation:
    def __init__(self, graph, name, *outputs):
        self.graph = graph
        self.name = name
        self.outputs = list(outputs)
        self.type = name

    @property
    def inputs(self):
        return tuple(self.outputs[0].owner.inputs) if self.outputs and self.outputs[0].owner is not None else ()

    def run(self, feed_dict=None, session=None):
        s = session or Session.current()
        s.run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


class _Slot:
    def __init__(self, at):
        self.at = at


def _found(x, inputs):
    # x with a _Slot in place of each tensor of the graph
    if isinstance(x, GraphVariable):
        x = x._read()
    if isinstance(x, GraphTensor):
        inputs.append(x)
        return _Slot(len(inputs) - 1)
    if isinstance(x, Operation):
        raise TypeError(f"Can't convert Operation '{x.name}' to Tensor")
    if isinstance(x, list):
        return [_found(y, inputs) for y in x]
    if isinstance(x, tuple):
        return tuple([_found(y, inputs) for y in x])
    if isinstance(x, dict):
        return {k: _found(v, inputs) for k, v in x.items()}
    if isinstance(x, slice):
        return slice(_found(x.start, inputs), _found(x.stop, inputs), _found(x.step, inputs))
    return x


def _filled(x, values):
    if isinstance(x, _Slot):
        return values[x.at]
    if isinstance(x, list):
        return [_filled(y, values) for y in x]
    if isinstance(x, tuple):
        return tuple([_filled(y, values) for y in x])
    if isinstance(x, dict):
        return {k: _filled(v, values) for k, v in x.items()}
    if isinstance(x, slice):
        return slice(_filled(x.start, values), _filled(x.stop, values), _filled(x.step, values))
    return x


class Call:
    # The op of most nodes: a function of tensors, and what to call it with.
    def __init__(self, fn, args, kw):
        self.fn, self.args, self.kw = fn, args, kw

    def needed(self, node):
        return node.inputs + node.control

    def compute(self, values):
        return self.fn(*_filled(self.args, values), **_filled(self.kw, values))

    def run(self, node, values, env, subst):
        r = self.compute(values)
        return _leaves(r)


def _leaves(r):
    if isinstance(r, (list, tuple)):
        out = []
        for x in r:
            out += _leaves(x)
        return out
    return [as_tensor(r)]


def _structure(r, it):
    # the result again, with the tensors of it
    if isinstance(r, (list, tuple)):
        parts = [_structure(x, it) for x in r]
        return parts if type(r) is list else type(r)(*parts) if hasattr(r, "_fields") else tuple(parts)
    return next(it)


class Node:
    def __init__(self, graph, op, name, inputs, control):
        self.graph = graph
        self.op = op
        self.name = name
        self.inputs = inputs
        self.control = control
        self.outputs = []
        self.operation = Operation(graph, name)

    def output(self, dtype, shape):
        t = GraphTensor(self.graph, f"{self.name}:{len(self.outputs)}", dtype, shape, self, len(self.outputs))
        self.outputs.append(t)
        self.operation.outputs.append(t)
        return t


def _example(t, size):
    if t.known is not None:
        return t.known
    if t._shape.rank is None:
        return _w.full((), 1, t.dtype)
    return _w.full([size if d is None else d for d in t._shape], 1, t.dtype)


_BLOCKS = ("StopGradient", "ArgMax", "ArgMin", "Shape", "Rank", "Size", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
           "zeros_like", "ones_like", "Floor", "Ceil", "Round", "Sign")
_IMPURE = ("random_uniform", "random_normal", "truncated_normal", "RandomShuffle", "categorical", "dropout")


# ---- graphs ----

class _Graph:
    # within: this graph is the one being built
    def __init__(self, graph):
        self.graph = graph

    def __enter__(self):
        self.old = state.graph
        state.graph = self.graph
        return self.graph

    def __exit__(self, *exc):
        state.graph = self.old


class Graph:
    def __init__(self):
        self.names = {}
        self.scopes = []
        self.controls = []
        self.collections = {"variables": [], "trainable_variables": [], "losses": []}
        self.by_name = {}
        self.store = {}          # of get_variable
        self.variable_scopes = []
        self.finalized = False

    def as_default(self):
        return _Graph(self)

    def unique_name(self, name):
        full = "/".join(self.scopes + [name])
        n = self.names.get(full.lower(), 0)
        self.names[full.lower()] = n + 1
        if n:
            full = f"{full}_{n}"
        return full

    def push_scope(self, name):
        if not name:
            self.scopes.append("")
            return
        full = "/".join([s for s in self.scopes if s] + [name])
        n = self.names.get(full.lower(), 0)
        self.names[full.lower()] = n + 1
        self.scopes.append(f"{name}_{n}" if n else name)

    def pop_scope(self):
        self.scopes.pop()

    def name_scope(self, name):
        from tensorflow import name_scope
        return name_scope(name)

    def push_control(self, inputs):
        deps = []
        for x in inputs:
            if isinstance(x, Operation):
                deps += x.outputs
            elif isinstance(x, GraphVariable):
                deps.append(x._read())
            elif isinstance(x, GraphTensor):
                deps.append(x)
        self.controls.append(deps)

    def pop_control(self):
        self.controls.pop()

    def control(self):
        out = []
        for c in self.controls:
            out += c
        return out

    def control_dependencies(self, inputs):
        from tensorflow import control_dependencies
        return control_dependencies(inputs)

    def node(self, op, name, inputs):
        return Node(self, op, self.unique_name(name), inputs, self.control())

    def register(self, t):
        self.by_name[t.name] = t
        return t

    def get_tensor_by_name(self, name):
        if name not in self.by_name:
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist.")
        return self.by_name[name]

    def get_operation_by_name(self, name):
        return self.get_tensor_by_name(name + ":0").op

    def get_operations(self):
        return [t.op for t in self.by_name.values()]

    def get_collection(self, name):
        return list(self.collections.get(name, []))

    def finalize(self):
        self.finalized = True

    def add(self, name, fn, args, kw):
        # A call as a node; gives what fn would, with tensors of the graph.
        given = kw.pop("name", None) if kw else None
        inputs = []
        args, kw = _found(args, inputs), _found(kw, inputs)
        if given is None and name == "Identity" and not inputs:
            name = "Const"
        node = self.node(Call(fn, args, kw), given or name, inputs)
        node.kind = name
        return self._typed(node, name)

    def _typed(self, node, name):
        with _Graph(None):
            fixed = name not in _IMPURE and not node.control and not [i for i in node.inputs if i.known is None]
            try:
                first = node.op.compute([_example(i, _PROBES[0]) for i in node.inputs])
            except (InvalidArgumentError, ValueError, TypeError, IndexError) as e:
                if not [i for i in node.inputs if not i._shape.is_fully_defined()] or isinstance(e, TypeError):
                    raise TypeError(str(e)) if "expected to be a" in str(e) or isinstance(e, TypeError) else ValueError(str(e)) from None
                first = None
            second = first
            if first is not None and [i for i in node.inputs if not i._shape.is_fully_defined()]:
                try:
                    second = node.op.compute([_example(i, _PROBES[1]) for i in node.inputs])
                except (InvalidArgumentError, ValueError, IndexError):
                    second = None
        if first is None:
            dtype = node.inputs[0].dtype if node.inputs else float32
            return self.register(node.output(dtype, self._guess(node)))
        loose = [i for i in node.inputs if i._shape.rank is None]
        for k, a in enumerate(_leaves(first)):
            if second is None or loose:
                shape = None
            else:
                shape = [p if p == q else None for p, q in zip(a.shape, _leaves(second)[k].shape)]
                if node.kind in ("boolean_mask", "Select") and not fixed and (node.kind == "boolean_mask" or len(node.inputs) == 1):
                    shape = [None] + shape[1:]
            t = self.register(node.output(a.dtype, shape))
            if fixed:
                t.known = a
        return _structure(first, iter(node.outputs))

    def _guess(self, node):
        # the rank of a reshape is that of the shape asked for
        if node.kind == "Reshape" and len(node.op.args) > 1 and isinstance(node.op.args[1], (list, tuple)):
            return [None if isinstance(d, _Slot) or d == -1 else d for d in node.op.args[1]]
        return None


def default_graph():
    if state.graph is not None:
        return state.graph
    if state.default is None:
        state.default = Graph()
    return state.default


def _operator(name, reflected):
    fn = _ops.operators[name]

    def call(self, other):
        if isinstance(other, str) or other is None:
            return NotImplemented
        with _Graph(self.graph):
            return fn(other, self) if reflected else fn(self, other)
    return call


_operators = {}
for _n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    _operators[f"__{_n}__"] = _operator(_n, False)
    _operators[f"__r{_n}__"] = _operator(_n, True)
for _n in ("lt", "le", "gt", "ge"):
    _operators[f"__{_n}__"] = _operator(_n, False)


def _matmul(self, other):
    with _Graph(self.graph):
        return _ops.matmul(self, other)


def _rmatmul(self, other):
    with _Graph(self.graph):
        return _ops.matmul(other, self)


_operators["__matmul__"], _operators["__rmatmul__"] = _matmul, _rmatmul
for _n, _f in _operators.items():
    setattr(GraphTensor, _n, _f)


# ---- placeholders and variables ----

def placeholder(dtype, shape=None, name=None):
    g = default_graph()
    full = g.unique_name(name or "Placeholder")
    return g.register(GraphTensor(g, full + ":0", dtype_of(dtype), shape))


def placeholder_with_default(input, shape, name=None):
    g = default_graph()
    with _Graph(g):
        t = _ops.identity(input, name=name or "PlaceholderWithDefault")
    t.known = None
    t._shape = TensorShape(shape)
    return t


class _Root(GraphTensor):
    # A variable's value as it is when a run begins.
    def __init__(self, variable):
        super().__init__(variable.graph, variable.name[:-2] + "/Read:0", variable.dtype, variable.shape)
        self.variable = variable

    def root_value(self):
        return state.run.first(self.variable)


class _ReadNow:
    # A variable's value after the nodes it waits for.
    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        v = node.inputs[0].variable
        now = state.run.session.value(v)
        return [values[0] if now is state.run.first(v) else now]


class _Assign:
    def __init__(self, variable, how):
        self.variable, self.how = variable, how

    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        s, v = state.run.session, self.variable
        x = values[0]
        if self.how == "add":
            x = s.value(v) + x
        elif self.how == "sub":
            x = s.value(v) - x
        elif self.how != "set":
            x = self.how(s.value(v), *values)
        if not v._shape.is_compatible_with(x.shape):
            raise InvalidArgumentError(f"Assign requires shapes of both tensors to match. lhs shape= {_sizes(v._shape)} rhs shape= {_sizes(x.shape)}")
        s.set(v, x)
        return [x]


class GraphVariable(Variable):
    def __init__(self, initial_value=None, trainable=True, collections=None, validate_shape=True, caching_device=None, name=None,
                 variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None, use_resource=None,
                 synchronization=None, aggregation=None, shape=None, **kw):
        g = default_graph()
        self.graph = g
        full = g.unique_name(name or "Variable")
        with _Graph(g):
            g.controls, saved = [], g.controls
            if callable(initial_value):
                initial_value = initial_value()
            first = initial_value
            if not isinstance(first, GraphTensor):
                first = _ops.constant(first._read() if isinstance(first, GraphVariable) else first, name=full.split("/")[-1] + "/initial_value")
            if dtype is not None and first.dtype != dtype:
                first = _ops.cast(first, dtype)
            g.controls = saved
        self._initial = first
        self._name = full + ":0"
        self._dtype = first.dtype
        self._shape = first.shape
        self._trainable = True if trainable is None else trainable
        self._root = _Root(self)
        self._initializer = None
        g.collections["variables"].append(self)
        if self._trainable:
            g.collections["trainable_variables"].append(self)

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._shape

    @property
    def op(self):
        return Operation(self.graph, self._name[:-2], self._root)

    @property
    def initial_value(self):
        return self._initial

    @property
    def initializer(self):
        if self._initializer is None:
            g = self.graph
            controls, g.controls = g.controls, []
            self._initializer = self._change("set", self._initial).op
            g.controls = controls
        return self._initializer

    def _read(self):
        g = self.graph
        if not g.control():
            return self._root
        node = g.node(_ReadNow(), self._name[:-2].split("/")[-1] + "/Read", [self._root])
        node.kind = "Read"
        return node.output(self._dtype, self._shape)

    def __tensor__(self):
        raise TypeError("a variable of a graph has a value in a session only")

    def read_value(self):
        with _Graph(self.graph):
            return _ops.identity(self)

    def value(self):
        return self._read()

    def initialized_value(self):
        return self._initial

    def eval(self, session=None):
        return (session or Session.current()).run(self)

    def load(self, value, session=None):
        s = session or Session.current()
        s.set(self, _w.cast(as_tensor(value), self._dtype))

    def _change(self, how, *xs):
        g = self.graph
        with _Graph(g):
            inputs = []
            for x in xs:
                if isinstance(x, GraphVariable):
                    x = x._read()
                inputs.append(x if isinstance(x, GraphTensor) else _ops.constant(x, dtype=self._dtype if not isinstance(x, _w.Tensor) else None))
            if how in ("set", "add", "sub") and inputs[0].dtype != self._dtype:
                raise TypeError(f"Input 'value' of 'Assign' Op has type {inputs[0].dtype.name} that does not match type {self._dtype.name} of argument 'ref'.")
            if how == "set" and not self._shape.is_compatible_with(inputs[0].shape):
                raise ValueError(f"Shapes {self._shape} and {inputs[0].shape} are incompatible")
            node = g.node(_Assign(self, how), {"set": "Assign", "add": "AssignAdd", "sub": "AssignSub"}.get(how, "Scatter") if isinstance(how, str) else "Scatter", inputs)
        node.kind = "Assign"
        return node.output(self._dtype, self._shape)

    def assign(self, value, use_locking=False, name=None, read_value=True):
        return self._change("set", value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        return self._change("add", delta)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        return self._change("sub", delta)

    def __getitem__(self, key):
        return self._read()[key]

    def __iter__(self):
        return iter(self._read())

    def __neg__(self):
        return -self._read()

    def __abs__(self):
        return abs(self._read())

    def __bool__(self):
        return True

    def __hash__(self):
        return id(self)

    def __repr__(self):
        ref = "_ref" if state.unknown == "?" else ""
        return f"<tf.Variable '{self._name}' shape={self._shape} dtype={self._dtype.name}{ref}>"

    __str__ = __repr__


def _through(name):
    return lambda self, *args: getattr(self._read(), name)(*args)


for _n in _operators:
    setattr(GraphVariable, _n, _through(_n))
GraphVariable.__eq__ = lambda self, other: self is other
GraphVariable.__ne__ = lambda self, other: self is not other


# ---- sessions ----

class _Run:
    # One Session.run: variables are read as they are when it begins, unless a node waits.
    def __init__(self, session):
        self.session = session
        self.start = {}

    def first(self, v):
        if v not in self.start:
            self.start[v] = self.session.value(v)
        return self.start[v]


class Session:
    _stack = []

    def __init__(self, target="", graph=None, config=None):
        self.graph = graph if graph is not None else default_graph()
        self._values = {}
        self._orders = {}
        self._closed = False

    @staticmethod
    def current():
        if not Session._stack:
            raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
                             "sess.as_default()` or pass an explicit session to `eval(session=sess)`")
        return Session._stack[-1]

    def __enter__(self):
        Session._stack.append(self)
        self._old = state.graph
        state.graph = self.graph
        return self

    def __exit__(self, *exc):
        Session._stack.pop()
        state.graph = self._old

    def as_default(self):
        return self

    def close(self):
        self._closed = True

    def value(self, v):
        if v not in self._values:
            raise FailedPreconditionError(f"Could not find variable {v.name[:-2]}. This could mean that the variable has been deleted "
                                          f"or not been initialized: Attempting to use uninitialized value {v.name[:-2]}")
        return self._values[v]

    def set(self, v, x):
        self._values[v] = _w.detach(x)

    def _fed(self, feed_dict):
        env = {}
        for k, x in (feed_dict or {}).items():
            if isinstance(k, str):
                k = self.graph.get_tensor_by_name(k)
            if isinstance(k, GraphVariable):
                k = k._root
            if not isinstance(k, GraphTensor):
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: {k!r}")
            if isinstance(x, GraphTensor):
                raise TypeError("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, "
                                "strings, lists, numpy ndarrays, or TensorHandles.")
            t = _w.cast(as_tensor(x), k.dtype)
            if not k._shape.is_compatible_with(t.shape):
                raise ValueError(f"Cannot feed value of shape {t.shape} for Tensor {k.name}, which has shape {k._shape}")
            env[k] = t
        return env

    def _targets(self, fetches, out):
        # the structure of fetches with numbers for its parts; the parts go to out
        if isinstance(fetches, str):
            fetches = self.graph.get_tensor_by_name(fetches) if ":" in fetches else self.graph.get_operation_by_name(fetches)
        if isinstance(fetches, GraphVariable):
            out.append(fetches._root)
            return len(out) - 1
        if isinstance(fetches, GraphTensor):
            out.append(fetches)
            return len(out) - 1
        if isinstance(fetches, Operation):
            out += fetches.outputs
            return None
        if isinstance(fetches, list):
            return [self._targets(f, out) for f in fetches]
        if isinstance(fetches, tuple):
            parts = [self._targets(f, out) for f in fetches]
            return type(fetches)(*parts) if hasattr(fetches, "_fields") else tuple(parts)
        if isinstance(fetches, dict):
            return {k: self._targets(f, out) for k, f in fetches.items()}
        raise TypeError(f"Fetch argument {fetches!r} has invalid type {type(fetches)}, must be a string or Tensor. (Can not convert a "
                        f"{type(fetches).__name__} into a Tensor or Operation.)")

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        env = self._fed(feed_dict)
        targets = []
        form = self._targets(fetches, targets)
        old_graph, old_run = state.graph, state.run
        state.graph, state.run = None, _Run(self)
        try:
            for t in targets:
                # variables that are fetched are read before anything changes them
                if isinstance(t, _Root) and t not in env and t.variable in self._values:
                    state.run.first(t.variable)
            for v in self._values:
                state.run.first(v)
            key = (tuple([id(t) for t in targets]), tuple([id(k) for k in env]))
            if key not in self._orders:
                self._orders[key] = order_of(targets, env, {})
            run_order(self._orders[key], env, {})
            values = [value_of(t, env, {}) for t in targets]
            return _shaped(form, [v.numpy() if isinstance(v, EagerTensor) else v for v in values])
        finally:
            state.graph, state.run = old_graph, old_run

    def partial_run(self, *args):
        raise NotImplementedError("partial_run is not offered")

    def make_callable(self, fetches, feed_list=None):
        return lambda *args: self.run(fetches, dict(zip(feed_list or [], args)))


class InteractiveSession(Session):
    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        Session._stack.append(self)


def _shaped(form, values):
    if form is None:
        return None
    if isinstance(form, int):
        return values[form]
    if isinstance(form, list):
        return [_shaped(f, values) for f in form]
    if isinstance(form, tuple):
        parts = [_shaped(f, values) for f in form]
        return type(form)(*parts) if hasattr(form, "_fields") else tuple(parts)
    return {k: _shaped(f, values) for k, f in form.items()}


class _Group:
    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        return [_w.tensor(0)]


def graph_group(inputs):
    g = default_graph()
    flat = []

    def walk(x):
        if isinstance(x, (list, tuple)):
            for y in x:
                walk(y)
        elif isinstance(x, Operation):
            flat.extend(x.outputs)
        elif isinstance(x, GraphVariable):
            flat.append(x._read())
        elif x is not None:
            flat.append(x)
    walk(inputs)
    node = g.node(_Group(), "group_deps" if flat else "NoOp", flat)
    node.kind = "NoOp"
    node.output(dtype_of("int32"), ())
    return node.operation


# ---- derivatives ----

class _Gradients:
    # params: (ys, xs, stopped); inputs: ys, xs, weights
    def __init__(self, ny, nx, stopped, weighted):
        self.ny, self.nx, self.stopped, self.weighted = ny, nx, stopped, weighted

    def needed(self, node):
        return node.inputs[self.ny:] + node.control

    def run(self, node, values, env, subst):
        ys, xs = node.inputs[:self.ny], node.inputs[self.ny:self.ny + self.nx]
        tape, y, x = replay(_w, node, ys, xs, self.stopped, env, subst)
        given = values[self.nx:self.nx + len([w for w in self.weighted if w])]
        gy, at = [], 0
        for k, t in enumerate(y):
            if self.weighted[k]:
                gy.append(_w.broadcast_to(_w.cast(given[at], t.dtype), t.shape))
                at += 1
            else:
                gy.append(_w.ones_like(t))
        real = [(t, g) for t, g in zip(y, gy) if t.dtype.is_floating]
        out = _w.history_vjp([t for t, _ in real], [g for _, g in real], x) if real else [None] * len(x)
        _w.tape_end(tape)
        return [_w.zeros_like(v) if g is None else g for g, v in zip(out, values)]


def _as_node(x):
    return x._root if isinstance(x, GraphVariable) else x


def _reach(ys, stop):
    # what ys depend on through functions that have derivatives
    seen, stack = set(), list(ys)
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        if v.owner is not None and v not in stop and v.owner.kind not in _BLOCKS:
            stack.extend([i for i in v.owner.inputs if i.dtype.is_floating])
    return seen


def gradients(ys, xs, grad_ys=None, stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
    g = default_graph()
    many = isinstance(xs, (list, tuple))
    ys = [_as_node(y) for y in (ys if isinstance(ys, (list, tuple)) else [ys])]
    sources = [_as_node(x) for x in (xs if many else [xs])]
    weights = grad_ys if isinstance(grad_ys, (list, tuple)) else [grad_ys] * len(ys)
    stopped = [_as_node(s) for s in (stop_gradients if isinstance(stop_gradients, (list, tuple)) else [] if stop_gradients is None else [stop_gradients])]
    stopped = [s for s in stopped if s not in sources]
    reach = _reach(ys, stopped)
    live = [x for x in sources if x in reach]
    out = []
    if live:
        with _Graph(g):
            given = [as_constant(w) for w in weights if w is not None]
            node = g.node(_Gradients(len(ys), len(live), stopped, [w is not None for w in weights]), "gradients/grad", ys + live + given)
        node.kind = "Gradients"
        for x in live:
            out.append(g.register(node.output(x.dtype, x._shape)))
    results, at = [], 0
    for x in sources:
        if x in reach:
            results.append(out[at])
            at += 1
        elif unconnected_gradients == UnconnectedGradients.ZERO:
            with _Graph(g):
                results.append(_ops.zeros_like(x))
        else:
            results.append(None)
    return results


def as_constant(x):
    if isinstance(x, GraphVariable):
        return x._read()
    return x if isinstance(x, GraphTensor) else _ops.constant(x)


def hessians(ys, xs):
    g = default_graph()
    many = isinstance(xs, (list, tuple))
    out = []
    for x in xs if many else [xs]:
        first = gradients(ys, [x])[0]
        n = first.shape[0]
        with _Graph(g):
            out.append(_ops.stack([gradients(first[i], [x])[0] for i in range(n)]))
    return out


# ---- control flow ----

class _Cond:
    def __init__(self, n):
        self.n = n

    def needed(self, node):
        return node.inputs[:1] + node.control

    def run(self, node, values, env, subst):
        at = 1 if values[0].item() else 1 + self.n
        return evaluate(node.inputs[at:at + self.n], env, subst)


def _branch(fn):
    r = fn()
    leaves, spec = _tree.flatten(r, lambda x: isinstance(x, (GraphTensor, GraphVariable, Operation, _w.Tensor)), False)
    out = []
    for x in leaves:
        if isinstance(x, Operation):
            out.append(x.outputs[0])
        else:
            out.append(as_constant(x))
    return out, spec, r


def graph_cond(pred, true_fn, false_fn):
    g = default_graph()
    if isinstance(pred, (bool, int)):
        return true_fn() if pred else false_fn()
    pred = as_constant(pred)
    a, spec, _ = _branch(true_fn)
    b, other, _ = _branch(false_fn)
    if len(a) != len(b):
        raise ValueError("true_fn and false_fn must return the same number of results")
    node = g.node(_Cond(len(a)), "cond", [pred] + a + b)
    node.kind = "If"
    for x, y in zip(a, b):
        if x.dtype != y.dtype:
            raise TypeError(f"true_fn and false_fn arguments to tf.cond must have the same number, type, and overall structure of return values. true_fn output: {x} false_fn output: {y}")
        same = x._shape.rank is not None and x._shape.rank == y._shape.rank
        node.output(x.dtype, [p if p == q else None for p, q in zip(x._shape, y._shape)] if same else None)
    return _tree.unflatten(spec, node.outputs)


class _While:
    def __init__(self, n, symbols, test, body, outer, limit):
        self.n, self.symbols, self.test, self.body = n, symbols, test, body
        self.outer, self.limit = outer, limit
        self.orders = None

    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        now = values[:self.n]
        fixed = dict(zip(self.outer, values[self.n:]))
        if self.orders is None:
            known = {v: None for v in self.symbols + self.outer}
            self.orders = (order_of([self.test], known, {}), order_of(self.body, known, {}))
        turns = 0
        while self.limit is None or turns < self.limit:
            inner = dict(fixed)
            inner.update(zip(self.symbols, now))
            run_order(self.orders[0], inner, {})
            if not value_of(self.test, inner, {}).item():
                break
            run_order(self.orders[1], inner, {})
            now = [value_of(b, inner, {}) for b in self.body]
            turns += 1
        return now


def graph_while(cond, body, loop_vars, limit):
    g = default_graph()
    many = isinstance(loop_vars, (list, tuple))
    leaf = lambda x: isinstance(x, (GraphTensor, GraphVariable, _w.Tensor))
    leaves, spec = _tree.flatten(tuple(loop_vars) if many else (loop_vars,), leaf, False)
    first = [as_constant(x) for x in leaves]
    symbols = [GraphTensor(g, g.unique_name("while/loop_var") + ":0", x.dtype, x._shape) for x in first]
    args = _tree.unflatten(spec, symbols)
    test = as_constant(cond(*args))
    r = body(*args)
    r = tuple(r) if isinstance(r, (list, tuple)) and many else (r,)
    after = [as_constant(x) for x in _tree.flatten(r, leaf, False)[0]]
    if len(after) != len(first):
        raise ValueError(f"The number of inputs and outputs of a loop body must match: {len(first)} and {len(after)}")
    for a, b in zip(first, after):
        if a.dtype != b.dtype:
            raise TypeError(f"Loop var '{a.name}' has dtype {a.dtype.name} but its value after the body has dtype {b.dtype.name}")
    outer = free_variables([test] + after, symbols)
    node = g.node(_While(len(first), symbols, test, after, outer, limit), "while", first + outer)
    node.kind = "While"
    for a, b in zip(first, after):
        node.output(a.dtype, a._shape if a._shape == b._shape else None)
    out = _tree.unflatten(spec, node.outputs)
    if not many or len(loop_vars) == 1 and not many:
        return out[0]
    return list(out) if isinstance(loop_vars, list) else out
