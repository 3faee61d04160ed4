# torch.jit._archive -- TorchScript archives, as the real torch.jit.save writes them.
#
#   data.pkl, constants.pkl     objects and tensors (src/torchfile reads them and runs nothing)
#   code/__torch__/a/b.py       classes and functions of `__torch__.a.b`, in the language that PythonPrint writes
#
# The language is nearly the one scripts are written in. Each file is put into it, line by line so that places stay, and loaded as
# any source of a file is: definitions alone, checked (engine/definitions.c). Its functions are then scripted functions like
# others: programs, with their control flow. Operators come from torch.jit._aten.
#
#     torch.add(x, y)                 x + y               numbers, lists and tensors alike: their types are met when they run
#     torch.append(l, x)              l.append(x)
#     annotate(T, v)                  v                   unchecked_cast, too
#     ops.prim.RaiseException(t, c)   raise RuntimeError(t)
#     __torch__.a.b.C                 one plain name, C's own
import collections
import enum

import _stage
import _syntax
import _torch as _w
import torch
from torch import nn
from torch.jit import _aten, _module, _script
from torch.nn.parameter import Parameter
from torch.serialization import Reader, read


class _Object:
    # What a pickle says of an object of the archive.
    def __init__(self, name, args, state):
        self.name = name
        self.args = args
        self.state = state


class _ObjectReader(Reader):
    def object(self, name, args, state):
        return _Object(name, args, state)


def _staged_int(stage, args, kwargs):
    # Of a number that is computed, and is no size, what int() is in a scripted function
    return stage.to_number(args[0], "int") if stage.unknown(args[0]) and _aten._open_size(args[0]) is None else NotImplemented


_stage.special(_aten.Int, _staged_int)


# ---- from PythonPrint's language to the script's -------------------------------------------------------

_infix = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
          "eq": "==", "ne": "!=", "__and__": "&", "__or__": "|", "__xor__": "^", "__lshift__": "<<", "__rshift__": ">>",
          "__is__": "is", "__isnot__": "is not", "remainder": "%", "pow": "**", "matmul": "@"}
_prefix = {"__not__": "not ", "neg": "-", "bitwise_not": "~"}
_methods = ("append", "extend", "insert", "pop", "clear", "reverse", "remove", "update", "setdefault", "popitem", "keys", "items",
            "format", "strip", "lower", "upper", "startswith", "endswith", "join", "lstrip", "rstrip", "replace", "find", "capitalize",
            "title", "splitlines", "isdigit", "isalpha", "isspace", "center", "zfill", "partition", "rpartition")
_casts = {"len": "len", "Int": "_aten.Int", "Float": "float", "Bool": "bool", "IntImplicit": "_aten.Int", "FloatImplicit": "float", "ord": "ord",
          "chr": "chr", "hex": "hex", "oct": "oct", "bin": "bin", "str": "str"}
_word = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class _Text:
    # One line of code, put into the other language.
    def __init__(self, archive, text, where):
        self.archive = archive
        self.s = text
        self.i = 0
        self.where = where

    def fail(self, what):
        raise RuntimeError(f"{self.where}: {what}: {self.s.strip()[:100]}")

    def string(self):
        # The literal at i, as it stands.
        s, start, quote = self.s, self.i, self.s[self.i]
        self.i += 1
        while self.i < len(s) and s[self.i] != quote:
            self.i += 2 if s[self.i] == "\\" else 1
        if self.i >= len(s):
            self.fail("a text without an end")
        self.i += 1
        return s[start:self.i]

    def name(self):
        # A dotted name at i.
        s, start, n = self.s, self.i, len(self.s)
        while self.i < n and (s[self.i] in _word or (s[self.i] == "." and self.i + 1 < n and s[self.i + 1] in _word)):
            self.i += 1
        return s[start:self.i]

    def until(self, ends):
        # Everything up to one of the characters, outside of brackets.
        out = []
        s, n = self.s, len(self.s)
        while self.i < n and s[self.i] not in ends:
            c = s[self.i]
            if c in "\"'":
                out.append(self.string())
            elif c in "([{":
                self.i += 1
                inside = self.until(")]}")
                if self.i >= n:
                    self.fail("a bracket without an end")
                out.append(c + inside + s[self.i])
                self.i += 1
            elif c in _word and not c.isdigit():
                out.append(self.named(self.name()))
            elif c in _word or (c == "." and self.i + 1 < n and s[self.i + 1].isdigit()):
                start = self.i      # a number, with its exponent
                while self.i < n and (s[self.i] in _word or s[self.i] == "." or (s[self.i] in "+-" and s[self.i - 1] in "eE")):
                    self.i += 1
                out.append(s[start:self.i])
            else:
                out.append(c)
                self.i += 1
        return "".join(out)

    def arguments(self):
        # Those of a call whose bracket is at i.
        out = []
        self.i += 1
        while True:
            a = self.until(",)").strip()
            if self.i >= len(self.s):
                self.fail("a call without an end")
            end = self.s[self.i]
            self.i += 1
            if a:
                out.append(a)
            if end == ")":
                return out

    def named(self, name):
        calls = self.i < len(self.s) and self.s[self.i] == "("
        if name.startswith("__torch__."):
            return self.own(name)
        if not calls:
            return {"inf": "_aten.inf", "nan": "_aten.nan"}.get(name, "_aten." + name if name.startswith(("torch.", "ops.")) else name)
        if name == "int":
            return "_aten.Int"
        if name == "annotate" or name == "unchecked_cast":
            return "(" + self.arguments()[1] + ")"
        if name == "isinstance":
            x, kind = self.arguments()
            return f"isinstance({x}, {_kind_text(kind)})"
        if name == "uninitialized":
            self.arguments()
            return "None"
        if name.startswith("torch."):
            return self.aten(name[6:], self.arguments())
        if name.startswith("ops."):
            if name.startswith(("ops.prim.", "ops.aten.")):
                return self.aten(name[4:].replace(".", "_"), self.arguments())
            return self.operator(name[4:].replace(".", "__"), name[4:].replace(".", "::"), self.arguments())
        return name

    def own(self, name):
        # A definition of the archive, perhaps with an attribute behind it.
        parts = name.split(".")
        for n in range(len(parts), 1, -1):
            full = ".".join(parts[:n])
            if full in self.archive.flat:
                rest = parts[n:]
                if rest == ["__new__"]:
                    self.arguments()
                    return f"_aten.new_object({self.archive.flat[full]})"
                return ".".join([self.archive.flat[full]] + rest)
        self.fail(f"there is no '{name}' in the archive")

    def aten(self, op, args):
        if op.startswith("aten_"):
            op = op[5:]
        if op in ("add", "sub", "mul", "div") and len(args) > 1 and args[1].startswith("CONSTANTS.c"):
            args[1] = "CONSTANTS.number" + args[1][11:]
        plain = not any([_is_keyword(a) for a in args])
        if plain and len(args) == 2 and op in _infix:
            return f"({args[0]} {_infix[op]} {args[1]})"
        if plain and len(args) == 1 and op in _prefix:
            return f"({_prefix[op]}{args[0]})"
        if op == "__contains__":
            return f"({args[1]} in {args[0]})"
        if op == "__getitem__":
            return f"({args[0]})[{args[1]}]"
        if plain and len(args) == 1 and op in _casts:
            return f"{_casts[op]}({args[0]})"
        if op in ("items", "keys") and len(args) == 1:      # lists there
            return f"list(({args[0]}).{op}())"
        if op in _methods and args:
            return f"({args[0]}).{op}(" + ", ".join(args[1:]) + ")"
        if op == "__range_length":
            return "len(range(" + ", ".join(args) + "))"
        if op == "__derive_index":
            return f"({args[1]} + {args[0]} * {args[2]})"
        if op == "_unwrap_optional":
            return f"({args[0]})"
        return self.operator(op, op.replace("prim_", "prim::", 1) if op.startswith("prim_") else "aten::" + op, args)

    def operator(self, name, shown, args):
        f = name if _aten.has(name) else f"missing({shown!r}, {self.where!r})"
        if f.startswith("__"):      # not a name of the class whose method this may be
            return f"getattr(_aten, {f!r})(" + ", ".join(args) + ")"
        return f"_aten.{f}(" + ", ".join(args) + ")"


def _kind_text(kind):
    # A type as isinstance takes it here: List[Tensor] is a list.
    kind = kind.strip()
    if kind.startswith("("):
        return "(" + ", ".join([_kind_text(k) for k in kind[1:-1].split(",") if k.strip()]) + ",)"
    kind = kind.split("[")[0].strip()
    return {"Tensor": "_aten.Tensor", "List": "list", "Dict": "dict", "Tuple": "tuple", "NoneType": "type(None)"}.get(kind, kind)


def _is_keyword(a):
    i = a.find("=")
    return i > 0 and a[:i].strip().isidentifier() and a[i + 1:i + 2] != "="


def _translated(archive, line, where):
    body = line.strip()
    indent = line[:len(line) - len(line.lstrip())]
    if body.startswith("ops.prim.RaiseException("):
        t = _Text(archive, body, where)
        t.i = len("ops.prim.RaiseException")
        return indent + "raise RuntimeError(" + t.arguments()[0] + ")"
    at = body.find("torch._set_item(")
    if at >= 0 and body[:at].strip() in ("",) or at >= 0 and body[:at].rstrip().endswith("="):
        t = _Text(archive, body, where)
        t.i = at + len("torch._set_item")
        d, k, v = t.arguments()
        return f"{indent}({d})[{k}] = {v}"
    if body.startswith(("if ", "while ", "for ", "return ", "with ", "elif ")):
        word = body[:body.find(" ") + 1]
        t = _Text(archive, body[len(word):], where)
        return indent + word + t.until("")
    t = _Text(archive, body, where)
    return indent + t.until("")


class _Class:
    def __init__(self, name, kind):
        self.name = name
        self.kind = kind            # Module NamedTuple Interface ModuleInterface Enum or ""
        self.lists = {"__parameters__": (), "__buffers__": ()}
        self.types = {}             # of attributes, in order, by their names
        self.made = None


class _Source:
    # One file of code: its definitions, and its text in the script's language.
    def __init__(self, archive, module, text, label):
        self.archive = archive
        self.module = module
        self.label = label
        self.lines = text.split("\n")
        self.classes = {}
        for line in self.lines:
            if line.startswith("class "):
                head = line[6:line.rfind(":")]
                name, _, kind = head.partition("(")
                self.classes[name] = _Class(module + "." + name, kind.rstrip(")"))
                archive.define(module + "." + name)
            elif line.startswith("def "):
                archive.define(module + "." + line[4:line.find("(")])

    def header(self, line, open_):
        # A line of a definition's head: the type of self goes, those of own classes are anything.
        i = line.find("(self: ") if open_ else -1
        if i >= 0:
            k = i + 5
            while k < len(line) and line[k] not in ",)":
                k += 1
            line = line[:i + 5] + line[k:]
        while line.find("__torch__.") >= 0:
            t = _Text(self.archive, line, self.label)
            i = t.i = line.find("__torch__.")
            t.name()
            line = line[:i] + "Any" + line[t.i:]
        return line

    def text(self):
        out, cls, head = [], None, False
        for n, line in enumerate(self.lines):
            where = f"{self.label}:{n + 1}"
            body = line.strip()
            if head:
                out.append(self.header(line, False))
                head = not body.endswith(":")
            elif line.startswith("class "):
                name = line[6:line.rfind(":")].partition("(")[0]
                cls = self.classes[name]
                out.append("" if cls.kind in ("NamedTuple", "Interface", "ModuleInterface") else
                           f"class {self.archive.flat[cls.name]}:")
            elif line.startswith("def "):
                cls = None
                full = self.module + "." + line[4:line.find("(")]
                line = "def " + self.archive.flat[full] + line[line.find("("):]
                out.append(self.header(line, True))
                head = not body.endswith(":")
            elif cls is not None and line.startswith("  ") and not line.startswith("   "):
                out.append(self.member(cls, line, body, where))
                head = body.startswith("def ") and not body.endswith(":")
            elif cls is not None and cls.kind in ("Interface", "ModuleInterface"):
                out.append("")
            elif not body or line.startswith(("op_version_set", "import ", "from ")):
                out.append("")
            else:
                out.append(_translated(self.archive, line, where))
        return "\n".join(self.filled(out)) + "\n"

    def filled(self, lines):
        # A class without a method has a body all the same.
        for i, line in enumerate(lines):
            if line.startswith("class "):
                j = i + 1
                while j < len(lines) and not lines[j].strip():
                    j += 1
                if j == len(lines) or not lines[j].startswith(" "):
                    lines[i] += " pass"
        return lines

    def member(self, cls, line, body, where):
        if cls.kind in ("Interface", "ModuleInterface"):
            return ""
        if cls.kind == "Enum":
            return line
        if body.startswith(("__parameters__", "__buffers__", "__forward_hooks__", "__forward_pre_hooks__")):
            name, _, values = body.partition("=")
            values = [v.strip().strip('"') for v in values.strip()[1:-1].split(",")]
            cls.lists[name.strip()] = tuple([v for v in values if v])
            if cls.lists.get("__forward_hooks__") or cls.lists.get("__forward_pre_hooks__"):
                self.archive.fail(where, "hooks of a module")
            return ""
        if body.startswith("def "):
            return self.header(line, True)
        if body.startswith("__annotations__"):
            if body.find("[") >= 0 and body.find('"') >= 0:
                cls.types[body.split('"')[1]] = body.partition(" = ")[2].strip()
            return ""
        name, _, rest = body.partition(":")
        if cls.kind == "NamedTuple":
            cls.types[name.strip()] = rest.strip()
            return ""
        kind, eq, value = rest.partition("=")
        if not eq:
            cls.types[name.strip()] = kind.strip()
        if eq and kind.strip().startswith("Final["):
            return f"  {name.strip()} = " + _Text(self.archive, value.strip(), where).until("")
        return ""


class _Archive:
    def __init__(self, path, constants, entries):
        self.path = path
        self.flat = {}          # full name: the plain name it has here
        self.sources = []
        self.classes = {}
        self.made = {}          # id of an _Object: (it, the object)
        self.code = {n: v for n, v in entries.items() if n.startswith("code/")}
        self.version = entries.get("version", b"3\n")
        self.constants = constants
        for name in sorted(entries):
            if name.startswith("code/") and name.endswith(".py"):
                module = name[5:-3].replace("/", ".")
                self.sources.append(_Source(self, module, entries[name].decode(), f"{path}:{name}"))
        names = {"_aten": _aten.table, "CONSTANTS": _Constants(constants)}
        loaded = []
        for s in self.sources:
            for c in s.classes.values():
                self.classes[c.name] = c
        for s in self.sources:
            d = _syntax.load(s.text(), s.label)
            loaded.append(d)
            for full, flat in self.flat.items():
                if flat in d:
                    names[flat] = d[flat]
        for c in self.classes.values():
            short = c.name[c.name.rfind(".") + 1:]
            if c.kind == "NamedTuple":
                c.made = collections.namedtuple(short, list(c.types))
            elif c.kind == "Enum":
                c.made = enum.Enum(short, {k: v for k, v in vars(names[self.flat[c.name]]).items() if not k.startswith("__")})
            if c.made is not None:
                c.made._of_archive = (self, c)
                names[self.flat[c.name]] = c.made
        check = self.flat.get("__torch__.torch.nn.functional._verify_batch_size")
        if check is not None:
            names[check] = _aten.verify_batch_size
        for d in loaded:
            for k, v in names.items():
                d[k] = v
        self.names = names

    def define(self, full):
        self.flat[full] = "N" + str(len(self.flat)) + "_" + full[full.rfind(".") + 1:]

    def fail(self, where, what):
        raise RuntimeError(f"{where}: {what}, which is not supported")

    def class_of(self, name):
        # The class of a module, or of a plain object.
        if name not in self.classes:
            raise RuntimeError(f"{self.path}: there is no code for the class '{name}'")
        c = self.classes[name]
        if c.made is None:
            plain = self.names[self.flat[name]]
            if c.kind != "Module":
                c.made = plain
            else:
                c.made = _module_class(plain, name[name.rfind(".") + 1:])
            c.made._of_archive = (self, c)
        return c

    def value(self, x):
        # Objects of the pickle become modules and instances, inside containers too.
        if isinstance(x, _Object):
            return self.object(x)
        if type(x) is list:
            for i, v in enumerate(x):
                x[i] = self.value(v)
        elif type(x) is tuple:
            return tuple([self.value(v) for v in x])
        elif isinstance(x, dict):
            for k in list(x):
                x[k] = self.value(x[k])
        return x

    def object(self, x):
        if id(x) in self.made:
            return self.made[id(x)][1]
        c = self.class_of(x.name)
        if c.kind in ("NamedTuple", "Enum"):
            return c.made(*[self.value(v) for v in x.args])
        new = c.made.__new__(c.made)
        self.made[id(x)] = (x, new)
        if "__setstate__" in vars(self.names[self.flat[x.name]]):
            raise RuntimeError(f"{self.path}: an object of '{x.name}' is loaded by code of its own (__setstate__), which is not run")
        if c.kind == "Module":
            nn.Module.__init__(new)
        d = vars(new)
        for k, v in (x.state or {}).items():
            v = self.value(v)
            if c.kind == "Module" and k in c.lists["__parameters__"]:
                d["_parameters"][k] = v if v is None or isinstance(v, Parameter) else Parameter(v, v.requires_grad)
            elif c.kind == "Module" and k in c.lists["__buffers__"]:
                d["_buffers"][k] = v
            elif c.kind == "Module" and isinstance(v, nn.Module):
                d["_modules"][k] = v
            else:
                d[k] = v
        if "_flat_weights" in d and "_flat_weights_names" in d:
            del d["_flat_weights"]          # a list of the parameters, which it must stay
        return new


class _Constants:
    # Whole numbers that a trace holds as tensors are numbers: sizes are made of them. Others that it adds or multiplies by
    # are numbers there (number0 ..), whose dtype counts for nothing, and tensors elsewhere, as PyTorch has them.
    def __init__(self, values):
        for i, v in enumerate(values or ()):
            alone = isinstance(v, _w.Tensor) and v.ndim == 0
            setattr(self, f"c{i}", v.item() if alone and v.dtype is torch.int64 else v)
            setattr(self, f"number{i}", v.item() if alone else v)


def _flat_weights(self):
    return [getattr(self, n) for n in self._flat_weights_names]


def _module_class(plain, name):
    # A scripted class with the methods and constants of one that the archive defines.
    class Original(nn.Module):
        pass

    Original.__name__ = Original.__qualname__ = name
    for k, v in vars(plain).items():
        if _syntax.sort(v) == "function":
            v.__jit_export__ = True
            setattr(Original, k, v)
        elif not k.startswith("__"):
            setattr(Original, k, v)
    Original._flat_weights = property(_flat_weights)
    return _module._class_for(Original)


def is_archive(f):
    # A zip file, not one of Weft's own?
    with open(f, "rb") as file:
        return file.read(2) == b"PK"


def load(f, map_location=None, extra_files=None):
    root, constants, entries = read(f, _ObjectReader(map_location))
    if not isinstance(root, _Object):
        raise RuntimeError(f"{f}: a file of torch.save, not of torch.jit.save: use torch.load")
    archive = _Archive(str(f) if isinstance(f, str) or hasattr(f, "__fspath__") else "<bytes>", constants, entries)
    if extra_files is not None:
        for k in list(extra_files):
            v = entries.get("extra/" + k)
            if v is not None:
                extra_files[k] = v
    _script.changed()
    return archive.object(root)
