# json.encoder -- values to JSON text.
_special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_plain = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !#$%&'()*+,-./:;<=>?@[]^_`{|}~")


def _quote(s, ascii_only):
    if _plain.issuperset(s):
        return '"' + s + '"'
    out = []
    for c in s:
        if c in _special:
            out.append(_special[c])
        elif c < " ":
            out.append(f"\\u{ord(c):04x}")
        elif ascii_only and c > "~":
            n = ord(c)
            if n > 0xFFFF:
                n -= 0x10000
                out.append(f"\\u{0xD800 + (n >> 10):04x}\\u{0xDC00 + (n & 0x3FF):04x}")
            else:
                out.append(f"\\u{n:04x}")
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def encode_basestring(s):
    return _quote(s, False)


def encode_basestring_ascii(s):
    return _quote(s, True)


class JSONEncoder:
    item_separator, key_separator = ", ", ": "

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False, indent=None,
                 separators=None, default=None):
        self.skipkeys, self.ensure_ascii, self.check_circular = skipkeys, ensure_ascii, check_circular
        self.allow_nan, self.sort_keys, self.indent = allow_nan, sort_keys, indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ","
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        return "".join(self.iterencode(o))

    def iterencode(self, o, _one_shot=False):
        out = []
        self._write(o, 0, set(), out.append)
        return out

    def _number(self, x):
        if isinstance(x, int):
            return int.__repr__(x)
        if x != x:
            text = "NaN"
        elif x in (float("inf"), -float("inf")):
            text = "Infinity" if x > 0 else "-Infinity"
        else:
            return float.__repr__(x)
        if not self.allow_nan:
            raise ValueError("Out of range float values are not JSON compliant")
        return text

    def _key(self, k):
        if isinstance(k, str):
            return k
        if k is True:
            return "true"
        if k is False:
            return "false"
        if k is None:
            return "null"
        if isinstance(k, (int, float)):
            return self._number(k)
        if self.skipkeys:
            return None
        raise TypeError(f"keys must be str, int, float, bool or None, not {k.__class__.__name__}")

    def _write(self, x, level, active, put):
        if isinstance(x, str):
            put(_quote(x, self.ensure_ascii))
        elif x is None:
            put("null")
        elif x is True:
            put("true")
        elif x is False:
            put("false")
        elif isinstance(x, (int, float)):
            put(self._number(x))
        else:
            if self.check_circular:
                if id(x) in active:
                    raise ValueError("Circular reference detected")
                active.add(id(x))
            if isinstance(x, dict):
                self._dict(x, level, active, put)
            elif isinstance(x, (list, tuple)):
                self._list(x, level, active, put)
            else:
                self._write(self.default(x), level, active, put)
            active.discard(id(x))

    def _between(self, level):
        if self.indent is None:
            return "", self.item_separator, ""
        step = " " * self.indent if isinstance(self.indent, int) else self.indent
        inner = "\n" + step * (level + 1)
        return inner, self.item_separator + inner, "\n" + step * level

    def _list(self, x, level, active, put):
        if not x:
            put("[]")
            return
        first, between, last = self._between(level)
        sep = "[" + first
        for v in x:
            put(sep)
            self._write(v, level + 1, active, put)
            sep = between
        put(last + "]")

    def _dict(self, x, level, active, put):
        if not x:
            put("{}")
            return
        first, between, last = self._between(level)
        sep = "{" + first
        for k, v in sorted(x.items()) if self.sort_keys else x.items():
            k = self._key(k)
            if k is None:
                continue
            put(sep + _quote(k, self.ensure_ascii) + self.key_separator)
            self._write(v, level + 1, active, put)
            sep = between
        put(last + "}" if sep == between else "{}")
