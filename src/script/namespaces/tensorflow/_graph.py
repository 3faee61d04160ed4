# tensorflow._graph -- graphs of version 1: tensors, operations, names, variables.
#
# While a graph is the default, op() adds nodes instead of computing. A node keeps the function
# and its arguments; a session makes programs of nodes (_session). Shapes come from the type rules of
# what the function does with symbols whose sizes are not known.
import re

import _tf as _w
from tensorflow._base import staging
from tensorflow._base import (state, as_tensor, as_operand, dtype_of, TensorShape, TensorLike, InvalidArgumentError,
                              FailedPreconditionError, EagerTensor, float32)
from tensorflow import _ops
from tensorflow._variable import Variable


def _session(given):
    from tensorflow._session import Session
    return given or Session.current()


# ---- nodes ----

class OperatorNotAllowedInGraphError(TypeError):
    pass


def _not_in_graphs(what):
    return OperatorNotAllowedInGraphError(f"{what} is not allowed. You can attempt the following resolutions to the problem: If you are running in "
                                          "Graph mode, use Eager execution mode or decorate this function with @tf.function.")


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
        return self.owner.operation if self.owner is not None else self.operation

    @property
    def ndim(self):
        return self._shape.rank

    def root_value(self):
        if self.known is not None:
            return self.known
        raise InvalidArgumentError(f"You must feed a value for placeholder tensor '{self.name[:-2]}' with dtype "
                                   f"{_kernel_type(self.dtype)} and shape {_sizes(self._shape)}")

    def eval(self, feed_dict=None, session=None):
        return _session(session).run(self, feed_dict)

    def consumers(self):
        return [o for o in self.graph.operations if self in o.inputs]

    @property
    def value_index(self):
        return self.index

    @property
    def device(self):
        return ""

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __bool__(self):
        raise _not_in_graphs("Using a symbolic `tf.Tensor` as a Python `bool`")

    def __iter__(self):
        n = self._shape[0] if self._shape.rank else None
        if n is None:
            raise _not_in_graphs("Iterating over a symbolic `tf.Tensor`")
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


# Types of operations, where they are not called as the function is.
_TYPES = {"Add": "AddV2", "add": "AddV2", "sub": "Sub", "mul": "Mul", "truediv": "RealDiv", "floordiv": "FloorDiv", "mod": "FloorMod", "pow": "Pow",
          "concat": "ConcatV2", "stack": "Pack", "unstack": "Unpack", "split": "Split", "one_hot": "OneHot", "transpose": "Transpose",
          "range": "Range", "Select": "SelectV2", "zeros_like": "ZerosLike", "ones_like": "OnesLike", "zeros": "Fill", "ones": "Fill",
          "random_uniform": "RandomUniform", "random_normal": "RandomStandardNormal", "truncated_normal": "TruncatedNormal",
          "strided_slice": "StridedSlice", "repeat": "Repeat", "MatVec": "BatchMatMulV2"}


class Operation:
    # results: tensors that stand for the operation where it has no outputs
    def __init__(self, graph, name, type, node=None):
        self.graph = graph
        self.name = name
        self.kind = type
        self.node = node
        self.outputs, self.results = [], []
        self.device = ""
        graph.operations.append(self)

    @property
    def inputs(self):
        return tuple(self.node.inputs) if self.node is not None else ()

    @property
    def type(self):
        kind = self.kind if self.node is None else self.node.op.type if isinstance(self.node.op, _Assign) else self.node.kind
        return _TYPES.get(kind, kind)

    @property
    def control_inputs(self):
        return [t.op for t in self.node.control] if self.node is not None else []

    @property
    def node_def(self):
        return NodeDef(self)

    def values(self):
        return tuple(self.outputs)

    def run(self, feed_dict=None, session=None):
        _session(session).run(self, feed_dict)

    def get_attr(self, name):
        attr = NodeDef(self).attr
        if name not in attr:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return attr[name]

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self):
        if self.type != "NoOp":
            return repr(self)
        waits = [t.op.name for t in self.node.inputs] + [o.name for o in self.control_inputs]
        return f'name: "{self.name}"\nop: "NoOp"\n' + "".join([f'input: "^{n}"\n' for n in waits])


class NodeDef:
    def __init__(self, operation, shapes=False):
        self.operation = operation
        self.name, self.op, self.device = operation.name, operation.type, operation.device
        self.attr = {}
        if operation.outputs:
            self.attr["dtype" if not operation.inputs else "T"] = operation.outputs[0].dtype
        if self.op == "Placeholder":
            self.attr["shape"] = operation.outputs[0].shape
        if shapes and operation.outputs:
            self.attr["_output_shapes"] = [t.shape for t in operation.outputs]
        self.input = [t.name[:-2] if t.name.endswith(":0") else t.name for t in operation.inputs]
        self.input += ["^" + o.name for o in operation.control_inputs]

    def __str__(self):
        lines = [f'  name: "{self.name}"', f'  op: "{self.op}"'] + [f'  input: "{i}"' for i in self.input]
        return "node {\n" + "\n".join(lines) + "\n}\n"


class GraphDef:
    # data: the message as bytes, of graphs that were frozen or read; see _graphdef.py
    def __init__(self, nodes=()):
        self.node, self.data = nodes, None

    def SerializeToString(self):
        if self.data is None:
            raise NotImplementedError("GraphDef.SerializeToString: of a graph as it was built; tf.graph_util.convert_variables_to_constants "
                                      "and tf.saved_model write graphs that TensorFlow runs")
        return self.data

    def ParseFromString(self, data):
        from tensorflow._graphdef import parse
        parse(self, data)
        return len(data)

    @staticmethod
    def FromString(data):
        from tensorflow._graphdef import parse
        return parse(GraphDef(), data)

    def ByteSize(self):
        return len(self.SerializeToString())

    def __str__(self):
        return "".join([str(n) for n in self.node])


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
    def __init__(self, graph, op, name, inputs, control, kind):
        self.graph = graph
        self.op = op
        self.name = name
        self.inputs = inputs
        self.control = control
        self.outputs = []
        self.kind = kind
        self.operation = Operation(graph, name, kind, self)

    def output(self, dtype, shape, shown=True, each=False):
        # each: it is named as if it were an operation of its own
        k = len(self.outputs)
        name = f"{self.name}_{k}:0" if each and k else f"{self.name}:{k}"
        t = GraphTensor(self.graph, name, dtype, shape, self, k)
        self.outputs.append(t)
        (self.operation.outputs if shown else self.operation.results).append(t)
        return t


IMPURE = ("random_uniform", "random_normal", "truncated_normal", "RandomShuffle", "categorical", "dropout")
_LATE = ("CheckNumerics", "Print", "PrintV2")      # what they find is told when they run


_MISMATCH = ("Matrix size-incompatible", "cannot be broadcast together", "differ in more than axis")


def _checked(node, make):
    # what a function of known shapes refuses, as version 1 words it
    try:
        return make()
    except (InvalidArgumentError, ValueError, TypeError, IndexError) as e:
        if isinstance(e, TypeError) or "expected to be a" in str(e):
            raise TypeError(str(e)) from None
        raise ValueError(str(e)) from None


def _infer(node, size):
    # (what the node's function gives, its types) on symbols; size: for sizes that are not known
    form, symbols = [], [i for i in node.inputs if i.known is None]
    types = []
    for i in symbols:
        shape = () if i._shape.rank is None else tuple([size if d is None else d for d in i._shape])
        types.append((shape, i.dtype))

    def run(*values):
        at = iter(values)
        form.append(node.op.compute([i.known if i.known is not None else next(at) for i in node.inputs]))
        return _leaves(form[-1])
    kept, state.inferring = state.inferring, True
    try:
        found = _w.infer(run, types)
    finally:
        state.inferring = kept
    return form[-1], found


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
        self.scopes = []         # of names, each whole: "a", "a/b"
        self.controls = []       # None: those before it do not count
        self.collections = {"variables": [], "trainable_variables": [], "losses": []}
        self.by_name = {}
        self.operations = []
        self.seed = None
        self.store = {}          # of get_variable
        self.variable_scopes = []
        self.root_scope = None   # of variables
        self.scope_counts = {}   # how often scopes of variables were entered, by name
        self.layer_counts = {}   # of layers without a name, by their scope
        self.finalized = False
        self.host_nodes = False  # are there nodes that the host runs?
        self.asked_initialized = []     # variables of which programs ask whether they have a value

    def as_default(self):
        return _Graph(self)

    def scope(self):
        return self.scopes[-1] if self.scopes else ""

    def unique_name(self, name, mark_as_used=True):
        return self._unique(f"{self.scope()}/{name}" if self.scope() else name, mark_as_used)

    def _unique(self, full, mark=True):
        # names differ in more than their case
        n = self.names.get(full.lower(), 0)
        if mark:
            self.names[full.lower()] = n + 1
        if not n:
            return full
        while f"{full}_{n}".lower() in self.names:
            n += 1
        if mark:
            self.names[full.lower()] = n + 1
            self.names[f"{full}_{n}".lower()] = 1
        return f"{full}_{n}"

    def push_scope(self, name):
        # A name that ends in / is one that was entered before, as it is; none is the outermost scope.
        if not name:
            self.scopes.append("")
        elif name.endswith("/"):
            self.scopes.append(name[:-1])
        else:
            self.scopes.append(self.unique_name(name))
        return self.scopes[-1] + "/" if self.scopes[-1] else ""

    def pop_scope(self):
        self.scopes.pop()

    def name_scope(self, name):
        from tensorflow import name_scope
        return name_scope(name)

    def push_control(self, inputs):
        # None: what is made within waits for nothing that was named outside
        if inputs is None:
            self.controls.append(None)
            return
        deps = []
        for x in inputs:
            if isinstance(x, Operation):
                deps += x.outputs or x.results
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
            out = [] if c is None else out + c
        return out

    def control_dependencies(self, inputs):
        from tensorflow import control_dependencies
        return control_dependencies(inputs)

    def node(self, op, name, inputs):
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        return Node(self, op, self.unique_name(name), inputs, self.control(), name)

    # What was added since a mark, as if it had not been: a trial.

    def mark(self):
        return dict(self.names), dict(self.by_name), len(self.operations)

    def rewind(self, mark):
        self.names, self.by_name = mark[0], mark[1]
        self.operations = self.operations[:mark[2]]

    def register(self, t):
        self.by_name[t.name] = t
        return t

    def get_tensor_by_name(self, name):
        if name not in self.by_name:
            if ":" not in name:
                raise ValueError(f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor names must be of the form "
                                 "\"<op_name>:<output_index>\".")
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist. The operation, {name.partition(':')[0]!r}, does not exist in "
                           "the graph.")
        return self.by_name[name]

    def get_operation_by_name(self, name):
        for o in self.operations:
            if o.name == name:
                return o
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def get_operations(self):
        return list(self.operations)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        if not isinstance(obj, str):
            return obj
        found = self.get_tensor_by_name(obj) if ":" in obj else self.get_operation_by_name(obj)
        if isinstance(found, Operation) and not allow_operation or isinstance(found, GraphTensor) and not allow_tensor:
            raise ValueError(f"The name {obj!r} does not refer to what is allowed here")
        return found

    def as_graph_def(self, from_version=None, add_shapes=False):
        if from_version is not None and not isinstance(from_version, int):
            raise TypeError(f"from_version: {from_version!r}")
        return GraphDef([NodeDef(o, add_shapes) for o in self.operations[from_version or 0:]])

    @property
    def version(self):
        return len(self.operations)

    def add_to_collection(self, name, value):
        if self.finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        self.collections.setdefault(name, []).append(value)

    def get_all_collection_keys(self):
        return [k for k, v in self.collections.items() if v]

    def prevent_feeding(self, tensor):
        self._unfeedable = getattr(self, "_unfeedable", []) + [tensor]

    def prevent_fetching(self, op):
        self._unfetchable = getattr(self, "_unfetchable", []) + [op]

    def is_feedable(self, tensor):
        return not [t for t in getattr(self, "_unfeedable", []) if t is tensor]

    def is_fetchable(self, tensor):
        return not [t for t in getattr(self, "_unfetchable", []) if t is tensor or t is getattr(tensor, "op", None)]

    def get_collection(self, name, scope=None):
        items = list(self.collections.get(name, []))
        return items if scope is None else [x for x in items if hasattr(x, "name") and re.match(scope, x.name)]

    def get_collection_ref(self, name):
        return self.collections.setdefault(name, [])

    def add_to_collections(self, names, value):
        for n in [names] if isinstance(names, str) else names:
            self.add_to_collection(n, value)

    def clear_collection(self, name):
        self.collections.pop(name, None)

    def get_name_scope(self):
        return self.scope()

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
        fixed = name not in IMPURE and name not in _LATE and not node.control and not [i for i in node.inputs if i.known is None]
        with _Graph(None):
            if fixed:
                form = _checked(node, lambda: node.op.compute([i.known for i in node.inputs]))
                found = [(a.shape, a.dtype) for a in _leaves(form)]
            else:
                form, found = self._inferred(node)
        if found is None:
            dtype = node.inputs[0].dtype if node.inputs else float32
            return self.register(node.output(dtype, self._guess(node)))
        for shape, dtype in found:
            self.register(node.output(dtype, shape))
        if fixed:
            for t, a in zip(node.outputs, _leaves(form)):
                t.known = a
        return _structure(form, iter(node.outputs))

    def _inferred(self, node):
        # what the node gives, and the shapes and dtypes of its tensors; None where they cannot be told
        open_ = [i for i in node.inputs if not i._shape.is_fully_defined()]
        if not open_:
            try:
                return _checked(node, lambda: _infer(node, None))
            except (RuntimeError, staging.Refuse):   # it depends on numbers
                return None, None
        try:
            form, found = _infer(node, None)
        except (InvalidArgumentError, ValueError, TypeError, RuntimeError, IndexError, staging.Refuse) as e:
            if isinstance(e, TypeError):
                raise
            form, found = self._numbered(node)
            if found is None and [m for m in _MISMATCH if str(e).find(m) >= 0]:
                raise ValueError(str(e)) from None
        if found is not None and [i for i in open_ if i._shape.rank is None]:
            found = [(None, d) for _, d in found]
        return form, found

    def _numbered(self, node):
        # The function needs sizes as numbers: those that are not the same for two of them stay open.
        for one, other in ((3, 5), (720720, 1441440)):      # the latter have the parts that splits ask for
            try:
                form, a = _infer(node, one)
                _, b = _infer(node, other)
            except (InvalidArgumentError, ValueError, RuntimeError, IndexError, staging.Refuse):
                continue
            return form, [([p if p == q else None for p, q in zip(s, t)], d) for (s, d), (t, _) in zip(a, b)]
        return None, None

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
    return g.register(_named(GraphTensor(g, full + ":0", dtype_of(dtype), shape), full, "Placeholder"))


def _named(t, name, type):
    # a tensor without a node, as the output of an operation
    t.operation = Operation(t.graph, name, type)
    t.operation.outputs.append(t)
    return t


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
        return [state.run.now[v] if v in state.run.now else values[0]]


class _Initialized:
    # A variable's value if it has one when the run begins, else what it is initialised by.
    def __init__(self, variable):
        self.variable = variable

    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        run, v = state.run, self.variable
        return [run.value(v) if v in run.now or run.session.has(v) else values[0]]


class _Assign:
    def __init__(self, variable, how):
        self.variable, self.how = variable, how
        self.type = {"set": "Assign", "add": "AssignAdd", "sub": "AssignSub"}[how] if isinstance(how, str) else "Scatter"

    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        s, v = state.run, self.variable
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
        self._root = _named(_Root(self), full, "VariableV2")
        g.by_name.setdefault(self._name, self._root)
        self._is_resource = state.resources if use_resource is None else use_resource
        self._initializer = None
        for c in ["variables"] if collections is None else collections:
            g.collections.setdefault(c, []).append(self)
        if self._trainable and self not in g.collections["trainable_variables"]:
            g.collections["trainable_variables"].append(self)

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._shape

    @property
    def op(self):
        return self._root.op

    @property
    def initial_value(self):
        return self._initial

    @property
    def initializer(self):
        if self._initializer is None:
            g = self.graph
            controls, g.controls = g.controls, []
            self._initializer = self._change("set", self._initial, name=self._name[:-2] + "/Assign").op
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
            return _ops.identity(self, name="read")

    def value(self):
        return self._read()

    def is_initialized(self):
        from tensorflow._host import node_of
        return node_of("IsVariableInitialized", "IsVariableInitialized", [], lambda session, values: [_w.tensor(session.has(self))], [(dtype_of("bool"), ())])[0]

    def count_up_to(self, limit):
        def next_(x, one):
            if not _w.about(x, "symbolic") and x.item() >= limit:
                raise OutOfRangeError(f"Reached limit of {limit}")
            return x + one
        before = self.read_value()
        with self.graph.control_dependencies([before]):
            after = self._change(next_, 1)
        with self.graph.control_dependencies([after]):
            return _ops.identity(before)

    def initialized_value(self):
        g = self.graph
        if self not in g.asked_initialized:
            g.asked_initialized.append(self)
        node = g.node(_Initialized(self), "cond", [self._initial])
        return node.output(self._dtype, self._shape)

    def eval(self, session=None):
        return _session(session).run(self)

    def load(self, value, session=None):
        _session(session).set(self, _w.cast(as_tensor(value), self._dtype))

    def _change(self, how, *xs, name=None):
        g = self.graph
        with _Graph(g):
            inputs = []
            for x in xs:
                if isinstance(x, GraphVariable):
                    x = x._read()
                typed = isinstance(x, _w.Tensor) and type(x).__module__ != "numpy"     # arrays of NumPy take the variable's dtype
                inputs.append(x if isinstance(x, GraphTensor) else _ops.constant(x, dtype=None if typed else self._dtype))
            if how in ("set", "add", "sub") and inputs[0].dtype != self._dtype:
                raise TypeError(f"Input 'value' of 'Assign' Op has type {inputs[0].dtype.name} that does not match type {self._dtype.name} of argument 'ref'.")
            if how == "set" and not self._shape.is_compatible_with(inputs[0].shape):
                raise ValueError(f"Shapes {self._shape} and {inputs[0].shape} are incompatible")
            op = _Assign(self, how)
            node = g.node(op, name or op.type, inputs)
        node.kind = "Assign"
        return node.output(self._dtype, self._shape)

    def _changed(self, how, x, read_value, name):
        t = self._change(how, x, name=name)
        return t if read_value else t.op

    def assign(self, value, use_locking=False, name=None, read_value=True):
        return self._changed("set", value, read_value, name)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        return self._changed("add", delta, read_value, name)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        return self._changed("sub", delta, read_value, name)

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


class _Group:
    def needed(self, node):
        return node.inputs + node.control

    def run(self, node, values, env, subst):
        return [_w.tensor(0)]


def graph_group(inputs, name="group_deps"):
    g = default_graph()
    flat = []

    def walk(x):
        if isinstance(x, (list, tuple)):
            for y in x:
                walk(y)
        elif isinstance(x, Operation):
            flat.extend(x.outputs or x.results)
        elif isinstance(x, GraphVariable):
            flat.append(x._read())
        elif x is not None:
            flat.append(x)
    walk(inputs)
    node = g.node(_Group(), name, flat)
    node.kind = "NoOp"
    node.output(dtype_of("int32"), (), False)
    return node.operation


def as_constant(x):
    if isinstance(x, GraphVariable):
        return x._read()
    return x if isinstance(x, GraphTensor) else _ops.constant(x)
