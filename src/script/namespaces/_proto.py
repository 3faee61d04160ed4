# _proto -- protocol buffers as bytes, and records of event files: what TensorFlow and TensorBoard read.
import struct


def _table():
    out = []
    for i in range(256):
        c = i
        for _ in range(8):
            c = c >> 1 ^ 0x82F63B78 if c & 1 else c >> 1
        out.append(c)
    return out


_TABLE = _table()


def masked_crc(data):
    # CRC-32C, as records keep it
    c = 0xFFFFFFFF
    for b in data:
        c = _TABLE[(c ^ b) & 255] ^ c >> 8
    c ^= 0xFFFFFFFF
    return ((c >> 15 | c << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    # length, its checksum, the data, its checksum
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))


# ---- writing: one field ----

def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def int_(field, n):
    return varint(field << 3) + varint(n)


def double(field, x):
    return varint(field << 3 | 1) + struct.pack("<d", x)


def float_(field, x):
    return varint(field << 3 | 5) + struct.pack("<f", x)


def bytes_(field, data):
    if isinstance(data, str):
        data = data.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def doubles(field, values):
    return bytes_(field, struct.pack("<%dd" % len(values), *values))


# ---- reading ----

def _read_varint(data, at):
    n = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a protocol buffer that ends too early")
        b = data[at]
        at += 1
        n |= (b & 127) << shift
        shift += 7
        if b < 128:
            return n, at


def fields(data):
    # {field number: [values]}: integers, and bytes for all that has a length
    out, at = {}, 0
    while at < len(data):
        key, at = _read_varint(data, at)
        wire = key & 7
        if wire == 0:
            v, at = _read_varint(data, at)
        elif wire == 2:
            n, at = _read_varint(data, at)
            v, at = data[at:at + n], at + n
        elif wire in (1, 5):
            n = 8 if wire == 1 else 4
            v, at = data[at:at + n], at + n
        else:
            raise ValueError(f"a field of wire type {wire} in a protocol buffer")
        if at > len(data):
            raise ValueError("a protocol buffer that ends too early")
        out.setdefault(key >> 3, []).append(v)
    return out
