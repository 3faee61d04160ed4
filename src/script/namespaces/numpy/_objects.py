# numpy._objects -- arrays of texts and of objects. The cells are a list of Python's; an array of integers says which
# cell each element is, so that shapes, slices, masks and views are those of that array. They never enter programs.
import operator as _op

import numpy as _np


class str_(str):
    def __repr__(self):
        return f"np.str_({str.__repr__(self)})"

    def item(self):
        return str(self)

    tolist = item


class bytes_(bytes):
    def __repr__(self):
        return f"np.bytes_({bytes.__repr__(self)})"

    def __str__(self):
        return bytes.__repr__(self)

    def item(self):
        return bytes(self)

    tolist = item


class object_:
    pass


_kinds = {"U": (str_, "str"), "S": (bytes_, "bytes"), "O": (object_, "object")}


class ItemType:
    # The dtype of texts (U), bytes (S), objects (O); size: letters that an element has room for
    byteorder, isnative, names, fields, hasobject = "|", True, None, None, False

    def __init__(self, kind, size=0):
        self.kind, self.size, self.char = kind, size, kind
        self.itemsize = 8 if kind == "O" else 4 * size if kind == "U" else size
        self.type, name = _kinds[kind]
        self.name = name if kind == "O" or not size else name + str(8 * self.itemsize)
        self.str = "|O" if kind == "O" else ("<U" if kind == "U" else "|S") + str(size)

    def __eq__(self, other):
        try:
            other = item_type(other)
        except TypeError:
            return False
        return other is not None and (self.kind, self.size) == (other.kind, other.size)

    def __hash__(self):
        return hash((self.kind, self.size))

    def __repr__(self):
        return "dtype('O')" if self.kind == "O" else f"dtype('{self.str if self.kind == 'U' else self.str[1:]}')"

    def __str__(self):
        return "object" if self.kind == "O" else self.str


def item_type(d):
    # The dtype that is meant, None for one of numbers.
    if isinstance(d, ItemType):
        return d
    if d is object or d is object_:
        return ItemType("O")
    if d is str or d is str_ or d is bytes or d is bytes_:
        return ItemType("U" if d is str or d is str_ else "S")
    if isinstance(d, str):
        s = d.lstrip("<=|>")
        if s in ("object", "object_", "O"):
            return ItemType("O")
        if s in ("str", "str_", "bytes", "bytes_"):
            return ItemType("U" if s[0] == "s" else "S")
        if s[:1] in ("U", "S", "a") and (s[1:].isdigit() or not s[1:]):
            return ItemType("U" if s[0] == "U" else "S", int(s[1:] or 0))
    return None


def own_type(d):
    # The dtype that is meant, if it is one whose arrays are kept here: of texts, objects, dates or records. Else None.
    if isinstance(d, type):
        if d.__name__ in ("datetime64", "timedelta64"):
            return _dates().date_type(d)
        return item_type(d)
    if isinstance(d, (list, dict, tuple)) or isinstance(d, str) and "," in d:
        return _records().record_type(d)
    if isinstance(d, str):
        return item_type(d) or (_dates().date_type(d) if d[:1] in ("d", "t", "m", "M", "<", "=") else None)
    return d if getattr(d, "kind", "") in ("M", "m", "V") and hasattr(d, "names") else item_type(d)


def _dates():
    return __import__("numpy._dates")


def _records():
    return __import__("numpy._records")


def home(x, deep=64):
    # The file of an array, scalar or list whose elements are no numbers; None for all else
    if isinstance(x, (list, tuple)):
        for v in x[:1] if deep < 64 else x:
            m = home(v, deep - 1) if deep else None
            if m is not None:
                return m
        return _items if holds_items(x, deep) else None
    name = getattr(x, "_home", None) if not isinstance(x, (str, bytes, int, float)) else None
    if name is not None:
        return __import__("numpy." + name)
    return _items if holds_items(x) else None


def made_of(x, dtype=None):
    # The array of x, in the file where arrays of its kind are kept
    t = own_type(dtype) if dtype is not None else None
    kind = t.kind if t is not None else None
    return (_dates() if kind in ("M", "m") else _records() if kind == "V" else _items if kind is not None else home(x) or _items).made(x, dtype)


def full_of(shape, value, dtype):
    t = own_type(dtype)
    return (_dates() if t.kind in ("M", "m") else _records() if t.kind == "V" else _items).full(shape, value, t)


def _text(v):
    if isinstance(v, bytes):
        return v.decode("ascii")
    return str(v.item() if hasattr(v, "item") and not isinstance(v, str) else v)


def _cell(d, v):
    # v as an element; texts have at most the letters that there is room for, and no zeros at the end
    if d.kind == "O":
        return v
    if d.kind == "U":
        return str_(_text(v)[:d.size].rstrip("\0"))
    return bytes_((v if isinstance(v, bytes) else _text(v).encode("ascii"))[:d.size].rstrip(b"\0"))


def _nested(x, deep):
    # (shape, elements) of nested sequences; deep: how far lists count as axes
    if deep == 0:
        return (), [x]
    if isinstance(x, ItemArray):
        return x.shape, x._list()
    if isinstance(x, _np.ndarray):
        return x.shape, x.reshape(-1).tolist()
    if not isinstance(x, (list, tuple)):
        return (), [x]
    parts = [_nested(v, deep - 1) for v in x]
    if not parts:
        return (0,), []
    if any([p[0] != parts[0][0] for p in parts]):
        return None, x
    return (len(parts),) + parts[0][0], [v for p in parts for v in p[1]]


def made(x, dtype=None):
    # An array of what Python gives; the dtype is that of the longest text where none is said.
    d, deep = item_type(dtype), 64
    shape, cells = _nested(x, deep)
    while shape is None:
        if d is None or d.kind != "O":
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. "
                             f"The detected shape was ({len(x)},) + inhomogeneous part.")
        deep = 1 if deep == 64 else deep - 1
        shape, cells = _nested(x, deep)
    if d is None:
        words = [v for v in cells if isinstance(v, (str, bytes))]
        plain = all([isinstance(v, (str, bytes, int, float, complex, _np.generic)) for v in cells])
        d = ItemType("O") if not words or not plain else ItemType("S" if all([isinstance(v, bytes) for v in cells]) else "U")
        if d.kind != "O" and len(words) < len(cells):       # numbers among them: as wide as their dtype may get
            d = ItemType(d.kind, max([len(_text(v)) for v in words] + [21 if isinstance(v, int) and not isinstance(v, bool) else
                                                                       5 if isinstance(v, bool) else 32 for v in cells if v not in words]))
    if d.kind != "O" and not d.size:
        d = ItemType(d.kind, max([len(v) if isinstance(v, (str, bytes)) else len(_text(v)) for v in cells] + [1]))
    return ItemArray(_np.arange(len(cells)).reshape(shape), [_cell(d, v) for v in cells], d)


def full(shape, value, dtype):
    d = item_type(dtype)
    if d.kind != "O" and not d.size:
        d = ItemType(d.kind, max(len(value), 1))
    at = _np.arange(int(_np.prod(shape))).reshape(shape)
    return ItemArray(at, [_cell(d, value) for _ in range(at.size)], d)


class ItemArray:
    _home = "_objects"
    __hash__ = None
    __class__ = property(lambda self: _np.ndarray)      # to isinstance it is an array

    def __init__(self, at, cells, dtype, base=None):
        self._at, self._cells, self.dtype, self.base = at, cells, dtype, base

    def _view(self, at):
        return ItemArray(at, self._cells, self.dtype, self)

    def _list(self):
        cells = self._cells
        return [cells[i] for i in self._at.reshape(-1).tolist()]

    def _fresh(self, cells, shape, dtype=None):
        return ItemArray(_np.arange(len(cells)).reshape(shape), cells, dtype or self.dtype)

    def copy(self, order="C"):
        return self._fresh(self._list(), self.shape)

    shape = property(lambda self: self._at.shape)
    ndim = property(lambda self: self._at.ndim)
    size = property(lambda self: self._at.size)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    flat = property(lambda self: iter(self._list()))
    T = property(lambda self: self._view(self._at.T))

    def reshape(self, *shape, order="C"):
        return self._view(self._at.reshape(*shape))

    def ravel(self, order="C"):
        return self._view(self._at.reshape(-1))

    def flatten(self, order="C"):
        return self.ravel().copy()

    def transpose(self, *axes):
        return self._view(self._at.transpose(*axes))

    def swapaxes(self, a, b):
        return self._view(self._at.swapaxes(a, b))

    def squeeze(self, axis=None):
        return self._view(self._at.squeeze(axis))

    def repeat(self, repeats, axis=None):
        return self._view(self._at.repeat(repeats, axis)).copy()

    def take(self, indices, axis=None):
        at = _np.take(self._at, indices, axis)
        return self._view(at).copy() if isinstance(at, _np.ndarray) and at.ndim else self._cells[int(at)]

    def searchsorted(self, v, side="left", sorter=None):
        import bisect
        cells, v = (self if sorter is None else self[sorter])._list(), v if isinstance(v, ItemArray) else made(v)
        find = bisect.bisect_left if side == "left" else bisect.bisect_right
        at = _np.array([find(cells, w) for w in v._list()], int).reshape(v.shape)
        return at if v.ndim else at[()]

    def nonzero(self):
        return _np.nonzero(self.astype(bool) if self.dtype.kind == "O" else _np.array([bool(v) for v in self._list()]).reshape(self.shape))

    def tolist(self):
        at, cells = self._at.tolist(), self._cells if self.dtype.kind == "O" else [str(c) if isinstance(c, str) else bytes(c) for c in self._cells]

        def nest(x):
            return [nest(v) for v in x] if isinstance(x, list) else cells[x]
        return nest(at)

    def item(self, *index):
        got = self.ravel()[index[0]] if len(index) == 1 else self[index] if index else self.ravel()[0]
        return got if self.dtype.kind == "O" else str(got) if isinstance(got, str) else bytes(got)

    def fill(self, value):
        self[...] = value

    def __len__(self):
        return len(self._at)

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __getitem__(self, key):
        key = made_mask(key)
        at = self._at[key]
        if not isinstance(at, _np.ndarray) or at.ndim == 0 and not _has_dots(key):
            return self._cells[int(at)]
        got = self._view(at)
        return got.copy() if any([isinstance(k, (list, _np.ndarray)) for k in (key if isinstance(key, tuple) else (key,))]) else got

    def __setitem__(self, key, value):
        at = self._at[made_mask(key)]
        d, cells = self.dtype, self._cells
        if not isinstance(at, _np.ndarray) or at.ndim == 0 and d.kind == "O":
            cells[int(at)] = _cell(d, value)
            return
        v = value if isinstance(value, ItemArray) else made(value, d if d.kind == "O" and isinstance(value, (list, tuple, _np.ndarray)) else None) \
            if isinstance(value, (list, tuple, _np.ndarray)) else ItemArray(_np.zeros((), int), [value], d)
        from_ = v._list() if v._cells is cells else None
        places = _np.broadcast_to(v._at if from_ is None else _np.arange(v.size).reshape(v.shape), at.shape)
        source = v._cells if from_ is None else from_
        for i, k in zip(at.reshape(-1).tolist(), places.reshape(-1).tolist()):
            cells[i] = _cell(d, source[k])

    def __contains__(self, value):
        return value in self._list()

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        d = item_type(dtype)
        if d is not None:
            if not copy and d == self.dtype:
                return self
            return made(self, d) if d.size or d.kind == "O" or d.kind != self.dtype.kind else self.copy()
        if casting != "unsafe":
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {_np.dtype(dtype)!r} according to the rule '{casting}'")
        number = {"f": float, "i": int, "u": int, "b": lambda v: bool(v) if self.dtype.kind == "O" else bool(int(v)), "c": complex}[_np.dtype(dtype).kind]
        return _np.array([number(v) for v in self._list()], dtype).reshape(self.shape)

    def sort(self, axis=-1, kind=None, order=None, stable=None):
        self[...] = sort(self, axis)

    def argsort(self, axis=-1, kind=None, order=None, stable=None):
        return argsort(self, axis)

    def __bool__(self):
        if self.size != 1:
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
        return bool(self._list()[0])

    def __repr__(self):
        text = _printed(self, ", ", len("array("), 1)
        shape = f"shape={self.shape}, " if self.size > _np.get_printoptions()["threshold"] else ""
        kind = "object" if self.dtype.kind == "O" else f"'{self.dtype.str}'"
        last = len("array(" + text + ",") - (("array(" + text).rfind("\n") + 1)
        wraps = last + len(f"{shape}dtype={kind})") + 1 > _np.get_printoptions()["linewidth"]
        return "array(" + text + "," + ("\n      " if wraps else " ") + f"{shape}dtype={kind})"

    def __str__(self):
        return _printed(self, " ", 0, 0) if self.ndim else str(self._list()[0])


def made_mask(key):
    return tuple([_np.array(k) if isinstance(k, list) else k for k in key]) if isinstance(key, tuple) else _np.array(key, int if not key else None) \
        if isinstance(key, list) else key


def _has_dots(key):
    return key is Ellipsis or isinstance(key, tuple) and any([k is Ellipsis for k in key])


def _operands(x, y, like):
    # the elements of both, spread to one shape
    a, b = [v if isinstance(v, ItemArray) else made(v, "O" if like.dtype.kind == "O" else None) if isinstance(v, (list, tuple, _np.ndarray))
            else ItemArray(_np.zeros((), int), [v], like.dtype) for v in (x, y)]
    p, q = _np.broadcast_arrays(a._at, b._at)
    return p.shape, [a._cells[i] for i in p.reshape(-1).tolist()], [b._cells[i] for i in q.reshape(-1).tolist()]


def _compares(name, of):
    def compare(self, other):
        if self.dtype.kind != "O" and not isinstance(other, (str, bytes, list, tuple, ItemArray)):
            if name in ("__eq__", "__ne__"):
                return _np.full(self.shape, name == "__ne__")
            return NotImplemented
        shape, p, q = _operands(self, other, self)
        return _np.array([bool(of(a, b)) for a, b in zip(p, q)], bool).reshape(shape)
    return compare


def _computes(name, of, swapped=False):
    def compute(self, other):
        if self.dtype.kind != "O" and name != "__add__":
            return NotImplemented
        shape, p, q = _operands(self, other, self)
        r = [of(b, a) if swapped else of(a, b) for a, b in zip(p, q)]
        return made(r, "O" if self.dtype.kind == "O" else None).reshape(shape)
    return compute


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(ItemArray, f"__{_name}__", _compares(f"__{_name}__", getattr(_op, _name)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(ItemArray, f"__{_name}__", _computes(f"__{_name}__", getattr(_op, _name)))
    setattr(ItemArray, f"__r{_name}__", _computes("__add__" if _name == "add" else _name, getattr(_op, _name), True))


# ---- printing: as NumPy lays elements out ----

def _element(v):
    return f"list({v!r})" if isinstance(v, list) else repr(str(v)) if isinstance(v, str_) else repr(bytes(v)) if isinstance(v, bytes_) else repr(v)


def _printed(x, separator, prefix, suffix):
    return laid_out(x, x.shape, separator, prefix, suffix)


def laid_out(words, shape, separator, prefix, suffix):
    # words: an array of items, or the elements of an array of that shape as they stand in its text
    o = _np.get_printoptions()
    items, at = isinstance(words, ItemArray), words._at if isinstance(words, ItemArray) else _np.arange(len(words)).reshape(shape)
    edge = o["edgeitems"] if at.size > o["threshold"] else at.size + 1

    def extend(s, line, word, width, indent):
        rows = word.split("\n")
        wide = max([len(r) for r in rows])
        if len(line) + wide > width and len(line) > len(indent):
            s, line = s + line.rstrip() + "\n", indent
        at = " " * len(line)
        for row in rows[:-1]:
            s, line = s + (line + row).rstrip() + "\n", at
        return s, line + (rows[-1].ljust(wide) if len(rows) > 1 else rows[-1])

    def nest(a, indent, width):
        if a.ndim == 0:
            return _element(words._cells[int(a)]) if items else words[int(a)]
        n, s, line = len(a), "", indent
        shown = list(range(n)) if n <= 2 * edge else list(range(edge)) + [None] + list(range(n - edge, n))
        parts = ["..." if i is None else nest(a[i], indent + " ", width - 1) for i in shown]
        if a.ndim == 1:
            room = width - max(len(separator.rstrip()), 1)
            for i, word in enumerate(parts):
                s, line = extend(s, line, word, room, indent)
                line += separator if i + 1 < len(parts) else ""
            s += line
        else:
            s = (separator.rstrip() + "\n" * (a.ndim - 1)).join([indent + p for p in parts])
        return "[" + s[len(indent):] + "]"
    return nest(at, " " + " " * prefix, o["linewidth"] - suffix) if at.size or at.ndim == 0 else "[]"


# ---- functions ----

def _all(xs):
    # arrays side by side: their places in one list of cells
    xs = [x if isinstance(x, ItemArray) else made(x) for x in xs]
    kinds = {x.dtype.kind for x in xs}
    d = ItemType("O") if "O" in kinds else ItemType(kinds.pop() if len(kinds) == 1 else "U", max([x.dtype.size for x in xs]))
    cells, at = [], []
    for x in xs:
        at.append(_np.arange(x.size).reshape(x.shape) + len(cells))
        cells += x._list()
    return at, cells, d


def _joins(name):
    def join(arrays, *args, **kw):
        at, cells, d = _all(arrays)
        return ItemArray(getattr(_np, name)(at, *args, **kw), cells, d)
    return join


def _moves(name):
    def move(a, *args, **kw):
        x = a if isinstance(a, ItemArray) else made(a)
        r = getattr(_np, name)(x._at, *args, **kw)
        return [x._view(v) for v in r] if isinstance(r, (list, tuple)) else x._view(r).copy()
    return move


concatenate, stack, vstack, hstack, dstack, column_stack = [_joins(n) for n in ("concatenate", "stack", "vstack", "hstack", "dstack", "column_stack")]
reshape, ravel, transpose, flip, roll, tile, repeat, take, delete, squeeze, expand_dims, broadcast_to, split, array_split, fliplr, flipud, \
    atleast_1d, atleast_2d, moveaxis, swapaxes, rot90 = [_moves(n) for n in (
        "reshape ravel transpose flip roll tile repeat take delete squeeze expand_dims broadcast_to split array_split fliplr flipud "
        "atleast_1d atleast_2d moveaxis swapaxes rot90").split()]


def append(arr, values, axis=None):
    x, y = arr if isinstance(arr, ItemArray) else made(arr), values if isinstance(values, (ItemArray, list, tuple)) else [values]
    y = y if isinstance(y, ItemArray) else made(y)
    return concatenate([x.ravel(), y.ravel()]) if axis is None else concatenate([x, y], axis)


def argsort(a, axis=-1, kind=None, order=None, stable=None):
    x = a if isinstance(a, ItemArray) else made(a)
    if axis is None:
        x, axis = x.ravel(), -1
    rows = _np.moveaxis(x._at, axis, -1)
    out = [sorted(range(len(r)), key=[x._cells[i] for i in r].__getitem__) for r in rows.reshape(-1, rows.shape[-1]).tolist()]
    return _np.moveaxis(_np.array(out, int).reshape(rows.shape), -1, axis)


def sort(a, axis=-1, kind=None, order=None, stable=None):
    x = a if isinstance(a, ItemArray) else made(a)
    if axis is None:
        x, axis = x.ravel(), -1
    return x._view(_np.take_along_axis(x._at, argsort(x, axis), axis)).copy()


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True):
    if axis is not None:
        raise NotImplementedError("numpy.unique: axis, of texts or objects")
    x = ar if isinstance(ar, ItemArray) else made(ar)
    cells, first = x._list(), {}
    for i, v in enumerate(cells):
        first.setdefault(v, i)
    keys = sorted(first)
    number = {k: i for i, k in enumerate(keys)}
    inverse = [number[v] for v in cells]
    out = [x._fresh(keys, (len(keys),))]
    if return_index:
        out.append(_np.array([first[k] for k in keys], int))
    if return_inverse:
        out.append(_np.array(inverse, int).reshape(x.shape))
    if return_counts:
        out.append(_np.bincount(_np.array(inverse, int), minlength=len(keys)))
    return out[0] if len(out) == 1 else tuple(out)


def isin(element, test_elements, assume_unique=False, invert=False, kind=None):
    x, y = [v if isinstance(v, ItemArray) else made(v) for v in (element, test_elements)]
    among = set(y._list())
    return _np.array([(v in among) != invert for v in x._list()], bool).reshape(x.shape)


def searchsorted(a, v, side="left", sorter=None):
    return (a if isinstance(a, ItemArray) else made(a)).searchsorted(v, side, sorter)


def nonzero(a):
    return (a if isinstance(a, ItemArray) else made(a)).nonzero()


def where(condition, x=None, y=None):
    if x is None:
        return _np.nonzero(_np.array([bool(v) for v in condition._list()], bool).reshape(condition.shape))
    (p, q), cells, d = _all([x, y])
    return ItemArray(_np.where(condition, p, q), cells, d).copy()


def array_equal(a1, a2, equal_nan=False):
    x, y = [v if isinstance(v, ItemArray) else made(v) for v in (a1, a2)]
    same = lambda u, v: bool(u == v) or equal_nan and u != u and v != v
    return x.shape == y.shape and all(same(u, v) for u, v in zip(x._list(), y._list()))


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if not return_indices:
        x = unique(ar1)
        return x[isin(x, ar2)]
    x, at = unique(ar1, return_index=True)
    y, also = unique(ar2, return_index=True)
    return x[isin(x, y)], at[isin(x, y)], also[isin(y, x)]


def setdiff1d(ar1, ar2, assume_unique=False):
    x = unique(ar1)
    return x[isin(x, ar2, invert=True)]


def union1d(ar1, ar2):
    return unique(concatenate([ravel(ar1), ravel(ar2)]))


def shape(a):
    return (a if isinstance(a, ItemArray) else made(a)).shape


def ndim(a):
    return len(shape(a))


def size(a, axis=None):
    return int(_np.prod(shape(a))) if axis is None else shape(a)[axis]


def copy(a, order="K"):
    return (a if isinstance(a, ItemArray) else made(a)).copy()


def ndenumerate(arr):
    for i in _np.ndindex(*arr.shape):
        yield i, arr[i]


def vectorized(fn, args, otypes):
    # numpy.vectorize where an argument is of texts or objects
    xs = [a if isinstance(a, ItemArray) else made(a, None if holds_items(a) else "O") for a in args]
    at = _np.broadcast_arrays(*[x._at for x in xs])
    rows = [fn(*[x._cells[i] for x, i in zip(xs, places)]) for places in zip(*[p.reshape(-1).tolist() for p in at])]
    several = bool(rows) and isinstance(rows[0], tuple)
    kinds = list(otypes) if otypes else [None] * (len(rows[0]) if several else 1)
    out = [_np.array([r[k] for r in rows] if several else rows, kinds[k]).reshape(at[0].shape) for k in range(len(kinds))]
    return tuple(out) if several else out[0]


# ---- files: texts as NumPy writes them ----

def save(file, x):
    if x.dtype.kind == "O":
        raise NotImplementedError("numpy.save: arrays of objects")
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (x.dtype.str, tuple(x.shape))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(file, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode("latin1"))
        f.write(_bytes_of(x))


def _bytes_of(x):
    n = x.dtype.size
    if x.dtype.kind == "S":
        return b"".join([bytes(v).ljust(n, b"\0") for v in x._list()])
    return b"".join([str(v).ljust(n, "\0").encode("utf-32-le") for v in x._list()])


def load(file):
    # None: not a file of texts
    import ast
    with open(file, "rb") as f:
        data = f.read()
    at = 10 if data[6] == 1 else 12
    n = int.from_bytes(data[8:at], "little")
    head = ast.literal_eval(data[at:at + n].decode("latin1").strip())
    d = item_type(head["descr"]) if isinstance(head["descr"], str) else None
    if d is None or d.kind == "O" or head["descr"][0] == ">":
        return None
    data = data[at + n:]
    cells = [data[i:i + d.itemsize] for i in range(0, len(data), d.itemsize)]
    cells = [_cell(d, c if d.kind == "S" else c.decode("utf-32-le")) for c in cells]
    places = _np.arange(len(cells)).reshape(head["shape"][::-1] if head["fortran_order"] else head["shape"])
    return ItemArray(places.T if head["fortran_order"] else places, cells, d)


def holds_items(x, deep=2):
    # Is it an array of items, a text, an int that no dtype holds, or a list with such?
    if isinstance(x, (ItemArray, str, bytes)):
        return True
    if isinstance(x, int):
        return not -2**63 <= x < 2**64
    return deep > 0 and isinstance(x, (list, tuple)) and any([holds_items(v, deep - 1) for v in x])


_items = __import__("numpy._objects")
