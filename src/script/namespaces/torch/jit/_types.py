# torch.jit._types -- the types of TorchScript: read from annotations and type comments, and what
# the arguments of a call become by them.
#
# A type is its text in the form of the language ("int", "List[int]", "Dict[str, Tensor]"), taken
# apart by `parts`; a class of the user's is its name, and takes anything.
import _stage
import _syntax
import _torch as _w
from torch.jit import _graph

_plain = {"int": int, "float": float, "bool": bool, "str": str}
_same = {"torch.Tensor": "Tensor", "NoneType": "None", "Device": "device", "torch.device": "device", "list": "List",
         "dict": "Dict", "tuple": "Tuple", "LongTensor": "Tensor", "FloatTensor": "Tensor"}


def split(text, at=","):
    # The pieces of a text between commas that no bracket holds.
    out, depth, piece = [], 0, ""
    for ch in text:
        if ch in "[(":
            depth += 1
        elif ch in "])":
            depth -= 1
        if ch == at and depth == 0:
            out.append(piece.strip())
            piece = ""
        else:
            piece += ch
    return out + [piece.strip()] if piece.strip() else out


_known = {}


def parts(t):
    # ("List", ["int"]) of "List[int]"; (t, []) of a plain one. `A | B` is a Union.
    if t not in _known:
        _known[t] = _parts(t)
    return _known[t]


def _parts(t):
    alternatives = split(t, "|")
    if len(alternatives) > 1:
        return "Union", alternatives
    i = t.find("[")
    if i < 0 or not t.endswith("]"):
        name = t.strip()
        return _same.get(name, name.split(".")[-1]), []
    name = t[:i].split(".")[-1]
    return _same.get(name, name), split(t[i + 1:-1])


def comment_of(func):
    # ([types of the parameters], type of the result) of a comment "# type: (..) -> ..", or None.
    for line in _syntax.source(func).split("\n"):
        line = line.strip()
        if line.startswith("# type: (") and line.find("->") > 0:
            i = line.find("->")
            inside = line[8:i].strip()
            if inside == "(...)":       # each parameter has its own
                continue
            return split(inside[1:-1]), line[i + 2:].split("#")[0].strip()
        if line.startswith("# type: (") and line.split("#")[1].strip().endswith(")"):
            return split(line.split("#")[1].strip()[7:-1]), None
    return None


def signature(func, tree):
    # ([(name, type, whether it is written)], type of the result or None)
    params = [p for p in tree.params]
    comment = comment_of(func)
    skip = 0 if tree.receiver is None else 1
    if comment is not None and len(comment[0]) == len(params) - skip:
        types = [None] * skip + comment[0]
        return [(p.name, t or "Any", True) for p, t in zip(params, types)], comment[1]
    out = []
    for i, p in enumerate(params):
        if i < skip:
            out.append((p.name, "Any", True))
        else:
            none = p.value is not None and p.value.kind == "none"
            out.append((p.name, ("Optional[Tensor]" if none else "Tensor") if p.ann is None else
                        _graph.annotation(p.ann), p.ann is not None))
    return out, None if tree.returns is None else _graph.annotation(tree.returns)


class NoFit(Exception):
    pass


class Shared:
    # A container that Python and a script hold together (_containers.py): `data`, of the type `type`.
    pass


_kinds = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str", type(None): "None"}


def of_value(x):
    # The type of a value, as TorchScript infers it: RuntimeError where it has none.
    if isinstance(x, _w.Tensor):
        return "Tensor"
    if type(x) in _kinds:
        return _kinds[type(x)]
    if isinstance(x, Shared):
        return x.type
    if isinstance(x, tuple):
        return f"Tuple[{', '.join([of_value(v) for v in x])}]" if x else "Tuple[()]"
    if isinstance(x, list):
        return f"List[{common([of_value(v) for v in x], 'List element')}]"
    if isinstance(x, dict):
        return (f"Dict[{common([of_value(k) for k in x], 'Dict key')}, "
                f"{common([of_value(v) for v in x.values()], 'Dict value')}]")
    return type(x).__name__


def common(types, what):
    # One type for all of a container; of an empty one, a tensor.
    found = types[0] if types else "Tensor"
    for t in types[1:]:
        if t != found:
            if "None" in (t, found):
                found = f"Optional[{t if found == 'None' else found}]"
            elif found != f"Optional[{t}]":
                raise TypeError(f"{what}s must all be of one type: {found} and {t}")
    return found


def fit(x, t):
    # x as an argument of type t: lists and dicts are copied, numbers of tensors read.
    name, inner = parts(t)
    if isinstance(x, Shared):
        if name in ("List", "Dict") and normal_text(x.type) != normal_text(t) and len(x.data):
            raise NoFit(_cast(x))
        return x.data
    if name == "Tensor":
        if isinstance(x, _w.Tensor):
            return x
        raise NoFit(f"Unable to cast {x} to Tensor")
    if name in _plain:
        return _fit_number(x, name)
    if name == "Optional":
        return None if x is None else fit(x, inner[0])
    if name == "Union":
        for t in inner:         # as it is where that can be, else as what it becomes
            if of_value(x) == t:
                return x
        for t in inner:
            try:
                if parts(t)[0] in _order or type(x).__name__ == t:
                    return fit(x, t)
            except NoFit:
                pass
        raise NoFit(_cast(x))
    if name.startswith("BroadcastingList") and inner:      # one number stands for as many as the name says
        if isinstance(x, (int, float)):
            return [fit(x, inner[0])] * int(name[16:])
        name = "List"
    if name == "List" and inner:
        if not isinstance(x, (list, tuple, range)):
            raise NoFit(_cast(x))
        return [fit(v, inner[0]) for v in x]
    if name == "Dict" and len(inner) == 2:
        if not isinstance(x, dict):
            raise NoFit(_cast(x))
        return {fit(k, inner[0]): fit(v, inner[1]) for k, v in x.items()}
    if name == "Tuple" and inner and inner[-1] != "...":
        if not isinstance(x, (list, tuple)) or len(x) != len([i for i in inner if i != "()"]):
            raise NoFit(_cast(x))
        values = [fit(v, i) for v, i in zip(x, inner)]
        return tuple(values) if type(x) in (tuple, list) else type(x)(*values)
    if name == "None":
        if x is not None:
            raise NoFit(_cast(x))
    if name == "device" and isinstance(x, str):
        return _w_device(x)
    if name == "dtype" and type(x) is int:
        from torch.jit._aten import dtype
        return dtype(x)
    return copied(x)


def normal_text(t):
    name, inner = parts(t)
    return f"{name}[{', '.join([normal_text(i) for i in inner])}]" if inner else name


def _w_device(text):
    import torch
    return torch.device(text)


def copied(x):
    # Containers anew, all else as it is: what a script does to a list is not seen by its caller.
    if type(x) is list:
        return [copied(v) for v in x]
    if type(x) is dict:
        return {k: copied(v) for k, v in x.items()}
    if type(x) is tuple:
        return tuple([copied(v) for v in x])
    return x


def _cast(x):
    return (f"Unable to cast Python instance of type {type(x)} to C++ type '?' (#define "
            "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)")


def _fit_number(x, name):
    if isinstance(x, _w.Tensor) and name != "str" and x.numel() == 1 and not _w.about(x, "symbolic"):
        return _plain[name](x.item())
    if name == "float" and type(x) is int:
        return float(x)
    if name == "int" and type(x) is bool:
        return int(x)
    if name == "bool" and type(x) is int:
        return bool(x)
    if type(x) is not _plain[name] and not (isinstance(x, _plain[name]) and not isinstance(x, bool)):
        raise NoFit(_cast(x))
    return x


def shown(t):
    # A type in a declaration.
    name, inner = parts(t)
    if name == "Optional":
        return shown(inner[0]) + "?"
    if name == "List" and inner:
        return shown(inner[0]) + "[]"
    if name == "Dict" and inner:
        return "Dict(" + ", ".join([shown(i) for i in inner]) + ")"
    if name == "Tuple" and inner:
        return "(" + ", ".join([shown(i) for i in inner]) + ")"
    if name == "Union":
        return "Union(" + ", ".join([shown(i) for i in inner]) + ")"
    return name if name != "None" else "NoneType"


def _refuse(method, i, x, e):
    name, t, written = method.signature[i]
    if parts(t)[0] == "Union":
        e = f"Expected a member of {long(t)} but instead found type {of_value(x)}.\n"
        raise RuntimeError(f"{method.name}() {e}Position: {i - (0 if method.tree.receiver is None else 1)}\nValue: {x!r}\n"
                           f"Declaration: {method.declaration()}\nCast error details: {e}")
    found = type(x).__name__
    full = "Tensor (inferred)" if not written else long(t)
    text = f"{method.name}() Expected a value of type '{full}' for argument '{name}' but instead found type '{found}'.\n"
    if not written:
        text += f"Inferred '{name}' to be of type 'Tensor' because it was not annotated with an explicit type.\n"
    at = i - (0 if method.tree.receiver is None else 1)
    raise RuntimeError(f"{text}Position: {at}\nValue: {x!r}\nDeclaration: {method.declaration()}\n"
                       f"Cast error details: {e}")


# The order in which TorchScript names the members of a union.
_order = ("Any", "Tensor", "Tuple", "List", "Dict", "number", "float", "complex", "Future", "int", "None", "str", "Generator",
          "device", "bool")


def _rank(t):
    name = parts(t)[0]
    return (_order.index(name) if name in _order else len(_order), t)


def long(t):
    name, inner = parts(t)
    name = "NoneType" if name == "None" else name
    if name == "Union":
        inner = sorted(inner, key=_rank)
    return name + ("[" + ", ".join([long(i) for i in inner]) + "]" if inner else "")


def arguments(method, args, first):
    # The arguments from parameter `first` on, as the types of the parameters say.
    out = []
    for i, x in enumerate(args):
        try:
            out.append(fit(x, method.signature[i + first][1]))
        except NoFit as e:
            _refuse(method, i + first, x, e)
    return out


def result(x):
    # What a script gives: sizes are lists of ints, containers its own.
    if isinstance(x, tuple) and type(x).__name__ == "Size":
        return list(x)
    if type(x) is tuple:
        return tuple([result(v) for v in x])
    if type(x) is list:
        return [result(v) for v in x]
    if type(x) is dict:
        return {k: result(v) for k, v in x.items()}
    return x


NUMBERS = {"int": int, "float": float}


def implicit(x, t):
    # A tensor where a number is wanted.
    if x.ndim:
        raise RuntimeError("Cannot input a tensor of dimension other than 0 as a scalar argument")
    if t == "int" and x.dtype.name in _no_ints:
        raise RuntimeError(f"Cannot input a tensor of type {_no_ints[x.dtype.name]} as an integral argument")
    return NUMBERS[t](x.item())


_no_ints = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "bool": "Bool"}


def coded(x):
    # What leaves TorchScript: dtypes, layouts and memory formats are ints there.
    if isinstance(x, (list, tuple)):
        if type(x) is list:
            return [coded(v) for v in x]
        return tuple([coded(v) for v in x]) if type(x) is tuple else x
    if type(x) is dict:
        return {k: coded(v) for k, v in x.items()}
    if isinstance(x, _w.dtype):
        from torch.jit._aten import code_of
        return code_of(x)
    return _formats.get(str(x), x) if type(x).__name__ == "layout" else x


_formats = {"torch.strided": 0, "torch.sparse_coo": 1, "torch.sparse_csr": 2, "torch.contiguous_format": 0, "torch.preserve_format": 1,
            "torch.channels_last": 2, "torch.channels_last_3d": 3}


# Containers that need to say what they contain, and the rest of the sentence that says so.
ALONE = {"List": "a contained type. Please add a contained type, e.g. List[int]",
         "Dict": "contained types. Please add contained type, e.g. Dict[int, int]",
         "Optional": "a contained type. Please add a contained type, e.g. Optional[int]",
         "Tuple": "a contained type. Please add a contained type, e.g. Tuple[int]",
         "Future": "a contained type. Please add a contained type, e.g. Future[int]"}


def is_of(x, target):
    # torch.jit.isinstance: types with parts are looked into.
    if isinstance(target, tuple):
        return any([is_of(x, t) for t in target])
    args = getattr(target, "__args__", None)
    name, _ = parts(str(target))
    if isinstance(x, _stage.Sym):   # a number: one of what a union is of, or the type itself
        return any([is_of(x, a) for a in args]) if args and name not in ("List", "Dict", "Tuple") else \
            getattr(target, "__name__", None) == x.kind
    if not args:
        if name in ALONE and str(target).startswith("typing."):
            raise RuntimeError(f"Attempted to use {name} without {ALONE[name]}")
        return isinstance(x, target)
    if name == "List":
        return isinstance(x, list) and all([is_of(v, args[0]) for v in x])
    if name == "Dict":
        return isinstance(x, dict) and all([is_of(k, args[0]) and is_of(v, args[1]) for k, v in x.items()])
    if name == "Tuple":
        return isinstance(x, tuple) and len(x) == len(args) and all([is_of(v, a) for v, a in zip(x, args)])
    return (name == "Optional" and x is None) or \
        any([(x is None if a is None or a is type(None) else is_of(x, a)) for a in args])
