# zlib -- deflate data with a header and a checksum.
import _pack
from _pack import crc32, adler32

MAX_WBITS, DEFLATED, Z_DEFAULT_COMPRESSION, Z_BEST_SPEED, Z_BEST_COMPRESSION = 15, 8, -1, 1, 9


class error(Exception):
    pass


def compress(data, /, level=-1, wbits=15):
    if level < -1 or level > 9:
        raise error("Bad compression level")
    body = _pack.deflate(bytes(data))
    if wbits < 0:
        return body
    if wbits > 15:
        return b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + body + crc32(data).to_bytes(4, "little") + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return b"\x78\x9c" + body + adler32(data).to_bytes(4, "big")


def _inflate(data, at):
    try:
        return _pack.inflate(data, at)
    except ValueError as e:
        raise error(str(e)) from None


def gzip_member(data, at):
    # (content, where the next member begins)
    if data[at:at + 2] != b"\x1f\x8b" or len(data) < at + 18:
        raise error("not in gzip format")
    flags, i = data[at + 3], at + 10
    if flags & 4:
        i += 2 + int.from_bytes(data[i:i + 2], "little")
    for bit in (8, 16):
        if flags & bit:
            i = data.index(b"\0", i) + 1
    if flags & 2:
        i += 2
    out, end = _inflate(data, i)
    if crc32(out) != int.from_bytes(data[end:end + 4], "little"):
        raise error("CRC check failed")
    return out, end + 8


def decompress(data, /, wbits=15, bufsize=16384):
    if bufsize < 0:
        raise ValueError("bufsize must be non-negative")
    data = bytes(data)
    if wbits < 0:
        return _inflate(data, 0)[0]
    if wbits > 15 and data[:2] == b"\x1f\x8b":
        return gzip_member(data, 0)[0]
    if len(data) < 2 or data[0] & 15 != 8 or (data[0] * 256 + data[1]) % 31:
        raise error("Error -3 while decompressing data: incorrect header check")
    out, end = _inflate(data, 2)
    if adler32(out) != int.from_bytes(data[end:end + 4], "big"):
        raise error("Error -3 while decompressing data: incorrect data check")
    return out


class _Whole:
    # objects that gather their input and do the work at the end
    def __init__(self, call):
        self._call, self._data, self.unused_data, self.eof = call, b"", b"", False


class decompressobj(_Whole):
    def __init__(self, wbits=15):
        super().__init__(lambda d: decompress(d, wbits))

    def decompress(self, data, max_length=0):
        if max_length:
            raise NotImplementedError("decompressobj: max_length")
        self._data += bytes(data)
        try:
            out = self._call(self._data)
        except error:
            return b""
        self._data, self.eof = b"", True
        return out

    def flush(self):
        return self._call(self._data) if self._data else b""


class compressobj(_Whole):
    def __init__(self, level=-1, method=8, wbits=15):
        if method != 8:
            raise ValueError("Invalid initialization option")
        super().__init__(lambda d: compress(d, level, wbits))

    def compress(self, data):
        self._data += bytes(data)
        return b""

    def flush(self):
        return self._call(self._data)
