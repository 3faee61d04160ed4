# torch.jit._check -- what a scripted function may contain: found when it is scripted, with the
# place, and in the functions it calls too.
import warnings

import _syntax
import _stage


class FrontendError(Exception):
    pass


class NotSupportedError(FrontendError):
    pass


class UnsupportedNodeError(NotSupportedError):
    pass


_statements = {
    "try": "try blocks", "global": "global variables", "nonlocal": "Nonlocal", "class": "class definitions",
    "import": "import statements", "from": "import statements", "def": "function definitions",
}
_expressions = {
    "yield": "Yield", "yieldfrom": "YieldFrom", "set": "Set", "setcomp": "SetComp",
    "lambda": "Lambda", "walrus": "NamedExpr",
}


def check(func, seen=None, owner=None):
    # owner: the class that func is a method of, which has no name yet while it is scripted.
    seen = {} if seen is None else seen
    if id(func) in seen or hasattr(func, "__jit_ignore__"):
        return
    seen[id(func)] = func
    tree, info = _stage.tree_of(func)
    if info["hidden"]:
        return
    for p in tree.params:
        if p.kind in ("star", "dstar") or p.kind == "kw" and p.value is not None:
            refuse(NotSupportedError, func, info, tree.body[0], "Compiled functions can't take variable number of arguments or use "
                   "keyword-only arguments with defaults")
    _Check(func, tree, info, seen, owner).block(tree.body)


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


def shown_at(func, info, node):
    lines = _syntax.source(func).split("\n")
    at = node.line - first_line(func, lines)
    here = ""
    for i in range(max(at - 3, 0), min(at + 4, len(lines))):
        here += lines[i] + "\n"
        if i == at:
            here += " " * (node.col - 1) + "~" * max(node.len, 1) + " <--- HERE\n"
    return f"  File \"{info['file']}\", line {node.line}\n{here}"


def refuse(cls, func, info, node, text):
    _syntax.raise_at(cls, f"{text}:\n{shown_at(func, info, node)}", info["file"], node.line, node.col, node.len)


class _Check:
    def __init__(self, func, tree, info, seen, owner):
        self.owner = owner
        self.func = func
        self.tree = tree
        self.info = info
        self.seen = seen

    def refuse(self, cls, node, text):
        refuse(cls, self.func, self.info, node, text)

    def block(self, stmts):
        for s in stmts:
            self.statement(s)

    def statement(self, s):
        if s.kind in _statements:
            self.refuse(UnsupportedNodeError, s, f"{_statements[s.kind]} aren't supported")
        if s.kind in ("while", "for") and s.more:
            self.refuse(NotSupportedError, s, f"else branches of {s.kind} loops aren't supported")
        self.parts(s)

    def parts(self, n):
        for x in [n.a, n.b, n.c] + n.list + n.more:
            if x is not None:
                self.node(x, n.kind == "call")

    def node(self, x, argument=False):
        k = x.kind
        if k == "genexp" and not argument:    # PyTorch makes a list of it
            self.refuse(UnsupportedNodeError, x, "GeneratorExp that is not the argument of a call: a list comprehension does; GeneratorExp aren't supported")
        if k in _expressions:
            self.refuse(UnsupportedNodeError, x, f"{_expressions[k]} aren't supported")
        if k in ("listcomp", "genexp", "dictcomp") and len(x.list) > 1:
            self.refuse(NotSupportedError, x, "Only a single generator is currently supported")
        if k == "clause" and x.list:
            self.refuse(NotSupportedError, x, "Comprehension ifs are not supported yet")
        if k in ("if", "while", "for", "assign", "aug", "ann", "expr", "return", "raise", "assert", "with", "pass",
                 "break", "continue", "del", "try", "global", "nonlocal", "class", "import", "from", "def"):
            self.statement(x)
            return
        if k == "fmt" and (x.op or x.b is not None):
            self.refuse(NotSupportedError, x, f"Don't support {'conversion' if x.op else 'formatting'} in JoinedStr")
        if k == "call" and any([a.kind == "dstar" for a in x.list]):
            self.refuse(NotSupportedError, x, "keyword-arg expansion is not supported")
        if k == "dict" and any([key is None for key in x.list]):
            self.refuse(NotSupportedError, x, "Dict expansion ({**dict}) is not supported")
        if k == "call" and x.a.kind == "name":
            self.callee(x.a)
        self.parts(x)

    def callee(self, name):
        if name.name in self.tree.locals or (self.owner and self.owner.__name__ == name.name):
            return
        try:
            f = _syntax.free(self.func, name.name)
        except NameError:
            g = self.info["globals"]
            if name.name in g:
                f = g[name.name]
            else:
                try:
                    f = _syntax.builtin(name.name)
                except NameError:
                    refuse(RuntimeError, self.func, self.info, name, f"\nundefined value {name.name}")
        if _syntax.sort(f) == "function":
            check(f, self.seen)


_empty = {"List": "list", "list": "list", "Dict": "dict", "dict": "dict", "Optional": "none"}


def empty_attributes(cls):
    # Attributes that __init__ annotates where they are empty have no type in a script: a warning.
    init = vars(cls).get("__init__")
    if _syntax.sort(init) != "function" or _syntax.info(init)["hidden"]:
        return
    known = [n for c in cls.__mro__ for n in vars(c).get("__annotations__", {})]
    for s in _stage.tree_of(init)[0].body:
        target = s.a if s.kind == "ann" else s.list[0] if s.kind == "assign" else None
        if target is None or target.kind != "attr" or target.name in known:
            continue
        if s.kind == "ann":
            t, value = s.b, s.c
        elif s.a.kind == "call" and s.a.a.kind == "attr" and s.a.a.name == "annotate" and len(s.a.list) == 2:
            t, value = s.a.list
        else:
            continue
        if t.kind == "index" and t.a.kind == "name" and value is not None and value.kind == _empty.get(t.a.name) and \
                not value.list:
            warnings.warn("The TorchScript type system doesn't support instance-level annotations on empty non-base types in "
                          "`__init__`. Instead, either 1) use a type annotation in the class body, or 2) wrap the type in "
                          "`torch.jit.Attribute`.", stacklevel=3)
