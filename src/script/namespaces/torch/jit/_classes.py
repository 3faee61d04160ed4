# torch.jit._classes -- classes of the user's as types: their fields are what __init__ sets, their methods are looked at
# when they are called.
#
# The text of such a type is the name and a number ("Point#3"), since two classes may have one name; `shown` takes it off.
import _stage
import _syntax
from torch import nn

_kinds = {}             # id of a class: its Kind
_by_text = {}


class Kind:
    def __init__(self, cls):
        self.cls = cls
        self.text = f"{cls.__name__}#{len(_by_text)}"
        self.fields = {}        # name: type
        self.ready = False      # is __init__ done?

    def function(self, name):
        # A method from its source, or None.
        f = vars(self.cls).get(name)
        f = f.__func__ if isinstance(f, staticmethod) else f
        return f if _syntax.sort(f) == "function" and not _syntax.info(f)["hidden"] else None

    def property(self, name):
        p = vars(self.cls).get(name)
        return p.fget if isinstance(p, property) else None


def plain(cls):
    # A class whose instances are values of scripts, known from its source.
    init = vars(cls).get("__init__")
    return _syntax.sort(cls) == "class" and cls.__bases__ == (object,) and _syntax.sort(init) == "function" and \
        not _syntax.info(init)["hidden"] and not hasattr(cls, "__dataclass_fields__") and \
        not hasattr(cls, "__script_interface__") and not hasattr(cls, "__jit_ignore__") and not issubclass(cls, nn.Module)


def kind(cls, infer):
    # infer(func, text): looks at a method of the type.
    if id(cls) not in _kinds:
        k = _kinds[id(cls)] = Kind(cls)
        _by_text[k.text] = k
        try:
            infer(k.function("__init__"), k.text)
        except Exception:
            del _kinds[id(cls)]
            raise
        k.ready = True
    return _kinds[id(cls)]


def of_text(text):
    return _by_text.get(text)


MAGIC = {"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__", "%": "__mod__",
         "**": "__pow__", "<<": "__lshift__", ">>": "__rshift__", "&": "__and__", "|": "__or__", "^": "__xor__",
         "@": "__matmul__", "==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}


class Classes:
    # What a function (_infer.py) does with values of such types.
    def scope(self, name):
        # The type that a name stands for here, or None.
        try:
            v = _syntax.free(self.func, name)
        except NameError:
            v = self.info["globals"].get(name)
        if v is None and isinstance(self.self_, str):
            k = of_text(self.self_)
            return k.text if k is not None and k.cls.__name__ == name else None
        return kind(v, self.infer).text if _syntax.sort(v) == "class" and plain(v) else None

    def made(self, e, cls, args, kwargs):
        # A call of a class.
        k = kind(cls, self.infer)
        self.user(e, k.function("__init__"), k.text, args, kwargs)
        return k.text

    def field(self, e, k, name):
        # An attribute of an instance: a type, or the function of a method.
        if name in k.fields:
            return k.fields[name]
        f = k.property(name)
        if f is not None:
            return self.infer(f, k.text) or "?"
        f = k.function(name)
        if f is not None:
            return f
        own = k.cls.__name__
        if isinstance(vars(k.cls).get(name), classmethod) or name in vars(k.cls).get("__constants__", ()) or \
                str(vars(k.cls).get("__annotations__", {}).get(name, "")).find("Final") >= 0:
            return "?"
        if name in vars(k.cls):
            return self.fail(e, f"'{own}' object has no attribute or method '{name}'. '{name}' is defined as a class attribute, "
                                "which is not supported. Please make it a constant or initialize it in __init__()")
        return self.fail(e, f"'{own}' object has no attribute or method '{name}'. Did you forget to initialize an attribute in "
                            "__init__()?")

    def set_field(self, target, k, name, t, node):
        here = k.text == self.self_ and self.func.__name__ == "__init__" and not k.ready
        if name not in k.fields:
            if not here:
                if k.property(name) is None and k.ready:
                    self.fail(node, f"Tried to set nonexistent attribute: {name}. Did you forget to initialize it in __init__()?")
                return
            if len(self.frames) > 1:
                self.fail(node, f"attribute {name} is not defined before: its assignment cannot be in a control-flow block")
            k.fields[name] = t
        elif not self.fits_field(t, k.fields[name]):
            self.fail(node, f"Wrong type for attribute assignment. Expected {self.shown(k.fields[name])} but got {self.shown(t)}")

    def magic(self, e, op, a, b):
        # An operator with an instance among its operands.
        k = of_text(a)
        if k is None:
            return "?"
        if op not in MAGIC:
            return "?"
        f = k.function(MAGIC[op])
        if f is None:
            return self.fail(e, f"'{k.cls.__name__}' object has no attribute or method '{MAGIC[op]}'")
        return self.user(e, f, k.text, [b], {})


def check_class(cls, infer):
    # A class that is scripted: __init__, then all methods.
    k = kind(cls, infer)
    for name, f in vars(cls).items():
        if name != "__init__" and k.function(name) is f and not hasattr(f, "__jit_ignore__"):
            infer(f, k.text)
