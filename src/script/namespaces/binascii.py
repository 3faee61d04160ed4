# binascii -- bytes as digits and letters.
from zlib import crc32


class Error(ValueError):
    pass


def hexlify(data, sep=None):
    return (bytes(data).hex() if sep is None else bytes(data).hex(sep)).encode()


b2a_hex = hexlify


def unhexlify(s):
    try:
        return bytes.fromhex(s if isinstance(s, str) else s.decode())
    except ValueError as e:
        raise Error(str(e)) from None


a2b_hex = unhexlify


def b2a_base64(data, *, newline=True):
    import base64
    return base64.b64encode(data) + (b"\n" if newline else b"")


def a2b_base64(data):
    import base64
    return base64.b64decode(data)
