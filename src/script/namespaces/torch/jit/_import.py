# torch.jit._import -- an archive of TorchScript, or of torch.export, as a model of Weft's own: what engine/files.c runs.
#
#   tensors    of the tree of modules, by name
#   programs   of each method whose inputs have types: those of the graph of torch.export, those given ("f32[N,3,224,224]"; a name is a size left open), and for other
#              parameters their defaults. NAME_train besides, where training does something else
#   metadata   tree and method.NAME, as of any module; inputs.NAME: names of inputs that want types, a line each;
#              torch.NAME: the method's declaration; refused.NAME, no_train.NAME: why a method besides forward, or its form for training, is no program
import io

import _stage
import _torch as _w
import _tree
import torch
from torch import export
from torch.jit import _archive, _file, _module, _script

_SHORT = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i8": "int8", "i16": "int16", "i32": "int32",
          "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool", "c64": "complex64",
          "c128": "complex128"}


_FAILS = (_stage.Refuse, RuntimeError, ValueError, TypeError, IndexError)
# What open sizes are while a method is traced, (the first, what the next is more): where a method does not take the ones, the next are tried. Networks
# halve the sizes of pictures some five times, and those of sound by a few hundred.
_EXAMPLES = ((5, 2), (224, 32), (16000, 320))


def _example(text, name, sizes, base):
    # (a tensor of that type, a bit for each axis whose size is open). Sizes of one name are equal, of two names different.
    kind, _, rest = text.partition("[")
    if kind not in _SHORT or not rest.endswith("]"):
        raise ValueError(f"input '{name}': '{text}' is no type; such as f32[N,3,224,224]")
    dims, opened = [], 0
    for d in rest[:-1].split(","):
        d = d.strip()
        if d.isdigit():
            dims.append(int(d))
        elif d:
            if not d.isidentifier():
                raise ValueError(f"input '{name}': the size '{d}' of '{text}' is neither a number nor a name")
            opened |= 1 << len(dims)
            dims.append(sizes.setdefault(d, base[0] + base[1] * len(sizes)))
    return torch.zeros((), dtype=getattr(torch, _SHORT[kind])).expand(tuple(dims)), opened


class _Writer:
    def __init__(self, m):
        self.tensors, self.names, self.lines, self.texts, self.programs = {}, {}, [], {}, []
        self.module(m, "")
        self.state = _script._state(m)
        self.texts["tree"] = "\n".join(self.lines)

    def module(self, m, prefix):
        self.lines.append(f"module\t{prefix[:-1]}\t{type(m)._original.__name__}\t")
        for kind, d in (("param", m._parameters), ("buffer", m._buffers), ("buffer", vars(m))):
            for k, t in d.items():
                if not isinstance(t, _w.Tensor):
                    continue
                name = prefix + k
                sort = "frozen" if kind == "param" and not t.requires_grad else kind
                if id(t) in self.names:
                    self.lines.append(f"{sort}\t{name}\t{self.names[id(t)]}")
                else:
                    self.names[id(t)] = name
                    self.tensors[name] = t
                    self.lines.append(f"{sort}\t{name}")
        for k, c in m._modules.items():
            if c is not None:
                self.module(c, prefix + k + ".")

    def add(self, name, s):
        self.programs.append(s.program)
        self.texts["method." + name] = "\n".join(["state " + self.names[id(k.t)] for k in self.state] +
                                                 ["update " + self.names[id(self.state[i].t)] for _, i in s.writes])


def _arguments(method, types, sizes, base):
    # (arguments, open axes of the tensors among them, inputs without a type)
    args, opened, missing = [], [], []
    n = len(method.params) - len(method.defaults)
    for i, (name, kind, _) in enumerate(method.signature):
        if i == 0:
            continue
        if name in types:
            x, o = _example(types[name], name, sizes, base)
            args.append(x)
            opened.append(o)
        elif i >= n:
            args.append(method.defaults[i - n])
        else:
            missing.append(name)
    return args, opened, missing


def _joined(body, examples, opened, first):
    # body, with sizes of one name, and so of one example, being one size
    places = {}
    for i, (x, bits) in enumerate(zip(examples, opened)):
        for axis, size in enumerate(x.shape):
            if bits >> axis & 1:
                places.setdefault(size, []).append((first + i, axis))

    def joined(*xs):
        for where in places.values():
            for i, axis in where[1:]:
                _w.join_sizes(xs[where[0][0]].shape[where[0][1]], xs[i].shape[axis])
        return body(*xs)

    return joined


def _program(method, m, w, name, args, opened):
    leaves, spec = _tree.flatten(args, None, False)
    n = len(w.state)

    def trace(body, xs):
        # tensors that are defaults have no open sizes
        if not any(opened):
            return _w.trace(body, xs, name)
        return _w.trace_sizes(_joined(body, xs[n:n + len(opened)], opened, n), xs, list(range(n)), name, False,
                              [0] * n + opened + [0] * (len(xs) - n - len(opened)))

    s = method.compile(m, spec, leaves, w.state, True, trace)
    if any([how == "arg" for how, _ in s.writes]):
        raise _stage.Refuse("it writes to an argument")
    return s


def _open(path, data, types):
    # (module, types of inputs, does training do something else? a graph of torch.export says itself what it does)
    if not export.is_archive(path, data):
        return _archive.load(path if data is None else io.BytesIO(data)), types, True
    a = export._Archive(path, data)
    return a.module(), {**a.types, **types}, False


def _refusal(path, name, e):
    return RuntimeError(f"{path}: '{name}' is no program: {e}") if isinstance(e, _stage.Refuse) else e


def _first_of(path, method, m, w, name, types):
    # (arguments, open axes, program) by the first of the examples that the method takes
    first = None
    for base in _EXAMPLES:
        args, opened, _ = _arguments(method, types, {}, base)
        try:
            with _file._Mode(m, False):
                return args, opened, _program(method, m, w, name, args, opened)
        except _FAILS as e:
            first = first or _refusal(path, name, e)
            if not any(opened):
                break
    raise first


def fill(path, data, types):
    m, types, modes = _open(path, data, types)
    w = _Writer(m)
    known = set()
    for name, method in sorted(_module.methods_of(m).items(), key=lambda x: (x[0] == "forward", x[0])):
        if name.startswith("_"):
            continue            # parts of others
        args, _, missing = _arguments(method, types, {}, _EXAMPLES[0])
        known.update([p[0] for p in method.signature[1:]])
        w.texts["torch." + name] = method.declaration()
        if missing:
            w.texts["inputs." + name] = "\n".join(missing)
            continue
        if not any([isinstance(x, _w.Tensor) for x in args]) and name != "forward":
            continue
        try:
            args, opened, s = _first_of(path, method, m, w, name, types)
        except _FAILS as e:
            if name == "forward" or not hasattr(m, "forward"):
                raise
            w.texts["refused." + name] = str(e)     # a part of forward may well have an input of the same name and another type
            continue
        train = None
        try:
            with _file._Mode(m, modes):
                train = _program(method, m, w, name + "_train", args, opened)
        except _FAILS as e:     # of these sizes it may not train: one pixel for a norm of the batch
            w.texts["no_train." + name] = str(e)
        if modes and train is not None and (_file._body(train.program) != _file._body(s.program) or train.writes != s.writes):
            w.add(name + "_train", train)
        w.add(name, s)
    for k in types:
        if k not in known:
            raise ValueError(f"{path}: no method has an input '{k}'")
    _w.save_model(None, w.tensors, w.texts, w.programs)
