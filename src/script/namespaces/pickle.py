# pickle -- data alone: numbers, text, bytes, containers. Nothing of a file is ever called.
import struct as _struct

HIGHEST_PROTOCOL, DEFAULT_PROTOCOL = 5, 4


class PickleError(Exception):
    pass


class PicklingError(PickleError):
    pass


class UnpicklingError(PickleError):
    pass


# ---- writing, protocol 4 without frames


def _size(short, long, n):
    return short + bytes([n]) if n < 256 else long + n.to_bytes(4, "little")


def _put(x, out):
    c = type(x)
    if x is None or c is bool:
        out.append(b"N" if x is None else b"\x88" if x else b"\x89")
    elif c is int:
        if 0 <= x < 256:
            out.append(b"K" + bytes([x]))
        elif 0 <= x < 65536:
            out.append(b"M" + x.to_bytes(2, "little"))
        elif -0x80000000 <= x < 0x80000000:
            out.append(b"J" + x.to_bytes(4, "little", signed=True))
        else:
            b = x.to_bytes(x.bit_length() // 8 + 1, "little", signed=True)
            out.append(_size(b"\x8a", b"\x8b", len(b)) + b)
    elif c is float:
        out.append(b"G" + _struct.pack(">d", x))
    elif c is str:
        b = x.encode()
        out.append(_size(b"\x8c", b"X", len(b)) + b)
    elif c is bytes:
        out.append(_size(b"C", b"B", len(x)) + x)
    elif c is bytearray:
        out.append(b"\x96" + len(x).to_bytes(8, "little") + bytes(x))
    elif c is tuple:
        if len(x) > 3:
            out.append(b"(")
        for v in x:
            _put(v, out)
        out.append([b")", b"\x85", b"\x86", b"\x87"][len(x)] if len(x) <= 3 else b"t")
    elif c is list:
        out.append(b"](")
        for v in x:
            _put(v, out)
        out.append(b"e")
    elif c is dict:
        out.append(b"}(")
        for k, v in x.items():
            _put(k, out)
            _put(v, out)
        out.append(b"u")
    elif c is set or c is frozenset:
        out.append(b"\x8f(" if c is set else b"(")
        for v in x:
            _put(v, out)
        out.append(b"\x90" if c is set else b"\x91")
    else:
        raise PicklingError(f"pickle writes data alone here, not {c.__name__!r} objects")


def dumps(obj, protocol=None, *, fix_imports=True, buffer_callback=None):
    if buffer_callback is not None or protocol is not None and not -1 <= protocol <= HIGHEST_PROTOCOL:
        raise ValueError(f"pickle protocol must be <= {HIGHEST_PROTOCOL}, and buffers are written inside")
    out = [b"\x80\x04"]
    _put(obj, out)
    out.append(b"." if fix_imports or True else b"")
    return b"".join(out)


def dump(obj, file, protocol=None, *, fix_imports=True, buffer_callback=None):
    file.write(dumps(obj, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback))


# ---- reading


_MARK = object()


class _Global:
    def __init__(self, module, name):
        self.module, self.name = module, name


def _build(f, args):
    # the few constructors that stand for data
    key = (f.module, f.name) if isinstance(f, _Global) else None
    if key in (("builtins", "set"), ("__builtin__", "set")):
        return set(*args)
    if key in (("builtins", "frozenset"), ("__builtin__", "frozenset")):
        return frozenset(*args)
    if key in (("builtins", "bytearray"), ("__builtin__", "bytearray")):
        return bytearray(*(a.encode("latin-1") if isinstance(a, str) else a for a in args[:1]))
    if key in (("builtins", "complex"), ("__builtin__", "complex")):
        return complex(*args)
    if key == ("_codecs", "encode"):
        return args[0].encode(args[1])
    if key == ("collections", "OrderedDict"):
        import collections
        return collections.OrderedDict(*args)
    if key in (("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct")):
        return _Array()
    if key == ("numpy", "dtype"):
        return _DType(args[0])
    if key in (("numpy.core.multiarray", "scalar"), ("numpy._core.multiarray", "scalar")):
        import numpy
        return numpy.frombuffer(args[1] if isinstance(args[1], bytes) else args[1].encode("latin-1"), args[0].text())[0]
    raise UnpicklingError(f"pickle reads data alone here, not '{f.module}.{f.name}'" if key else "pickle reads data alone here")


class _DType:
    def __init__(self, code):
        self.code, self.order = code, "="

    def text(self):
        if self.order == ">":
            raise UnpicklingError("an array in big-endian order")
        return {"f4": "float32", "f8": "float64", "f2": "float16", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
                "u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64", "b1": "bool"}[self.code]


class _Array:
    value = None


class Unpickler:
    def __init__(self, file, *, fix_imports=True, encoding="ASCII", errors="strict", buffers=None):
        if buffers is not None or not fix_imports:
            raise NotImplementedError("pickle: buffers, fix_imports=False")
        self._file, self._encoding, self._errors = file, encoding, errors

    def load(self):
        data = self._file.read()
        r = _Reader(data, self._encoding, self._errors)
        v = r.run()
        if r.at < len(data) and hasattr(self._file, "seek"):
            self._file.seek(r.at - len(data), 1)
        return v


class _Reader:
    def __init__(self, data, encoding, errors):
        self.data, self.at, self.stack, self.memo = bytes(data), 0, [], {}
        self.encoding, self.errors = encoding, errors

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

    def real(self, v):
        return v.value if isinstance(v, _Array) else v

    def run(self):
        push, stack = self.stack.append, self.stack
        while True:
            op = self.take(1)
            if op == b".":
                return self.real(stack.pop())
            f = _OPS.get(op)
            if f is None:
                raise UnpicklingError(f"invalid load key, {op!r}.")
            f(self, push, stack)


def _pair(items):
    return list(zip(items[::2], items[1::2]))


def _state(r, push, stack):
    state = stack.pop()
    o = stack[-1]
    if isinstance(o, _DType):
        o.order = state[1]
    elif isinstance(o, _Array):
        import numpy
        shape, dt, fortran, raw = state[1], state[2], state[3], state[4]
        raw = raw if isinstance(raw, bytes) else raw.encode("latin-1")
        a = numpy.frombuffer(raw, dt.text())
        o.value = a.reshape(shape[::-1]).T.copy() if fortran and len(shape) > 1 else a.reshape(shape).copy()
    elif isinstance(o, dict) and isinstance(state, dict) and not state:
        return
    else:
        raise UnpicklingError("pickle reads data alone here, not the state of objects")


def _fill(r, push, stack):
    items = r.marked()
    stack[-1].extend([r.real(v) for v in items])


def _update(r, push, stack):
    for k, v in _pair(r.marked()):
        stack[-1][r.real(k)] = r.real(v)


def _setitem(r, push, stack):
    v, k = stack.pop(), stack.pop()
    stack[-1][r.real(k)] = r.real(v)


def _append(r, push, stack):
    v = stack.pop()
    stack[-1].append(r.real(v))


def _reduce(r, push, stack):
    args = stack.pop()
    push(_build(stack.pop(), tuple(r.real(a) for a in args)))


def _frozen(r, push, stack):
    push(frozenset(r.real(v) for v in r.marked()))


def _additems(r, push, stack):
    items = r.marked()
    stack[-1].update(items)


def _tuple(n):
    def f(r, push, stack):
        items = stack[len(stack) - n:] if n else []
        if n:
            del stack[len(stack) - n:]
        push(tuple(r.real(v) for v in items))
    return f


def _memo(n):
    def f(r, push, stack):
        r.memo[len(r.memo) if n == 0 else r.number(n)] = stack[-1]
    return f


def _int_line(r, push, stack):
    s = r.line()
    push(True if s == "01" else False if s == "00" else int(s))


def _global(r, push, stack):
    module = r.line()
    push(_Global(module, r.line()))


def _stack_global(r, push, stack):
    name = stack.pop()
    push(_Global(stack.pop(), name))


def _pop_mark(r, push, stack):
    r.marked()


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
    b"\x87": _tuple(3), b"t": lambda r, push, stack: push(tuple(r.real(v) for v in r.marked())), b"l": lambda r, push, stack: push(r.marked()),
    b"d": lambda r, push, stack: push(dict(_pair(r.marked()))), b"e": _fill, b"a": _append, b"u": _update, b"s": _setitem, b"\x90": _additems, b"\x91": _frozen,
    b"\x94": _memo(0), b"q": _memo(1), b"r": _memo(4), b"p": lambda r, push, stack: r.memo.__setitem__(int(r.line()), stack[-1]),
    b"h": lambda r, push, stack: push(r.memo[r.number(1)]), b"j": lambda r, push, stack: push(r.memo[r.number(4)]),
    b"g": lambda r, push, stack: push(r.memo[int(r.line())]), b"0": lambda r, push, stack: stack.pop(), b"1": _pop_mark, b"2": lambda r, push, stack: push(stack[-1]),
    b"c": _global, b"\x93": _stack_global, b"R": _reduce, b"\x81": _reduce, b"b": _state,
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
