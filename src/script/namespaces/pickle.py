# pickle -- Python's pickles: written as protocol 4 without frames, or 2; all protocols are read. Functions and classes are named, not
# written. What a file names is looked up in the program's own files and in the libraries' here; of the standard library's
# only what stands for data; and whatever is not the program's own computes and does no more (script/confine.c): so no file can have
# a command run.
import copyreg as _copyreg
import struct as _struct
import sys as _sys
from _host import call_as_file as _call_as_file

HIGHEST_PROTOCOL, DEFAULT_PROTOCOL = 5, 4
_FUNCTION, _BUILTIN, _MODULE = type(lambda: 0), type(len), type(_sys)

# Names of the codes that pickles are written in: each with its byte.
_CODES = ("MARK 28 EMPTY_TUPLE 29 STOP 2e POP 30 POP_MARK 31 DUP 32 BINBYTES 42 SHORT_BINBYTES 43 FLOAT 46 BINFLOAT 47 INT 49 "
          "BININT 4a BININT1 4b LONG 4c BININT2 4d NONE 4e PERSID 50 BINPERSID 51 REDUCE 52 STRING 53 BINSTRING 54 "
          "SHORT_BINSTRING 55 UNICODE 56 BINUNICODE 58 EMPTY_LIST 5d APPEND 61 BUILD 62 GLOBAL 63 DICT 64 APPENDS 65 GET 67 "
          "BINGET 68 INST 69 LONG_BINGET 6a LIST 6c OBJ 6f PUT 70 BINPUT 71 LONG_BINPUT 72 SETITEM 73 TUPLE 74 SETITEMS 75 "
          "EMPTY_DICT 7d PROTO 80 NEWOBJ 81 EXT1 82 EXT2 83 EXT4 84 TUPLE1 85 TUPLE2 86 TUPLE3 87 NEWTRUE 88 NEWFALSE 89 "
          "LONG1 8a LONG4 8b SHORT_BINUNICODE 8c BINUNICODE8 8d BINBYTES8 8e EMPTY_SET 8f ADDITEMS 90 FROZENSET 91 NEWOBJ_EX 92 "
          "STACK_GLOBAL 93 MEMOIZE 94 FRAME 95 BYTEARRAY8 96 NEXT_BUFFER 97 READONLY_BUFFER 98").split()
globals().update(zip(_CODES[::2], map(bytes.fromhex, _CODES[1::2])), TRUE=b"I01\n", FALSE=b"I00\n")


class PickleError(Exception):
    pass


class PicklingError(PickleError):
    pass


class UnpicklingError(PickleError):
    pass


# ---- writing


def _size(short, long, n):
    return short + bytes([n]) if n < 256 else long + n.to_bytes(4, "little")


def _state_of(x, cls):
    # what __getstate__ gives, or the attributes, those in slots apart
    if hasattr(cls, "__getstate__"):
        return x.__getstate__()
    state = dict(vars(x)) if hasattr(x, "__dict__") else None
    slots = {}
    for c in cls.__mro__:
        names = getattr(c, "__dict__", {}).get("__slots__", ())
        for n in (names,) if isinstance(names, str) else names:
            if n not in ("__dict__", "__weakref__") and hasattr(x, n):
                slots[n] = getattr(x, n)
    return (state or None, slots) if slots else state or None


def taken_apart(x, cls, protocol):
    # (function, arguments, state, items of a list, items of a dict), as __reduce_ex__ gives them
    for way in ("__reduce_ex__", "__reduce__"):
        if hasattr(cls, way):
            return getattr(x, way)(protocol) if way == "__reduce_ex__" else x.__reduce__()
    if isinstance(x, BaseException):
        return cls, tuple(x.args), vars(x) or None
    if hasattr(cls, "__members__"):
        return cls, (x.value,)
    name = cls.__module__ + "." + cls.__name__
    if name == "collections.defaultdict":
        return cls, (x.default_factory,) if x.default_factory is not None else (), None, None, iter(x.items())
    if name == "collections.Counter":
        return cls, (dict(x),)
    if name == "collections.deque":
        return cls, ([], x.maxlen) if x.maxlen is not None else ([],), None, iter(x)
    if name == "functools.partial":
        return cls, (x.func,), (x.func, x.args, x.keywords, None)
    if name == "numpy.ndarray":
        import numpy
        a = numpy.ascontiguousarray(x)
        return _Global("numpy.core.multiarray", "_reconstruct"), (cls, (0,), b"b"), (1, tuple(x.shape), x.dtype, False, a.tobytes())
    if cls.__name__ == "dtype":
        if repr(x).startswith("torch."):
            return repr(x)[6:]
        text = x.str
        return _Global("numpy", "dtype"), (text.lstrip("<>|="), False, True), (3, text[0], None, None, None, -1, -1, 0)
    if cls.__module__ == "numpy" and hasattr(x, "dtype"):
        return _Global("numpy.core.multiarray", "scalar"), (x.dtype, __import__("numpy").asarray(x).tobytes())
    if isinstance(x, (set, frozenset)):
        return cls, (list(x),), vars(x) or None
    if any([c.__name__ == "Tensor" and c.__module__ == "builtins" for c in cls.__mro__]):
        return _tensor_apart(x, cls.__module__.split(".")[0])
    if name in ("builtins.range", "builtins.slice"):
        return cls, (x.start, x.stop, x.step)
    if name == "builtins.complex":
        return cls, (x.real, x.imag)
    plain = isinstance(x, (tuple, str, int, float, bytes))
    if cls.__module__ == "builtins" or not (plain or isinstance(x, (list, dict)) or hasattr(x, "__dict__") or _state_of(x, cls)):
        raise TypeError(f"cannot pickle '{cls.__name__}' object")
    args = tuple(x.__getnewargs__()) if hasattr(cls, "__getnewargs__") else ()
    if plain and not args:
        args = (next(b for b in (tuple, str, bytes, int, float) if isinstance(x, b))(x),)
    return (_copyreg.__newobj__, (cls, *args), _state_of(x, cls), iter(x) if isinstance(x, list) else None,
            iter(x.items()) if isinstance(x, dict) else None)


def _tensor_apart(x, library):
    if library == "torch":
        import io
        import torch
        f = io.BytesIO()
        torch.save(x, f)
        return _Global("torch.storage", "_load_from_bytes"), (f.getvalue(),)
    import numpy
    made = {"jax": ("jax.numpy", "asarray"), "tensorflow": ("tensorflow", "convert_to_tensor")}.get(library, ("aesara._graph", "held"))
    return _Global(*made), (numpy.array(x),)


def _load_from_bytes(b):
    import io
    import torch
    return torch.load(io.BytesIO(b), weights_only=False)


class _Global:
    # a name that a file has
    def __init__(self, module, name):
        self.module, self.name = module, name


class _Writer:
    def __init__(self, protocol=DEFAULT_PROTOCOL):
        self.protocol = protocol
        self.out = [b"\x80" + bytes([protocol])]
        self.memo = {}          # id: number
        self.kept = []          # what has an id there stays alive

    def remember(self, x):
        n = len(self.memo)
        self.memo[id(x)] = n
        self.kept.append(x)
        self.out.append(b"\x94" if self.protocol > 3 else _size(b"q", b"r", n))

    def name(self, module, name):
        if self.protocol < 3 and module == "builtins":
            module = "__builtin__"
        if self.protocol > 3:
            self.text(module)
            self.text(name)
            self.out.append(b"\x93")
        else:
            self.out.append(b"c" + f"{module}\n{name}\n".encode())

    def named(self, x):
        # a function or a class, which whoever reads this looks up
        name = getattr(x, "__qualname__", None) or x.__name__
        module = getattr(x, "__module__", None)
        if module is None:
            module = next((m for m, v in list(_sys.modules.items()) if m != "__main__" and vars(v).get(name) is x), "builtins")
        there = _sys.modules.get(module)
        for part in name.split("."):
            there = getattr(there, part, None)
        if module != "builtins" and there is not x:
            raise PicklingError(f"Can't pickle {x!r}: attribute lookup {name} on {module} failed")
        self.name(module, name)

    def call(self, module, name, *args):
        self.name(module, name)
        self.put(args)
        self.out.append(b"R")

    def text(self, x):
        b = x.encode()
        self.out.append((_size(b"\x8c", b"X", len(b)) if self.protocol > 3 else b"X" + len(b).to_bytes(4, "little")) + b)

    def integer(self, x):
        if 0 <= x < 256:
            self.out.append(b"K" + bytes([x]))
        elif 0 <= x < 65536:
            self.out.append(b"M" + x.to_bytes(2, "little"))
        elif -0x80000000 <= x < 0x80000000:
            self.out.append(b"J" + x.to_bytes(4, "little", signed=True))
        else:
            b = x.to_bytes(x.bit_length() // 8 + 1, "little", signed=True)
            self.out.append(_size(b"\x8a", b"\x8b", len(b)) + b)

    def put(self, x):
        c = type(x)
        if x is None or c is bool:
            self.out.append(b"N" if x is None else b"\x88" if x else b"\x89")
        elif c is int:
            self.integer(x)
        elif c is float:
            self.out.append(b"G" + _struct.pack(">d", x))
        elif c is str:
            self.text(x)
        elif id(x) in self.memo:
            self.out.append(_size(b"h", b"j", self.memo[id(x)]))
        elif c is tuple:
            self.items(x, [b")", b"\x85", b"\x86", b"\x87"][len(x)] if len(x) <= 3 else b"t", len(x) > 3)
            if x:
                self.remember(x)
        elif c is list:
            self.out.append(b"]")
            self.remember(x)
            if x:
                self.items(x, b"e", True)
        elif c is dict:
            self.out.append(b"}")
            self.remember(x)
            self.pairs(x.items())
        elif not self.special(x, c):
            self.object(x, c)

    def items(self, values, end, marked):
        if marked:
            self.out.append(b"(")
        for v in values:
            self.put(v)
        self.out.append(end)

    def pairs(self, items):
        items = list(items)
        if items:
            self.out.append(b"(")
            for k, v in items:
                self.put(k)
                self.put(v)
            self.out.append(b"u")

    def special(self, x, c):
        # what has instructions of its own; torch.save has tensors here
        if c is bytes or c is bytearray:
            if self.protocol > 3:
                self.out.append((_size(b"C", b"B", len(x)) if c is bytes else b"\x96" + len(x).to_bytes(8, "little")) + bytes(x))
            elif c is bytes:
                self.call("_codecs", "encode", x.decode("latin1"), "latin1")
            else:
                self.call("builtins", "bytearray", bytes(x))
        elif (c is set or c is frozenset) and self.protocol > 3:
            if c is set:
                self.out.append(b"\x8f")
                self.remember(x)
            self.items(x, b"\x90" if c is set else b"\x91", True)
            if c is set:
                return True
        elif c is set or c is frozenset:
            self.call("builtins", c.__name__, list(x))
        elif c in (type(Ellipsis), type(NotImplemented)):
            self.name("builtins", repr(x))
        elif isinstance(x, type) or c is _FUNCTION or c is _BUILTIN:
            self.named(x)
        elif c is _Global:
            self.name(x.module, x.name)
            return True
        else:
            return False
        self.remember(x)
        return True

    def object(self, x, c):
        if c in _copyreg.dispatch_table:
            parts = _copyreg.dispatch_table[c](x)
        elif c.__name__ == "method":
            parts = getattr, (x.__self__, x.__func__.__name__)
        else:
            parts = taken_apart(x, c, self.protocol)
        if isinstance(parts, str):
            self.name("torch" if c.__name__ == "dtype" else getattr(x, "__module__", None) or c.__module__, parts)
            self.remember(x)
            return
        f, args, state, rows, pairs = (tuple(parts) + (None,) * 3)[:5]
        if f is _copyreg.__newobj__:
            self.put(args[0])
            self.put(tuple(args[1:]))
            self.out.append(b"\x81")
        else:
            self.put(f)
            self.put(tuple(args))
            self.out.append(b"R")
        self.remember(x)
        if rows is not None:
            self.items(list(rows), b"e", True)
        if pairs is not None:
            self.pairs(pairs)
        if state is not None:
            self.put(state)
            self.out.append(b"b")


def dumps(obj, protocol=None, *, fix_imports=True, buffer_callback=None):
    if buffer_callback is not None or protocol is not None and not -1 <= protocol <= HIGHEST_PROTOCOL:
        raise ValueError(f"pickle protocol must be <= {HIGHEST_PROTOCOL}, and buffers are written inside")
    if not fix_imports:
        raise NotImplementedError("pickle: fix_imports=False")
    w = _Writer(2 if protocol is not None and 0 <= protocol <= 3 else 4)
    w.put(obj)
    w.out.append(b".")
    return b"".join(w.out)


def dump(obj, file, protocol=None, *, fix_imports=True, buffer_callback=None):
    file.write(dumps(obj, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback))


# ---- reading


_MARK = object()
_RENAMED = {"__builtin__": "builtins", "copy_reg": "copyreg", "numpy._core.multiarray": "numpy.core.multiarray", "UserDict": "collections"}
_UNSAFE = ("eval exec compile open input breakpoint globals locals vars setattr delattr exit quit").split()
_LIBRARIES = ("collections", "copyreg", "datetime", "fractions", "functools", "argparse", "pathlib", "types", "numpy", "torch", "torchvision", "jax",
              "tensorflow", "aesara", "enum", "random", "string", "uuid")


def _find(module, name):
    # what a file means by a name
    module = _RENAMED.get(module, module)
    if (module, name) in _DATA:
        return _DATA[module, name]
    if module == "builtins":
        if name not in _UNSAFE and not name.startswith("_"):
            return {"long": int, "unicode": str}.get(name) or getattr(__import__("builtins"), name)
    else:
        own = module == "__main__" or module.split(".")[0] not in _LIBRARIES and hasattr(_module(module), "__file__")
        if own or module.split(".")[0] in _LIBRARIES:
            x = _module(module)
            for part in name.split("."):
                if not hasattr(x, part):
                    raise AttributeError(f"Can't get attribute '{name}' on {x!r}")
                x = getattr(x, part)
                if isinstance(x, _MODULE):
                    break
            else:
                return x
    raise UnpicklingError(f"pickle reads data, objects of the program's own classes and of the libraries', not '{module}.{name}'")


def _is_own(x):
    # Made by the program's own source, which may do what it likes?
    m = getattr(x, "__module__", None)
    return m == "__main__" or isinstance(m, str) and m.split(".")[0] not in _LIBRARIES and hasattr(_sys.modules.get(m), "__file__")


def _module(name):
    if name not in _sys.modules:
        __import__(name)
    return _sys.modules[name]


class _DType:
    def __init__(self, code, *flags):
        self.code, self.order = code, "="

    def real(self):
        import numpy
        return numpy.dtype((self.order if self.order in "<>" else "") + self.code)


class _Array:
    def __init__(self, *args):
        self.keys = []          # in the memo: the array takes this one's places


def _scalar(dtype, raw):
    import numpy
    return numpy.frombuffer(raw if isinstance(raw, bytes) else raw.encode("latin-1"), dtype.real())[0]


def _method(o, name):
    if name.startswith("_") or isinstance(o, (_MODULE, _FUNCTION, _BUILTIN)):
        raise UnpicklingError(f"pickle takes methods of objects, not {name!r} of {o!r}")
    return getattr(o, name)


_DATA = {("numpy.core.multiarray", "_reconstruct"): _Array, ("numpy.core.multiarray", "scalar"): _scalar, ("numpy", "dtype"): _DType,
         ("_codecs", "encode"): lambda s, code: s.encode(code), ("builtins", "getattr"): _method,
         ("torch.storage", "_load_from_bytes"): _load_from_bytes}


class Unpickler:
    def __init__(self, file, *, fix_imports=True, encoding="ASCII", errors="strict", buffers=None):
        if buffers is not None or not fix_imports:
            raise NotImplementedError("pickle: buffers, fix_imports=False")
        self._file, self._encoding, self._errors = file, encoding, errors

    def find_class(self, module, name):
        return _find(module, name)

    def persistent_load(self, pid):
        raise UnpicklingError("A load persistent id instruction was encountered, but no persistent_load function was specified.")

    def load(self):
        data = self._file.read()
        r = _Reader(data, self._encoding, self._errors, self.find_class, self.persistent_load)
        v = r.run()
        if r.at < len(data) and hasattr(self._file, "seek"):
            self._file.seek(r.at - len(data), 1)
        return v


class _Reader:
    def __init__(self, data, encoding="ASCII", errors="strict", find=_find, persistent=None):
        self.data, self.at, self.stack, self.memo = bytes(data), 0, [], {}
        self.encoding, self.errors, self.find, self.persistent = encoding, errors, find, persistent
        self.own = []           # what was found, of the program's own

    def found(self, x):
        if _is_own(x) and not self.is_own(x):
            self.own.append(x)
        return x

    def is_own(self, x):
        return any([x is o for o in self.own])

    def call(self, c, f, args):
        return f(*args) if self.is_own(c) else _call_as_file(f, args)

    def take(self, n):
        b = self.data[self.at:self.at + n]
        if len(b) < n:
            raise EOFError("Ran out of input")
        self.at += n
        return b

    def number(self, n, signed=False):
        return int.from_bytes(self.take(n), "little", signed=signed)

    def line(self):
        i = self.data.index(b"\n", self.at)
        s = self.data[self.at:i]
        self.at = i + 1
        return s.decode()

    def text(self, b):
        return b if self.encoding == "bytes" else b.decode(self.encoding, self.errors)

    def marked(self):
        i = len(self.stack) - 1
        while self.stack[i] is not _MARK:
            i -= 1
        out = self.stack[i + 1:]
        del self.stack[i:]
        return out

    def keep(self, key):
        self.memo[key] = self.stack[-1]
        if isinstance(self.stack[-1], _Array):
            self.stack[-1].keys.append(key)

    def run(self):
        push, stack = self.stack.append, self.stack
        while True:
            op = self.take(1)
            if op == b".":
                return _finished(stack.pop())
            f = _OPS.get(op)
            if f is None:
                raise UnpicklingError(f"invalid load key, {op!r}.")
            f(self, push, stack)


def _finished(v):
    return v.real() if isinstance(v, _DType) else v


def _build(r, push, stack):
    state = stack.pop()
    o = stack[-1]
    if isinstance(o, _DType):
        o.order = state[1]
    elif isinstance(o, _Array):
        import numpy
        raw = state[4] if isinstance(state[4], bytes) else state[4].encode("latin-1")
        a = numpy.frombuffer(raw, state[2].real())
        shape = tuple(state[1])
        stack[-1] = a.reshape(shape[::-1]).T.copy() if state[3] and len(shape) > 1 else a.reshape(shape).copy()
        for key in o.keys:
            r.memo[key] = stack[-1]
    elif hasattr(type(o), "__setstate__"):
        r.call(type(o), o.__setstate__, (state,))
    elif type(o).__name__ == "partial" and isinstance(state, tuple) and len(state) == 4:
        make = lambda: type(o)(state[0], *state[1], **state[2])
        stack[-1] = r.call(state[0], make, ())
    else:
        slots = None
        if isinstance(state, tuple) and len(state) == 2:
            state, slots = state
        if state:
            vars(o).update(state)
        for k, v in (slots or {}).items():
            setattr(o, k, v)


def _fill(r, push, stack):
    items = r.marked()
    stack[-1].extend([_finished(v) for v in items])


def _update(r, push, stack):
    items = r.marked()
    d = stack[-1]
    for i in range(0, len(items), 2):
        d[_finished(items[i])] = _finished(items[i + 1])


def _setitem(r, push, stack):
    v, k = stack.pop(), stack.pop()
    stack[-1][k] = _finished(v)


def _append(r, push, stack):
    v = stack.pop()
    stack[-1].append(_finished(v))


def _reduce(r, push, stack):
    args = stack.pop()
    f = stack.pop()
    if f is bytearray and args and isinstance(args[0], str):
        args = (args[0].encode("latin-1"),)
    push(r.call(f, f, args))


def _newobj(r, push, stack):
    args = stack.pop()
    c = stack.pop()
    push(r.call(c, c.__new__, (c, *args)))


def _newobj_ex(r, push, stack):
    kwargs, args = stack.pop(), stack.pop()
    c = stack.pop()
    push(r.call(c, lambda: c.__new__(c, *args, **kwargs), ()))


def _additems(r, push, stack):
    items = r.marked()
    stack[-1].update(items)


def _tuple(n):
    def f(r, push, stack):
        items = stack[len(stack) - n:] if n else []
        if n:
            del stack[len(stack) - n:]
        push(tuple(items))
    return f


def _int_line(r, push, stack):
    s = r.line()
    push(True if s == "01" else False if s == "00" else int(s))


def _global(r, push, stack):
    module = r.line()
    push(r.found(r.find(module, r.line())))


def _stack_global(r, push, stack):
    name = stack.pop()
    push(r.found(r.find(stack.pop(), name)))


def _persistent(r, push, stack):
    pid = stack.pop()
    if r.persistent is None:
        raise UnpicklingError("A load persistent id instruction was encountered, but no persistent_load function was specified.")
    push(r.persistent(pid))


def _dict_of(r, push, stack):
    items = r.marked()
    push(dict(zip(items[::2], [_finished(v) for v in items[1::2]])))


_OPS = {
    b"\x80": lambda r, push, stack: r.take(1), b"\x95": lambda r, push, stack: r.take(8), b"N": lambda r, push, stack: push(None),
    b"\x88": lambda r, push, stack: push(True), b"\x89": lambda r, push, stack: push(False), b"I": _int_line,
    b"L": lambda r, push, stack: push(int(r.line().rstrip("L"))), b"F": lambda r, push, stack: push(float(r.line())),
    b"K": lambda r, push, stack: push(r.number(1)), b"M": lambda r, push, stack: push(r.number(2)), b"J": lambda r, push, stack: push(r.number(4, True)),
    b"\x8a": lambda r, push, stack: push(r.number(r.number(1), True)), b"\x8b": lambda r, push, stack: push(r.number(r.number(4), True)),
    b"G": lambda r, push, stack: push(_struct.unpack(">d", r.take(8))[0]),
    b"X": lambda r, push, stack: push(r.take(r.number(4)).decode()), b"\x8c": lambda r, push, stack: push(r.take(r.number(1)).decode()),
    b"\x8d": lambda r, push, stack: push(r.take(r.number(8)).decode()), b"V": lambda r, push, stack: push(r.line()),
    b"U": lambda r, push, stack: push(r.text(r.take(r.number(1)))), b"T": lambda r, push, stack: push(r.text(r.take(r.number(4)))),
    b"S": lambda r, push, stack: push(r.line()[1:-1]), b"B": lambda r, push, stack: push(r.take(r.number(4))),
    b"C": lambda r, push, stack: push(r.take(r.number(1))), b"\x8e": lambda r, push, stack: push(r.take(r.number(8))),
    b"\x96": lambda r, push, stack: push(bytearray(r.take(r.number(8)))), b"(": lambda r, push, stack: push(_MARK), b"]": lambda r, push, stack: push([]),
    b"}": lambda r, push, stack: push({}), b"\x8f": lambda r, push, stack: push(set()), b")": _tuple(0), b"\x85": _tuple(1), b"\x86": _tuple(2),
    b"\x87": _tuple(3), b"t": lambda r, push, stack: push(tuple(r.marked())), b"l": lambda r, push, stack: push(r.marked()), b"d": _dict_of,
    b"e": _fill, b"a": _append, b"u": _update, b"s": _setitem, b"\x90": _additems, b"\x91": lambda r, push, stack: push(frozenset(r.marked())),
    b"\x94": lambda r, push, stack: r.keep(len(r.memo)), b"q": lambda r, push, stack: r.keep(r.number(1)),
    b"r": lambda r, push, stack: r.keep(r.number(4)), b"p": lambda r, push, stack: r.keep(int(r.line())),
    b"h": lambda r, push, stack: push(r.memo[r.number(1)]), b"j": lambda r, push, stack: push(r.memo[r.number(4)]),
    b"g": lambda r, push, stack: push(r.memo[int(r.line())]), b"0": lambda r, push, stack: stack.pop(), b"1": lambda r, push, stack: r.marked(),
    b"2": lambda r, push, stack: push(stack[-1]), b"c": _global, b"\x93": _stack_global, b"R": _reduce, b"\x81": _newobj, b"\x92": _newobj_ex,
    b"b": _build, b"Q": _persistent,
}


def loads(data, /, *, fix_imports=True, encoding="ASCII", errors="strict", buffers=None):
    if buffers is not None or not fix_imports:
        raise NotImplementedError("pickle: buffers, fix_imports=False")
    return _Reader(data, encoding, errors).run()


def load(file, *, fix_imports=True, encoding="ASCII", errors="strict", buffers=None):
    return Unpickler(file, fix_imports=fix_imports, encoding=encoding, errors=errors, buffers=buffers).load()


class Pickler:
    def __init__(self, file, protocol=None):
        self._file, self._protocol = file, protocol

    def dump(self, obj):
        dump(obj, self._file, self._protocol)
