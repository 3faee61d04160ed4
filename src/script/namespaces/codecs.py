# codecs -- files and texts in an encoding.
BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE = b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"


def encode(obj, encoding="utf-8", errors="strict"):
    if encoding in ("rot13", "rot_13"):
        return _rot13(obj)
    return obj.encode(encoding, errors)


def decode(obj, encoding="utf-8", errors="strict"):
    if encoding in ("rot13", "rot_13"):
        return _rot13(obj)
    if encoding in ("hex", "hex_codec"):
        return bytes.fromhex(obj.decode("ascii") if isinstance(obj, bytes) else obj)
    if encoding in ("unicode_escape", "string_escape"):
        import ast
        text = obj.decode("latin-1") if isinstance(obj, bytes) else obj
        return ast.literal_eval('"' + text.replace('"', '\\"') + '"')
    return bytes(obj).decode(encoding, errors)


def _rot13(text):
    out = []
    for c in text:
        base = 65 if "A" <= c <= "Z" else 97 if "a" <= c <= "z" else None
        out.append(c if base is None else chr((ord(c) - base + 13) % 26 + base))
    return "".join(out)


_open = open


def open(filename, mode="r", encoding=None, errors="strict", buffering=-1):
    if encoding is None or "b" in mode:
        return _open(filename, mode, buffering)
    return _open(filename, mode, buffering, encoding=encoding, errors=errors)


def getreader(encoding):
    return lambda stream, errors="strict": _io().TextIOWrapper(stream, encoding=encoding, errors=errors)


getwriter = getreader


def _io():
    import io
    return io


class CodecInfo:
    def __init__(self, name):
        self.name = name


def lookup(encoding):
    try:
        b"".decode(encoding)
    except LookupError:
        raise LookupError(f"unknown encoding: {encoding}") from None
    return CodecInfo(encoding.lower().replace("_", "-").replace("utf8", "utf-8"))
