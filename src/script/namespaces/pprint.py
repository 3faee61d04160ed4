# pprint -- values over several lines.
import sys as _sys


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
        self._indent, self._width, self._depth, self._stream = indent, width, depth, stream
        self._compact, self._sort, self._under = compact, sort_dicts, underscore_numbers

    def pformat(self, obj):
        return self._format(obj, 0, 0, 0)

    def pprint(self, obj):
        (self._stream or _sys.stdout).write(self.pformat(obj) + "\n")

    def _order(self, items):
        if not self._sort:
            return list(items)
        try:
            return sorted(items, key=lambda kv: kv[0])
        except TypeError:
            return sorted(items, key=lambda kv: (str(type(kv[0])), id(kv[0])))

    def _repr(self, x, level):
        c = type(x)
        if self._depth is not None and level > self._depth and isinstance(x, (dict, list, tuple)) and x:
            return "{...}" if isinstance(x, dict) else "[...]" if isinstance(x, list) else "(...)"
        if c is int and self._under:
            return f"{x:_d}"
        if c is dict:
            return "{" + ", ".join([self._repr(k, level + 1) + ": " + self._repr(v, level + 1) for k, v in self._order(x.items())]) + "}"
        if c is list:
            return "[" + ", ".join([self._repr(v, level + 1) for v in x]) + "]"
        if c is tuple:
            return "(" + ", ".join([self._repr(v, level + 1) for v in x]) + (",)" if len(x) == 1 else ")")
        return repr(x)

    def _format(self, x, indent, allowance, level):
        level += 1
        s = self._repr(x, level)
        if len(s) <= self._width - indent - allowance or (self._depth is not None and level > self._depth):
            return s
        c = type(x)
        if c is dict and x:
            return "{" + " " * (self._indent - 1) + self._pairs(x, indent, allowance, level) + "}"
        if c in (list, set, frozenset) or c is tuple:
            if not x:
                return s
            items = list(x) if c in (list, tuple) else sorted(x)
            left, right = {list: ("[", "]"), tuple: ("(", ",)" if len(items) == 1 else ")"), set: ("{", "}"), frozenset: ("frozenset({", "})")}[c]
            return left + " " * (self._indent - 1 if c in (list, tuple) else 0) + self._items(items, indent + (0 if c is not frozenset else 10), allowance + len(right), level) + right
        if c is str and s:
            return self._string(x, indent, allowance, level)
        if c is bytes and len(x) > 4:
            return self._bytes(x, indent, allowance, level)
        return self._library(x, s, indent, allowance, level)

    def _library(self, x, s, indent, allowance, level):
        # of the classes of collections, dataclasses and namespaces
        c = type(x)
        name, module = c.__name__, c.__module__
        inner = indent + len(name) + 1
        if module == "collections" and name == "OrderedDict" and x:
            return f"{name}({self._format(list(x.items()), inner, allowance + 1, level)})"
        if module == "collections" and name == "defaultdict" and x:
            pairs = "{" + " " * (self._indent - 1) + self._pairs(x, inner, allowance + 1, level) + "}"
            return f"{name}({x.default_factory!r},\n{' ' * inner}{pairs})"
        if module == "collections" and name == "Counter" and x:
            return f"{name}({{{' ' * (self._indent - 1)}{self._pairs(x, inner, allowance + 2, level, x.most_common())}}})"
        if module == "collections" and name == "deque" and x:
            if x.maxlen is None:
                return f"{name}([{self._items(list(x), inner, allowance + 2, level)}])"
            return f"{name}([{self._items(list(x), inner, 2, level)}],\n{' ' * inner}maxlen={self._repr(x.maxlen, level)})"
        if name == "SimpleNamespace" and module == "types":
            return self._fields("namespace", x.__dict__.items(), indent, allowance, level)
        if getattr(c.__repr__, "__module__", None) == "dataclasses":
            return self._fields(name, [(f.name, getattr(x, f.name)) for f in x.__dataclass_fields__.values() if f.repr], indent, allowance, level)
        return s

    def _fields(self, name, items, indent, allowance, level):
        indent += len(name) + 1
        items = list(items)
        out = [k + "=" + self._format(v, indent + len(k) + 1, allowance if i == len(items) - 1 else 1, level) for i, (k, v) in enumerate(items)]
        return name + "(" + (",\n" + " " * indent).join(out) + ")"

    def _bytes(self, x, indent, allowance, level):
        if level == 1:
            indent += 1
            allowance += 1
        width, lines, line = self._width - indent, [], b""
        for i in range(0, len(x), 4):
            if i == len(x) // 4 * 4:
                width -= allowance
            if line and len(repr(line + x[i:i + 4])) > width:
                lines.append(repr(line))
                line = b""
            line += x[i:i + 4]
        lines.append(repr(line))
        s = ("\n" + " " * indent).join(lines)
        return "(" + s + ")" if level == 1 else s

    def _pairs(self, d, indent, allowance, level, items=None):
        indent += self._indent
        items, out = self._order(d.items()) if items is None else items, []
        for i, (k, v) in enumerate(items):
            last = i == len(items) - 1
            key = self._repr(k, level)
            out.append(key + ": " + self._format(v, indent + len(key) + 2, allowance + 1 if last else 1, level))
        return (",\n" + " " * indent).join(out)

    def _items(self, items, indent, allowance, level):
        indent += self._indent
        if not self._compact:
            return (",\n" + " " * indent).join([self._format(v, indent, allowance if i == len(items) - 1 else 1, level) for i, v in enumerate(items)])
        lines, line = [], ""
        for i, v in enumerate(items):
            s = self._repr(v, level)
            room = self._width - indent - (allowance if i == len(items) - 1 else 1)
            if line and len(line) + 2 + len(s) > room:
                lines.append(line)
                line = ""
            if not line and len(s) > room:
                lines.append(self._format(v, indent, allowance if i == len(items) - 1 else 1, level))
            else:
                line = line + ", " + s if line else s
        if line:
            lines.append(line)
        return (",\n" + " " * indent).join(lines)

    def _string(self, x, indent, allowance, level):
        if level == 1:
            indent += 1
            allowance += 1
        chunks, room = [], self._width - indent
        lines = x.splitlines(True)
        for i, line in enumerate(lines):
            r = repr(line)
            left = room - (allowance if i == len(lines) - 1 else 0)
            if len(r) <= left:
                chunks.append(r)
                continue
            cur = ""
            words, w = [], ""
            for ch in line:
                if w and w[-1].isspace() and not ch.isspace():
                    words.append(w)
                    w = ""
                w += ch
            words.append(w)
            for j, w in enumerate(words):
                lim = room - (allowance if i == len(lines) - 1 and j == len(words) - 1 else 0)
                if len(repr(cur + w)) > lim:
                    if cur:
                        chunks.append(repr(cur))
                    cur = w
                else:
                    cur += w
            if cur:
                chunks.append(repr(cur))
        if len(chunks) == 1:
            return chunks[0]
        s = ("\n" + " " * indent).join(chunks)
        return "(" + s + ")" if level == 1 else s


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts, underscore_numbers=underscore_numbers).pformat(object)


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    PrettyPrinter(indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts, underscore_numbers=underscore_numbers).pprint(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


def saferepr(object):
    return PrettyPrinter()._repr(object, 0)


def isrecursive(object):
    return _contains_itself(object, ())


def _contains_itself(x, around):
    if not isinstance(x, (list, tuple, dict, set, frozenset)):
        return False
    if any(x is a for a in around):
        return True
    inner = [*x.keys(), *x.values()] if isinstance(x, dict) else x
    return any(_contains_itself(v, (*around, x)) for v in inner)


def isreadable(object):
    # can eval make it again?
    if isrecursive(object):
        return False
    if isinstance(object, dict):
        return type(object) is dict and all(isreadable(k) and isreadable(v) for k, v in object.items())
    if isinstance(object, (list, tuple)):
        return type(object) in (list, tuple) and all(map(isreadable, object))
    return not repr(object).startswith("<")
