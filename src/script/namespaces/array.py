# array -- sequences of numbers of one kind. The numbers are kept as Python has them; bytes are made by struct.
import struct as _struct

typecodes = "bBuhHiIlLqQfd"


class array:
    def __init__(self, typecode, initializer=(), /):
        if not isinstance(typecode, str) or len(typecode) != 1:
            raise TypeError(f"array() argument 1 must be a unicode character, not {type(typecode).__name__}")
        if typecode not in typecodes:
            raise ValueError("bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)")
        self._code, self._items = typecode, []
        if isinstance(initializer, str) and typecode != "u":
            raise TypeError(f"cannot use a str to initialize an array with typecode '{typecode}'")
        if isinstance(initializer, (bytes, bytearray)):
            self.frombytes(initializer)
        else:
            self.extend(initializer)

    typecode = property(lambda self: self._code)
    itemsize = property(lambda self: 4 if self._code == "u" else _struct.calcsize(self._code))

    def _number(self, x):
        # x as an element reads back
        if self._code == "u":
            if not isinstance(x, str) or len(x) != 1:
                raise TypeError("array item must be a unicode character")
            return x
        if self._code in "fd":
            if isinstance(x, str):
                raise TypeError("must be real number, not str")
            return _struct.unpack(self._code, _struct.pack(self._code, float(x)))[0]
        if not isinstance(x, int):
            if not hasattr(x, "__index__"):
                raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
            x = x.__index__()
        bits = 8 * self.itemsize
        low, high = (0, 2 ** bits - 1) if self._code.isupper() else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)
        if not low <= x <= high:
            kind = {"b": "signed char", "B": "unsigned byte integer", "h": "signed short integer", "H": "unsigned short",
                    "i": "signed integer", "I": "unsigned int"}.get(self._code)
            if kind is None:
                raise OverflowError("Python int too large to convert to C long" if self._code in "lq" else "int too big to convert")
            raise OverflowError(f"{kind} is {'greater' if x > high else 'less'} than {'maximum' if x > high else 'minimum'}")
        return int(x)

    def _same(self, other, what):
        if not isinstance(other, array):
            raise TypeError(f'can only {what} array (not "{type(other).__name__}") to array')
        if other._code != self._code:
            raise TypeError("bad argument type for built-in operation")
        return other._items

    def append(self, x):
        self._items.append(self._number(x))

    def extend(self, items):
        if isinstance(items, array) and items._code != self._code:
            raise TypeError("can only extend with array of same kind")
        self._items.extend([self._number(x) for x in items])

    def fromlist(self, items):
        if not isinstance(items, list):
            raise TypeError("arg must be list")
        self._items.extend([self._number(x) for x in items])

    def frombytes(self, data):
        n = self.itemsize
        if len(data) % n:
            raise ValueError("bytes length not a multiple of item size")
        if self._code == "u":
            self._items.extend(bytes(data).decode("utf-32-le"))
        else:
            self._items.extend(_struct.unpack(f"={len(data) // n}{self._code}" if n == _struct.calcsize("=" + self._code)
                                              else f"{len(data) // n}{self._code}", bytes(data)))

    def fromfile(self, f, n):
        data = f.read(n * self.itemsize)
        self.frombytes(data[:len(data) // self.itemsize * self.itemsize])
        if len(data) < n * self.itemsize:
            raise EOFError("read() didn't return enough bytes")

    def tobytes(self):
        if self._code == "u":
            return "".join(self._items).encode("utf-32-le")
        return _struct.pack(f"{len(self._items)}{self._code}", *self._items)

    __bytes__ = tobytes

    def tofile(self, f):
        f.write(self.tobytes())

    def tolist(self):
        return list(self._items)

    def tounicode(self):
        if self._code != "u":
            raise ValueError("tounicode() may only be called on unicode type arrays ('u')")
        return "".join(self._items)

    def byteswap(self):
        n, data = self.itemsize, self.tobytes()
        self._items = []
        self.frombytes(b"".join(data[i:i + n][::-1] for i in range(0, len(data), n)))

    def count(self, x):
        return self._items.count(x)

    def index(self, x, *bounds):
        if x not in self._items:
            raise ValueError("array.index(x): x not in array")
        return self._items.index(x, *bounds)

    def insert(self, i, x):
        self._items.insert(i, self._number(x))

    def pop(self, i=-1):
        if not self._items:
            raise IndexError("pop from empty array")
        return self._items.pop(i)

    def remove(self, x):
        if x not in self._items:
            raise ValueError("array.remove(x): x not in array")
        self._items.remove(x)

    def reverse(self):
        self._items.reverse()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, x):
        return x in self._items

    def _of(self, items):
        out = array(self._code)
        out._items = items
        return out

    def __getitem__(self, i):
        if isinstance(i, slice):
            return self._of(self._items[i])
        if not -len(self._items) <= i < len(self._items):
            raise IndexError("array index out of range")
        return self._items[i]

    def __setitem__(self, i, x):
        if isinstance(i, slice):
            self._items[i] = list(self._same(x, "assign"))
        elif not -len(self._items) <= i < len(self._items):
            raise IndexError("array assignment index out of range")
        else:
            self._items[i] = self._number(x)

    def __delitem__(self, i):
        del self._items[i]

    def __add__(self, other):
        return self._of(self._items + self._same(other, "append"))

    def __iadd__(self, other):
        self._items.extend(list(self._same(other, "extend with")))
        return self

    def __mul__(self, n):
        return self._of(self._items * n)

    __rmul__ = __mul__

    def __eq__(self, other):
        return self._items == other._items if isinstance(other, array) else NotImplemented

    def __lt__(self, other):
        return self._items < other._items if isinstance(other, array) else NotImplemented

    def __le__(self, other):
        return self._items <= other._items if isinstance(other, array) else NotImplemented

    def __gt__(self, other):
        return self._items > other._items if isinstance(other, array) else NotImplemented

    def __ge__(self, other):
        return self._items >= other._items if isinstance(other, array) else NotImplemented

    __hash__ = None

    def __copy__(self):
        return self._of(list(self._items))

    def __deepcopy__(self, memo):
        return self._of(list(self._items))

    def __reduce__(self):
        return (array, (self._code, self.tolist()))

    def __array__(self, dtype=None, copy=None):
        import numpy
        kept = numpy.array(self._items, "U1" if self._code == "u" else self._code)
        return kept if dtype is None else kept.astype(dtype)

    def __repr__(self):
        if not self._items:
            return f"array('{self._code}')"
        return f"array('{self._code}', {self.tounicode() if self._code == 'u' else self._items!r})"


ArrayType = array
