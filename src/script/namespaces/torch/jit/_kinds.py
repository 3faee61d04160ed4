# torch.jit._kinds -- TorchScript's types as texts (_types.py): which fits where, what two have in common.
#
# "?" is one that is not known here (of what a library function gives, an attribute), which fits everywhere. So what is
# refused is refused by TorchScript too.
import _torch as _w
from torch.jit import _types

KNOWN = ("int", "float", "bool", "str", "complex", "Tensor", "None", "number", "Any", "device", "?")


class Py:
    # A value of Python's: a module, a function, a class, a number of the surroundings.
    def __init__(self, value):
        self.value = value


class Bound:
    # A method of a value, which may be called and nothing else.
    def __init__(self, kind, name):
        self.kind = kind
        self.name = name


class Late:
    # A variable whose types differ on the ways to here: an error, once it is used.
    def __init__(self, text, node):
        self.text = text
        self.node = node


def normal(text, scope=None):
    # A type that was written, with "?" for what is not known here. scope(name): the type of a class, or None.
    name, inner = _types.parts(text.strip("'\""))
    if name in ("List", "Optional", "Dict", "Tuple", "Union") and inner and "..." not in inner and inner != ["()"]:
        inner = [normal(t, scope) for t in inner]
        if name == "Union":
            return union(inner)
        if name == "Optional":
            return optional(inner[0])
        return f"{name}[{', '.join(inner)}]"
    if name in KNOWN and not inner:
        return name
    return scope and not inner and scope(name) or "?"


def union(types):
    if "?" in types:
        return "?"
    rest = [t for t in types if t != "None"]
    if len(rest) == 1:
        return optional(rest[0]) if len(types) > 1 else rest[0]
    return f"Union[{', '.join(types)}]"


def optional(t):
    if t.startswith("Union[") and not unsure(t):
        return t if "None" in inner_of(t) else f"{t[:-1]}, None]"
    return t if t in ("None", "Any", "?") or t.startswith("Optional[") else f"Optional[{t}]"


def inner_of(t):
    return _types.parts(t)[1]


def unsure(t):
    return t.find("?") >= 0


def fits(t, want):
    # Is t a subtype of want?
    if t == want or want == "Any" or unsure(t) or unsure(want):
        return True
    name, inner = _types.parts(want)
    if name == "Optional":
        return t == "None" or fits(inner_of(t)[0] if t.startswith("Optional[") else t, inner[0])
    if name == "Union":
        mine = inner_of(t) if t.startswith("Union[") else inner_of(t) + ["None"] if t.startswith("Optional[") else [t]
        return all([any([fits(m, i) for i in inner]) for m in mine])
    if want == "number":
        return t in ("int", "float", "complex", "bool")
    if name == "Tuple" and t.startswith("Tuple["):
        mine = inner_of(t)
        return len(mine) == len(inner) and all([fits(a, b) for a, b in zip(mine, inner)])
    return False


def converts(t, want):
    # May t be given where want is needed?
    if fits(t, want) or want in ("int", "float", "number", "complex", "bool") and t in ("Tensor", "number") or \
            t == "bool" and want in ("int", "float"):
        return True
    if t.startswith("Tuple[") and want.startswith("Tuple[") and len(inner_of(t)) == len(inner_of(want)):
        return all([converts(a, b) for a, b in zip(inner_of(t), inner_of(want))])
    if want == "device" and t == "str":
        return True
    name, inner = _types.parts(want)
    if name == "Optional":
        return converts(t, inner[0])
    if name == "List" and t.startswith("Tuple["):
        return all([converts(x, inner[0]) for x in inner_of(t)])
    return False


def unify(a, b):
    # One type for both, or None.
    if unsure(a) or unsure(b):
        return "?"
    if fits(a, b):
        return b
    if fits(b, a):
        return a
    if "None" in (a, b):
        return optional(b if a == "None" else a)
    if a.startswith("Optional[") or b.startswith("Optional["):
        x = unify(inner_of(a)[0] if a.startswith("Optional[") else a, inner_of(b)[0] if b.startswith("Optional[") else b)
        return None if x is None else optional(x)
    if a.startswith("Tuple[") and b.startswith("Tuple[") and len(inner_of(a)) == len(inner_of(b)):
        parts = [unify(x, y) for x, y in zip(inner_of(a), inner_of(b))]
        return None if None in parts else f"Tuple[{', '.join(parts)}]"
    return None


def shown(t):
    if t.find("#") >= 0:        # classes
        t = "".join([p if not i else p.lstrip("0123456789") for i, p in enumerate(t.split("#"))])
    return "NoneType" if t == "None" else t


_plain = {bool: "bool", int: "int", float: "float", str: "str", complex: "complex", type(None): "None"}


def of_value(v):
    # The type of a value of Python's that a script may use.
    if type(v) in _plain:
        return _plain[type(v)]
    if isinstance(v, _w.Tensor):
        return "Tensor"
    return "?"


class Found(Exception):
    # A mistake in a script, and where.
    def __init__(self, func, info, node, text):
        self.args_ = (func, info, node, text)
        self.calls = []         # [(name of what was called, function that called it, info, node)], the innermost first


class Stop(Exception):
    # The rest of a block is never reached.
    pass
