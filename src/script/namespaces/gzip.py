# gzip -- compressed files.
import builtins as _builtins
import io as _io
import zlib as _zlib


class BadGzipFile(OSError):
    pass


def decompress(data):
    out, at = [], 0
    data = bytes(data)
    while at < len(data):
        if data[at:at + 2] != b"\x1f\x8b":
            if at and not data[at:].strip(b"\0"):
                break
            raise BadGzipFile(f"Not a gzipped file ({data[at:at + 2]!r})")
        part, at = _zlib.gzip_member(data, at)
        out.append(part)
    return b"".join(out)


def compress(data, compresslevel=9, *, mtime=None):
    out = bytearray(_zlib.compress(data, compresslevel, 31))
    out[4:8] = int(mtime or 0).to_bytes(4, "little")
    return bytes(out)


class GzipFile(_io.BytesIO):
    def __init__(self, filename=None, mode="rb", compresslevel=9, fileobj=None, mtime=None):
        mode = mode.replace("t", "")
        if "b" not in mode:
            mode += "b"
        self.name, self.mode, self._level, self._mtime = filename, mode, compresslevel, mtime
        self._file = fileobj if fileobj is not None else _builtins.open(filename, mode)
        self._own = fileobj is None
        super().__init__(decompress(self._file.read()) if "r" in mode else b"")

    def readable(self):
        return "r" in self.mode

    def writable(self):
        return "r" not in self.mode

    def close(self):
        if not self.closed:
            if "r" not in self.mode:
                self._file.write(compress(self.getvalue(), self._level, mtime=self._mtime))
            if self._own:
                self._file.close()
            super().close()


def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    f = GzipFile(None, mode, compresslevel, filename) if hasattr(filename, "read") or hasattr(filename, "write") else GzipFile(filename, mode, compresslevel)
    return _io.TextIOWrapper(f, encoding, errors, newline) if "t" in mode else f
