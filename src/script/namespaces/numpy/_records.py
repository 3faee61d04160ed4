# numpy._records -- arrays of records, whose dtype has fields. A field is an array of its own (of numbers, texts, dates or
# records again), so that x["name"] is a view that can be written to; slices of the records are slices of each field.
import numpy as _np
from numpy._objects import ItemArray, laid_out


class RecordType:
    kind, char, byteorder, isnative, subdtype, shape, isalignedstruct = "V", "V", "|", True, None, (), False

    def __init__(self, parts, type=None):
        # parts: (name, dtype, shape of the part in one record)
        self._parts = parts
        self.names = tuple([p[0] for p in parts])
        if len(set(self.names)) < len(parts):
            again = [n for i, n in enumerate(self.names) if n in self.names[:i]][0]
            raise ValueError(f"field '{again}' occurs more than once")
        self.fields, at = {}, 0
        for name, d, shape in parts:
            self.fields[name] = (d if not shape else SubType(d, shape), at)
            at += d.itemsize * _count(shape)
        self.itemsize, self.type = at, type or void
        self.str = f"|V{at}"
        self.name = ("record" if type is record else "void") + str(8 * at)
        self.hasobject = any([getattr(d, "hasobject", False) for _, d, _ in parts])

    @property
    def descr(self):
        return [(n, d.descr if isinstance(d, RecordType) else d.str) + ((s,) if s else ()) for n, d, s in self._parts]

    def __len__(self):
        return len(self._parts)

    def __getitem__(self, key):
        if isinstance(key, list):
            return RecordType([self._part(k) for k in key])
        if isinstance(key, int):
            key = self.names[key]
        name, d, shape = self._part(key)
        return d if not shape else SubType(d, shape)

    def _part(self, name):
        for p in self._parts:
            if p[0] == name:
                return p
        raise KeyError(f"Field named '{name}' not found.")

    def __eq__(self, other):
        try:
            other = record_type(other)
        except (TypeError, ValueError):
            return False
        return other is not None and self._parts == other._parts

    def __hash__(self):
        return hash(tuple(self.names))

    def __repr__(self):
        return f"dtype((numpy.record, {_listed(self)}))" if self.type is record else f"dtype({_listed(self)})"

    def __str__(self):
        return f"(numpy.record, {_listed(self)})" if self.type is record else _listed(self)


class SubType:
    # The dtype of a field that has a shape of its own in every record
    kind, names, fields = "V", None, None

    def __init__(self, base, shape):
        self.base, self.shape, self.subdtype = base, shape, (base, shape)
        self.itemsize = base.itemsize * _count(shape)

    def __eq__(self, other):
        return isinstance(other, SubType) and self.subdtype == other.subdtype

    def __repr__(self):
        return f"dtype(({_one(self.base)}, {self.shape}))"


def _one(d):
    return _listed(d) if isinstance(d, RecordType) else "'?'" if d.str == "|b1" else f"'{d.str[1:]}'" if d.str[0] == "|" else f"'{d.str}'"


def _listed(t):
    return "[" + ", ".join([f"({n!r}, {_one(d)}" + (f", {s}" if s else "") + ")" for n, d, s in t._parts]) + "]"


def _count(shape):
    n = 1
    for s in shape:
        n *= s
    return n


def record_type(d):
    # The dtype that is meant, None for one without fields: a list of (name, dtype, shape), a dict, "i4, f8", or one itself
    if isinstance(d, RecordType):
        return d
    if isinstance(d, list):
        return RecordType([_part_of(p, i) for i, p in enumerate(d)])
    if isinstance(d, dict):
        if "names" not in d or "formats" not in d:
            return RecordType([(n, *_format(v[0])) for n, v in sorted(d.items(), key=lambda p: p[1][1])])
        for key in d:
            if key not in ("names", "formats"):
                raise NotImplementedError(f"numpy.dtype: {key!r} of a dtype with fields")
        return RecordType([(n, *_format(f)) for n, f in zip(d["names"], d["formats"])])
    if isinstance(d, str) and "," in d:
        return RecordType([(f"f{i}", *_format(f.strip())) for i, f in enumerate(_commas(d)) if f.strip()])
    if isinstance(d, tuple) and len(d) == 2 and d[0] is record:
        return RecordType(record_type(d[1])._parts, record)
    return None


def _commas(text):
    # "i4, (2,3)f8" at the commas outside of brackets
    parts, deep = [""], 0
    for c in text:
        deep += (c == "(") - (c == ")")
        if c == "," and not deep:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def _part_of(p, i):
    if isinstance(p, str) or not isinstance(p, tuple) or len(p) < 2:
        raise TypeError("Field elements must be 2- or 3-tuples, got '" + repr(p) + "'")
    name = p[0][1] if isinstance(p[0], tuple) else p[0]
    if len(p) > 2 and isinstance(p[2], int):    # texts of a length, or several
        d, shape = _format((p[1], p[2]))
        return name or f"f{i}", d, shape
    d, shape = _format(p[1])
    if len(p) > 2:
        shape = (tuple(p[2]) if isinstance(p[2], (tuple, list)) else (p[2],)) + shape
    return name or f"f{i}", d, shape


def _format(f):
    # (dtype, shape) of "3f8", "(2,2)i4", (float, 3), float
    if isinstance(f, tuple):
        d, shape = _format(f[0])
        if d.kind in ("U", "S") and not d.itemsize and isinstance(f[1], int):
            return _np.dtype(d.kind + str(f[1])), shape
        return d, (tuple(f[1]) if isinstance(f[1], (tuple, list)) else (f[1],)) + shape
    if isinstance(f, str):
        if f[:1] == "(":
            end = f.index(")")
            return _np.dtype(f[end + 1:]), tuple([int(v) for v in f[1:end].split(",") if v.strip()])
        digits = len(f) - len(f.lstrip("0123456789"))
        if digits:
            return _np.dtype(f[digits:]), () if int(f[:digits]) == 1 else (int(f[:digits]),)
        if f[0] == "a" and (f[1:].isdigit() or f == "a"):
            f = "S" + f[1:]
    if isinstance(f, SubType):
        return f.subdtype
    d = record_type(f) or _np.dtype(f)
    return d, ()


# ---- making them ----

def _field(d, shape, value=0):
    return RecordArray(shape, [_field(e, shape + s) for _, e, s in d._parts], d) if isinstance(d, RecordType) else _np.zeros(shape, d) if value == 0 \
        else _np.full(shape, value, d)


def full(shape, value, dtype):
    t = record_type(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    x = RecordArray(shape, [_field(d, shape + s) for _, d, s in t._parts], t)
    if value is not None and value != 0:
        x[...] = value
    return x


def made(x, dtype=None):
    # Records of nested lists, whose elements are tuples
    t = record_type(dtype) if dtype is not None else None
    if isinstance(x, (RecordArray, void)):
        x = x._x if isinstance(x, void) else x
        return x.copy() if t is None or t == x.dtype else x.astype(t)
    if t is None:
        cells = list(x)
        if cells and isinstance(cells[0], (list, tuple)):
            return stack([made(c) for c in cells])
        if not all([isinstance(c, (void, RecordArray)) for c in cells]):
            raise TypeError("records beside what are none")
        return stack([c._x if isinstance(c, void) else c for c in cells])
    if isinstance(x, _np.ndarray):
        y = full(x.shape, 0, t)
        y[...] = x
        return y
    shape, first = [], x
    while isinstance(first, list):
        shape.append(len(first))
        if not first:
            break
        first = first[0]
    rows = x
    for _ in range(len(shape) - 1):
        rows = [r for part in rows for r in part]
    rows = rows if shape else [rows]
    if not isinstance(first, (tuple, void)) and rows:
        y = full(tuple(shape), 0, t)
        y[...] = _np.array(x)
        return y
    rows = [r.item() if isinstance(r, void) else r for r in rows]
    for r in rows:
        if not isinstance(r, tuple) or len(r) != len(t):
            raise ValueError(f"could not assign tuple of length {len(r)} to structure with {len(t)} fields.")
    parts = []
    for i, (_, d, s) in enumerate(t._parts):
        values = [r[i] for r in rows]
        part = made(values, d) if isinstance(d, RecordType) else _np.array(values, d) if values else _np.zeros((0,) + s, d)
        if s and part.shape[1:] != s:
            part = _np.broadcast_to(part.reshape(part.shape + (1,) * (len(s) + 1 - part.ndim)), (len(rows),) + s).copy()
        parts.append(part.reshape(tuple(shape) + s))
    return RecordArray(tuple(shape), parts, t)


class RecordArray:
    _home = "_records"
    __hash__ = None
    __class__ = property(lambda self: _np.ndarray)
    base = None

    def __init__(self, shape, parts, dtype):
        self._shape, self._parts, self._type = tuple(shape), parts, dtype

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._type)
    ndim = property(lambda self: len(self._shape))
    size = property(lambda self: _count(self._shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    T = property(lambda self: self.transpose())

    @dtype.setter
    def dtype(self, new):
        t = record_type(new)
        if t is None or [(d, s) for _, d, s in t._parts] != [(d, s) for _, d, s in self._type._parts]:
            raise NotImplementedError("numpy: another dtype for an array of records than one with other names")
        self._type = t

    def _like(self, shape, parts, dtype=None):
        return type(self)(shape, parts, dtype or self.dtype)

    def _each(self, fn):
        # fn(part, rank of the records), which takes and gives arrays whose first axes are those of the records
        parts = [fn(p) for p in self._parts]
        extra = len(self.dtype._parts[0][2])
        return self._like(parts[0].shape[:parts[0].ndim - extra], parts)

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def _named(self, name):
        for (n, _, _), part in zip(self.dtype._parts, self._parts):
            if n == name:
                return part
        raise ValueError(f"no field of name {name}")

    def _spelled(self, key):
        # the key without dots, which would take in the axes of parts
        keys = key if isinstance(key, tuple) else (key,)
        if not any([k is Ellipsis for k in keys]):
            return key
        used = len([k for k in keys if k is not Ellipsis and k is not None])
        at = [i for i, k in enumerate(keys) if k is Ellipsis][0]
        return keys[:at] + (slice(None),) * (self.ndim - used) + keys[at + 1:]

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._named(key)
        if isinstance(key, list) and key and isinstance(key[0], str):
            return RecordArray(self._shape, [self._named(k) for k in key], self.dtype[key])
        dots, key = key is Ellipsis or isinstance(key, tuple) and any([k is Ellipsis for k in key]), self._spelled(key)
        at = _np.empty(self._shape, bool)[key] if self._shape else self
        if not isinstance(at, (_np.ndarray, RecordArray)) or at.ndim == 0 and not dots:
            return void(self._row(key), self.dtype)
        return self._like(at.shape, [p[key] for p in self._parts])

    def _row(self, key):
        # one record, whose parts are views: what is written to it is written here
        if not self._shape:
            return self
        keys = key if isinstance(key, tuple) else (key,)
        keys = tuple([int(k) for k in keys])
        return self._like((), [p[keys] if isinstance(p, RecordArray) and p.ndim > len(keys) else p._row(keys) if isinstance(p, RecordArray)
                               else p[keys + (Ellipsis,)] for p in self._parts])

    def __setitem__(self, key, value):
        if isinstance(key, str):
            self._named(key)[...] = value
            return
        if isinstance(key, list) and key and isinstance(key[0], str):
            for k, part in zip(key, value._parts):
                self._named(k)[...] = part
            return
        if isinstance(value, (list, tuple)) and not isinstance(value, (void,)):
            value = made(value, self.dtype)
        value = value._x if isinstance(value, void) else value
        key = self._spelled(key)
        if not self._shape:
            key = (Ellipsis,)
        for i, p in enumerate(self._parts):
            p[key] = value._parts[i] if isinstance(value, RecordArray) else value

    def astype(self, dtype, copy=True):
        t = record_type(dtype)
        if not copy and t == self.dtype:
            return self
        if t is None:
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {_np.dtype(dtype)!r}")
        if len(t) != len(self.dtype):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {t!r}")
        return self._like(self._shape, [p.astype(d) for p, (_, d, _) in zip(self._parts, t._parts)], t)

    def view(self, dtype=None, type=None):
        of = dtype if dtype is recarray else type
        if of is recarray:
            return recarray(self._shape, self._parts, RecordType(self.dtype._parts, record))
        if dtype is None or dtype is _np.ndarray:
            return RecordArray(self._shape, self._parts, self.dtype)
        t = record_type(dtype)
        if t is not None and [(d, s) for _, d, s in t._parts] == [(d, s) for _, d, s in self.dtype._parts]:
            return RecordArray(self._shape, self._parts, t)
        raise NotImplementedError(f"numpy: a view of records as {dtype}")

    def copy(self, order="C"):
        return self._like(self._shape, [p.copy() for p in self._parts])

    def tolist(self):
        def nest(x):
            return x.item() if isinstance(x, void) else [nest(v) for v in x]
        return nest(self) if self._shape else self[()].item()

    def item(self, *index):
        return self.ravel()[index[0]].item() if index else self.ravel()[0].item()

    def fill(self, value):
        self[...] = value

    def reshape(self, *shape, order="C"):
        at = _np.empty(self._shape, bool).reshape(*shape)
        return self._like(at.shape, [p.reshape(at.shape + p.shape[self.ndim:]) for p in self._parts])

    def ravel(self, order="C"):
        return self.reshape(-1)

    def flatten(self, order="C"):
        return self.ravel().copy()

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        axes = tuple(axes) if axes else tuple(range(self.ndim))[::-1]
        at = tuple([self._shape[a] for a in axes])
        return self._like(at, [p.transpose(*axes, *range(self.ndim, p.ndim)) for p in self._parts])

    def squeeze(self, axis=None):
        return self.reshape(_np.empty(self._shape, bool).squeeze(axis).shape)

    def argsort(self, axis=-1, kind=None, order=None, stable=None):
        if self.ndim != 1:
            raise NotImplementedError("numpy: sorting records along an axis of several")
        names = [order] if isinstance(order, str) else list(order or ())
        names += [n for n in self.dtype.names if n not in names]
        columns = [self._named(n).tolist() for n in names]
        return _np.array(sorted(range(len(self)), key=lambda i: tuple([c[i] for c in columns])), int)

    def sort(self, axis=-1, kind=None, order=None, stable=None):
        self[...] = self[self.argsort(axis, kind, order)]

    def take(self, indices, axis=None):
        return take(self, indices, axis)

    def repeat(self, repeats, axis=None):
        return repeat(self, repeats, axis)

    def _same(self, other, of_all):
        if not isinstance(other, (RecordArray, void)):
            other = made(other, self.dtype)
        other = other._x if isinstance(other, void) else other
        if other.dtype.names != self.dtype.names:
            raise TypeError("Cannot compare structured arrays unless they have a common dtype.  I.e. `np.result_type(arr1, arr2)` must be defined.")
        r = True
        for p, q, (_, _, s) in zip(self._parts, other._parts, self.dtype._parts):
            e = p == q
            r = r & (e.all(tuple(range(-len(s), 0))) if s else e)
        return r if of_all else ~r

    def __eq__(self, other):
        return self._same(other, True)

    def __ne__(self, other):
        return self._same(other, False)

    def __repr__(self):
        head = "rec.array(" if isinstance(self, recarray) else "array("
        text = laid_out(_words(self), self._shape, ", ", len(head), 1) if self._shape else str(self)
        shape = f"shape={self._shape}, " if self.size > _np.get_printoptions()["threshold"] else ""
        kind = f"{shape}dtype={_listed(self.dtype)})"
        last = len(head + text + ",") - ((head + text).rfind("\n") + 1)
        wraps = isinstance(self, recarray) or last + len(kind) + 1 > _np.get_printoptions()["linewidth"]
        return head + text + "," + ("\n" + " " * len(head) if wraps else " ") + kind

    def __str__(self):
        return laid_out(_words(self), self._shape, " ", 0, 0) if self._shape else str(self[()])


def _words(x, of_floats=None):
    # The records as they stand in printed arrays: each field is laid out over all of them. of_floats: each alone
    columns = []
    n = x.size
    for p, (_, d, s) in zip(x._parts, x.dtype._parts):
        each = _count(s)
        if isinstance(d, RecordType) or isinstance(p, ItemArray):
            flat = p.reshape(-1)
            words = _words(flat, of_floats) if isinstance(d, RecordType) else [repr(v) for v in flat.tolist()]
        elif of_floats and d.kind == "f":
            words = [of_floats(v) for v in p.reshape(-1)]
        elif d.kind in "Mm":
            from numpy._dates import _words as of_dates
            words = of_dates(p.reshape(-1))
        else:
            text = _np.array2string(p.reshape(-1), separator=", ", threshold=n * each + 1, max_line_width=10**9)
            words = text[1:-1].split(", ")
        words = [_nest(words[i * each:(i + 1) * each], s) for i in range(n)]
        columns.append(words)
    return ["(" + ", ".join(row) + ("," if len(row) == 1 else "") + ")" for row in zip(*columns)]


def _nest(words, shape):
    if not shape:
        return words[0]
    step = _count(shape[1:])
    return "[" + ", ".join([_nest(words[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]) + "]"


class void:
    _home = "_records"
    # One record: a view of its place
    __module__ = "numpy"

    def __new__(cls, x=None, dtype=None):
        return object.__new__(cls)

    def __init__(self, x=None, dtype=None):
        if not isinstance(x, RecordArray):
            if dtype is None:
                raise NotImplementedError("numpy.void of bytes")
            x = made(x, dtype)
        self._x, self.dtype = x, x.dtype

    shape, ndim, size = (), 0, 1

    def _part(self, i):
        p, (_, d, s) = self._x._parts[i], self.dtype._parts[i]
        return p if s else p[()]

    def __getitem__(self, key):
        if isinstance(key, list):
            return void(self._x[key], None)
        if isinstance(key, str):
            if key not in self.dtype.names:
                raise ValueError(f"no field of name {key}")
            key = self.dtype.names.index(key)
        if not -len(self.dtype) <= key < len(self.dtype):
            raise IndexError(f"invalid index ({key})")
        return self._part(key)

    def __setitem__(self, key, value):
        if isinstance(key, int):
            key = self.dtype.names[key]
        self._x[key] = value

    def __getattr__(self, name):
        if name.startswith("_") or self.dtype.type is not record or name not in self.dtype.names:
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        return self[name]

    def __len__(self):
        return len(self.dtype)

    def __iter__(self):
        return iter([self._part(i) for i in range(len(self))])

    def __eq__(self, other):
        r = self._x == other
        return bool(r)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.item())

    def item(self):
        def plain(v):
            return v.tolist() if isinstance(v, _np.ndarray) else v.item() if hasattr(v, "item") else v
        return tuple([plain(v) for v in self])

    tolist = item

    def copy(self):
        return void(self._x.copy(), None)

    def __str__(self):
        return _words(self._x.reshape(1), str)[0]

    def __repr__(self):
        return f"np.{'record' if self.dtype.type is record else 'void'}({self}, dtype={_listed(self.dtype)})"


class record(void):
    pass


class recarray(RecordArray):
    def __getattribute__(self, name):
        if not name.startswith("_") and name in object.__getattribute__(self, "_type").names:
            p = self._named(name)
            return p.view(recarray) if isinstance(p, RecordArray) else p
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        if not name.startswith("_") and name in self._type.names:
            self._named(name)[...] = value
        else:
            object.__setattr__(self, name, value)

    def __getitem__(self, key):
        got = RecordArray.__getitem__(self, key)
        return record(got._x, None) if isinstance(got, void) else got


# ---- functions: by places, each field alike ----

def _all(xs):
    xs = [x._x if isinstance(x, void) else x if isinstance(x, RecordArray) else made(x) for x in xs]
    for x in xs:
        if x.dtype != xs[0].dtype:
            raise TypeError("The DTypes of records that are joined must be the same")
    return xs


def _joins(name):
    def join(arrays, *args, **kw):
        xs = _all(arrays)
        at = getattr(_np, name)([_np.arange(x.size).reshape(x.shape) + sum([y.size for y in xs[:i]]) for i, x in enumerate(xs)], *args, **kw)
        rows = [_np.concatenate([x.reshape(-1)._parts[i] for x in xs]) for i in range(len(xs[0].dtype))]
        return xs[0]._like(at.shape, [r[at] for r in rows])
    return join


def _moves(name):
    def move(a, *args, **kw):
        def pick(at):
            return a._like(at.shape, [p[at] for p in a.reshape(-1)._parts])
        r = getattr(_np, name)(_np.arange(a.size).reshape(a.shape), *args, **kw)
        return [pick(v) for v in r] if isinstance(r, (list, tuple)) else pick(r) if isinstance(r, _np.ndarray) else a.reshape(-1)[int(r)]
    return move


concatenate, stack, vstack, hstack, dstack, column_stack = [_joins(n) for n in ("concatenate", "stack", "vstack", "hstack", "dstack", "column_stack")]
flip, roll, tile, repeat, take, delete, expand_dims, broadcast_to, split, array_split, fliplr, flipud, atleast_1d, atleast_2d, moveaxis, swapaxes, \
    rot90 = [_moves(n) for n in ("flip roll tile repeat take delete expand_dims broadcast_to split array_split fliplr flipud "
                                 "atleast_1d atleast_2d moveaxis swapaxes rot90").split()]


def _by_method(name):
    return lambda a, *args, **kw: getattr(a, name)(*args, **kw)


reshape, ravel, transpose, squeeze, argsort, copy = [_by_method(n) for n in "reshape ravel transpose squeeze argsort copy".split()]


def sort(a, axis=-1, kind=None, order=None, stable=None):
    return a[a.argsort(axis, kind, order)]


def append(arr, values, axis=None):
    if axis is not None and arr.ndim != 1:
        raise NotImplementedError("numpy.append: axis, of records")
    x = made(values, arr.dtype) if not isinstance(values, RecordArray) else values
    return concatenate([arr.reshape(-1), x.reshape(-1)])


def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    x = ar.reshape(-1)
    first = {}
    cells = [r.item() for r in x]
    for i, c in enumerate(cells):
        first.setdefault(c, i)
    keys = sorted(first)
    out = [x[_np.array([first[k] for k in keys], int)]]
    if return_index:
        out.append(_np.array([first[k] for k in keys], int))
    if return_inverse:
        out.append(_np.array([keys.index(c) for c in cells], int))
    if return_counts:
        out.append(_np.array([cells.count(k) for k in keys], int))
    return out[0] if len(out) == 1 else tuple(out)


def shape(a):
    return a.shape


def ndim(a):
    return a.ndim


def size(a, axis=None):
    return a.size if axis is None else a.shape[axis]


def array_equal(a1, a2):
    return a1.shape == a2.shape and bool(_np.all(a1 == a2))


def viewed(x, dtype):
    # The numbers of the last axis as the fields of records: of one dtype, side by side
    t = record_type(dtype)
    if any([s or d != x.dtype for _, d, s in t._parts]):
        raise NotImplementedError(f"numpy: a view of {x.dtype} as {t}")
    n = len(t)
    if not x.ndim or x.shape[-1] % n:
        raise ValueError("When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array.")
    return RecordArray(x.shape[:-1] + (x.shape[-1] // n,), [x[..., i::n] for i in range(n)], t)


# ---- numpy.rec ----

def fromarrays(arrayList, dtype=None, formats=None, names=None):
    xs = [_np.asarray(a) for a in arrayList]
    if dtype is not None:
        t = record_type(dtype)
    else:
        given = _commas(formats) if isinstance(formats, str) else formats
        kinds = [_format(f.strip() if isinstance(f, str) else f)[0] for f in given] if given else [x.dtype for x in xs]
        names = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names or [f"f{i}" for i in range(len(xs))])
        t = RecordType([(n, d, ()) for n, d in zip(names, kinds)])
    base = xs[0].shape[:xs[0].ndim - len(t._parts[0][2])]
    parts = [made(x, d) if isinstance(d, RecordType) else x.astype(d) for x, (_, d, _) in zip(xs, t._parts)]
    return recarray(base, parts, RecordType(t._parts, record))


def fromrecords(recList, dtype=None, formats=None, names=None):
    if dtype is not None:
        return made([tuple(r) for r in recList], dtype).view(recarray)
    return fromarrays([_np.array([r[i] for r in recList]) for i in range(len(recList[0]))], None, formats, names)


def rec_array(obj, dtype=None, formats=None, names=None, copy=True):
    if isinstance(obj, RecordArray):
        return (obj.copy() if copy else obj).view(recarray)
    if isinstance(obj, list) and (not obj or isinstance(obj[0], tuple)):
        return fromrecords(obj, dtype, formats, names)
    if dtype is not None:
        return made(obj, dtype).view(recarray)
    return fromarrays(obj, dtype, formats, names)
