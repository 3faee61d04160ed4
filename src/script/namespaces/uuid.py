# uuid -- identifiers of 128 bits (RFC 4122).
import hashlib as _hashlib
import os as _os
import time as _time

RESERVED_NCS, RFC_4122 = "reserved for NCS compatibility", "specified in RFC 4122"


class UUID:
    def __init__(self, hex=None, bytes=None, bytes_le=None, fields=None, int=None, version=None):
        if [hex, bytes, bytes_le, fields, int].count(None) != 4:
            raise TypeError("one of the hex, bytes, bytes_le, fields, or int arguments must be given")
        if hex is not None:
            hex = hex.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "")
            if len(hex) != 32:
                raise ValueError("badly formed hexadecimal UUID string")
            int = _int(hex, 16)
        elif bytes_le is not None:
            bytes = bytes_le[3::-1] + bytes_le[5:3:-1] + bytes_le[7:5:-1] + bytes_le[8:]
        elif fields is not None:
            a, b, c, d, e, f = fields
            int = a << 96 | b << 80 | c << 64 | d << 56 | e << 48 | f
        if bytes is not None:
            if len(bytes) != 16:
                raise ValueError("bytes is not a 16-char string")
            int = _int.from_bytes(bytes, "big")
        if not 0 <= int < 1 << 128:
            raise ValueError("int is out of range (need a 128-bit value)")
        if version is not None:
            int = int & ~(0xC000 << 48) | 0x8000 << 48
            int = int & ~(0xF000 << 64) | version << 76
        self.int = int

    bytes = property(lambda self: self.int.to_bytes(16, "big"))
    hex = property(lambda self: f"{self.int:032x}")
    urn = property(lambda self: "urn:uuid:" + str(self))
    version = property(lambda self: self.int >> 76 & 15)
    variant = property(lambda self: RFC_4122 if self.int & 0x8000 << 48 and not self.int & 0x4000 << 48 else RESERVED_NCS)
    node = property(lambda self: self.int & 0xFFFFFFFFFFFF)
    time_low = property(lambda self: self.int >> 96)

    def __str__(self):
        h = self.hex
        return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"

    def __repr__(self):
        return f"UUID({str(self)!r})"

    def __eq__(self, other):
        return isinstance(other, UUID) and self.int == other.int

    def __lt__(self, other):
        return self.int < other.int

    def __hash__(self):
        return hash(self.int)

    def __int__(self):
        return self.int


_int = int


def getnode():
    return _int.from_bytes(_os.urandom(6), "big") | 1 << 40


def uuid1(node=None, clock_seq=None):
    t = _int(_time.time() * 1e7) + 0x01B21DD213814000
    seq = _int.from_bytes(_os.urandom(2), "big") & 0x3FFF if clock_seq is None else clock_seq
    return UUID(fields=(t & 0xFFFFFFFF, t >> 32 & 0xFFFF, t >> 48 & 0x0FFF, seq >> 8 & 0x3F, seq & 0xFF,
                        getnode() if node is None else node), version=1)


def uuid4():
    return UUID(bytes=_os.urandom(16), version=4)


def uuid3(namespace, name):
    return UUID(bytes=_hashlib.md5(namespace.bytes + (name.encode() if isinstance(name, str) else name)).digest(), version=3)


def uuid5(namespace, name):
    return UUID(bytes=_hashlib.sha1(namespace.bytes + (name.encode() if isinstance(name, str) else name)).digest()[:16], version=5)


NAMESPACE_DNS = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_URL = UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_OID = UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_X500 = UUID("6ba7b814-9dad-11d1-80b4-00c04fd430c8")
