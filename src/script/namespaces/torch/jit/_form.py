# torch.jit._form -- how a method's arguments become the inputs of its program, and the program's results its own, as texts in the language
# of TorchScript: metadata of a model, from which src/torchscript writes archives.
#
#   arguments.NAME   a line for each parameter, its fields behind tabs: `h: Tuple[Tensor, Tensor]`, what must be so (`?torch.eq(..)`), and the
#                    inputs that it has: `h[0]`, `h[1]`
#   results.NAME     `(%, {"mask": %})`: a % for each result of the program
import _torch as _w
import _tree
from _tree import LEAF


class NoForm(Exception):
    # What such texts cannot say.
    pass


_codes = {bool: 11, int: 4, float: 7}
_empty = {"list": "annotate(List[Tensor], [])", "dict": "annotate(Dict[str, Tensor], {})"}


def _argument(name, spec, leaves, fields):
    # The type; what must be so and the inputs go into fields.
    if spec is None:
        fields.append(f"?torch.__is__({name}, None)")
        return "Optional[Tensor]"
    if spec == LEAF:
        x = next(leaves)
        if x is None or isinstance(x, _w.Tensor):
            fields.append(name)
            return "Tensor"
        if type(x) not in _codes:
            raise NoForm(f"the argument {name} is a {type(x).__name__}")
        fields.append(f"torch.tensor({name}, dtype={_codes[type(x)]})")
        return type(x).__name__
    what, kind, aux, kids = spec
    if what == "tuple":
        return "Tuple[" + ", ".join([_argument(f"({name})[{i}]", s, leaves, fields) for i, s in enumerate(kids)]) + "]"
    if what not in ("list", "dict") or what == "dict" and any([type(k) is not str for k in aux]):
        raise NoForm(f"the argument {name} is a {what}")
    fields.append(f"?torch.eq(torch.len({name}), {len(kids)})")
    keys = range(len(kids)) if what == "list" else [_text(k) for k in aux]
    types = {_argument(f"({name})[{k}]", s, leaves, fields) for k, s in zip(keys, kids)} or {"Tensor"}
    if len(types) > 1:
        raise NoForm(f"the argument {name} holds values of several types")
    return ("List[" if what == "list" else "Dict[str, ") + types.pop() + "]"


def _text(s):
    if any([c in s for c in "%\"\\\n\t"]):
        raise NoForm(f"the key {s!r}")
    return '"' + s + '"'


def arguments(func, skip, spec, leaves):
    # Of func, whose first parameters are no arguments; leaves: an example of each, None for a tensor.
    names = [] if func is None else [p[0] for p in _tree._parameters(func)][skip:]
    names = names if len(names) >= len(spec[3]) else [f"arg{i}" for i in range(len(spec[3]))]
    lines = []
    it = iter(leaves)
    for name, s in zip(names, spec[3]):
        fields = []
        kind = _argument(name, s, it, fields)
        lines.append("\t".join([f"{name}: {kind}"] + fields))
    return "\n".join(lines)


def results(spec, plan):
    # plan: (kind, value) of each leaf, as a scripted method's.
    it = iter(plan)

    def text(s):
        if s is None:
            return "None"
        if s == LEAF:
            kind, value = next(it)
            if kind in ("int", "float", "bool"):
                return f"{kind}(%)"
            if kind != "static":
                return "%"
            if value is not None and type(value) not in _codes:
                raise NoForm(f"a result is a {type(value).__name__}")
            return repr(value)
        what, kind, aux, kids = s
        parts = [text(k) for k in kids]
        if what in ("tuple", "namedtuple"):
            return "(" + ", ".join(parts) + (", )" if len(parts) == 1 else ")")
        if what not in ("list", "dict"):
            raise NoForm(f"a result is a {what}")
        if not parts:
            return _empty[what]
        if what == "list":
            return "[" + ", ".join(parts) + "]"
        return "{" + ", ".join([f"{_text(k)}: {p}" for k, p in zip(aux, parts)]) + "}"

    return text(spec)
