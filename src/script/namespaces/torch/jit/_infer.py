# torch.jit._infer -- TorchScript's types: of every expression of a function, when it is scripted.
#
# A type is its text (_types.py); "?" is one that is not known here (of what a library function gives, an attribute,
# a class), which fits everywhere. So what is refused is refused by TorchScript too; the texts are like its own. A
# branch whose condition TorchScript may decide while it compiles (a constant of a module, isinstance of something
# unknown) is looked at without a word.
import _stage
import _syntax
import _torch as _w
import torch
from torch import nn
from torch.jit import _check, _types
from torch.jit._operators import ARITHMETIC, attribute_of, binary, compared, function_of, negated

_KNOWN = ("int", "float", "bool", "str", "complex", "Tensor", "None", "number", "Any", "device", "?")


class Py:
    # A value of Python's: a module, a function, a class, a number of the surroundings.
    def __init__(self, value):
        self.value = value


class Late:
    # A variable whose types differ on the ways to here: an error, once it is used.
    def __init__(self, text, node):
        self.text = text
        self.node = node


def normal(text):
    # A type that was written, with "?" for what is not known here.
    name, inner = _types.parts(text.strip("'\""))
    if name in ("List", "Optional", "Dict", "Tuple", "Union") and inner and "..." not in inner and inner != ["()"]:
        inner = [normal(t) for t in inner]
        if name == "Union":
            return union(inner)
        if name == "Optional":
            return optional(inner[0])
        return f"{name}[{', '.join(inner)}]"
    return name if name in _KNOWN and not inner else "?"


def union(types):
    if "?" in types:
        return "?"
    rest = [t for t in types if t != "None"]
    if len(rest) == 1:
        return optional(rest[0]) if len(types) > 1 else rest[0]
    return f"Union[{', '.join(types)}]"


def optional(t):
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
    return "NoneType" if t == "None" else t


_plain = {bool: "bool", int: "int", float: "float", str: "str", complex: "complex", type(None): "None"}


def of_value(v):
    # The type of a value of Python's that a script may use.
    if type(v) in _plain:
        return _plain[type(v)]
    if isinstance(v, _w.Tensor):
        return "Tensor"
    return "?"


_literals = {"int": "int", "float": "float", "str": "str", "none": "None", "true": "bool", "false": "bool"}
_augmented = {"//": "FloorDiv", "@": "MatMult"}


class Found(Exception):
    # A mistake in a script, and where.
    def __init__(self, func, info, node, text):
        self.args_ = (func, info, node, text)


class _Stop(Exception):
    # The rest of a block is never reached.
    pass


class Infer:
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

    # -- errors

    def fail(self, node, text):
        if not self.quiet:
            raise Found(self.func, self.info, node, text)
        return "?"

    # -- a function

    def run(self):
        env = {}
        defaults, _ = _syntax.defaults(self.func)
        params = self.tree.params
        first = len(params) - len(defaults)
        for i, (p, (name, t, written)) in enumerate(zip(params, self.signature)):
            if i == 0 and name == "self":
                env[name] = Py(self.self_) if self.self_ is not None else "?"
                continue
            t = normal(t)
            if i >= first and p.kind == "pos":
                t = self.default(p, t, written, defaults[i - first])
            env[name] = t
        self.frames = [env]
        try:
            self.block(self.tree.body)
            self.returned(None, None)
        except _Stop:
            pass
        return normal(self.returns) if self.returns is not None else self.result or "None"

    def default(self, p, t, written, value):
        if value is None and not written:
            return "Optional[Tensor]"
        given = of_value(value)
        if isinstance(value, (list, dict, set)):
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
            if self.returns is None and self.result is not None:
                self.result = unify(self.result, "None") or "?"
            return
        want = None if self.returns is None else normal(self.returns)
        if want is not None:
            if want != "?" and not converts(t, want):
                if t.startswith("List[") and want.startswith("List[") and node.a.kind in ("list", "listcomp"):
                    if not converts(inner_of(t)[0], inner_of(want)[0]):
                        self.fail(node, f"List type annotation `{want}` did not match the types of the given list "
                                        f"elements, which were unified to {shown(inner_of(t)[0])}")
                elif not (node.a is not None and node.a.kind in ("list", "dict") and not node.a.list):
                    self.fail(node, f"Return value was annotated as having type {shown(want)} but is actually of type "
                                    f"{shown(t)}")
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
        if k == "name":
            self.set(target, target.name, value)
        elif k in ("tuple", "list"):
            self.unpack(target, self.typed(value), node)
        elif k == "star":
            self.assign(target.a, "?", node)
        elif k == "index":
            o, key = self.type(target.a), self.type(target.b)
            if o.startswith("Dict[") and (not fits(key, inner_of(o)[0]) or not converts(self.typed(value), inner_of(o)[1])) or \
                    o.startswith("List[") and target.b.kind != "slice" and not converts(self.typed(value), inner_of(o)[0]):
                self.no_variant(target, "_set_item", [o, key, self.typed(value)])
        elif k == "attr":
            o = self.typed(self.eval(target.a))
            if o in _KNOWN[:7]:
                self.fail(target, f"Tried to set an attribute: {target.name} on a non-class: {shown(o)}")

    def unpack(self, target, t, node):
        n = len(target.list)
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
        elif t in ("int", "float", "bool", "None"):
            self.fail(node, f"{shown(t)} cannot be used as a tuple")
            parts = ["?"] * n
        else:
            parts = ["Tensor"] * n if t == "Tensor" else ["?"] * n
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
        v = self.eval(s.a)
        for t in s.list:
            self.assign(t, v, s)

    def s_ann(self, s):
        want = normal(_types._graph.annotation(s.b))
        if s.c is None:
            return
        t = self.type(s.c)
        literal = s.c.kind in ("list", "dict", "listcomp", "dictcomp", "tuple")
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

    def s_aug(self, s):
        a, b = self.type(s.a), self.type(s.b)
        if s.op in ("//", "@") and not self.quiet:
            _syntax.raise_at(_check.NotSupportedError, f"unsupported kind of augmented assignment: {_augmented[s.op]}",
                             self.info["file"], s.line, s.col, s.len)
        if a.startswith("List[") and s.op == "+":
            return
        t = self.operate(s, s.op, a, b)
        if s.a.kind == "name":
            self.set(s, s.a.name, t)

    def s_del(self, s):
        for t in s.list:
            if t.kind == "name":
                for f in self.frames:
                    f.pop(t.name, None)

    def s_return(self, s):
        self.returned(s, "None" if s.a is None else self.type(s.a))
        raise _Stop()

    def s_raise(self, s):
        if s.a is not None:
            self.eval(s.a)
        raise _Stop()

    def s_break(self, s):
        raise _Stop(s.kind)

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
        except _Stop:
            self.frames.pop()
            return None
        return self.frames.pop()

    def join(self, s, arms, yes, no, sure):
        if arms[0] is None and arms[1] is None:
            raise _Stop()
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
        item = self.items(s.b)
        if isinstance(item, list):      # unrolled
            for t in item:
                self.assign(s.a, t, s)
                try:
                    self.block(s.list)
                except _Stop:
                    pass
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
            if e.a.name == "range":
                for x in e.list:
                    t = self.type(x)
                    if not converts(t, "int"):
                        self.no_variant(e, "range", [t])
                return "int"
            if e.a.name in ("enumerate", "zip") and e.list:
                parts = [self.items(x) for x in (e.list[:1] if e.a.name == "enumerate" else e.list)]
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
            return (hasattr(o.value, e.list[1].value) if isinstance(o, Py) else None), {}, {}, isinstance(o, Py)
        if k == "call" and e.a.kind == "name" and e.a.name == "isinstance" or k == "call" and e.a.kind == "attr" and \
                e.a.name in ("isinstance", "is_scripting", "is_tracing"):
            return self.instance(e)
        v = self.eval(e)
        if isinstance(v, Py):
            return (bool(v.value), {}, {}, True) if isinstance(v.value, (bool, int, float)) else (None, {}, {}, False)
        t = self.typed(v)
        if t == "None" or t.startswith("Optional[") and t != "Optional[?]":
            self.fail(e, f"Could not cast value of type {shown(t)} to bool")
        return None, {}, {}, not unsure(t) and not self.constant(e)

    def constant(self, e):
        # Does it stand on an attribute, which may be a constant?
        if e is None:
            return False
        return e.kind == "attr" and e.a.kind == "name" and e.a.name == "self" or \
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
        v = self.eval(e.list[0])
        name = e.list[0].name if e.list[0].kind == "name" else None
        t = self.typed(v) if not isinstance(v, Py) else "?"
        want = normal(_types._graph.annotation(e.list[1])) if e.list[1].kind != "tuple" else "?"
        if t in _KNOWN[:6] and want in _KNOWN[:6]:
            return t == want, {}, {}, True
        both = {name: "?"} if name else {}
        return None, both, dict(both), False

    # -- expressions

    def typed(self, v):
        if isinstance(v, Py):
            return of_value(v.value)
        return v if isinstance(v, str) else "?"

    def type(self, e):
        return self.typed(self.eval(e))

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

    def e_un(self, e):
        t = self.type(e.a)
        if e.op == "not":
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
            r = compared(op, a, b)
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
            return self.fail(e, f"if-expression's true branch has type {shown(types[0])} but false branch has type "
                                f"{shown(types[1])}")
        return t

    def e_bin(self, e):
        return self.operate(e, e.op, self.type(e.a), self.type(e.b))

    def operate(self, e, op, a, b):
        t = binary(op, a, b)
        return t if t is not None else self.no_variant(e, ARITHMETIC[op], [a, b])

    def no_variant(self, e, name, types):
        return self.fail(e, "Arguments for call are not valid.\nThe following variants are available:\n  \n  "
                            f"aten::{name}\n\nThe original call is:\n  {name}({', '.join([shown(t) for t in types])})")

    def e_index(self, e):
        o = self.eval(e.a)
        if isinstance(o, Py):
            self.eval(e.b)
            return "?"
        t, key = self.typed(o), self.type(e.b) if e.b.kind != "slice" else "slice"
        if t == "Tensor" and key in ("float", "str"):
            return self.fail(e, f"Unsupported operation: indexing tensor with unsupported index type '{key}'. Only ints, "
                                "slices, lists and tensors are supported")
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

    def of_tuple(self, e, parts, key):
        i = e.b.value if e.b.kind == "int" else -e.b.a.value if e.b.kind == "un" and e.b.a.kind == "int" else None
        if i is None:
            return self.fail(e, "tuple index must be an integer") if key in ("Tensor", "float", "str") else "?"
        if not -len(parts) <= i < len(parts):
            return self.fail(e, f"Tuple index out of range. Tuple is length {len(parts)} and index is {i}")
        return parts[i]

    def e_attr(self, e):
        o = self.eval(e.a)
        if isinstance(o, Py):
            return self.attribute(e, o.value)
        t = self.typed(o)
        r = attribute_of(t, e.name)
        if r is None:
            return self.fail(e, f"'{shown(t)}' object has no attribute or method '{e.name}'.")
        return r

    def attribute(self, e, v):
        if isinstance(v, nn.Module):
            if not hasattr(v, e.name):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' ")
            x = getattr(v, e.name)
            if isinstance(x, (int, float, str, list, dict)) and e.name not in vars(v) and not _constant(type(v), e.name):
                return self.fail(e, f"Module '{type(v).__name__}' has no attribute '{e.name}' (This attribute exists on the "
                                    "Python module, but it is not an attribute of an instance)")
            if _syntax.sort(x) in ("method", "function") or isinstance(x, nn.Module):
                return Py(x)
            return of_value(x) if isinstance(x, (_w.Tensor, int, float, str)) and not _annotated(type(v), e.name) else "?"
        if _syntax.sort(v) == "module":
            if not hasattr(v, e.name):
                return self.fail(e, f"module has no attribute '{e.name}'")
            return Py(getattr(v, e.name))
        return "?"

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
            return normal(_types._graph.annotation(e.list[0]))
        plain = all([x.kind not in ("star", "dstar") for x in e.list])
        args = [self.argument(x) for x in e.list if x.kind not in ("kw", "star", "dstar")]
        kwargs = {x.name: self.argument(x.a) for x in e.list if x.kind == "kw"}
        if isinstance(f, Py):
            return self.called(e, f.value, args, kwargs) if plain else "?"
        if self.typed(f) in ("Tensor", "int", "float", "bool", "str"):
            return self.fail(e, f"'{self.typed(f)}' object cannot be used as a function")
        return "?"

    def argument(self, e):
        # An empty container becomes what is wanted.
        return "?" if e.kind in ("list", "dict") and not e.list else self.type(e)

    def method(self, e, t):
        name = e.a.name
        args = [self.type(x.a if x.kind in ("kw", "star", "dstar") else x) for x in e.list]
        r = attribute_of(t, name, args)
        if r is None:
            return self.fail(e.a, f"'{shown(t)}' object has no attribute or method '{name}'.")
        if t.startswith("List[") and name in ("append", "insert", "remove", "count", "index") and args and \
                not unsure(t) and not fits(args[-1], inner_of(t)[0]) and not (args[-1].startswith("List") and e.list[-1].kind == "list"):
            want, got = shown(inner_of(t)[0]), shown(args[-1])
            return self.fail(e, f"aten::{name}.t(t[](a!) self, t(c -> *) el) -> t[](a!):\nCould not match type {got} to t in "
                                f"argument 'el': Type variable 't' previously matched to type {want} is matched to type "
                                f"{got}.\n")
        return r

    def called(self, e, f, args, kwargs):
        from torch.jit._script import ScriptFunction
        if isinstance(f, ScriptFunction):
            if not hasattr(f, "_method"):
                return "?"
            f = f._method.func
        if isinstance(f, nn.Module):
            d = getattr(type(f), "forward", None)
            d = getattr(d, "__stage_as__", d)
            return self.user(e, d, f, args, kwargs) if _syntax.sort(d) == "function" else "?"
        sort = _syntax.sort(f)
        if sort == "method":
            func = getattr(f.__func__, "__stage_as__", f.__func__)
            return self.user(e, func, f.__self__, args, kwargs) if _syntax.sort(func) == "function" else "?"
        if sort == "function" and not _syntax.info(f)["hidden"]:
            return self.user(e, f, None, args, kwargs)
        t = function_of(f, args, kwargs)
        return t if t is not None else self.no_variant(e, f.__name__, args)

    def user(self, e, func, self_, args, kwargs):
        if _syntax.info(func)["hidden"] or hasattr(func, "__jit_ignore__"):
            return "?"
        tree = _stage.tree_of(func)[0]
        if any([p.kind in ("star", "dstar", "kw") for p in tree.params]):
            return "?"
        if Infer.results.get((id(func), id(self_)), (0, 0, ""))[2] is None:
            return self.fail(e, f"function '{func.__name__}' is called recursively. Recursive calls are not supported")
        result = infer(func, self_)
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
            t = normal(t)
            if not written and i >= first and _syntax.defaults(func)[0][i - first] is None:
                t = "Optional[Tensor]"
            if not converts(given, t) and not unsure(given):
                more = "" if written else f"Inferred '{n}' to be of type 'Tensor' because it was not annotated with an " \
                    "explicit type.\n"
                return self.fail(e, f"{say}Expected a value of type '{shown(t)}{'' if written else ' (inferred)'}' for argument "
                                    f"'{n}' but instead found type '{shown(given)}'.\n{more}")
        for k in kwargs:
            if k not in [n for n, _, _ in params]:
                return self.fail(e, f"{say}Unknown keyword argument '{k}'.\n")
        return result or "?"


def _constant(cls, name):
    return _annotated(cls, name) or any([name in vars(c).get("__constants__", ()) or
                                         isinstance(vars(c).get(name), property) for c in cls.__mro__])


def _annotated(cls, name):
    return any([name in getattr(c, "__annotations__", {}) for c in cls.__mro__])


def infer(func, self_=None):
    # The type of what a function gives; None while it is being looked at.
    key = (id(func), id(self_))
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
        raise_at(*e.args_)
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


def first_line(func, lines):
    # The line of `def`: the first statement stands in the first line behind the signature that says something.
    k, depth = 0, 0
    while k < len(lines):
        text = lines[k].split("#")[0]
        depth += sum([(c in "([{") - (c in ")]}") for c in text])
        k += 1
        if depth == 0 and text.rstrip().endswith(":"):
            break
    while k < len(lines) and (not lines[k].strip() or lines[k].strip().startswith("#")):
        k += 1
    return _stage.tree_of(func)[0].body[0].line - k


def raise_at(func, info, node, text):
    lines = _syntax.source(func).split("\n")
    at = node.line - first_line(func, lines)
    here = ""
    for i in range(max(at - 3, 0), min(at + 4, len(lines))):
        here += lines[i] + "\n"
        if i == at:
            here += " " * (node.col - 1) + "~" * max(node.len, 1) + " <--- HERE\n"
    _syntax.raise_at(RuntimeError, f"\n{text}:\n  File \"{info['file']}\", line {node.line}\n{here}", info["file"], node.line,
                     node.col, node.len)
