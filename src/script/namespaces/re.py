# re -- regular expressions, over the matcher in _re.
import _re

A = ASCII = 256
I = IGNORECASE = 2
L = LOCALE = 4
M = MULTILINE = 8
S = DOTALL = 16
U = UNICODE = 32
X = VERBOSE = 64
NOFLAG = 0
_NAMES = [(2, "re.IGNORECASE"), (8, "re.MULTILINE"), (16, "re.DOTALL"), (64, "re.VERBOSE"), (256, "re.ASCII")]


class error(Exception):
    def __init__(self, msg, pattern=None, pos=None):
        super().__init__(msg)
        self.msg, self.pattern, self.pos = msg, pattern, pos


PatternError = error


def _text(x):
    # bytes are matched as the characters of their numbers
    return x.decode("latin-1") if isinstance(x, (bytes, bytearray)) else x


class Match:
    def __init__(self, pattern, string, text, spans, pos, endpos):
        self.re, self.string, self.pos, self.endpos = pattern, string, pos, endpos
        self._text, self._spans = text, spans

    def _index(self, g):
        if isinstance(g, str):
            if g not in self.re.groupindex:
                raise IndexError("no such group")
            return self.re.groupindex[g]
        if not 0 <= g <= self.re.groups:
            raise IndexError("no such group")
        return g

    def _one(self, g, default=None):
        i = self._index(g)
        a, b = self._spans[2 * i], self._spans[2 * i + 1]
        return default if a < 0 or b < 0 else self.string[a:b]

    def group(self, *groups):
        if len(groups) < 2:
            return self._one(groups[0] if groups else 0)
        return tuple(self._one(g) for g in groups)

    __getitem__ = _one

    def groups(self, default=None):
        return tuple(self._one(i, default) for i in range(1, self.re.groups + 1))

    def groupdict(self, default=None):
        return {n: self._one(i, default) for n, i in self.re.groupindex.items()}

    def start(self, group=0):
        i = self._index(group)
        return self._spans[2 * i] if self._spans[2 * i + 1] >= 0 else -1

    def end(self, group=0):
        return self._spans[2 * self._index(group) + 1]

    def span(self, group=0):
        return (self.start(group), self.end(group))

    @property
    def lastindex(self):
        best, at = None, -1
        for i in range(1, self.re.groups + 1):
            if self._spans[2 * i + 1] >= 0 and self._spans[2 * i + 1] > at:
                best, at = i, self._spans[2 * i + 1]
        return best

    @property
    def lastgroup(self):
        i = self.lastindex
        for n, k in self.re.groupindex.items():
            if k == i:
                return n
        return None

    @property
    def regs(self):
        return tuple(self.span(i) for i in range(self.re.groups + 1))

    def expand(self, template):
        return _expander(self.re, template)(self)

    def __bool__(self):
        return True

    def __repr__(self):
        return f"<re.Match object; span={self.span()}, match={self.group()!r}>"


def _expander(pattern, template):
    # the function of a match that a replacement text stands for
    if callable(template):
        return template
    binary = isinstance(template, (bytes, bytearray))
    t = _text(template)
    if "\\" not in t:
        return lambda m: template
    parts, lit, i = [], "", 0
    while i < len(t):
        c = t[i]
        i += 1
        if c != "\\" or i >= len(t):
            if c == "\\":
                raise error("bad escape (end of pattern)")
            lit += c
            continue
        c = t[i]
        i += 1
        if c == "g":
            end = t.find(">", i)
            if i >= len(t) or t[i] != "<" or end < 0:
                raise error("missing <")
            name = t[i + 1:end]
            i = end + 1
            parts += [lit, int(name) if name.isdigit() else name]
            lit = ""
            if isinstance(parts[-1], str) and name not in pattern.groupindex:
                raise IndexError(f"unknown group name {name!r}")
        elif c.isdigit() and c != "0":
            if i < len(t) and t[i].isdigit():
                c += t[i]
                i += 1
            if int(c) > pattern.groups:
                raise error(f"invalid group reference {c}")
            parts += [lit, int(c)]
            lit = ""
        elif c in "abfnrtv0":
            lit += {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}[c]
        elif c.isalpha():
            raise error(f"bad escape \\{c}")
        else:
            lit += "\\" + c if c != "\\" else "\\"
    parts.append(lit)

    def expand(m):
        out = ""
        for k, p in enumerate(parts):
            out += p if k % 2 == 0 else _text(m._one(p)) or ""
        return out.encode("latin-1") if binary else out

    return expand


class Pattern:
    def __init__(self, pattern, flags):
        self.pattern = pattern
        self.groupindex = {}
        try:
            self._program = _re.Program(_text(pattern), flags, self.groupindex)
        except ValueError as e:
            raise error(str(e), pattern) from None
        self.groups = self._program.groups
        self.flags = self._program.flags | (0 if isinstance(pattern, bytes) or flags & ASCII else U)

    def _find(self, string, pos, endpos, mode):
        text = _text(string)
        if isinstance(string, str) == isinstance(self.pattern, (bytes, bytearray)):
            if isinstance(string, str):
                raise TypeError("cannot use a bytes pattern on a string-like object")
            if isinstance(string, (bytes, bytearray)):
                raise TypeError("cannot use a string pattern on a bytes-like object")
        endpos = len(text) if endpos is None else endpos
        spans = self._program.find(text, pos, endpos, mode)
        return None if spans is None else Match(self, string, text, spans, pos, min(endpos, len(text)))

    def search(self, string, pos=0, endpos=None):
        return self._find(string, pos, endpos, 0)

    def match(self, string, pos=0, endpos=None):
        return self._find(string, pos, endpos, 1)

    def fullmatch(self, string, pos=0, endpos=None):
        if self._full is None:
            wrapped = "(?:" + _text(self.pattern) + "\n)\\Z" if self.flags & X else "(?:" + _text(self.pattern) + ")\\Z"
            self._full = _re.Program(wrapped, self.flags & ~U, {})
        text = _text(string)
        endpos = len(text) if endpos is None else endpos
        spans = self._full.find(text, pos, endpos, 1)
        return None if spans is None else Match(self, string, text, spans, pos, min(endpos, len(text)))

    _full = None

    def finditer(self, string, pos=0, endpos=None):
        endpos = len(string) if endpos is None else min(endpos, len(string))
        empty = False
        while pos <= endpos:
            m = self._find(string, pos, endpos, 3 if empty else 0)
            if m is None:
                return
            yield m
            empty = m._spans[0] == m._spans[1]
            pos = m._spans[1]

    def findall(self, string, pos=0, endpos=None):
        out = []
        for m in self.finditer(string, pos, endpos):
            if self.groups == 0:
                out.append(m.group())
            elif self.groups == 1:
                out.append(m._one(1, string[:0]))
            else:
                out.append(m.groups(string[:0]))
        return out

    def split(self, string, maxsplit=0):
        out, at, n = [], 0, 0
        for m in self.finditer(string):
            if maxsplit and n >= maxsplit:
                break
            out.append(string[at:m.start()])
            out.extend(m.groups())
            at = m.end()
            n += 1
        out.append(string[at:])
        return out

    def subn(self, repl, string, count=0):
        expand = _expander(self, repl)
        out, at, n = [], 0, 0
        for m in self.finditer(string):
            if count and n >= count:
                break
            out.append(string[at:m.start()])
            out.append(expand(m))
            at = m.end()
            n += 1
        out.append(string[at:])
        return string[:0].join(out), n

    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]

    def __eq__(self, other):
        return isinstance(other, Pattern) and self.pattern == other.pattern and self.flags == other.flags

    def __hash__(self):
        return hash((self.pattern, self.flags))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        names = [n for f, n in _NAMES if self.flags & f]
        return f"re.compile({self.pattern!r}{', ' + '|'.join(names) if names else ''})"


_cache = {}


def compile(pattern, flags=0):
    if isinstance(pattern, Pattern):
        if flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    key = (pattern, type(pattern), int(flags))
    p = _cache.get(key)
    if p is None:
        if not isinstance(pattern, (str, bytes, bytearray)):
            raise TypeError("first argument must be string or compiled pattern")
        p = Pattern(pattern, int(flags) & ~U)
        if len(_cache) > 500:
            _cache.clear()
        _cache[key] = p
    return p


def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)


def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)


def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)


def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)


def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)


_SPECIAL = {c: "\\" + c for c in "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}


def escape(pattern):
    if isinstance(pattern, bytes):
        return escape(pattern.decode("latin-1")).encode("latin-1")
    return "".join([_SPECIAL.get(c, c) for c in pattern])


def purge():
    _cache.clear()
