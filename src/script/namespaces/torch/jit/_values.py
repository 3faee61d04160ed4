# torch.jit._values -- the types of expressions and calls.
from enum import Enum

import _stage
import _syntax
import _torch as _w
import torch
from torch import nn
from torch.jit import _check, _types
from torch.jit._classes import Classes, MAGIC, check_class, kind, of_text, plain
from torch.jit._kinds import KNOWN, Bound, Found, Late, Py, converts, fits, inner_of, normal, of_value, shown, unify, unsure
from torch.jit._rules import EXCEPTION, UNKNOWN, Rules
from torch.jit._operators import ARITHMETIC, attribute_of, binary, compared, function_of, math_unsupported, negated

_literals = {"int": "int", "float": "float", "str": "str", "none": "None", "true": "bool", "false": "bool"}


class Values(Classes, Rules):
    # Of one function (_infer.py).
    def typed(self, v):
        if isinstance(v, Py):
            return of_value(v.value)
        return v if isinstance(v, str) else "?"

    def type(self, e):
        v = self.eval(e)
        if v is EXCEPTION:
            return self.fail(e, "exception message cannot be used as a value")
        return self.fail(e, "builtin cannot be used as a value") if isinstance(v, Bound) else self.typed(v)

    def value(self, e):
        # The type of what is kept or returned: not of what is only Python's.
        v = self.eval(e)
        if isinstance(v, Py) and _syntax.sort(v.value) in ("class", "module", "function"):
            return self.fail(e, f"python value of type '{type(v.value).__name__}' cannot be used as a value. Perhaps it is a "
                                "closed over global variable? If so, please consider passing it in as an argument or use a "
                                "local variable instead.")
        return self.type(e)

    def truth(self, e, t):
        # Is t, of e, something that is true or false?
        k = of_text(t)
        if k is not None and k.function("__bool__") is not None and not converts(self.infer(k.function("__bool__"), t) or "?", "bool"):
            self.fail(e, f"expected a bool expression for condition but found {shown(self.infer(k.function('__bool__'), t))}")
        if t == "None" or t.startswith(("Optional[", "Tuple[")) and not unsure(t):
            self.fail(e, f"Could not cast value of type {shown(t)} to bool")

    def e_big(self, e):
        return self.fail(e, "Integral constant out of range (must fit in a signed 64 bit integer)")

    def e_int(self, e):
        return self.e_big(e) if e.value == -2 ** 63 else "int"

    def eval(self, e):
        f = getattr(self, "e_" + e.kind, None)
        return f(e) if f is not None else _literals.get(e.kind, "?")

    def e_fstr(self, e):
        for p in e.list:
            if p.kind == "fmt":
                self.eval(p.a)
        return "str"

    def e_name(self, e):
        v = self.find(e.name)
        if isinstance(v, Late):
            return self.fail(v.node if v.node is not None else e, v.text)
        if v is not None:
            return v
        if e.name in self.tree.locals:
            return self.fail(e, f"undefined value {e.name}")
        own = of_text(self.self_) if isinstance(self.self_, str) else None
        if own is not None and own.cls.__name__ == e.name:      # which has no name yet while it is scripted
            return Py(own.cls)
        try:
            return self.closed(e, _syntax.free(self.func, e.name))
        except NameError:
            pass
        g = self.info["globals"]
        if e.name in g:
            return self.closed(e, g[e.name])
        try:
            return Py(_syntax.builtin(e.name))
        except NameError:
            return self.fail(e, f"undefined value {e.name}")

    def closed(self, e, v):
        # A value from around the function: functions, classes and modules may be used.
        if isinstance(v, float) and e.name in ("inf", "nan"):
            return "float"
        if isinstance(v, (int, float, str, list, dict, tuple, complex, _w.Tensor, torch.dtype)) or v is None:
            return self.fail(e, f"python value of type '{type(v).__name__}' cannot be used as a value. Perhaps it is a closed "
                                "over global variable? If so, please consider passing it in as an argument or use a local "
                                "variable instead.")
        return Py(v)

    def e_tuple(self, e):
        if any([x.kind == "star" for x in e.list]) or not e.list:
            return "?"
        return f"Tuple[{', '.join([self.type(x) for x in e.list])}]"

    def e_list(self, e):
        if not e.list:
            return "List[Tensor]"
        types = [self.type(x) if x.kind != "star" else "?" for x in e.list]
        t = types[0]
        for x in types[1:]:
            t = unify(t, x) if t is not None else None
        if t is None and all([x in KNOWN[:5] or x.startswith("List[") and inner_of(x)[0] in KNOWN[:5] for x in types]):
            t = _types.long(f"Union[{', '.join(sorted(set(types)))}]")
        return f"List[{t}]" if t is not None and not unsure(t) else "?"

    def e_dict(self, e):
        if not e.list:
            return "Dict[str, Tensor]"
        if any([k is None for k in e.list]):
            return "?"
        keys, values = [self.type(k) for k in e.list], [self.type(v) for v in e.more]
        if any([k != keys[0] for k in keys]) or any([v != values[0] for v in values]) or unsure(keys[0] + values[0]):
            return "?"
        return f"Dict[{keys[0]}, {values[0]}]"

    def e_listcomp(self, e):
        if len(e.list) != 1 or e.list[0].list:
            return "?"
        item = self.items(e.list[0].b)
        if isinstance(item, list):
            return "?"
        self.frames.append({})
        self.assign(e.list[0].a, item, e)
        t = self.type(e.a)
        self.frames.pop()
        return f"List[{t}]" if not unsure(t) else "?"

    e_genexp = e_listcomp    # which PyTorch makes of it

    def e_un(self, e):
        t = self.type(e.a)
        if e.op == "not":
            self.truth(e, t)
            return "bool"
        if e.op == "~":
            return t if t == "Tensor" or unsure(t) else self.no_variant(e, "bitwise_not", [t])
        return negated(t) or self.no_variant(e, "neg", [t])

    def e_and(self, e):
        self.connected(e)
        return "bool"

    e_or = e_and

    def e_cmp(self, e):
        a = self.type(e.a)
        for op, x in zip(e.ops, e.list):
            b = self.type(x)
            if (of_text(a) is not None or of_text(b) is not None) and op in MAGIC and "None" not in (a, b):
                r = self.magic(e, op, a, b)
            else:
                r = None if op in ("==", "!=") and (a == "None") != (b == "None") and not unsure(a) and not unsure(b) else compared(op, a, b)
            if r is None:
                return self.no_variant(e, {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[op], [a, b])
            a = b
        return r if len(e.ops) == 1 else "bool"

    def e_cond(self, e):
        known, yes, no, sure = self.condition(e.a)
        types = []
        for x, names in ((e.b, yes), (e.c, no)):
            self.frames.append(dict(names))
            self.quiet += known is not None or not sure
            types.append(self.argument(x))
            self.quiet -= known is not None or not sure
            self.frames.pop()
        if known is not None:
            return types[0] if known else types[1]
        if not sure:
            return "?"
        t = unify(*types)
        if t is None:
            return self.fail(e, f"if-expression's true branch has type {self.told(types[0], e.b)} but false branch has type "
                                f"{shown(types[1])}")
        return t

    def e_bin(self, e):
        return self.operate(e, e.op, self.type(e.a), self.type(e.b))

    def operate(self, e, op, a, b):
        if of_text(a) is not None or of_text(b) is not None:
            return self.magic(e, op, a, b)
        t = binary(op, a, b)
        return t if t is not None else self.no_variant(e, ARITHMETIC[op], [a, b])

    def no_variant(self, e, name, types, why=None):
        why = why if why is not None else f"Expected a value of type 'Tensor' for argument 'self' but instead found type '{shown(types[0])}'.\n" \
            if types and types[0] != "Tensor" else ""
        if len(types) == 2 and all([t.startswith("List[") for t in types]) and not why.startswith("Keyword"):
            a, b = [shown(inner_of(t)[0]) for t in types]
            why = f"Could not match type List[{b}] to List[t] in argument 'b': Type variable 't' previously matched to type {a} " \
                f"is matched to type {b}.\n"
        return self.fail(e, "Arguments for call are not valid.\nThe following variants are available:\n  \n  "
                            f"aten::{name}:\n  {why}\nThe original call is:\n  {name}({', '.join([shown(t) for t in types])})")

    def e_index(self, e):
        o = self.eval(e.a)
        if isinstance(o, Py):
            self.eval(e.b)
            return self.of_container(e, o.value)
        for x in (e.b.a, e.b.b, e.b.c) if e.b.kind == "slice" else ():
            if x is not None:
                self.type(x)
        t, key = self.typed(o), self.type(e.b) if e.b.kind != "slice" else "slice"
        if t == "Tensor" and key in ("float", "str"):
            return self.fail(e, f"Unsupported operation: indexing tensor with unsupported index type '{key}'. Only ints, "
                                "slices, lists and tensors are supported")
        if t == "Tensor" and e.b.kind == "tuple":
            self.behind_dots(e)
        if t == "Tensor" or t == "str":
            return t
        if t in ("int", "float", "bool", "None"):
            return self.fail(e, f"'{shown(t)}' object is not subscriptable")
        if t.startswith("Dict["):
            if not fits(key, inner_of(t)[0]) and key != "slice":
                return self.no_variant(e, "__getitem__", [t, key])
            return inner_of(t)[1]
        if t.startswith("List["):
            if key == "slice":
                return t
            return inner_of(t)[0] if converts(key, "int") or key == "?" else self.no_variant(e, "__getitem__", [t, key])
        if t.startswith("Tuple["):
            return self.of_tuple(e, inner_of(t), key)
        if t.startswith("Optional["):
            return self.fail(e, f"'{t}' object is not subscriptable")
        return "?"

    def behind_dots(self, e):
        # After `...` in an index there is no tensor, and no list.
        dots = False
        for x in e.b.list:
            if x.kind == "ellipsis":
                dots = True
            elif dots and x.kind not in ("slice", "none") and self.type(x).startswith(("Tensor", "List[")):
                return self.fail(e, "Ellipses followed by tensor indexing is currently not supported")

    def of_container(self, e, m):
        # A module of a ModuleList or ModuleDict by a constant.
        i = e.b.value if e.b.kind in ("int", "str") else -e.b.a.value if e.b.kind == "un" and e.b.a.kind == "int" else None
        if isinstance(m, (nn.ModuleList, nn.Sequential)) and isinstance(i, int) and not -len(m) <= i < len(m):
            return self.fail(e, f"Index {i} out of range of length {len(m)}")
        if isinstance(m, nn.ModuleDict) and isinstance(i, str) and i not in m:
            return self.fail(e, f"Key Error, {i}")
        if i is None and e.b.kind == "name" and self.picking is not e:
            if isinstance(m, (nn.ModuleList, nn.Sequential)):
                return self.fail(e, "Expected integer literal for index but got a variable or non-integer. ModuleList/Sequential "
                                    "indexing is only supported with integer literals. For example, 'i = 4; self.layers[i](x)' will "
                                    "fail because i is not a literal. Enumeration is supported, e.g. 'for index, v in "
                                    "enumerate(self): out = v(inp)'")
            if isinstance(m, nn.ModuleDict):
                return self.fail(e, "Unable to extract string literal index. ModuleDict indexing is only supported with string "
                                    "literals. For example, 'i = \"a\"; self.layers[i](x)' will fail because i is not a literal. "
                                    "Enumeration of ModuleDict is supported, e.g. 'for k, v in self.items(): ...'")
        return "?"

    def of_tuple(self, e, parts, key):
        i = e.b.value if e.b.kind == "int" else -e.b.a.value if e.b.kind == "un" and e.b.a.kind == "int" else None
        if i is None:
            if key == "int" and e.b.kind == "name" and any([t != parts[0] for t in parts]) and self.varies(e.b.name):
                return self.fail(e, f"Cannot index into a Tuple[{', '.join([shown(t) for t in parts])}] with a non-integer literal "
                                    "because we cannot resolve the output type")
            return self.fail(e, "tuple index must be an integer") if key in ("Tensor", "float", "str") else "?"
        if not -len(parts) <= i < len(parts):
            return self.fail(e, f"Tuple index out of range. Tuple is length {len(parts)} and index is {i}")
        return parts[i]

    def varies(self, name):
        # Is a variable a parameter, or assigned in several places?
        def count(nodes):
            return sum([(s.kind == "assign" and any([t.kind == "name" and t.name == name for t in s.list])) + count(s.list) +
                        count(s.more) for s in nodes if s is not None])
        return any([p.name == name for p in self.tree.params]) or count(self.tree.body) > 1

    def e_attr(self, e):
        o = self.eval(e.a)
        if isinstance(o, Py):
            return self.attribute(e, o.value)
        if isinstance(o, str) and of_text(o) is not None:
            r = self.field(e, of_text(o), e.name)
            return r if isinstance(r, str) else Bound(o, e.name)
        if isinstance(o, Bound):
            return self.fail(e, "attribute lookup is not defined on builtin")
        t = self.typed(o)
        if t == "Tensor" and callable(getattr(torch.Tensor, e.name, None)):
            return Bound(t, e.name)
        r = attribute_of(t, e.name)
        if r is None:
            return self.fail(e, f"'{self.told(t, e.a)}' object has no attribute or method '{e.name}'.")
        return r

    def attribute(self, e, v):
        if isinstance(v, nn.Module):
            if e.name in getattr(type(v), "__jit_ignored_attributes__", ()):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' attribute was ignored during compilation")
            if not hasattr(v, e.name):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' ")
            x = getattr(v, e.name)
            if type(x).__name__ == "Attribute" or e.name in vars(v).get("_typed", ()):
                return "?"
            if isinstance(x, (int, float, str, list, dict)) and e.name not in vars(v) and not _constant(type(v), e.name):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' (This attribute exists on the "
                                    "Python module, but it is not an attribute of an instance)")
            if isinstance(x, (list, dict)) and not x and e.name in vars(v) and not _annotated(type(v), e.name):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' (This attribute exists on the Python "
                                    f"module, but we failed to convert Python type: '{type(x).__name__}' to a TorchScript type. "
                                    "List trace inputs must have elements)")
            if isinstance(x, (list, tuple)) and any([isinstance(i, nn.Module) for i in x]):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' (This attribute exists on the Python "
                                    f"module, but we failed to convert Python type: '{type(x).__name__}' to a TorchScript type. "
                                    "Could not infer type of list element: Cannot infer concrete type of torch.nn.Module)")
            if e.name in vars(v) and plain(type(x)):
                return self.instance_of(e, v, type(x), x)
            if e.name in vars(v) and isinstance(x, type) and x in (object, int, float, str, list, dict, type):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' (This attribute exists on the Python "
                                    "module, but we failed to convert Python type: 'type' to a TorchScript type. Only tensors and "
                                    "(possibly nested) tuples of tensors, lists, or dicts are supported as inputs or outputs of traced "
                                    "functions, but instead got value of type type.)")
            if e.name in vars(v) and _syntax.sort(x) == "function" and not _syntax.info(x)["hidden"] and not hasattr(x, "__jit_ignore__"):
                try:
                    self.infer(x, None)
                except Found as found:
                    return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' (This function exists as an attribute "
                                        "on the Python module, but we failed to compile it to a TorchScript function. \nThe error stack "
                                        f"is reproduced here:\n\n{found.args_[3]}:\n{self.shown_at_of(found)}")
            if _syntax.sort(x) in ("method", "function") or isinstance(x, nn.Module):
                return Py(x)
            return of_value(x) if isinstance(x, (_w.Tensor, int, float, str)) and not _annotated(type(v), e.name) else "?"
        if _syntax.sort(v) == "class" and issubclass(v, Enum) and not hasattr(v, e.name):
            return self.fail(e, f"{v.__name__} has no attribute '{e.name}'")
        if _syntax.sort(v) == "class" and v.__bases__ and plain(v.__bases__[0]):
            return self.fail(e, f"'{v.__name__}' object has no attribute or method '{e.name}'. TorchScript classes do not support "
                                "inheritance")
        if _syntax.sort(v) == "module":
            if not hasattr(v, e.name):
                return self.no_operator(e, e.name) if v is torch and e.name in UNKNOWN else \
                    self.fail(e, f"object has no attribute {e.name}")
            return Py(getattr(v, e.name))
        return "?"

    def instance_of(self, e, m, cls, x):
        # An attribute of a module that is an instance of the user's.
        try:
            k = kind(cls, self.infer)
            check_class(cls, self.infer)
        except Found as found:
            return self.fail(e, f"Module '{type(m).__name__}' has no attribute '{e.name}' (This attribute exists on the Python "
                                f"module, but we failed to convert Python type: '{cls.__name__}' to a TorchScript type. "
                                f"{found.args_[3]})")
        for name, t in k.fields.items():
            if name in vars(x) and not unsure(t) and not converts(of_value(vars(x)[name]), t):
                return self.fail(e, f"Could not cast attribute '{name}' to type {shown(t)}")
        return k.text

    # -- calls

    def e_call(self, e):
        if e.a.kind == "attr":
            o = self.eval(e.a.a)
            if not isinstance(o, Py):
                return self.method(e, self.typed(o))
            f = self.attribute(e.a, o.value)
        else:
            f = self.eval(e.a)
        if e.a.kind == "attr" and e.a.name == "annotate" and len(e.list) == 2:
            self.eval(e.list[1])
            text = _types._graph.annotation(e.list[0])
            self.contained(e, text)
            own = of_text(self.self_) if isinstance(self.self_, str) else None
            if own is not None and self.func.__name__ == "__init__" and _types.parts(text)[1] == [own.cls.__name__]:
                return self.fail(e, f"Unknown type name '{own.cls.__name__}'")
            return normal(_types._graph.annotation(e.list[0]), self.scope)
        plain = all([x.kind not in ("star", "dstar") for x in e.list])
        args = [self.argument(x) for x in e.list if x.kind not in ("kw", "star", "dstar")]
        kwargs = {x.name: self.argument(x.a) for x in e.list if x.kind == "kw"}
        if isinstance(f, Py):
            return self.called(e, f.value, args, kwargs) if plain else "?"
        if self.typed(f) in ("Tensor", "int", "float", "bool", "str"):
            return self.fail(e, f"cannot call a value of type '{shown(self.typed(f))}'")
        return "?"

    def argument(self, e):
        # An empty container becomes what is wanted.
        return "?" if e.kind in ("list", "dict") and not e.list else self.type(e)

    def call_field(self, e, k, name):
        f = self.field(e.a, k, name)
        args = [self.argument(x) for x in e.list if x.kind not in ("kw", "star", "dstar")]
        kwargs = {x.name: self.argument(x.a) for x in e.list if x.kind == "kw"}
        if isinstance(f, str) or any([x.kind in ("star", "dstar") for x in e.list]):
            return "?"
        static = isinstance(vars(k.cls).get(name), staticmethod)
        return self.user(e, f, None if static else k.text, args, kwargs)

    def method(self, e, t):
        name = e.a.name
        k = of_text(t)
        if k is not None:
            return self.call_field(e, k, name)
        args = [self.type(x.a if x.kind in ("kw", "star", "dstar") else x) for x in e.list]
        r = self.method_rule(e, t, args)
        if r is not None:
            return r
        r = attribute_of(t, name, args)
        if r is None:
            return self.fail(e.a, f"'{self.told(t, e.a.a)}' object has no attribute or method '{name}'.")
        if t.startswith("List[") and name in ("append", "insert", "remove", "count", "index") and args and \
                not unsure(t) and not fits(args[-1], inner_of(t)[0]) and not (args[-1].startswith("List") and e.list[-1].kind == "list"):
            want, got = shown(inner_of(t)[0]), shown(args[-1])
            return self.fail(e, f"aten::{name}.t(t[](a!) self, t(c -> *) el) -> t[](a!):\nCould not match type {got} to t in "
                                f"argument 'el': Type variable 't' previously matched to type {want} is matched to type "
                                f"{got}.\n")
        return r

    def called(self, e, f, args, kwargs):
        from torch.jit._script import ScriptFunction
        r = self.rule(e, f, args, kwargs)
        if r is not None:
            return r
        if isinstance(f, ScriptFunction):
            if not hasattr(f, "_method"):
                return "?"
            f = f._method.func
        if isinstance(f, torch.jit.ScriptModule) and not (isinstance(self.self_, nn.Module) and
                                                          any([m is f for m in self.self_.modules()])):
            return self.fail(e, "Cannot call a ScriptModule that is not a submodule of the caller")
        if isinstance(f, nn.Module):
            d = getattr(type(f), "forward", None)
            d = getattr(d, "__stage_as__", d)
            return self.user(e, d, f, args, kwargs) if _syntax.sort(d) == "function" else "?"
        sort = _syntax.sort(f)
        if sort == "class" and plain(f):
            return self.made(e, f, args, kwargs)
        if sort == "class" and issubclass(f, tuple) and hasattr(f, "_fields"):
            return self.named_tuple(e, f, args, kwargs)
        if sort == "method":
            func = getattr(f.__func__, "__stage_as__", f.__func__)
            return self.user(e, func, f.__self__, args, kwargs) if _syntax.sort(func) == "function" else "?"
        if sort == "function" and not _syntax.info(f)["hidden"]:
            return self.user(e, f, None, args, kwargs)
        if f is print and kwargs:
            return self.fail(e, "print doesn't accept any keyword arguments")
        if math_unsupported(f):
            return self.fail(e, f"Python builtin <built-in function {f.__name__}> is currently not supported in Torchscript")
        if f is id and args and args[0] in KNOWN[:4]:
            return self.fail(e, "Expected a value of type 'AnyClassType' for argument '_0' but instead found type "
                                f"'{shown(args[0])}'.")
        t = function_of(f, args, kwargs)
        if t == "self":
            return self.fail(e, f"aten::{f.__name__}(Tensor self) -> Tensor:\nArgument self not provided.\n")
        return t if t is not None else self.no_variant(e, f.__name__, args)

    def named_tuple(self, e, cls, args, kwargs):
        # A NamedTuple: its fields are of the annotated types, tensors where they have none.
        types = getattr(cls, "__annotations__", {})
        for name, t in list(zip(cls._fields, args)) + list(kwargs.items()):
            want = types.get(name)
            want = "Tensor" if want is None else normal(want if isinstance(want, str) else getattr(want, "__name__", "?"), self.scope)
            if want in KNOWN[:6] and not converts(t, want):
                return self.fail(e, f"{cls.__name__}: Expected a value of type '{want}{'' if types.get(name) else ' (inferred)'}' "
                                    f"for argument '{name}' but instead found type '{shown(t)}'.\n")
        return "?"

    def ignored(self, e, func, self_, args, kwargs):
        # A call of what stays Python's: arguments of the types it says.
        tree = _stage.tree_of(func)[0]
        signature, returns = _types.signature(func, tree)
        if any([p.kind != "pos" for p in tree.params]):
            return normal(returns or "Tensor")
        own = 1 if isinstance(self_, nn.Module) and not isinstance(vars(type(self_)).get(func.__name__), staticmethod) else 0
        if own and not signature:
            return self.fail(e, "Non-static method does not have a self argument")
        if own + len(args) > len(signature):
            return self.fail(e, f"{func.__name__}: Expected at most {len(signature)} arguments but found {own + len(args)} positional "
                                "arguments.\n")
        for n, _, _ in signature[own + len(args):len(signature) - len(_syntax.defaults(func)[0])]:
            if n not in kwargs:
                return self.fail(e, f"{func.__name__}: Argument {n} not provided.\n")
        for (n, t, written), given in zip([p for p in signature if p[0] != tree.receiver], args):
            if not converts(given, normal(t, self.scope)) and not unsure(given):
                params = ", ".join([f"{_types.shown(t)} {n}" for n, t, _ in signature])
                return self.fail(e, f"{func.__name__}({params}) -> {_types.shown(returns or 'Tensor')} 0:\nExpected a value of type "
                                    f"'{shown(t)}' for argument '{n}' but instead found type '{shown(given)}'.\n")
        return normal(returns or "Tensor")

    def user(self, e, func, self_, args, kwargs):
        if hasattr(func, "__jit_ignore__"):
            return self.ignored(e, func, self_, args, kwargs)
        if _syntax.info(func)["hidden"]:
            return "?"
        tree = _stage.tree_of(func)[0]
        if any([p.kind in ("star", "dstar", "kw") for p in tree.params]):
            return "?"
        if self.results.get((id(func), self_ if isinstance(self_, str) else id(self_)), (0, 0, ""))[2] is None:
            return self.fail(e, f"function '{func.__name__}' is called recursively. Recursive calls are not supported")
        try:
            result = self.infer(func, self_)
        except Found as found:
            found.calls.append((func.__name__, self.func, self.info, e))
            raise
        signature, _ = _types.signature(func, tree)
        skip = 1 if self_ is not None else 0
        params = signature[skip:]
        say = f"{func.__name__}({', '.join([f'{_types.shown(t)} {n}' for n, t, _ in params])}) -> {_types.shown(result or 'Tensor')}:\n"
        if len(args) > len(params):
            return self.fail(e, f"{say}Expected at most {len(params)} arguments but found {len(args)} positional arguments.\n")
        first = len(params) - len(_syntax.defaults(func)[0])
        for i, (n, t, written) in enumerate(params):
            given = args[i] if i < len(args) else kwargs.get(n)
            if given is None:
                if i < first:
                    return self.fail(e, f"{say}Argument {n} not provided.\n")
                continue
            t = normal(t, self.scope)
            if not written and i >= first and _syntax.defaults(func)[0][i - first] is None:
                t = "Optional[Tensor]"
            if not converts(given, t) and not unsure(given) and t.startswith("Union["):
                return self.fail(e, f"{say}Expected a member of {_types.long(t)} but instead found type {shown(given)}.\n")
            if not converts(given, t) and not unsure(given):
                more = "" if written else f"Inferred '{n}' to be of type 'Tensor' because it was not annotated with an " \
                    "explicit type.\n"
                return self.fail(e, f"{say}Expected a value of type '{shown(t)}{'' if written else ' (inferred)'}' for argument "
                                    f"'{n}' but instead found type '{shown(given)}'.\n{more}")
        for k in kwargs:
            if k not in [n for n, _, _ in params]:
                return self.fail(e, f"{say}Unknown keyword argument '{k}'.\n")
        return result or "?"


def of_attribute(m, name):
    # The type of an attribute of a module: as it is annotated in the class, or else inferred from its value. None: it has
    # none ("?": not known here).
    for c in type(m).__mro__:
        text = vars(c).get("__annotations__", {}).get(name)
        if text is not None:
            return "?"
    d = vars(m)
    if type(d.get(name)).__name__ == "Attribute" or name in d.get("_typed", ()):
        return "?"
    if name in m._parameters or name in m._buffers:
        return "Tensor" if m._parameters.get(name, m._buffers.get(name)) is not None else "?"
    return of_python(d[name]) if name in d else None


def of_python(v):
    if isinstance(v, (list, dict)) and not v:
        return None             # of what?
    if isinstance(v, list):
        types = [of_python(x) for x in v]
        return None if None in types else f"List[{types[0]}]" if all([t == types[0] for t in types]) and not unsure(types[0]) else "?"
    if isinstance(v, tuple) and type(v) is tuple and v:
        types = [of_python(x) for x in v]
        return None if None in types else "?" if any([unsure(t) for t in types]) else f"Tuple[{', '.join(types)}]"
    return of_value(v)


def _constant(cls, name):
    return _annotated(cls, name) or any([name in vars(c).get("__constants__", ()) or
                                         isinstance(vars(c).get(name), property) for c in cls.__mro__])


def _annotated(cls, name):
    return any([name in getattr(c, "__annotations__", {}) for c in cls.__mro__])
