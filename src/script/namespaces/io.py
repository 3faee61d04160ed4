# io -- text and bytes in memory as files.
import os as _os

open = open
SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2
DEFAULT_BUFFER_SIZE = 8192
_File = open


class UnsupportedOperation(OSError, ValueError):
    pass


class IOBase:
    closed = False

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, *args):
        self.close()

    def _check(self):
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def close(self):
        self.closed = True

    def flush(self):
        self._check()

    def fileno(self):
        raise UnsupportedOperation("fileno")

    def isatty(self):
        return False

    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def readlines(self, hint=-1):
        out, n = [], 0
        for line in self:
            out.append(line)
            n += len(line)
            if 0 < hint <= n:
                break
        return out

    def writelines(self, lines):
        for l in lines:
            self.write(l)


class TextIOBase(IOBase):
    pass


class RawIOBase(IOBase):
    pass


class BufferedIOBase(IOBase):
    pass


class _Memory(IOBase):
    # the content as one value, joined when it is looked at
    def __init__(self, initial):
        self._data, self._at = initial, 0

    def getvalue(self):
        self._check()
        return self._data

    def read(self, size=-1):
        self._check()
        end = len(self._data) if size is None or size < 0 else self._at + size
        out = self._data[self._at:end]
        self._at += len(out)
        return out

    def readline(self, size=-1):
        self._check()
        i = self._data.find(self._newline, self._at)
        end = len(self._data) if i < 0 else i + 1
        if size is not None and size >= 0:
            end = min(end, self._at + size)
        out = self._data[self._at:end]
        self._at += len(out)
        return out

    def seek(self, offset, whence=0):
        self._check()
        self._at = max(0, offset + (0 if whence == 0 else self._at if whence == 1 else len(self._data)))
        return self._at

    def tell(self):
        self._check()
        return self._at

    def truncate(self, size=None):
        self._data = self._data[:self._at if size is None else size]
        return len(self._data)


class StringIO(_Memory, TextIOBase):
    _newline = "\n"

    def __init__(self, initial_value="", newline="\n"):
        if newline not in ("\n", "", None):
            raise NotImplementedError("StringIO: newline")
        super().__init__(initial_value or "")
        self._parts = []

    def _join(self):
        if self._parts:
            self._data += "".join(self._parts)
            self._parts = []

    def write(self, s):
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if not isinstance(s, str):
            raise TypeError(f"string argument expected, got '{type(s).__name__}'")
        if self._at == len(self._data) + self._extra():
            self._parts.append(s)
        else:
            self._join()
            self._data = self._data.ljust(self._at, "\0")
            self._data = self._data[:self._at] + s + self._data[self._at + len(s):]
        self._at += len(s)
        return len(s)

    def _extra(self):
        return self._at - len(self._data) if self._parts else 0

    def getvalue(self):
        self._join()
        return super().getvalue()

    def read(self, size=-1):
        self._join()
        return super().read(size)

    def readline(self, size=-1):
        self._join()
        return super().readline(size)

    def seek(self, offset, whence=0):
        self._join()
        return super().seek(offset, whence)

    def truncate(self, size=None):
        self._join()
        return super().truncate(size)


class BytesIO(_Memory, BufferedIOBase):
    _newline = b"\n"

    def __init__(self, initial_bytes=b""):
        super().__init__(bytearray(initial_bytes))

    def write(self, b):
        self._check()
        if isinstance(b, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        b = bytes(b)
        if self._at > len(self._data):
            self._data.extend(bytes(self._at - len(self._data)))
        self._data[self._at:self._at + len(b)] = b
        self._at += len(b)
        return len(b)

    def getvalue(self):
        return bytes(super().getvalue())

    getbuffer = getvalue

    def read(self, size=-1):
        return bytes(super().read(size))

    read1 = read

    def readline(self, size=-1):
        return bytes(super().readline(size))

    def readinto(self, b):
        data = self.read(len(b))
        b[:len(data)] = data
        return len(data)


class TextIOWrapper(TextIOBase):
    def __init__(self, buffer, encoding=None, errors=None, newline=None, line_buffering=False, write_through=False):
        self.buffer, self.encoding, self.errors = buffer, encoding or "utf-8", errors or "strict"
        self._newlines, self._through = newline, line_buffering or write_through
        self._text = None

    def _all(self):
        if self._text is None:
            t = self.buffer.read().decode(self.encoding, self.errors)
            self._text = StringIO(t.replace("\r\n", "\n").replace("\r", "\n") if self._newlines is None else t)
        return self._text

    def read(self, size=-1):
        return self._all().read(size)

    def readline(self, size=-1):
        return self._all().readline(size)

    def write(self, s):
        self.buffer.write(s.encode(self.encoding, self.errors))
        if self._through:
            self.buffer.flush()
        return len(s)

    def flush(self):
        self.buffer.flush()

    def close(self):
        self.buffer.close()
        self.closed = True


def text_encoding(encoding, stacklevel=2):
    return encoding or ("locale" if stacklevel else "utf-8")


FileIO = BufferedReader = BufferedWriter = BufferedRandom = open
