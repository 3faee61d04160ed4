# base64 -- bytes as letters.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {c: i for i, c in enumerate(_LETTERS)}


def b64encode(s, altchars=None):
    s, out = bytes(s), bytearray()
    for i in range(0, len(s), 3):
        part = s[i:i + 3]
        v = int.from_bytes(part + bytes(3 - len(part)), "big")
        out += bytes([_LETTERS[v >> 18], _LETTERS[v >> 12 & 63], _LETTERS[v >> 6 & 63], _LETTERS[v & 63]])
        if len(part) < 3:
            out[len(part) - 3:] = b"=" * (3 - len(part))
    return bytes(out) if altchars is None else bytes(out).translate(bytes.maketrans(b"+/", altchars))


def b64decode(s, altchars=None, validate=False):
    s = s.encode("ascii") if isinstance(s, str) else bytes(s)
    if altchars is not None:
        s = s.translate(bytes.maketrans(altchars, b"+/"))
    import binascii
    if validate and any(c not in _VALUES and c != 61 for c in s):
        raise binascii.Error("Only base64 data is allowed")
    v = [_VALUES[c] for c in s if c in _VALUES]
    if len(v) % 4 == 1 or len(v) % 4 and not s.rstrip().endswith(b"="):
        raise binascii.Error("Incorrect padding")
    out = bytearray()
    for i in range(0, len(v), 4):
        q = v[i:i + 4]
        n = 0
        for x in q + [0] * (4 - len(q)):
            n = n << 6 | x
        out += n.to_bytes(3, "big")[:len(q) - 1]
    return bytes(out)


standard_b64encode, standard_b64decode = b64encode, b64decode


def urlsafe_b64encode(s):
    return b64encode(s, b"-_")


def urlsafe_b64decode(s):
    return b64decode(s, b"-_")


def b16encode(s):
    return bytes(s).hex().upper().encode()


def b16decode(s, casefold=False):
    s = s if isinstance(s, str) else s.decode()
    if not casefold and s != s.upper():
        raise ValueError("Non-base16 digit found")
    return bytes.fromhex(s)


def encodebytes(s):
    return b"".join([b64encode(s[i:i + 57]) + b"\n" for i in range(0, len(s), 57)])


decodebytes = b64decode
