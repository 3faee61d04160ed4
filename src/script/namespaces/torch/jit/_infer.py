# torch.jit._infer -- TorchScript's types: of every expression of a function, when it is scripted (_values.py), and of its
# variables, through all statements. The texts of what is refused are like TorchScript's own. A branch whose condition
# TorchScript may decide while it compiles (a constant of a module, isinstance of something unknown) is looked at without
# a word.
import _stage
import _syntax
import torch
from torch import nn
from torch.jit import _check, _types
from torch.jit._kinds import KNOWN, Found, Late, Py, Stop, converts, fits, inner_of, normal, of_value, optional, shown, unify, unsure
from torch.jit._classes import MAGIC, check_class, of_text
from torch.jit._rules import EXCEPTION, Refusal, is_empty, leaves_loop
from torch.jit._values import Values, of_attribute

_augmented = {"//": "FloorDiv", "@": "MatMult"}


class Head:
    # The line of `def` as a place.
    def __init__(self, func):
        lines = _syntax.source(func).split("\n")
        self.line = _check.first_line(func, lines)
        k = 0
        while lines[k].strip().startswith("@"):
            k += 1
        self.line += k
        self.col = len(lines[k]) - len(lines[k].lstrip()) + 1
        self.len = len(lines[k].strip().rstrip(":"))


class Infer(Values):
    # One function. self_: the module that its first argument is, or None.
    results = {}            # (id of a function, id of a module): (both, the type of its result or None while it is looked at)

    def __init__(self, func, self_=None):
        self.func = func
        self.tree, self.info = _stage.tree_of(func)
        self.signature, self.returns = _types.signature(func, self.tree)
        self.self_ = self_
        self.quiet = 0
        self.result = None              # of returns so far
        self.frames = []                # variables, those of an inner block last: {name: type, Py or Late}
        self.refined = []
        self.unrolling = 0
        self.picking = None

    @staticmethod
    def fits_field(t, want):
        return converts(t, want)

    @staticmethod
    def shown(t):
        return shown(t)

    @staticmethod
    def infer(func, self_):
        return infer(func, self_)

    # -- errors

    def fail(self, node, text):
        if not self.quiet:
            raise Found(self.func, self.info, node, text)
        return "?"

    # -- a function

    def shown_at(self, node):
        return _check.shown_at(self.func, self.info, node)

    @staticmethod
    def shown_at_of(found):
        return _check.shown_at(*found.args_[:3])

    def contained(self, node, text):
        # Containers in a type that was written say what they contain.
        self.dict_keys(text)
        name, inner = _types.parts(text.strip("'\""))
        if name in _types.ALONE and text.find("[") < 0 and text[:1].isupper() and not self.quiet:
            raise Refusal(RuntimeError(f"Attempted to use {name} without {_types.ALONE[name]}"))
        for t in inner:
            if t not in ("()", "..."):
                self.contained(node, t)

    def run(self):
        comment = _types.comment_of(self.func)
        self.prefixes()
        own = [p for p in self.tree.params if p.name != self.tree.receiver]
        if comment is not None and len(comment[0]) != len(own):
            self.fail(Head(self.func), f"Number of type annotations ({len(comment[0])}) did not match the number of function "
                                         f"parameters ({len(own)})")
        for p, (name, t, written) in zip(self.tree.params, self.signature):
            if written:
                self.contained(self.tree.body[0], t)
                if t != "Any":
                    self.known_types(self.tree.body[0], t if comment is not None or p.ann is None else p.ann)
        if self.returns is not None:
            self.contained(self.tree.body[0], self.returns)
        env = {}
        defaults, _ = _syntax.defaults(self.func)
        params = self.tree.params
        first = len(params) - len(defaults)
        for i, (p, (name, t, written)) in enumerate(zip(params, self.signature)):
            if i == 0 and name == self.tree.receiver:
                env[name] = self.self_ if isinstance(self.self_, str) else Py(self.self_) if self.self_ is not None else "?"
                continue
            t = normal(t, self.scope)
            if i >= first and p.kind == "pos":
                t = self.default(p, t, written, defaults[i - first])
            env[name] = t
        self.frames = [env]
        try:
            self.block(self.tree.body)
            self.returned(None, None)
        except Stop:
            pass
        return normal(self.returns, self.scope) if self.returns is not None else self.result or "None"

    def default(self, p, t, written, value):
        if value is None and not written:
            return "Optional[Tensor]"
        given = of_value(value)
        if self.is_mutable(value):
            self.fail(self.tree.body[0], "Mutable default parameters are not supported because Python binds them to the "
                      "function and they persist across function calls.\n As a workaround, make the default None and "
                      f"instantiate the default parameter within the body of the function. Found {type(value)} on parameter "
                      f"{p.name}")
        if not fits(given, t) and not (given == "int" and t in ("float", "number")) and given != "?":
            more = "" if written else f'Because "{p.name}" was not annotated with an explicit type it is assumed to be ' \
                "type 'Tensor'."
            self.fail(self.tree.body[0], f'Expected a default value of type {shown(t)}{"" if written else " (inferred)"} '
                                         f'on parameter "{p.name}".{more}')
        return t

    def returned(self, node, t):
        # A return statement, or the end of the function.
        if node is None:
            want = None if self.returns is None else normal(self.returns, self.scope)
            if want not in (None, "None", "?", "Any") and not want.startswith(("Optional[", "Union[")):
                self.fail(self.tree.body[-1], "Function was not annotated as having type None, but does not return along all "
                                              "paths")
            if self.returns is None and self.result is not None:
                self.result = unify(self.result, "None") or "?"
            return
        want = None if self.returns is None else normal(self.returns, self.scope)
        if want is not None:
            if want == "bool" and t == "Tensor":
                self.fail(node, f"Return value was annotated as having type bool but is actually of type {self.told(t, node.a)}")
            if want != "?" and not converts(t, want):
                if t.startswith("List[") and want.startswith("List[") and node.a.kind in ("list", "listcomp"):
                    if not converts(inner_of(t)[0], inner_of(want)[0]):
                        self.fail(node, f"List type annotation `{want}` did not match the types of the given list "
                                        f"elements, which were unified to {shown(inner_of(t)[0])}")
                elif not (node.a is not None and is_empty(node.a)):
                    self.fail(node, f"Return value was annotated as having type {shown(want)} but is actually of type "
                                    f"{self.told(t, node.a)}")
        elif self.result is None:
            self.result = t
        else:
            both = unify(self.result, t)
            if both is None:
                self.fail(node, f"Previous return statement returned a value of type {shown(self.result)} but this "
                                f"return statement returns a value of type {shown(t)}")
            self.result = both or "?"

    # -- variables

    def find(self, name):
        for f in reversed(self.frames):
            if name in f:
                return f[name]
        return None

    def set(self, node, name, value):
        if isinstance(value, Late):
            value = "?"
        before = self.find(name)
        if isinstance(before, Py) and isinstance(before.value, nn.Module) and value is not before and not self.unrolling:
            self.fail(node, f"Cannot re-assign '{name}' because it has type value of type module and {name} is not a first-class "
                            "value.  Only reassignments to first-class values are allowed")
        if isinstance(value, Py) and isinstance(value.value, nn.Module) and isinstance(before, str) and before != "?":
            self.fail(node, f"Cannot re-assign '{name}' to a value of type module because {name} is not a first-class value.  "
                            "Only reassignments to first-class values are allowed")
        for f in self.frames[:-1]:
            before = f.get(name)
            if isinstance(before, str) and isinstance(value, str) and not converts(value, self.declared(name, before)):
                self.fail(node, f"Variable '{name}' previously had type {shown(before)} but is now being assigned to a "
                                f"value of type {shown(value)}\n")
                value = "?"
            if isinstance(before, str) and isinstance(value, str):
                value = self.declared(name, before) if not before.startswith(("Optional", "Union")) else value
        self.frames[-1][name] = value

    def declared(self, name, before):
        for names in self.refined:
            if name in names:
                return names[name]
        return before

    def assign(self, target, value, node):
        k = target.kind
        if value is EXCEPTION:
            self.fail(node, "exception message cannot be used as a value")
        if k == "name":
            self.set(target, target.name, value)
        elif k in ("tuple", "list"):
            if len(target.list) == 1 and target.list[0].kind == "star":
                self.fail(target, "A Starred expression may only appear on the lhs within the presence of another non-starred "
                                  "expression")
            if isinstance(value, Py) and _syntax.sort(value.value) == "function":
                self.fail(target, "python value of type 'function' cannot be used as a tuple")
            self.unpack(target, self.typed(value), node)
        elif k == "star":
            self.assign(target.a, "?", node)
        elif k == "index":
            o, key = self.type(target.a), self.type(target.b)
            if o.startswith("List[") and target.b.kind == "slice":
                self.fail(target, "Sliced expression not yet supported for subscripted assignment. File a bug if you want this")
            if o.startswith("Tuple["):
                self.fail(target, f"'{shown(o)}' object does not support subscripted assignment")
            if o.startswith("Dict[") and (not fits(key, inner_of(o)[0]) or not converts(self.typed(value), inner_of(o)[1])) or \
                    o.startswith("List[") and target.b.kind != "slice" and not converts(self.typed(value), inner_of(o)[0]):
                self.no_variant(target, "_set_item", [o, key, self.typed(value)])
        elif k == "attr":
            m = self.eval(target.a)
            if isinstance(m, Py) and isinstance(m.value, nn.Module):
                self.set_module(node, m.value, target.name, self.typed(value))
                return
            o = self.typed(m)
            k = of_text(o)
            if k is not None:
                self.set_field(target, k, target.name, self.typed(value), node)
            elif o in KNOWN[:7]:
                self.fail(target, f"Tried to set an attribute: {target.name} on a non-class: {self.told(o, target.a)}")

    def set_module(self, node, m, name, t):
        # An attribute of a module is set: one that it has, of its type.
        if isinstance(getattr(type(m), name, None), property):
            return
        want = of_attribute(m, name)
        if want == "?" or self.func.__name__.startswith("__"):
            return
        if isinstance(m._modules.get(name), nn.Module):
            self.fail(node, f"Cannot re-assign '{name}' because it has type value of type module and it is not a first-class "
                            "value.  Only reassignments to first-class values are allowed")
        elif name in getattr(type(m), "__constants__", ()):
            self.fail(node, f"Can't set attribute '{name}': it is a constant")
        elif want is None:
            self.fail(node, f"Tried to set nonexistent attribute: {name}. Did you forget to initialize it in __init__()?")
        elif not converts(t, want):
            self.fail(node, f"Wrong type for attribute assignment. Expected {shown(want)} but got {shown(t)}")

    def unpack(self, target, t, node):
        n = len(target.list)
        if t == "?tuple":
            self.fail(node, "Provided tuple is not fully defined/refined including its element types, please provide a value of "
                            "type like Tuple[int, int]")
        star = any([x.kind == "star" for x in target.list])
        if t.startswith("Tuple[") and not star:
            parts = inner_of(t)
            if len(parts) != n:
                few = "too many values" if len(parts) > n else "need %d values" % n
                self.fail(node, f"{few} to unpack: need {n} but found {len(parts)}" if len(parts) > n else
                          f"need {n} values to unpack but found only {len(parts)}")
                parts = ["?"] * n
        elif t.startswith("List["):
            parts = inner_of(t) * n
        elif t in ("int", "float", "bool", "None", "Tensor"):
            self.fail(node, f"{self.told(t, node.a)} cannot be used as a tuple")
            parts = ["?"] * n
        else:
            parts = ["?"] * n
        for i, x in enumerate(target.list):
            self.assign(x, "?" if star else parts[i], node)

    # -- statements

    def block(self, stmts):
        for s in stmts:
            f = getattr(self, "s_" + s.kind, None)
            if f is not None:
                f(s)

    def s_expr(self, s):
        self.eval(s.a)

    def s_assign(self, s):
        self.hinted(s.a, None)
        v = self.eval(s.a)
        for t in s.list:
            self.assign(t, v, s)

    def s_ann(self, s):
        self.contained(s, _types._graph.annotation(s.b))
        want = normal(_types._graph.annotation(s.b), self.scope)
        if s.a.kind == "attr" and s.a.a.kind == "name" and s.a.a.name == self.tree.receiver and self.func.__name__ != "__init__":
            raise Refusal(ValueError("Type annotations on instance attributes must be declared in __init__, not "
                                     f"'{self.func.__name__}': SourceRange at:\n{self.shown_at(s)}"))
        if s.c is None:
            return
        if s.a.kind == "name" and any([s.a.name in f for f in self.frames[:-1]]):
            self.fail(s, f"Attempting to declare and annotate the type of variable '{s.a.name}' but it is already defined in an "
                         "outer block")
        self.picking = s.c if s.c.kind == "index" else None      # a module of a list, by an interface
        t = self.type(s.c)
        self.picking = None
        literal = s.c.kind in ("list", "dict", "listcomp", "dictcomp", "tuple") or is_empty(s.c)
        need = {"list": "List", "listcomp": "List", "dict": "Dict", "dictcomp": "Dict"}.get(s.c.kind)
        if need is not None and (want in KNOWN[:7] or want.startswith(("List[", "Dict[", "Tuple["))) and not want.startswith(need):
            self.fail(s, f"Expected an annotation of type {need} but got {shown(want)}")
        if s.c.kind == "call":
            self.made_dict(s, t, want)
        if s.c.kind == "list" and want.startswith("List["):
            for x in s.c.list:
                if x.kind not in ("list", "dict", "star", "tuple") and not converts(self.type(x), inner_of(want)[0]):
                    self.fail(s, f"List type annotation `{want}` did not match the types of the given list elements, "
                                 f"which were unified to {shown(self.type(x))}")
        if s.c.kind == "dict" and want.startswith("Dict["):
            for x in s.c.more:
                if x.kind not in ("list", "dict", "tuple") and not converts(self.type(x), inner_of(want)[1]):
                    self.fail(s, f"Type annotation was inferred to be `{want}`, but the type of values given by the dict "
                                 f"literal is {shown(self.type(x))}")
        if not fits(t, want) and not literal:
            self.fail(s, f"Variable '{s.a.name}' is annotated with type {shown(want)} but is being assigned to a value of "
                         f"type {shown(t)}")
        if s.a.kind == "name":
            self.frames[-1][s.a.name] = want
        elif s.a.kind == "attr":
            self.assign(s.a, want, s)

    def s_aug(self, s):
        a, b = self.type(s.a), self.type(s.b)
        if s.op in ("//", "@") and not self.quiet:
            _check.refuse(_check.NotSupportedError, self.func, self.info, s, f"unsupported kind of augmented assignment: {_augmented[s.op]}")
        if a.startswith("List[") and s.op == "+":
            return
        if a.startswith("Tuple[") and s.a.kind == "name":
            self.fail(s, f"'{shown(a)}' does not support augmented assign")
        if s.a.kind == "index" and self.type(s.a.a).startswith("Tuple["):
            self.fail(s, f"{shown(self.type(s.a.a))} does not support augmented assignment.")
        k = of_text(a)
        if k is not None:
            word = MAGIC.get(s.op, "____")
            if k.function(f"__i{word[2:]}") is None and k.function(word) is None:
                self.fail(s, f"Cannot emit inplace op on {k.cls.__name__} since it does not define an __i{word[2:]} or {word} method")
            return
        t = self.operate(s, s.op, a, b)
        if s.a.kind == "name":
            self.set(s, s.a.name, t)

    def s_del(self, s):
        for t in s.list:
            if t.kind == "name":
                self.eval(t)
                self.frames[-1][t.name] = Late(f"undefined value {t.name}", None)
            elif t.kind == "index" and of_text(self.type(t.a)) is not None and of_text(self.type(t.a)).function("__delitem__") is None:
                self.fail(t, "Class does not define __delitem__")
            elif t.kind == "index" and t.b.kind == "slice":
                self.fail(t, "del statements only support deletion at a single index, slicing is not supported (see "
                             "https://github.com/pytorch/pytorch/issues/31430)")

    def s_return(self, s):
        self.hinted(s.a, self.returns)
        self.returned(s, "None" if s.a is None else self.value(s.a))
        raise Stop()

    def hinted(self, e, hint):
        if hint is None and e is not None and e.kind == "call" and e.a.kind == "attr" and e.a.name == "tolist" and \
                self.type(e.a.a) == "Tensor":
            self.fail(e, "Expected type hint for result of tolist()")

    def s_raise(self, s):
        if s.a is not None and self.eval(s.a) in KNOWN[:7]:
            self.fail(s, "exceptions must derive from BaseException")
        raise Stop()

    def s_break(self, s):
        raise Stop(s.kind)

    s_continue = s_break

    def s_assert(self, s):
        known, yes, no, sure = self.condition(s.a)
        self.frames[-1].update(yes)

    def s_with(self, s):
        for i in s.list:
            self.eval(i.a)
            if i.b is not None:
                self.assign(i.b, "?", i)
        self.block(s.more)

    def s_if(self, s):
        known, yes, no, sure = self.condition(s.a)
        if known is not None:
            self.frames[-1].update(yes if known else no)
            self.block(s.list if known else s.more)
            return
        self.quiet += not sure
        before = {n: v for names in (yes, no) for n, v in [(n, self.find(n)) for n in names]}
        self.refined.append({n: v for n, v in before.items() if isinstance(v, str)})
        arms = [self.arm(s.list, yes), self.arm(s.more, no)]
        self.refined.pop()
        self.quiet -= not sure
        self.join(s, arms, yes, no, sure)

    def arm(self, stmts, more):
        # The variables that a block sets, or None if it is left.
        self.frames.append(dict(more))
        try:
            self.block(stmts)
        except Stop:
            self.frames.pop()
            return None
        return self.frames.pop()

    def join(self, s, arms, yes, no, sure):
        if arms[0] is None and arms[1] is None:
            raise Stop()
        if arms[0] is None or arms[1] is None:
            self.frames[-1].update(arms[0] if arms[1] is None else arms[1])
            return
        for name in list(arms[0]) + [n for n in arms[1] if n not in arms[0]]:
            ways = [a.get(name) for a in arms]
            for i, names in enumerate((yes, no)):
                if ways[i] is None or name in names and ways[i] is names[name]:
                    ways[i] = self.find(name) if ways[i] is None else ways[i]
            self.frames[-1][name] = self.joined(s, name, ways, sure)

    def joined(self, s, name, ways, sure):
        if not sure:
            return "?"
        for i, w in enumerate(ways):
            if w is None:
                return Late(f"{name} is not defined in the {'false' if i else 'true'} branch", s)
        for w in ways:
            if isinstance(w, Late):
                return w
        if isinstance(ways[0], Py) or isinstance(ways[1], Py):
            return "?" if ways[0] is not ways[1] else ways[0]
        t = unify(*ways)
        return t if t is not None else Late(f"Type mismatch: {name} is set to type {shown(ways[0])} in the true branch and "
                                            f"type {shown(ways[1])} in the false branch", s)

    def s_while(self, s):
        known, yes, no, sure = self.condition(s.a)
        self.quiet += not sure
        self.turn(s.list, yes)
        self.quiet -= not sure

    def turn(self, stmts, names):
        # The body of a loop: what it sets anew is not there behind it.
        start = {n: v for n, v in names.items()}
        got = self.arm(stmts, start)
        for name in got or {}:
            if self.find(name) is None:
                self.frames[-1][name] = Late(f"undefined value {name}", None)

    def s_for(self, s):
        if s.b.kind == "tuple" and s.b.list and s.b.col == s.b.list[0].col and self.info["file"] == "<string>":
            self.fail(s.b, "List of iterables is not supported currently")
        item = self.items(s.b)
        if isinstance(item, list):      # unrolled
            left = leaves_loop(s.list)
            if left is not None:
                self.fail(left, "Because we emit iteration over modulelists or tuples as unrolled loops, we do not support break or "
                                "continue inside the body of these loops")
            self.unrolling += 1
            for t in item:
                self.assign(s.a, t, s)
                try:
                    self.block(s.list)
                except Stop:
                    pass
            self.unrolling -= 1
            return
        self.frames.append({})
        self.assign(s.a, item, s)
        names = self.frames.pop()
        for n, v in names.items():
            before = self.find(n)
            if isinstance(before, str) and isinstance(v, str) and not converts(v, before):
                self.fail(s, f"Variable '{n}' previously had type {shown(before)} but is now being assigned to a value of "
                             f"type {shown(v)}\n")
        self.turn(s.list, names)

    def items(self, e):
        # The type of what a for goes over, or a list of them: one for each turn.
        if e.kind == "call" and e.a.kind == "name" and self.find(e.a.name) is None and \
                all([x.kind not in ("kw", "star", "dstar") for x in e.list]):
            if not e.list and e.a.name in ("range", "enumerate", "zip"):
                self.fail(e, f"{e.a.name} expected at least 1 arguments, got 0")
            if e.a.name == "range" and len(e.list) > 3:
                self.fail(e, f"range expected at most 3 arguments, got {len(e.list)}")
            if e.a.name == "enumerate" and len(e.list) > 2:
                self.fail(e, f"enumerate expected at most 2 arguments, got {len(e.list)}")
            if e.a.name == "range":
                for i, x in enumerate(e.list):
                    t = self.type(x)
                    if not converts(t, "int"):
                        self.fail(e, f"all inputs of range must be ints, found {shown(t)} in argument {i}")
                return "int"
            if e.a.name in ("enumerate", "zip") and e.list:
                parts = [self.items(x) for x in (e.list[:1] if e.a.name == "enumerate" else e.list)]
                if any([self.is_static(x, p) for x, p in zip(e.list, parts)]) and any([self.is_open(x) for x in e.list]):
                    self.fail(e, "Can not iterate over a module list or tuple with a value that does not have a statically determinable "
                                 "length\n")
                if any([isinstance(p, list) or not isinstance(p, str) for p in parts]):
                    return "?"
                return f"Tuple[{', '.join((['int'] if e.a.name == 'enumerate' else []) + parts)}]"
        v = self.eval(e)
        if isinstance(v, Py):
            return "?"
        t = self.typed(v)
        if t.startswith("List["):
            return inner_of(t)[0]
        if t.startswith("Tuple["):
            return inner_of(t)
        if t.startswith("Dict["):
            return inner_of(t)[0]
        if t in ("Tensor", "str"):
            return t
        if t in ("int", "float", "bool", "None") or t.startswith("Optional["):
            return self.fail(e, f"'{shown(t)}' object is not iterable")
        return "?"

    def is_static(self, e, items):
        # Is the number of its items known: a tuple, or a container of modules?
        return isinstance(items, list) or e.kind == "attr" and isinstance(self.eval(e), Py) and \
            isinstance(self.eval(e).value, (nn.ModuleList, nn.Sequential, nn.ModuleDict))

    def is_open(self, e):
        return e.kind == "call" and e.a.kind == "name" and e.a.name == "range"

    # -- conditions: (known?, types where it holds, where not, is it sure that it is decided by values?)

    def condition(self, e):
        k = e.kind
        if k in ("true", "false"):
            return k == "true", {}, {}, True
        if k == "un" and e.op == "not":
            known, yes, no, sure = self.condition(e.a)
            return (None if known is None else not known), no, yes, sure
        if k in ("and", "or"):
            return self.connected(e)
        if k == "cmp" and e.ops in (["is"], ["is not"], ["=="], ["!="]) and e.list[0].kind == "none":
            known, yes, no, sure = self.none(e.a)
            if e.ops[0] in ("is not", "!="):
                return (None if known is None else not known), no, yes, sure
            return known, yes, no, sure
        if k == "call" and e.a.kind == "name" and e.a.name == "hasattr" and len(e.list) == 2 and e.list[1].kind == "str":
            o = self.eval(e.list[0])
            self.r_hasattr(e, hasattr)
            return (hasattr(o.value, e.list[1].value) if isinstance(o, Py) else None), {}, {}, isinstance(o, Py)
        if k == "call" and e.a.kind == "name" and e.a.name == "isinstance" or k == "call" and e.a.kind == "attr" and \
                e.a.name in ("isinstance", "is_scripting", "is_tracing"):
            return self.instance(e)
        v = self.eval(e)
        if isinstance(v, Py):
            return (bool(v.value), {}, {}, True) if isinstance(v.value, (bool, int, float)) else (None, {}, {}, False)
        t = self.typed(v)
        self.truth(e, t)
        return None, {}, {}, not unsure(t) and not self.constant(e)

    def constant(self, e):
        # Does it stand on an attribute, which may be a constant?
        if e is None:
            return False
        return e.kind == "attr" and e.a.kind == "name" and e.a.name == self.tree.receiver or \
            any([self.constant(x) for x in (e.a, e.b, e.c, *e.list)])

    def connected(self, e):
        conj = e.kind == "and"
        known, first, second, sure = conj, {}, {}, True
        self.frames.append({})
        for p in e.list:
            got, yes, no, s = self.condition(p)
            sure = sure and s
            taken = yes if conj else no
            self.frames[-1].update(taken)
            (first if conj else second).update(taken)
            if got is not None and got != conj:
                self.frames.pop()
                return got, {}, {}, sure
            if got is None:
                known = None
        self.frames.pop()
        return known, first, second, sure

    def none(self, e):
        v = self.eval(e)
        if isinstance(v, Py):
            return (None, {}, {}, False)
        t = self.typed(v)
        name = e.name if e.kind == "name" else None
        if t == "None":
            return True, {}, {}, True
        if unsure(t) and not t.startswith("Optional["):
            return None, ({name: "?"} if name else {}), ({name: "?"} if name else {}), False
        if t.startswith("Optional["):
            return None, ({name: "None"} if name else {}), ({name: inner_of(t)[0]} if name else {}), True
        if t == "Any" or t.startswith("Union["):
            return None, ({name: "?"} if name else {}), ({name: "?"} if name else {}), True
        return False, {}, {}, True

    def instance(self, e):
        if e.a.name in ("is_scripting", "is_tracing"):
            return e.a.name == "is_scripting", {}, {}, True
        if len(e.list) != 2:
            return None, {}, {}, False
        for x in e.list[1].list if e.list[1].kind == "tuple" else [e.list[1]]:
            if e.a.kind == "attr" or _types._graph.annotation(x) in ("List", "Dict", "Tuple", "Optional"):
                self.contained(e, _types._graph.annotation(x))
        v = self.eval(e.list[0])
        name = e.list[0].name if e.list[0].kind == "name" else None
        t = self.typed(v) if not isinstance(v, Py) else "?"
        want = normal(_types._graph.annotation(e.list[1])) if e.list[1].kind != "tuple" else "?"
        if t in KNOWN[:6] and want in KNOWN[:6]:
            return t == want, {}, {}, True
        both = {name: "?"} if name else {}
        if t == "Any" and name and e.list[1].kind == "name" and e.list[1].name == "tuple":
            return None, {name: "?tuple"}, both, True
        return None, both, dict(both), False


def infer(func, self_=None):
    # The type of what a function gives; None while it is being looked at.
    key = (id(func), self_ if isinstance(self_, str) else id(self_))
    if key not in Infer.results:
        Infer.results[key] = [func, self_, None]
        Infer.results[key][2] = Infer(func, self_).run()
    return Infer.results[key][2]


def check(functions):
    # [(function, the module it is a method of, or None)]: RuntimeError at the first mistake.
    try:
        for func, self_ in functions:
            if not _syntax.info(func)["hidden"] and not hasattr(func, "__jit_ignore__"):
                infer(func, self_)
    except Found as e:
        raise_at(*e.args_, e.calls)
    except Refusal as e:
        raise e.error
    finally:
        Infer.results.clear()


def check_type(cls):
    # A class: RuntimeError at the first mistake.
    try:
        check_class(cls, infer)
    except Found as e:
        raise_at(*e.args_, e.calls)
    except Refusal as e:
        raise e.error
    finally:
        Infer.results.clear()


def methods(m):
    # [(function, module)] of what is scripted of a tree of modules.
    out = []
    for c in m.modules():
        scripted = isinstance(c, torch.jit.ScriptModule)
        if scripted and c is not m:
            continue
        seen = {}
        for k in type(c).__mro__:
            for name, f in vars(k).items():
                if name not in seen and _syntax.sort(f) == "function":
                    seen[name] = f
        out += [(getattr(f, "__stage_as__", f), c) for name, f in seen.items()
                if (hasattr(f, "__method__") if scripted else name == "forward" or hasattr(f, "__jit_export__"))]
    return out


def raise_at(func, info, node, text, calls=()):
    text = f"\n{text}:\n{_check.shown_at(func, info, node)}"
    for name, caller, place, call in calls:
        text += f"'{name}' is being compiled since it was called from '{caller.__name__}'\n{_check.shown_at(caller, place, call)}"
    _syntax.raise_at(RuntimeError, text, info["file"], node.line, node.col, node.len)
