# torch.jit._graph -- a scripted function as text: its source, and a listing of what it does,
# one value a line, with blocks for branches and loops.
import _stage
import _syntax

_names = {
    "+": "aten::add", "-": "aten::sub", "*": "aten::mul", "/": "aten::div", "//": "aten::floordiv",
    "%": "aten::remainder", "**": "aten::pow", "@": "aten::matmul", "&": "aten::__and__", "|": "aten::__or__",
    "^": "aten::__xor__", "<<": "aten::__lshift__", ">>": "aten::__rshift__", "<": "aten::lt", "<=": "aten::le",
    "==": "aten::eq", "!=": "aten::ne", ">": "aten::gt", ">=": "aten::ge", "is": "aten::__is__",
    "is not": "aten::__isnot__", "in": "aten::__contains__", "not in": "aten::__not_contains__",
    "not": "aten::__not__", "~": "aten::bitwise_not",
}


def annotation(e):
    if e is None:
        return "Tensor"
    if e.kind == "name":
        return e.name
    if e.kind == "attr":
        return e.name
    if e.kind == "none":
        return "None"
    if e.kind == "str":
        return e.value
    if e.kind == "bin" and e.op == "|":
        return f"Union[{', '.join(_alternatives(e))}]"
    if e.kind == "index":
        inner = e.b.list if e.b.kind == "tuple" else [e.b]
        return annotation(e.a) + "[" + ", ".join([annotation(x) for x in inner]) + "]"
    return "?"


def _alternatives(e):
    return _alternatives(e.a) + _alternatives(e.b) if e.kind == "bin" and e.op == "|" else [annotation(e)]


class Graph:
    def __init__(self, func):
        tree, info = _stage.tree_of(func)
        self.lines = []
        self.n = 0
        self.file = info["file"]
        params = [f"%{p.name} : {annotation(p.ann) if p.name != tree.receiver else '__torch__.' + tree.name}"
                  for p in tree.params]
        self.lines.append("graph(" + (",\n      ".join(params)) + "):")
        self.block(tree.body, "  ")

    def __str__(self):
        return "\n".join(self.lines) + "\n"

    def __repr__(self):
        return str(self)

    def new(self):
        self.n += 1
        return f"%{self.n}"

    def emit(self, pad, op, args, at, typ="Tensor", name=None, attrs=""):
        v = name if name is not None else self.new()
        self.lines.append(f"{pad}{v} : {typ} = {op}{attrs}({', '.join(args)}) # {self.file}:{at.line}:{at.col - 1}")
        return v

    def block(self, stmts, pad):
        for s in stmts:
            self.statement(s, pad)

    def statement(self, s, pad):
        k = s.kind
        if k == "return":
            v = self.expr(s.a, pad) if s.a is not None else "%None"
            self.lines.append(f"{pad}return ({v})")
        elif k == "assign":
            v = self.expr(s.a, pad)
            for t in s.list:
                self.store(t, v, pad)
        elif k == "aug":
            v = self.emit(pad, _names[s.op] + "_", [self.expr(s.a, pad), self.expr(s.b, pad)], s)
            self.store(s.a, v, pad)
        elif k == "ann":
            if s.c is not None:
                self.store(s.a, self.expr(s.c, pad), pad)
        elif k == "if":
            c = self.expr(s.a, pad)
            self.lines.append(f"{pad} = prim::If({c}) # {self.file}:{s.line}:{s.col - 1}")
            self.lines.append(pad + "  block0():")
            self.block(s.list, pad + "    ")
            self.lines.append(pad + "  block1():")
            self.block(s.more, pad + "    ")
        elif k == "while" or k == "for":
            v = self.expr(s.a if k == "while" else s.b, pad)
            names = sorted(_stage.assigned([s], set()))
            self.lines.append(f"{pad} = prim::Loop({v}) # {self.file}:{s.line}:{s.col - 1}")
            self.lines.append(pad + "  block0(" + ", ".join(["%" + n for n in names]) + "):")
            self.block(s.list, pad + "    ")
        elif k == "expr":
            self.expr(s.a, pad)
        elif k == "assert" or k == "raise":
            v = self.expr(s.a, pad) if s.a is not None else ""
            self.lines.append(f"{pad} = prim::{'RaiseException' if k == 'raise' else 'Assert'}({v})")
        elif k == "with":
            self.block(s.more, pad)
        else:
            self.lines.append(f"{pad} = prim::{k}()")

    def store(self, t, v, pad):
        if t.kind == "name":
            self.lines.append(f"{pad}%{t.name} = {v}")
        elif t.kind in ("tuple", "list"):
            names = ", ".join([self.expr(x, pad) if x.kind != "name" else "%" + x.name for x in t.list])
            self.lines.append(f"{pad}{names} = prim::TupleUnpack({v})")
        elif t.kind == "attr":
            self.lines.append(f'{pad} = prim::SetAttr[name="{t.name}"]({self.expr(t.a, pad)}, {v})')
        else:
            self.lines.append(f"{pad} = aten::_set_item({self.expr(t.a, pad)}, {self.expr(t.b, pad)}, {v})")

    def expr(self, e, pad):
        if e is None:
            return "%None"
        k = e.kind
        if k == "name":
            return "%" + e.name
        if k in ("int", "float", "str"):
            return self.emit(pad, "prim::Constant", [], e, k, None, f"[value={e.value!r}]")
        if k in ("true", "false", "none"):
            return self.emit(pad, "prim::Constant", [], e, "NoneType" if k == "none" else "bool", None,
                             "" if k == "none" else f"[value={int(k == 'true')}]")
        if k == "bin":
            return self.emit(pad, _names[e.op], [self.expr(e.a, pad), self.expr(e.b, pad)], e)
        if k == "un":
            return self.emit(pad, _names.get(e.op, "aten::neg"), [self.expr(e.a, pad)], e)
        if k == "cmp":
            v = self.expr(e.a, pad)
            for op, x in zip(e.ops, e.list):
                v = self.emit(pad, _names[op], [v, self.expr(x, pad)], e, "bool")
            return v
        if k in ("and", "or"):
            return self.emit(pad, f"aten::__{k}__", [self.expr(x, pad) for x in e.list], e, "bool")
        if k == "cond":
            return self.emit(pad, "prim::If", [self.expr(x, pad) for x in (e.a, e.b, e.c)], e)
        if k == "attr":
            return self.emit(pad, "prim::GetAttr", [self.expr(e.a, pad)], e, "Tensor", None, f'[name="{e.name}"]')
        if k == "index":
            return self.emit(pad, "aten::select" if e.b.kind != "slice" else "aten::slice",
                             [self.expr(e.a, pad), self.expr(e.b, pad)], e)
        if k == "slice":
            return self.emit(pad, "prim::slice", [self.expr(x, pad) for x in (e.a, e.b, e.c) if x is not None], e)
        if k in ("tuple", "list"):
            return self.emit(pad, "prim::TupleConstruct" if k == "tuple" else "prim::ListConstruct",
                             [self.expr(x, pad) for x in e.list], e, k)
        if k == "call":
            args = [self.expr(x.a if x.kind in ("kw", "star") else x, pad) for x in e.list]
            if e.a.kind == "attr":
                root = e.a.a
                while root.kind == "attr":
                    root = root.a
                if not (root.kind == "name" and root.name in ("torch", "F", "nn", "math")):
                    args = [self.expr(e.a.a, pad)] + args
                return self.emit(pad, "aten::" + e.a.name, args, e)
            name = e.a.name if e.a.kind == "name" else "call"
            return self.emit(pad, {"range": "aten::__range_length", "len": "aten::len", "int": "aten::Int",
                                   "float": "aten::Float", "bool": "aten::Bool", "print": "prim::Print"}.get(
                                       name, f"prim::CallFunction[name={name!r}]"), args, e)
        return self.emit(pad, f"prim::{k}", [], e)


def code(func):
    # The function's own source, without decorators, its indentation taken off.
    text = _syntax.source(func)
    lines = text.split("\n")
    n = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join([l[n:] for l in lines]).rstrip() + "\n"
