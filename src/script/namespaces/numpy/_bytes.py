# numpy._bytes -- arrays and their bytes: buffers, files, single bits.
import _numpy as _w
from numpy._array import ndarray
from numpy._shape import _core

packbits, unpackbits = _core.packbits, _core.unpackbits


class Swapped:
    # A dtype whose bytes are the other way round than this machine's: np.dtype(">u4"). For reading buffers and files.
    byteorder, isnative = ">", False

    def __init__(self, native):
        self.native = native
        self.itemsize, self.kind, self.name, self.type = native.itemsize, native.kind, native.name, native.type
        self.str = ">" + native.str[1:]

    def newbyteorder(self, new_order="S"):
        return self if new_order[:1] in (">", "B", "b", "|", "I") else self.native

    def __eq__(self, other):
        return isinstance(other, Swapped) and other.native is self.native or isinstance(other, str) and other == self.str

    def __hash__(self):
        return hash(self.str)

    def __repr__(self):
        return f"dtype('{self.str}')"

    __str__ = lambda self: self.str


def _ordered(dtype):
    # (the dtype, whether its bytes are the other way round than this machine's)
    d = _w.dtype(dtype)
    return (d.native, True) if isinstance(d, Swapped) else (d, False)


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    d, swapped = _ordered(dtype)
    if isinstance(buffer, ndarray):
        buffer = buffer.tobytes()
    x = _w.array(_w.from_bytes(buffer, d, offset, count))
    return _swapped(x) if swapped and d.itemsize > 1 else x


def _swapped(x):
    b = _w.array(_w.from_bytes(x.tobytes(), _w.uint8))
    return _w.array(_w.from_bytes(b.reshape(-1, x.dtype.itemsize)[:, ::-1].tobytes(), x.dtype))


def fromfile(file, dtype=float, count=-1, sep="", offset=0):
    if sep:
        if not hasattr(file, "read"):
            with open(file) as f:
                return fromfile(f, dtype, count, sep)
        text = file.read()
        parts = [p for p in (text.split(sep) if sep.strip() else text.split()) if p.strip()]
        return _w.array(_w.tensor([float(p) for p in (parts if count < 0 else parts[:count])], _w.dtype(dtype)))
    if not hasattr(file, "read"):
        with open(file, "rb") as f:
            return fromfile(f, dtype, count, sep, offset)
    size = _ordered(dtype)[0].itemsize
    file.read(offset)
    data = file.read() if count < 0 else file.read(count * size)
    return frombuffer(data[:len(data) // size * size], dtype)


def tofile(a, file, sep, format):
    if not hasattr(file, "write"):
        with open(file, "w" if sep else "wb") as f:
            return tofile(a, f, sep, format)
    file.write(sep.join([format % v for v in a.reshape(-1).tolist()]) if sep else a.tobytes())


def memmap(filename, dtype="uint8", mode="r+", offset=0, shape=None, order="C"):
    # The numbers of a file. What is written to them does not go back to it, so only modes that do not ask for that.
    if mode not in ("r", "c"):
        raise NotImplementedError(f"numpy.memmap: mode '{mode}' writes to the file; modes 'r' and 'c' are here")
    if order != "C":
        raise NotImplementedError("numpy.memmap: order 'C' is here")
    n = -1
    if shape is not None:
        n = 1
        for k in (shape,) if isinstance(shape, int) else shape:
            n *= k
    x = fromfile(filename, dtype, n, "", offset)
    if n > x.size:
        raise ValueError("mmap length is greater than file size")
    return x if shape is None else x.reshape(shape)
