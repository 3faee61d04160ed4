# ast -- literal_eval alone: the value of a text of literals, without running anything.
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


def literal_eval(text):
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
