# tensorflow.ragged -- rows of different lengths: the values of all rows one after the other, and where each row ends.
import sys

import _tf as _w
from tensorflow._base import state, as_tensor, StringTensor, TensorShape, InvalidArgumentError, dtype_of, ints, int32, int64
from tensorflow._strings import string, is_text
from tensorflow import _ops

_range = range


def _listed(x):
    return x.tolist() if isinstance(x, _w.Tensor) else x._value if isinstance(x, StringTensor) else x


def _picked(x, lo, hi):
    return x[lo:hi]


class RaggedTensor:
    # values: a tensor, or a RaggedTensor where rows are made of rows
    def __init__(self, values, row_splits):
        self._values, self._splits = values, row_splits

    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._splits)
    dtype = property(lambda self: self._values.dtype)

    # ---- made from ----

    @staticmethod
    def from_row_splits(values, row_splits, name=None, validate=True):
        values = values if isinstance(values, RaggedTensor) else _ops.convert_to_tensor(values)
        splits = as_tensor(row_splits) if isinstance(row_splits, _w.Tensor) else _w.tensor(list(row_splits), int64)
        if validate:
            ends = splits.tolist()
            if not ends or ends[0] != 0:
                raise InvalidArgumentError("Arguments to from_row_splits do not form a valid RaggedTensor: row_splits[0] must be zero")
            if [1 for a, b in zip(ends, ends[1:]) if b < a]:
                raise InvalidArgumentError("Arguments to from_row_splits do not form a valid RaggedTensor: row_splits must be sorted")
            if state.graph is None and ends[-1] != _count(values):
                raise InvalidArgumentError("Arguments to from_row_splits do not form a valid RaggedTensor: row_splits[-1] must be the number of values")
        return RaggedTensor(values, splits)

    @staticmethod
    def from_row_lengths(values, row_lengths, name=None, validate=True):
        ends = [0]
        for n in _listed(row_lengths):
            ends.append(ends[-1] + int(n))
        return RaggedTensor.from_row_splits(values, ends, None, validate)

    @staticmethod
    def from_value_rowids(values, value_rowids, nrows=None, name=None, validate=True):
        ids = [int(i) for i in _listed(value_rowids)]
        n = (ids[-1] + 1 if ids else 0) if nrows is None else int(_ops._number(nrows))
        return RaggedTensor.from_row_lengths(values, [ids.count(k) for k in _range(n)], None, validate)

    @staticmethod
    def from_row_starts(values, row_starts, name=None, validate=True):
        starts = [int(i) for i in _listed(row_starts)]
        return RaggedTensor.from_row_splits(values, starts + [_count(_ops.convert_to_tensor(values))], None, validate)

    @staticmethod
    def from_row_limits(values, row_limits, name=None, validate=True):
        return RaggedTensor.from_row_splits(values, [0] + [int(i) for i in _listed(row_limits)], None, validate)

    @staticmethod
    def from_uniform_row_length(values, uniform_row_length, nrows=None, name=None, validate=True):
        n = int(uniform_row_length)
        rows = _count(values) // n if n else int(nrows or 0)
        return RaggedTensor.from_row_splits(values, [i * n for i in _range(rows + 1)], None, validate)

    @staticmethod
    def from_rows(rows, dtype=None, splits=int64):
        # of nested lists
        ends = [0]
        for r in rows:
            ends.append(ends[-1] + len(r))
        flat = [x for r in rows for x in r]
        deep = [x for x in flat if isinstance(x, (list, tuple))]
        if deep:
            values = RaggedTensor.from_rows(flat, dtype, splits)
        elif dtype is string or is_text(flat):
            values = StringTensor(flat)
        else:
            values = _w.tensor(flat, dtype) if flat else _w.full([0], 0, dtype or _w.float32)
            values = as_tensor(flat) if dtype is None and flat else values
        return RaggedTensor(values, _w.tensor(ends, splits))

    @staticmethod
    def from_tensor(tensor, lengths=None, padding=None, ragged_rank=1, name=None):
        if ragged_rank != 1:
            raise NotImplementedError("RaggedTensor.from_tensor: ragged_rank other than 1")
        t = as_tensor(tensor)
        rows = _listed(t)
        n = t.shape[1]
        if lengths is not None:
            counts = [int(c) for c in _listed(lengths)]
        elif padding is not None:
            counts = []
            for r in rows:
                k = n
                while k and r[k - 1] == padding:
                    k -= 1
                counts.append(k)
        else:
            counts = [n] * len(rows)
        parts = [t[i, :c] for i, c in enumerate(counts)]
        values = _ops.concat(parts, 0) if parts else _w.reshape(t, [-1] + list(t.shape)[2:])
        return RaggedTensor.from_row_lengths(values, counts)

    @staticmethod
    def from_sparse(st_input, name=None):
        n = st_input.dense_shape.tolist()[0]
        return RaggedTensor.from_value_rowids(st_input.values, [i[0] for i in st_input.indices.tolist()], n)

    # ---- asked ----

    @property
    def shape(self):
        inner = list(self._values.shape)[1:] if not isinstance(self._values, RaggedTensor) else list(self._values.shape)[1:]
        return TensorShape([self._splits.shape[0] - 1, None] + inner)

    def get_shape(self):
        return self.shape

    @property
    def ragged_rank(self):
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def flat_values(self):
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def nested_row_splits(self):
        return (self._splits,) + (self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ())

    def nested_row_lengths(self, name=None):
        return (self.row_lengths(),) + (self._values.nested_row_lengths() if isinstance(self._values, RaggedTensor) else ())

    def nrows(self, out_type=None, name=None):
        return _w.tensor(self._splits.shape[0] - 1, out_type or self._splits.dtype)

    def row_lengths(self, axis=1, name=None):
        if axis != 1:
            raise NotImplementedError("RaggedTensor.row_lengths: axis other than 1")
        return self._splits[1:] - self._splits[:-1]

    def row_starts(self, name=None):
        return self._splits[:-1]

    def row_limits(self, name=None):
        return self._splits[1:]

    def value_rowids(self, name=None):
        n = self.row_lengths().tolist()
        return _w.tensor([i for i, k in enumerate(n) for _ in _range(k)], self._splits.dtype) if sum(n) else _w.full([0], 0, self._splits.dtype)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        n = self.row_lengths().tolist()
        r = _w.tensor([len(n), max(n + [0])] + list(self.flat_values.shape)[1:], out_type or int64)
        return r if axis is None else r[axis]

    def to_list(self):
        ends = self._splits.tolist()
        flat = self._values.to_list() if isinstance(self._values, RaggedTensor) else _listed(self._values)
        return [flat[a:b] for a, b in zip(ends, ends[1:])]

    def numpy(self):
        import numpy as np
        ends, values = self._splits.tolist(), self._values.numpy()
        rows = [values[a:b] for a, b in zip(ends, ends[1:])]
        sizes = set([len(r) for r in rows])
        return np.array(rows) if len(sizes) == 1 else np.array(rows, dtype=object)

    def to_tensor(self, default_value=None, name=None, shape=None):
        if isinstance(self._values, RaggedTensor):
            raise NotImplementedError("RaggedTensor.to_tensor: of rows of rows")
        ends = self._splits.tolist()
        n = max([b - a for a, b in zip(ends, ends[1:])] + [0])
        if shape is not None:
            want = TensorShape(shape)
            n = want[1] if want[1] is not None else n
        if self.dtype is string:
            fill = b"" if default_value is None else as_tensor(default_value)._value
            return StringTensor([(r + [fill] * n)[:n] for r in self.to_list()])
        inner = list(self._values.shape)[1:]
        rows = []
        for a, b in zip(ends, ends[1:]):
            r = self._values[a:min(b, a + n)]
            gap = n - r.shape[0]
            fill = _w.full([gap] + inner, 0, self.dtype) if default_value is None else _w.copy(_w.broadcast_to(_w.cast(as_tensor(default_value), self.dtype), [gap] + inner))
            rows.append(_w.concat([r, fill], 0) if gap else r)
        return _w.stack(rows, 0) if rows else _w.full([0, n] + inner, 0, self.dtype)

    def to_sparse(self, name=None):
        from tensorflow.sparse import SparseTensor
        if state.graph is not None and hasattr(self._splits, "known") and self._splits.known is None:
            return _sparse_in_graph(self)
        n = self.row_lengths().tolist() if not hasattr(self._splits, "known") else _lengths(self._splits.known.tolist())
        at = [[i, j] for i, k in enumerate(n) for j in _range(k)]
        places = _w.tensor(at, int64) if at else _w.full([0, 2], 0, int64)
        return SparseTensor(places, self._values, [len(n), max(n + [0])])

    def with_values(self, new_values):
        return RaggedTensor(new_values, self._splits)

    def with_flat_values(self, new_values):
        return self.with_values(self._values.with_flat_values(new_values) if isinstance(self._values, RaggedTensor) else new_values)

    def merge_dims(self, outer_axis, inner_axis):
        if outer_axis != 0 or inner_axis != 1:
            raise NotImplementedError("RaggedTensor.merge_dims: axes other than 0 and 1")
        return self._values

    def __len__(self):
        return self._splits.shape[0] - 1

    def __getitem__(self, key):
        if isinstance(key, tuple):
            return self._at(key)
        ends = self._splits.tolist()
        n = len(ends) - 1
        if isinstance(key, slice):
            rows = list(_range(n))[key]
            parts = [self._values[ends[i]:ends[i + 1]] for i in rows]
            joined = concat(parts, 0) if parts else self._values[0:0]
            return RaggedTensor.from_row_lengths(joined, [ends[i + 1] - ends[i] for i in rows], None, False)
        i = int(_ops._number(key))
        if not -n <= i < n:
            raise InvalidArgumentError(f"slice index {i} of dimension 0 out of bounds.")
        i %= n
        return self._values[ends[i]:ends[i + 1]]

    def _at(self, key):
        if not isinstance(key[0], slice):
            row = self[key[0]]
            return row[key[1:] if len(key) > 2 else key[1]]
        kept = self[key[0]]
        if len(key) == 1:
            return kept
        if not isinstance(key[1], slice):
            raise ValueError("Cannot index into an inner ragged dimension.")
        rows = [r[key[1]] for r in kept]
        return RaggedTensor.from_row_lengths(concat(rows, 0), [r.shape[0] for r in rows], None, False)

    def __iter__(self):
        return iter([self[i] for i in _range(len(self))])

    def _map(self, other, fn, reflected=False):
        if isinstance(other, RaggedTensor):
            _same_ends(self._splits.tolist(), other._splits.tolist())
            other = other._values
        elif isinstance(other, (list, tuple)) or _ops.is_tensor(other) and other.shape.rank:
            other = self._spread(as_tensor(other if _ops.is_tensor(other) else _ops.convert_to_tensor(other, self.dtype)))
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values._map(other, fn, reflected))
        return self.with_values(fn(other, self._values) if reflected else fn(self._values, other))

    def _spread(self, x):
        # A tensor as it stands beside the values: by rows, each as long as the rows here, or of one element for all of a row
        rank = self.shape.rank
        if x.ndim > rank:
            raise NotImplementedError("a RaggedTensor beside a tensor of more axes")
        if x.ndim <= rank - 2:
            return x
        x = _w.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape))
        ends, (n, long) = self._splits.tolist(), x.shape[:2]
        rows = len(ends) - 1
        if n not in (1, rows):
            raise InvalidArgumentError("Unable to broadcast: dimension size mismatch in dimension 0")
        of_row = self.value_rowids() if n > 1 else self.value_rowids() * 0
        if long == 1:
            return _w.take(x[:, 0], of_row, 0)
        _same_ends([i * long for i in _range(rows + 1)], ends)
        inside = _w.tensor([i for a, b in zip(ends, ends[1:]) for i in _range(b - a)], int64)
        return _w.take(_w.reshape(x, (n * long,) + tuple(x.shape[2:])), of_row * long + inside, 0)

    def __neg__(self):
        return self.with_values(-self._values)

    def __abs__(self):
        return self.with_values(abs(self._values))

    def __str__(self):
        return f"<tf.RaggedTensor {_text(self.numpy())}>"

    __repr__ = __str__

    def __hash__(self):
        return id(self)


def _text(x):
    # Elements as they are alone, with commas, laid out as NumPy lays out arrays of objects
    import numpy as np
    from numpy._objects import ItemArray, laid_out
    if not isinstance(x, np.ndarray):
        return str(x)
    if not x.size:
        return repr(x.tolist())
    cells = x._list() if isinstance(x, ItemArray) else [v for v in x.reshape(-1)]
    return laid_out([_text(v) for v in cells], x.shape, ", ", 0, 0)


def _same_ends(x, y):
    # Do rows end at the same places?
    if x == y:
        return
    if len(x) != len(y):
        raise InvalidArgumentError("Unable to broadcast: dimension size mismatch in dimension 0")
    import numpy as np
    wrong = [i for i in _range(len(x)) if x[i] != y[i]]
    n = min(len(wrong), 3)
    lines = ["Condition x == y did not hold.", f"Indices of first {n} different values:", str(np.array([[i] for i in wrong[:3]]))]
    for said, of in (("Corresponding x values:", [x[i] for i in wrong[:3]]), ("Corresponding y values:", [y[i] for i in wrong[:3]]),
                     ("First 3 elements of x:", x[:3]), ("First 3 elements of y:", y[:3])):
        lines += [said, str(np.array(of))]
    raise InvalidArgumentError("\n".join(lines))


def _between(name, reflected):
    fn = _ops.operators[name]

    def call(self, other):
        return self._map(other, fn, reflected)
    return call


for _n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(RaggedTensor, f"__{_n}__", _between(_n, False))
    setattr(RaggedTensor, f"__r{_n}__", _between(_n, True))
for _n in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(RaggedTensor, f"__{_n}__", _between(_n, False))


def _count(values):
    return len(values) if isinstance(values, RaggedTensor) else values.shape[0]


def _lengths(ends):
    return [b - a for a, b in zip(ends, ends[1:])]


def _sparse_in_graph(r):
    # the places and the shape of rows that are not known yet
    from tensorflow.sparse import SparseTensor
    from tensorflow.strings import on_host

    def run(splits):
        n = _lengths(splits.tolist())
        at = [[i, j] for i, k in enumerate(n) for j in _range(k)]
        return [_w.tensor(at, int64) if at else _w.full([0, 2], 0, int64), _w.tensor([len(n), max(n + [0])], int64)]
    places, shape = on_host("RaggedTensorToSparse", run, [r._splits], [(int64, [None, 2]), (int64, [2])])
    return SparseTensor(places, r._values, shape)


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=int64):
    if inner_shape is not None:
        raise NotImplementedError("tf.ragged.constant: inner_shape")
    if not isinstance(pylist, (list, tuple)) or ragged_rank == 0 or not [x for x in pylist if isinstance(x, (list, tuple))] and pylist:
        return _ops.constant(pylist, dtype)
    if ragged_rank is not None:     # the axes behind those are as long everywhere
        rows = [list(r) for r in pylist]
        values = constant([v for r in rows for v in r], dtype, ragged_rank - 1, None, None, row_splits_dtype)
        return RaggedTensor.from_row_lengths(values, _w.tensor([len(r) for r in rows], row_splits_dtype), None, False)
    return RaggedTensor.from_rows([list(r) for r in pylist], None if dtype is None else dtype_of(dtype), row_splits_dtype)


def concat(values, axis=0):
    values = list(values)
    if isinstance(values[0], RaggedTensor):
        if axis == 0:
            lengths = [n for v in values for n in v.row_lengths().tolist()]
            return RaggedTensor.from_row_lengths(concat([v.values for v in values], 0), lengths, None, False)
        rows = [concat([v[i] for v in values], axis - 1) for i in _range(len(values[0]))]
        return RaggedTensor.from_row_lengths(concat(rows, 0), [_count(r) for r in rows], None, False)
    if isinstance(values[0], StringTensor):
        return StringTensor([x for v in values for x in v._value])
    return _ops.concat(values, axis)


def stack(values, axis=0, name=None):
    if axis != 0:
        raise NotImplementedError("tf.ragged.stack: axis other than 0")
    values = [v if isinstance(v, RaggedTensor) else _ops.convert_to_tensor(v) for v in values]
    return RaggedTensor.from_row_lengths(concat(values, 0), [_count(v) for v in values], None, False)


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=int64):
    if limits is None:
        starts, limits = 0, starts
    a, b, d = [as_tensor(x).tolist() for x in (starts, limits, deltas)]
    n = max([len(x) for x in (a, b, d) if isinstance(x, list)] + [1])
    rows = [list(_range(*[x[i] if isinstance(x, list) else x for x in (a, b, d)])) for i in _range(n)]
    return RaggedTensor.from_rows(rows, dtype or int32, row_splits_dtype)


def boolean_mask(data, mask, name=None):
    rows = [[x for x, keep in zip(r, m) if keep] for r, m in zip(_rows_of(data), _rows_of(mask))]
    return RaggedTensor.from_rows(rows, data.dtype if hasattr(data, "dtype") else None)


def _rows_of(x):
    return x.to_list() if isinstance(x, RaggedTensor) else _listed(as_tensor(x))


def map_flat_values(op, *args, **kwargs):
    first = [a for a in list(args) + list(kwargs.values()) if isinstance(a, RaggedTensor)][0]
    plain = lambda a: a.flat_values if isinstance(a, RaggedTensor) else a
    return first.with_flat_values(op(*[plain(a) for a in args], **{k: plain(v) for k, v in kwargs.items()}))


def row_splits_to_segment_ids(splits, name=None):
    return RaggedTensor(as_tensor(splits), as_tensor(splits)).value_rowids()


def reduced(name, x, axis, keepdims):
    # a reduction of a RaggedTensor: of all values, along the rows, or within each
    from tensorflow import _segments
    if keepdims:
        raise NotImplementedError("reductions of a RaggedTensor: keepdims")
    if axis is None:
        return getattr(_ops, "reduce_" + name)(x.flat_values)
    if axis in (1, -1) and x.ragged_rank == 1 or axis == 1:
        if name in ("any", "all"):
            y = getattr(_segments, "unsorted_segment_" + ("max" if name == "any" else "min"))(_w.cast(x.values, int32), x.value_rowids(), len(x))
            return _w.cast(_w.clip(y, 0, 1), _w.bool_)
        y = getattr(_segments, "unsorted_segment_" + name)(x.values, x.value_rowids(), len(x))
        return _w.where(x.row_lengths() == 0, _w.full((), float("nan"), y.dtype), y) if name == "mean" else y
    if axis == 0 and x.ragged_rank == 1:
        n = max(x.row_lengths().tolist() + [0])
        at = _w.tensor([j for k in x.row_lengths().tolist() for j in _range(k)], int64)
        return getattr(_segments, "unsorted_segment_" + name)(x.values, at, n)
    raise NotImplementedError(f"reduce_{name} of a RaggedTensor: axis {axis}")


# ---- functions of the library that take them ----

def _rows_picked(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    if axis not in (None, 0) or batch_dims or isinstance(indices, RaggedTensor):
        raise NotImplementedError("gather of a RaggedTensor: axis, batch_dims or ragged indices")
    rows = [params[i] for i in ints(indices)]
    return RaggedTensor.from_row_lengths(concat(rows, 0), [_count(r) for r in rows], None, False)


def _first_ragged(x):
    return isinstance(x, RaggedTensor) or isinstance(x, (list, tuple)) and len(x) and isinstance(x[0], RaggedTensor)


def _extended(fn, own):
    def call(*args, **kw):
        if [a for a in args if _first_ragged(a)] or kw and [a for a in kw.values() if _first_ragged(a)]:
            return own(*args, **kw)
        return fn(*args, **kw)
    call.__name__ = getattr(fn, "__name__", "call")
    return call


def _extend():
    # From here on the library's functions look whether they are given one: it costs those nothing that have none.
    import tensorflow
    reductions = ("sum", "mean", "max", "min", "prod", "any", "all")
    found = {"concat": lambda values, axis=0, name=None: concat(values, axis), "stack": stack, "gather": _rows_picked,
             "cast": lambda x, dtype, name=None: x.with_flat_values(_ops.cast(x.flat_values, dtype))}
    for n in reductions:
        found["reduce_" + n] = lambda input_tensor, axis=None, keepdims=False, name=None, n=n: reduced(n, input_tensor, axis, keepdims)
    for n in ("abs", "square", "sqrt", "exp", "log", "negative", "sigmoid", "tanh", "round", "sign", "zeros_like", "ones_like", "add", "subtract",
              "multiply", "divide", "maximum", "minimum", "equal", "not_equal", "less", "greater", "less_equal", "greater_equal", "identity",
              "clip_by_value"):
        found[n] = lambda *args, fn=getattr(_ops, n), **kw: map_flat_values(fn, *args, **kw)
    for n, own in found.items():
        new = _extended(getattr(tensorflow, n), own)
        for module in [tensorflow] + [sys.modules[m] for m in ("tensorflow.math", "tensorflow.compat.v1") if m in sys.modules]:
            if hasattr(module, n):
                setattr(module, n, new)


_extend()
