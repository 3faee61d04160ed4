# json.decoder -- JSON text to values.
import re as _re

_space = _re.compile(r"[ \t\n\r]*")
_number = _re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_part = _re.compile(r'([^"\\\x00-\x1f]*)(["\\\x00-\x1f])')
_back = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count("\n", 0, pos) + 1
        self.colno = pos - doc.rfind("\n", 0, pos)
        ValueError.__init__(self, "%s: line %d column %d (char %d)" % (msg, self.lineno, self.colno, pos))

    def __reduce__(self):
        return self.__class__, (self.msg, self.doc, self.pos)


def _hex4(s, at):
    digits = s[at:at + 4]
    if len(digits) == 4 and digits[1] not in "xX":
        try:
            return int(digits, 16)
        except ValueError:
            pass
    raise JSONDecodeError("Invalid \\uXXXX escape", s, at - 1)


# A string that begins behind its quote at i: (value, end).
def scanstring(s, i, strict=True):
    begin, out = i - 1, None
    while True:
        m = _part.match(s, i)
        if m is None:
            raise JSONDecodeError("Unterminated string starting at", s, begin)
        text, end = m.group(1), m.group(2)
        i = m.end()
        if end == '"':
            return (text, i) if out is None else ("".join(out) + text, i)
        out = [] if out is None else out
        out.append(text)
        if end != "\\":
            if strict:
                raise JSONDecodeError("Invalid control character at", s, i - 1)
            out.append(end)
            continue
        e = s[i:i + 1]
        if not e:
            raise JSONDecodeError("Unterminated string starting at", s, begin)
        i += 1
        if e == "u":
            n = _hex4(s, i)
            i += 4
            if 0xD800 <= n <= 0xDBFF and s[i:i + 2] == "\\u":
                low = _hex4(s, i + 2)
                if 0xDC00 <= low <= 0xDFFF:
                    n = 0x10000 + ((n - 0xD800) << 10) + low - 0xDC00
                    i += 6
            out.append(chr(n))
        elif e in _back:
            out.append(_back[e])
        else:
            raise JSONDecodeError("Invalid \\escape", s, i - 2)


class JSONDecoder:
    def __init__(self, *, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, strict=True,
                 object_pairs_hook=None):
        self.object_hook, self.object_pairs_hook, self.strict = object_hook, object_pairs_hook, strict
        self.parse_float, self.parse_int = parse_float or float, parse_int or int
        self.parse_constant = parse_constant or {"-Infinity": -float("inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__

    def decode(self, s):
        v, end = self.raw_decode(s, _space.match(s, 0).end())
        end = _space.match(s, end).end()
        if end != len(s):
            raise JSONDecodeError("Extra data", s, end)
        return v

    def raw_decode(self, s, idx=0):
        return self._value(s, idx)

    def _value(self, s, i):
        c = s[i:i + 1]
        if c == '"':
            return scanstring(s, i + 1, self.strict)
        if c == "{":
            return self._object(s, i + 1)
        if c == "[":
            return self._array(s, i + 1)
        m = _number.match(s, i) if c and c in "-0123456789" else None
        if m is not None:
            whole, fraction, exponent = m.groups()
            if fraction or exponent:
                return self.parse_float(whole + (fraction or "") + (exponent or "")), m.end()
            return self.parse_int(whole), m.end()
        for word, v in (("null", None), ("true", True), ("false", False)):
            if s.startswith(word, i):
                return v, i + len(word)
        for word in ("NaN", "Infinity", "-Infinity"):
            if s.startswith(word, i):
                return self.parse_constant(word), i + len(word)
        raise JSONDecodeError("Expecting value", s, i)

    def _array(self, s, i):
        out = []
        i = _space.match(s, i).end()
        if s[i:i + 1] == "]":
            return out, i + 1
        while True:
            v, i = self._value(s, i)
            out.append(v)
            i = _space.match(s, i).end()
            c = s[i:i + 1]
            if c == "]":
                return out, i + 1
            if c != ",":
                raise JSONDecodeError("Expecting ',' delimiter", s, i)
            i = _space.match(s, i + 1).end()

    def _object(self, s, i):
        pairs = []
        i = _space.match(s, i).end()
        if s[i:i + 1] != "}":
            while True:
                if s[i:i + 1] != '"':
                    raise JSONDecodeError("Expecting property name enclosed in double quotes", s, i)
                key, i = scanstring(s, i + 1, self.strict)
                i = _space.match(s, i).end()
                if s[i:i + 1] != ":":
                    raise JSONDecodeError("Expecting ':' delimiter", s, i)
                v, i = self._value(s, _space.match(s, i + 1).end())
                pairs.append((key, v))
                i = _space.match(s, i).end()
                c = s[i:i + 1]
                if c == "}":
                    break
                if c != ",":
                    raise JSONDecodeError("Expecting ',' delimiter", s, i)
                i = _space.match(s, i + 1).end()
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs), i + 1
        out = dict(pairs)
        return (out if self.object_hook is None else self.object_hook(out)), i + 1
