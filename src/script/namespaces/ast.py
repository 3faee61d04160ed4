# ast -- literal_eval: the value of a text of literals, without running anything; parse: the nodes of an expression.
import re as _re

_TOKEN = _re.compile(r"""\s*(?:(?P<num>\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?j?|\.\d+(?:[eE][+-]?\d+)?j?|0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)"""
                     r"""|(?P<str>[bBrRuU]{0,2}(?:'{3}(?:[^\\]|\\.)*?'{3}|"{3}(?:[^\\]|\\.)*?"{3}|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"))"""
                     r"""|(?P<name>[A-Za-z_]\w*)|(?P<op>[][(){},:+-]))""", _re.S)
_HEX = _re.compile(r"0[xXoObB][0-9a-fA-F_]+")


class _Reader:
    def __init__(self, text):
        self.text, self.at, self.tokens = text, 0, []
        text = text.strip()
        at = 0
        while at < len(text):
            m = _TOKEN.match(text, at)
            if m is None:
                raise SyntaxError(f"invalid syntax in {text!r}")
            kind = m.lastgroup
            word = m.group(kind)
            h = _HEX.match(text, m.start(kind)) if kind == "num" else None
            if h is not None:
                word = h.group()
            self.tokens.append((kind, word))
            at = h.end() if h is not None else m.end()
        self.tokens.append(("end", ""))

    def peek(self):
        return self.tokens[self.at]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def wrong(self):
        return ValueError(f"malformed node or string: {self.text!r}")

    def items(self, close):
        # values up to the closing bracket, and whether a comma ended them
        out, comma = [], False
        while self.peek()[1] != close or self.peek()[0] != "op":
            out.append(self.sum())
            comma = self.peek() == ("op", ",")
            if comma:
                self.next()
            elif self.peek() != ("op", close):
                raise self.wrong()
        self.next()
        return out, comma

    def sum(self):
        v = self.value()
        while self.peek() in (("op", "+"), ("op", "-")):
            op = self.next()[1]
            w = self.value()
            if not isinstance(w, complex) or not isinstance(v, (int, float)):
                raise self.wrong()
            v = v + w if op == "+" else v - w
        return v

    def value(self):
        kind, s = self.next()
        if kind == "num":
            s = s.replace("_", "")
            if s[:2].lower() in ("0x", "0o", "0b"):
                return int(s, 0)
            return complex(s) if s.endswith("j") else float(s) if "." in s or "e" in s.lower() else int(s)
        if kind == "str":
            v = eval(s, {})
            while self.peek()[0] == "str":
                v = v + eval(self.next()[1], {})
            return v
        if kind == "name":
            if s in ("None", "True", "False"):
                return {"None": None, "True": True, "False": False}[s]
            if s == "set" and self.peek() == ("op", "("):
                self.next()
                if self.next() == ("op", ")"):
                    return set()
            raise self.wrong()
        if s in ("+", "-") and kind == "op":
            v = self.value()
            if isinstance(v, bool) or not isinstance(v, (int, float, complex)):
                raise self.wrong()
            return -v if s == "-" else v
        if s == "[":
            return self.items("]")[0]
        if s == "(":
            out, comma = self.items(")")
            return out[0] if len(out) == 1 and not comma else tuple(out)
        if s == "{":
            return self.braces()
        raise self.wrong()

    def braces(self):
        if self.peek() == ("op", "}"):
            self.next()
            return {}
        first = self.sum()
        if self.peek() != ("op", ":"):
            rest = []
            if self.peek() == ("op", ","):
                self.next()
            rest = self.items("}")[0]
            return set([first] + rest)
        d, k = {}, first
        while True:
            if self.next() != ("op", ":"):
                raise self.wrong()
            d[k] = self.sum()
            t = self.next()
            if t == ("op", ","):
                if self.peek() == ("op", "}"):
                    self.next()
                    return d
                k = self.sum()
            elif t == ("op", "}"):
                return d
            else:
                raise self.wrong()


# ---- expressions as nodes

class AST:
    _fields = ()

    def __init__(self, *args, **kw):
        for name, x in zip(self._fields, args):
            setattr(self, name, x)
        for name, x in kw.items():
            setattr(self, name, x)


class expr(AST):
    pass


def _nodes(base, **kinds):
    return [type(name, (base,), {"_fields": tuple(fields.split()), "__module__": "ast"}) for name, fields in kinds.items()]


Load, Store, Del = _nodes(AST, Load="", Store="", Del="")
Name, Attribute, Subscript, Slice, Constant, Tuple, List, Set, Dict, UnaryOp, BinOp, Call, Starred, Expression, Index, keyword = _nodes(
    expr, Name="id ctx", Attribute="value attr ctx", Subscript="value slice ctx", Slice="lower upper step", Constant="value kind", Tuple="elts ctx",
    List="elts ctx", Set="elts", Dict="keys values", UnaryOp="op operand", BinOp="left op right", Call="func args keywords", Starred="value ctx",
    Expression="body", Index="value", keyword="arg value")
USub, UAdd, Invert, Not, Add, Sub, Mult, Div, FloorDiv, Mod, Pow, MatMult, LShift, RShift, BitAnd, BitOr, BitXor = _nodes(
    AST, USub="", UAdd="", Invert="", Not="", Add="", Sub="", Mult="", Div="", FloorDiv="", Mod="", Pow="", MatMult="", LShift="", RShift="",
    BitAnd="", BitOr="", BitXor="")
_UNARY = {"-": USub, "+": UAdd, "~": Invert, "not": Not}
_BINARY = {"+": Add, "-": Sub, "*": Mult, "/": Div, "//": FloorDiv, "%": Mod, "**": Pow, "@": MatMult, "<<": LShift, ">>": RShift, "&": BitAnd,
           "|": BitOr, "^": BitXor}


def _converted(n):
    # a node of the language's own tree
    if n is None:
        return None
    k = n.kind
    if k in ("int", "float") and n.value < 0:       # the language's tree has the sign in it
        return UnaryOp(USub(), Constant(-n.value, None))
    if k in ("int", "float", "complex", "str"):
        return Constant(n.value, None)
    if k in ("none", "true", "false", "ellipsis"):
        return Constant({"none": None, "true": True, "false": False, "ellipsis": Ellipsis}[k], None)
    if k == "name":
        return Name(n.name, Load())
    if k == "attr":
        return Attribute(_converted(n.a), n.name, Load())
    if k == "index":
        return Subscript(_converted(n.a), _converted(n.b), Load())
    if k == "slice":
        return Slice(_converted(n.a), _converted(n.b), _converted(n.c))
    if k in ("tuple", "list"):
        return (Tuple if k == "tuple" else List)([_converted(x) for x in n.list], Load())
    if k == "set":
        return Set([_converted(x) for x in n.list])
    if k == "dict":
        return Dict([_converted(x) for x in n.list], [_converted(x) for x in n.more])
    if k == "un":
        return UnaryOp(_UNARY[n.op](), _converted(n.a))
    if k == "bin":
        return BinOp(_converted(n.a), _BINARY[n.op](), _converted(n.b))
    if k == "call":
        return Call(_converted(n.a), [_converted(x) for x in n.list if x.kind != "kw"],
                    [keyword(x.name, _converted(x.a)) for x in n.list if x.kind == "kw"])
    if k == "star":
        return Starred(_converted(n.a), Load())
    raise NotImplementedError(f"ast.parse: an expression of kind {k!r}")


def parse(source, filename="<unknown>", mode="exec", *, type_comments=False, feature_version=None):
    if mode != "eval":
        raise NotImplementedError("ast.parse: mode='eval' is offered, the nodes of an expression")
    import _syntax

    class Node:
        pass
    made = eval("lambda: (" + source.strip() + ")")
    body = _syntax.tree(made, Node).body
    body = body[0] if isinstance(body, list) else body
    return Expression(_converted(body.a if body.kind in ("return", "expr") else body))


def _literal(n):
    if isinstance(n, Expression):
        return _literal(n.body)
    if isinstance(n, Constant):
        return n.value
    if isinstance(n, (Tuple, List, Set)):
        return {Tuple: tuple, List: list, Set: set}[type(n)]([_literal(x) for x in n.elts])
    if isinstance(n, Dict):
        return {_literal(k): _literal(v) for k, v in zip(n.keys, n.values)}
    if isinstance(n, UnaryOp) and isinstance(n.op, (USub, UAdd)):
        v = _literal(n.operand)
        return -v if isinstance(n.op, USub) else v
    if isinstance(n, BinOp) and isinstance(n.op, (Add, Sub)):
        a, b = _literal(n.left), _literal(n.right)
        return a + b if isinstance(n.op, Add) else a - b
    if isinstance(n, Call) and isinstance(n.func, Name) and n.func.id == "set" and not n.args:
        return set()
    raise ValueError(f"malformed node or string: {n!r}")


def literal_eval(text):
    if isinstance(text, AST):
        return _literal(text)
    r = _Reader(text)
    v = r.sum()
    if r.peek() == ("op", ","):
        out = [v]
        while r.peek() == ("op", ","):
            r.next()
            if r.peek()[0] != "end":
                out.append(r.sum())
        v = tuple(out)
    if r.peek()[0] != "end":
        raise r.wrong()
    return v
