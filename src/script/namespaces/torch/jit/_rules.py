# torch.jit._rules -- what TorchScript asks of calls of single functions, of annotations and of defaults when it compiles.
from collections import OrderedDict
from enum import Enum
import random

import _stage
import _syntax
import _torch as _w
import torch
from torch import nn
from torch.jit import _check, _types
from torch.jit._classes import of_text
from torch.jit._kinds import KNOWN, Py, fits, inner_of, of_value, shown, unsure

EXCEPTION = Py("exception message")     # what a call of an exception's class gives: something to raise

# Functions of torch that are no operators.
UNKNOWN = set("asarray clear_autocast_cache from_numpy frombuffer get_default_dtype get_num_interop_threads get_num_threads "
               "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled set_flush_denormal "
               "set_num_interop_threads set_num_threads".split())
_factories = set("arange empty eye full linspace logspace ones rand randint randn randperm zeros".split())
_by_dims = set("sum mean logsumexp amax amin".split())      # whose dim is a list
_legacy = set("BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor".split())
_typing = set("List Dict Tuple Optional Union Future Any Final Device NoneType number RRef Await list dict tuple device".split())


# Builtins that TorchScript knows to be Python's.
_host_alone = (repr, open, eval, exec, input, vars, dir, callable, globals, locals, format, compile, setattr, delattr, issubclass, iter,
               next)
# Names of types that are not TorchScript's.
_not_types = set("Callable Set FrozenSet Iterable Iterator Sequence MutableSequence Mapping Type TypeVar Generic set frozenset".split())


class Refusal(Exception):
    # A refusal of the library's Python part: without a place in its text.
    def __init__(self, error):
        self.error = error


def is_empty(e):
    # A container without elements, which becomes what is wanted.
    return e.kind in ("list", "dict") and not e.list or e.kind == "call" and not e.list and e.a.kind == "name" and \
        e.a.name in ("list", "dict", "OrderedDict")


def leaves_loop(stmts):
    # The first break or continue that is of the loop whose body this is, or None.
    for s in stmts:
        if s.kind in ("break", "continue"):
            return s
        if s.kind in ("if", "with"):
            found = leaves_loop(s.list if s.kind == "if" else []) or leaves_loop(s.more)
            if found is not None:
                return found
    return None


class Rules:
    # Of one function (_infer.py).
    def rule(self, e, f, args, kwargs):
        # The type of a call of f, or None where there is no rule for it.
        if f is hasattr or f is getattr:
            return self.r_hasattr(e, f)
        if f is dict or f is OrderedDict:
            return self.r_dict(e, args, kwargs)
        if f is tuple:
            return self.r_tuple(e, args)
        if any([f is b for b in _host_alone]):
            return self.fail(e.a, f"Python builtin <built-in function {e.a.name if e.a.kind == 'name' else f.__name__}> is currently not supported in Torchscript")
        if f is reversed and args and args[0] != "Tensor" and not unsure(args[0]):
            return self.fail(e.a, f"reversed(Tensor 0) -> Tensor 0:\nExpected a value of type 'Tensor' for argument '0' but instead found type "
                                  f"'{shown(args[0])}'.\n")
        if f is slice and kwargs:
            return self.fail(e, "Slice does not accept any keyword arguments")
        if f is torch._check:
            return self.r_check(e, args, kwargs)
        if f is torch.jit.fork and args and (args[0] in KNOWN[:7]):
            return self.fail(e, f"cannot call a value of type '{shown(args[0])}'")
        name = getattr(f, "__name__", None)
        if isinstance(f, type) and issubclass(f, BaseException):
            return EXCEPTION
        if isinstance(f, type) and hasattr(f, "__jit_ignore__") and not self.quiet:
            raise Refusal(_check.FrontendError(f"Cannot instantiate class '{name}' in a script function:\n{self.shown_at(e.a)}"))
        if f is random.randint and len(args) < 2:
            return self.fail(e, "Random.randint(Tensor self, Tensor a, Tensor b) -> Tensor 0:\nArgument self not provided.\n")
        if any([f is getattr(torch, n) for n in _legacy]):
            return self.r_legacy(e, args, kwargs)
        if not isinstance(name, str) or getattr(torch, name, None) is not f:
            return None
        if name in UNKNOWN:
            return self.no_operator(e, name)
        if name in _factories and "requires_grad" in kwargs:
            return self.no_variant(e, name, args, "Keyword argument requires_grad unknown.\n")
        if args and "self" in kwargs:
            return self.no_variant(e, name, args, "Keyword argument self specified twice.\n")
        if name in ("cat", "stack") and args and (args[0] == "Tensor" or args[0].startswith("List[") and not unsure(args[0]) and
                                                  not fits(inner_of(args[0])[0], "Tensor")) and not is_empty(e.list[0]):
            return self.r_wants(e, name, args[:1], "tensors", "List[Tensor]", args[0], e.list[0])
        if name in _by_dims and len(args) > 1:
            return self.r_dims(e, name, args[0], args[1], e.list[1])
        return None

    def method_rule(self, e, t, args):
        # The same for a method of a value of type t.
        name = e.a.name
        if t == "Tensor" and name == "numpy":
            return self.fail(e.a, f"'{self.told(t, e.a.a)}' object has no attribute or method 'numpy'.")
        if t == "Tensor" and name == "__getitem__" and len(e.list) != 1:
            return self.fail(e, f"__getitem__ expected exactly 1 arguments, got {len(e.list)}")
        if t == "Tensor" and name in _by_dims and e.list and e.list[0].kind not in ("kw", "star", "dstar"):
            return self.r_dims(e, name, t, args[0], e.list[0])
        if t == "Tensor" and name == "expand":
            for x, got in zip(e.list, args):
                if got.startswith("List[") and not unsure(got) and not fits(got, "List[int]"):
                    return self.r_wants(e, name, [t, got], "size", "List[int]", got, x)
        if t == "Tensor" and self.lacks(getattr(torch.Tensor, name, None), e, 1):
            return self.no_variant(e, name, ["Tensor"] + args)
        return None

    @staticmethod
    def lacks(f, e, given):
        # Is an argument missing that f needs, of a function that is written in the language?
        if _syntax.sort(f) != "function" or any([x.kind in ("star", "dstar") for x in e.list]):
            return False
        params = _stage.tree_of(f)[0].params
        if any([p.kind != "pos" for p in params]):
            return False
        named = [x.name for x in e.list if x.kind == "kw"]
        at = given + len(e.list) - len(named)
        return any([p.name not in named for p in params[at:len(params) - len(_syntax.defaults(f)[0])]])

    def inferred(self, e):
        # Is it a parameter whose type is not written?
        return e.kind == "name" and any([n == e.name and not written for n, _, written in self.signature])

    def told(self, t, e):
        # The type t of e as a message has it.
        return f"{shown(t)} (inferred)" if t == "Tensor" and e is not None and self.inferred(e) else shown(t)

    def no_operator(self, e, name):
        return self.fail(e, f"Unknown builtin op: aten::{name}.\nThis op may not exist or may not be currently supported in "
                            "TorchScript.\n")

    def r_legacy(self, e, args, kwargs):
        if not kwargs and (len(args) < 2 or all([fits(t, "int") for t in args])):
            return "Tensor"
        got = f"kwarg {list(kwargs)[0]}" if kwargs else "multiple positional arguments that were not all integers"
        return self.fail(e, "Legacy Tensor Constructor only supports two schemas in TorchScript: \n'new(IntArrayRef size, *, "
                            f"Device? device=None)',\n'new(PyObject* data, *, Device? device=None)\n'Got {got}")

    def r_dims(self, e, name, t, dim, node):
        if t != "Tensor" or dim not in ("Tensor", "float", "str"):
            return None
        return self.r_wants(e, name, [t, dim], "dim", "Optional[List[int]]", dim, node)

    def r_wants(self, e, name, types, arg, want, got, node):
        # An argument of another type than the operator wants.
        more = f"Inferred the value for argument '{arg}' to be of type 'Tensor' because it was not annotated with an explicit " \
            "type.\n" if got == "Tensor" and self.inferred(node) else ""
        return self.no_variant(e, name, types, f"Expected a value of type '{want}' for argument '{arg}' but instead "
                               f"found type '{shown(got)}{' (inferred)' if more else ''}'.\n  {more}")

    def r_hasattr(self, e, f):
        if len(e.list) < 2:
            return None
        if e.list[1].kind != "str":
            return self.fail(e, f"{f.__name__}'s second argument must be a string literal")
        t = self.type(e.list[0])
        if t.startswith("Tuple["):
            return self.fail(e, "hasattr's first argument must be an object or NamedTuple, but got a normal Tuple "
                                f"{shown(t)} instead")
        if (t in KNOWN[:6] or t.startswith(("List[", "Dict["))) and f is hasattr:
            return self.fail(e, "hasattr's first argument must be an object or NamedTuple, got "
                                f"{shown(t)}{' (inferred)' if self.inferred(e.list[0]) else ''} instead")
        return "bool" if f is hasattr else None

    def r_check(self, e, args, kwargs):
        n = len(args) + len(kwargs)
        for k in kwargs:
            if k not in ("cond", "message") and n < 3:
                return self.fail(e, f"torch._check() got unexpected keyword argument '{k}'")
        if not 1 <= n <= 2:
            return self.fail(e, f"torch._check() expects 1 or 2 arguments, got {n}")
        if args and "cond" in kwargs or len(args) > 1 and "message" in kwargs:
            return self.fail(e, f"torch._check() got multiple values for argument '{'cond' if 'cond' in kwargs else 'message'}'")
        return self.fail(e, "torch._check() missing required argument 'cond'") if not args and "cond" not in kwargs else "None"

    def r_tuple(self, e, args):
        if len(args) != 1:
            return self.fail(e, f"tuple expected exactly 1 arguments but found {len(args)}")
        if args[0].startswith("List[") and not unsure(args[0]) and e.list[0].kind in ("list", "name"):
            return self.fail(e, "cannot statically infer the expected size of a list in this context")
        return args[0] if args[0].startswith("Tuple[") else "?"

    def r_dict(self, e, args, kwargs):
        if not args and not kwargs:
            return "Dict[str, Tensor]"
        if len(args) != 1 or kwargs:
            return "?"
        items = self.items(e.list[0])
        if args[0].startswith("Dict["):
            return args[0]
        if isinstance(items, str) and items.startswith("Tuple[") and len(inner_of(items)) == 2:
            return f"Dict[{', '.join(inner_of(items))}]"
        return "?"

    def made_dict(self, s, t, want):
        # A dict that is made by a call, for a variable of an annotated type.
        if is_empty(s.c) or not t.startswith("Dict[") or not want.startswith("Dict[") or unsure(t) or unsure(want):
            return
        (k, v), (wk, wv) = inner_of(t), inner_of(want)
        if k.startswith("Union["):
            self.fail(s, f"Dicts may only contain homogeneous keys, but the type of the first generated key was {_types.long(k)}")
        for got, need, what in ((k, wk, "key"), (v, wv, "value")):
            if not fits(got, need):
                self.fail(s, f"Dict type annotation `{want}` did not match the type of an actual {what} type "
                             f"`{_types.long(got)}`\n")

    # -- types that are written

    def prefixes(self):
        # Comments that look like those of types, but for their spaces.
        for i, line in enumerate(_syntax.source(self.func).split("\n")):
            text = line.strip()
            word = text[1:].replace(" ", "")
            if text.startswith("#") and word.startswith("type:") and not text.startswith("# type:") and not word.startswith("type:ignore"):
                raise Refusal(RuntimeError(f"The annotation prefix in line {i} is probably invalid.\nIt must be '# type:'\nSee PEP 484 "
                                           "(https://www.python.org/dev/peps/pep-0484/#suggested-syntax-for-python-2-7-and-straddling-"
                                           "code)\nfor examples"))

    def dict_keys(self, text):
        name, inner = _types.parts(text.strip("'\""))
        if name == "Dict" and len(inner) == 2 and _types.parts(inner[0])[0] in ("Union", "List", "Dict", "Tuple", "Optional"):
            raise Refusal(RuntimeError(f"Cannot create dict for key type '{_types.shown(inner[0])}', only int, float, complex, Tensor, "
                                       "device and string keys are supported"))

    def known_types(self, node, ann):
        # Every name in an annotation is one of a type: ann is its expression, or its text.
        if isinstance(ann, str):
            if ann.find(".") < 0:
                name, inner = _types.parts(ann.strip("'\""))
                self.known_type(node, name)
                for t in inner:
                    if t not in ("()", "..."):
                        self.known_types(node, t)
        elif ann.kind == "name":
            self.known_type(node, ann.name)
        elif ann.kind == "str":
            self.known_types(node, ann.value)
        elif ann.kind == "attr":
            v = self.attribute_value(ann)
            if v is not None:
                self.usable(node, v)
        elif ann.kind == "bin" and ann.op != "|":
            self.fail(node, f"Expression of type {ann.op} cannot be used in a type expression")
        elif ann.kind == "index" and ann.a.kind == "index":
            self.fail(node, "Subscripted type must be a type identifier")
        elif ann.kind == "index" and ann.a.kind == "name" and (ann.a.name in KNOWN or ann.a.name in _not_types):
            self.fail(node, f"Unknown type constructor {ann.a.name}")
        elif ann.kind in ("index", "tuple", "bin"):
            for x in [ann.a, ann.b] + ann.list:
                if x is not None:
                    self.known_types(node, x)

    def attribute_value(self, ann):
        if ann.kind == "name":
            return self.found(ann.name)
        if ann.kind != "attr":
            return None
        v = self.attribute_value(ann.a)
        return None if v is None else getattr(v, ann.name, None)

    def found(self, name):
        # What a name stands for around the function, or None.
        try:
            return _syntax.free(self.func, name)
        except NameError:
            pass
        if name in self.info["globals"]:
            return self.info["globals"][name]
        try:
            return _syntax.builtin(name)
        except NameError:
            return None

    def known_type(self, node, name):
        if name in _not_types:
            self.fail(node, f"Unknown type name '{name}'")
        if name in KNOWN or name in _typing or name.startswith("BroadcastingList") or not name.isidentifier():
            return
        v = self.found(name)
        own = of_text(self.self_) if isinstance(self.self_, str) else None
        inner = self.func.__qualname__.find("<locals>") >= 0    # types may be names of a function around it, unseen here
        if v is None and not inner and not (own is not None and own.cls.__name__ == name):
            self.fail(node, f"Unknown type name '{name}'")
        self.usable(node, v)

    def usable(self, node, cls):
        # May values of this class be arguments?
        if _syntax.sort(cls) != "class" or hasattr(cls, "__script_interface__"):
            return
        if issubclass(cls, nn.Module):
            raise Refusal(ValueError(f"Unknown type annotation: '{cls}' at   File \"{self.info['file']}\", line {node.line}"))
        if issubclass(cls, tuple):
            for v in getattr(cls, "_field_defaults", {}).values():
                if isinstance(v, _w.Tensor):
                    raise Refusal(RuntimeError("Tensors are not supported as default NamedTuple fields. Their mutability could "
                                               "lead to potential memory aliasing problems"))
        if issubclass(cls, Enum):
            types = [of_value(m.value) for m in cls]
            for i, t in enumerate(types):
                if t != types[0]:
                    raise Refusal(RuntimeError(f"Could not unify type list since element {i} of type {t} did not match the types "
                                               f"before it ({types[0]})"))

    @staticmethod
    def is_mutable(value):
        return isinstance(value, (list, dict, set)) or isinstance(value, tuple) and any([Rules.is_mutable(x) for x in value])
