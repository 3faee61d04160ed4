# tensorflow.sparse -- tensors of few numbers: the places of these, their values, and the shape. Values may be tensors of a program,
# and have gradients; places are known on the host, but for those that a session feeds.
import _tf as _w
from collections import namedtuple as _namedtuple
from tensorflow._base import state, op, as_tensor, as_operand, ints, TensorShape, StringTensor, InvalidArgumentError, bool_, float32, int32, int64
from tensorflow._strings import string
from tensorflow import _ops

_range, _sum, _slice = range, sum, slice
SparseTensorValue = _namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class SparseTensor:
    def __init__(self, indices, values, dense_shape):
        empty = isinstance(indices, (list, tuple)) and not len(indices)
        self.indices = _ops.zeros([0, len(dense_shape)], int64) if empty else _ops.cast(indices, int64)
        self.values = _ops.convert_to_tensor(values)
        self.dense_shape = _ops.cast(dense_shape, int64)
        if self.values.shape.rank != 1 or self.indices.shape.rank != 2:
            raise ValueError(f"a SparseTensor has a matrix of indices and a vector of values, got {self.indices.shape} and {self.values.shape}")

    dtype = property(lambda self: self.values.dtype)

    @property
    def shape(self):
        known = self.dense_shape if state.graph is None or not hasattr(self.dense_shape, "known") else self.dense_shape.known
        return TensorShape([None] * self.dense_shape.shape[0]) if known is None else TensorShape(known.tolist())

    def get_shape(self):
        return self.shape

    @property
    def graph(self):
        return self.values.graph

    @property
    def op(self):
        return self.values.op

    @staticmethod
    def from_value(value):
        return value if isinstance(value, SparseTensor) else SparseTensor(value[0], value[1], value[2])

    def eval(self, feed_dict=None, session=None):
        from tensorflow._graph import _session
        return _session(session).run(self, feed_dict)

    def with_values(self, new_values):
        return SparseTensor(self.indices, new_values, self.dense_shape)

    # a session fetches its three parts, and feeds them

    @property
    def tensors(self):
        return [self.indices, self.values, self.dense_shape]

    def make(self, parts):
        return SparseTensorValue(*parts)

    def __mul__(self, other):
        return self.with_values(self.values * _taken(other, self))

    def __truediv__(self, other):
        return self.with_values(self.values / _taken(other, self))

    def __neg__(self):
        return self.with_values(-self.values)

    def __str__(self):
        return f"SparseTensor(indices={self.indices}, values={self.values}, dense_shape={self.dense_shape})"

    __repr__ = __str__

    def __hash__(self):
        return id(self)


@op("SparseDenseCwise")
def _at_places(dense, indices, shape):
    x = _w.broadcast_to(as_tensor(dense), ints(shape))
    return x[_key(as_tensor(indices))]


def _taken(other, st):
    # a dense operand at the places of a sparse one
    other = _ops.convert_to_tensor(other, dtype_hint=st.values.dtype) if not hasattr(other, "dtype") else _ops.convert_to_tensor(other)
    return other if other.shape.rank == 0 else _at_places(other, st.indices, st.dense_shape)


def _list(x):
    # what the host must know: places, shapes
    if hasattr(x, "root_value"):
        if x.known is None:
            raise NotImplementedError(f"tf.sparse: {x.name} is not known before the session runs")
        x = x.known
    return x if isinstance(x, list) else as_tensor(x).tolist()


def _key(ix):
    return tuple([ix[:, k] for k in _range(ix.shape[1])])


class SparseTensorSpec:
    def __init__(self, shape=None, dtype=float32):
        self.shape, self.dtype = TensorShape(shape), dtype

    def __eq__(self, other):
        return isinstance(other, SparseTensorSpec) and self.shape == other.shape and self.dtype == other.dtype

    def __repr__(self):
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"


def sparse_placeholder(dtype, shape=None, name=None):
    from tensorflow._graph import placeholder
    rank = None if shape is None else len(shape)
    lead = name + "/" if name else "Placeholder"
    known = shape is not None and None not in [d for d in shape]
    return SparseTensor(placeholder(int64, [None, rank], lead + "indices" if name else None), placeholder(dtype, [None], lead + "values" if name else None),
                        list(shape) if known else placeholder(int64, [rank], lead + "shape" if name else None))


# ---- from and to dense ----

def from_dense(tensor, name=None):
    t = as_tensor(tensor)
    if isinstance(t, StringTensor):
        at = [[i] for i, v in enumerate(t._value) if v != b""]
        return SparseTensor(at, [t._value[i[0]] for i in at], list(t.shape))
    places = _w.cast(_w.nonzero(t), int64)
    return SparseTensor(places, t[_key(places)], list(t.shape))


@op("SparseToDense")
def _dense(indices, values, shape, default):
    ix, v = as_tensor(indices), as_tensor(values)
    base = _w.copy(_w.broadcast_to(as_operand(default, v.dtype), ints(shape)))
    return _w.index_set(base, _key(ix), v) if not isinstance(ix.shape[0], int) or ix.shape[0] else base


def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    st = sp_input
    if st.dtype is string:
        return _dense_texts(st, b"" if default_value is None else as_tensor(default_value)._value)
    if validate_indices and state.graph is None:
        _in_order(st)
    return _dense(st.indices, st.values, st.dense_shape, 0 if default_value is None else default_value)


def _dense_texts(st, fill):
    sizes = _list(st.dense_shape)
    found = {tuple(i): v for i, v in zip(_list(st.indices), getattr(st.values, "known", st.values)._value)}

    def walk(at):
        return found.get(at, fill) if len(at) == len(sizes) else [walk(at + (i,)) for i in _range(sizes[len(at)])]
    return StringTensor(walk(()))


def _in_order(st):
    rows = _list(st.indices)
    for k, (a, b) in enumerate(zip(rows, rows[1:])):
        if a >= b:
            raise InvalidArgumentError(f"indices[{k + 1}] = {b} is {'repeated' if a == b else 'out of order. Many sparse ops require sorted indices'}")


def to_indicator(sp_input, vocab_size, name=None):
    st = sp_input
    n = len(_list(st.dense_shape))
    places = [r[:n - 1] + [int(v)] for r, v in zip(_list(st.indices), _list(st.values))]
    sizes = _list(st.dense_shape)[:-1] + [int(vocab_size)]
    return _dense(_w.tensor(places, int64) if places else _w.full([0, n], 0, int64), _w.full([len(places)], True, bool_), sizes, False)


# ---- products and sums ----

@op("SparseTensorDenseMatMul")
def _product(indices, values, shape, b, adjoint_a, adjoint_b):
    ix, v, b = as_tensor(indices), as_tensor(values), as_tensor(b)
    rows, cols = (ix[:, 1], ix[:, 0]) if adjoint_a else (ix[:, 0], ix[:, 1])
    v = _w.conj(v) if adjoint_a and v.dtype.is_complex else v
    if adjoint_b:
        b = _w.swap_axes(_w.conj(b) if b.dtype.is_complex else b, -1, -2)
    n = ints(shape)[1 if adjoint_a else 0]
    return _w.index_add(_w.full([n, b.shape[1]], 0, v.dtype), rows, v[:, None] * _w.take(b, cols, 0))


def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    if not isinstance(sp_a, SparseTensor):
        return _ops.transpose(_product(b.indices, b.values, b.dense_shape, _ops.transpose(sp_a) if not adjoint_a else sp_a, not adjoint_b, False))
    return _product(sp_a.indices, sp_a.values, sp_a.dense_shape, b, adjoint_a, adjoint_b)


def _placed(at, values, shape):
    return SparseTensor(_w.tensor(at, int64) if at else _w.full([0, len(shape)], 0, int64), values, shape)


def _merged(parts, shape, join):
    # parts: (places, values) that may meet; join(values, ids, n) for those that do. Values keep their gradients.
    at, which = [], []
    order = {}
    for places in parts[0]:
        key = tuple(places)
        if key not in order:
            order[key] = len(order)
    keys = sorted(order)
    rank = {k: i for i, k in enumerate(keys)}
    ids = _w.tensor([rank[tuple(p)] for p in parts[0]], int64)
    return _placed([list(k) for k in keys], join(parts[1], ids, len(keys)), shape)


def _summed(v, ids, n):
    from tensorflow._segments import unsorted_segment_sum
    return unsorted_segment_sum(v, ids, n)


def add(a, b, threshold=0):
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        st, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        return _added(dense, st.indices, st.values)
    if _list(a.dense_shape) != _list(b.dense_shape):
        raise InvalidArgumentError("Operands' shapes do not match")
    r = _merged((_list(a.indices) + _list(b.indices), _ops.concat([a.values, b.values], 0)), _list(a.dense_shape), _summed)
    if threshold:
        keep = _list(_ops.abs(r.values) >= threshold)
        return retain(r, keep)
    return r


@op("SparseTensorDenseAdd")
def _added(dense, indices, values):
    return _w.index_add(as_tensor(dense), _key(as_tensor(indices)), as_tensor(values))


def _extreme(name, pick):
    def call(sp_a, sp_b, name=None):
        a, b = sp_a, sp_b
        x, y = dict(zip(map(tuple, _list(a.indices)), _list(a.values))), dict(zip(map(tuple, _list(b.indices)), _list(b.values)))
        keys = sorted(set(x) | set(y))
        return _placed([list(k) for k in keys], _w.tensor([pick(x.get(k, 0), y.get(k, 0)) for k in keys], a.dtype), _list(a.dense_shape))
    return call


maximum, minimum = _extreme("SparseSparseMaximum", max), _extreme("SparseSparseMinimum", min)


def _axes(axis, rank):
    if axis is None:
        return list(_range(rank))
    return sorted([a % rank for a in ([axis] if isinstance(axis, int) else list(axis))])


def _reduced(sp_input, axis, keepdims, join):
    st = sp_input
    sizes = _list(st.dense_shape)
    gone = _axes(axis, len(sizes))
    kept = [a for a in _range(len(sizes)) if a not in gone]
    shape = [sizes[a] for a in kept]
    flat = [0] * st.indices.shape[0]
    for k, row in enumerate(_list(st.indices)):
        for a in kept:
            flat[k] = flat[k] * sizes[a] + row[a]
    n = 1
    for s in shape:
        n *= s
    y = join(st.values, _w.tensor(flat, int64) if flat else _w.full([0], 0, int64), n)
    return _ops.reshape(y, [1 if a in gone else s for a, s in enumerate(sizes)] if keepdims else shape)


def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    _no_sparse(output_is_sparse)
    return _reduced(sp_input, axis, keepdims, _summed)


def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    from tensorflow import _segments
    _no_sparse(output_is_sparse)

    def most(v, ids, n):
        y = _segments.unsorted_segment_max(v, ids, n)
        return _ops.where(_ops.equal(_summed(_ops.ones_like(v), ids, n), 0), _ops.zeros_like(y), y)
    return _reduced(sp_input, axis, keepdims, most)


def _no_sparse(output_is_sparse):
    if output_is_sparse:
        raise NotImplementedError("reductions of a SparseTensor: output_is_sparse")


def softmax(sp_input, name=None):
    # within each row of the last axis, over what is there
    st = sp_input
    ids = {}
    at = [ids.setdefault(tuple(r[:-1]), len(ids)) for r in _list(st.indices)]
    where, n = _w.tensor(at, int64), len(ids)
    from tensorflow import _segments
    e = _ops.exp(st.values - _ops.gather(_ops.stop_gradient(_segments.unsorted_segment_max(st.values, where, n)), where))
    return st.with_values(e / _ops.gather(_summed(e, where, n), where))


# ---- places moved ----

def _chosen(st, rows):
    # the entries of these numbers, in this order
    at = _list(st.indices)
    if st.dtype is string:
        texts = getattr(st.values, "known", st.values)._value
        return [at[i] for i in rows], StringTensor([texts[i] for i in rows])
    values = _ops.gather(st.values, _w.tensor(rows, int64) if rows else _w.full([0], 0, int64))
    return [at[i] for i in rows], values


def reorder(sp_input, name=None):
    rows = _list(sp_input.indices)
    places, values = _chosen(sp_input, sorted(_range(len(rows)), key=lambda i: rows[i]))
    return _placed(places, values, _list(sp_input.dense_shape))


def retain(sp_input, to_retain):
    keep = to_retain if isinstance(to_retain, (list, tuple)) else _list(to_retain)
    places, values = _chosen(sp_input, [i for i, k in enumerate(keep) if k])
    return _placed(places, values, _list(sp_input.dense_shape))


def transpose(sp_input, perm=None, name=None):
    sizes = _list(sp_input.dense_shape)
    perm = list(_range(len(sizes)))[::-1] if perm is None else list(perm)
    return reorder(_placed([[r[p] for p in perm] for r in _list(sp_input.indices)], sp_input.values, [sizes[p] for p in perm]))


def reshape(sp_input, shape, name=None):
    sizes, want = _list(sp_input.dense_shape), ints(shape)
    total = 1
    for s in sizes:
        total *= s
    if -1 in want:
        rest = 1
        for d in want:
            rest *= d if d != -1 else 1
        want = [total // rest if d == -1 else d for d in want]
    places = []
    for row in _list(sp_input.indices):
        flat = 0
        for i, s in zip(row, sizes):
            flat = flat * s + i
        at = []
        for d in want[::-1]:
            at.append(flat % d)
            flat //= d
        places.append(at[::-1])
    return _placed(places, sp_input.values, want)


def expand_dims(sp_input, axis=None, name=None):
    sizes = _list(sp_input.dense_shape)
    axis = -1 if axis is None else axis
    axis = axis % (len(sizes) + 1)
    return _placed([r[:axis] + [0] + r[axis:] for r in _list(sp_input.indices)], sp_input.values, sizes[:axis] + [1] + sizes[axis:])


def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    sizes = [_list(s.dense_shape) for s in sp_inputs]
    axis = axis % len(sizes[0])
    if not expand_nonconcat_dims and len(set([tuple(s[:axis] + s[axis + 1:]) for s in sizes])) > 1:
        raise InvalidArgumentError("All shapes must match: use expand_nonconcat_dims")
    places, at = [], 0
    for s, size in zip(sp_inputs, sizes):
        places += [r[:axis] + [r[axis] + at] + r[axis + 1:] for r in _list(s.indices)]
        at += size[axis]
    shape = [at if a == axis else max([s[a] for s in sizes]) for a in _range(len(sizes[0]))]
    return reorder(_placed(places, _ops.concat([s.values for s in sp_inputs], 0), shape))


def slice(sp_input, start, size, name=None):
    start, size = ints(start), ints(size)
    sizes = _list(sp_input.dense_shape)
    shape = [max(min(n, full - a), 0) for a, n, full in zip(start, size, sizes)]
    rows = _list(sp_input.indices)
    places, values = _chosen(sp_input, [i for i, r in enumerate(rows) if all([a <= x < a + n for x, a, n in zip(r, start, shape)])])
    return _placed([[x - a for x, a in zip(r, start)] for r in places], values, shape)


def split(sp_input=None, num_split=None, axis=None, name=None):
    sizes = _list(sp_input.dense_shape)
    axis = axis % len(sizes)
    base, more = divmod(sizes[axis], num_split)
    out, at = [], 0
    for k in _range(num_split):
        n = base + (1 if k < more else 0)
        out.append(slice(sp_input, [at if a == axis else 0 for a in _range(len(sizes))], [n if a == axis else s for a, s in enumerate(sizes)]))
        at += n
    return out


def reset_shape(sp_input, new_shape=None):
    rows = _list(sp_input.indices)
    least = [max([r[a] for r in rows] + [-1]) + 1 for a in _range(sp_input.dense_shape.shape[0])]
    return _placed(rows, sp_input.values, least if new_shape is None else ints(new_shape))


def fill_empty_rows(sp_input, default_value, name=None):
    st = sp_input
    n, rows = _list(st.dense_shape)[0], _list(st.indices)
    full = set([r[0] for r in rows])
    empty = [i for i in _range(n) if i not in full]
    rest = [0] * (st.dense_shape.shape[0] - 1)
    if st.dtype is string:
        values = StringTensor(list(getattr(st.values, "known", st.values)._value) + [as_tensor(default_value)._value] * len(empty))
    else:
        values = _ops.concat([st.values, _w.full([len(empty)], default_value, st.dtype)], 0)
    filled = reorder(_placed(rows + [[i] + rest for i in empty], values, _list(st.dense_shape)))
    return filled, _ops.constant([i not in full for i in _range(n)])


def mask(a, mask_indices, name=None):
    # of IndexedSlices: those that are not named
    away = set(_list(mask_indices))
    keep = [k for k, i in enumerate(_list(a.indices)) if i not in away]
    return type(a)(_w.take(a.values, _w.tensor(keep, int64), 0), _w.take(a.indices, _w.tensor(keep, int64), 0), a.dense_shape)


def eye(num_rows, num_columns=None, dtype=float32, name=None):
    m = num_rows if num_columns is None else num_columns
    n = min(num_rows, m)
    return _placed([[i, i] for i in _range(n)], _w.full([n], 1, dtype), [num_rows, m])


def map_values(op, *args, **kwargs):
    first = [a for a in list(args) + list(kwargs.values()) if isinstance(a, SparseTensor)][0]
    plain = lambda a: a.values if isinstance(a, SparseTensor) else a
    return first.with_values(op(*[plain(a) for a in args], **{k: plain(v) for k, v in kwargs.items()}))


def bincount(values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None):
    raise NotImplementedError("tf.sparse.bincount")
