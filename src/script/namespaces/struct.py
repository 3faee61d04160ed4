# struct -- numbers in bytes.
import _pack

_SIZES = {"x": 1, "c": 1, "b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "e": 2, "i": 4, "I": 4, "l": 4, "L": 4, "f": 4,
          "q": 8, "Q": 8, "d": 8, "s": 1, "p": 1}
_NATIVE = dict(_SIZES, l=8, L=8, n=8, N=8, P=8)


class error(Exception):
    pass


def _parse(fmt):
    # (big, [(count, code, size, aligned offset padding)])
    if isinstance(fmt, bytes):
        fmt = fmt.decode()
    order = fmt[0] if fmt and fmt[0] in "@=<>!" else "@"
    body = fmt[1:] if fmt and fmt[0] in "@=<>!" else fmt
    sizes = _NATIVE if order == "@" else _SIZES
    out, n, at = [], "", 0
    for c in body:
        if c.isspace():
            continue
        if c.isdigit():
            n += c
            continue
        if c not in sizes:
            raise error("bad char in struct format")
        size = sizes[c]
        if order == "@" and c not in "xsp" and at % size:
            out.append((size - at % size, "x", 1))
            at += size - at % size
        count = int(n) if n else 1
        out.append((count, c, size))
        at += count * size
        n = ""
    if n:
        raise error("repeat count given without format specifier")
    return order in (">", "!"), out, at


_cache = {}


def _get(fmt):
    p = _cache.get(fmt)
    if p is None:
        p = _cache[fmt] = _parse(fmt)
    return p


def calcsize(fmt):
    return _get(fmt)[2]


def _count(items):
    return sum(1 if c in "sp" else 0 if c == "x" else n for n, c, _ in items)


def _int(v, c, size, big):
    if not isinstance(v, int) and not hasattr(v, "__index__"):
        raise error("required argument is not an integer")
    v = int(v)
    signed = c in "bhilqn"
    lo, hi = (-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1) if signed else (0, (1 << (8 * size)) - 1)
    if not lo <= v <= hi:
        kind = {"b": "byte", "B": "ubyte", "h": "short", "H": "ushort"}.get(c)
        raise error(f"{kind} format requires {lo} <= number <= {hi}" if kind else f"'{c}' format requires {lo} <= number <= {hi}")
    return v.to_bytes(size, "big" if big else "little", signed=signed)


def pack(fmt, *values):
    big, items, _ = _get(fmt)
    if _count(items) != len(values):
        raise error(f"pack expected {_count(items)} items for packing (got {len(values)})")
    out, k = [], 0
    for n, c, size in items:
        if c == "x":
            out.append(bytes(n))
        elif c in "sp":
            v = values[k]
            k += 1
            if not isinstance(v, (bytes, bytearray)):
                raise error(f"argument for '{c}' must be a bytes object")
            out.append(bytes(v[:n]).ljust(n, b"\0") if c == "s" else (bytes([min(len(v), n - 1, 255)]) + bytes(v[:n - 1])).ljust(n, b"\0"))
        else:
            for _ in range(n):
                v = values[k]
                k += 1
                if c == "c":
                    if not isinstance(v, (bytes, bytearray)) or len(v) != 1:
                        raise error("char format requires a bytes object of length 1")
                    out.append(bytes(v))
                elif c == "?":
                    out.append(b"\x01" if v else b"\0")
                elif c in "efd":
                    try:
                        out.append(_pack.pack_float(v, size, big))
                    except TypeError:
                        raise error("required argument is not a float")
                else:
                    out.append(_int(v, c, size, big))
    return b"".join(out)


def unpack_from(fmt, buffer, offset=0):
    big, items, total = _get(fmt)
    if offset < 0:
        offset += len(buffer)
    if len(buffer) - offset < total:
        raise error(f"unpack_from requires a buffer of at least {offset + total} bytes for unpacking {total} bytes at offset {offset}"
                    f" (actual buffer size is {len(buffer)})")
    out, at, order = [], offset, "big" if big else "little"
    for n, c, size in items:
        if c == "x":
            at += n
        elif c in "sp":
            v = bytes(buffer[at:at + n])
            out.append(v if c == "s" else v[1:1 + v[0]])
            at += n
        else:
            for _ in range(n):
                if c in "efd":
                    out.append(_pack.unpack_float(buffer, at, size, big))
                elif c == "c":
                    out.append(bytes(buffer[at:at + 1]))
                elif c == "?":
                    out.append(buffer[at] != 0)
                else:
                    out.append(int.from_bytes(buffer[at:at + size], order, signed=c in "bhilqn"))
                at += size
    return tuple(out)


def unpack(fmt, buffer):
    if len(buffer) != calcsize(fmt):
        raise error(f"unpack requires a buffer of {calcsize(fmt)} bytes")
    return unpack_from(fmt, buffer)


def iter_unpack(fmt, buffer):
    n = calcsize(fmt)
    for i in range(0, len(buffer), n):
        yield unpack_from(fmt, buffer, i)


def pack_into(fmt, buffer, offset, *values):
    b = pack(fmt, *values)
    n, at = len(b), offset
    if at < 0:
        if at + n > 0:
            raise error(f"no space to pack {n} bytes at offset {offset}")
        if at + len(buffer) < 0:
            raise error(f"offset {offset} out of range for {len(buffer)}-byte buffer")
        at += len(buffer)
    if len(buffer) - at < n:
        raise error(f"pack_into requires a buffer of at least {n + at} bytes for packing {n} bytes at offset {at} "
                    f"(actual buffer size is {len(buffer)})")
    buffer[at:at + n] = b


class Struct:
    def __init__(self, format):
        self.format, self.size = format, calcsize(format)

    def pack(self, *values):
        return pack(self.format, *values)

    def pack_into(self, buffer, offset, *values):
        pack_into(self.format, buffer, offset, *values)

    def unpack(self, buffer):
        return unpack(self.format, buffer)

    def unpack_from(self, buffer, offset=0):
        return unpack_from(self.format, buffer, offset)

    def iter_unpack(self, buffer):
        return iter_unpack(self.format, buffer)
