# tensorflow._graphdef -- graphs as messages: taken into other graphs, frozen, written to files and read again.
#
# A GraphDef of a graph here refers to its operations. One that was frozen or read from a file has the bytes that TensorFlow
# has for it, too, and is taken into a graph as one program between its placeholders and its last nodes.
import os
import shutil
import tempfile

import _tf as _w
from _proto import fields
from tensorflow import _ops
from tensorflow._base import DTYPES, dtype_of
from tensorflow._graph import Call, GraphDef, Node, _Graph, default_graph, placeholder


class _Read:
    # a node of a file
    def __init__(self, data):
        f = fields(data)
        self.name, self.op = f[1][0].decode(), f[2][0].decode()
        self.input = [i.decode() for i in f.get(3, [])]
        self.attr = {fields(a)[1][0].decode(): fields(a).get(2, [b""])[0] for a in f.get(5, [])}

    def type(self):
        # (shape, dtype) of a placeholder
        shape = fields(fields(self.attr["shape"]).get(7, [b""])[0]) if "shape" in self.attr else {3: [1]}
        sizes = [fields(d).get(1, [0])[0] for d in shape.get(2, [])]
        dtype = dtype_of(DTYPES[fields(self.attr["dtype"])[6][0]])
        return None if 3 in shape else [None if d >= 1 << 63 else d for d in sizes], dtype

    def __str__(self):
        return "node {\n" + "\n".join([f'  name: "{self.name}"', f'  op: "{self.op}"'] + [f'  input: "{i}"' for i in self.input]) + "\n}\n"


def parse(graph_def, data):
    graph_def.data = bytes(data)
    graph_def.node = [_Read(n) for n in fields(graph_def.data).get(1, [])]
    return graph_def


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    if op_dict is not None or producer_op_list is not None:
        raise NotImplementedError("import_graph_def: op_dict, producer_op_list")
    g, prefix = default_graph(), "import" if name is None else name
    given = {k if ":" in k else k + ":0": v for k, v in (input_map or {}).items()}
    scopes = list(g.scopes)
    if prefix:
        g.push_scope(prefix)
    try:
        with _Graph(g):
            found = _program_into(g, graph_def, given) if graph_def.data is not None else _copied(g, graph_def, given)
    finally:
        g.scopes = scopes
    if return_elements is None:
        return None
    out = []
    for e in return_elements:
        if e not in found:
            raise ValueError(f"Requested return_element {e!r} not found in graph_def.")
        out.append(found[e])
    return out


def _copied(g, graph_def, given):
    # {name in the message: tensor or operation in g}
    found, new = {}, {}
    for n in graph_def.node:
        o = n.operation
        if o.node is None:
            if o.type != "Placeholder":
                raise NotImplementedError(f"import_graph_def: {o.name}, a {o.type}: tf.graph_util.convert_variables_to_constants makes it a constant")
            t = o.outputs[0]
            x = given[t.name] if t.name in given else placeholder(t.dtype, t.shape, o.name)
            found[o.name], outputs = getattr(x, "op", None), [x]
        elif not isinstance(o.node.op, Call):
            raise NotImplementedError(f"import_graph_def: {o.name}, a {o.type}")
        else:
            made = Node(g, o.node.op, g.unique_name(o.name), [new[id(t)] for t in o.node.inputs], [new[id(t)] for t in o.node.control], o.node.kind)
            g._typed(made, made.kind)
            outputs = [given.get(t.name, y) for t, y in zip(o.outputs, made.outputs)]
            found[o.name] = made.operation
        for k, (t, x) in enumerate(zip(o.outputs, outputs)):
            new[id(t)] = found[f"{o.name}:{k}"] = x
    return found


def _program_into(g, graph_def, given):
    folder = tempfile.mkdtemp()
    try:
        with open(folder + "/graph.pb", "wb") as f:
            f.write(graph_def.data)
        tensors, texts, programs = _w.load_model(folder + "/graph.pb", ["method.forward"])
    finally:
        shutil.rmtree(folder)
    from tensorflow._saved import held_by
    program, held = programs["forward"], held_by(tensors, texts.get("method.forward", ""))
    read = set([i.split(":")[0].replace("^", "") for n in graph_def.node for i in n.input])
    ends = [n.name for n in graph_def.node if n.name not in read and n.op not in ("Placeholder", "Const", "NoOp")]
    found, xs = {}, []
    for n in [n for n in graph_def.node if n.op == "Placeholder"]:
        shape, dtype = n.type()
        x = given.get(n.name + ":0")
        if x is None:
            x = placeholder(dtype, shape, n.name)
        found[n.name], found[n.name + ":0"] = getattr(x, "op", None), x
        xs.append(x)
    results = g.add("PartitionedCall", lambda *v: _w.apply(program, held + list(v), [], list(program.captures), []), tuple(xs), {})
    for name, t in zip(ends, results):
        t = _ops.identity(t, name=name)
        found[name], found[name + ":0"] = t.op, t
    return found


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None, variable_names_blacklist=None):
    from tensorflow._saved import graph_of_session
    if variable_names_whitelist is not None or variable_names_blacklist is not None:
        raise NotImplementedError("convert_variables_to_constants: all variables are constants, or none")
    if not [n for n in input_graph_def.node]:
        raise ValueError("convert_variables_to_constants: an empty graph")
    outputs = [sess.graph.get_tensor_by_name(n + ":0") for n in output_node_names]
    inputs, seen = [], set()

    def walk(t):
        if id(t) in seen:
            return
        seen.add(id(t))
        o = t.op
        if o.node is None:
            if o.type == "Placeholder":
                inputs.append(t)
            return
        for i in list(o.node.inputs) + list(o.node.control):
            walk(i)
    for t in outputs:
        walk(t)
    return parse(GraphDef(), graph_of_session(sess, inputs, outputs))


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    d = graph_or_graph_def if isinstance(graph_or_graph_def, GraphDef) else graph_or_graph_def.as_graph_def()
    os.makedirs(str(logdir), exist_ok=True)
    path = os.path.join(str(logdir), name)
    with open(path, "w" if as_text else "wb") as f:
        f.write(str(d) if as_text else d.SerializeToString())
    return path
