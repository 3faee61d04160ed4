# torch.export -- archives of torch.export.save (.pt2): a graph of aten operators as JSON, weights beside it.
#
#   FOLDER/models/model.json                     graph, signature, sizes that are open
#   FOLDER/data/weights/model_weights_config.json, FOLDER/data/constants/..    tensors by name: type, strides, entry with their bytes
#
# The graph is written as the method forward of a module and loaded as code of TorchScript archives is (torch.jit._archive): operators are
# those of torch.jit._aten, so there is one home for what aten means. Parameters and buffers are those of modules by their names; what the
# graph writes to buffers, in place or as results of the signature, is written.
import io
import json
import keyword
import os
import zipfile

import _syntax
import torch
from torch import nn
from torch.jit import _archive, _aten, _script
from torch.export.dynamic_shapes import Dim, dims
from torch.nn.parameter import Parameter

# ScalarType of the schema, by number
_DTYPES = (None, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64, None,
           torch.complex64, torch.complex128, torch.bool, torch.bfloat16)
_SHORT = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int8: "i8", torch.int16: "i16",
          torch.int32: "i32", torch.int64: "i64", torch.uint8: "u8", torch.bool: "bool", torch.complex64: "c64", torch.complex128: "c128"}
_INFIX = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**", "eq": "==", "ne": "!=", "lt": "<",
          "le": "<=", "gt": ">", "ge": ">=", "and_": "&", "or_": "|"}
# Checks of sizes and types that were done when the graph was made, and states that mean nothing here
_NOTHING = ("aten._assert_tensor_metadata", "aten._assert_scalar", "aten._assert_async", "aten.sym_constrain_range",
            "aten.sym_constrain_range_for_size", "_assert_tensor_metadata", "_operator.assert_")


def _dtype(n, what):
    if not isinstance(n, int) or not 0 < n < len(_DTYPES) or _DTYPES[n] is None:
        raise RuntimeError(f"{what}: element type {n} of torch.export is not supported")
    return _DTYPES[n]


def _name(s):
    if not isinstance(s, str) or not s.isidentifier():
        raise RuntimeError(f"torch.export: a value is called {s!r}")
    return "v_" + s


class _Code:
    # The graph as lines of a method.
    def __init__(self, where):
        self.where = where
        self.lines = []
        self.serial = 0

    def fail(self, node, what):
        raise RuntimeError(f"{self.where}: node '{node}': {what}")

    def add(self, deep, line):
        self.lines.append("  " * deep + line)

    # ---- arguments, each {"as_KIND": value}

    def argument(self, node, a):
        if not isinstance(a, dict) or len(a) != 1:
            self.fail(node, f"an argument of {len(a) if isinstance(a, dict) else 'no'} kinds")
        kind, v = [x for x in a.items()][0]
        make = getattr(self, kind, None) if kind.startswith("as_") else None
        if make is None:
            self.fail(node, f"an argument of the kind {kind}, which is not supported")
        return make(node, v)

    def as_none(self, _node, _v):
        return "None"

    as_memory_format = as_layout = as_none

    def as_tensor(self, _node, v):
        return _name(v["name"])

    def as_tensors(self, _node, v):
        return "[" + ", ".join([_name(t["name"]) for t in v]) + "]"

    def as_optional_tensor(self, node, v):
        return self.argument(node, v)

    def as_optional_tensors(self, node, v):
        return "[" + ", ".join([self.argument(node, t) for t in v]) + "]"

    def as_int(self, _node, v):
        return repr(int(v))

    def as_bool(self, _node, v):
        return repr(bool(v))

    def as_float(self, _node, v):
        v = float(v)
        return repr(v) if v - v == 0 else "_aten.nan" if v != v else "_aten.inf" if v > 0 else "(-_aten.inf)"

    def as_string(self, _node, v):
        return repr(str(v))

    def as_complex(self, _node, v):
        return repr(complex(v["real"], v["imag"]))

    def as_ints(self, _node, v):
        return repr([int(x) for x in v])

    def as_bools(self, _node, v):
        return repr([bool(x) for x in v])

    def as_strings(self, _node, v):
        return repr([str(x) for x in v])

    def as_floats(self, node, v):
        return "[" + ", ".join([self.as_float(node, x) for x in v]) + "]"

    def as_name(self, _node, v):
        return _name(v)

    def as_sym_int(self, node, v):
        return self.argument(node, v)

    as_sym_bool = as_sym_float = as_sym_int

    def as_sym_ints(self, node, v):
        return "[" + ", ".join([self.argument(node, x) for x in v]) + "]"

    as_sym_floats = as_sym_ints

    def as_scalar_type(self, node, v):
        return str(_aten.code_of(_dtype(v, f"{self.where}: node '{node}'")))

    def as_device(self, _node, v):
        return repr(str(v.get("type", "cpu")))

    # ---- nodes

    def graph(self, g, deep):
        for n in g["nodes"]:
            self.node(n, deep)

    def results(self, node, outputs):
        # What is left of the equals sign; "": nothing.
        out = []
        for o in outputs:
            kind, v = [x for x in o.items()][0]
            if kind == "as_tensors":
                part = "[" + ", ".join([_name(t["name"]) for t in v]) + "]"
            elif kind in ("as_sym_int", "as_sym_bool", "as_sym_float"):
                part = _name(v["as_name"])
            elif kind == "as_tensor":
                part = _name(v["name"])
            elif kind == "as_none":
                part = "_unused"
            else:
                self.fail(node, f"a result of the kind {kind}, which is not supported")
            out.append(part)
        return out

    def node(self, n, deep):
        target, name = n["target"], n.get("name") or n["target"]
        short = target[len("torch.ops."):] if target.startswith("torch.ops.") else target
        parts = short.split(".")
        if ".".join(parts[:2]) in _NOTHING:
            return
        left = self.results(name, n["outputs"])
        if parts[0] == "higher_order":
            return self.higher(n, parts[1], name, left, deep)
        args = [self.argument(name, i["arg"]) for i in n["inputs"] if i.get("kind", 1) == 1]
        keys = [(i["name"], self.argument(name, i["arg"])) for i in n["inputs"] if i.get("kind", 1) != 1]
        call = self.call(short, parts, name, args, keys)
        if not left:
            self.add(deep, call)
        elif len(left) == 1 and left[0].startswith("["):
            inside = left[0][1:-1]
            self.add(deep, (inside if "," in inside else inside + ",") + " = " + call)
        else:
            self.add(deep, ", ".join(left) + " = " + call)

    def call(self, short, parts, name, args, keys):
        if parts[0] == "_operator" and parts[1] in _INFIX and len(args) == 2 and not keys:
            return f"{args[0]} {_INFIX[parts[1]]} {args[1]}"
        if parts[0] == "_operator" and parts[1] in ("neg", "pos") and len(args) == 1:
            return f"{'-' if parts[1] == 'neg' else ''}{args[0]}"
        if parts[0] == "_operator" and parts[1] == "getitem":
            return f"{args[0]}[{args[1]}]"
        if short in ("torch.sym_max", "torch.sym_min", "torch.sym_float", "torch.sym_not", "torch.sym_int", "math.ceil", "math.floor"):
            word = short[short.find("_") + 1:] if "sym" in short else short[5:]
            return "not " + args[0] if word == "not" else f"{'int' if word in ('ceil', 'floor') else word}({', '.join(args)})"
        if parts[0] == "aten" and parts[1] in _archive._infix and len(args) == 2 and not keys:
            return f"{args[0]} {_archive._infix[parts[1]]} {args[1]}"
        if parts[0] != "aten" or not _aten.has(parts[1]):
            self.fail(name, f"the operator {short.replace('.', '::', 1)} is not known")
        return f"_aten.{parts[1]}(" + ", ".join(args + [f"{k}={v}" for k, v in keys if v != "None"]) + ")"

    def higher(self, n, op, name, left, deep):
        args = [i["arg"] for i in n["inputs"]]
        if op == "cond":
            self.add(deep, f"if bool({self.argument(name, args[0])}):")
            self.branch(args[1]["as_graph"]["graph"], self.operands(name, args[3]), left, deep + 1)
            self.add(deep, "else:")
            self.branch(args[2]["as_graph"]["graph"], self.operands(name, args[3]), left, deep + 1)
        elif op in ("wrap_with_set_grad_enabled", "wrap_with_autocast"):
            at = [k for k, a in enumerate(args) if isinstance(a, dict) and "as_graph" in a][0]
            self.branch(args[at]["as_graph"]["graph"], [self.argument(name, a) for a in args[at + 1:]], left, deep)
        else:
            self.fail(name, f"the operator higher_order::{op} is not known")

    def operands(self, name, a):
        kind, v = [x for x in a.items()][0]
        if kind in ("as_tensors", "as_sym_ints", "as_ints", "as_optional_tensors"):
            text = self.argument(name, a)[1:-1]
            return [t.strip() for t in text.split(",") if t.strip()]
        return [self.argument(name, a)]

    def branch(self, g, operands, left, deep):
        # A graph of its own, in line: its inputs are the operands.
        self.serial += 1
        for i, (x, v) in enumerate(zip(g["inputs"], operands)):
            self.add(deep, f"_in{self.serial}_{i} = {v}")
        for i, x in enumerate(g["inputs"]):
            self.add(deep, f"{self.argument('a branch', x)} = _in{self.serial}_{i}")
        self.graph(g, deep)
        for to, x in zip(left, g["outputs"]):
            self.add(deep, f"{to} = {self.argument('a branch', x)}")


def _state_path(name):
    # self.a.b, where a name may be a number
    out = "self"
    for part in name.split("."):
        out = f"{out}.{part}" if part.isidentifier() else f"getattr({out}, {part!r})"
    return out


class _Archive:
    def __init__(self, path, data=None):
        self.path = path if data is None else "<bytes>"
        try:
            self.zip = zipfile.ZipFile(path if data is None else io.BytesIO(data))
            names = self.zip.namelist()
        except zipfile.BadZipFile as e:
            raise RuntimeError(f"{self.path}: no archive of torch.export: {e}") from None
        self.folder = names[0][:names[0].find("/") + 1] if names else ""
        models = [n for n in names if n.startswith(self.folder + "models/") and n.endswith(".json")]
        if len(models) != 1:
            raise RuntimeError(f"{self.path}: an archive of torch.export with {len(models)} models, which is not supported")
        self.where = f"{self.path}:{models[0]}"
        self.tensors = {}
        model = models[0][len(self.folder) + 7:-5]
        try:
            self.json = json.loads(self.zip.read(models[0]).decode())
            self.weights("weights", model)
            self.weights("constants", model)
            self.read()
        except (KeyError, TypeError, IndexError, AttributeError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as e:
            raise RuntimeError(f"{self.where}: not a model of torch.export: {type(e).__name__}: {e}") from None

    def entry(self, name):
        try:
            return self.zip.read(self.folder + name)
        except (zipfile.BadZipFile, NotImplementedError) as e:
            raise RuntimeError(f"{self.path}: '{name}': {e}") from None

    def weights(self, kind, model):
        config = f"data/{kind}/{model}_{kind}_config.json"
        if self.folder + config not in self.zip.NameToInfo:
            return
        shared = {}
        for name, w in json.loads(self.entry(config).decode())["config"].items():
            if w.get("use_pickle"):
                raise RuntimeError(f"{self.path}: '{name}' is a pickle, which is not supported")
            same = json.dumps([w["path_name"], w["tensor_meta"], bool(w["is_param"])])      # weights of two names that are one
            if same not in shared:
                shared[same] = self.tensor(name, w["tensor_meta"], self.entry(f"data/{kind}/{w['path_name']}"), bool(w["is_param"]))
            self.tensors[name] = shared[same]

    def tensor(self, name, meta, data, is_param):
        dtype = _dtype(meta["dtype"], f"{self.path}: '{name}'")
        sizes, strides = [[int(x["as_int"]) for x in meta[k]] for k in ("sizes", "strides")]
        offset, count, last = int(meta["storage_offset"]["as_int"]), 1, 0
        for n, s in zip(sizes, strides):
            if n < 0 or s < 0 or len(sizes) != len(strides):
                raise RuntimeError(f"{self.path}: '{name}': sizes {sizes} and strides {strides}")
            count *= n
            last += (n - 1) * s
        flat = torch.frombuffer(data, dtype=dtype) if len(data) else torch.zeros(0, dtype=dtype)
        if offset < 0 or (count and offset + last >= flat.numel()):
            raise RuntimeError(f"{self.path}: '{name}' reaches beyond its bytes")
        t = torch.as_strided(flat, sizes, strides, offset).clone() if count else torch.zeros(sizes, dtype=dtype)
        return Parameter(t, bool(meta.get("requires_grad"))) if is_param else t

    def read(self):
        g, signature = self.json["graph_module"]["graph"], self.json["graph_module"]["signature"]
        code = _Code(self.where)
        self.types, params, body = {}, [], []
        self.state = {}
        for spec in signature["input_specs"]:
            kind, v = [x for x in spec.items()][0]
            if kind == "user_input":
                self.user_input(g, v["arg"], params, body)
            elif kind in ("parameter", "buffer", "tensor_constant"):
                name = v[kind + "_name"]
                if name not in self.tensors:
                    raise RuntimeError(f"{self.path}: there are no numbers of '{name}'")
                self.state[name] = (kind, self.tensors[name])
                body.append(f"{_name(v['arg']['name'])} = {_state_path(name)}")
            elif kind == "constant_input":
                pass
            else:
                raise RuntimeError(f"{self.where}: an input that is a {kind}, which is not supported")
        for line in body:
            code.add(2, line)
        code.graph(g, 2)
        results = []
        for spec in signature["output_specs"]:
            kind, v = [x for x in spec.items()][0]
            if kind in ("user_output", "loss_output"):
                results.append(code.argument("output", v["arg"] if "as_tensor" in v["arg"] or len(v["arg"]) == 1 and "name" not in v["arg"] else {"as_tensor": v["arg"]}))
            elif kind == "buffer_mutation":
                code.add(2, f"{_state_path(v['buffer_name'])}.copy_({_name(v['arg']['name'])})")
            else:
                raise RuntimeError(f"{self.where}: a result that is a {kind}, which is not supported")
        code.add(2, "return " + (results[0] if len(results) == 1 else "(" + ", ".join(results) + ("," if results else "") + ")"))
        self.text = "class Exported:\n  def forward(self" + "".join([", " + p for p in params]) + "):\n" + "\n".join(code.lines) + "\n"
        self.params = params

    def user_input(self, g, arg, params, body):
        kind, v = [x for x in arg.items()][0]
        if kind != "as_tensor":
            if kind in ("as_none", "as_int", "as_bool", "as_float", "as_string"):
                return          # a constant, which the graph has where it is used
            raise RuntimeError(f"{self.where}: an input of the kind {kind}, which is not supported")
        name = v["name"]
        meta = g["tensor_values"][name]
        own = name if not keyword.iskeyword(name) else name + "_"
        params.append(own)
        body.append(f"{_name(name)} = {own}")
        dims = []
        for i, d in enumerate(meta["sizes"]):
            if "as_int" in d:
                dims.append(str(int(d["as_int"])))
            else:
                text = d["as_expr"]["expr_str"]
                symbol = text[8:text.find("'", 8)] if text.startswith("Symbol('") else ""
                dims.append(symbol if symbol.isidentifier() else f"{own}_{i}")
        self.types[own] = _SHORT[_dtype(meta["dtype"], self.where)] + "[" + ",".join(dims) + "]"

    def module(self):
        plain = _syntax.load(self.text, self.where)
        plain["_aten"] = _aten.table
        m = _new_module(_archive._module_class(plain["Exported"], "Exported"))
        leaf = _archive._module_class(_syntax.load("class Part: pass\n", self.where)["Part"], "Part")
        for name, (kind, t) in self.state.items():
            at, parts = m, name.split(".")
            for part in parts[:-1]:
                at = vars(at)["_modules"].setdefault(part, None) or _add_module(at, part, leaf)
            where = "_parameters" if kind == "parameter" else "_buffers"
            vars(at)[where][parts[-1]] = t if kind != "parameter" or isinstance(t, Parameter) else Parameter(t)
        _script.changed()
        return m


def _new_module(cls):
    m = cls.__new__(cls)
    nn.Module.__init__(m)
    return m


def _add_module(at, name, cls):
    m = _new_module(cls)
    vars(at)["_modules"][name] = m
    return m


def is_archive(path, data):
    # Has it a graph of torch.export?
    try:
        names = zipfile.ZipFile(path if data is None else io.BytesIO(data)).namelist()
    except zipfile.BadZipFile:
        return False
    return any([n.find("/models/") >= 0 and n.endswith(".json") for n in names])


class GraphModule(nn.Module):
    # A recorded forward over the tensors of the module it was recorded of.
    def __init__(self, recorded):
        super().__init__()
        for k in ("_parameters", "_buffers", "_modules", "training"):
            vars(self)[k] = vars(recorded.mod)[k]
        vars(self)["_recorded"] = recorded

    def forward(self, *args, **kwargs):
        return self._recorded.run(args, kwargs)

    @property
    def code(self):
        return self._recorded.traced.program.text()

    graph = code

    def print_readable(self, print_output=True):
        if print_output:
            print(self.code)
        return self.code


class _Source:
    # What an ExportedProgram is made of: this module, or one that a file holds.
    def __init__(self, module, types):
        self.made, self.types, self.json = module, types, {}
        kept = list(module.state_dict())
        self.state = {k: ("parameter", t) for k, t in module.named_parameters()}
        for k, t in module.named_buffers():
            self.state[k] = ("buffer" if k in kept else "tensor_constant", t)

    def module(self):
        return self.made


class ExportedProgram:
    # What was exported: a module of it, its state, the types of its inputs.
    def __init__(self, archive):
        self._archive = archive
        self._made = None

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Unable to call ExportedProgram directly. You should use `exported_program.module()` instead.")

    def __repr__(self):
        return "ExportedProgram:\n" + "".join(["    " + line + "\n" for line in self.graph.splitlines()])

    @property
    def graph_module(self):
        return self.module()

    @property
    def graph(self):
        return self.module().code

    @property
    def example_inputs(self):
        r = getattr(self.module(), "_recorded", None)
        return None if r is None else r._call(r.arguments)

    def run_decompositions(self, decomp_table=None):
        # Programs are made of primitives from the start.
        if decomp_table:
            raise NotImplementedError("run_decompositions: with a table of one's own")
        return self

    def named_parameters(self):
        return self.module().named_parameters()

    def parameters(self):
        return self.module().parameters()

    def named_buffers(self):
        return self.module().named_buffers()

    def buffers(self):
        return self.module().buffers()

    def module(self):
        if self._made is None:
            self._made = self._archive.module()
        return self._made

    @property
    def state_dict(self):
        return {k: t for k, (kind, t) in self._archive.state.items() if kind != "tensor_constant"}

    @property
    def constants(self):
        return {k: t for k, (kind, t) in self._archive.state.items() if kind == "tensor_constant"}

    @property
    def range_constraints(self):
        return {k: (v["min_val"], v["max_val"]) for k, v in self._archive.json.get("range_constraints", {}).items()}

    @property
    def input_types(self):
        return dict(self._archive.types)


def export(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False, preserve_module_call_signature=(),
           prefer_deferred_runtime_asserts_over_guards=False):
    # strict says how torch finds the graph; here it is recorded, either way.
    from torch.export._record import Recorded
    if preserve_module_call_signature:
        raise NotImplementedError("export: preserve_module_call_signature")
    r = Recorded(mod, args, kwargs, dynamic_shapes)
    types = {}
    for name, k, mask in zip(r.names, r.positions, r.masks):
        sizes = [f"{name}_{i}" if mask >> i & 1 else str(n) for i, n in enumerate(r.leaves[k].shape)]
        types[name] = _SHORT[r.leaves[k].dtype] + "[" + ",".join(sizes) + "]"
    return ExportedProgram(_Source(GraphModule(r), types))


def default_decompositions():
    return {}


def save(ep, f, *, extra_files=None, opset_version=None, pickle_protocol=2):
    # As a file of torch.jit: a program, which load takes back, and weft eval runs.
    from torch.jit import _trace
    r = getattr(ep.module(), "_recorded", None)
    if r is None or len(r.positions) != len(r.leaves) or len(r.arguments) != r.npos or opset_version is not None:
        raise NotImplementedError("torch.export.save: of a module that was exported here, with tensors by position alone as arguments")
    m = _trace._clone(r.mod, True, {})
    vars(m)["_traced"] = {"forward": r.traced}
    torch.jit.save(m, f, extra_files)


def load(f):
    if isinstance(f, (str, os.PathLike)) and not is_archive(str(f), None):
        return ExportedProgram(_Source(torch.jit.load(f), {}))
    return ExportedProgram(_Archive(str(f)) if isinstance(f, (str, os.PathLike)) else _Archive("<bytes>", bytes(f.read())))
