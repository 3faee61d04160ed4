# tensorflow._saved -- SavedModels: a graph in which variables are constants, and signatures that name its inputs and results.
import os
import shutil
import tempfile

import _tf as _w
from _expression import order_of, run_order, value_of
from _proto import bytes_, fields, int_
from tensorflow._base import state, as_tensor, dtype_of, DTYPES, TensorShape, TensorSpec
from tensorflow._graph import placeholder, _Graph
from tensorflow import _ops
from tensorflow._session import Run

_TYPES = {name: n for n, name in DTYPES.items()}
SERVING, TRAINING = "serve", "train"
DEFAULT, PREDICT = "serving_default", "tensorflow/serving/predict"


# ---- writing ----

class _Kept(Run):
    # A run whose variables are what the session has, as constants.
    def first(self, v):
        return self.session.value(v)


def graph_of_session(session, inputs, outputs):
    # the bytes of a GraphDef from inputs to outputs, which are tensors of the graph
    def body(*xs):
        _w.name_inputs(xs, [t.name.split(":")[0] for t in inputs])
        graph, run, state.graph, state.run = state.graph, state.run, None, _Kept(session)
        try:
            env = dict(zip(inputs, xs))
            run_order(order_of(outputs, env, {}), env, {})
            return [value_of(t, env, {}) for t in outputs]
        finally:
            state.graph, state.run = graph, run
    return graph_bytes(body, [(t.shape, t.dtype) for t in inputs], [written(t) for t in outputs])


def written(t):
    # results are nodes of their own: an input's name is taken, and so is that of a later output of a node
    name, at = t.name.split(":")
    return name if at == "0" else f"{name}_{at}"


def graph_bytes(body, kinds, names):
    xs, open_ = [], []
    for shape, dtype in kinds:
        if shape.rank is None:
            raise NotImplementedError("a SavedModel of inputs whose rank is not known")
        xs.append(_w.full([3 if d is None else d for d in shape], 0, dtype))
        open_.append(sum([1 << i for i, d in enumerate(shape) if d is None]))
    program = _w.trace_sizes(body, xs, [], "run", False, open_)
    folder = tempfile.mkdtemp()
    try:
        _w.save_model(folder + "/graph.pb", {}, {"method.run": "", "tensorflow.outputs": "\n".join(names)}, [program], True)
        with open(folder + "/graph.pb", "rb") as f:
            return f.read()
    finally:
        shutil.rmtree(folder)


class TensorInfo:
    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.tensor_shape = name, dtype, TensorShape(shape)

    def bytes(self):
        s = self.tensor_shape
        dims = int_(3, 1) if s.rank is None else b"".join([bytes_(2, int_(1, -1 if d is None else d)) for d in s])
        return bytes_(1, self.name) + int_(2, _TYPES[dtype_of(self.dtype).name]) + bytes_(3, dims)


class SignatureDef:
    def __init__(self, inputs=None, outputs=None, method_name=PREDICT):
        self.inputs, self.outputs, self.method_name = inputs or {}, outputs or {}, method_name

    def bytes(self):
        def entries(field, infos):
            return b"".join([bytes_(field, bytes_(1, k) + bytes_(2, infos[k].bytes())) for k in sorted(infos)])
        return entries(1, self.inputs) + entries(2, self.outputs) + bytes_(3, self.method_name)


def write(folder, graph, tags, signatures):
    os.makedirs(folder + "/variables", exist_ok=True)
    info = b"".join([bytes_(4, t) for t in tags]) + bytes_(5, "2.21.0")
    meta = bytes_(1, info) + bytes_(2, graph) + b"".join([bytes_(5, bytes_(1, k) + bytes_(2, signatures[k].bytes())) for k in sorted(signatures)])
    with open(folder + "/saved_model.pb", "wb") as f:
        f.write(int_(1, 1) + bytes_(2, meta))


# ---- reading ----

def _text(found, field):
    return found[field][0].decode() if field in found else ""


def _info(data):
    f = fields(data)
    s = fields(f.get(3, [b""])[0])
    if 3 in s:
        shape = None
    else:
        sizes = [fields(d).get(1, [0])[0] for d in s.get(2, [])]
        shape = [None if d >= 1 << 63 else d for d in sizes]
    return TensorInfo(_text(f, 1), dtype_of(DTYPES.get(f.get(2, [1])[0], "float32")), shape)


def signatures_of(folder, tags=None):
    path = folder + "/saved_model.pb"
    if not os.path.exists(path):
        raise OSError(f"SavedModel file does not exist at: {folder}/{{saved_model.pbtxt|saved_model.pb}}")
    with open(path, "rb") as f:
        metas = [fields(m) for m in fields(f.read()).get(2, [])]
    for m in metas:
        have = [t.decode() for t in fields(m.get(1, [b""])[0]).get(4, [])]
        if tags is None or set(tags) == set(have):
            out = {}
            for entry in m.get(5, []):
                e = fields(entry)
                s = fields(e[2][0])
                maps = [{fields(x)[1][0].decode(): _info(fields(x)[2][0]) for x in s.get(k, [])} for k in (1, 2)]
                out[e[1][0].decode()] = SignatureDef(maps[0], maps[1], _text(s, 3))
            return {k: s for k, s in out.items() if s.outputs}
    raise RuntimeError(f"MetaGraphDef associated with tags {sorted(tags)} could not be found in SavedModel")


def held_by(tensors, lines):
    # the tensors that a program of a file takes before its inputs
    return [tensors[line[6:]] for line in lines.split("\n") if line.startswith("state ")]


def functions_of(folder, signatures):
    # {key: function of a dict that gives a dict}
    tensors, texts, programs = _w.load_model(folder, ["method.forward"] + ["method." + k for k in signatures])
    out = {}
    for k, s in signatures.items():
        at = k if k in programs else "forward"
        if at not in programs:
            raise NotImplementedError(f"the signature {k!r} of {folder} cannot be made a program: weft info {folder}")
        out[k] = Signature(k, s, programs[at], held_by(tensors, texts.get("method." + at, "")))
    return out


class Signature:
    # A program with names: inputs and results are in the order of these.
    def __init__(self, name, signature, program, held):
        self.name, self.signature, self.program, self.held = name, signature, program, held
        self.structured_outputs = {k: TensorSpec(i.tensor_shape, i.dtype, k) for k, i in signature.outputs.items()}
        self.structured_input_signature = ((), {k: TensorSpec(i.tensor_shape, i.dtype, k) for k, i in signature.inputs.items()})

    def run(self, *xs):
        return _w.apply(self.program, self.held + [as_tensor(x) for x in xs], [], list(self.program.captures), [])

    def __call__(self, *args, **kwargs):
        keys = sorted(self.signature.inputs)
        if len(args) > 1:
            raise TypeError("signature_wrapper takes its tensors by name")
        given = {**dict(zip(keys, args)), **kwargs}
        if sorted(given) != keys:
            raise TypeError(f"signature_wrapper({', '.join(keys)}) got {', '.join(sorted(given))}")
        return dict(zip(sorted(self.signature.outputs), self.run(*[as_tensor(given[k], self.signature.inputs[k].dtype) for k in keys])))


def into_graph(graph, function):
    # placeholders and results of a signature as tensors of a graph, by the names it has for them
    s = function.signature
    scopes, graph.scopes = graph.scopes, []
    try:
        with _Graph(graph):
            xs = []
            for k in sorted(s.inputs):
                name = s.inputs[k].name
                xs.append(graph.by_name[name] if name in graph.by_name else
                          placeholder(s.inputs[k].dtype, s.inputs[k].tensor_shape, name.split(":")[0]))
            found = graph.add("PartitionedCall", function.run, tuple(xs), {})
            for k, t in zip(sorted(s.outputs), found):
                if s.outputs[k].name not in graph.by_name:
                    t = _ops.identity(t, name=s.outputs[k].name.split(":")[0])
                    graph.by_name[s.outputs[k].name] = t
    finally:
        graph.scopes = scopes
